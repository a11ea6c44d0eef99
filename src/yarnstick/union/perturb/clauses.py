"""What negation needs to know of a clause: its helpers, its subject, its finite verb."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple, TypeAlias

from yarnstick.text.listed import listed
from yarnstick.text.parts_of_speech import Reading, readings
from yarnstick.text.tagging import (
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    DO,
    HAVE,
    MODALS,
    PREPOSITIONS,
    SKIPPED,
    Words,
)

#: start and end in the sentence, and what comes there
Changes: TypeAlias = tuple[tuple[int, int, str], ...]


class Alteration(NamedTuple):
    """A way to alter a sentence: with "not", with "n't"; empty where English has no such form."""

    full: Changes
    short: Changes = ()


PERSONAL = listed("i you he she it we they")
#: subjects whose verb, in the present, ends in -s
SINGULAR = listed("he she it this that who everyone everybody someone somebody everything something one")
PLURAL = listed("i you we they these those")
WH = listed("what where when why how who which whom whose")
#: after these an object and a bare verb follow: "let it go"
CAUSATIVES = listed(
    """
    let lets letting make makes made making help helps helped helping watch watches watched watching see sees saw seen
    seeing hear hears heard hearing feel feels felt have has had having
    """
)
HELPERS = BE | HAVE | DO | MODALS
FUNCTION = HELPERS | DETERMINERS | PREPOSITIONS | CONJUNCTIONS | SKIPPED | PERSONAL | WH | {"to"}


#: after these a helper stands before its subject, or says the same once more: "so did I", "than he was"
INVERTING = listed("so neither nor as than little only not rarely seldom hardly")


def before(words: Words, place: int) -> int:
    """The place of the word before, past adverbs; -1 at the start."""
    place -= 1
    while place >= 0 and (words.small[place] in SKIPPED or is_manner(words.small[place])):
        place -= 1
    return place


def after(words: Words, place: int) -> int:
    """The place of the word after, past adverbs; the number of words at the end."""
    place += 1
    while place < len(words) and (words.small[place] in SKIPPED or is_manner(words.small[place])):
        place += 1
    return place


def is_manner(small: str) -> bool:
    """ "quickly", not "family"."""
    if not small.endswith("ly"):
        return False
    found = readings().get(small)
    return found[0].tag == "RB" if found else len(small) > 5


def small_at(words: Words, place: int) -> str:
    return words.small[place] if 0 <= place < len(words) else ""


def reading_with(small: str, *tags: str) -> Reading | None:
    """What a word is as one of these tags."""
    found = readings().get(small)
    if found:
        for tag in tags:
            for reading in found:
                if reading.tag == tag:
                    return reading
    return None


@cache
def verb_forms() -> frozenset[str]:
    """Every form that a finite verb can have, helpers aside."""
    tags = ("VBD", "VBZ", "VB")
    return frozenset(form for form, found in readings().items() if any(one.tag in tags for one in found)) - (
        FUNCTION - {"like"}
    )


def first_tag(small: str) -> str:
    found = readings().get(small)
    return found[0].tag if found else ""


def is_noun(small: str) -> bool:
    """Whether a word is, or may be, a noun; words that are not in the list mostly are."""
    return first_tag(small) == "" or reading_with(small, "NN", "NNS") is not None


def breaks_between(words: Words, one: int, other: int) -> bool:
    """Whether a comma or another mark stands between two neighbouring words."""
    return bool(words.text[words.end(one) : words.start(other)].strip(" \"'“”‘’"))


def is_question(sentence: str) -> bool:
    return sentence.rstrip(" \"'”’)*_").endswith("?")


def capital_like(sentence: str, start: int, new: str) -> str:
    """``new`` with a capital where the word at ``start`` has one."""
    return new[0].upper() + new[1:] if sentence[start].isupper() else new
