"""Substitution: keywords that become their opposites or other words, and sentences from other stories."""

from __future__ import annotations

from random import Random
from typing import TypeAlias

from yarnstick.text.tagging import words_of
from yarnstick.union.perturb.amounts import in_turn, one_by_one, places, share_of
from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.keywords import article_fixed, keyword_at, keyword_places
from yarnstick.union.perturb.lexicon import opposites_for
from yarnstick.union.perturb.people import adopt
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe

NAME = "substitution"
#: draws of another word before a keyword is left as it is
_TRIES = 5

#: start and end of a word in its sentence, and what takes its place
Replacement: TypeAlias = tuple[int, int, str]


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
    chosen: dict[int, tuple[Slot, list[Replacement]]] = {}
    for slot, place in one_by_one(keywords, rng):
        replacement = _replacement(slot, place, recipe, rng, pool)
        if replacement:
            chosen.setdefault(slot.start, (slot, []))[1].append(replacement)
            wanted -= 1
            if not wanted:
                break
    for slot, replacements in chosen.values():
        _make(slot, replacements, NAME)
    return bool(chosen)


def _replacement(slot: Slot, place: int, recipe: Recipe, rng: Random, pool: Pool) -> Replacement | None:
    """Another word for a keyword: an opposite, else one of its kind; None where there is none that fits."""
    sentence = slot.text
    reading = keyword_at(sentence, place)
    if reading is None:
        return None
    words = words_of(sentence)
    start, end, small = words.start(place), words.end(place), words.small[place]
    if any(change.start <= end and start <= change.end for change in slot.changes):
        return None  # "did not reject" would say again what "wanted" said
    others = opposites_for(recipe)(reading.base, reading.tag)
    new = others[int(rng.random() * len(others))] if others else None
    for _ in range(_TRIES):
        if new and new != small:
            return start, end, new.capitalize() if sentence[start].isupper() else new
        new = pool.word(rng, reading.tag)
    return None


def _make(slot: Slot, replacements: list[Replacement], technique: str) -> None:
    """Replacements from the last to the first, so that the places of those to come stay what they are."""
    for start, end, new in sorted(replacements, reverse=True):
        article = article_fixed(slot.text, start, new)
        slot.replace(start, end, new, technique)
        if article:
            slot.replace(*article, technique)


def vary(slot: Slot, recipe: Recipe, rng: Random, pool: Pool, technique: str) -> bool:
    """One keyword of a sentence replaced."""
    keywords = keyword_places(slot.text)
    if not keywords:
        return False
    replacement = _replacement(slot, keywords[int(rng.random() * len(keywords))], recipe, rng, pool)
    if replacement:
        _make(slot, [replacement], technique)
    return replacement is not None


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
