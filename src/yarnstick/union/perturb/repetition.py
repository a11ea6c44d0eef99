"""Repetition: words said twice over, or a sentence that comes again where another should follow."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from yarnstick.text.names import name_list
from yarnstick.text.tagging import words_of
from yarnstick.union.perturb.amounts import in_turn, one_by_one, places, share_of
from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe
from yarnstick.union.perturb.substitution import vary

NAME = "repetition"


def repetition(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    done = False
    for _ in range(places(draft, recipe, rng)):
        one, other = (_words, _sentence) if rng.random() < recipe.repeat_words else (_sentence, _words)
        done |= one(draft, recipe, rng, pool) or (not done and other(draft, recipe, rng, pool))
    return done


def _words(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    """One to four words in a row stand twice, or more often."""
    slot = next(in_turn(draft, rng), None)
    if slot is None:
        return False
    words = words_of(slot.text)
    if not len(words):
        return False
    count = min(1 + int(rng.random() * recipe.longest_repeat), len(words))
    place = int(rng.random() * (len(words) - count + 1))
    start, end = words.start(place), words.end(place + count - 1)
    if slot.text[start - 1 : start] == "[" and slot.text[end : end + 1] == "]":
        start, end = start - 1, end + 1  # a placeholder is repeated with its brackets
    copies = 1 + int(rng.random() * recipe.most_copies)
    again = slot.text[start:end]
    if not place and again[0].isupper() and words.small[0].split("'")[0] not in ("i", *name_list()):
        again = again[0].lower() + again[1:]
    slot.replace(end, end, f" {again}" * copies, NAME)
    return True


def _sentence(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    """A sentence takes the place of the one after it, or of several."""
    slots = draft.slots
    # The last sentence of the leading context may be repeated, but not replaced.
    first = max(draft.first - 1, 0)
    followed = len(slots) - 1 - first
    if followed < 1:
        return False
    length = max(1, min(share_of(recipe.repeated_share, len(slots) - draft.first, rng), followed))
    for place in _in_turn(slots, first, length, rng):
        text = slots[place].text
        over = [slot for slot in slots[place + 1 : place + 1 + length] if slot.text != text]
        if text and over:
            for slot in over:
                slot.put(text, NAME)
                if rng.random() < recipe.varied:
                    vary(slot, recipe, rng, pool, NAME)
            return True
    return False


def _in_turn(slots: list[Slot], first: int, length: int, rng: Random) -> Iterator[int]:
    """Where a sentence can be repeated, those places first where nothing damaged is written over."""
    whole: list[int] = []
    damaged: list[int] = []
    for place in range(first, len(slots) - length):
        over = slots[place + 1 : place + 1 + length]
        (damaged if any(slot.damaged for slot in over) else whole).append(place)
    yield from one_by_one(whole, rng)
    yield from one_by_one(damaged, rng)
