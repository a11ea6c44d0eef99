"""Tense: one sentence of a story falls out of its time."""

from __future__ import annotations

from random import Random

from yarnstick.text.inflection import third_person
from yarnstick.text.tagging import words_of
from yarnstick.union.perturb.amounts import in_turn, places
from yarnstick.union.perturb.clauses import PLURAL, before, first_tag, small_at
from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.finite import finite_verbs
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe

NAME = "tense"


def tense(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    wanted = places(draft, recipe, rng)
    slots = in_turn(draft, rng)
    done = False
    for slot in slots:
        if _shift(slot, "future" if rng.random() < 0.5 else "present"):
            done = True
            wanted -= 1
            if not wanted:
                break
    return done


def _shift(slot: Slot, to: str) -> bool:
    """Every past of the sentence that surely is one becomes a future, or a present."""
    words = words_of(slot.text)
    changes: list[tuple[int, int, str, str]] = []
    for place, base in finite_verbs(slot.text):
        subject = before(words, place)
        small = small_at(words, subject)
        if to == "future":
            new = f"will {base}"
        elif base == "be":
            new = "am" if small == "i" else "are" if small in PLURAL or first_tag(small) == "NNS" else "is"
        elif small in PLURAL or first_tag(small) == "NNS":
            new = base
        else:
            new = third_person(base)
        if to == "present" and small in ("and", "but", "then", "or") and changes:
            # "She ran and fell": the second verb has the first one's subject.
            new = base if changes[-1][2] == changes[-1][3] else third_person(base)
        changes.append((words.start(place), words.end(place), new, base))
    for start, end, new, _ in reversed(changes):
        slot.replace(start, end, new, NAME)
    return bool(changes)
