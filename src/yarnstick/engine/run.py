"""Run a plan over stories: batches out in the order they came in, nothing computed twice, nothing lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from yarnstick.engine.keys import Keys, row_keys
from yarnstick.engine.plan import Plan
from yarnstick.engine.pool import Pool
from yarnstick.engine.store import Known, ScoreStore
from yarnstick.engine.work import Done, Task, Values
from yarnstick.metrics.card import NEEDS
from yarnstick.stories.problems import Problems
from yarnstick.stories.scores import KEY_FIELDS
from yarnstick.stories.storyset import StorySet

#: called with (stories done, of which were known already, of which were known in part: some of their scores)
OnProgress: TypeAlias = Callable[[int, int, int], None]

_CHUNK = 1024
_TASK_CHARACTERS = 200_000
#: chunks that may be under way at once: enough that no worker waits while the slowest task of a chunk ends
_CHUNKS_UNDER_WAY = 3


def score_schema(plan: Plan) -> pa.Schema:
    """The schema of the score table a plan gives."""
    return pa.schema([*KEY_FIELDS, *(column.field() for column in plan.columns)])


def run(
    stories: StorySet,
    plan: Plan,
    *,
    store: ScoreStore | None = None,
    pool: Pool | None = None,
    batch_size: int = 64,
    problems: Problems | None = None,
    on_progress: OnProgress | None = None,
    on_failure: Callable[[str], None] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Score tables, batch by batch, in the order of the stories. ``store`` and ``pool``, if given, are already open."""
    problems = problems or Problems()
    schema = score_schema(plan)
    known = [store.known(str(metric.signature)) if store else None for metric in plan.metrics]
    report = on_failure or (lambda message: None)
    pool = pool or Pool()
    pool.use(plan)
    under_way: deque[_Chunk] = deque()
    for rows in stories.batches(_CHUNK, problems):
        under_way.append(_begin(rows, plan, known, pool, batch_size, problems.on_error == "skip", on_progress))
        if len(under_way) >= _CHUNKS_UNDER_WAY:
            yield _finish(under_way.popleft(), plan, store, schema, on_progress, report)
    while under_way:
        yield _finish(under_way.popleft(), plan, store, schema, on_progress, report)


@dataclass(slots=True)
class _Pending:
    """A task handed in: the chunk's rows it scores, and how to wait for it."""

    places: NDArray[np.intp]
    metrics: tuple[int, ...]
    wait: Callable[[], Done]


@dataclass(slots=True)
class _Chunk:
    """Rows under way: values as they become known, one array a metric."""

    rows: pa.RecordBatch
    keys: list[Keys]
    values: list[Values]
    #: for every row, the first row with the same text and context: only that one is scored
    twin: NDArray[np.intp]
    pending: list[_Pending] = field(default_factory=list)


def _begin(
    rows: pa.RecordBatch,
    plan: Plan,
    known: Sequence[Known | None],
    pool: Pool,
    batch_size: int,
    skip_failures: bool,
    on_progress: OnProgress | None,
) -> _Chunk:
    by_fields = {fields: row_keys(rows, fields) for fields in {metric.depends_on for metric in plan.metrics}}
    keys = [by_fields[metric.depends_on] for metric in plan.metrics]
    values, missing = [], np.zeros((rows.num_rows, len(plan.metrics)), bool)
    for place, metric in enumerate(plan.metrics):
        columns, stored = len(metric.chosen.columns), known[place]
        values.append(stored.look_up(keys[place], columns) if stored else np.full((rows.num_rows, columns), np.nan))
        missing[:, place] = ~stored.has(keys[place]) if stored else True
    chunk = _Chunk(rows, keys, values, _twins(rows))
    first = chunk.twin == np.arange(rows.num_rows)
    patterns, pattern_of = np.unique(missing, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        wanted = tuple(int(place) for place in np.flatnonzero(pattern))
        of_pattern = pattern_of.reshape(-1) == number
        if not wanted:
            if on_progress:
                on_progress(int(of_pattern.sum()), int(of_pattern.sum()), 0)
            continue
        if on_progress and (copies := int((of_pattern & ~first).sum())):
            on_progress(copies, 0, copies if len(wanted) < len(plan.metrics) else 0)
        for places in _tasks(rows, np.flatnonzero(of_pattern & first), batch_size):
            task = Task(rows.take(pa.array(places)), wanted, skip_failures)
            chunk.pending.append(_Pending(places, wanted, pool.submit(task)))
    return chunk


def _finish(
    chunk: _Chunk,
    plan: Plan,
    store: ScoreStore | None,
    schema: pa.Schema,
    on_progress: OnProgress | None,
    on_failure: Callable[[str], None],
) -> pa.RecordBatch:
    for pending in chunk.pending:
        done = pending.wait()
        for message in done.failures:
            on_failure(message)
        for place, scores in zip(pending.metrics, done.values, strict=True):
            chunk.values[place][pending.places] = scores
            if store is not None and not done.failures:
                store.add(str(plan.metrics[place].signature), chunk.keys[place][pending.places], scores)
        if store is not None:
            store.flush_when_due()  # not between two metrics: what is kept of a story is kept whole
        if on_progress:
            scored = len(pending.places)
            on_progress(scored, 0, scored if len(pending.metrics) < len(plan.metrics) else 0)
    for values in chunk.values:
        values[:] = values[chunk.twin]
    columns = [chunk.rows.column(name) for name in ("id", "system", "prompt_id")]
    for values in chunk.values:
        # Undefined is missing, not NaN: every format and every library understands a null.
        columns += [pa.array(values[:, place], from_pandas=True) for place in range(values.shape[1])]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _twins(rows: pa.RecordBatch) -> NDArray[np.intp]:
    first: dict[bytes, int] = {}
    return np.array(
        [first.setdefault(key.tobytes(), place) for place, key in enumerate(row_keys(rows, NEEDS))],
        dtype=np.intp,
    )


def _tasks(rows: pa.RecordBatch, places: NDArray[np.intp], batch_size: int) -> Iterator[NDArray[np.intp]]:
    """Cut rows into tasks of like length: even work for the workers, little padding for the kernels."""
    lengths = [len(rows.column("story")[int(place)].as_py()) for place in places]
    held: list[int] = []
    characters = 0
    for rank in np.argsort(lengths, kind="stable")[::-1]:
        held.append(int(places[rank]))
        characters += lengths[rank]
        if len(held) >= batch_size or characters >= _TASK_CHARACTERS:
            yield np.array(held, dtype=np.intp)
            held, characters = [], 0
    if held:
        yield np.array(held, dtype=np.intp)
