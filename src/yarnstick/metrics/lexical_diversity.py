"""Variety of a text's vocabulary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def type_token_ratio(words: Sequence[str]) -> float:
    """Distinct words divided by words; NaN without a word."""
    return len(set(words)) / len(words) if words else math.nan


def mtld(words: Sequence[str], threshold: float = 0.72) -> float:
    """Measure of textual lexical diversity: the mean of a forward and a backward reading (McCarthy and Jarvis 2010).

    NaN where the ratio never falls (no word comes twice), because no stretch is ever used up.
    """
    if not words:
        return math.nan
    forward, backward = (
        _words_per_factor(words, threshold),
        _words_per_factor(list(reversed(words)), threshold),
    )
    return (forward + backward) / 2


def _words_per_factor(words: Sequence[str], threshold: float) -> float:
    factors = _factors(words, threshold)
    return len(words) / factors if factors > 0 else math.nan


def _factors(words: Iterable[str], threshold: float) -> float:
    """How often the running type-token ratio falls to the threshold, the last stretch counted in part.

    A ratio equal to the threshold counts: the paper closes a factor when .720 "is reached" (some programs ask for
    less). A stretch ending at a ratio r is (1 - r) / (1 - threshold) of a factor, so one without a repeat is none.
    """
    factors, seen, length = 0.0, set[str](), 0
    for word in words:
        length += 1
        seen.add(word)
        if len(seen) / length <= threshold:
            factors, seen, length = factors + 1, set(), 0
    if length:
        factors += (1 - len(seen) / length) / (1 - threshold)
    return factors
