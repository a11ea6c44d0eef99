"""ROUGE-L and ROUGE-W: how much of a reference lies on common subsequences with the hypothesis.

Texts of one sentence each have one common subsequence. With several sentences, each sentence of the reference
is aligned with every sentence of the hypothesis, and what lies on any of those paths is united (Lin 2004,
section 3.2); a word of the hypothesis is then counted at most as often as it stands there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from yarnstick.metrics.rouge.alignment import SentencePairs, Words, mark_alignments
from yarnstick.metrics.rouge.pairs import Encoded, Ints, Shared

__all__ = ["subsequence_hits"]

# Sentence pairs set up at a time: a text of n sentences makes n * n of them.
_PAIRS = 1 << 18


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text in which a stretch of words that the other text lacks is one word, none at a sentence's start.

    The table's entries for such words only carry along the largest value so far; after the first of them that
    is already done, and the path is led straight through. A third of the table goes, the path stays the same.
    """

    words: Words
    #: where in the text each of these words stands
    positions: Ints
    #: where among these words each sentence begins, and at last where the last one ends
    bounds: Ints

    @classmethod
    def of(cls, text: Encoded, shared: Shared, filler: int) -> _Folded:
        length = text.tokens.size
        words = np.full(length, filler, np.int32)
        words[shared.positions] = shared.words
        follows = np.zeros(length + 1, np.bool_)
        follows[shared.positions + 1] = True
        bounds = np.zeros(len(text.sentences) + 1, np.int64)
        np.cumsum(text.sentences, out=bounds[1:])
        follows[bounds] = False
        kept = follows[:length]
        kept[shared.positions] = True
        positions = np.flatnonzero(kept)
        return cls(words[positions], positions, np.searchsorted(positions, bounds))


def subsequence_hits(
    pairs: Sequence[tuple[Encoded, Encoded]],
    shared: Sequence[tuple[Shared, Shared, int]],
    weight: float | None,
) -> list[float]:
    """Worth of each pair's matches: k in a row are worth k ** weight. No weight is ROUGE-L, which counts them."""
    if not pairs:
        return []
    longest = max(reference.tokens.size for _, reference in pairs)
    weights = [float(k) ** (weight or 1.0) for k in range(longest + 2)]
    folded = [
        (_Folded.of(hypothesis, in_hypothesis, -2), _Folded.of(reference, in_reference, -1))
        for (hypothesis, reference), (in_hypothesis, in_reference, _) in zip(pairs, shared, strict=True)
    ]
    hypotheses = np.concatenate([hypothesis.words for hypothesis, _ in folded])
    references = np.concatenate([reference.words for _, reference in folded])
    marks = bytearray(references.size)
    for sentence_pairs in _sentence_pairs(folded):
        mark_alignments(references, hypotheses, sentence_pairs, weights, marks)
    marked = np.frombuffer(marks, np.bool_)
    hits = []
    begin = 0
    for (_, reference), (_, fold), (in_hypothesis, _, words) in zip(pairs, folded, shared, strict=True):
        on_path = np.flatnonzero(marked[begin : begin + fold.words.size])
        begin += fold.words.size
        budget = np.bincount(in_hypothesis.words, minlength=words)
        if weight is None:
            hits.append(float(np.minimum(np.bincount(fold.words[on_path], minlength=words), budget).sum()))
        else:
            steps = list(zip(fold.positions[on_path].tolist(), fold.words[on_path].tolist(), strict=True))
            hits.append(_worth(steps, reference.sentences, budget.tolist(), weights))
    return hits


def _sentence_pairs(folded: Sequence[tuple[_Folded, _Folded]]) -> Iterator[SentencePairs]:
    """The sentences to align, as places in the texts laid end to end, as many as fit in memory at a time."""
    waiting: list[tuple[Ints, ...]] = []
    count = hypothesis_begin = reference_begin = 0
    for hypothesis, reference in folded:
        for row, length, begins, lengths in _meetings(hypothesis, reference):
            every = np.ones_like(begins)
            waiting.append(((row + reference_begin) * every, length * every, begins + hypothesis_begin, lengths))
            count += begins.size
            if count >= _PAIRS:
                yield SentencePairs(*map(np.concatenate, zip(*waiting, strict=True)))
                waiting, count = [], 0
        hypothesis_begin += hypothesis.words.size
        reference_begin += reference.words.size
    if waiting:
        yield SentencePairs(*map(np.concatenate, zip(*waiting, strict=True)))


def _meetings(hypothesis: _Folded, reference: _Folded) -> Iterator[tuple[int, int, Ints, Ints]]:
    """Each sentence of the reference, and the sentences of the hypothesis it has a word in common with.

    A sentence that the hypothesis repeats is taken once: it would mark the same words again.
    """
    starts, stops = hypothesis.bounds[:-1].tolist(), hypothesis.bounds[1:].tolist()
    different = {
        hypothesis.words[start:stop].tobytes(): (start, stop) for start, stop in zip(starts, stops, strict=True)
    }
    different.pop(b"", None)
    begins, ends = np.array(sorted(different.values()), np.int64).reshape(-1, 2).T
    lengths = ends - begins
    sentences_with: dict[int, list[int]] = {}
    if begins.size > 1:
        for number, (start, stop) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            for word in set(hypothesis.words[start:stop].tolist()):
                sentences_with.setdefault(word, []).append(number)
    bounds = reference.bounds.tolist()
    for row, end in pairwise(bounds):
        if end == row or not begins.size:
            continue
        if begins.size == 1:
            yield row, end - row, begins, lengths
            continue
        met = set().union(*(sentences_with.get(word, ()) for word in reference.words[row:end].tolist()))
        chosen = np.array(sorted(met), np.int64)
        yield row, end - row, begins[chosen], lengths[chosen]


def _worth(
    steps: list[tuple[int, int]], sentences: Sequence[int], budget: list[int], weights: Sequence[float]
) -> float:
    """Sum of the runs' worth, as ROUGE 1.5.5 sums them; a step is a place in the reference and its word.

    A run ends where the next token of the sentence is not on a path. A token whose word the hypothesis has
    used up is passed over; if it is the last of its run, what was counted so far joins the next run of the
    sentence, or is lost at the sentence's end. So the script does, and so its figures are.
    """
    worth = 0.0
    run = 0
    ends = iter(sentences)
    end = 0
    for (position, word), (following, _) in pairwise([*steps, (-1, -1)]):
        while position >= end:
            end += next(ends)
            run = 0
        if budget[word] > 0:
            budget[word] -= 1
            run += 1
            if following != position + 1 or following == end:
                worth += weights[run]
                run = 0
    return worth
