"""One reading of the stories before any work starts: what is wrong is said now, not after an hour.

It counts the stories, refuses what the chosen metrics cannot do without, and lets corpus metrics
(CIDEr's document frequencies, self-BLEU's other stories) look at the whole set.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from yarnstick.engine.keys import digest_of_keys, row_keys
from yarnstick.engine.plan import Plan, Planned
from yarnstick.errors import InputError, MetricError
from yarnstick.features import Batch
from yarnstick.metrics.card import NEEDS, Need
from yarnstick.stories.problems import Problems
from yarnstick.stories.storyset import StorySet

_REMEDIES: dict[Need, str] = {
    "prompt": "add a prompt column, name it with --map prompt=COLUMN",
    "reference": "add a reference column, name it with --map reference=COLUMN",
    "system": "add a system column, name it with --map system=COLUMN",
}
_FIELD_OF: dict[Need, str] = {"prompt": "prompt", "reference": "references", "system": "system"}


@dataclass(slots=True)
class Survey:
    """What the first reading found."""

    stories: int = 0
    empty: int = 0
    #: stories that lack a field some metric needs (only where rows may be skipped)
    lacking: dict[Need, int] = field(default_factory=dict)

    def notes(self) -> list[str]:
        """Lines worth telling the user."""
        notes = []
        if self.empty:
            notes.append(f"{_stories(self.empty)} empty")
        for need, count in self.lacking.items():
            notes.append(f"{_stories(count)} without a {need}: scores that need one are missing there")
        return notes


def survey(stories: StorySet, plan: Plan, problems: Problems) -> tuple[Survey, Plan]:
    """Read everything once; returns what was found, and the plan with its corpora."""
    found = Survey()
    needed: list[Need] = [need for need in _FIELD_OF if plan.needing(need)]
    corpus_metrics = [place for place, metric in enumerate(plan.metrics) if metric.chosen.metric.prepare is not None]
    digest = 0
    for batch in stories.batches(problems=problems):
        found.stories += batch.num_rows
        found.empty += sum(1 for story in batch.column("story").to_pylist() if not story.strip())
        for need in needed:
            _check_need(batch, need, plan, stories.origin, problems.on_error == "skip", found)
        if corpus_metrics:
            digest = digest_of_keys(row_keys(batch, NEEDS), digest)
    if not found.stories:
        raise InputError(
            "holds no story that can be scored", file=stories.origin, remedy="it should hold at least one story"
        )
    corpora = {place: (_prepare(plan.metrics[place], stories, problems), f"{digest:016x}") for place in corpus_metrics}
    return found, plan.with_corpora(corpora)


def batch_of(rows: pa.RecordBatch, **more: Any) -> Batch:
    """The metric's view of some rows."""
    return Batch(
        stories=rows.column("story").to_pylist(),
        prompts=[prompt or "" for prompt in rows.column("prompt").to_pylist()],
        references=rows.column("references").to_pylist(),
        systems=[system or "" for system in rows.column("system").to_pylist()],
        **more,
    )


def lacks(rows: pa.RecordBatch, need: Need) -> list[bool]:
    """Which rows do not have this field."""
    if need == "story":
        return [False] * rows.num_rows
    values = rows.column(_FIELD_OF[need]).to_pylist()
    return [value is None or value == [] for value in values]


def _check_need(rows: pa.RecordBatch, need: Need, plan: Plan, origin: str, may_skip: bool, found: Survey) -> None:
    missing = lacks(rows, need)
    if not any(missing):
        return
    if may_skip:
        found.lacking[need] = found.lacking.get(need, 0) + sum(missing)
        return
    place = missing.index(True)
    asking = plan.needing(need)
    id, verb = rows.column("id")[place].as_py(), "needs" if len(asking) == 1 else "need"
    raise InputError(
        f"story {id!r} has no {need}, which {_and(asking)} {verb}",
        file=origin,
        line=rows.column("line")[place].as_py(),
        remedy=f"{_REMEDIES[need]}, leave {_and(asking)} out, or leave such stories unscored: --on-error skip",
    )


def _prepare(metric: Planned, stories: StorySet, problems: Problems) -> Any:
    prepare = metric.chosen.metric.prepare
    if prepare is None:
        return None
    wanted = inspect.signature(prepare).parameters
    options = {name: value for name, value in metric.chosen.options.items() if name in wanted}
    # What is wrong with the rows was met and counted in the first reading.
    silent = Problems(problems.on_error)

    def batches() -> Iterator[Batch]:
        for rows in stories.batches(problems=silent):
            batch = batch_of(rows)
            yield batch

    try:
        return prepare(batches(), **options)
    except (InputError, MetricError):
        raise
    except Exception as error:
        raise MetricError(
            f"{metric.name} failed while looking at the whole set: {type(error).__name__}: {error}"
        ) from error


def _and(names: list[str]) -> str:
    unique = list(dict.fromkeys(names))
    return unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])} and {unique[-1]}"


def _stories(count: int) -> str:
    return "1 story is" if count == 1 else f"{count} stories are"
