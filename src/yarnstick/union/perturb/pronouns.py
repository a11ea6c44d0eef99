"""Pronoun swaps: "she" where "he" was meant, "they" where "we" told the story."""

from __future__ import annotations

from random import Random

from yarnstick.text.parts_of_speech import readings
from yarnstick.text.tagging import DETERMINERS, PREPOSITIONS, Words, words_of
from yarnstick.union.perturb.amounts import in_turn, places
from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe

NAME = "pronouns"

_SWAPPED = {
    "he": "she", "him": "her", "his": "her", "himself": "herself",
    "she": "he", "hers": "his", "herself": "himself",
    "we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves",
    "they": "we", "them": "us", "their": "our", "theirs": "ours", "themselves": "ourselves",
    "my": "his", "mine": "his", "myself": "himself", "me": "him", "i": "he",
}  # fmt: skip
_FEMALE = {"my": "her", "mine": "hers", "myself": "herself", "me": "her", "i": "she"}
#: after "I" these are no form for "he"
_FIRST_PERSON = frozenset({"am", "have", "do", "don't", "haven't"})


def pronouns(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    wanted = places(draft, recipe, rng)
    slots = in_turn(draft, rng)
    done = False
    for slot in slots:
        if _swap(slot, rng):
            done = True
            wanted -= 1
            if not wanted:
                break
    return done


def _swap(slot: Slot, rng: Random) -> bool:
    """The pronouns of one person of a sentence from some point on."""
    words = words_of(slot.text)
    found = [(place, new) for place in range(len(words)) if (new := _other(words, place))]
    if not found:
        return False
    female = rng.random() < 0.5
    first = int(rng.random() * len(found))
    group = _group(words.small[found[first][0]])
    for place, new in reversed(found[first:]):
        small = words.small[place]
        if _group(small) != group:
            continue
        if female:
            new = _FEMALE.get(small, new)
        start, end = words.start(place), words.end(place)
        # "I" has a capital everywhere; the others have one where the sentence begins.
        if slot.text[start].isupper() and (small != "i" or place == 0):
            new = new.capitalize()
        slot.replace(start, end, new, NAME)
    return True


def _group(small: str) -> str:
    if small in ("i", "my", "me", "mine", "myself"):
        return "first"
    return "single" if small[0] in "hs" else "many"


def _other(words: Words, place: int) -> str | None:
    """What a pronoun is swapped for; None for other words, and where the verb would have to change with it."""
    small = words.small[place]
    following = words.small[place + 1] if place + 1 < len(words) else ""
    if small == "her":
        found = readings().get(following)
        own = bool(found and found[0].tag in ("NN", "NNS", "JJ")) or (
            following != "" and not found and following not in DETERMINERS | PREPOSITIONS | {"to", "and", "that", "if"}
        )
        between = words.text[words.end(place) : words.start(place + 1)] if following else "."
        return "his" if own and between == " " else "him"
    if small == "i" and (following in _FIRST_PERSON or _is_present(following)):
        return None
    return _SWAPPED.get(small)


def _is_present(small: str) -> bool:
    """Whether a verb after "I" may be in the present, where "he" would take another form."""
    tags = {reading.tag for reading in readings().get(small, ())}
    return "VB" in tags and "VBD" not in tags
