"""Substitution: keywords that become their opposites or other words, and sentences from other stories."""

from __future__ import annotations

from random import Random

from yarnstick.text.tagging import words_of
from yarnstick.union.perturb.amounts import in_turn, places, share_of
from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.keywords import article_fixed, keyword_at, keyword_places
from yarnstick.union.perturb.lexicon import opposites_for
from yarnstick.union.perturb.people import adopt
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe

NAME = "substitution"


def substitution(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    if rng.random() < recipe.substitute_words:
        return _words(draft, recipe, rng, pool) or _sentences(draft, recipe, rng, pool)
    return _sentences(draft, recipe, rng, pool) or _words(draft, recipe, rng, pool)


def _words(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    """A share of the story's keywords."""
    keywords = [(slot, place) for slot in draft.free for place in keyword_places(slot.text)]
    if not keywords:
        return False
    wanted = share_of(recipe.word_share, len(keywords), rng)
    chosen: dict[int, tuple[Slot, list[int]]] = {}
    while wanted and keywords:
        at = int(rng.random() * len(keywords))
        slot, place = keywords[at]
        keywords[at] = keywords[-1]
        keywords.pop()
        if keyword_at(slot.text, place):
            chosen.setdefault(slot.start, (slot, []))[1].append(place)
            wanted -= 1
    done = False
    for slot, at_places in chosen.values():
        # From the last to the first, so that the places of those to come stay what they are.
        for place in sorted(at_places, reverse=True):
            done |= _replace(slot, place, recipe, rng, pool, NAME)
    return done


def _replace(slot: Slot, place: int, recipe: Recipe, rng: Random, pool: Pool, technique: str) -> bool:
    sentence = slot.text
    reading = keyword_at(sentence, place)
    if reading is None:
        return False
    words = words_of(sentence)
    small = words.small[place]
    others = opposites_for(recipe)(reading.base, reading.tag)
    new = others[int(rng.random() * len(others))] if others else pool.word(rng, reading.tag)
    for _ in range(4):
        if new and new != small:
            break
        new = pool.word(rng, reading.tag)
    if not new or new == small:
        return False
    start, end = words.start(place), words.end(place)
    if sentence[start].isupper():
        new = new[0].upper() + new[1:]
    article = article_fixed(sentence, start, new)
    slot.replace(start, end, new, technique)
    if article:
        slot.replace(*article, technique)
    return True


def vary(slot: Slot, recipe: Recipe, rng: Random, pool: Pool, technique: str) -> bool:
    """One keyword of a sentence replaced."""
    keywords = keyword_places(slot.text)
    return bool(keywords) and _replace(slot, keywords[int(rng.random() * len(keywords))], recipe, rng, pool, technique)


def _sentences(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    """Sentences of other stories, each in place of one of this."""
    free = list(in_turn(draft, rng))
    if not free:
        return False
    wanted = share_of(recipe.sentence_share, len(free), rng) if recipe.sentence_share[1] else places(draft, recipe, rng)
    done = False
    for slot in free[:wanted]:
        sentence = foreign_sentence(draft, recipe, rng, pool)
        if sentence and sentence != slot.text:
            slot.put(sentence, NAME)
            done = True
    return done


def foreign_sentence(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> str | None:
    """A sentence of another story, where the recipe says so one that could pass for this story's."""
    sentence = None
    if rng.random() < recipe.related:
        words = [words_of(slot.text).small[place] for slot in draft.slots for place in keyword_places(slot.text)]
        sentence = pool.related(rng, draft.story, words)
    sentence = sentence or pool.sentence(rng, draft.story)
    if sentence and rng.random() < recipe.adopted:
        return adopt(sentence, draft.story, rng)
    return sentence
