"""States of tokens and of whole texts, read once per distinct text, model and layers, whoever asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from yarnstick.errors import MetricError
from yarnstick.features.batch import Batch
from yarnstick.models.encoders import DEFAULT_ENCODER, Floats, TokenStates, load_encoder

Value = TypeVar("Value")

POOLINGS = ("mean", "first", "max")
#: layers that are always read together: what the metrics of the literature ask for is among them
UPPER = 5


def token_embeddings(
    batch: Batch, texts: Sequence[str], model: str = DEFAULT_ENCODER, layer: int = -1
) -> list[TokenStates]:
    """The states of each text's tokens at one layer: ``.states`` [n, d]."""
    return token_layers(batch, texts, model, (layer,))


def token_layers(
    batch: Batch, texts: Sequence[str], model: str = DEFAULT_ENCODER, layers: Sequence[int] = (-1,)
) -> list[TokenStates]:
    """The states of each text's tokens at several layers: ``.layered`` [layers, n, d].

    Metrics share one reading: of the last ``UPPER`` layers wherever what they ask for is among them.
    """
    encoder = load_encoder(model)
    wanted = [encoder.layer(number) for number in layers]
    upper = tuple(range(max(0, encoder.layers + 1 - UPPER), encoder.layers + 1))
    held = upper if set(wanted) <= set(upper) else tuple(wanted)
    reads = batch.features.together(_read, texts, model=model, layers=held)
    if list(held) == wanted:
        return reads
    places = [held.index(layer) for layer in wanted]
    # of a single layer a view will do
    chosen = slice(places[0], places[0] + 1) if len(places) == 1 else places
    return [replace(read, layered=read.layered[chosen]) for read in reads]


def sentence_embeddings(
    batch: Batch, texts: Sequence[str], model: str = DEFAULT_ENCODER, layer: int = -1, pooling: str = "mean"
) -> list[Floats]:
    """One vector [d] a text: the mean of all token states, the first of them, or the largest of each dimension.

    Specials count, as in the models that are trained for it. NaN where there is no token.
    """
    return [_pooled(read.states, pooling) for read in token_embeddings(batch, texts, model, layer)]


def check_encoder(model: str, layer: int) -> None:
    """Refuse, before any work, a model that is not here or not whole, and a layer that it does not have."""
    load_encoder(model).layer(layer)


def encoder_stamp(model: str) -> dict[str, str]:
    """For a signature: the digest of weights, configuration and tokenizer, whatever the model is called by."""
    return {"weights": load_encoder(model).identity[:12]}


def each_reference(values: Sequence[Value], references: Sequence[Sequence[str]]) -> list[list[Value]]:
    """What was made of all references in a row, as a list a story again."""
    left = iter(values)
    return [[next(left) for _ in texts] for texts in references]


def _read(texts: Sequence[str], *, model: str, layers: tuple[int, ...]) -> list[TokenStates]:
    return load_encoder(model).tokens(texts, layers)


def _pooled(states: Floats, pooling: str) -> Floats:
    if pooling not in POOLINGS:
        raise MetricError(f"no pooling is called {pooling!r}", remedy=f"one of {', '.join(POOLINGS)}")
    if not len(states):
        return np.full(states.shape[1], np.nan, np.float32)
    if pooling == "first":
        first: Floats = states[0]
        return first
    pooled: Floats = states.max(0) if pooling == "max" else states.mean(0, dtype=np.float64).astype(np.float32)
    return pooled
