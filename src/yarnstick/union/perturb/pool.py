"""The other stories: sentences to put where they do not belong, and how often people use which word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from yarnstick.errors import InputError
from yarnstick.text.parts_of_speech import Drawer, drawers, readings
from yarnstick.text.sentences import sentences
from yarnstick.text.tagging import words_of
from yarnstick.union.perturb.keywords import content_words

#: so many characters of stories are counted and indexed: more says nothing new about common words
_CHARACTERS = 1_500_000
#: a word's drawer needs so many different words, or ours takes its place
_FEWEST_WORDS = 8
_TRIES = 12


class Pool:
    """Stories to draw sentences and words from. Cheap to make: what few recipes need is worked out when asked for."""

    def __init__(self, stories: Sequence[str], seed: int = 0) -> None:
        if not stories:
            raise InputError("there are no stories to draw sentences from", remedy="give at least two")
        self.stories = tuple(stories)
        self.seed = seed
        self._cut: dict[int, list[str]] = {}
        self._drawers: dict[str, Drawer] | None = None
        self._about: dict[str, list[str]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Pool, (self.stories, self.seed)

    def sentence(self, rng: Random, story: str) -> str | None:
        """A sentence of another story; None where there is none."""
        stories = self.stories
        for _ in range(_TRIES):
            others = self._sentences(int(rng.random() * len(stories)))
            if others:
                sentence = others[int(rng.random() * len(others))]
                if sentence not in story:
                    return sentence
        return None

    def ending(self, rng: Random, story: str, count: int = 1) -> list[str]:
        """The last sentences of another story; none where there is none."""
        for _ in range(_TRIES):
            others = self._sentences(int(rng.random() * len(self.stories)))
            if others and others[-1] not in story:
                return others[-count:]
        return []

    def related(self, rng: Random, story: str, words: Sequence[str]) -> str | None:
        """A sentence of another story that has one of the ``words`` (nouns, in small letters) in it."""
        about = self._index()
        known = [word for word in words if word in about]
        for _ in range(_TRIES if known else 0):
            sentences_about = about[known[int(rng.random() * len(known))]]
            sentence = sentences_about[int(rng.random() * len(sentences_about))]
            if sentence not in story:
                return sentence
        return None

    def word(self, rng: Random, tag: str) -> str | None:
        """A word of a part of speech, drawn by how often people use it."""
        if self._drawers is None:
            self._drawers = self._counted()
        drawer = self._drawers.get(tag)
        return drawer.draw(rng.random) if drawer else None

    def _sentences(self, story: int) -> list[str]:
        found = self._cut.get(story)
        if found is None:
            if len(self._cut) > 1 << 15:
                self._cut.clear()
            found = self._cut[story] = sentences(self.stories[story])
        return found

    def _some(self) -> list[int]:
        """The numbers of stories in a random order, as many as are worth counting."""
        order = list(range(len(self.stories)))
        Random(self.seed).shuffle(order)
        chosen, characters = [], 0
        for story in order:
            chosen.append(story)
            characters += len(self.stories[story])
            if characters > _CHARACTERS:
                break
        return chosen

    def _counted(self) -> dict[str, Drawer]:
        counts: Counter[str] = Counter()
        for story in self._some():
            counts.update(words_of(self.stories[story]).small)
        content, known = content_words(), readings()
        weights: dict[str, dict[str, float]] = {}
        # A word counts as what it is first of all: which of its meanings each of them has is not worth the time.
        for word in sorted(content & counts.keys()):
            weights.setdefault(known[word][0].tag, {})[word] = counts[word]
        ours = drawers()
        return {
            **ours,
            **{tag: Drawer(of_tag) for tag, of_tag in weights.items() if len(of_tag) >= _FEWEST_WORDS},
        }

    def _index(self) -> dict[str, list[str]]:
        if self._about is None:
            content, known = content_words(), readings()
            nouns = {word for word in content if known[word][0].tag in ("NN", "NNS")}
            about: dict[str, list[str]] = {}
            for story in self._some():
                for sentence in self._sentences(story):
                    for word in nouns.intersection(words_of(sentence).small):
                        about.setdefault(word, []).append(sentence)
            self._about = about
        return self._about
