"""MoverScore: how far the words of one text have to be moved to become the other's (Zhao et al. 2019).

    d(x, y) = E(x) - E(y), Euclidean                                  E of an n-gram: the mean of its words,
    WMD(X, Y) = min over plans F of <C, F>, rows f_X, columns f_Y      weighted by IDF; its weight f: their sum
    MoverScore = 1 - WMD(X, Y)

Vectors have unit length, so a distance is between 0 and 2 and a score between -1 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yarnstick.metrics.embedding.transport import (
    MOST_POINTS,
    Floats,
    gathered,
    normalised,
    squared_distances,
    transport_cost,
    unit_rows,
)


def power_means(layers: NDArray[Any], powers: Sequence[float] = (1.0, np.inf, -np.inf)) -> Floats:
    """One vector a token from several layers' (layer, token, d): its power means over the layers, end to end.

    The mean, the maximum and the minimum are those of the paper; a finite power other than 1 must be an odd whole
    number, so that negative values have a root.
    """
    stacked = np.asarray(layers, dtype=np.float64)
    parts = []
    for power in powers:
        if np.isinf(power):
            parts.append(stacked.max(0) if power > 0 else stacked.min(0))
        else:
            if power % 2 != 1:
                raise ValueError(f"power {power} has no root for negative values: take an odd whole number")
            mean = (stacked ** int(power)).mean(0)
            parts.append(np.sign(mean) * np.abs(mean) ** (1 / power))
    return np.concatenate(parts, axis=-1)


def ngram_cloud(
    states: NDArray[Any], weights: NDArray[Any] | None = None, n: int = 1, most: int = MOST_POINTS
) -> tuple[Floats, Floats]:
    """The text's n-grams as points and weights that add up to one; a text shorter than n is one n-gram of its words.

    ``weights`` are the words' IDF. Long texts are gathered as in :func:`transport.gathered`.
    """
    points = unit_rows(states)
    each = normalised(weights, len(points))
    size = min(n, len(points))
    if size > 1:
        windows = np.lib.stride_tricks.sliding_window_view
        shares = windows(each, size)
        together = shares.sum(1)
        # where none of its words weighs anything an n-gram is their plain mean, and weighs nothing
        inside = np.where(together[:, None] > 0, shares / np.where(together > 0, together, 1.0)[:, None], 1 / size)
        points = np.einsum("idk,ik->id", windows(points, size, axis=0), inside)
        each = normalised(together, len(together))
    found, heavy = gathered(points, each, most)
    return np.asarray(found, dtype=np.float64), heavy


def mover_score(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> float:
    """1 - WMD of two clouds of n-grams; NaN where one has no points."""
    if not len(one[1]) or not len(other[1]):
        return float("nan")
    return 1.0 - transport_cost(np.sqrt(squared_distances(one[0], other[0])), one[1], other[1])
