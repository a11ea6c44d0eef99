"""Which metrics lead: ranks that two metrics share unless one really agrees better with people.

At the levels that average a coefficient over groups (prompts, or systems) the groups tell: a paired t-test of the two
metrics' coefficients. Where there is one coefficient (system level, pooled) it is Williams' test. The p of all pairs
of metrics are corrected together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.clusters import rank_clusters
from yarnstick.agreement.correlation import at_level
from yarnstick.agreement.grouped import grouped
from yarnstick.agreement.levels import arranged
from yarnstick.agreement.multiple import benjamini_hochberg
from yarnstick.agreement.student import upper_tail
from yarnstick.agreement.types import Floats, Kind, Level
from yarnstick.agreement.williams import williams_matrices

#: a difference between two metrics counts as found below this p, corrected for all pairs
ALPHA = 0.05


def leaders(x: Floats, y: Floats, kind: Kind, level: Level, found: Floats) -> NDArray[np.int64]:
    """Ranks (m, c) of metrics x (m, s, p) by their agreement ``found`` (m, c), 1 the best; 0 where it is undefined.

    A metric falls to the next rank when the first of the present one agrees better, p < ``ALPHA``.
    """
    ranks = np.zeros(found.shape, dtype=np.int64)
    matrices = better(x, y, kind, level, found)
    for criterion in range(found.shape[1]):
        held = np.flatnonzero(~np.isnan(found[:, criterion]))
        p = benjamini_hochberg(matrices[criterion][np.ix_(held, held)])
        order = np.argsort(-found[held, criterion], kind="stable")
        if held.size:
            ranks[held, criterion] = rank_clusters(p, order, ALPHA, against="first")
    return ranks


def better(x: Floats, y: Floats, kind: Kind, level: Level, found: Floats) -> Floats:
    """One-sided p of "the row's metric agrees better than the column's" (c, m, m); NaN where it is not ahead."""
    if level in ("story", "within-system"):
        return np.stack(
            [_paired_t(one) for one in grouped(arranged(x, level), arranged(y, level), kind).swapaxes(0, 1)]
        )
    n = _fewest_shared(x, y, level)
    # Rounding may leave a metric's correlation with its own copy a hair off 1.
    between = np.clip(at_level(x, x, kind, level), -1.0, 1.0)
    return williams_matrices(found.T, between, n, absolute=False)


def _fewest_shared(x: Floats, y: Floats, level: Level) -> int:
    """Of how many items every metric that has any has a value, and people, too: the test must not count more."""
    xs, ys = arranged(x, level)[:, 0], arranged(y, level)[:, 0]
    shared = (~np.isnan(xs)).astype(np.float64) @ (~np.isnan(ys)).astype(np.float64).T
    return int(shared[shared > 0].min(initial=xs.shape[1]))


def _paired_t(coefficients: Floats) -> Floats:
    """Student's t over groups for every pair of rows (m, groups) at once, on the groups both have."""
    held = ~np.isnan(coefficients)
    values, mask = np.where(held, coefficients, 0.0), held.astype(np.float64)
    n = mask @ mask.T
    sums, squares = values @ mask.T, (values * values) @ mask.T
    total = sums - sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = squares + squares.T - 2 * (values @ values.T) - total * total / n
        # Metrics that never differ have no spread but rounding's.
        spread = np.where(spread > 1e-12 * (squares + squares.T), spread, np.nan)
        t = (total / n) / np.sqrt(spread / (n - 1) / n)
    p = np.full(t.shape, np.nan)
    for degrees in np.unique(n[n > 1]):
        here = (n == degrees) & (t > 0)
        p[here] = upper_tail(t[here], int(degrees) - 1)
    return p
