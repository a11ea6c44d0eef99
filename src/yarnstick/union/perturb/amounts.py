"""How much of a story is damaged."""

from __future__ import annotations

from random import Random

from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.recipe import Recipe, Share


def places(draft: Draft, recipe: Recipe, rng: Random) -> int:
    """In how many places a technique works: one, or more in a long story where the recipe says so."""
    if not recipe.sentences_a_place:
        return 1
    return max(1, at_random((0.5 + rng.random()) * (len(draft.slots) - draft.first) / recipe.sentences_a_place, rng))


def in_turn(draft: Draft, rng: Random) -> list[Slot]:
    """The sentences that may be touched in a random order, those first that are still whole: techniques that follow
    one another should not undo, or hide, what was done before."""
    slots = [slot for slot in draft.free if slot.text]
    rng.shuffle(slots)
    slots.sort(key=_damaged)
    return slots


def _damaged(slot: Slot) -> bool:
    return slot.damaged


def share_of(share: Share, total: int, rng: Random) -> int:
    """So many of ``total``, at least one; what is between two whole numbers is settled by chance."""
    least, most = share
    wanted = total * (least if least == most else least + (most - least) * rng.random())
    return min(max(1, at_random(wanted, rng)), total)


def at_random(number: float, rng: Random) -> int:
    """A whole number beside ``number``, so chosen that it is ``number`` on average."""
    whole = int(number)
    return whole + (rng.random() < number - whole)
