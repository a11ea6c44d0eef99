"""Moving one cloud of points onto another at the least cost, exactly.

The general problem is solved by POT's network simplex, which does 300 by 300 tokens in some 10 ms; where all points
weigh alike and both clouds have as many, it is an assignment, which SciPy solves without POT.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from yarnstick.errors import MetricError

Floats: TypeAlias = NDArray[np.float64]

#: more points than this are gathered into runs first: the cost of exact transport grows with their cube
MOST_POINTS = 1024


def unit_rows(points: NDArray[Any]) -> Floats:
    """Every point at distance one from the origin; the origin itself stays where it is."""
    wide = np.asarray(points, dtype=np.float64)
    norms = np.linalg.norm(wide, axis=-1, keepdims=True)
    return wide / np.where(norms > 0, norms, 1.0)


def squared_distances(one: NDArray[Any], other: NDArray[Any]) -> Floats:
    """Squared Euclidean distance of every pair of points; that of a point to itself is 0, whatever rounding says."""
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    scale = (first**2).sum(1)[:, None] + (second**2).sum(1)[None, :]
    found = scale - 2 * first @ second.T
    # what is left of two equal points after the cancellation is some ulps of their norms, and no distance
    return np.where(found < 1e-13 * scale, 0.0, found)


def uniform(count: int) -> Floats:
    """The weights of points that all count alike."""
    return np.full(count, 1.0 / max(count, 1))


def normalised(weights: NDArray[Any] | None, count: int) -> Floats:
    """Weights that add up to one; all alike if none are given, or if all of them are zero."""
    if weights is None:
        return uniform(count)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (count,) or not (np.isfinite(given) & (given >= 0)).all():
        raise MetricError(f"{count} points need {count} weights, finite and not negative")
    total = given.sum()
    return given / total if total > 0 else uniform(count)


def gathered(points: NDArray[Any], weights: Floats, most: int = MOST_POINTS) -> tuple[NDArray[Any], Floats]:
    """The cloud itself, or where it has more than ``most`` points, runs of neighbours of equal length as their means.

    A run weighs what its points weigh together, so nothing of a long text is left out: it is looked at more coarsely.
    ``points`` may have leading axes (layers); the points are along the last but one.
    """
    count = points.shape[-2]
    if count <= most:
        return points, weights
    length = -(-count // most)
    starts = np.arange(0, count, length)
    heavy = np.add.reduceat(weights, starts)
    sums = np.add.reduceat(points * weights[:, None], starts, axis=-2)
    plain = np.add.reduceat(points, starts, axis=-2) / np.diff(np.append(starts, count))[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(heavy[:, None] > 0, sums / heavy[:, None], plain)
    return means, heavy


def transport_plan(cost: Floats, one: Floats, other: Floats) -> Floats:
    """How much of every point goes where, at the least total cost; rows add up to ``one``, columns to ``other``."""
    if len(one) == len(other) and all_alike(one) and all_alike(other):
        plan = np.zeros_like(cost)
        plan[np.arange(len(one)), cheapest_assignment(cost)] = 1.0 / len(one)
        return plan
    from yarnstick.optional import require

    ot = require("ot", "moving clouds of different sizes or weights")
    # POT wants sums that are equal to the last bits
    plan, log = ot.emd(one, other * (one.sum() / other.sum()), np.ascontiguousarray(cost), numItermax=10**7, log=True)
    if log["warning"] is not None:
        raise MetricError(f"no optimal transport was found: {log['warning']}")
    return np.asarray(plan, dtype=np.float64)


def transport_cost(cost: Floats, one: Floats, other: Floats) -> float:
    """The least total cost of moving ``one`` onto ``other``."""
    return float((transport_plan(cost, one, other) * cost).sum())


def cheapest_assignment(cost: Floats) -> NDArray[np.intp]:
    """The column for every row, each used once, at the least total cost.

    If every row's cheapest column is another one, nothing can be cheaper, and no search is needed.
    """
    nearest: NDArray[np.intp] = cost.argmin(axis=1)
    if len(np.unique(nearest)) == len(nearest):
        return nearest
    from scipy.optimize import linear_sum_assignment

    columns: NDArray[np.intp] = linear_sum_assignment(cost)[1]
    return columns


def all_alike(weights: Floats) -> bool:
    """Whether no point weighs more than another."""
    return bool(np.ptp(weights) <= 1e-15)
