"""What a hypothesis and a reference have in common, and how much there was to find: one count a variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from yarnstick.metrics.rouge.lcs import lcs_length
from yarnstick.metrics.rouge.ngrams import ngram_hits, ngram_total
from yarnstick.metrics.rouge.pairs import Encoded, Shared, Text, encode, shared_words
from yarnstick.metrics.rouge.skip import skip_bigram_hits, skip_bigram_total
from yarnstick.metrics.rouge.subsequences import subsequence_hits
from yarnstick.metrics.rouge.variants import Variant

__all__ = ["Match", "count_matches"]

_Pairs: TypeAlias = Sequence[tuple[Encoded, Encoded]]
_SharedPairs: TypeAlias = Sequence[tuple[Shared, Shared, int]]


class Match(NamedTuple):
    """Hits, and the most there could be by the reference and by the hypothesis."""

    hits: float
    reference: float
    hypothesis: float
    #: the recall by which the best of several references is chosen
    recall: float


def count_matches(texts: Sequence[tuple[Text, Text]], wanted: Mapping[str, Variant]) -> dict[str, list[Match]]:
    """Count for each (hypothesis, reference); what several variants need is counted once."""
    encoded, vocabulary = encode(text for pair in texts for text in pair)
    pairs = list(zip(encoded[::2], encoded[1::2], strict=True))
    longest = max((variant.n for variant in wanted.values()), default=0)
    grams = ngram_hits(pairs, longest, vocabulary)
    shared: _SharedPairs = []
    if any(variant.kind != "N" for variant in wanted.values()):
        scratch = np.zeros(vocabulary, np.int64)
        shared = [shared_words(hypothesis.tokens, reference.tokens, scratch) for hypothesis, reference in pairs]
    gaps = {variant.gap for variant in wanted.values() if variant.kind in ("S", "SU")}
    skips = {gap: [skip_bigram_hits(*words, gap) for words in shared] for gap in gaps}

    found = {}
    for name, variant in wanted.items():
        match variant.kind:
            case "N":
                found[name] = _ngram_matches(pairs, grams[variant.n - 1].tolist(), variant.n)
            case "S" | "SU":
                found[name] = _skip_matches(pairs, shared, skips[variant.gap], variant)
            case "L":
                found[name] = _longest_matches(pairs, shared)
            case "W":
                found[name] = _weighted_matches(pairs, shared, variant.weight)
    return found


def _ngram_matches(pairs: _Pairs, hits: Sequence[int], n: int) -> list[Match]:
    matches = []
    for (hypothesis, reference), found in zip(pairs, hits, strict=True):
        total = ngram_total(reference.tokens.size, n)
        matches.append(Match(found, total, ngram_total(hypothesis.tokens.size, n), _printed(found, total)))
    return matches


def _skip_matches(pairs: _Pairs, shared: _SharedPairs, skips: Sequence[int], variant: Variant) -> list[Match]:
    matches = []
    for (hypothesis, reference), words, hits in zip(pairs, shared, skips, strict=True):
        of_reference = skip_bigram_total(reference.tokens.size, variant.gap)
        of_hypothesis = skip_bigram_total(hypothesis.tokens.size, variant.gap)
        if variant.kind == "SU":
            hits += _unigram_hits_but_last(hypothesis, reference, words)
            of_reference += max(reference.tokens.size - 1, 0)
            of_hypothesis += max(hypothesis.tokens.size - 1, 0)
        matches.append(Match(hits, of_reference, of_hypothesis, _printed(hits, of_reference)))
    return matches


def _unigram_hits_but_last(hypothesis: Encoded, reference: Encoded, shared: tuple[Shared, Shared, int]) -> int:
    """ROUGE-SU's unigrams.

    The script adds one for each place where a skip-bigram can begin, so a text's last token is left out.
    """
    in_hypothesis, in_reference, words = shared
    counts = [
        np.bincount(text.words[text.positions < length - 1], minlength=words)
        for text, length in ((in_hypothesis, hypothesis.tokens.size), (in_reference, reference.tokens.size))
    ]
    return int(np.minimum(*counts).sum())


def _longest_matches(pairs: _Pairs, shared: _SharedPairs) -> list[Match]:
    hits: dict[int, float] = {}
    several = []
    for index, ((hypothesis, reference), (in_hypothesis, in_reference, words)) in enumerate(
        zip(pairs, shared, strict=True)
    ):
        if len(hypothesis.sentences) > 1 or len(reference.sentences) > 1:
            several.append(index)
        else:
            hits[index] = lcs_length(in_hypothesis.words, in_reference.words, words)
    united = subsequence_hits([pairs[index] for index in several], [shared[index] for index in several], None)
    hits.update(zip(several, united, strict=True))
    return [
        Match(
            hits[index],
            reference.tokens.size,
            hypothesis.tokens.size,
            _ratio(hits[index], reference.tokens.size),
        )
        for index, (hypothesis, reference) in enumerate(pairs)
    ]


def _weighted_matches(pairs: _Pairs, shared: _SharedPairs, weight: float) -> list[Match]:
    matches = []
    for (hypothesis, reference), hits in zip(pairs, subsequence_hits(pairs, shared, weight), strict=True):
        total = 0.0
        for length in reference.sentences:
            total += float(length) ** weight
        # The script weights the reference's total a second time, and so do its figures: a story of one
        # sentence of m words, held to itself, has recall m ** (1 - weight), not 1.
        matches.append(
            Match(
                hits,
                total**weight,
                float(hypothesis.tokens.size) ** weight,
                _ratio(hits, total) ** (1 / weight),
            )
        )
    return matches


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _printed(hits: int, total: int) -> float:
    """Recall as the script compares references by it: for n-grams and skip-bigrams, to five decimals."""
    return float(f"{_ratio(hits, total):.5f}")
