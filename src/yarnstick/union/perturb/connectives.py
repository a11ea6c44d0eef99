"""Connectives that say what is not so: "because" for "although", "however" where nothing is contrary."""

from __future__ import annotations

from random import Random

from yarnstick.text.names import name_list
from yarnstick.text.tagging import words_of
from yarnstick.union.perturb.amounts import in_turn, places
from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe

NAME = "connectives"

_OTHERS = {
    "because": ("although", "until", "before"),
    "although": ("because", "until"),
    "though": ("because",),
    "but": ("and so", "because"),
    "so": ("but", "although"),
    "after": ("before", "until"),
    "before": ("after", "because"),
    "when": ("before", "unless", "although"),
    "while": ("after", "because"),
    "until": ("after", "before"),
    "if": ("unless", "because"),
    "unless": ("if",),
    "since": ("until", "although"),
    "however": ("therefore", "because of this"),
    "finally": ("at first",),
    "then": ("before that",),
    "eventually": ("at first", "earlier"),
    "later": ("earlier",),
    "first": ("finally",),
    "luckily": ("unfortunately",),
    "unfortunately": ("luckily",),
    "suddenly": ("as always",),
}
#: "so" and "before" stand for other things, too: only where a clause follows
_BEFORE_A_CLAUSE = frozenset(
    [
        "i",
        "you",
        "he",
        "she",
        "it",
        "we",
        "they",
        "the",
        "his",
        "her",
        "my",
        "our",
        "their",
        "this",
        "that",
        "there",
        "a",
    ]
)
_OPENINGS = (
    "However", "Because of this", "Instead", "For example", "Before that", "In the meantime", "As a result",
    "On the other hand", "Even so", "Years earlier", "In other words", "As usual", "Therefore", "At first",
)  # fmt: skip


def connectives(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    wanted = places(draft, recipe, rng)
    slots = in_turn(draft, rng)
    done = False
    for slot in slots:
        if (rng.random() < 0.6 and _other(slot, rng)) or _opening(slot, rng):
            done = True
            wanted -= 1
            if not wanted:
                break
    return done


def _other(slot: Slot, rng: Random) -> bool:
    """Another connective in place of one that is there."""
    sentence = slot.text
    words = words_of(sentence)
    found = [place for place in range(len(words)) if _connects(sentence, place)]
    if not found:
        return False
    place = found[int(rng.random() * len(found))]
    others = _OTHERS[words.small[place]]
    new = others[int(rng.random() * len(others))]
    start, end = words.start(place), words.end(place)
    slot.replace(start, end, new[0].upper() + new[1:] if sentence[start].isupper() else new, NAME)
    return True


def _connects(sentence: str, place: int) -> bool:
    words = words_of(sentence)
    small = words.small[place]
    if small not in _OTHERS:
        return False
    following = words.small[place + 1] if place + 1 < len(words) else ""
    mark = sentence[words.end(place) : words.end(place) + 1]
    if small in ("however", "finally", "then", "eventually", "later", "first", "luckily", "unfortunately", "suddenly"):
        return place == 0 and (mark == "," or small in ("finally", "then", "eventually", "suddenly"))
    return following in _BEFORE_A_CLAUSE or following.capitalize() in sentence


def _opening(slot: Slot, rng: Random) -> bool:
    """A connective before a sentence that needs none."""
    sentence = slot.text
    words = words_of(sentence)
    if not len(words) or not sentence[0].isalpha() or sentence.split(",")[0].lower() in _SMALL_OPENINGS:
        return False
    new = _OPENINGS[int(rng.random() * len(_OPENINGS))]
    first, end = words.small[0], words.end(0)
    keeps = first.split("'")[0] in ("i", *name_list()) or not sentence[0].isupper() or not sentence[1:end].islower()
    if first == "a":
        keeps = False
    if not sentence[0].isupper():
        new = new.lower()
    word = sentence[:end] if keeps else sentence[0].lower() + sentence[1:end]
    slot.replace(0, end, f"{new}, {word}", NAME)
    return True


_SMALL_OPENINGS = frozenset(opening.lower() for opening in _OPENINGS)
