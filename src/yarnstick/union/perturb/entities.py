"""Entity swaps: one person or thing of the story where another should be."""

from __future__ import annotations

from random import Random

from yarnstick.text.parts_of_speech import readings
from yarnstick.text.tagging import words_of
from yarnstick.union.perturb.amounts import in_turn, places
from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.keywords import article_fixed, keyword_at, keyword_places
from yarnstick.union.perturb.people import cast, names_in, stranger
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe

NAME = "entities"


def entities(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    people = cast(draft.story)
    wanted = places(draft, recipe, rng)
    slots = in_turn(draft, rng)
    done = False
    for slot in slots:
        one, other = (_names, _nouns) if rng.random() < 0.6 else (_nouns, _names)
        if one(slot, people, rng) or other(slot, people, rng):
            done = True
            wanted -= 1
            if not wanted:
                break
    return done


def _names(slot: Slot, people: dict[str, str], rng: Random) -> bool:
    """Another person of the story, or a stranger, in place of the one who is named."""
    mentions = names_in(slot.text)
    if not mentions:
        return False
    start, end, kind = mentions[int(rng.random() * len(mentions))]
    name = slot.text[start:end]
    others = [other for other in people if other != name and (other[0] == "[") == (name[0] == "[")]
    if others:
        new = others[int(rng.random() * len(others))]
    elif name[0] == "[":
        return False
    else:
        new = stranger(kind, people, rng)
    # Everyone of that name in the sentence, or they would seem to be two.
    for start, end, _ in reversed(mentions):
        if slot.text[start:end] == name:
            slot.replace(start, end, new, NAME)
    return True


def _nouns(slot: Slot, people: dict[str, str], rng: Random) -> bool:
    """Two things of a sentence in each other's place: "the boy fed the dog" the other way round."""
    sentence = slot.text
    words, known = words_of(sentence), readings()
    nouns = []
    for place in keyword_places(sentence):
        if known[words.small[place]][0].tag in ("NN", "NNS") and sentence[words.start(place)].islower():
            reading = keyword_at(sentence, place)
            if reading and reading.tag in ("NN", "NNS") and _stands_alone(sentence, words.end(place)):
                nouns.append((place, reading.tag))
    pairs = [
        (one, other)
        for at, (one, tag) in enumerate(nouns)
        for other, other_tag in nouns[at + 1 :]
        if tag == other_tag and words.small[one] != words.small[other]
    ]
    if not pairs:
        return False
    one, other = pairs[int(rng.random() * len(pairs))]
    for place, with_place in ((other, one), (one, other)):
        start, end, new = words.start(place), words.end(place), words.small[with_place]
        article = article_fixed(sentence, start, new)
        slot.replace(start, end, new, NAME)
        if article:
            slot.replace(*article, NAME)
    return True


def _stands_alone(sentence: str, end: int) -> bool:
    """Whether a noun is the last of its phrase: "dog", not the first half of "dog food"."""
    following = words_of(sentence[end : end + 24]).small
    if not following or sentence[end] in ".,;!?":
        return True
    found = readings().get(following[0])
    return not found or found[0].tag not in ("NN", "NNS")
