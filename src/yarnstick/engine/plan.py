"""What is to be computed: the metrics, their settings, what each needs of a story, what each column is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from yarnstick.metrics.card import NEEDS, Need
from yarnstick.metrics.request import Chosen, Request, choose
from yarnstick.metrics.signature import Signature
from yarnstick.stories.scores import ScoreColumn


@dataclass(frozen=True, slots=True)
class Planned:
    """A metric with everything decided but the stories."""

    chosen: Chosen
    signature: Signature
    #: what ``prepare`` made of the whole set, for metrics that look at it first
    corpus: Any = None

    @property
    def name(self) -> str:
        return self.chosen.metric.name

    @property
    def needs(self) -> tuple[Need, ...]:
        return self.chosen.metric.card.needs

    @property
    def depends_on(self) -> tuple[Need, ...]:
        """The fields a score is a function of: the key under which it is stored covers them, and no others."""
        if self.chosen.metric.prepare is not None:
            return NEEDS
        return self.needs

    def score_columns(self) -> list[ScoreColumn]:
        """The columns of the score table, each with its own signature."""
        return [
            ScoreColumn(
                name,
                str(self.signature.for_column(column.name)),
                column.direction,
                column.low,
                column.high,
                column.meaning,
            )
            for name, column in zip(self.chosen.names, self.chosen.columns, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Plan:
    """All the metrics of a run."""

    metrics: tuple[Planned, ...]

    @property
    def columns(self) -> list[ScoreColumn]:
        """Every column of the score table, in order."""
        return [column for metric in self.metrics for column in metric.score_columns()]

    def needing(self, need: Need) -> list[str]:
        """The names of the metrics that need this field."""
        return [metric.name for metric in self.metrics if need in metric.needs]

    def with_corpora(self, corpora: Mapping[int, tuple[Any, str]]) -> Plan:
        """The plan once the whole set has been looked at: state and name of the corpus, by the metric's place."""
        metrics = list(self.metrics)
        for place, (state, digest) in corpora.items():
            chosen = metrics[place].chosen
            signature = Signature.of(chosen.metric.card, chosen.options, corpus=digest)
            metrics[place] = replace(metrics[place], corpus=state, signature=signature)
        return Plan(tuple(metrics))


def make_plan(requests: Request | Iterable[Request], preset: str | None = None) -> Plan:
    """Decide what was asked for; unknown metrics and bad settings are errors here, before any story is read."""
    return Plan(
        tuple(Planned(chosen, Signature.of(chosen.metric.card, chosen.options)) for chosen in choose(requests, preset))
    )
