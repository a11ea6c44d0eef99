"""What a written English word can be: "walked" is a past or a participle of "walk", "light" noun, adjective or verb.

The base forms come from ``parts_of_speech.txt`` and ``antonyms.txt``, their forms from the rules of inflection. Tags
are Penn's: VB, VBZ, VBD, VBN, VBG; NN, NNS; JJ, JJR, JJS; RB. A present that looks like the base form is VB, too.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import accumulate
from typing import NamedTuple

from yarnstick.text.inflection import comparison, gerund, participle, past, plural, third_person
from yarnstick.text.listed import listed

#: how much likelier a word of band 1 and of band 2 is than one of band 3, roughly as stories have them
_WEIGHT_OF_BAND = {1: 40.0, 2: 6.0, 3: 1.0}

#: nouns that have no plural, or are one already
_ONE_NUMBER_ONLY = listed(
    """advice air anger bacon baseball basketball beef bravery bread butter calm cash cattle chaos cheese clothing
    clothes courage danger darkness dirt dust electricity equipment evidence excitement fame flour football fog
    freedom fun fur furniture garbage glasses gold golf gum hair happiness hatred health heat help homework honey
    hunger ice information ink internet jewelry joy judo justice kindness knowledge laughter laundry lightning luck
    luggage lunch math milk money mud music news oil paint pants paperwork patience peace people pepper pizza police
    pollution pork poverty practice pride progress rain research respect rice rubbish safety salt sand savings
    scissors series sheep shopping silence silver smoke snow soap soccer species spaghetti stuff sugar sunlight
    sunshine sweat technology tennis thunder traffic trash trousers trouble truth warmth water wealth weather wheat
    wisdom wool work wrath yoga youth"""
)


class Reading(NamedTuple):
    """One thing a word can be: its tag, the base form, and how common that is (1 very, 3 less)."""

    tag: str
    base: str
    band: int


_FORMS: dict[str, tuple[tuple[str, Callable[[str], str]], ...]] = {
    "verb": (("VB", str), ("VBD", past), ("VBN", participle), ("VBG", gerund), ("VBZ", third_person)),
    "noun": (("NN", str), ("NNS", plural)),
    "adjective": (("JJ", str),),
    "adverb": (("RB", str),),
}
_FORM = {tag: make for forms in _FORMS.values() for tag, make in forms}


def inflected(base: str, tag: str) -> str | None:
    """The form of a word that a tag asks for; None where it has none.

    >>> inflected("buy", "VBD"), inflected("big", "JJR"), inflected("careful", "JJR")
    ('bought', 'bigger', None)
    """
    if tag in ("JJR", "JJS"):
        compared = comparison(base)
        return compared[tag == "JJS"] if compared else None
    if tag == "NNS" and base in _ONE_NUMBER_ONLY:
        return None
    return _FORM[tag](base)


@cache
def listed_words() -> tuple[tuple[str, int, tuple[str, ...]], ...]:
    """The lines of the list: part of speech, band, base forms."""
    lines = []
    for line in files("yarnstick.text").joinpath("parts_of_speech.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            head, words = line.split(": ")
            kind, band = head.split()
            lines.append((kind, int(band), tuple(words.split())))
    return tuple(lines)


@cache
def readings() -> dict[str, tuple[Reading, ...]]:
    """Every form of every listed word, the likeliest reading first.

    >>> [reading.tag for reading in readings()["walked"]]
    ['VBD', 'VBN']
    """
    found: dict[str, dict[tuple[str, str], Reading]] = {}
    for form, reading in _all_readings():
        found.setdefault(form, {}).setdefault((reading.tag, reading.base), reading)
    return {form: tuple(sorted(of_form.values(), key=_band)) for form, of_form in found.items()}


def _band(reading: Reading) -> int:
    return reading.band


@cache
def antonym_pairs() -> tuple[tuple[str, str, str], ...]:
    """Our own opposites: part of speech and two base forms."""
    lines = files("yarnstick.text").joinpath("antonyms.txt").read_text("utf-8").splitlines()
    rows = (line.split(": ") for line in lines if line and not line.startswith("#"))
    return tuple((kind, *pair.split("-")) for kind, pairs in rows for pair in pairs.split())  # type: ignore[misc]


def _bases() -> Iterator[tuple[str, int, tuple[str, ...]]]:
    yield from listed_words()
    seen = {(kind, word) for kind, _, words in listed_words() for word in words}
    rest = dict.fromkeys((kind, word) for kind, *pair in antonym_pairs() for word in pair if (kind, word) not in seen)
    for kind, word in rest:
        yield kind, 3, (word,)


def _all_readings() -> Iterator[tuple[str, Reading]]:
    for kind, band, words in _bases():
        tags = [tag for tag, _ in _FORMS[kind]] + (["JJR", "JJS"] if kind == "adjective" else [])
        for base in words:
            for tag in tags:
                form = inflected(base, tag)
                if form:
                    yield form, Reading(tag, base, band)


class Drawer:
    """Words of one tag, to be drawn by how common they are."""

    __slots__ = ("_sums", "words")

    def __init__(self, weights: dict[str, float]) -> None:
        self.words = tuple(weights)
        self._sums = tuple(accumulate(weights.values()))

    def draw(self, random: Callable[[], float]) -> str:
        """One word; ``random`` gives numbers from 0 to below 1."""
        return self.words[bisect(self._sums, random() * self._sums[-1])]


@cache
def drawers() -> dict[str, Drawer]:
    """For each tag its words. A word is drawn as what it is first of all: "light" as a noun, not as a verb."""
    weights: dict[str, dict[str, float]] = {}
    for form, of_form in readings().items():
        first = of_form[0]
        for reading in of_form:
            if reading.tag[:2] == first.tag[:2]:
                weights.setdefault(reading.tag, {}).setdefault(form, _WEIGHT_OF_BAND[reading.band])
    return {tag: Drawer(of_tag) for tag, of_tag in weights.items()}
