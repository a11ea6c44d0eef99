"""N-grams a hypothesis shares with its reference, for many pairs at once.

An n-gram of the hypothesis can only match if its first n - 1 words already did. So n-grams are followed as a
tree: a place in a hypothesis that matched an n-gram of the reference is tried for n + 1, and most places
fall away at once. Every number here is a count, so neither the other pairs nor their order can change one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yarnstick.metrics.rouge.pairs import Encoded, Ints

__all__ = ["ngram_hits", "ngram_total"]


@dataclass(frozen=True, slots=True)
class _Laid:
    """Texts end to end: their tokens, and for each token the text it is of and where that text ends."""

    tokens: Ints
    text: Ints
    end: Ints

    @classmethod
    def of(cls, texts: Sequence[Encoded]) -> _Laid:
        lengths = np.array([text.tokens.size for text in texts], np.int64)
        ends = np.cumsum(lengths)
        tokens = np.concatenate([text.tokens for text in texts])
        return cls(tokens, np.repeat(np.arange(lengths.size), lengths), np.repeat(ends, lengths))


def ngram_total(length: int, n: int) -> int:
    """Number of n-grams in a text of so many tokens."""
    return max(length - n + 1, 0)


def ngram_hits(pairs: Sequence[tuple[Encoded, Encoded]], longest: int, vocabulary: int) -> list[Ints]:
    """Clipped matches of each (hypothesis, reference) pair, for n = 1, 2, ... ``longest``."""
    references = {id(reference): reference for _, reference in pairs}
    number = {key: row for row, key in enumerate(references)}
    hypotheses = _Laid.of([hypothesis for hypothesis, _ in pairs])
    laid = _Laid.of(list(references.values()))
    reference_of = np.array([number[id(reference)] for _, reference in pairs], np.int64)

    # Places where an n-gram begins, and which. "0-grams" are the references themselves: so n = 1 is a step
    # like the others, and an n-gram is never mistaken for another reference's.
    reference_at, reference_gram = np.arange(laid.tokens.size), laid.text
    at, gram = np.arange(hypotheses.tokens.size), reference_of[hypotheses.text]
    hits = []
    for n in range(1, longest + 1):
        fits = reference_at + n <= laid.end[reference_at]
        reference_at = reference_at[fits]
        codes = reference_gram[fits] * vocabulary + laid.tokens[reference_at + n - 1]
        grams, reference_gram, counts = np.unique(codes, return_inverse=True, return_counts=True)

        fits = at + n <= hypotheses.end[at]
        at = at[fits]
        codes = gram[fits] * vocabulary + hypotheses.tokens[at + n - 1]
        found = np.minimum(np.searchsorted(grams, codes), max(grams.size - 1, 0))
        matched = grams[found] == codes if grams.size else np.zeros(0, np.bool_)
        at, gram = at[matched], found[matched]
        hits.append(_clipped(hypotheses.text[at], gram, counts, len(pairs)))
    return hits


def _clipped(pair: Ints, gram: Ints, counts: Ints, pairs: int) -> Ints:
    """Sum over a pair's n-grams of the smaller of the hypothesis' count and the reference's."""
    keys, found = np.unique(pair * max(counts.size, 1) + gram, return_counts=True)
    pair, gram = np.divmod(keys, max(counts.size, 1))
    clipped = np.minimum(found, counts[gram])
    sums = np.zeros(pairs, np.int64)
    np.add.at(sums, pair, clipped)
    return sums
