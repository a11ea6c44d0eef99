"""A text as clouds of points, one a layer: the states of its own tokens at a model's upper layers.

Metrics that compare clouds all start from the same reading, and make of each text what they need once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from yarnstick.errors import MetricError
from yarnstick.features.batch import Batch
from yarnstick.features.embeddings import UPPER, token_layers
from yarnstick.features.memo import Features
from yarnstick.models.encoders import Floats, load_encoder

Made = TypeVar("Made")


def upper_clouds(texts: Sequence[str], features: Features, model: str, layers: int = UPPER) -> list[Floats]:
    """The states [layers, n, d] of each text's own tokens at the last ``layers`` layers, the last one at the end."""
    reads = token_layers(Batch((), features=features), texts, model, range(-layers, 0))
    return [read.layered[:, ~read.special] for read in reads]


def layer_cloud(texts: Sequence[str], features: Features, model: str, layer: int) -> list[Floats]:
    """The states [n, d] of each text's own tokens at one layer."""
    reads = token_layers(Batch((), features=features), texts, model, (layer,))
    return [read.states[~read.special] for read in reads]


def of_stories_and_references(
    batch: Batch, make: Callable[..., Sequence[Made]], **options: Hashable
) -> tuple[list[Made], list[list[Made]]]:
    """``make(texts, features, **options)`` of all stories, and of each story's references, once per distinct text."""
    flat = [text for texts in batch.references for text in texts]
    made = batch.features.together(make, [*batch.stories, *flat], features=batch.features, **options)
    left = iter(made[len(batch) :])
    return made[: len(batch)], [[next(left) for _ in texts] for texts in batch.references]


def check_upper(model: str, layers: int) -> None:
    """Refuse, before any work, a model that is not here or not whole, and more layers than it has."""
    if layers < 1:
        raise MetricError(f"option layers cannot be {layers}", remedy="1 or more")
    load_encoder(model).layer(-layers)
