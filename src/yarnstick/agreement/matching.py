"""Coefficients of matching tables: the first with the first, the second with the second, all at once."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.correlation import at_level, mean_over_groups
from yarnstick.agreement.grouped import grouped
from yarnstick.agreement.means import exact_mean
from yarnstick.agreement.types import LEVELS, Floats, Kind, Level
from yarnstick.errors import MetricError


def matching_at_level(x: Floats, y: Floats, kind: Kind, level: Level) -> Floats:
    """The coefficient of x[i] with y[i], both (i, s, p), for each i: (i,).

    What ``at_level`` has on its diagonal, without the rest: halves of raters are of interest with each other only.
    """
    if kind == "pairwise-accuracy":
        # How close two scores may be to tie is found on a whole table, so tables cannot be laid end to end.
        return np.array([at_level(one[None], other[None], kind, level)[0, 0] for one, other in zip(x, y, strict=True)])
    tables, systems, prompts = x.shape
    if level == "system":
        return _rows(exact_mean(x), exact_mean(y), kind)
    if level == "pooled":
        return _rows(x.reshape(tables, -1), y.reshape(tables, -1), kind)
    if level == "story":
        inner = _rows(_by_prompt(x), _by_prompt(y), kind).reshape(tables, prompts)
    elif level == "within-system":
        inner = _rows(x.reshape(-1, prompts), y.reshape(-1, prompts), kind).reshape(tables, systems)
    else:
        raise MetricError(f"there is no level {level!r}", remedy=f"choose from: {', '.join(LEVELS)}")
    return mean_over_groups(inner).mean


def _by_prompt(table: Floats) -> Floats:
    return np.ascontiguousarray(table.transpose(0, 2, 1)).reshape(-1, table.shape[1])


def _rows(x: Floats, y: Floats, kind: Kind) -> Floats:
    coefficients: Floats = grouped(x[None], y[None], kind)[0, 0]
    return coefficients
