"""BERTScore (Zhang et al. 2020) on token states: every token is held against the most similar one of the other text.

With x the reference's tokens, y the candidate's, and w a weight a token (1, or its rarity):

    R = sum_x w(x) max_y cos(x, y) / sum_x w(x)        P = sum_y w(y) max_x cos(x, y) / sum_y w(y)
    F = 2 P R / (P + R)

Specials ([CLS], [SEP]) have no weight and can still be the most similar one, as in the authors' program.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]

#: similarities held at once: two texts of 20,000 words would fill 2 GB
_BLOCK = 8_000_000


class BertScore(NamedTuple):
    """Precision, recall and F of a candidate against a reference."""

    precision: float
    recall: float
    f: float


@dataclass(slots=True)
class Rarity:
    """In how many of some texts each token occurs."""

    documents: int = 0
    counts: Counter[int] = field(default_factory=Counter)

    def add(self, ids: Iterable[int]) -> None:
        """Take in a text."""
        self.documents += 1
        self.counts.update(set(ids))

    def weights(self, ids: Iterable[int]) -> npt.NDArray[np.float64]:
        """``log((N + 1) / (n + 1))`` a token: none for one that is in every text, the most for one in none."""
        return np.array([math.log((self.documents + 1) / (self.counts[each] + 1)) for each in ids])


def bertscore(candidate: Floats, reference: Floats, candidate_weights: Floats, reference_weights: Floats) -> BertScore:
    """BERTScore of states [n, d] against states [m, d].

    A text without a single token but specials scores 0 on all three; one whose tokens all weigh nothing, NaN.

    >>> turned = np.array([[3.0, 0.0], [0.0, 2.0]])
    >>> bertscore(turned[:1], turned, np.ones(1), np.ones(2))
    BertScore(precision=1.0, recall=0.5, f=0.6666666666666666)
    """
    if not len(candidate_weights) or not len(reference_weights):
        return BertScore(0.0, 0.0, 0.0)
    best_of_candidate, best_of_reference = best_matches(candidate, reference)
    precision = _weighted(best_of_candidate, candidate_weights)
    recall = _weighted(best_of_reference, reference_weights)
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total else 0.0)


def best_matches(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """For each state of either text the highest cosine with one of the other, in blocks of bounded memory."""
    one, other = unit(one), unit(other)
    best_of_one = np.empty(len(one), one.dtype)
    best_of_other = np.full(len(other), -1.0, other.dtype)
    rows = max(1, _BLOCK // max(1, len(other)))
    for start in range(0, len(one), rows):
        similar = one[start : start + rows] @ other.T
        best_of_one[start : start + rows] = similar.max(1)
        np.maximum(best_of_other, similar.max(0), out=best_of_other)
    # Rounding may lift the cosine of a state with itself above one.
    return np.minimum(best_of_one, 1), np.minimum(best_of_other, 1)


def unit(states: Floats) -> Floats:
    """The states at length one; one of no length stays as it is."""
    lengths = np.linalg.norm(states, axis=-1, keepdims=True)
    scaled: Floats = states / np.where(lengths > 0, lengths, 1)
    return scaled


def _weighted(values: Floats, weights: Floats) -> float:
    total = float(weights.sum(dtype=np.float64))
    return float(values.astype(np.float64) @ weights) / total if total > 0 else math.nan
