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

#: pairs a group may have: beyond, the sorted differences of one metric alone would take gigabytes
_MOST_PAIRS = 20_000_000


def pairwise_accuracy(x: Floats, y: Floats) -> Floats:
    """Accuracy of metrics x (m, g, n) against people y (c, g, n) in each group: (m, c, g).

    The threshold maximises the mean over groups, each group counting alike as in HANNA's eq. 1.
    """
    m, g, n = x.shape
    if g * n * (n - 1) // 2 > _MOST_PAIRS:
        raise InputError(
            f"pairwise accuracy of {n} items in {g} groups has too many pairs",
            remedy="ask for it at story or system level, or take a sample of the stories",
        )
    first, second = np.triu_indices(n, 1)
    y_signs = _signs(y, first, second)
    found = np.full((m, len(y), g), np.nan)
    for row in range(m):
        x_signs, gaps = _signs(x[row], first, second), _gaps(x[row], first, second)
        order = np.argsort(gaps, axis=None, kind="stable")
        ordered = gaps.ravel()[order]
        last = np.append(ordered[1:] != ordered[:-1], True)
        for column, signs in enumerate(y_signs):
            counted = ~np.isnan(x_signs) & ~np.isnan(signs)
            found[row, column] = _at_best_threshold(x_signs, signs, counted, gaps, order, ordered, last)
    return found


def _at_best_threshold(
    x_signs: Floats,
    y_signs: Floats,
    counted: NDArray[np.bool_],
    gaps: Floats,
    order: NDArray[np.intp],
    ordered: Floats,
    last: NDArray[np.bool_],
) -> Floats:
    pairs = counted.sum(axis=1)
    if not pairs.any():
        return np.full(len(pairs), np.nan)
    tied = counted & (y_signs == 0)
    agree = counted & (x_signs == y_signs) & (y_signs != 0)
    # Calling a pair tied gains it where people tie it, and loses it where the metric had it right.
    weights = 1 / np.maximum(pairs, 1)
    gains = ((tied.astype(np.float64) - agree) * weights[:, None]).ravel()[order]
    gained = np.cumsum(gains)
    # What ties by itself stays tied, and a run of equal differences ties as one.
    least = np.flatnonzero(ordered <= 0)
    best = int(np.argmax(np.where(last & ~np.isnan(ordered), gained, -np.inf)))
    threshold = float(ordered[best]) if gained[best] > (gained[least[-1]] if least.size else 0.0) else 0.0
    with np.errstate(invalid="ignore"):
        right = np.where(gaps <= threshold, tied, agree).sum(axis=1)
    accuracy: Floats = np.divide(right, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
    return accuracy


def _signs(a: Floats, first: NDArray[np.intp], second: NDArray[np.intp]) -> Floats:
    one, other = a[..., first], a[..., second]
    signs = (other > one).astype(np.float64) - (other < one)
    signs[np.isnan(one) | np.isnan(other)] = np.nan
    return signs


def _gaps(a: Floats, first: NDArray[np.intp], second: NDArray[np.intp]) -> Floats:
    one, other = a[..., first], a[..., second]
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.abs(other - one)
    return np.where(one == other, 0.0, gaps)
