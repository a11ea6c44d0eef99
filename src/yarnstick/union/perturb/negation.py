"""Negation alteration: a sentence that says the contrary, by a negation added or taken away; its tense is kept."""

from __future__ import annotations

from random import Random

from yarnstick.union.perturb.affirming import affirmations
from yarnstick.union.perturb.amounts import in_turn, one_by_one, places
from yarnstick.union.perturb.clauses import Alteration
from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.negating import negation_at, verb_places
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe

NAME = "negation"


def negation(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    wanted = places(draft, recipe, rng)
    done = False
    for slot in in_turn(draft, rng):
        chosen = _one(slot, rng)
        if chosen is None:
            continue
        form = rng.random() < recipe.contracted
        for start, end, new in reversed((chosen.short or chosen.full) if form else (chosen.full or chosen.short)):
            slot.replace(start, end, new, NAME)
        done = True
        wanted -= 1
        if not wanted:
            break
    return done


def _one(slot: Slot, rng: Random) -> Alteration | None:
    """One of the ways to say the contrary; what was changed before is left as it is."""
    removed, negative = affirmations(slot.text)
    if negative:
        found = [each for each in removed if not _undone(slot, each)]
        return found[int(rng.random() * len(found))] if found else None
    # Verb by verb in a random order, which is as fair as to draw from all, and seldom has to look at all.
    for place in one_by_one(verb_places(slot.text), rng):
        added = negation_at(slot.text, place)
        if added and not _undone(slot, added):
            return added
    return None


def _undone(slot: Slot, alteration: Alteration) -> bool:
    """Whether what is altered was changed before: "did not dislike" would say again what "liked" said."""
    return any(
        change.start <= end and start <= change.end
        for change in slot.changes
        for start, end, _ in alteration.full or alteration.short
    )


def alterations(sentence: str) -> tuple[Alteration, ...]:
    """The ways to say the contrary: without the negation where there is one, else with one.

    >>> [alteration.full for alteration in alterations("He went home.")]
    [((3, 7, 'did not go'),)]
    """
    removed, negative = affirmations(sentence)
    if negative:
        return removed
    added = (negation_at(sentence, place) for place in verb_places(sentence))
    return tuple(each for each in added if each)


def altered(sentence: str, alteration: Alteration, contracted: bool = False) -> str:
    """The sentence with an alteration made."""
    changes = (alteration.short or alteration.full) if contracted else (alteration.full or alteration.short)
    for start, end, new in reversed(changes):
        sentence = sentence[:start] + new + sentence[end:]
    return sentence
