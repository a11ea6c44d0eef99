"""``judge``: stories to a model, its answers to ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from yarnstick.errors import MetricError, YarnstickError
from yarnstick.judging.answers import Answer
from yarnstick.judging.asking import Spent, ask, key_of
from yarnstick.judging.cache import AnswerCache
from yarnstick.judging.cost import Prices
from yarnstick.judging.judged import Judged, Judgement
from yarnstick.judging.models import CallFailedError, JudgeGoneError
from yarnstick.judging.plan import Plan, foreseen, gathered, make_plan, open_model
from yarnstick.stories.reading import read
from yarnstick.stories.story import Story

#: questions that get no answer, one after the other, before the judge is held to be gone
_GONE_AFTER = 3
#: questions without a usable answer, and none with one, before the judge is held to be unfit
_UNFIT_AFTER = 10

#: told (questions done, of which known already, of which known in part)
OnProgress = Callable[[int, int, int], None]


def judge(
    stories: object,
    model: str = "",
    *,
    endpoint: str = "",
    design: str = "rate",
    criteria: Iterable[str] = (),
    scale: tuple[int, int] = (1, 5),
    samples: int = 1,
    order: str = "given",
    temperature: float | None = None,
    seed: int = 0,
    cache: str | Path | None = None,
    prices: tuple[float, float] | None = None,
    max_cost: float | None = None,
    repairs: int = 2,
    again: bool = False,
    rater: str = "",
    on_progress: OnProgress | None = None,
    **settings: Any,
) -> Judged:
    """Ratings of stories by a language model, to be treated like a person's.

    ``model`` is the name an OpenAI-compatible ``endpoint`` knows it by or, without one, a causal model on this machine
    (``path:``, ``package:``). ``cache`` is a file that keeps every answer, so that no question is paid for twice.
    With ``max_cost``, which needs ``prices`` per million tokens in and out, a run foreseen to cost more is refused.
    ``settings`` are those of :class:`~yarnstick.judging.endpoint.Endpoint` or, for a model on this machine,
    :class:`~yarnstick.judging.local.LocalModel`. What each means stands in ``docs/judge.md``.
    """
    asked = open_model(model, endpoint, temperature=temperature, samples=samples, settings=settings)
    plan = make_plan(
        asked, design=design, criteria=criteria, scale=scale, samples=samples, order=order, seed=seed, repairs=repairs,
        again=again, rater=rater,
    )  # fmt: skip
    held = gathered(read(stories).told(), plan)
    known_prices = Prices(*prices) if prices else Prices()
    with AnswerCache(Path(cache) if cache else None) as answers:
        if max_cost is not None:
            price = foreseen(held, plan, answers, known_prices).price
            if price is None:
                raise MetricError("max_cost needs prices", remedy="prices=(per million tokens in, out)")
            if price > max_cost:
                raise MetricError(f"the run would cost about {price:.2f}, more than {max_cost:.2f}")
        return run(held, plan, answers, on_progress)


class _Place(NamedTuple):
    """Where a question stands: its story, its sample."""

    story: int
    sample: int


def run(stories: Sequence[Story], plan: Plan, cache: AnswerCache, on_progress: OnProgress | None = None) -> Judged:
    """Ask everything, several questions at once; the ratings come in the order of the stories.

    What fails is left out and told in ``failures``. A judge that refuses, or is gone, ends the run with an error;
    the answers until then are in the cache.
    """
    answers: dict[_Place, Answer] = {}
    failures: dict[_Place, str] = {}
    spent = Spent()
    silent = 0
    last: YarnstickError | None = None
    same: dict[str, list[_Place]] = {}
    for place in (_Place(at, sample) for at in range(len(stories)) for sample in range(plan.samples)):
        same.setdefault(key_of(plan.model, plan.question(stories[place.story], place.sample)), []).append(place)
    waiting = iter(same.values())  # the same text twice is one question

    def one(place: _Place) -> tuple[Answer, Spent]:
        cost = Spent()
        question = plan.question(stories[place.story], place.sample)
        answer = ask(plan.model, question, cache, repairs=plan.repairs, again=plan.again, spent=cost)
        return answer, cost

    running: dict[Future[tuple[Answer, Spent]], list[_Place]] = {}
    with ThreadPoolExecutor(max(1, plan.model.at_once)) as pool:
        try:
            while True:
                for places in islice(waiting, plan.model.at_once - len(running)):
                    running[pool.submit(one, places[0])] = places
                if not running:
                    break
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    places = running.pop(future)
                    known = False
                    try:
                        answer, cost = future.result()
                    except CallFailedError as failure:
                        silent, last = silent + isinstance(failure, JudgeGoneError), failure
                        failures |= dict.fromkeys(places, str(failure))
                        if silent >= _GONE_AFTER:
                            raise
                    else:
                        silent, known = (silent if cost.calls == 0 else 0), cost.calls == 0
                        spent.add(cost)
                        for place in places:
                            if answer.problem:
                                failures[place] = f"the answer cannot be used: {answer.problem}"
                            else:
                                answers[place] = answer
                    if not answers and len(failures) >= _UNFIT_AFTER:
                        raise last or _unfit(plan, failures)
                    if on_progress:
                        on_progress(len(places), len(places) if known else 0, 0)
        except BaseException:
            plan.model.stop()  # what is under way is paid for and still kept; nothing new is begun
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    if not answers:
        raise last or _unfit(plan, failures)
    told = [
        Judgement(stories[at], sample, plan.rater_of(sample), plan.asked(sample), answers[_Place(at, sample)])
        for at, sample in sorted(answers)
    ]
    lines = [
        f"story {stories[at].id!r}, {plan.rater_of(sample)}: {why}" for (at, sample), why in sorted(failures.items())
    ]
    return Judged(told, lines, spent, plan.design, [criterion.name for criterion in plan.criteria], plan.about())


def _unfit(plan: Plan, failures: dict[_Place, str]) -> MetricError:
    return MetricError(
        f"no answer of {plan.model.name} so far can be used: {next(iter(failures.values()))}",
        remedy="choose a more capable model, raise --max-tokens, or ask --again",
    )
