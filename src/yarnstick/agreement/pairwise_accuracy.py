"""Pairwise accuracy with calibrated ties (Deutsch, Foster, Freitag 2023, "Ties Matter").

A metric almost never ties and people often do. Two items count as tied by the metric when they differ by no more
than a threshold; the threshold that serves the metric best is used, one for all groups, so that metrics which tie a
lot and metrics which never do are compared fairly. A pair is right when metric and people both tie it, or both order
it the same way; a constant metric is right wherever people tie, so nothing is undefined but a group without pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError

Places = NDArray[np.intp]

#: pairs there may be in all groups: beyond, the sorted differences of one metric alone would take gigabytes
_MOST_PAIRS = 20_000_000


def pairwise_accuracy(x: Floats, y: Floats, thresholds: Floats | None = None) -> Floats:
    """Accuracy of metrics x (m, g, n) against people y (c, g, n) in each group: (m, c, g).

    Without ``thresholds`` (m, c) they are calibrated here.
    """
    return _accuracies(x, y, thresholds)[0]


def best_thresholds(x: Floats, y: Floats) -> Floats:
    """The difference up to which each metric had best be taken to tie, for each criterion: (m, c).

    It maximises the mean over groups, each group counting alike as in HANNA's eq. 1.
    """
    return _accuracies(x, y, None)[1]


def _accuracies(x: Floats, y: Floats, given: Floats | None) -> tuple[Floats, Floats]:
    m, g, n = x.shape
    if g * n * (n - 1) // 2 > _MOST_PAIRS:
        raise InputError(
            f"pairwise accuracy of {n} items in {g} groups has too many pairs",
            remedy="ask for it at story or system level, or take a sample of the stories",
        )
    first, second = np.triu_indices(n, 1)
    accuracies = np.full((m, len(y), g), np.nan)
    thresholds = np.zeros((m, len(y))) if given is None else given
    y_pairs = [_pairs(criterion, first, second) for criterion in y]
    for row in range(m):
        (x_signs, x_here), gaps = _pairs(x[row], first, second), _gaps(x[row], first, second)
        order = np.argsort(gaps, axis=None) if given is None else None
        ordered = gaps.ravel() if order is None else gaps.ravel()[order]
        for column, (y_signs, y_here) in enumerate(y_pairs):
            here = x_here & y_here
            pairs = here.sum(axis=1)
            tied = here & (y_signs == 0)
            agree = (x_signs == y_signs) & (here & ~tied)
            if order is not None:
                # Calling a pair tied gains it where people tie it, and loses it where the metric had it right.
                gains = (tied.view(np.int8) - agree.view(np.int8)).ravel()[order]
                if (pairs == pairs[:1]).all():
                    gained = np.cumsum(gains, dtype=np.int32)
                else:
                    gained = np.cumsum(gains / np.repeat(np.maximum(pairs, 1), len(first))[order])
                thresholds[row, column] = _best_threshold(ordered, gained)
            right = np.where(gaps <= thresholds[row, column], tied, agree).sum(axis=1)
            np.divide(right, pairs, out=accuracies[row, column], where=pairs > 0)
    return accuracies, thresholds


def _best_threshold(ordered: Floats, gained: Floats | NDArray[np.int32]) -> float:
    """The least of the differences with the largest gain; equal differences tie as one, differences of 0 always do."""
    if not ordered.size:
        return 0.0
    last = np.append(ordered[1:] != ordered[:-1], True) & ~np.isnan(ordered)
    best = int(np.argmax(np.where(last, gained, -np.inf)))
    natural = np.flatnonzero(ordered <= 0)
    already = gained[natural[-1]] if natural.size else 0.0
    return float(ordered[best]) if gained[best] > already else 0.0


def _pairs(a: Floats, first: Places, second: Places) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """The sign of every pair, 0 also where it is no pair, and whether it is one: each (g, pairs)."""
    one, other = a[:, first], a[:, second]
    signs = (other > one).view(np.int8) - (other < one).view(np.int8)
    return signs, ~(np.isnan(one) | np.isnan(other))


def _gaps(a: Floats, first: Places, second: Places) -> Floats:
    one, other = a[:, first], a[:, second]
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.abs(other - one)
    return np.where(one == other, 0.0, gaps)
