"""What is done to stories, how often, and how much of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

from yarnstick.errors import InputError

#: what may be touched: all of the story; all but the leading context that is given; all but that or, where none is
#: given, the first sentence
Lead: TypeAlias = Literal["free", "given", "first"]

TECHNIQUES = (
    "repetition",
    "substitution",
    "reordering",
    "negation",
    "entities",
    "pronouns",
    "tense",
    "connectives",
    "ending",
    "truncation",
)

Share: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Recipe:
    """How stories are damaged. A pair of shares is a least and a most, between which it is drawn."""

    name: str
    #: how often one technique, two, three … are used on a story
    counts: tuple[float, ...] = (0.5, 0.2, 0.2, 0.1)
    #: the techniques and their weights; they are drawn without replacement
    weights: tuple[tuple[str, float], ...] = (
        ("repetition", 0.1),
        ("substitution", 0.3),
        ("reordering", 0.4),
        ("negation", 0.2),
    )
    lead: Lead = "free"
    #: a technique works in one place for so many sentences of the story; 0: in one place, however long it is
    sentences_a_place: float = 0.0

    #: repetition: how often words rather than a sentence, how many words at most, and how many times
    repeat_words: float = 0.5
    longest_repeat: int = 4
    most_copies: int = 1
    #: the share of the sentences that a repeated sentence comes to stand on; (0, 0) is one sentence
    repeated_share: Share = (0.0, 0.0)
    #: how often a repeated sentence is varied by a word
    varied: float = 0.0

    #: substitution: how often words rather than sentences
    substitute_words: float = 0.5
    #: the share of the keywords that is replaced
    word_share: Share = (0.15, 0.15)
    #: the share of the sentences that is replaced; (0, 0) is one sentence
    sentence_share: Share = (0.0, 0.0)
    #: how often a sentence is drawn among those that have a word in common with the story
    related: float = 0.0
    #: how often the people in it are given the names of the story's
    adopted: float = 0.0

    #: reordering: how often the whole story, rather than a stretch of a few sentences
    whole_order: float = 1.0
    #: negation: how often "didn't" rather than "did not", where both can be said (people: about .7 of the time)
    contracted: float = 0.5

    #: a file of ConceptNet's antonyms and negated relations
    conceptnet: str | None = None
    #: WordNet's antonyms: with (true), without (false), or where it is installed (left out)
    wordnet: bool | None = None

    def __post_init__(self) -> None:
        _check(self)

    @cached_property
    def count_sums(self) -> tuple[float, ...]:
        return tuple(accumulate(self.counts))

    @cached_property
    def weight_of(self) -> Mapping[str, float]:
        return MappingProxyType({name: weight for name, weight in self.weights if weight > 0})

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what is cached: a mapping proxy cannot be sent to another process.
        return _rebuilt, ({each.name: getattr(self, each.name) for each in fields(self)},)


def _rebuilt(values: dict[str, Any]) -> Recipe:
    return Recipe(**values)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_numbers(value: object) -> bool:
    return isinstance(value, tuple) and all(map(_is_number, value))


def _are_weights(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value)


#: for each type of field what fits it, and what to say where nothing does
_KINDS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "str": (lambda value: isinstance(value, str), "it is a text"),
    "Lead": (lambda value: isinstance(value, str), f"one of {', '.join(get_args(Lead))}"),
    "str | None": (lambda value: value is None or isinstance(value, str), "it is a path"),
    "bool | None": (lambda value: value is None or isinstance(value, bool), "it is true or false"),
    "int": (lambda value: isinstance(value, int) and not isinstance(value, bool), "it is a whole number"),
    "float": (_is_number, "it is a number"),
    "Share": (_are_numbers, "a least and a most, between 0 and 1"),
    "tuple[float, ...]": (_are_numbers, "shares of 1, 2, 3 … techniques that sum to 1"),
    "tuple[tuple[str, float], ...]": (_are_weights, "a table of techniques and weights"),
}


def _check(recipe: Recipe) -> None:
    """Refuse what cannot be meant; a recipe may come from a file."""
    for each in fields(recipe):
        value, (fits, remedy) = getattr(recipe, each.name), _KINDS[str(each.type)]
        if not fits(value):
            raise InputError(f"{each.name} is {value!r}", remedy=remedy)
    unknown = [name for name, _ in recipe.weights if name not in TECHNIQUES]
    if unknown:
        raise InputError(f"there is no technique {', '.join(unknown)}", remedy=f"techniques: {', '.join(TECHNIQUES)}")
    for name, weight in recipe.weights:
        if not _is_number(weight) or weight < 0:
            raise InputError(f"the weight of {name} is {weight!r}", remedy="weights are numbers from 0")
    if sum(weight for _, weight in recipe.weights) <= 0:
        raise InputError("no technique has any weight", remedy="give one a weight above 0")
    if not recipe.counts or min(recipe.counts) < 0 or abs(sum(recipe.counts) - 1) > 1e-6:
        raise InputError(f"counts are {recipe.counts}", remedy="shares of 1, 2, 3 … techniques that sum to 1")
    if len(recipe.counts) > sum(weight > 0 for _, weight in recipe.weights):
        raise InputError(
            f"counts speak of {len(recipe.counts)} techniques, but fewer have a weight", remedy="shorten the counts"
        )
    if recipe.lead not in get_args(Lead):
        raise InputError(f"lead is {recipe.lead!r}", remedy=f"one of {', '.join(get_args(Lead))}")
    for name in ("repeated_share", "word_share", "sentence_share"):
        share = getattr(recipe, name)
        if len(share) != 2 or not 0 <= share[0] <= share[1] <= 1:
            raise InputError(f"{name} is {share}", remedy="a least and a most, between 0 and 1")
    for name in ("repeat_words", "varied", "substitute_words", "related", "adopted", "whole_order", "contracted"):
        if not 0 <= getattr(recipe, name) <= 1:
            raise InputError(f"{name} is {getattr(recipe, name)!r}", remedy="a share between 0 and 1")
    if recipe.longest_repeat < 1 or recipe.most_copies < 1 or recipe.sentences_a_place < 0:
        raise InputError("longest_repeat and most_copies start at 1, sentences_a_place at 0", remedy="mend the recipe")
