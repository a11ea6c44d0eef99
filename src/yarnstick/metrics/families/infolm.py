"""InfoLM: how far apart story and reference are as distributions over what a model would put into their gaps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from yarnstick.errors import MetricError
from yarnstick.features import Batch
from yarnstick.metrics import information_measures as measures
from yarnstick.metrics.card import Column, OptionValue
from yarnstick.metrics.information_measures import Measure
from yarnstick.metrics.registry import metric

#: the greatest value of each measure; None where there is none
_RANGES: dict[str, float | None] = {
    "fisher-rao": np.pi,
    "kl": None,
    "alpha": None,
    "beta": None,
    "ab": None,
    "renyi": None,
    "l1": 2.0,
    "l2": 2**0.5,
    "l-infinity": 1.0,
}


def _check(*, model: str, measure: str, alpha: float, beta: float, temperature: float) -> None:
    from yarnstick.models.language_models import open_language_model

    if measure not in _RANGES:
        raise MetricError(f"option measure cannot be {measure!r}", remedy=f"one of {', '.join(_RANGES)}")
    if measure in ("alpha", "renyi", "ab") and not (alpha > 0 and (measure == "ab" or alpha < 1)):
        wanted = "more than 0" if measure == "ab" else "between 0 and 1"
        raise MetricError(f"option alpha cannot be {alpha:g} with {measure}", remedy=wanted)
    if measure in ("beta", "ab") and not beta > 0:
        raise MetricError(f"option beta cannot be {beta:g} with {measure}", remedy="more than 0")
    if not 0.01 <= temperature <= 100:
        raise MetricError(f"option temperature cannot be {temperature:g}", remedy="from 0.01 to 100")
    if not model:
        raise MetricError(
            "infolm comes without a model: no package carries a masked language model with its head",
            remedy="name one: infolm:model=path:FOLDER or hf:google-bert/bert-base-uncased",
        )
    open_language_model("masked", model)


def _stamp(*, model: str, measure: str, alpha: float, beta: float, temperature: float) -> dict[str, str]:
    from yarnstick.models.language_models import stamp_of

    return {"weights": stamp_of(model)}


def _columns(options: Mapping[str, OptionValue]) -> tuple[Column, ...]:
    high = _RANGES.get(str(options["measure"]))
    meaning = "How far apart what a model would put into the story's and into the reference's gaps is."
    return (Column("InfoLM", "lower", 0, high, meaning),)


@metric(
    name="infolm",
    family="language model",
    needs=("story", "reference"),
    columns=_columns,
    cost="heavy",
    paper="Colombo, Clavel and Piantanida 2022 (InfoLM)",
    several_references="the nearest reference counts",
    undefined="a story or a reference without any token",
    caveat=(
        "Every token is hidden in turn, so that a text of n tokens is read n times: a GPU is wanted for long stories. "
        "Every hidden token weighs the same (the paper's weights by rarity need a corpus). Texts longer than the "
        "model's window are read in windows that overlap by half, each gap where most is around it; the published code "
        "cut them. The papers used hf:google-bert/bert-base-uncased."
    ),
    option_help={
        "model": "path:FOLDER or hf:owner/name: a masked language model with its head",
        "measure": "fisher-rao, kl, alpha, beta, ab, renyi, l1, l2 or l-infinity; of the reference from the story "
        "where it is not symmetric",
        "alpha": "of alpha and renyi (between 0 and 1) and of ab (more than 0)",
        "beta": "of beta and ab, more than 0",
        "temperature": "below 1 sharpens what the model would put into the gaps",
    },
    libraries=("torch", "transformers"),
    check=_check,
    stamp=_stamp,
)
def infolm(
    batch: Batch,
    *,
    model: str = "",
    measure: str = "fisher-rao",
    alpha: float = 0.5,
    beta: float = 0.5,
    temperature: float = 0.25,
) -> list[float]:
    """How far apart story and reference are in what a masked language model would put into their gaps."""
    from yarnstick.features.log_probabilities import gap_distributions

    texts = [*batch.stories, *(human for humans in batch.references for human in humans)]
    made = batch.features.together(gap_distributions, texts, model=model, temperature=temperature)
    of = dict(zip(texts, made, strict=True))
    between = _measure(measure, alpha, beta)
    scores = []
    for story, humans in zip(batch.stories, batch.references, strict=True):
        near = [between(of[human], of[story]) for human in humans if len(of[human]) and len(of[story])]
        scores.append(min(near) if near else float("nan"))
    return scores


def _measure(name: str, alpha: float, beta: float) -> Measure:
    return {
        "fisher-rao": measures.fisher_rao,
        "kl": measures.kullback_leibler,
        "alpha": lambda p, q: measures.alpha_divergence(p, q, alpha),
        "beta": lambda p, q: measures.beta_divergence(p, q, beta),
        "ab": lambda p, q: measures.ab_divergence(p, q, alpha, beta),
        "renyi": lambda p, q: measures.renyi(p, q, alpha),
        "l1": measures.l1,
        "l2": measures.l2,
        "l-infinity": measures.l_infinity,
    }[name]
