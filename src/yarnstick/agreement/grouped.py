"""A coefficient in every group: the one door through which all levels go."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.kendall import kendall
from yarnstick.agreement.pairwise_accuracy import pairwise_accuracy
from yarnstick.agreement.ranks import mid_ranks, unit_vectors
from yarnstick.agreement.types import KINDS, Floats, Kind
from yarnstick.errors import MetricError


def grouped(x: Floats, y: Floats, kind: Kind) -> Floats:
    """The coefficient of metrics x (m, g, n) with criteria y (c, g, n) over the last axis: (m, c, g).

    A value missing on either side takes that item out of that pair of rows only. NaN where either side does not
    vary among what is left. An infinity is the largest (or smallest) of ranks, and makes Pearson undefined.
    """
    if kind == "kendall":
        return kendall(x, y)
    if kind == "kendall-c":
        return kendall(x, y, variant="c")
    if kind == "pairwise-accuracy":
        return pairwise_accuracy(x, y)
    if kind not in KINDS:
        raise MetricError(f"there is no coefficient {kind!r}", remedy=f"choose from: {', '.join(KINDS)}")
    if np.isnan(x).any() or np.isnan(y).any():
        return np.stack([_one_criterion(x, row, kind) for row in y], axis=1)
    if kind == "spearman":
        x, y = mid_ranks(x), mid_ranks(y)
    (x_units, x_varies), (y_units, y_varies) = unit_vectors(x), unit_vectors(y)
    found = np.matmul(x_units.transpose(1, 0, 2), y_units.transpose(1, 2, 0)).transpose(1, 2, 0)
    return np.where(x_varies[:, None] & y_varies[None], np.clip(found, -1.0, 1.0), np.nan)


def _one_criterion(x: Floats, y: Floats, kind: Kind) -> Floats:
    """(m, g, n) with (g, n), either with gaps: each row's own ranks and means, of the items both sides have."""
    gaps = np.isnan(x) | np.isnan(y)
    one, other = np.where(gaps, np.nan, x), np.where(gaps, np.nan, y)
    if kind == "spearman":
        one, other = mid_ranks(one), mid_ranks(other)
    (x_units, x_varies), (y_units, y_varies) = unit_vectors(one), unit_vectors(other)
    found = (x_units * y_units).sum(axis=-1)
    return np.where(x_varies & y_varies, np.clip(found, -1.0, 1.0), np.nan)
