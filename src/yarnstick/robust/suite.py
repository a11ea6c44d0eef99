"""``robustness``: stories are damaged, and changed harmlessly; what do the scores of metrics do?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from yarnstick.agreement.robustness import Change, Robustness
from yarnstick.agreement.robustness import robustness as judge
from yarnstick.agreement.spans import UNKNOWN, Span
from yarnstick.agreement.types import Floats
from yarnstick.engine import score
from yarnstick.errors import InputError
from yarnstick.metrics.request import Request
from yarnstick.robust.damaged import damaged, pool_of, techniques_of
from yarnstick.robust.harmless import HARMLESS
from yarnstick.stories import Scores, Story, StorySet, read
from yarnstick.stories.problems import OnError, Problems
from yarnstick.stories.tabular import Tabular, table_of_lines
from yarnstick.union.perturb import read_recipe

#: ``damage``: does the score fall? ``degrees``: does it fall further with more? ``harmless``: does it stay?
Test: TypeAlias = Literal["damage", "degrees", "harmless"]


@dataclass(frozen=True, slots=True)
class Line:
    """One metric under one change at one degree (0: over all degrees)."""

    metric: str
    #: which way the metric is better; its scores are turned so that more is better
    direction: str
    test: Test
    change: str
    degree: int
    #: stories that could be so changed and have both scores
    stories: int
    #: damage: the share of stories whose score falls. degrees: the correlation of score with degree within a story, -1
    #: is perfect. harmless: the share of stories whose score stays within the tolerance
    value: float
    low: float
    high: float
    #: by how much the score falls (damage) or moves (harmless) on average, in its own units
    shift: float
    shift_low: float
    shift_high: float
    #: the same in standard deviations of the scores of the stories as they were
    shift_in_deviations: float
    #: damage: the chance that a story scores higher than a damaged one, whichever
    auc: float
    auc_low: float
    auc_high: float


@dataclass(frozen=True)
class StoryRobustness(Tabular):
    """Every line, and what to know of them."""

    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    stories: int
    metrics: tuple[str, ...]
    degrees: int
    #: within how many standard deviations a score counts as unchanged
    tolerance: float

    def to_arrow(self) -> pa.Table:
        """A row a line."""
        return table_of_lines(self.lines, Line)

    def of(self, metric: str) -> tuple[Line, ...]:
        """The lines of one metric."""
        return tuple(line for line in self.lines if line.metric == metric)

    def table(self) -> str:
        """All of it as text, for reading: a summary, then a table a metric."""
        from yarnstick.robust.suite_text import tables

        return "\n\n".join(tables(self))


@dataclass(frozen=True, slots=True)
class Version:
    """All stories changed in one way; ``texts`` has None for those that could not be."""

    change: Change
    texts: tuple[str | None, ...]


def robustness(
    stories: object,
    metrics: Request | Iterable[Request],
    *,
    techniques: Sequence[str] = (),
    harmless: Sequence[str] = (),
    degrees: int = 3,
    recipe: str = "wide",
    tolerance: float = 0.05,
    confidence: float = 0.95,
    seed: int = 1,
    preset: str | None = None,
    workers: int = 1,
    on_error: OnError = "raise",
    on_version: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> StoryRobustness:
    """Whether metrics notice damage, more of it with more of it, and overlook what does not matter.

    Every story is damaged by each of the ``techniques`` of ``yarnstick perturb`` (all the recipe has, where none is
    named) at 1 to ``degrees`` degrees, each the one before and more; and changed in the ways of
    :data:`yarnstick.robust.harmless.HARMLESS`. Prompts and references stay. A score that moves by no more than
    ``tolerance`` standard deviations of the stories' scores counts as unchanged. ``on_version`` hears how many of how
    many versions of the stories are scored.
    """
    asked = read(stories, **reading)
    told = list(asked.told(Problems(on_error)))
    if not told:
        raise InputError("there are no stories", file=asked.origin, remedy="is it the right file?")
    made = list(versions(told, techniques, harmless, degrees=degrees, recipe=recipe, seed=seed))
    made, notes = _usable(made)
    if not made:
        raise InputError(
            "no story could be changed in any way", file=asked.origin, remedy="stories need two sentences or more"
        )
    requests = [metrics] if isinstance(metrics, str | tuple) else list(metrics)
    scored = partial(score, metrics=requests, preset=preset, workers=workers, on_error=on_error)
    before = scored(StorySet.of(told, asked.origin))
    columns = before.columns
    changed: dict[Change, Floats] = {}
    for place, version in enumerate(made):
        on_version(place, len(made))
        after = scored(StorySet.of(_told(told, version), asked.origin))
        kept = np.array([text is not None for text in version.texts])
        changed[version.change] = np.where(kept, _oriented(after), np.nan)
    names = tuple(columns)
    found = judge(_oriented(before), changed, names, tolerance=tolerance, confidence=confidence)
    ways = {name: column.direction for name, column in columns.items()}
    return StoryRobustness(tuple(_lines(found, ways)), tuple(notes), len(told), names, degrees, tolerance)


def versions(
    stories: Sequence[Story],
    techniques: Sequence[str] = (),
    harmless: Sequence[str] = (),
    *,
    degrees: int = 3,
    recipe: str = "wide",
    seed: int = 1,
) -> Iterator[Version]:
    """The stories damaged by each technique at each degree, and changed in each harmless way."""
    texts, chosen = [story.text for story in stories], read_recipe(recipe)
    pool = pool_of(texts, seed)
    for name in harmless:
        if name not in HARMLESS:
            raise InputError(f"there is no harmless change {name!r}", remedy=f"there is {', '.join(HARMLESS)}")
    for technique in techniques_of(chosen, techniques):
        made = list(damaged(texts, technique, chosen, pool, degrees=degrees, seed=seed))
        for degree in range(1, degrees + 1):
            at_degree = (each[degree - 1] if degree <= len(each) else None for each in made)
            yield Version(Change(technique, degree), tuple(at_degree))
    for name in dict.fromkeys(harmless) or HARMLESS:
        changed = (HARMLESS[name](text) for text in texts)
        pairs = zip(texts, changed, strict=True)
        yield Version(Change(name, 1, harmful=False), tuple(new if new != old else None for old, new in pairs))


def _usable(made: list[Version]) -> tuple[list[Version], list[str]]:
    """Those that changed any story, and which did not."""
    usable = [version for version in made if any(text is not None for text in version.texts)]
    never = [version.change for version in made if version not in usable]
    names = [f"{change.name}{f' at degree {change.strength:g}' if change.harmful else ''}" for change in never]
    return usable, [f"no story could be changed by: {', '.join(names)}"] if names else []


def _told(stories: Sequence[Story], version: Version) -> list[Story]:
    """The whole set, also what could not be changed: metrics that look at the set must see one of the same size."""
    pairs = zip(stories, version.texts, strict=True)
    return [story if text is None else replace(story, text=text) for story, text in pairs]


def _oriented(scores: Scores) -> Floats:
    """(columns, stories), more is better; NaN where undefined."""
    table = scores.to_arrow()
    rows = [
        np.array(table.column(name).to_numpy(zero_copy_only=False), dtype=np.float64)
        * (-1 if column.direction == "lower" else 1)
        for name, column in scores.columns.items()
    ]
    return np.stack(rows)


def _lines(found: Robustness, ways: dict[str, str]) -> Iterator[Line]:
    for metric, way in ways.items():
        for one in found.discrimination:
            if one.metric == metric:
                yield _line(
                    metric, way, "damage", one.change, one.stories, one.falls, one.falls_interval,
                    (one.fall, *one.fall_interval, one.fall_in_deviations), (one.auc, *one.auc_interval),
                )  # fmt: skip
        for gradient in found.gradients:
            if gradient.metric == metric and len(gradient.strengths) > 1:
                yield _line(
                    metric, way, "degrees", Change(gradient.name, 0), gradient.stories, gradient.correlation,
                    gradient.interval,
                )  # fmt: skip
        for other in found.invariance:
            if other.metric == metric:
                yield _line(
                    metric, way, "harmless", other.change, other.stories, other.unchanged, other.unchanged_interval,
                    (other.moved, *other.moved_interval, other.moved_in_deviations),
                )  # fmt: skip


def _line(
    metric: str,
    way: str,
    test: Test,
    change: Change,
    stories: int,
    value: float,
    interval: Span,
    shift: tuple[float, ...] = (math.nan, *UNKNOWN, math.nan),
    auc: tuple[float, ...] = (math.nan, *UNKNOWN),
) -> Line:
    return Line(metric, way, test, change.name, int(change.strength), stories, value, *interval, *shift, *auc)
