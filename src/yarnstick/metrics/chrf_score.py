"""chrF and chrF++: F-score of character (and word) n-grams (Popović 2015, 2017).

Equal to sacreBLEU 2's figures. HANNA's column is sacreBLEU 1's, which is the same formula with ``beta=3`` and
``whitespace=True``, of texts that each still had the newline at the end of their line.

>>> round(chrf("the cat sat", chrf_reference("the cat sat down")), 4)
66.0176
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yarnstick.metrics.ngram_matches import Codes, RankedNgrams, count_matches, rank_ngrams

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@dataclass(frozen=True, slots=True)
class ChrfReference:
    """One reference's n-grams, counted once for all stories compared with it, and how they were counted."""

    char_order: int
    word_order: int
    whitespace: bool
    lowercase: bool
    characters: int
    ngrams: RankedNgrams
    word_ngrams: tuple[Counter[tuple[str, ...]], ...]


def _characters(text: str, whitespace: bool) -> Codes:
    if not whitespace:
        text = "".join(text.split())
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)


def _chrf_words(text: str) -> list[str]:
    """Words with one punctuation mark cut off, at the end if there is one, else at the start (chrF++.py)."""
    found: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            found += (word[:-1], word[-1])
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            found += (word[0], word[1:])
        else:
            found.append(word)
    return found


def _word_ngrams(text: str, order: int) -> tuple[Counter[tuple[str, ...]], ...]:
    if not order:
        return ()
    tokens = _chrf_words(text)
    return tuple(Counter(zip(*(tokens[i:] for i in range(n)), strict=False)) for n in range(1, order + 1))


def chrf_reference(
    reference: str,
    *,
    char_order: int = 6,
    word_order: int = 0,
    whitespace: bool = False,
    lowercase: bool = False,
) -> ChrfReference:
    """Count the reference's n-grams. ``word_order=2`` makes it chrF++."""
    if lowercase:
        reference = reference.lower()
    codes = _characters(reference, whitespace)
    return ChrfReference(
        char_order=char_order,
        word_order=word_order,
        whitespace=whitespace,
        lowercase=lowercase,
        characters=len(codes),
        ngrams=rank_ngrams([codes], char_order),
        word_ngrams=_word_ngrams(reference, word_order),
    )


def _f_score(statistics: Sequence[tuple[int, int, int]], beta: float, eps_smoothing: bool) -> float:
    """chrF of (hypothesis n-grams, reference n-grams, matches) of each order, 0 to 100.

    chrF = (1 + beta^2) P R / (beta^2 P + R) with P and R averaged over the orders both texts are long enough
    for (Popović 2015, eq. 1). With ``eps_smoothing`` the F-scores are averaged instead, over all the orders.
    """
    square = beta * beta
    if eps_smoothing:
        epsilon = 1e-16
        total = 0.0
        for hypothesis, reference, matched in statistics:
            precision = matched / hypothesis if hypothesis else epsilon
            recall = matched / reference if reference else epsilon
            weighted = square * precision + recall
            total += (1 + square) * precision * recall / weighted if weighted > 0 else epsilon
        return 100 * total / len(statistics)
    usable = [(h, r, m) for h, r, m in statistics if h and r]
    if not usable:
        return 0.0
    precision = sum(m / h for h, _, m in usable) / len(usable)
    recall = sum(m / r for _, r, m in usable) / len(usable)
    if not precision + recall:
        return 0.0
    return 100 * (1 + square) * precision * recall / (square * precision + recall)


def _statistics(codes: Codes, hypothesis: str, reference: ChrfReference) -> list[tuple[int, int, int]]:
    statistics: list[tuple[int, int, int]] = []
    for n, matched in enumerate(count_matches(codes, reference.ngrams), start=1):
        in_reference = max(0, reference.characters - n + 1)
        # An order the reference is too short for says nothing about the hypothesis.
        in_hypothesis = max(0, len(codes) - n + 1) if in_reference else 0
        statistics.append((in_hypothesis, in_reference, matched))
    if reference.word_order:
        mine = _word_ngrams(hypothesis, reference.word_order)
        for own, theirs in zip(mine, reference.word_ngrams, strict=True):
            matched = sum(min(count, theirs[ngram]) for ngram, count in own.items() if ngram in theirs)
            statistics.append((own.total() if theirs else 0, theirs.total(), matched))
    return statistics


def chrf(
    hypothesis: str,
    references: ChrfReference | Sequence[ChrfReference],
    *,
    beta: float = 2.0,
    eps_smoothing: bool = False,
) -> float:
    """chrF of a hypothesis, 0 to 100; of several references, that of the nearest. Empty texts score 0."""
    several = [references] if isinstance(references, ChrfReference) else references
    best = 0.0
    codes_of: dict[tuple[bool, bool], tuple[str, Codes]] = {}
    for reference in several:
        treatment = (reference.lowercase, reference.whitespace)
        if treatment not in codes_of:
            treated = hypothesis.lower() if reference.lowercase else hypothesis
            codes_of[treatment] = (treated, _characters(treated, reference.whitespace))
        treated, codes = codes_of[treatment]
        best = max(best, _f_score(_statistics(codes, treated, reference), beta, eps_smoothing))
    return best
