"""Score one batch with some metrics: the piece of work that is handed to a process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from yarnstick.engine.plan import Plan, Planned
from yarnstick.engine.survey import batch_of, lacks
from yarnstick.errors import MetricError, YarnstickError
from yarnstick.features import Batch, Features

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Task:
    """Some rows, and which of the plan's metrics they still lack."""

    rows: pa.RecordBatch
    metrics: tuple[int, ...]
    skip_failures: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """The scores of a task: one array [rows, columns] a metric, and what failed where failing is allowed."""

    values: list[Values]
    failures: list[str]


def do_task(plan: Plan, task: Task, features: Features) -> Done:
    """Score a task's rows. ``features`` lives as long as the process, so shared texts are prepared once."""
    batch = batch_of(task.rows, features=features)
    values: list[Values] = []
    failures: list[str] = []
    for place in task.metrics:
        values.append(_score(plan.metrics[place], batch, task, failures))
    several = [tuple(references) for references in batch.references]
    features.end_batch([*batch.prompts, *several, *(reference for references in several for reference in references)])
    return Done(values, failures)


def _score(metric: Planned, batch: Batch, task: Task, failures: list[str]) -> Values:
    values = np.full((len(batch), len(metric.chosen.columns)), np.nan)
    absent = np.zeros(len(batch), bool)
    for need in metric.needs:
        absent |= np.array(lacks(task.rows, need), bool)
    present = np.flatnonzero(~absent)
    if len(present):
        part = replace(_rows(batch, present) if len(present) < len(batch) else batch, corpus=metric.corpus)
        ids = [task.rows.column("id")[int(place)].as_py() for place in present]
        values[present] = _call(metric, part, ids, task.skip_failures, failures)
    return values


def _call(metric: Planned, batch: Batch, ids: Sequence[str], skip: bool, failures: list[str]) -> Values:
    try:
        return _as_values(metric, metric.chosen.metric.function(batch, **metric.chosen.options), len(batch))
    except YarnstickError:
        raise
    except Exception as error:
        if len(batch) > 1:
            # Find the story that is to blame: the user can mend a story, not a batch.
            parts = [
                _call(metric, _rows(batch, np.array([place])), [ids[place]], skip, failures)
                for place in range(len(batch))
            ]
            return np.concatenate(parts)
        message = f"{metric.name} failed on story {ids[0]!r}: {type(error).__name__}: {error}"
        if not skip:
            raise MetricError(message, remedy="leave the metric out, mend the story, or --on-error skip") from error
        failures.append(message)
        return np.full((1, len(metric.chosen.columns)), np.nan)


def _rows(batch: Batch, places: NDArray[np.intp]) -> Batch:
    def take(values: Sequence[Any]) -> list[Any]:
        return [values[int(place)] for place in places]

    return replace(
        batch,
        stories=take(batch.stories),
        prompts=take(batch.prompts),
        references=take(batch.references),
        systems=take(batch.systems),
    )


def _as_values(metric: Planned, result: Any, rows: int) -> Values:
    """What the metric returned as an array [rows, columns], or an error that says what it should have returned."""
    columns = metric.chosen.columns
    if isinstance(result, Mapping):
        if set(result) != {column.name for column in columns}:
            raise MetricError(
                f"{metric.name} returned columns {sorted(result)} where its card promises "
                f"{sorted(column.name for column in columns)}"
            )
        parts = [np.asarray(result[column.name], dtype=np.float64) for column in columns]
    elif len(columns) == 1:
        parts = [np.asarray(result, dtype=np.float64)]
    else:
        raise MetricError(f"{metric.name} has several columns: it must return a dict of column name to scores")
    for column, part in zip(columns, parts, strict=True):
        if part.shape != (rows,):
            raise MetricError(
                f"{metric.name} returned {part.shape} scores for {column.name!r} where it was given {rows} stories"
            )
    return np.stack(parts, axis=1)
