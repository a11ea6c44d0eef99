"""Scores and ratings as cubes: column × system × prompt, NaN where a story has no value.

Unbalanced and partly rated data are normal: not every system tells every prompt, and not every story is rated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from yarnstick.agreement.means import exact_mean, published_mean
from yarnstick.agreement.placing import Key, Places, Told, examples_of, ids_come_again, name_of, place_stories
from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError

if TYPE_CHECKING:
    from yarnstick.stories.ratings import Ratings
    from yarnstick.stories.scores import Scores

Direction = Literal["higher", "lower", "neutral"]
_DIRECTIONS: dict[str, Direction] = {"higher": "higher", "lower": "lower", "neutral": "neutral"}


@dataclass(frozen=True)
class Cube:
    """Values of columns (metrics, or criteria) for every system and prompt: ``values`` is (c, s, p).

    Where a system told a prompt several times each prompt has ``samples`` columns side by side, NaN where there is
    none: (c, s, p * samples). :func:`yarnstick.agreement.samples.laid_out` makes of that what a level compares.
    """

    columns: tuple[str, ...]
    systems: tuple[str, ...]
    prompts: tuple[str, ...]
    values: Floats
    directions: tuple[Direction, ...]
    samples: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        wanted = (len(self.columns), len(self.systems), len(self.prompts) * self.samples)
        if self.values.shape != wanted or len(self.directions) != len(self.columns):
            raise ValueError(
                f"a cube of {wanted} cannot hold {self.values.shape} and {len(self.directions)} directions"
            )

    def select(self, columns: Iterable[str]) -> Self:
        """These columns, in this order."""
        names = tuple(columns)
        if unknown := [name for name in names if name not in self.columns]:
            raise InputError(f"there is no column {unknown[0]!r}", remedy=f"columns: {', '.join(self.columns)}")
        return self._taken([self.columns.index(name) for name in names], range(len(self.systems)))

    def without(self, system: str) -> Self:
        """Every system but this one: HANNA leaves Human out, whose scores against itself are perfect."""
        if system not in self.systems:
            named = ", ".join(filter(None, self.systems))
            remedy = f"systems: {named}" if named else "the score table names no systems"
            raise InputError(f"there is no system {system!r}", remedy=remedy)
        kept = [place for place, name in enumerate(self.systems) if name != system]
        return self._taken(range(len(self.columns)), kept)

    def oriented(self) -> Self:
        """More is better in every column: lower-is-better ones are negated (and say so by their new direction)."""
        signs = np.array([-1.0 if direction == "lower" else 1.0 for direction in self.directions])
        directions = tuple[Direction, ...]("higher" if one == "lower" else one for one in self.directions)
        return replace(self, values=self.values * signs[:, None, None], directions=directions)

    def row(self, column: str) -> Floats:
        """One column: (s, p)."""
        values: Floats = self.select([column]).values[0]
        return values

    def flat(self) -> Floats:
        """Every column over all its stories: (c, s * p)."""
        return self.values.reshape(len(self.columns), -1)

    def _taken(self, columns: Iterable[int], systems: Iterable[int]) -> Self:
        places, rows = list(columns), list(systems)
        return replace(
            self,
            columns=tuple(self.columns[place] for place in places),
            systems=tuple(self.systems[place] for place in rows),
            values=self.values[np.ix_(places, rows)],
            directions=tuple(self.directions[place] for place in places),
        )


@dataclass(frozen=True)
class HumanCube(Cube):
    """A cube of criteria whose values are means over raters; ``raters`` is (c, s, p, k), NaN where one gave none."""

    raters: Floats
    rater_names: tuple[str, ...]

    def _taken(self, columns: Iterable[int], systems: Iterable[int]) -> Self:
        places, rows = list(columns), list(systems)
        return replace(super()._taken(places, rows), raters=self.raters[np.ix_(places, rows)])


@dataclass(frozen=True)
class Joined:
    """Metrics and people on the same systems and prompts, and what found no partner."""

    metrics: Cube
    humans: HumanCube
    shared: int
    only_scored: int
    only_rated: int


def cube_of_scores(scores: Scores) -> Cube:
    """A score table as a cube, with the columns' directions."""
    keys, places = _scored(scores)
    return _metrics(scores, keys, places)


def cube_of_ratings(
    ratings: Ratings, as_published: bool = False, *, scale: tuple[float, float] | None = None
) -> HumanCube:
    """Ratings as a cube of means over raters. Where ``scale`` is given, a rating outside it is an error."""
    told = _told(ratings)
    keys: list[Key] = [(id, system) for id, system, _ in told] if ids_come_again(told) else [one[0] for one in told]
    stories: dict[Key, Told] = {}
    for key, one in zip(keys, told, strict=True):
        if stories.setdefault(key, one) != one:
            known = stories[key]
            raise InputError(
                f"the ratings put the story {one[0]!r} under system {known[1]!r}, prompt {known[2]!r} and under system "
                f"{one[1]!r}, prompt {one[2]!r}",
                remedy="a story has one system and one prompt",
            )
    places = place_stories(stories)
    return _humans(ratings, keys, places, as_published, scale)


def join(
    scores: Scores, ratings: Ratings, as_published: bool = False, *, scale: tuple[float, float] | None = None
) -> Joined:
    """Metrics and people side by side, joined by story id; systems and prompts are the scores'.

    Only systems and prompts with a story on both sides are kept. Where ids come again under several systems, stories
    are joined by id and system.
    """
    score_keys, places = _scored(scores)
    told = _told(ratings)
    by_system = any(isinstance(key, tuple) for key in score_keys)
    if by_system and not any(system for _, system, _ in told):
        raise InputError(
            f"the scores use a story id for several systems ({examples_of(score_keys)}), and the ratings name none",
            remedy="give each story an id of its own, or the ratings a column 'system'",
        )
    rating_keys: list[Key] = [(id, system) if by_system else id for id, system, _ in told]
    rated = set(rating_keys)
    shared = [key for key in score_keys if key in rated]
    if not shared:
        raise InputError(
            f"the scores and the ratings share no story id (scores: {examples_of(score_keys)}; "
            f"ratings: {examples_of(rating_keys)})",
            remedy="ids must be spelled alike on both sides",
        )
    if not by_system:
        _same_systems(scores, told)
    kept = places.only(shared)
    return Joined(
        _metrics(scores, score_keys, kept),
        _humans(ratings, rating_keys, kept, as_published, scale),
        shared=len(shared),
        only_scored=len(score_keys) - len(shared),
        only_rated=len(rated) - len(shared),
    )


def _scored(scores: Scores) -> tuple[list[Key], Places]:
    table = scores.to_arrow()
    ids = [str(id) for id in table.column("id").to_pylist()]
    nothing: list[str | None] = [None] * len(ids)
    systems, prompts = (
        table.column(name).to_pylist() if name in table.column_names else nothing for name in ("system", "prompt_id")
    )
    told: list[Told] = list(zip(ids, systems, prompts, strict=True))
    keys: list[Key] = [(id, system) for id, system, _ in told] if ids_come_again(told) else list(ids)
    if twice := [key for key, count in Counter(keys).items() if count > 1]:
        id = twice[0][0] if isinstance(twice[0], tuple) else twice[0]
        raise InputError(f"the scores have the story {id!r} twice", remedy="keep one row a story")
    return keys, place_stories(dict(zip(keys, told, strict=True)))


def _told(ratings: Ratings) -> list[Told]:
    table = ratings.to_arrow()
    return list(zip(*(table.column(name).to_pylist() for name in ("story", "system", "prompt_id")), strict=True))


def _same_systems(scores: Scores, told: list[Told]) -> None:
    table = scores.to_arrow()
    if "system" not in table.column_names:
        return
    scored = dict(zip(map(str, table.column("id").to_pylist()), table.column("system").to_pylist(), strict=True))
    for id, system, _ in told:
        if system is not None and scored.get(id) not in (None, system):
            raise InputError(
                f"the story {id!r} is of system {scored[id]!r} in the scores and of {system!r} in the ratings",
                remedy="the ids of one side belong to other stories; make them agree",
            )


def _metrics(scores: Scores, keys: list[Key], places: Places) -> Cube:
    about = scores.columns
    table = scores.to_arrow()
    values = np.full((len(about), len(places.systems), len(places.prompts) * places.samples), np.nan)
    at = [place for place, key in enumerate(keys) if key in places.of]
    systems, prompts = np.array([places.of[keys[place]] for place in at], dtype=np.intp).reshape(-1, 2).T
    for row, name in enumerate(about):
        column = np.array(table.column(name).to_numpy(zero_copy_only=False), dtype=np.float64)
        values[row, systems, prompts] = column[at]
    directions = tuple(_DIRECTIONS.get(column.direction, "neutral") for column in about.values())
    return Cube(tuple(about), places.systems, places.prompts, values, directions, samples=places.samples)


def _humans(
    ratings: Ratings, keys: list[Key], places: Places, as_published: bool, scale: tuple[float, float] | None
) -> HumanCube:
    table = ratings.to_arrow()
    criteria = {name: place for place, name in enumerate(ratings.criteria)}
    raters = {name: place for place, name in enumerate(ratings.raters)}
    columns_of_prompts = len(places.prompts) * places.samples
    given = np.full((len(criteria), len(places.systems), columns_of_prompts, len(raters)), np.nan)
    columns = (table.column(name).to_pylist() for name in ("criterion", "rater", "value"))
    for key, criterion, rater, value in zip(keys, *columns, strict=True):
        if scale is not None and not scale[0] <= value <= scale[1]:
            raise InputError(
                f"{rater!r} rated the {criterion} of story {name_of(key)!r} {value:g}, which is not on the scale of "
                f"{scale[0]:g} to {scale[1]:g}",
                remedy="mend the rating, or name another scale",
            )
        if key not in places.of:
            continue
        place = (criteria[criterion], *places.of[key], raters[rater])
        if not np.isnan(given[place]):
            raise InputError(
                f"{rater!r} rated the {criterion} of story {name_of(key)!r} twice",
                remedy="keep one rating a rater, story and criterion",
            )
        given[place] = value
    values = published_mean(given) if as_published else exact_mean(given)
    names = tuple(criteria)
    higher = tuple[Direction, ...](_DIRECTIONS["higher"] for _ in names)
    return HumanCube(
        names, places.systems, places.prompts, values, higher, given, tuple(raters), samples=places.samples
    )
