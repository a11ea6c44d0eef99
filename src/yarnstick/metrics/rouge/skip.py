"""Skip-bigrams two texts share, counted without listing them.

A story of 400 words has 80,000 skip-bigrams, a chapter of 20,000 words has 200 million. What is wanted is
only the sum, over ordered pairs of words (a, b), of the smaller of the two texts' counts. The count of (a, b)
is the sum, over the places of b, of how often a stands before: a row of running totals of a one-hot matrix.
With a limit of ``gap`` words in between, the running total ``gap + 1`` places back is taken off.
"""

from __future__ import annotations

import numpy as np

from yarnstick.metrics.rouge.pairs import Ints, Shared

__all__ = ["skip_bigram_hits", "skip_bigram_total"]

# Entries of a block of running totals: 16 MB, and small texts in one block.
_BLOCK = 1 << 21


def skip_bigram_total(length: int, gap: int | None) -> int:
    """Number of skip-bigrams in a text of so many tokens."""
    reach = max(length - 1, 0) if gap is None else min(gap + 1, max(length - 1, 0))
    # The last `reach` tokens see fewer and fewer tokens after them.
    return reach * (length - reach) + reach * (reach - 1) // 2


def skip_bigram_hits(hypothesis: Shared, reference: Shared, words: int, gap: int | None) -> int:
    """Clipped matches: over all ordered pairs of the shared words, the smaller of the two counts."""
    if words == 0:
        return 0
    totals = np.bincount(hypothesis.words, minlength=words) + np.bincount(reference.words, minlength=words)
    hits = 0
    first = 0
    while first < words:
        # As many second words at a time as keep both texts' rows within a block.
        rows = np.cumsum(totals[first:])
        last = first + max(1, int(np.searchsorted(rows, _BLOCK // words, side="right")))
        a = _pair_counts(hypothesis, words, first, last, gap)
        b = _pair_counts(reference, words, first, last, gap)
        hits += int(np.minimum(a, b).sum())
        first = last
    return hits


def _pair_counts(text: Shared, words: int, first: int, last: int, gap: int | None) -> Ints:
    """Counts of (word, second word) for the second words numbered ``first`` to ``last`` - 1, one row each."""
    ends = np.flatnonzero((text.words >= first) & (text.words < last))
    before = _running_totals(text.words, words, ends)
    if gap is not None:
        too_far = np.searchsorted(text.positions, text.positions[ends] - gap - 1)
        before -= _running_totals(text.words, words, too_far)
    second = text.words[ends]
    by_word = second.argsort(kind="stable")
    starts = np.searchsorted(second[by_word], np.arange(first, last))
    return np.add.reduceat(before[by_word], starts, axis=0)


def _running_totals(tokens: Ints, words: int, ends: Ints) -> Ints:
    """For each place in ``ends``, which ascend: how often each word stands before it."""
    passed = np.searchsorted(ends, np.arange(tokens.size), side="right")
    counted = passed < ends.size
    new = np.bincount(passed[counted] * words + tokens[counted], minlength=ends.size * words)
    return new.reshape(ends.size, words).cumsum(axis=0)
