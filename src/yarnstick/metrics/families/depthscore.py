"""DepthScore: the distance of two texts' inner regions."""

from __future__ import annotations

from collections.abc import Sequence

from yarnstick.features import Batch
from yarnstick.features.clouds import layer_cloud, of_stories_and_references
from yarnstick.features.embeddings import check_encoder, encoder_stamp
from yarnstick.features.memo import Features
from yarnstick.metrics.card import Column
from yarnstick.metrics.embedding.depth import DIRECTIONS, depth_score, directions, region_supports
from yarnstick.metrics.embedding.transport import Floats
from yarnstick.metrics.option_checks import at_least, checks
from yarnstick.metrics.registry import metric
from yarnstick.models.encoders import DEFAULT_ENCODER

_rules = checks(directions=at_least(1), seed=at_least(0))


def _check(*, model: str, layer: int, directions: int, seed: int) -> None:
    _rules(directions=directions, seed=seed)
    check_encoder(model, layer)


def _stamp(*, model: str, **_: object) -> dict[str, str]:
    return encoder_stamp(model)


@metric(
    name="depthscore",
    family="embedding",
    needs=("story", "reference"),
    columns=[
        Column(
            "DepthScore", "lower", 0, 2, "How far apart the regions are that story and reference hold, inner to outer."
        )
    ],
    cost="heavy",
    paper="Staerman et al. 2021, Colombo et al. 2021 (DepthScore)",
    several_references="the nearest",
    undefined="a story, or all its references, without a single token the model can read",
    caveat="The default model, all-MiniLM-L6-v2, is small and comes inside a Python package; the authors' is "
    "BERT-base, layer 9 of 12. A largest distance over all directions is looked for along some drawn at random, "
    "always the same: more find a larger one. The authors' code takes a signed distance, which depends on which text "
    "comes first.",
    option_help={
        "model": "package:NAME, path:FOLDER or hf:owner/name@revision: an encoder or a decoder",
        "layer": "whose states are compared: 0 the embeddings, 1 and up, or -1 for the last",
        "directions": "how many directions",
        "seed": "of the directions",
    },
    libraries=("tokenizers", "torch", "transformers"),
    check=_check,
    stamp=_stamp,
)
def depthscore(
    batch: Batch, *, model: str = DEFAULT_ENCODER, layer: int = -1, directions: int = DIRECTIONS, seed: int = 0
) -> list[float]:
    """How far apart the clouds of story and reference are, from their innermost tokens to most of them."""
    stories, references = of_stories_and_references(
        batch, _regions, model=model, layer=layer, count=directions, seed=seed
    )
    scores = []
    for story, several in zip(stories, references, strict=True):
        found = [depth_score(story, one) for one in several]
        scores.append(min((score for score in found if score == score), default=float("nan")))
    return scores


def _regions(
    texts: Sequence[str], *, features: Features, model: str, layer: int, count: int, seed: int
) -> list[Floats]:
    return [
        region_supports(states, directions(states.shape[1], count, seed))
        for states in layer_cloud(texts, features, model, layer)
    ]
