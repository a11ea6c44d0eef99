"""Concordant less discordant pairs in n log n, for groups too large to lay out pair by pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.types import Floats

Codes = NDArray[np.int64]


def concordance_by_merging(x: Floats, y: Floats) -> tuple[float, float, float]:
    """Concordant less discordant pairs, pairs that differ in x, pairs that differ in y (no NaN in either).

    In the order of x (ties in the order of y) every discordant pair is an inversion of y (Knight 1966).
    """
    n = len(x)
    x_codes, y_codes = _codes(x), _codes(y)
    pairs = n * (n - 1) // 2
    x_ties, y_ties = _tied(x_codes), _tied(y_codes)
    joint = x_codes * n + y_codes
    both_tied = _tied(_codes(joint))
    discordant = inversions(y_codes[np.argsort(joint, kind="stable")])
    # pairs that differ in both are concordant or discordant
    differ = pairs - x_ties - y_ties + both_tied
    return float(differ - 2 * discordant), float(pairs - x_ties), float(pairs - y_ties)


def inversions(codes: Codes) -> int:
    """How many pairs stand in falling order: each merge of two sorted halves tells how far the left ones move."""
    size = 1 << max(len(codes) - 1, 0).bit_length()
    padded = np.full(size, np.iinfo(np.int64).max)
    padded[: len(codes)] = codes
    count, half = 0, 1
    while half < size:
        blocks = padded.reshape(-1, 2 * half)
        order = np.argsort(blocks, axis=1, kind="stable")
        places = np.nonzero(order < half)[1]
        count += int(places.sum()) - len(blocks) * (half * (half - 1) // 2)
        padded = np.take_along_axis(blocks, order, axis=1)
        half *= 2
    return count


def _codes(values: NDArray[np.generic]) -> Codes:
    codes: Codes = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return codes


def _tied(codes: Codes) -> int:
    sizes = np.bincount(codes)
    return int((sizes * (sizes - 1) // 2).sum())
