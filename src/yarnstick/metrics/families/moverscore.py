"""MoverScore: how little of a story has to be moved to become a reference."""

from __future__ import annotations

from collections.abc import Sequence

from yarnstick.features import Batch
from yarnstick.features.clouds import check_upper, layer_cloud, of_stories_and_references, upper_clouds
from yarnstick.features.embeddings import UPPER, encoder_stamp
from yarnstick.features.memo import Features
from yarnstick.metrics.card import Column
from yarnstick.metrics.embedding.mover import mover_score, ngram_cloud, power_means
from yarnstick.metrics.embedding.transport import Floats
from yarnstick.metrics.option_checks import checks, one_of
from yarnstick.metrics.registry import metric
from yarnstick.models.encoders import DEFAULT_ENCODER
from yarnstick.optional import require

_rules = checks(pooling=one_of("last", "means"))


def _check(*, model: str, ngram: int, pooling: str) -> None:
    checks(ngram=lambda value: "" if value in (1, 2) else "1 or 2")(ngram=ngram)
    _rules(pooling=pooling)
    require("ot", "MoverScore")
    check_upper(model, UPPER if pooling == "means" else 1)


def _stamp(*, model: str, **_: object) -> dict[str, str]:
    return encoder_stamp(model)


@metric(
    name="moverscore",
    family="embedding",
    needs=("story", "reference"),
    columns=[
        Column(
            "MoverScore",
            "higher",
            -1,
            1,
            "One less the distance that the story's tokens have to be moved, on average, to become a reference's.",
        )
    ],
    cost="heavy",
    paper="Zhao et al. 2019 (MoverScore)",
    several_references="the nearest",
    undefined="a story, or all its references, without a single token the model can read",
    caveat="The default model, all-MiniLM-L6-v2, is small and comes inside a Python package; the paper's is BERT-base "
    "fine-tuned on MNLI. All tokens weigh alike, punctuation and parts of words too, where the authors leave those "
    "out. A text of more than 1024 tokens is moved in runs of neighbouring tokens, not cut. What is left when a "
    "good story tells of something else is low: it asks for likeness, not for quality.",
    option_help={
        "model": "package:NAME, path:FOLDER or hf:owner/name@revision: an encoder or a decoder",
        "ngram": "1: tokens are moved; 2: pairs of neighbours",
        "pooling": "last: the last layer's states; means: mean, largest and least of the last five layers' (the paper)",
    },
    libraries=("POT", "tokenizers", "torch", "transformers"),
    check=_check,
    stamp=_stamp,
)
def moverscore(batch: Batch, *, model: str = DEFAULT_ENCODER, ngram: int = 1, pooling: str = "last") -> list[float]:
    """How little the story's tokens have to be moved to become a reference's, in a model's states."""
    stories, references = of_stories_and_references(batch, _clouds, model=model, ngram=ngram, pooling=pooling)
    scores = []
    for story, several in zip(stories, references, strict=True):
        found = [mover_score(story, one) for one in several]
        scores.append(max((score for score in found if score == score), default=float("nan")))
    return scores


def _clouds(
    texts: Sequence[str], *, features: Features, model: str, ngram: int, pooling: str
) -> list[tuple[Floats, Floats]]:
    if pooling == "means":
        return [ngram_cloud(power_means(layers), n=ngram) for layers in upper_clouds(texts, features, model)]
    return [ngram_cloud(states, n=ngram) for states in layer_cloud(texts, features, model, -1)]
