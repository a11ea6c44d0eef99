"""Coefficients of matching tables: the first with the first, the second with the second, all at once."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.correlation import at_level
from yarnstick.agreement.grouped import grouped
from yarnstick.agreement.levels import arranged, cubes, mean_over_groups
from yarnstick.agreement.types import Floats, Kind, Level


def matching_at_level(x: Floats, y: Floats, kind: Kind, level: Level) -> Floats:
    """The coefficient of x[i] with y[i], both (i, s, p), for each i: (i,).

    What ``at_level`` has on its diagonal, without the rest: halves of raters are of interest with each other only.
    """
    x, y = cubes(x, y)
    if kind == "pairwise-accuracy":
        # How close two scores may be to tie is found on a whole table, so tables cannot be laid end to end.
        return np.array([at_level(one[None], other[None], kind, level)[0, 0] for one, other in zip(x, y, strict=True)])
    xs, ys = arranged(x, level), arranged(y, level)
    end_to_end = (1, -1, xs.shape[2])
    found = grouped(xs.reshape(end_to_end), ys.reshape(end_to_end), kind)
    return mean_over_groups(found.reshape(xs.shape[:2])).mean
