"""The people of a story: whose names stand where."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from yarnstick.text.names import COMMON_NAMES, Kind, also_words, name_list

_CAPITALISED = re.compile(r"(?<![\w.])[A-Z][a-z]+(?![\w-])|\[(?:MALE|FEMALE|NEUTRAL)\]")
_SENTENCE_END = frozenset('.!?"“\n')


@lru_cache(maxsize=1 << 13)
def names_in(text: str) -> tuple[tuple[int, int, str], ...]:
    """Where first names stand, and whose: MALE, FEMALE or NEUTRAL.

    A name that is also a word counts inside a sentence only.

    >>> names_in("Will saw Anna. Anna saw Will.")
    ((9, 13, 'FEMALE'), (15, 19, 'FEMALE'), (24, 28, 'MALE'))
    """
    known, doubtful = name_list(), also_words()
    found = []
    for match in _CAPITALISED.finditer(text):
        word = match[0]
        if word[0] == "[":
            found.append((match.start(), match.end(), word[1:-1]))
            continue
        kind = known.get(word.lower())
        if kind is None:
            continue
        before = text[: match.start()].rstrip()[-1:]
        if word.lower() in doubtful and (not before or before in _SENTENCE_END):
            continue
        found.append((match.start(), match.end(), kind))
    return tuple(found)


def cast(text: str) -> dict[str, str]:
    """The names of a text and whose they are, in the order in which they come."""
    return {text[start:end]: kind for start, end, kind in names_in(text)}


def adopt(sentence: str, story: str, rng: Random) -> str:
    """The sentence with the names of the story's people instead of its own, as far as they go."""
    mentions = names_in(sentence)
    if not mentions:
        return sentence
    people = cast(story)
    left = [name for name in people if name not in sentence]
    given: dict[str, str] = {}
    for start, end, kind in mentions:
        name = sentence[start:end]
        if name in given or name in people:
            continue
        fitting = [other for other in left if people[other] == kind] or left
        if fitting:
            given[name] = fitting[int(rng.random() * len(fitting))]
            left.remove(given[name])
    for start, end, _ in reversed(mentions):
        new = given.get(sentence[start:end])
        if new:
            sentence = sentence[:start] + new + sentence[end:]
    return sentence


def stranger(kind: str, known: dict[str, str], rng: Random) -> str:
    """A common name that the story does not have."""
    wanted: Kind = kind  # type: ignore[assignment]
    names = [name for name in COMMON_NAMES[wanted] if name not in known]
    return names[int(rng.random() * len(names))]
