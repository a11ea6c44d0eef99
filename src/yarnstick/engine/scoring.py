"""``score``: the whole way from stories to a table of scores, in Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa

from yarnstick.engine.plan import make_plan
from yarnstick.engine.pool import Pool
from yarnstick.engine.run import run, score_schema
from yarnstick.engine.store import ScoreStore
from yarnstick.engine.survey import survey
from yarnstick.metrics.request import Request
from yarnstick.stories.problems import OnError, Problems
from yarnstick.stories.reading import read
from yarnstick.stories.scores import Scores


def score(
    stories: object,
    metrics: Request | Iterable[Request],
    *,
    preset: str | None = None,
    workers: int = 1,
    batch_size: int = 64,
    store: str | os.PathLike[str] | None = None,
    on_error: OnError = "raise",
    columns: Mapping[str, str] | None = None,
    **reading: Any,
) -> Scores:
    """Score stories with metrics.

    ``stories`` is anything :func:`yarnstick.read` takes, ``metrics`` names (``"chrf"``, ``"chrf:beta=3"``,
    ``("chrf", {"beta": 3})``) or groups (``"hanna-string"``). ``store`` names a folder that remembers every score:
    the same call after a kill goes on where it stopped, and one with more stories or metrics computes only those.

    >>> score(["A goose. A goose."], "length")["Text length"]
    [6.0]
    """
    plan = make_plan(metrics, preset)
    problems = Problems(on_error)
    read_in = read(stories, columns=columns, **reading)
    failures: list[str] = []
    with ExitStack() as stack:
        pool = stack.enter_context(Pool(workers))
        _, plan = survey(read_in, plan, problems)
        opened = stack.enter_context(ScoreStore(Path(store))) if store is not None else None
        batches = list(
            run(
                read_in,
                plan,
                store=opened,
                pool=pool,
                batch_size=batch_size,
                problems=Problems(on_error),
                on_failure=failures.append,
            )
        )
    if problems.count or failures:
        import warnings

        warnings.warn("; ".join([*problems.summary(), *failures]), stacklevel=2)
    return Scores(pa.Table.from_batches(batches, schema=score_schema(plan)))
