"""The people of a story: whose names stand where."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from random import Random

from yarnstick.text.listed import listed
from yarnstick.text.names import COMMON_NAMES, Kind, also_words, name_list
from yarnstick.text.parts_of_speech import readings
from yarnstick.text.tagging import SUBJECTS
from yarnstick.union.perturb.clauses import FUNCTION, first_tag

_CAPITALISED = re.compile(r"(?<![\w.])[A-Z][a-z]+(?![\w-])|\[(?:MALE|FEMALE|NEUTRAL)\]")
_ACTING = re.compile(r"(?<![\w.])([A-Z][a-z]+) ([a-z]+)(?![\w-])")
_NO_PEOPLE = listed(
    """
    christmas easter halloween thanksgiving monday tuesday wednesday thursday friday saturday sunday january february
    march april june july august september october november december america england france germany spain italy china
    japan mexico canada florida california texas york chicago boston paris london god santa facebook google youtube
    there here what who nothing everything something anything nobody everybody somebody anybody everyone someone
    """
)
_SENTENCE_END = frozenset('.!?"“\n')


@lru_cache(maxsize=1 << 12)
def names_in(text: str) -> tuple[tuple[int, int, str], ...]:
    """Where first names stand, and whose: MALE, FEMALE or NEUTRAL.

    A name that is also a word counts inside a sentence only.

    >>> names_in("Will saw Anna. Anna saw Will.")
    ((9, 13, 'FEMALE'), (15, 19, 'FEMALE'), (24, 28, 'MALE'))
    """
    known, doubtful = name_list(), also_words()
    unlisted = _unlisted_names(text)
    found = []
    for match in _CAPITALISED.finditer(text):
        word = match[0]
        if word[0] == "[":
            found.append((match.start(), match.end(), word[1:-1]))
            continue
        kind = known.get(word.lower()) or ("NEUTRAL" if word in unlisted else None)
        if kind is None:
            continue
        before = text[: match.start()].rstrip()[-1:]
        if word.lower() in doubtful and (not before or before in _SENTENCE_END):
            continue
        found.append((match.start(), match.end(), kind))
    return tuple(found)


def _unlisted_names(text: str) -> set[str]:
    """Words that act like people: with a capital, unknown to us, and before a verb, as in "Binh decided"."""
    return {match[1] for match in _ACTING.finditer(text) if match[1].lower() not in _no_names() and _is_verb(match[2])}


def _is_verb(small: str) -> bool:
    return small in ("was", "is", "had", "has", "did") or first_tag(small) in ("VBD", "VBZ")


@cache
def _no_names() -> frozenset[str]:
    return frozenset(readings()) | FUNCTION | SUBJECTS | _NO_PEOPLE


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
        fitting = [other for other in left if people[other] == kind or "NEUTRAL" in (kind, people[other])]
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
