"""Novelty and repetition of a story's n-grams, as SummEval defines them (Fabbri et al. 2021).

Both count distinct n-grams, case kept: how many are not in the source, and how many come more than once.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

Ngram = tuple[str, ...]


def _ngrams(tokens: Sequence[str], n: int) -> Iterable[Ngram]:
    return zip(*(tokens[i:] for i in range(n)), strict=False)


def distinct_ngrams(tokens: Sequence[str], n: int) -> frozenset[Ngram]:
    """The distinct n-grams; of a prompt, worth keeping for all the stories written to it."""
    return frozenset(_ngrams(tokens, n))


def novelty(tokens: Sequence[str], source: Sequence[str] | frozenset[Ngram], n: int) -> float:
    """Share of the story's distinct n-grams that are not in the source; 0 for a story shorter than n tokens.

    The source is given as tokens, or as their ``distinct_ngrams`` of the same n.
    """
    mine = set(_ngrams(tokens, n))
    if not mine:
        return 0.0
    theirs = source if isinstance(source, frozenset) else distinct_ngrams(source, n)
    return (len(mine) - len(mine & theirs)) / len(mine)


def repetition(tokens: Sequence[str], n: int) -> float:
    """Share of the story's distinct n-grams that come more than once; 0 for a story shorter than n tokens."""
    counts = Counter(_ngrams(tokens, n))
    if not counts:
        return 0.0
    return sum(count > 1 for count in counts.values()) / len(counts)
