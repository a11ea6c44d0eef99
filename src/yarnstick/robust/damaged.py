"""Each story damaged in one way, further and further: what discrimination is measured on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from yarnstick.errors import InputError
from yarnstick.text.sentences import sentence_spans
from yarnstick.union.perturb import TECHNIQUES, CannotPerturb, Pool, chain, read_recipe
from yarnstick.union.perturb.recipe import Recipe

#: tries at as many degrees as are wanted before one fewer is enough
_TRIES = 3


def techniques_of(recipe: Recipe, names: Sequence[str] = ()) -> list[str]:
    """The techniques asked for, or all the recipe has."""
    for name in names:
        if name not in TECHNIQUES:
            raise InputError(f"there is no technique {name!r}", remedy=f"techniques: {', '.join(TECHNIQUES)}")
    return list(dict.fromkeys(names)) or [name for name in TECHNIQUES if name in recipe.weight_of]


def damaged(
    stories: Sequence[str], technique: str, recipe: Recipe, pool: Pool, *, degrees: int, seed: int
) -> Iterator[list[str]]:
    """Of every story its versions at 1, 2, … degrees of one technique: fewer where a story cannot be damaged further.

    Each version is the one before and more.
    """
    alone = replace(
        recipe,
        counts=(1.0,),
        weights=((technique, 1.0),),
        # A story in complete disorder cannot be put into more of it.
        whole_order=recipe.whole_order if degrees == 1 else 0.0,
    )
    for number, story in enumerate(stories):
        yield (
            truncated(story, degrees)
            if technique == "truncation"
            else _further_and_further(story, alone, pool, degrees, f"{seed}/{technique}/{number}")
        )


def truncated(story: str, degrees: int) -> list[str]:
    """The story without its last sentences, a like share of them more at each degree; something is always left.

    Not by the recipe's technique, whose choice between a story without its end and one that breaks off is no matter
    of more and less.

    >>> truncated("A fox came. It sat. It ate. It left.", 2)
    ['A fox came. It sat. It ate.', 'A fox came. It sat.']
    """
    spans = sentence_spans(story)
    missing = [max(degree, degree * len(spans) // (degrees + 1)) for degree in range(1, degrees + 1)]
    return [story[: spans[len(spans) - each - 1][1]] for each in missing if each < len(spans)]


def _further_and_further(story: str, recipe: Recipe, pool: Pool, degrees: int, seed: str) -> list[str]:
    for wanted in range(degrees, 0, -1):
        for turn in range(_TRIES):
            # A string is hashed the same in every process, and near numbers give unlike draws.
            try:
                negatives = chain(story, recipe, Random(f"{seed}/{turn}"), pool, wanted)
            except CannotPerturb:
                continue
            return [negative.text for negative in negatives]
    return []


def pool_of(stories: Sequence[str], seed: int) -> Pool:
    """Where sentences of other stories are drawn from: the stories themselves."""
    if len(stories) < 2:
        raise InputError("one story cannot be given another's sentences", remedy="give two stories or more")
    return Pool(stories, seed)


__all__ = ["damaged", "pool_of", "read_recipe", "techniques_of", "truncated"]
