"""DepthScore: how far apart the inner regions of two clouds of tokens are (Staerman et al. 2021, Colombo et al. 2021).

The depth of a point is how central it is, on average over directions u (integrated rank-weighted depth):

    D(x) = mean over u of min(share of points at or below <u, x>, share at or above)                  (1)

The region R_a holds the points whose depth is at least the a-quantile of depths. The distance of two convex hulls is
that of their support functions, h(u) = max over x in R of <u, x>, and DepthScore averages over levels a in [e, 1]:

    DR(X, Y) = ( mean over a of  max over u of |h_X,a(u) - h_Y,a(u)|^p )^(1/p)                        (2)

Directions are drawn once, from a fixed seed: a text's regions are a feature of the text, and the distance of two
texts is then a matter of microseconds. The authors' code takes no absolute value in (2), with p = 5, so that there
the distance depends on which text comes first; and it counts ranks in (1) from below only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yarnstick.metrics.embedding.transport import Floats, unit_rows

DIRECTIONS = 1000
LEVELS = 5
LOWEST = 0.3
POWER = 5.0
#: projections held at a time
_AT_ONCE = 4_000_000


@lru_cache(maxsize=4)
def directions(width: int, count: int = DIRECTIONS, seed: int = 0) -> Floats:
    """``count`` directions spread evenly at random over the sphere: the same for every text of that width."""
    drawn = unit_rows(np.random.default_rng(seed).standard_normal((count, width)))
    drawn.flags.writeable = False
    return drawn


def depths(points: NDArray[Any], along: Floats) -> Floats:
    """(1) of every point in its own cloud. Points that share a place share their rank."""
    count = len(points)
    total: Floats = np.zeros(count)
    block = max(1, _AT_ONCE // max(count, 1))
    for start in range(0, len(along), block):
        projections = along[start : start + block] @ np.asarray(points, dtype=np.float64).T
        order = projections.argsort(axis=1)
        inner = np.empty_like(projections)
        np.put_along_axis(inner, order, _nearer_end(np.take_along_axis(projections, order, axis=1)), axis=1)
        total += inner.sum(0)
    total /= len(along) * count
    return total


def region_supports(
    states: NDArray[Any], along: Floats, *, levels: int = LEVELS, lowest: float = LOWEST
) -> NDArray[np.float64]:
    """h of a text's regions: (level, direction), levels from ``lowest`` to 1. Empty for a text without tokens."""
    points = unit_rows(states)
    if not len(points):
        return np.empty((0, len(along)))
    depth = depths(points, along)
    # a hair below, so that a point whose depth is the quantile is in, however the two were rounded
    bounds = np.quantile(depth, np.linspace(lowest, 1.0, levels)) - 1e-12
    found = np.full((levels, len(along)), -np.inf)
    block = max(1, _AT_ONCE // len(points))
    for start in range(0, len(along), block):
        projections = along[start : start + block] @ points.T
        for level, bound in enumerate(bounds):
            found[level, start : start + block] = projections[:, depth >= bound].max(axis=1)
    return found


def depth_score(one: Floats, other: Floats, power: float = POWER) -> float:
    """(2) of two texts' regions; NaN where one has none. Lower is nearer."""
    if not len(one) or not len(other):
        return float("nan")
    return float(np.mean(np.abs(one - other).max(axis=1) ** power) ** (1 / power))


def _nearer_end(ordered: Floats) -> Floats:
    """For sorted rows: how many are at or below, or at or above, whichever is fewer."""
    count = ordered.shape[1]
    places = np.arange(1, count + 1)
    new = np.ones(ordered.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    above = count + 1 - np.maximum.accumulate(np.where(new, places, 0), axis=1)
    last = np.ones(ordered.shape, dtype=bool)
    last[:, :-1] = new[:, 1:]
    below = np.minimum.accumulate(np.where(last, places, count)[:, ::-1], axis=1)[:, ::-1]
    nearer: Floats = np.minimum(below, above).astype(np.float64)
    return nearer
