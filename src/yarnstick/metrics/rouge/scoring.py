"""ROUGE 1.5.5, every variant of it, equal to the Perl script and some hundred times as fast.

Reading order: ``tokens`` (text to words), ``variants`` (names), ``pairs`` (words to numbers), then what is
counted: ``ngrams``, ``skip``, ``lcs``, ``alignment`` and ``subsequences``, brought together in ``matches``;
here, how counts become scores.

C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", 2004.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from yarnstick.errors import MetricError
from yarnstick.metrics.rouge.matches import Match, count_matches
from yarnstick.metrics.rouge.pairs import Text
from yarnstick.metrics.rouge.variants import ROUGE_VARIANTS, parse_variant

__all__ = ["MultiReference", "rouge_scores"]

MultiReference: TypeAlias = Literal["average", "best"]

# Tokens of the pairs counted together: enough for NumPy to be quick, few enough for some tens of megabytes.
_CHUNK = 1 << 19


def rouge_scores(
    hypotheses: Sequence[Text],
    references: Sequence[Sequence[Text]],
    variants: Sequence[str] = ROUGE_VARIANTS,
    *,
    multi_reference: MultiReference = "average",
    alpha: float = 0.5,
    as_printed: bool = False,
) -> dict[str, NDArray[np.float64]]:
    """Recall, precision and F of each hypothesis: for each variant an array [hypothesis, 3].

    A text is a list of sentences, a sentence a list of tokens (see ``rouge_tokens``); each hypothesis has one
    or more references. ``multi_reference`` is the script's ``-f``: "average" (its default) adds up matches
    and totals over the references, "best" takes the reference with the highest recall, the first of equals.
    ``alpha`` near 1 makes F favour precision. ``as_printed`` rounds to five decimals where the script does: F
    is then the F of the rounded recall and precision, as far as .00002 from the exact one.

    >>> police = [["police", "killed", "the", "gunman"]]
    >>> gunman = [["the", "gunman", "police", "killed"]]
    >>> for name, scores in rouge_scores([gunman], [[police]], ["ROUGE-1", "ROUGE-L"]).items():
    ...     print(name, scores.tolist())
    ROUGE-1 [[1.0, 1.0, 1.0]]
    ROUGE-L [[0.5, 0.5, 0.5]]
    """
    _check(hypotheses, references, multi_reference, alpha)
    wanted = {name: parse_variant(name) for name in variants}
    pairs = ((text, reference) for text, row in zip(hypotheses, references, strict=True) for reference in row)
    matches: dict[str, list[Match]] = {name: [] for name in wanted}
    for chunk in _chunks(pairs):
        for name, found in count_matches(chunk, wanted).items():
            matches[name].extend(found)
    scores = {name: np.zeros((len(hypotheses), 3)) for name in wanted}
    for name, variant in wanted.items():
        of_variant = iter(matches[name])
        for row, texts in enumerate(references):
            match = _join([next(of_variant) for _ in texts], multi_reference)
            scores[name][row] = _score(match, variant.weight, alpha, as_printed)
    return scores


def _check(
    hypotheses: Sequence[Text], references: Sequence[Sequence[Text]], multi_reference: str, alpha: float
) -> None:
    if len(hypotheses) != len(references):
        raise MetricError(f"ROUGE was given {len(hypotheses)} hypotheses but references for {len(references)}")
    if multi_reference not in ("average", "best"):
        raise MetricError(f"ROUGE cannot join references by {multi_reference!r}", remedy="average or best")
    if not 0.0 <= alpha <= 1.0:
        raise MetricError(f"ROUGE's alpha is {alpha}", remedy="give one from 0 (recall) to 1 (precision)")
    for index, texts in enumerate(references):
        if not texts:
            raise MetricError(f"hypothesis {index} has no reference", remedy="ROUGE needs at least one")


def _chunks(pairs: Iterable[tuple[Text, Text]]) -> Iterator[list[tuple[Text, Text]]]:
    chunk: list[tuple[Text, Text]] = []
    size = 0
    for pair in pairs:
        chunk.append(pair)
        size += sum(len(sentence) for text in pair for sentence in text)
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _join(matches: Sequence[Match], multi_reference: MultiReference) -> Match:
    if multi_reference == "best":
        return max(matches, key=lambda match: match.recall)
    total = matches[0]
    for match in matches[1:]:
        total = Match(*(mine + other for mine, other in zip(total, match, strict=True)))
    return total


def _score(match: Match, weight: float, alpha: float, as_printed: bool) -> tuple[float, float, float]:
    """Lin 2004, eqs. 2-4 (and 13-15 with f(k) = k ** weight, whose inverse is the root)."""
    recall, precision = (
        (match.hits / total) ** (1 / weight) if total else 0.0 for total in (match.reference, match.hypothesis)
    )
    if as_printed:
        recall, precision = _five_decimals(recall), _five_decimals(precision)
    balance = (1 - alpha) * precision + alpha * recall
    f = precision * recall / balance if balance > 0 else 0.0
    return recall, precision, _five_decimals(f) if as_printed else f


def _five_decimals(score: float) -> float:
    return float(f"{score:.5f}")
