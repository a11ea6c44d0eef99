"""Borda counts: metrics ranked by how many others they beat, summed over many rankings (HANNA's Table 6)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from yarnstick.agreement.introsort import introsort_argsort
from yarnstick.agreement.types import Floats

Ties = Literal["average", "published"]


def borda(r: ArrayLike, *, ties: Ties = "average", decimals: int | None = 12) -> Floats:
    """The Borda count of each row of ``r`` (metrics, rankings): higher is better, in every ranking as in the sum.

    In each ranking a metric gets a point for each metric it beats, and half a point for each it ties with; what
    differs only beyond ``decimals`` decimals ties. A metric without a value (NaN) is beaten by all that have one.

    ``ties="published"`` gives the tied ones their places in the order of NumPy's sort before 1.25, as HANNA did.

    >>> borda([[0.9, 0.2], [0.5, 0.2], [0.1, 0.7]]).tolist()
    [2.5, 1.5, 2.0]
    """
    columns = np.asarray(r, dtype=np.float64).T
    if decimals is not None:
        columns = np.round(columns, decimals)
    if ties == "published":
        points = np.empty(columns.shape)
        for column, given in zip(columns, points, strict=True):
            given[introsort_argsort(column)] = np.arange(column.size)
        return np.asarray(points.sum(axis=0))
    if ties != "average":
        raise ValueError(f"ties is 'average' or 'published', not {ties!r}")
    return np.asarray(sum(map(_places, columns), start=np.zeros(columns.shape[1])))


def _places(values: Floats) -> Floats:
    # How many each one beats, and half of those it ties with: halfway between its first and last place in order.
    lowered = np.where(np.isnan(values), -np.inf, values)
    ordered = np.sort(lowered)
    first, beyond = np.searchsorted(ordered, lowered, "left"), np.searchsorted(ordered, lowered, "right")
    return np.asarray((first + beyond - 1) / 2)
