"""What is left of an agreement once something plain, such as the length of the text, is taken out of both sides."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.grouped import grouped
from yarnstick.agreement.levels import arranged, cubes, mean_over_groups
from yarnstick.agreement.types import Floats, Kind, Level
from yarnstick.errors import MetricError

#: what has a partial coefficient: for the others there is no such formula
PARTIAL_KINDS: tuple[Kind, ...] = ("pearson", "spearman", "kendall")
#: 1 - r² is no more than rounding where r is 1: such a side holds nothing but the control
_NOTHING_LEFT = 64 * float(np.finfo(np.float64).eps)


def partial(x: Floats, y: Floats, control: Floats, kind: Kind, level: Level) -> Floats:
    """The partial coefficient of x (m, s, p) with y (c, s, p) given control (s, p): (m, c).

    In every group (prompt, system, or the whole) (r_xy - r_xz r_yz) / sqrt((1 - r_xz²) (1 - r_yz²)), averaged over the
    groups that have one. All three coefficients are of the stories that have all three values. A metric that is the
    control, or orders stories exactly as it does, has none.
    """
    if kind not in PARTIAL_KINDS:
        raise MetricError(f"there is no partial {kind}", remedy=f"choose from: {', '.join(PARTIAL_KINDS)}")
    x, y = cubes(x, y)
    control = np.broadcast_to(np.asarray(control, dtype=np.float64), x.shape[1:])
    unknown = np.isnan(control)
    x, y = np.where(unknown, np.nan, x), np.where(unknown, np.nan, y)
    xs, ys, zs = (arranged(a, level) for a in (x, y, control[None]))
    if any(np.isnan(a).any() for a in (xs, ys, zs)):
        found = np.stack([_with_gaps(xs, row, zs[0], kind) for row in ys], axis=1)
    else:
        found = _given(grouped(xs, ys, kind), grouped(xs, zs, kind), grouped(ys, zs, kind)[:, 0][None])
    return mean_over_groups(found).mean


def _given(xy: Floats, xz: Floats, yz: Floats) -> Floats:
    x_left, y_left = 1 - xz**2, 1 - yz**2
    defined = (x_left > _NOTHING_LEFT) & (y_left > _NOTHING_LEFT)
    scale = np.sqrt(np.where(defined, x_left * y_left, 1.0))
    left: Floats = np.where(defined, np.clip((xy - xz * yz) / scale, -1.0, 1.0), np.nan)
    return left


def _with_gaps(x: Floats, y: Floats, z: Floats, kind: Kind) -> Floats:
    gaps = np.isnan(x) | np.isnan(y) | np.isnan(z)
    one, other, third = (np.where(gaps, np.nan, a) for a in (x, y, z))
    return _given(_row_by_row(one, other, kind), _row_by_row(one, third, kind), _row_by_row(other, third, kind))


def _row_by_row(one: Floats, other: Floats, kind: Kind) -> Floats:
    """The coefficient of each row with the row at its own place: (m, g, n) twice to (m, g)."""
    items = one.shape[-1]
    found: Floats = grouped(one.reshape(1, -1, items), other.reshape(1, -1, items), kind)[0, 0]
    return found.reshape(one.shape[:-1])
