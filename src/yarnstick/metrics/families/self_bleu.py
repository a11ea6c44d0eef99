"""How alike the stories of one system are."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from yarnstick.features import Batch
from yarnstick.metrics.bleu_score import BleuStatistics, bleu_of_statistics
from yarnstick.metrics.card import Column
from yarnstick.metrics.option_checks import at_least, checks
from yarnstick.metrics.registry import metric
from yarnstick.text.tokenize_13a import tokenize_13a

Ngram = tuple[str, ...]


@dataclass(slots=True)
class SystemStories:
    """What self-BLEU must know of all of a system's stories, in one pass and without comparing pairs.

    Clipping against "all other stories" only asks for the largest count of an n-gram among them: the largest
    over all, or the second largest where the story itself holds the largest.
    """

    largest: dict[Ngram, int] = field(default_factory=dict)
    second: dict[Ngram, int] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)

    def add(self, counts: Counter[Ngram], length: int) -> None:
        """Take in a story."""
        for ngram, count in counts.items():
            largest = self.largest.get(ngram, 0)
            if count > largest:
                self.largest[ngram] = count
                count = largest
            if count > self.second.get(ngram, 0):
                self.second[ngram] = count
        self.lengths.append(length)

    def settle(self) -> None:
        """Once all are in: forget the n-grams of one story only, which are most and can match nothing."""
        self.largest = {ngram: self.largest[ngram] for ngram in self.second}
        self.lengths.sort()

    def others_largest(self, ngram: Ngram, own: int) -> int:
        """The largest count among the other stories; ``own`` is this story's."""
        largest = self.largest.get(ngram, 0)
        return self.second.get(ngram, 0) if own == largest else largest

    def others_nearest_length(self, own: int) -> int:
        """The length nearest to ``own`` among the other stories, the shorter of two equally near."""
        place = bisect.bisect_left(self.lengths, own)
        others = [*self.lengths[max(place - 1, 0) : place], *self.lengths[place + 1 : place + 2]]
        return min(others, key=lambda length: (abs(length - own), length))


def _all_stories(batches: Iterable[Batch], *, order: int = 4) -> dict[str, SystemStories]:
    systems: dict[str, SystemStories] = {}
    for batch in batches:
        for story, system in zip(batch.stories, batch.systems, strict=True):
            tokens = tokenize_13a(story)
            systems.setdefault(system, SystemStories()).add(ngram_counts(tokens, order), len(tokens))
    for held in systems.values():
        held.settle()
    return systems


def ngram_counts(tokens: Sequence[str], order: int) -> Counter[Ngram]:
    """All n-grams up to ``order`` with their counts."""
    counts: Counter[Ngram] = Counter()
    for n in range(1, order + 1):
        counts.update(zip(*(tokens[start:] for start in range(n)), strict=False))
    return counts


@metric(
    name="self-bleu",
    family="diversity",
    columns=[
        Column(
            "Self-BLEU",
            "lower",
            0,
            100,
            "BLEU of a story with all other stories of its system as references.",
        )
    ],
    cost="moderate",
    paper="Zhu et al. 2018 (Texygen)",
    prepare=_all_stories,
    undefined="the only story of its system",
    option_help={"order": "the longest n-grams"},
    check=checks(order=at_least(1)),
    caveat="Says how alike a system's stories are, not how good. Grows with the number of stories, so compare systems "
    "with equally many. Memory grows with the system's distinct n-grams.",
)
def self_bleu(batch: Batch, *, order: int = 4) -> list[float]:
    """BLEU against the other stories of the same system."""
    systems: dict[str, SystemStories] = batch.corpus
    scores = []
    for tokens, name in zip(batch.each(tokenize_13a, batch.stories), batch.systems, strict=True):
        system = systems[name]
        if len(system.lengths) < 2:
            scores.append(float("nan"))
            continue
        matches = [0] * order
        for ngram, count in ngram_counts(tokens, order).items():
            matches[len(ngram) - 1] += min(count, system.others_largest(ngram, count))
        statistics = BleuStatistics(
            matches=tuple(matches),
            totals=tuple(max(len(tokens) - n, 0) for n in range(order)),
            hypothesis_length=len(tokens),
            reference_length=system.others_nearest_length(len(tokens)),
        )
        scores.append(bleu_of_statistics(statistics))
    return scores
