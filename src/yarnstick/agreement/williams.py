"""Williams' test: of two metrics judged by the same people on the same stories, does one agree better?

The two correlations share the human scores, so they are not independent; the correlation between the two
metrics says how much they share. HANNA draws one matrix a criterion: is the row metric better than the column's.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yarnstick.agreement.student import tail_beyond, upper_tail
from yarnstick.agreement.types import Floats

#: pairs tested at once
_BLOCK = 16384


def williams_t(r12: ArrayLike, r13: ArrayLike, r23: ArrayLike, n: int, *, absolute: bool = True) -> Floats:
    """Williams' t, with n - 3 degrees of freedom, element by element; NaN where the variance is not positive.

    1 is the human score, 2 and 3 are the metrics. With ``absolute`` the strength of the correlations is compared,
    whatever their sign; turning a metric round turns ``r23`` as well. Without it a negative correlation is a bad one.
    """
    first, second, between = np.broadcast_arrays(*(np.asarray(r, dtype=np.float64) for r in (r12, r13, r23)))
    if absolute:
        between = np.where((first < 0) ^ (second < 0), -between, between)
        first, second = np.abs(first), np.abs(second)
    return _statistic(first, second, between, n)


def williams(r12: ArrayLike, r13: ArrayLike, r23: ArrayLike, n: int, *, absolute: bool = True) -> Floats:
    """The one-sided p of "metric 2 agrees better than metric 3", element by element.

    >>> print(f"{williams_t(0.4, 0.5, 0.1, 103):.2f}, {williams(0.4, 0.5, 0.1, 103):.2f}")  # metric 3 is ahead
    -0.89, 0.81
    """
    return upper_tail(williams_t(r12, r13, r23, n, absolute=absolute), n - 3)


def williams_matrices(
    r: ArrayLike, between: ArrayLike, n: int, *, absolute: bool = True, as_published: bool = False
) -> Floats:
    """All pairs at once: p of "the row metric agrees better than the column metric", NaN where it does not.

    ``r`` (m,) or (criteria, m) are the metrics' correlations with people, ``between`` (m, m) those among metrics;
    the result is (m, m) or (criteria, m, m). Of two metrics only the better one's cell is filled, neither one's
    when they are equal or when the variance is not positive (the golden files write 0 there).

    ``as_published`` does as the released notebook did: its inner loop overwrites a metric's correlation with the
    absolute value, so that metric's sign counts in the first comparison only. The r23 of a pair then has the sign
    of the earlier metric alone, except where the earlier one is the very first.
    """
    if as_published and not absolute:
        raise ValueError("the published matrices compare absolute correlations")
    rows = np.atleast_2d(np.asarray(r, dtype=np.float64))
    among = np.asarray(between, dtype=np.float64)
    metrics = rows.shape[1]
    earlier, later = _pairs(metrics)
    first, second = rows.take(earlier, axis=1), rows.take(later, axis=1)
    shared = among[earlier, later]
    if absolute:
        turned = second < 0
        if as_published:
            turned[:, metrics - 1 :] = False  # the pairs with the very first metric come first
        turned ^= first < 0
        shared = np.where(turned, -shared, shared)
        np.abs(first, out=first)
        np.abs(second, out=second)
    p, t = _in_blocks(first, second, shared, n)
    p[t == 0] = np.nan
    # Each p goes to the one cell of its pair whose row is the better metric, in one flat assignment.
    cells = np.full((rows.shape[0], metrics, metrics), np.nan)
    place = np.where(t > 0, earlier * metrics + later, later * metrics + earlier)
    place += metrics * metrics * np.arange(rows.shape[0])[:, None]
    cells.reshape(-1)[place] = p
    return cells[0] if np.ndim(r) == 1 else cells


def _in_blocks(first: Floats, second: Floats, between: Floats, n: int) -> tuple[Floats, Floats]:
    # p of the better metric of each pair, and t; a block at a time stays in the processor's cache.
    p, t = np.empty(first.size), np.empty(first.size)
    a, b, c = first.reshape(-1), second.reshape(-1), np.broadcast_to(between, first.shape).reshape(-1)
    for start in range(0, first.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        t[block] = _statistic(a[block], b[block], c[block], n)
        p[block] = tail_beyond(np.abs(t[block]), n - 3)
    return p.reshape(first.shape), t.reshape(first.shape)


def _statistic(first: Floats, second: Floats, between: Floats, n: int) -> Floats:
    # t = (r12 - r13) sqrt((n-1)(1+r23)) / sqrt(2 K (n-1)/(n-3) + (r12+r13)^2/4 (1-r23)^3),
    # K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23. Of near-copies (r23 close to 1) and near-mirrors (-1) nothing is
    # left of K but rounding unless it is written in w = 1 - |r23|: K = w (2 - w - 2 r12 r13) - (r12 - r13)^2, with
    # r13 turned where r23 is negative. In place, because a fresh array costs more than the sums in it.
    if n <= 3:
        return np.full(first.shape, np.nan)
    turned = np.copysign(1.0, between)
    turned *= second
    w = np.subtract(1.0, np.abs(between))
    variance = np.multiply(first, turned)
    variance *= -2.0
    variance += 2.0
    variance -= w
    variance *= w
    turned -= first
    turned *= turned
    variance -= turned
    variance *= 2.0 * (n - 1) / (n - 3)
    unlike = np.subtract(1.0, between)
    total = np.add(first, second)
    total *= 0.5
    total *= unlike
    total *= total
    total *= unlike
    variance += total
    variance = np.where(variance > 0, variance, np.nan)
    scale = np.add(1.0, between)
    scale *= n - 1
    scale /= variance
    return np.asarray(np.sqrt(scale) * np.subtract(first, second))


@lru_cache(maxsize=4)
def _pairs(metrics: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    earlier, later = np.triu_indices(metrics, 1)
    return earlier, later
