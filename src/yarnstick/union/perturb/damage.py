"""A story damaged: which techniques are drawn, one after another; and further and further, degree by degree."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from yarnstick.union.perturb.connectives import connectives
from yarnstick.union.perturb.draft import Draft
from yarnstick.union.perturb.edits import CannotPerturb, Negative
from yarnstick.union.perturb.endings import ending, truncation
from yarnstick.union.perturb.entities import entities
from yarnstick.union.perturb.negation import negation
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.pronouns import pronouns
from yarnstick.union.perturb.recipe import Recipe
from yarnstick.union.perturb.reordering import reordering
from yarnstick.union.perturb.repetition import repetition
from yarnstick.union.perturb.substitution import substitution
from yarnstick.union.perturb.tense import tense

#: changes the draft, and says whether it could
Technique: TypeAlias = Callable[[Draft, Recipe, Random, Pool], bool]

FUNCTIONS: Mapping[str, Technique] = MappingProxyType(
    {
        "repetition": repetition,
        "substitution": substitution,
        "reordering": reordering,
        "negation": negation,
        "entities": entities,
        "pronouns": pronouns,
        "tense": tense,
        "connectives": connectives,
        "ending": ending,
        "truncation": truncation,
    }
)
_TRIES = 8


def draw(recipe: Recipe, rng: Random) -> Iterator[str]:
    """Techniques without replacement, by their weights; all of them, the first drawn first."""
    names, weights = list(recipe.weight_of), list(recipe.weight_of.values())
    while names:
        point, place = rng.random() * sum(weights), 0
        while place < len(weights) - 1 and point >= weights[place]:
            point -= weights[place]
            place += 1
        del weights[place]
        yield names.pop(place)


def how_many(recipe: Recipe, rng: Random) -> int:
    """How many techniques are used on a story."""
    return min(1 + bisect_right(recipe.count_sums, rng.random()), len(recipe.counts))


def damage(text: str, recipe: Recipe, rng: Random, pool: Pool, *, lead: int = 0) -> Negative:
    """A negative of a story: techniques drawn by the recipe, one after the other, and what they did.

    ``lead`` is how many characters of leading context the story begins with; ``recipe.lead`` says what that means.
    The text always is another one. What a drawn technique cannot do (reorder a single sentence) the next one drawn
    does; a story that none can change raises :class:`CannotPerturb`.
    """
    for _ in range(_TRIES):
        draft = _draft(text, recipe, lead)
        if not _damage(draft, recipe, rng, pool):
            break
        negative = draft.finished()
        if negative.text != text:
            return negative
    raise _cannot(text, draft)


def chain(text: str, recipe: Recipe, rng: Random, pool: Pool, degrees: int, *, lead: int = 0) -> list[Negative]:
    """Negatives of a story, each the one before with more damage. Their edits speak of the story itself."""
    draft = _draft(text, recipe, lead)
    negatives: list[Negative] = []
    for _ in range(degrees):
        for _ in range(_TRIES):
            further = _copied(draft)
            if _damage(further, recipe, rng, pool) and _worse(further, draft):
                negative = further.finished()
                if all(negative.text != other.text for other in negatives):
                    break
        else:
            raise _cannot(text, draft, len(negatives))
        draft = further
        negatives.append(negative)
    return negatives


def _draft(text: str, recipe: Recipe, lead: int) -> Draft:
    draft = Draft(text, 0 if recipe.lead == "free" else lead)
    if recipe.lead == "first" and not draft.first:
        draft.first = min(1, len(draft.slots))
    return draft


def _damage(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> int:
    """So many techniques as are drawn, or as many as can be; how many there were."""
    wanted, done = how_many(recipe, rng), 0
    if draft.first >= len(draft.slots):
        return 0
    for name in draw(recipe, rng):
        done += FUNCTIONS[name](draft, recipe, rng, pool)
        if done == wanted:
            break
    return done


def _worse(further: Draft, draft: Draft) -> bool:
    """Whether there is more damage, and nothing that was damaged is whole again."""
    pairs = list(zip(further.slots, draft.slots, strict=True))
    if any(old.damaged and not new.damaged for new, old in pairs):
        return False
    return sum(new.harm - old.harm for new, old in pairs if new.text != old.text) > 0


def _copied(draft: Draft) -> Draft:
    new = copy(draft)
    new.slots = [copy(slot) for slot in draft.slots]
    return new


def _cannot(text: str, draft: Draft, degrees: int = 0) -> CannotPerturb:
    sentences, free = len(draft.slots), len(draft.slots) - draft.first
    what = f"a story of {sentences} sentence{'s' if sentences != 1 else ''}"
    if sentences and not free:
        what += ", all of it leading context,"
    elif free < sentences:
        what += f", {free} of them after the leading context,"
    start = " ".join(text[:40].split())
    more = f" more than {degrees} times" if degrees else ""
    return CannotPerturb(f"{what} cannot be perturbed{more}: {start!r}", remedy="stories need two sentences or more")
