"""Reordering: the sentences of a story, or of a stretch of it, in another order."""

from __future__ import annotations

from random import Random

from yarnstick.union.perturb.amounts import one_by_one, places
from yarnstick.union.perturb.draft import Draft, Slot, joined
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe

NAME = "reordering"
_STRETCH = (2, 6)
_TRIES = 20


def reordering(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    free = [slot for slot in draft.free if slot.text]
    if len(free) < 2:
        return False
    if rng.random() < recipe.whole_order:
        return _shuffled(free, rng)
    done = False
    for _ in range(places(draft, recipe, rng)):
        length = min(len(free), _STRETCH[0] + int(rng.random() * (_STRETCH[1] - _STRETCH[0] + 1)))
        first = int(rng.random() * (len(free) - length + 1))
        stretch = free[first : first + length]
        # Two sentences that change places, or all of them in disorder.
        done |= _shuffled([stretch[0], stretch[-1]] if rng.random() < 0.5 else stretch, rng)
    return done


def _shuffled(slots: list[Slot], rng: Random) -> bool:
    """Another order of the sentences, by which the text is another one, too."""
    was = [(slot.text, slot.techniques) for slot in slots]
    for _ in range(_TRIES):
        order = list(one_by_one(was.copy(), rng))
        if any(new[0] != old[0] for new, old in zip(order, was, strict=True)):
            for slot, (text, techniques), (old, _) in zip(slots, order, was, strict=True):
                if text != old:
                    slot.put(text, joined(techniques, NAME) if techniques else NAME)
            return True
    return False
