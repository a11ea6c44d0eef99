"""Ranks and unit vectors: what Pearson and Spearman are made of, for many rows at once."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.types import Floats

#: above this, sums of values of one row could overflow; such rows are brought down by a power of two first
_HUGE = 1e290


def mid_ranks(rows: Floats) -> Floats:
    """Ranks from 1 along the last axis, equal values sharing the middle one; NaN stays NaN and is not counted."""
    order = np.argsort(rows, axis=-1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=-1)
    n = rows.shape[-1]
    places = np.broadcast_to(np.arange(n), rows.shape)
    new = np.ones(rows.shape, dtype=bool)
    np.not_equal(ordered[..., 1:], ordered[..., :-1], out=new[..., 1:])
    last = np.ones(rows.shape, dtype=bool)
    last[..., :-1] = new[..., 1:]
    starts = np.maximum.accumulate(np.where(new, places, 0), axis=-1)
    ends = np.minimum.accumulate(np.where(last, places, n)[..., ::-1], axis=-1)[..., ::-1]
    middle = np.where(np.isnan(ordered), np.nan, (starts + ends) / 2 + 1)
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, middle, axis=-1)
    return ranks


def centred_ranks(rows: Floats) -> tuple[Floats, Floats]:
    """Mid-ranks less their middle, 0 where there is no value, and the sum of their squares: 0 for a constant row.

    They are halves, so sums of their products are exact, and equal rankings give equal coefficients to the last bit.
    """
    ranks = mid_ranks(rows)
    missing = np.isnan(ranks)
    middle = (rows.shape[-1] - missing.sum(axis=-1, keepdims=True) + 1) / 2
    centred = np.where(missing, 0.0, ranks - middle)
    return centred, (centred * centred).sum(axis=-1)


def unit_vectors(rows: Floats) -> tuple[Floats, Floats]:
    """Each row centred and of length one, 0 where there is no value, and 1 where the row varies, else 0.

    A row that does not vary (its largest value equals its smallest), or holds an infinity, is all zeros. Centred
    values are divided by their largest before they are squared: the squares of 1e-300 would vanish.
    """
    present = ~np.isnan(rows)
    whole = bool(present.all())
    filled = rows if whole else np.where(present, rows, 0.0)
    highest = np.where(present, rows, -np.inf).max(axis=-1, keepdims=True, initial=-np.inf)
    lowest = np.where(present, rows, np.inf).min(axis=-1, keepdims=True, initial=np.inf)
    varies = (highest > lowest) & np.isfinite(highest) & np.isfinite(lowest)
    filled = np.where(varies, filled, 0.0)
    peak = np.where(varies, np.maximum(np.abs(highest), np.abs(lowest)), 1.0)
    if (peak > _HUGE).any():
        filled = np.where(peak > _HUGE, np.ldexp(filled, -64), filled)
    counts = np.maximum(present.sum(axis=-1, keepdims=True), 1)
    for _ in range(2):
        # The second turn removes what rounding of the first mean left, which matters when values differ by an ulp.
        filled = filled - filled.sum(axis=-1, keepdims=True) / counts
        if not whole:
            filled = np.where(present, filled, 0.0)
        largest = np.abs(filled).max(axis=-1, keepdims=True, initial=0.0)
        filled = filled / np.where(largest > 0, largest, 1.0)
    lengths = np.sqrt((filled * filled).sum(axis=-1, keepdims=True))
    return filled / np.where(lengths > 0, lengths, 1.0), varies[..., 0].astype(np.float64)
