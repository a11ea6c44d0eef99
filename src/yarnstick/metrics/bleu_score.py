"""BLEU of one text against its references (Papineni et al. 2002), equal to sacreBLEU 2's sentence BLEU.

Stories are longer than sentences, but published story scores are "sentence" BLEU of whole stories; HANNA's
column is this function with its defaults.

>>> round(bleu("the cat sat on the mat", bleu_references(["the cat sat on a mat"])), 4)
53.7285
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from yarnstick.metrics.ngram_matches import RankedNgrams, count_matches, rank_ngrams
from yarnstick.text.tokenize_13a import tokenize_13a

Smoothing = Literal["exp", "floor", "add-k", "none"]
Tokenizer = Callable[[str], Sequence[str]]

_DEFAULT_SMOOTHING_VALUE = {"exp": 0.0, "floor": 0.1, "add-k": 1.0, "none": 0.0}


@dataclass(frozen=True, slots=True)
class BleuReferences:
    """The references of one story, counted once for all the stories compared with them."""

    vocabulary: dict[str, int]
    lengths: tuple[int, ...]
    ngrams: RankedNgrams
    tokenize: Tokenizer
    lowercase: bool


@dataclass(frozen=True, slots=True)
class BleuStatistics:
    """What BLEU is computed from; statistics of several stories may be added up for corpus BLEU."""

    matches: tuple[int, ...]
    totals: tuple[int, ...]
    hypothesis_length: int
    reference_length: int


def bleu_references(
    references: Sequence[str], *, order: int = 4, lowercase: bool = False, tokenize: Tokenizer = tokenize_13a
) -> BleuReferences:
    """Tokenise and count the references of one story."""
    if not references:
        raise ValueError("BLEU needs at least one reference")
    vocabulary: dict[str, int] = {}
    coded = []
    for reference in references:
        tokens = tokenize(reference.lower() if lowercase else reference)
        coded.append(np.array([vocabulary.setdefault(t, len(vocabulary)) for t in tokens], dtype=np.int64))
    return BleuReferences(vocabulary, tuple(map(len, coded)), rank_ngrams(coded, order), tokenize, lowercase)


def bleu_statistics(hypothesis: str, references: BleuReferences) -> BleuStatistics:
    """Matches and totals of each order, and the two lengths.

    The reference length is the one nearest to the hypothesis, or the shorter of two equally near.
    """
    tokens = references.tokenize(hypothesis.lower() if references.lowercase else hypothesis)
    known = references.vocabulary.get
    codes = np.array([known(token, -1) for token in tokens], dtype=np.int64)
    length = len(tokens)
    return BleuStatistics(
        matches=tuple(count_matches(codes, references.ngrams)),
        totals=tuple(max(0, length - n) for n in range(len(references.ngrams.keys))),
        hypothesis_length=length,
        reference_length=min(references.lengths, key=lambda other: (abs(other - length), other)),
    )


def bleu_of_statistics(
    statistics: BleuStatistics,
    *,
    smoothing: Smoothing = "exp",
    smoothing_value: float | None = None,
    effective_order: bool = True,
) -> float:
    """BLEU, 0 to 100: brevity penalty times the geometric mean of the precisions (Papineni et al. 2002, 2.3).

    ``smoothing`` says what stands for an order without a match (Chen and Cherry 2014): ``exp`` halves a match
    again with each such order (their method 3), ``floor`` takes ``smoothing_value`` matches (method 1),
    ``add-k`` adds ``smoothing_value`` to matches and totals above order 1 (method 2), ``none`` leaves BLEU 0.
    ``effective_order`` leaves out orders the hypothesis is too short for, else BLEU is 0 there. A text that
    shares no word with its references scores 0 under every smoothing.
    """
    if not any(statistics.matches):
        return 0.0
    value = _DEFAULT_SMOOTHING_VALUE[smoothing] if smoothing_value is None else smoothing_value
    shrink = 1.0
    logs: list[float] = []
    order = len(statistics.matches)
    for n in range(order):
        matched: float = statistics.matches[n]
        total: float = statistics.totals[n]
        if smoothing == "add-k" and n:
            matched += value
            total += value
        if not total:
            break
        if not matched and smoothing == "exp":
            shrink /= 2
            matched = shrink
        elif not matched and smoothing == "floor":
            matched = value
        if not matched:
            return 0.0
        logs.append(math.log(100.0 * matched / total))
    if len(logs) < order and not effective_order:
        return 0.0
    return _brevity_penalty(statistics) * math.exp(sum(logs) / len(logs))


def _brevity_penalty(statistics: BleuStatistics) -> float:
    if statistics.hypothesis_length >= statistics.reference_length:
        return 1.0
    return math.exp(1 - statistics.reference_length / statistics.hypothesis_length)


def bleu(
    hypothesis: str,
    references: BleuReferences,
    *,
    smoothing: Smoothing = "exp",
    smoothing_value: float | None = None,
    effective_order: bool = True,
) -> float:
    """BLEU of one hypothesis, 0 to 100. See ``bleu_of_statistics`` for the settings."""
    return bleu_of_statistics(
        bleu_statistics(hypothesis, references),
        smoothing=smoothing,
        smoothing_value=smoothing_value,
        effective_order=effective_order,
    )
