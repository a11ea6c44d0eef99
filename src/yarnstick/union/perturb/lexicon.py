"""Words that say the opposite, from where the recipe wants them: our list, WordNet, ConceptNet."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from yarnstick.text.opposites import Opposites, opposites
from yarnstick.text.parts_of_speech import inflected, readings
from yarnstick.union.perturb.recipe import Recipe

#: what something is not, has not, cannot do or does not want contradicts it as an antonym does
_NEGATED = ("/r/Not", "Not")


def opposites_for(recipe: Recipe) -> Opposites:
    return _opposites(recipe.conceptnet, recipe.wordnet)


@cache
def _opposites(conceptnet: str | None, wordnet: bool | None) -> Opposites:
    antonyms = opposites(conceptnet, wordnet)
    if conceptnet is None:
        return antonyms
    negated = _negated(conceptnet)

    @cache
    def look_up(base: str, tag: str) -> tuple[str, ...]:
        found = dict.fromkeys(antonyms(base, tag))
        for other in negated.get(base, ()):
            if any(reading.base == other and reading.tag[0] == tag[0] for reading in readings().get(other, ())):
                form = inflected(other, tag)
                if form:
                    found[form] = None
        return tuple(found)

    return look_up


@cache
def _negated(conceptnet: str) -> dict[str, tuple[str, ...]]:
    """The words of lines such as ``fit|||/r/NotDesires|||flabby``."""
    found: dict[str, dict[str, None]] = {}
    for line in Path(conceptnet).read_text("utf-8").splitlines():
        word, relation, others = line.split("|||")
        if relation.startswith(_NEGATED):
            found.setdefault(word, {}).update(dict.fromkeys(others.split()))
    return {word: tuple(others) for word, others in found.items()}
