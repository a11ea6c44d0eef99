"""ROUGE-WE: n-grams count as shared in the measure that their words mean the same (after Ng and Abrecht 2015).

An n-gram's vector is the mean of its words' vectors, or their product element by element as in that paper. Each n-gram
of one text finds the nearest of the other by cosine; below the threshold nothing is shared, above it

    recall = sum over g of the reference  s(g) min(count of g, count of its nearest) / number of n-grams      (1)

and precision is the same from the story's side, so neither can exceed 1. With no two words alike this is ROUGE-N.
A word without a vector is like itself and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from yarnstick.metrics.embedding.transport import Floats, unit_rows

Ngram: TypeAlias = tuple[str, ...]
Compose: TypeAlias = Literal["mean", "product"]
THRESHOLD = 0.8
_AT_ONCE = 4_000_000


def rouge_we(
    story: Sequence[str],
    reference: Sequence[str],
    vectors: Mapping[str, NDArray[Any]],
    n: int = 1,
    *,
    threshold: float = THRESHOLD,
    compose: Compose = "mean",
) -> tuple[float, float, float]:
    """Recall, precision and F of two texts' words; 0 where a text is shorter than n words, as in ROUGE."""
    ours, theirs = _ngrams(story, n), _ngrams(reference, n)
    if not ours or not theirs:
        return 0.0, 0.0, 0.0
    cosine = _Nearest(ours, theirs, vectors, compose)
    recall = cosine.shared(theirs, ours, threshold) / theirs.total()
    precision = cosine.shared(ours, theirs, threshold) / ours.total()
    return recall, precision, 2 * recall * precision / (recall + precision) if recall + precision else 0.0


class _Nearest:
    """The vectors of two texts' n-grams, and who is nearest to whom."""

    def __init__(
        self, ours: Counter[Ngram], theirs: Counter[Ngram], vectors: Mapping[str, NDArray[Any]], compose: Compose
    ) -> None:
        self.points = {
            ngram: _compose([vectors[word] for word in ngram], compose)
            for ngram in ours | theirs
            if all(word in vectors for word in ngram)
        }

    def shared(self, these: Counter[Ngram], those: Counter[Ngram], threshold: float) -> float:
        """The numerator of (1)."""
        same = these & those
        total = float(sum(same.values()))
        # in an order that does not depend on how the texts came by their n-grams
        left = sorted(ngram for ngram in these if ngram not in same and ngram in self.points)
        right = sorted(ngram for ngram in those if ngram in self.points)
        if not left or not right:
            return total
        targets = np.array([self.points[ngram] for ngram in right])
        counts = np.array([those[ngram] for ngram in right])
        block = max(1, _AT_ONCE // len(right))
        for start in range(0, len(left), block):
            part = left[start : start + block]
            cosines = np.array([self.points[ngram] for ngram in part]) @ targets.T
            nearest = cosines.argmax(axis=1)
            best = np.minimum(cosines[np.arange(len(part)), nearest], 1.0)
            numbers = np.minimum([these[ngram] for ngram in part], counts[nearest])
            total += float((best * numbers)[best >= threshold].sum())
        return total


def _ngrams(words: Sequence[str], n: int) -> Counter[Ngram]:
    return Counter(zip(*(words[place:] for place in range(n)), strict=False))


def _compose(vectors: Sequence[NDArray[Any]], compose: Compose) -> Floats:
    stacked = np.asarray(vectors, dtype=np.float64)
    return unit_rows(stacked.mean(0) if compose == "mean" else stacked.prod(0))
