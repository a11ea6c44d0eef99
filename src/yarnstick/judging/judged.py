"""What a judge said: ratings like a person's, reasons, what failed, what it cost, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import pyarrow as pa

from yarnstick.judging.answers import Answer
from yarnstick.judging.asking import Spent
from yarnstick.judging.bias import Checks, check
from yarnstick.judging.bias_text import report
from yarnstick.judging.designs import Design
from yarnstick.metrics.signature import Signature
from yarnstick.stories.ratings import RATING_SCHEMA, Ratings
from yarnstick.stories.scores import KEY_FIELDS, ScoreColumn, Scores
from yarnstick.stories.story import Story
from yarnstick.version import __version__

_REASONS = pa.schema([*RATING_SCHEMA, pa.field("why", pa.string())])


class Judgement(NamedTuple):
    """One answer: the story, which sample, who signs, the criteria in the order they were asked."""

    story: Story
    sample: int
    rater: str
    asked: tuple[str, ...]
    answer: Answer


class Judged:
    """The judgements of a run."""

    def __init__(
        self,
        judgements: Sequence[Judgement],
        failures: Sequence[str],
        spent: Spent,
        design: Design,
        criteria: Sequence[str],
        about: Mapping[str, str],
    ) -> None:
        self.judgements = list(judgements)
        #: a line for every question without a usable answer
        self.failures = list(failures)
        #: calls made by this run and the tokens the judge counted; kept answers cost nothing
        self.spent = spent
        self.design = design
        #: in the order they were named
        self.criteria = tuple(criteria)
        #: model and settings, as the signature of a score column has them
        self.about = dict(about)

    @cached_property
    def ratings(self) -> Ratings:
        """A row a story, criterion and sample, the judge as the rater."""
        return Ratings(self.reasons().select(RATING_SCHEMA.names))

    def reasons(self) -> pa.Table:
        """The ratings with the reason the judge gave for each, where it was asked for one."""
        rows = [
            {
                "story": told.story.id,
                "criterion": name,
                "rater": told.rater,
                "value": float(told.answer.ratings[name]),
                "system": told.story.system,
                "prompt_id": told.story.prompt_id,
                "why": told.answer.reasons.get(name),
            }
            for told in self.judgements
            for name in self.criteria
        ]
        return pa.Table.from_pylist(rows, schema=_REASONS)

    def scores(self) -> Scores:
        """The mean over samples as a score table, so that ``agree`` measures the judge as it measures a metric."""
        stories = {(told.story.id, told.story.system): told.story for told in self.judgements}
        means = {name: self._means(name) for name in self.criteria}
        keys = [[story.id for story in stories.values()], [story.system for story in stories.values()]]
        keys.append([story.prompt_id for story in stories.values()])
        fields = [self._column(name).field() for name in self.criteria]
        values = [pa.array([means[name][key] for key in stories], pa.float64()) for name in self.criteria]
        columns = [pa.array(key, pa.string()) for key in keys]
        return Scores(pa.Table.from_arrays([*columns, *values], schema=pa.schema([*KEY_FIELDS, *fields])))

    @cached_property
    def checks(self) -> Checks:
        """How ratings go with length, with repeating the question and with the order of the criteria."""
        return check(
            [told.story.text for told in self.judgements],
            [(told.story.id, told.story.system) for told in self.judgements],
            [told.sample for told in self.judgements],
            [{name: float(value) for name, value in told.answer.ratings.items()} for told in self.judgements],
            [told.asked for told in self.judgements],
            self.criteria,
        )

    def report(self) -> str:
        """The checks as text."""
        return report(self.checks)

    def __len__(self) -> int:
        return len(self.judgements)

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<Judged by {self.about['model']} ({self.design.name}): {len(self)} answers{failed}>"

    def _means(self, name: str) -> dict[tuple[str, str | None], float]:
        held: dict[tuple[str, str | None], list[int]] = {}
        for told in self.judgements:
            held.setdefault((told.story.id, told.story.system), []).append(told.answer.ratings[name])
        return {key: sum(values) / len(values) for key, values in held.items()}

    def _column(self, name: str) -> ScoreColumn:
        return ScoreColumn(
            f"Judge {name}",
            str(Signature("judge", {**self.about, "yarnstick": __version__})),
            "higher",
            float(self.design.low),
            float(self.design.high),
            f"{name} as a language model rates it, the mean over {self.about['samples']} answers",
        )
