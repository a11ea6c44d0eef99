"""What is asked of whom, how often and how: checked before anything is asked, and its cost foreseen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from yarnstick.errors import InputError, MetricError
from yarnstick.judging.asking import Question, key_of
from yarnstick.judging.cache import AnswerCache
from yarnstick.judging.cost import Estimate, Prices, estimate
from yarnstick.judging.criteria import Criterion, chosen_criteria
from yarnstick.judging.designs import Design, check_story, chosen_design, conversation
from yarnstick.judging.models import JudgeModel
from yarnstick.judging.orders import check_order, in_order
from yarnstick.stories.story import Story


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of whom, how often and how."""

    model: JudgeModel
    design: Design
    criteria: tuple[Criterion, ...]
    samples: int = 1
    order: str = "given"
    seed: int = 0
    repairs: int = 2
    again: bool = False
    rater: str = ""

    def question(self, story: Story, sample: int) -> Question:
        """What is asked of a story for the sample, from 0."""
        criteria = self._ordered(sample)
        return Question(conversation(story, self.design, criteria), self.design.form(criteria), sample)

    def asked(self, sample: int) -> tuple[str, ...]:
        """The names of the criteria in the order they are asked in the sample."""
        return tuple(criterion.name for criterion in self._ordered(sample))

    def rater_of(self, sample: int) -> str:
        """What the ratings of a sample are signed with."""
        name = self.rater or f"{self.model.name}/{self.design.name}"
        return f"{name}#{sample + 1}" if self.samples > 1 else name

    def about(self) -> dict[str, str]:
        """What the numbers depend on, for their signature."""
        known = self.model.identity
        return {
            "model": self.model.name,
            **{name: str(known[name]) for name in ("sha256", "temperature") if name in known},
            "design": self.design.name,
            "scale": f"{self.design.low}-{self.design.high}",
            "samples": str(self.samples),
            "order": self.order,
        }

    def _ordered(self, sample: int) -> tuple[Criterion, ...]:
        return in_order(self.criteria, self.order, sample, self.seed)


def make_plan(
    model: JudgeModel,
    *,
    design: str = "rate",
    criteria: Iterable[str] = (),
    scale: tuple[int, int] = (1, 5),
    samples: int = 1,
    order: str = "given",
    seed: int = 0,
    repairs: int = 2,
    again: bool = False,
    rater: str = "",
) -> Plan:
    """A plan whose parts are checked."""
    if samples < 1 or repairs < 0:
        raise MetricError("samples must be 1 or more, repairs 0 or more")
    check_order(order)
    chosen = chosen_design(design, *scale)
    return Plan(model, chosen, chosen_criteria(criteria), samples, order, seed, repairs, again, rater)


def open_model(
    model: str, endpoint: str, *, temperature: float | None, samples: int, settings: dict[str, Any]
) -> JudgeModel:
    """The judge of this name. Asked once it takes the likeliest answer; asked several times it draws, unless told."""
    if not model:
        raise InputError("no model is named", remedy="name the model that is to judge")
    heat = temperature if temperature is not None else (0.0 if samples == 1 else 1.0)
    if heat < 0:
        raise MetricError(f"a temperature of {heat:g} does not exist", remedy="0 or more")
    try:
        if endpoint:
            from yarnstick.judging.endpoint import Endpoint

            return Endpoint(endpoint, model, temperature=heat, **settings)
        from yarnstick.judging.local import LocalModel

        return LocalModel(model, temperature=heat, **settings)
    except TypeError as error:
        raise MetricError(f"a setting of the judge does not exist: {error}") from error


def gathered(stories: Iterable[Story], plan: Plan) -> list[Story]:
    """The stories, each of which has what is asked about it."""
    held = list(stories)
    if not held:
        raise InputError("there is no story to judge")
    seen: set[tuple[str, str | None]] = set()
    for story in held:
        check_story(story, plan.design, plan.criteria)
        if (story.id, story.system) in seen:
            raise InputError(f"two stories are called {story.id!r}", remedy="give each an id of its own")
        seen.add((story.id, story.system))
    return held


def foreseen(stories: Sequence[Story], plan: Plan, cache: AnswerCache, prices: Prices) -> Estimate:
    """What the run will cost, kept answers taken off."""
    met: set[str] = set()

    def asked() -> Iterable[tuple[Question, bool]]:
        for story in stories:
            for sample in range(plan.samples):
                question = plan.question(story, sample)
                key = key_of(plan.model, question)
                yield question, key in met or cache.get(key) is not None
                met.add(key)

    return estimate(asked(), prices)
