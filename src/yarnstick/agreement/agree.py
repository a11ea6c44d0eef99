"""``agree``: how far each metric agrees with people, with intervals and with rows that need no cleverness."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa

from yarnstick.agreement.agree_notes import about_columns, few_raters, of_one_rating, of_one_value, unmatched
from yarnstick.agreement.correlation import at_level, story_level
from yarnstick.agreement.cube import Cube, HumanCube, join
from yarnstick.agreement.honesty import Plain, people_lines, plain_columns, rated_twice
from yarnstick.agreement.intervals import bootstrap
from yarnstick.agreement.leaders import leaders
from yarnstick.agreement.levels import FEWEST
from yarnstick.agreement.partial import PARTIAL_KINDS, partial
from yarnstick.agreement.raters import rest_of_raters
from yarnstick.agreement.samples import columns_each, laid_out
from yarnstick.agreement.soft_accuracy import soft_pairwise_accuracy
from yarnstick.agreement.types import AGREE_KINDS, LEVELS, SOFT, AgreeKind, Floats, Kind, Level
from yarnstick.errors import InputError, MetricError
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.scores import Scores
from yarnstick.stories.tabular import Tabular, table_of_lines

#: what a line of the table stands for: a metric under test, or one of the rows it has to beat or cannot pass
Role: TypeAlias = Literal["metric", "length", "repetition", "one rater", "ceiling"]
Name = TypeVar("Name", AgreeKind, Level)


@dataclass(frozen=True, slots=True)
class Line:
    """The agreement of one metric with people on one criterion, measured in one way at one level."""

    metric: str
    role: Role
    #: which way the metric itself is better; the agreement is of the metric turned so that more is better
    direction: str
    criterion: str
    level: Level
    kind: AgreeKind
    #: 1 is perfect agreement, 0 none, below 0 the metric prefers what people do not; NaN undefined
    agreement: float
    low: float
    high: float
    #: what is left of it between stories of one length; NaN where lengths are not known
    given_length: float
    #: over how many prompts (story level), systems (system), stories (pooled) or systems (within-system)
    units: int
    #: 1 for the best and all it does not significantly surpass, then 2, ...; 0 for the other rows and the undefined
    cluster: int


@dataclass(frozen=True)
class Agreement(Tabular):
    """Every line, and what to know before believing them."""

    lines: tuple[Line, ...]
    #: one sentence each: what was left out, what is undefined, what is missing
    notes: tuple[str, ...]
    stories: int
    systems: tuple[str, ...]
    prompts: int
    raters: int
    criteria: tuple[str, ...]
    levels: tuple[Level, ...]
    kinds: tuple[AgreeKind, ...]

    def to_arrow(self) -> pa.Table:
        """A row a line."""
        return table_of_lines(self.lines, Line)

    def chosen(self, level: Level, kind: AgreeKind, criterion: str) -> tuple[Line, ...]:
        """The lines of one table column."""
        wanted = (level, kind, criterion)
        return tuple(line for line in self.lines if (line.level, line.kind, line.criterion) == wanted)

    def table(self, level: Level | None = None, kind: AgreeKind | None = None) -> str:
        """The agreement as text, for reading: metrics by criteria, the best first, one table a level and kind."""
        from yarnstick.agreement.agree_text import tables

        return "\n\n".join(tables(self, level, kind))


def agree(
    scores: object,
    ratings: object,
    *,
    stories: object = None,
    metrics: Sequence[str] = (),
    criteria: Sequence[str] = (),
    kinds: Iterable[AgreeKind] = ("kendall",),
    levels: Iterable[Level] = (),
    without: Iterable[str] = (),
    lower: Iterable[str] = (),
    scale: tuple[float, float] | None = None,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """How far each metric of a score table agrees with people.

    ``scores`` and ``ratings`` are tables or files; ``stories`` (anything :func:`yarnstick.read` takes) lets the length
    and the repetition of the stories stand beside the metrics where the score table lacks them. ``metrics`` names score
    columns, ``criteria`` what was rated, all where none is named. ``levels`` is empty
    for all that the data supports: ``story`` and ``system`` where there are systems on shared prompts, ``pooled``
    where there are not. ``without`` names systems to leave out (HANNA leaves out Human). ``lower`` names columns in
    which lower is better, for tables that do not say so themselves. ``scale`` such as (1, 5) refuses ratings off it.

    Where systems told a prompt several times, all stories of a prompt are compared at story level, and a system's mean
    is over all of its stories.
    """
    wanted_kinds = _known(kinds, AGREE_KINDS, "coefficient")
    table, judged = _scores(scores), _ratings(ratings)
    table, plain, notes = plain_columns(table, stories)
    joined = join(table, judged, scale=scale)
    notes += unmatched(joined)
    cube, humans = _turned(joined.metrics, tuple(lower)), joined.humans
    if metrics:
        cube = cube.select(dict.fromkeys([*metrics, *plain.values()]))
    notes += about_columns(cube, plain.values())
    for system in without:
        cube, humans = cube.without(system), humans.without(system)
    if criteria:
        humans = humans.select(criteria)
    notes += of_one_value(cube)
    chosen = _levels(levels, cube, notes)
    asked = _Asked(draws, confidence, seed)
    lines = [
        line
        for level in chosen
        for kind in wanted_kinds
        if kind != SOFT
        for line in (*_of_metrics(cube, humans, plain, level, kind, asked), *_of_people(humans, level, kind, asked))
    ]
    if SOFT in wanted_kinds:
        lines += _softly(cube, humans, plain, asked)
    notes += of_one_rating(humans) + few_raters(humans)
    used = int((~np.isnan(cube.values).all(axis=0) & ~np.isnan(humans.values).all(axis=0)).sum())
    return Agreement(
        tuple(lines), tuple(notes), used, cube.systems, len(cube.prompts), len(humans.rater_names),
        humans.columns, chosen, wanted_kinds,
    )  # fmt: skip


class _Asked(NamedTuple):
    """How intervals are made."""

    draws: int
    confidence: float
    seed: int


def _of_metrics(
    cube: Cube, humans: HumanCube, plain: dict[Plain, str], level: Level, kind: Kind, asked: _Asked
) -> Iterator[Line]:
    """A line a criterion and metric, length and repetition among them."""
    roles = {name: role for role, name in plain.items()}
    x, y = (laid_out(one.values, one.samples, level) for one in (cube.oriented(), humans))
    found = at_level(x, y, kind, level)
    span = bootstrap(x, y, kind, level, **asked._asdict(), each=columns_each(cube.samples, level))
    given = np.full(found.shape, np.nan)
    if "length" in plain and kind in PARTIAL_KINDS:
        given = partial(x, y, x[cube.columns.index(plain["length"])], kind, level)
        given[cube.columns.index(plain["length"])] = np.nan
    units = _units(x, y, kind, level)
    ranks = np.zeros(found.shape, dtype=np.int64)
    tested = [place for place, name in enumerate(cube.columns) if name not in roles]
    ranks[tested] = leaders(x[tested], y, kind, level, found[tested])
    for column, criterion in enumerate(humans.columns):
        for row, name in enumerate(cube.columns):
            at = row, column
            yield Line(
                name, roles.get(name, "metric"), cube.directions[row], criterion, level, kind, float(found[at]),
                float(span.low[at]), float(span.high[at]), float(given[at]), int(units[at]), int(ranks[at]),
            )  # fmt: skip


def _softly(cube: Cube, humans: HumanCube, plain: dict[Plain, str], asked: _Asked) -> Iterator[Line]:
    """Soft pairwise accuracy, which is of systems alone and comes without an interval or a ceiling."""
    roles = {name: role for role, name in plain.items()}
    x, y = (laid_out(one.values, one.samples, "system") for one in (cube.oriented(), humans))
    found = soft_pairwise_accuracy(x, y, draws=asked.draws, seed=asked.seed)
    units = _units(x, y, "kendall", "system")
    for column, criterion in enumerate(humans.columns):
        for row, name in enumerate(cube.columns):
            value, count = float(found[row, column]), int(units[row, column])
            yield Line(
                name, roles.get(name, "metric"), cube.directions[row], criterion, "system", SOFT, value,
                math.nan, math.nan, math.nan, count, 0,
            )  # fmt: skip
        if not rated_twice(humans):
            continue
        raters = np.moveaxis(laid_out(humans.raters[column : column + 1], humans.samples, "system")[0], 2, 0)
        rest = np.moveaxis(rest_of_raters(np.moveaxis(raters, 0, 2)), 2, 0)
        pairs = zip(raters, np.where(np.isnan(raters), np.nan, rest), strict=True)
        each = [soft_pairwise_accuracy(one[None], other[None], draws=asked.draws)[0, 0] for one, other in pairs]
        one_rater = float(np.nanmean(each)) if not np.isnan(each).all() else math.nan
        systems = int(units.max(initial=0))
        yield Line(
            "one rater", "one rater", "higher", criterion, "system", SOFT, one_rater, math.nan, math.nan, math.nan,
            systems, 0,
        )  # fmt: skip


def _of_people(humans: HumanCube, level: Level, kind: Kind, asked: _Asked) -> Iterator[Line]:
    """One rater, and the ceiling."""
    y = laid_out(humans.values, humans.samples, level)
    units = np.diagonal(_units(y, y, kind, level))
    for one in people_lines(humans, kind, level, asked.confidence, asked.seed):
        yield Line(
            one.name, one.name, "higher", one.criterion, level, kind, one.agreement, one.low, one.high, math.nan,
            int(units[humans.columns.index(one.criterion)]), 0,
        )  # fmt: skip


def _scores(given: object) -> Scores:
    return given if isinstance(given, Scores) else Scores.read(given)  # type: ignore[arg-type]


def _ratings(given: object) -> Ratings:
    from yarnstick.stories.ratings import read_ratings

    return read_ratings(given)


def _known(asked: Iterable[Name], known: tuple[Name, ...], what: str) -> tuple[Name, ...]:
    names = tuple(dict.fromkeys(asked))
    for name in names:
        if name not in known:
            raise MetricError(f"there is no {what} {name!r}", remedy=f"choose from: {', '.join(known)}")
    return names


def _levels(asked: Iterable[Level], metrics: Cube, notes: list[str]) -> tuple[Level, ...]:
    given = _known(asked, LEVELS, "level")
    if given:
        return given
    systems, prompts, samples = len(metrics.systems), len(metrics.prompts), metrics.samples
    if samples > 1:
        notes.append(
            f"systems have up to {samples} stories for a prompt: the story level compares all stories of a prompt, and "
            "a system's mean is over all of its stories"
        )
    if systems >= FEWEST:
        return ("story", "system")
    if systems * samples * prompts < FEWEST:
        raise InputError(
            f"{systems * samples * prompts} rated stories are too few for a correlation",
            remedy=f"rate {FEWEST} or more",
        )
    if systems * samples >= FEWEST and prompts > 1:
        return ("story",)
    if systems > 1:
        notes.append(
            f"{systems} systems ({', '.join(metrics.systems)}) are too few for the story and system levels, which "
            f"need {FEWEST}: the agreement is over all stories at once (pooled)"
        )
    return ("pooled",)


def _turned(metrics: Cube, lower: tuple[str, ...]) -> Cube:
    """The cube in which lower is better in these columns, too."""
    metrics.select(lower)  # refuses a name that is no column's
    ways = zip(metrics.columns, metrics.directions, strict=True)
    return replace(metrics, directions=tuple("lower" if name in lower else way for name, way in ways))


def _units(x: Floats, y: Floats, kind: Kind, level: Level) -> Floats:
    """Over how many prompts, systems or stories each agreement is."""
    if level == "story":
        return story_level(x, y, kind).defined.astype(np.float64)
    both = ~np.isnan(x)[:, None] & ~np.isnan(y)[None]
    if level == "pooled":
        return np.asarray(both.sum(axis=(2, 3)), dtype=np.float64)
    return np.asarray(both.any(axis=3).sum(axis=2), dtype=np.float64)
