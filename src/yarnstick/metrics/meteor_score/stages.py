"""METEOR's matching stages: which words and phrases of a story may match which of the reference.

Each stage offers matches without regard to the others; the search of ``alignment.py`` chooses among them. The
order in which matches are offered breaks ties there, and is METEOR's: by stage, then by place in the story.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from yarnstick.metrics.meteor_score.paraphrases import ParaphraseTable
from yarnstick.metrics.meteor_score.prepared import PreparedText
from yarnstick.metrics.meteor_score.resources import MeteorResources
from yarnstick.text.porter2 import stem

Stage = Literal["exact", "stem", "synonym", "paraphrase"]
STAGES: tuple[Stage, ...] = get_args(Stage)

IntArray = npt.NDArray[np.int64]
#: a word to the numbers of the groups of synonyms that it belongs to
GroupsOfWord = Callable[[str], frozenset[int]]


class Match(NamedTuple):
    """Words of the story that match words of the reference, found by ``stage`` (its number in the list asked for)."""

    story_start: int
    story_length: int
    reference_start: int
    reference_length: int
    stage: int


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """All matches that begin at one place of the reference, in columns."""

    story_starts: IntArray
    story_lengths: IntArray
    reference_lengths: IntArray
    stages: IntArray
    longest_in_story: int = 1
    longest_in_reference: int = 1

    def __len__(self) -> int:
        return len(self.story_starts)

    def only(self, columns: IntArray) -> Candidates:
        """Some of them."""
        return replace(
            self,
            story_starts=self.story_starts[columns],
            story_lengths=self.story_lengths[columns],
            reference_lengths=self.reference_lengths[columns],
            stages=self.stages[columns],
        )

    def match(self, column: int, reference_start: int) -> Match:
        """One of them as a match."""
        return Match(
            int(self.story_starts[column]),
            int(self.story_lengths[column]),
            reference_start,
            int(self.reference_lengths[column]),
            int(self.stages[column]),
        )


def find_candidates(
    story: PreparedText,
    reference: PreparedText,
    stages: Sequence[Stage],
    groups_of: GroupsOfWord,
    resources: MeteorResources,
) -> list[Candidates | None]:
    """The candidates of each place of the reference; ``None`` where there are none."""
    # The same word has the same one-word matches wherever it stands.
    pairs_of_word: dict[str, list[tuple[int, int]]] = {word: [] for word in reference.places_of_word}
    for number, stage in enumerate(stages):
        if stage == "exact":
            _add(pairs_of_word, number, story, ((word, (word,)) for word in pairs_of_word))
        elif stage == "stem":
            _add(pairs_of_word, number, story, _same_stem(story, pairs_of_word))
        elif stage == "synonym":
            _add(pairs_of_word, number, story, _same_group(story, pairs_of_word, groups_of))
    of_word = {word: _one_word_candidates(pairs) for word, pairs in pairs_of_word.items()}
    candidates = [of_word[word] for word in reference.words]
    if "paraphrase" in stages:
        phrase_matches = _paraphrase_matches(story, reference, stages.index("paraphrase"), resources.paraphrases)
        for place, matches in phrase_matches.items():
            candidates[place] = _with_matches(candidates[place], matches)
    return candidates


def _add(
    pairs_of_word: dict[str, list[tuple[int, int]]],
    number: int,
    story: PreparedText,
    matches: Iterable[tuple[str, Iterable[str]]],
) -> None:
    for reference_word, story_words in matches:
        places = [place for story_word in story_words for place in story.places_of_word.get(story_word, ())]
        places.sort()
        pairs_of_word[reference_word].extend((place, number) for place in places)


def _same_stem(story: PreparedText, words: Iterable[str]) -> Iterable[tuple[str, Iterable[str]]]:
    for word in words:
        yield word, [other for other in story.words_of_stem.get(stem(word), ()) if other != word]


def _same_group(
    story: PreparedText, words: Iterable[str], groups_of: GroupsOfWord
) -> Iterable[tuple[str, Iterable[str]]]:
    words_of_group: dict[int, list[str]] = {}
    for word in story.places_of_word:
        for group in groups_of(word):
            words_of_group.setdefault(group, []).append(word)
    for word in words:
        shared = {other for group in groups_of(word) for other in words_of_group.get(group, ())}
        yield word, shared - {word}


def _one_word_candidates(pairs: list[tuple[int, int]]) -> Candidates | None:
    if not pairs:
        return None
    starts, stages = np.array(pairs, dtype=np.int64).T
    ones = np.ones(len(pairs), dtype=np.int64)
    return Candidates(np.ascontiguousarray(starts), ones, ones, stages)


def _paraphrase_matches(
    story: PreparedText, reference: PreparedText, number: int, table: ParaphraseTable
) -> dict[int, list[Match]]:
    """Paraphrases of the reference's phrases in the story, then of the story's phrases in the reference.

    A pair that the table holds both ways is offered twice, as METEOR does.
    """
    in_story = table.phrases_in(story.words)
    in_reference = table.phrases_in(reference.words)
    matches: dict[int, list[Match]] = {}
    for start, length, other_start, other_length in _paired(in_reference, in_story, table):
        matches.setdefault(start, []).append(Match(other_start, other_length, start, length, number))
    for start, length, other_start, other_length in _paired(in_story, in_reference, table):
        matches.setdefault(other_start, []).append(Match(start, length, other_start, other_length, number))
    return matches


def _paired(
    phrases: list[tuple[int, int, int]], others: list[tuple[int, int, int]], table: ParaphraseTable
) -> Iterable[tuple[int, int, int, int]]:
    """Each of ``phrases`` with each paraphrase of it among ``others``."""
    places: dict[int, list[tuple[int, int]]] = {}
    for start, length, phrase in others:
        places.setdefault(phrase, []).append((start, length))
    present = np.zeros(len(table.hashes), dtype=np.bool_)
    present[list(places)] = True
    met: dict[int, list[int]] = {}
    for start, length, phrase in phrases:
        if phrase not in met:
            paraphrases = table.of(phrase)
            met[phrase] = paraphrases[present[paraphrases]].tolist()
        for paraphrase in met[phrase]:
            for other_start, other_length in places[paraphrase]:
                yield start, length, other_start, other_length


def _with_matches(candidates: Candidates | None, matches: list[Match]) -> Candidates:
    starts, lengths, _, reference_lengths, stages = np.array(matches, dtype=np.int64).T
    if candidates is not None:
        starts = np.concatenate((candidates.story_starts, starts))
        lengths = np.concatenate((candidates.story_lengths, lengths))
        reference_lengths = np.concatenate((candidates.reference_lengths, reference_lengths))
        stages = np.concatenate((candidates.stages, stages))
    longest = int(lengths.max()), int(reference_lengths.max())
    return Candidates(starts, lengths, reference_lengths, stages, *longest)
