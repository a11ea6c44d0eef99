"""Coefficients of resamples without building them: an item drawn twice weighs two.

``weights`` are (draws, n), how often each item was drawn. Every function gives (m, c, draws).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.ranks import unit_vectors
from yarnstick.agreement.types import Floats

#: numbers a step may hold for one side: 64 MB
_AT_A_TIME = 8_000_000


def weighted_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Pearson's r of x (m, n) with y (c, n) in every draw, from weighted sums."""
    (ours, x_usable), (theirs, y_usable) = unit_vectors(x), unit_vectors(y)
    found = np.full((len(x), len(y), len(weights)), np.nan)
    for rows, columns, here in same_gaps(x, y):
        drawn = weights * here
        n = np.maximum(drawn.sum(axis=1), 1)
        x_sums, x_squares = ours[rows] @ drawn.T, ours[rows] ** 2 @ drawn.T
        x_varies = _varies(x[rows], drawn) & (x_usable[rows, None] > 0)
        for column in columns:
            row, shared = theirs[column], drawn * theirs[column]
            y_sum, xy = shared.sum(axis=1), ours[rows] @ shared.T
            spread = (x_squares - x_sums**2 / n) * (shared @ row - y_sum**2 / n)
            varies = x_varies & _varies(y[column : column + 1], drawn) & (y_usable[column] * spread > 0)
            r = (xy - x_sums * y_sum / n) / np.sqrt(np.where(varies, spread, 1.0))
            found[rows, column] = np.where(varies, np.clip(r, -1.0, 1.0), np.nan)
    return found


def weighted_spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Spearman's rho of x (m, n) with y (c, n) in every draw; the ranks are those of the draw, not of the whole."""
    found = np.full((len(x), len(y), len(weights)), np.nan)
    for rows, columns, here in same_gaps(x, y):
        step = max(1, _AT_A_TIME // (len(columns) * x.shape[1]))
        for start in range(0, len(weights), step):
            draws = slice(start, start + step)
            drawn = weights[draws] * here
            ranked = [_centred_ranks(y[column], drawn) for column in columns]
            theirs = np.stack([ranks * drawn for ranks, _ in ranked])
            their_spreads = np.stack([spread for _, spread in ranked])
            for row in rows:
                ours, our_spread = _centred_ranks(x[row], drawn)
                spreads = our_spread * their_spreads
                rho = np.einsum("dn,cdn->cd", ours, theirs) / np.sqrt(np.where(spreads > 0, spreads, 1.0))
                found[row, columns, draws] = np.where(spreads > 0, np.clip(rho, -1.0, 1.0), np.nan)
    return found


def same_gaps(x: Floats, y: Floats) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Floats]]:
    """Rows and columns that miss the same items, with 1 for every item both have: one lot where nothing is missing."""
    for rows in _alike(x):
        for columns in _alike(y):
            yield rows, columns, (~(np.isnan(x[rows[0]]) | np.isnan(y[columns[0]]))).astype(np.float64)


def _alike(a: Floats) -> list[NDArray[np.intp]]:
    lots: dict[bytes, list[int]] = {}
    for place, gaps in enumerate(np.isnan(a)):
        lots.setdefault(gaps.tobytes(), []).append(place)
    return [np.array(places, dtype=np.intp) for places in lots.values()]


def _varies(rows: Floats, drawn: Floats) -> NDArray[np.bool_]:
    """Whether the drawn items of each row differ at all, told by comparing and not by a small variance: (m, draws)."""
    found = np.zeros((len(rows), len(drawn)), dtype=bool)
    for place, row in enumerate(rows):
        order = np.argsort(row)
        seen = drawn[:, order] > 0
        lowest, highest = seen.argmax(axis=1), len(row) - 1 - seen[:, ::-1].argmax(axis=1)
        found[place] = seen.any(axis=1) & (row[order][lowest] < row[order][highest])
    return found


def _centred_ranks(row: Floats, drawn: Floats) -> tuple[Floats, Floats]:
    """Each item's mid-rank in every draw less the middle of all, and the weighted sum of their squares."""
    order = np.argsort(row)
    ends = np.append(np.flatnonzero(row[order][1:] != row[order][:-1]), len(row) - 1)
    codes = np.empty(len(row), dtype=np.intp)
    codes[order] = np.searchsorted(ends, np.arange(len(row)))
    below = np.cumsum(drawn[:, order], axis=1)[:, ends]
    sizes = np.diff(below, axis=1, prepend=0.0)
    # the ranks of a run of equals go from below - size + 1 to below; the middle of all is (n + 1) / 2
    ranks = below - sizes / 2 - below[:, -1:] / 2
    return np.take(ranks, codes, axis=1), (sizes * ranks**2).sum(axis=1)
