"""Means that do not invent or break ties.

Whether two systems tie decides rank correlations, and the order in which floats are added decides whether they
tie: HANNA's Complexity has two exact ties at system level of which NumPy's mean keeps one (its ratings are thirds).
Means of whole-number ratings are therefore turned back into whole numbers, which add up exactly; anything else is
added with one rounding at the end.
"""

from __future__ import annotations

import math

import numpy as np

from yarnstick.agreement.types import Floats

#: means of up to this many whole-number ratings are recognised; 60 also covers 3, 4 or 5 raters mixed
_LARGEST_DENOMINATOR = 60
#: whole numbers up to here add up exactly in a float64
_EXACT = 2.0**53
#: sums of larger values could overflow, and are taken a power of two lower
_HUGE = 1e290
#: values worked on at a time: 32 MB, of which some copies are made
_AT_A_TIME = 4_000_000
#: so many values of a row are tried before the whole row is
_GLANCE = 8


def exact_mean(a: Floats, axis: int = -1) -> Floats:
    """The mean, NaN ignored, rounded once: what exact arithmetic gives. NaN where there is nothing.

    >>> fourteen_thirds = np.array([[4 / 3, 5 / 3, 5 / 3], [4 / 3, 4 / 3, 6 / 3]])
    >>> np.unique(exact_mean(fourteen_thirds)).size, np.unique(fourteen_thirds.mean(axis=1)).size
    (1, 2)
    """
    moved = np.moveaxis(np.asarray(a, dtype=np.float64), axis, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    step = max(1, _AT_A_TIME // max(1, rows.shape[1]))
    means = [_means_of_rows(rows[row : row + step]) for row in range(0, max(len(rows), 1), step)]
    return np.concatenate(means).reshape(moved.shape[:-1])


def _means_of_rows(rows: Floats) -> Floats:
    present = ~np.isnan(rows)
    counts = present.sum(axis=1)
    numerators, denominators, whole = as_fractions(np.where(present, rows, 0.0))
    means = np.full(len(rows), np.nan)
    some = whole & (counts > 0)
    means[some] = numerators[some].sum(axis=1) / (denominators * counts)[some]
    for place in np.flatnonzero(~whole):
        means[place] = _mean_rounded_once(rows[place][present[place]])
    return means


def published_mean(a: Floats) -> Floats:
    """The mean over the last axis as HANNA's notebook took it: NumPy's, whose pairwise sum can break a tie."""
    rows = np.ascontiguousarray(a, dtype=np.float64)
    gaps = np.isnan(rows).any(axis=-1)
    with np.errstate(over="ignore", invalid="ignore"):
        means: Floats = np.asarray(rows.mean(axis=-1))
    for place in zip(*np.nonzero(gaps), strict=True):
        present = rows[place][~np.isnan(rows[place])]
        means[place] = present.mean() if present.size else np.nan
    return means


def as_fractions(rows: Floats) -> tuple[Floats, Floats, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Each row as whole numerators over one small denominator, where every value is exactly such a fraction.

    Gives the numerators, each row's denominator, and for which rows this was so; other rows come back as they are,
    over 1. No tolerance is in it: a value counts as j/k only if dividing j by k gives that very float.
    """
    numerators, denominators = rows.copy(), np.ones(len(rows))
    whole = np.zeros(len(rows), dtype=bool)
    width = max(rows.shape[1], 1)
    peaks = np.abs(rows).max(axis=1, initial=0.0)
    waiting = np.flatnonzero(peaks < _EXACT / (_LARGEST_DENOMINATOR * width))
    for k in range(1, _LARGEST_DENOMINATOR + 1):
        glance = rows[waiting, :_GLANCE]
        likely = waiting[(np.rint(glance * k) / k == glance).all(axis=1)]
        tops = np.rint(rows[likely] * k)
        fits = (tops / k == rows[likely]).all(axis=1)
        found = likely[fits]
        numerators[found], denominators[found], whole[found] = tops[fits], k, True
        waiting = waiting[~whole[waiting]]
        if not waiting.size:
            break
    return numerators, denominators, whole


def _mean_rounded_once(row: Floats) -> float:
    ends = row[~np.isfinite(row)]
    if ends.size:
        return float(ends[0]) if (ends == ends[0]).all() else math.nan
    if np.abs(row).max() < _HUGE:
        return math.fsum(row.tolist()) / len(row)
    return math.ldexp(math.fsum(np.ldexp(row, -64).tolist()) / len(row), 64)
