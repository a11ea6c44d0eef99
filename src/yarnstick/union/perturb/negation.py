"""Negation alteration: a sentence that says the contrary, by a negation added or taken away; its tense is kept."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from yarnstick.union.perturb.affirming import affirmations
from yarnstick.union.perturb.amounts import in_turn, places
from yarnstick.union.perturb.clauses import Alteration
from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.negating import negations
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe

NAME = "negation"


def negation(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    wanted = places(draft, recipe, rng)
    slots = in_turn(draft, rng)
    done = False
    for slot in slots:
        found = [each for each in alterations(slot.text) if not _undone(slot, each)]
        if not found:
            continue
        chosen = found[int(rng.random() * len(found))]
        form = rng.random() < recipe.contracted
        for start, end, new in reversed((chosen.short or chosen.full) if form else (chosen.full or chosen.short)):
            slot.replace(start, end, new, NAME)
        done = True
        wanted -= 1
        if not wanted:
            break
    return done


def _undone(slot: Slot, alteration: Alteration) -> bool:
    """Whether what is altered was changed before: "did not dislike" would say again what "liked" said."""
    return any(
        change.start <= end and start <= change.end
        for change in slot.changes
        for start, end, _ in alteration.full or alteration.short
    )


@lru_cache(maxsize=1 << 12)
def alterations(sentence: str) -> tuple[Alteration, ...]:
    """The ways to say the contrary: without the negation where there is one, else with one.

    >>> [alteration.full for alteration in alterations("He went home.")]
    [((3, 7, 'did not go'),)]
    """
    removed, negative = affirmations(sentence)
    return removed if negative else negations(sentence)


def altered(sentence: str, alteration: Alteration, contracted: bool = False) -> str:
    """The sentence with an alteration made."""
    changes = (alteration.short or alteration.full) if contracted else (alteration.full or alteration.short)
    for start, end, new in reversed(changes):
        sentence = sentence[:start] + new + sentence[end:]
    return sentence
