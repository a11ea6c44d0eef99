"""Rows that need no cleverness: how far length, repetition and one more person agree with people, and the ceiling.

A metric that does not beat the length of the story has told nobody anything; one that reaches the ceiling cannot be
improved with these ratings.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from yarnstick.agreement.ceiling import empirical_ceiling
from yarnstick.agreement.cube import HumanCube
from yarnstick.agreement.samples import columns_each, laid_out
from yarnstick.agreement.types import Kind, Level
from yarnstick.stories.scores import Scores

Plain: TypeAlias = Literal["length", "repetition"]

#: the columns that measure them, the first that a table has is taken
PLAIN_COLUMNS: dict[Plain, tuple[str, ...]] = {
    "length": ("Text length", "Words"),
    "repetition": ("Repetition-3", "Repetition-2", "Repetition-1"),
}
#: the metric that gives the first of those columns
_METRICS: dict[Plain, str] = {"length": "length", "repetition": "repetition"}


class Honest(NamedTuple):
    """How one of the rows agrees with people on a criterion."""

    name: Literal["one rater", "ceiling"]
    criterion: str
    agreement: float
    low: float
    high: float


def plain_columns(scores: Scores, stories: object) -> tuple[Scores, dict[Plain, str], list[str]]:
    """The score table with length and repetition in it, which columns these are, and what is missing.

    Columns the table has are used; the others are computed from ``stories`` where these are given.
    """
    found = {role: _first(scores, names) for role, names in PLAIN_COLUMNS.items()}
    lacking = [role for role, name in found.items() if name is None]
    if lacking and stories is not None:
        scores = _with_columns(scores, stories, lacking)
        found = {role: _first(scores, names) for role, names in PLAIN_COLUMNS.items()}
    notes = []
    if missing := [role for role, name in found.items() if name is None]:
        notes.append(
            f"the rows for {' and '.join(missing)} are missing, since the score table has no such column: "
            "give the stories too (--stories FILE), or score them with -m length,repetition"
        )
    return scores, {role: name for role, name in found.items() if name is not None}, notes


def people_lines(humans: HumanCube, kind: Kind, level: Level, confidence: float, seed: int) -> list[Honest]:
    """One human rater against the mean of the rest, and the ceiling, for every criterion."""
    if not rated_twice(humans):
        return []
    raters, each = laid_out(humans.raters, humans.samples, level), columns_each(humans.samples, level)
    found = empirical_ceiling(raters, kind, level, confidence=confidence, seed=seed, each=each)
    lines = []
    for place, criterion in enumerate(humans.columns):
        one = (float(found.one_rater[place]), float(found.one_rater_low[place]), float(found.one_rater_high[place]))
        lines.append(Honest("one rater", criterion, *one))
        top = (float(found.ceiling[place]), float(found.low[place]), float(found.high[place]))
        lines.append(Honest("ceiling", criterion, *top))
    return lines


def rated_twice(humans: HumanCube) -> bool:
    """Whether any story has two ratings on a criterion, without which nothing can be known of how far people agree."""
    return bool(((~np.isnan(humans.raters)).sum(axis=-1) >= 2).any())


def _first(scores: Scores, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in scores.columns), None)


def _with_columns(scores: Scores, stories: object, roles: list[Plain]) -> Scores:
    """The table with what is lacking computed from the stories; a row without its story stays undefined."""
    from yarnstick.engine import score

    plain = score(stories, [_METRICS[role] for role in roles]).to_arrow()
    table = scores.to_arrow()
    # Ids may come again under several systems: a story is told by both where both sides have systems.
    keys = ["id"] + (["system"] if "system" in table.column_names else [])
    places = {
        key: place for place, key in enumerate(zip(*(plain.column(name).to_pylist() for name in keys), strict=True))
    }
    rows = [places.get(key) for key in zip(*(table.column(name).to_pylist() for name in keys), strict=True)]
    taken = pa.array(rows, pa.int64())
    for role in roles:
        name = next(name for name in PLAIN_COLUMNS[role] if name in plain.column_names)
        field = plain.schema.field(name)
        table = table.append_column(field, plain.column(name).combine_chunks().take(taken))
    return Scores(table)
