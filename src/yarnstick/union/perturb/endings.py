"""Endings that are not the story's: such as end any story, another story's, or none at all."""

from __future__ import annotations

from random import Random

from yarnstick.text.tagging import words_of
from yarnstick.union.perturb.amounts import places
from yarnstick.union.perturb.draft import Draft
from yarnstick.union.perturb.people import adopt, cast
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import Recipe

ENDING = "ending"
TRUNCATION = "truncation"

#: {they}, {their} and {them} are the one the story is about
_GENERIC = (
    "{They} had a great time.",
    "{They} had a lot of fun.",
    "{They} {were} very happy.",
    "{They} {were} so happy.",
    "{They} {were} very sad.",
    "It was the best day ever.",
    "It was a great day.",
    "It was the worst day of {their} life.",
    "{They} went home.",
    "{They} went back home and went to bed.",
    "{They} decided to go home.",
    "{They} {were} glad {they} did it.",
    "{They} {were} able to get it.",
    "{They} never did it again.",
    "{They} ended up having a good time.",
    "{They} could not believe it.",
    "{They} thanked {them} and left.",
    "{They} knew that everything would be fine.",
    "{They} learned a lot that day.",
    "{They} ended up getting a new one.",
    "{They} decided to try again.",
    "{They} couldn't wait to do it again.",
    "Everyone was very happy.",
    "Everything worked out in the end.",
    "In the end, it was all worth it.",
    "Luckily, everything was okay.",
    "{They} felt much better after that.",
    "{They} won the game.",
    "{They} loved it.",
    "{They} bought it and took it home.",
    "{They} woke up, and it was all a dream.",
    "And {they} lived happily ever after.",
)
_FORMS = {
    "he": {"they": "he", "They": "He", "their": "his", "them": "her", "were": "was"},
    "she": {"they": "she", "They": "She", "their": "her", "them": "him", "were": "was"},
    "i": {"they": "I", "They": "I", "their": "my", "them": "him", "were": "was"},
    "we": {"they": "we", "They": "We", "their": "our", "them": "him", "were": "were"},
    "they": {"they": "they", "They": "They", "their": "their", "them": "him", "were": "were"},
}
_OWN = {"my": "i", "me": "i", "his": "he", "him": "he", "her": "she", "our": "we", "us": "we", "their": "they"}


def ending(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    """A last sentence that ends any story, or the last sentences of another one."""
    free = [slot for slot in draft.free if slot.text]
    if not free or free[-1] is not draft.slots[-1]:
        return False
    endings = []
    if rng.random() < 0.5:
        endings = pool.ending(rng, draft.story, min(places(draft, recipe, rng), len(free)))
        if rng.random() < recipe.adopted:
            endings = [adopt(sentence, draft.story, rng) for sentence in endings]
    endings = endings or [generic(draft.story, rng)]
    done = False
    for slot, sentence in zip(free[-len(endings) :], endings, strict=True):
        if slot.text != sentence:
            slot.put(sentence, ENDING)
            done = True
    return done


def generic(story: str, rng: Random) -> str:
    """A sentence that ends any story, about whoever this one is about."""
    counts: dict[str, int] = {}
    for small in words_of(story).small:
        person = small if small in _FORMS else _OWN.get(small)
        if person:
            counts[person] = counts.get(person, 0) + 1
    person = max(sorted(counts), key=counts.__getitem__) if counts else "they"
    forms = _FORMS[person]
    sentence = _GENERIC[int(rng.random() * len(_GENERIC))].format(**forms)
    people = [name for name in cast(story) if name[0] != "["]
    if people and person in ("he", "she") and sentence.startswith(forms["They"] + " ") and rng.random() < 0.5:
        sentence = people[0] + sentence[len(forms["They"]) :]
    return sentence if story != story.lower() else sentence.lower()


def truncation(draft: Draft, recipe: Recipe, rng: Random, pool: Pool) -> bool:
    """No ending: the last sentences are missing, or the story breaks off."""
    free = [slot for slot in draft.free if slot.text]
    if len(free) < 2 or free[-1] is not draft.slots[-1]:
        return False
    last = free[-1]
    words = words_of(last.text)
    if rng.random() < 0.4 and len(words) >= 6:
        place = 2 + int(rng.random() * (len(words) - 4))
        last.replace(words.end(place), len(last.text), "", TRUNCATION)
        return True
    missing = 1 + int(rng.random() * max(1, len(free) // 4))
    for slot in free[-missing:]:
        slot.put("", TRUNCATION)
    return True
