"""Negatives of many stories, by one process or several; which ones makes no difference to what comes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple, TypeAlias

from yarnstick.union.perturb.damage import damage
from yarnstick.union.perturb.edits import CannotPerturb, Edit, Negative
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.processes import Crew
from yarnstick.union.perturb.recipe import Recipe

_CHUNK = 256

#: the number of a story, the story, and how many characters of leading context it begins with
Numbered: TypeAlias = tuple[int, str, int]


class Made(NamedTuple):
    """The negatives of one story, or why there are none."""

    number: int
    negatives: tuple[Negative, ...]
    failure: str


class Maker:
    """Makes the negatives of a chunk of stories; what it makes depends on the seed and the story's number alone."""

    def __init__(self, recipe: Recipe, pool: Pool, seed: int, each: int) -> None:
        self.recipe, self.pool, self.seed, self.each = recipe, pool, seed, each

    def __call__(self, chunk: Sequence[Numbered]) -> list[Made]:
        return [self._made(*numbered) for numbered in chunk]

    def _made(self, number: int, story: str, lead: int) -> Made:
        negatives: list[Negative] = []
        for turn in range(self.each):
            # A string is hashed the same in every process, and near numbers give unlike draws.
            rng = Random(f"{self.seed}/{number}/{turn}")
            try:
                negatives.append(damage(story, self.recipe, rng, self.pool, lead=lead))
            except CannotPerturb as problem:
                return Made(number, (), problem.message)
        return Made(number, tuple(negatives), "")


#: a story's number, why it has no negatives, and the negatives as tuples: half the work to send between processes
Packed: TypeAlias = tuple[int, str, list[tuple[str, list[tuple[str | int, ...]]]]]


class Packer:
    """What a maker makes, packed for another process."""

    def __init__(self, maker: Maker) -> None:
        self.maker = maker

    def __call__(self, chunk: Sequence[Numbered]) -> list[Packed]:
        return [
            (made.number, made.failure, [(text, [tuple(edit) for edit in edits]) for text, edits in made.negatives])
            for made in self.maker(chunk)
        ]


def _unpacked(packed: Packed) -> Made:
    number, failure, negatives = packed
    return Made(number, tuple(Negative(text, tuple(map(Edit._make, edits))) for text, edits in negatives), failure)


def perturb(
    stories: Iterable[str],
    recipe: Recipe,
    pool: Pool,
    *,
    seed: int = 1,
    each: int = 1,
    workers: int = 1,
    leads: Iterable[int] | None = None,
) -> Iterator[Made]:
    """``each`` negatives of every story, in the order of the stories."""
    numbered = _numbered(stories, leads)
    chunks = iter(lambda: list(islice(numbered, _CHUNK)), [])
    maker = Maker(recipe, pool, seed, each)
    if workers == 1:
        for chunk in chunks:
            yield from maker(chunk)
        return
    with Crew(Packer(maker), workers) as crew:
        for packed in crew.work(chunks):
            yield from map(_unpacked, packed)


def _numbered(stories: Iterable[str], leads: Iterable[int] | None) -> Iterator[Numbered]:
    if leads is None:
        yield from ((number, story, 0) for number, story in enumerate(stories))
    else:
        for number, (story, lead) in enumerate(zip(stories, leads, strict=True)):
            yield number, story, lead
