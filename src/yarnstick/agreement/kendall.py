"""Kendall's tau for every metric against every criterion in every group at once.

The pairs of a group's items are laid out once as signs, -1, 0 or 1, for every metric and every criterion. The number
of concordant less discordant pairs is then a matrix product, whose sums of small whole numbers are exact in float32.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.inversions import concordance_by_merging
from yarnstick.agreement.types import Floats

Signs = NDArray[np.float32]

#: signs held at a time: 16 MB of them, so that they stay near the processor
_AT_A_TIME = 4_000_000
#: groups larger than this are counted by merge sort, in n log n, and not pair by pair
_PAIRWISE_LIMIT = 600


def kendall(x: Floats, y: Floats, *, variant: str = "b") -> Floats:
    """tau-b (or tau-c) of x (m, g, n) with y (c, g, n) over the last axis: (m, c, g), NaN values left out in pairs."""
    if x.shape[-1] > _PAIRWISE_LIMIT:
        return _merged(x, y, variant)
    taus = np.empty((len(x), len(y), x.shape[1]))
    gaps = bool(np.isnan(x).any() or np.isnan(y).any())
    # Items first: a pair of items is then two long rows, and comparing them one stroke.
    x_items, y_items = (np.ascontiguousarray(a.transpose(2, 1, 0)) for a in (x, y))
    for rows, groups in _chunks(x.shape, len(y)):
        xs, ys = x_items[:, groups, rows], y_items[:, groups]
        counted = _with_gaps(xs, ys) if gaps else _complete(xs, ys)
        difference, x_pairs, y_pairs = counted
        if variant == "b":
            found = _ratio(difference, np.sqrt(x_pairs * y_pairs))
        else:
            found = _tau_c(difference, *_sizes(xs, ys, gaps), (x_pairs > 0) & (y_pairs > 0))
        taus[rows, :, groups] = found.transpose(1, 2, 0)
    return taus


def pair_signs(items: Floats) -> Signs:
    """(n, g, m) to (pairs, g, m): the sign of item j less item i for every i < j, 0 where either is NaN."""
    n = len(items)
    signs = np.empty((n * (n - 1) // 2, *items.shape[1:]), dtype=np.float32)
    at = 0
    for i in range(n - 1):
        later, to = items[i + 1 :], at + n - 1 - i
        more, less = np.greater(later, items[i]), np.less(later, items[i])
        np.subtract(more.view(np.int8), less.view(np.int8), out=signs[at:to], casting="unsafe")
        at = to
    return signs


def pair_presence(items: Floats) -> Signs:
    """(n, g, m) to (pairs, g, m): 1 where both items of the pair have a value."""
    first, second = np.triu_indices(len(items), 1)
    present = ~np.isnan(items)
    return (present[first] & present[second]).astype(np.float32)


def products(x: Signs, y: Signs) -> Floats:
    """Sum over the pairs of x (pairs, g, m) times y (pairs, g, c): (g, m, c)."""
    sums: Floats = np.matmul(x.transpose(1, 2, 0), y.transpose(1, 0, 2)).astype(np.float64)
    return sums


def _chunks(shape: tuple[int, ...], criteria: int) -> Iterator[tuple[slice, slice]]:
    m, g, n = shape
    pairs = max(n * (n - 1) // 2, 1)
    rows = max(1, min(m, _AT_A_TIME // pairs))
    groups = max(1, _AT_A_TIME // (pairs * max(rows, criteria)))
    for group in range(0, g, groups):
        for row in range(0, m, rows):
            yield slice(row, min(row + rows, m)), slice(group, min(group + groups, g))


def _complete(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    x_signs, y_signs = pair_signs(x), pair_signs(y)
    x_pairs = np.einsum("pgm,pgm->gm", x_signs, x_signs).astype(np.float64)
    y_pairs = np.einsum("pgc,pgc->gc", y_signs, y_signs).astype(np.float64)
    return products(x_signs, y_signs), x_pairs[:, :, None], y_pairs[:, None, :]


def _with_gaps(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    x_signs, y_signs = pair_signs(x), pair_signs(y)
    x_pairs = products(np.abs(x_signs), pair_presence(y))
    y_pairs = products(pair_presence(x), np.abs(y_signs))
    return products(x_signs, y_signs), x_pairs, y_pairs


def _sizes(x: Floats, y: Floats, gaps: bool) -> tuple[Floats, Floats]:
    """How many items each metric shares with each criterion, and the smaller number of distinct values there."""
    if not gaps:
        few = np.minimum(_distinct(x)[:, :, None], _distinct(y)[:, None, :])
        return np.full(few.shape, float(len(x))), few
    counts, fewest = [], []
    for c in range(y.shape[2]):
        both = ~np.isnan(x) & ~np.isnan(y[:, :, c : c + 1])
        counts.append(both.sum(axis=0))
        fewest.append(
            np.minimum(_distinct(np.where(both, x, np.nan)), _distinct(np.where(both, y[:, :, c : c + 1], np.nan)))
        )
    return np.stack(counts, axis=2).astype(np.float64), np.stack(fewest, axis=2)


def _distinct(items: Floats) -> Floats:
    ordered = np.sort(items, axis=0)
    steps = (ordered[1:] != ordered[:-1]) & ~np.isnan(ordered[1:])
    distinct: Floats = steps.sum(axis=0) + (~np.isnan(ordered[0])).astype(np.float64)
    return distinct


def _tau_c(difference: Floats, counts: Floats, distinct: Floats, varies: NDArray[np.bool_]) -> Floats:
    """Stuart's tau-c: 2 (P - Q) / (n² (k - 1) / k) with k the smaller number of distinct values."""
    scale = counts**2 * (distinct - 1) / np.maximum(distinct, 1)
    return np.where(varies, _ratio(2 * difference, scale), np.nan)


def _ratio(above: Floats, below: Floats) -> Floats:
    found: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
    return found.clip(-1.0, 1.0)


def _merged(x: Floats, y: Floats, variant: str) -> Floats:
    taus = np.full((len(x), len(y), x.shape[1]), np.nan)
    for place in np.ndindex(taus.shape):
        one, other = x[place[0], place[2]], y[place[1], place[2]]
        both = ~np.isnan(one) & ~np.isnan(other)
        if both.sum() < 2:
            continue
        difference, x_pairs, y_pairs = concordance_by_merging(one[both], other[both])
        if x_pairs == 0 or y_pairs == 0:
            continue
        if variant == "b":
            tau = difference / (np.sqrt(x_pairs * y_pairs))
        else:
            few = min(np.unique(one[both]).size, np.unique(other[both]).size)
            tau = 2 * difference / (int(both.sum()) ** 2 * (few - 1) / few)
        taus[place] = min(max(tau, -1.0), 1.0)
    return taus
