"""BaryScore: the distance of two texts, each the barycentre of a model's layers."""

from __future__ import annotations

from collections.abc import Sequence

from yarnstick.features import Batch
from yarnstick.features.clouds import check_upper, of_stories_and_references, upper_clouds
from yarnstick.features.embeddings import UPPER, encoder_stamp
from yarnstick.features.memo import Features
from yarnstick.metrics.card import Column
from yarnstick.metrics.embedding.bary import PRICES, Barycentre, bary_scores, barycentre
from yarnstick.metrics.registry import metric
from yarnstick.models.encoders import DEFAULT_ENCODER
from yarnstick.optional import require

_NAMES = ("BaryScore-W", *(f"BaryScore-SD-{price:g}" for price in PRICES))


def _check(*, model: str, layers: int, debiased: bool) -> None:
    require("ot", "BaryScore")
    check_upper(model, layers)


def _stamp(*, model: str, **_: object) -> dict[str, str]:
    return encoder_stamp(model)


@metric(
    name="baryscore",
    family="embedding",
    needs=("story", "reference"),
    columns=[
        Column(_NAMES[0], "lower", 0, 4, "Squared Wasserstein distance of story and reference."),
        *(
            Column(name, "lower", 0, 4, f"Sinkhorn divergence of story and reference at a price of {price:g}.")
            for name, price in zip(_NAMES[1:], PRICES, strict=True)
        ),
    ],
    cost="heavy",
    paper="Colombo et al. 2021 (BaryScore)",
    several_references="the nearest, for each column by itself",
    undefined="a story, or all its references, without a single token the model can read",
    caveat="The default model, all-MiniLM-L6-v2, is small and comes inside a Python package; the paper's is BERT-base. "
    "The authors' code gives, under SD, the cost of the plan alone and not the divergence, so that a text is not at 0 "
    "from itself, and at low prices what their iterations leave when numbers underflow (HANNA's SD-0.001 has values "
    "of 1e-178). All tokens weigh alike. A text of more than 1024 tokens is compared in runs of neighbouring tokens. "
    "At high prices it is the distance of the two texts' means.",
    option_help={
        "model": "package:NAME, path:FOLDER or hf:owner/name@revision: an encoder or a decoder",
        "layers": "how many of the last layers make the barycentre",
        "debiased": "no: SD is the cost of the entropic plan alone, as in the authors' code and HANNA's columns",
    },
    presets={"hanna": {"debiased": False}},
    libraries=("POT", "tokenizers", "torch", "transformers"),
    check=_check,
    stamp=_stamp,
)
def baryscore(
    batch: Batch, *, model: str = DEFAULT_ENCODER, layers: int = UPPER, debiased: bool = True
) -> dict[str, list[float]]:
    """How far the story's tokens are from a reference's, each token placed by several layers of a model."""
    stories, references = of_stories_and_references(batch, _barycentres, model=model, layers=layers)
    found: dict[str, list[float]] = {name: [] for name in _NAMES}
    for story, several in zip(stories, references, strict=True):
        rows = []
        for one in several:
            exact, divergences = bary_scores(story, one, debiased=debiased)
            rows.append([exact, *divergences.values()])
        defined = [row for row in rows if row[0] == row[0]]
        for place, name in enumerate(_NAMES):
            found[name].append(min((row[place] for row in defined), default=float("nan")))
    return found


def _barycentres(texts: Sequence[str], *, features: Features, model: str, layers: int) -> list[Barycentre]:
    return [barycentre(clouds) for clouds in upper_clouds(texts, features, model, layers)]
