"""How much of a story is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TypeVar

from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.recipe import Recipe, Share

Item = TypeVar("Item")


def places(draft: Draft, recipe: Recipe, rng: Random) -> int:
    """In how many places a technique works: one, or more in a long story where the recipe says so."""
    if not recipe.sentences_a_place:
        return 1
    return max(1, at_random((0.5 + rng.random()) * (len(draft.slots) - draft.first) / recipe.sentences_a_place, rng))


def in_turn(draft: Draft, rng: Random) -> Iterator[Slot]:
    """The sentences that may be touched in a random order, those first that are still whole: techniques that follow
    one another should not undo, or hide, what was done before."""
    # Given one by one, since most techniques are content with the first.
    slots = draft.free
    yield from one_by_one([slot for slot in slots if slot.text == slot.original], rng)
    yield from one_by_one([slot for slot in slots if slot.text != slot.original and slot.text], rng)


def one_by_one(left: list[Item], rng: Random) -> Iterator[Item]:
    """All of a list in a random order; the list is used up."""
    while left:
        place = int(rng.random() * len(left))
        chosen = left[place]
        left[place] = left[-1]
        left.pop()
        yield chosen


def share_of(share: Share, total: int, rng: Random) -> int:
    """So many of ``total``, at least one; what is between two whole numbers is settled by chance."""
    least, most = share
    wanted = total * (least if least == most else least + (most - least) * rng.random())
    return min(max(1, at_random(wanted, rng)), total)


def at_random(number: float, rng: Random) -> int:
    """A whole number beside ``number``, so chosen that it is ``number`` on average."""
    whole = int(number)
    return whole + (rng.random() < number - whole)
