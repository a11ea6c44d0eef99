"""Similarities of pooled or matched states: the plain ways, which the clever ones have to beat."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from yarnstick.features import Batch
from yarnstick.features.embeddings import (
    POOLINGS,
    check_encoder,
    each_reference,
    encoder_stamp,
    sentence_embeddings,
    token_embeddings,
)
from yarnstick.metrics.card import Column
from yarnstick.metrics.embedding.bertscore_score import Floats
from yarnstick.metrics.embedding.pooled import average, cosine, extrema, greedy
from yarnstick.metrics.option_checks import checks, one_of
from yarnstick.metrics.registry import metric
from yarnstick.models.encoders import DEFAULT_ENCODER

_HELP = {
    "model": "package:NAME, path:FOLDER or hf:owner/name@revision: an encoder or a decoder",
    "layer": "whose states are used: 0 the embeddings, 1 and up, or -1 for the last",
    "pooling": "what one vector is made of all tokens' states: mean, first (of a model trained so) or max",
}
_PAPER = "after Liu et al. 2016 (How NOT to evaluate your dialogue system)"
_UNDEFINED = "a story or all its references without a single token the model can read"
_SEVERAL = "the best reference"
_LIBRARIES = ("tokenizers", "torch", "transformers")
_CAVEAT = (
    "The papers used static word vectors; here the states of a model's tokens, the default all-MiniLM-L6-v2. Long "
    "texts are read whole, in windows that overlap by a quarter. Long stories are all alike to it: much of a text's "
    "meaning is lost in one vector."
)

One = TypeVar("One")


def _check(*, model: str, layer: int) -> None:
    check_encoder(model, layer)


def _stamp(*, model: str, layer: int) -> dict[str, str]:
    return encoder_stamp(model)


def _check_pooled(*, model: str, layer: int, pooling: str) -> None:
    checks(pooling=one_of(*POOLINGS))(pooling=pooling)
    check_encoder(model, layer)


def _stamp_pooled(*, model: str, layer: int, pooling: str) -> dict[str, str]:
    return encoder_stamp(model)


@metric(
    name="embedding-average",
    family="embedding",
    needs=("story", "reference"),
    columns=[Column("Embedding average", "higher", -1, 1, "Cosine of the means of the two texts' token states.")],
    cost="heavy",
    paper=_PAPER,
    several_references=_SEVERAL,
    undefined=_UNDEFINED,
    caveat=_CAVEAT,
    option_help=_HELP,
    libraries=_LIBRARIES,
    check=_check,
    stamp=_stamp,
)
def embedding_average(batch: Batch, *, model: str = DEFAULT_ENCODER, layer: int = -1) -> list[float]:
    """How alike story and reference are once each is the mean of its tokens' states."""
    return _of_tokens(batch, model, layer, lambda one, other: cosine(average(one), average(other)))


@metric(
    name="embedding-greedy",
    family="embedding",
    needs=("story", "reference"),
    columns=[
        Column("Embedding greedy", "higher", -1, 1, "Mean cosine of each token with the nearest of the other text.")
    ],
    cost="heavy",
    paper=f"Rus and Lintean 2012, {_PAPER}",
    several_references=_SEVERAL,
    undefined=_UNDEFINED,
    caveat=f"BERTScore without specials, and with a plain mean of both directions. {_CAVEAT}",
    option_help=_HELP,
    libraries=_LIBRARIES,
    check=_check,
    stamp=_stamp,
)
def embedding_greedy(batch: Batch, *, model: str = DEFAULT_ENCODER, layer: int = -1) -> list[float]:
    """How near each token is to the nearest of the other text, both ways, halved."""
    return _of_tokens(batch, model, layer, greedy)


@metric(
    name="embedding-extrema",
    family="embedding",
    needs=("story", "reference"),
    columns=[
        Column("Embedding extrema", "higher", -1, 1, "Cosine of the two texts' furthest values in each dimension.")
    ],
    cost="heavy",
    paper=f"Forgues et al. 2014, {_PAPER}",
    several_references=_SEVERAL,
    undefined=_UNDEFINED,
    caveat=_CAVEAT,
    option_help=_HELP,
    libraries=_LIBRARIES,
    check=_check,
    stamp=_stamp,
)
def embedding_extrema(batch: Batch, *, model: str = DEFAULT_ENCODER, layer: int = -1) -> list[float]:
    """How alike story and reference are once each is the furthest value of each dimension."""
    return _of_tokens(batch, model, layer, lambda one, other: cosine(extrema(one), extrema(other)))


@metric(
    name="sentence-embedding",
    family="embedding",
    needs=("story", "reference"),
    columns=[Column("Sentence embedding", "higher", -1, 1, "Cosine of the vectors the model makes of whole texts.")],
    cost="heavy",
    paper="Reimers and Gurevych 2019 (Sentence-BERT)",
    several_references=_SEVERAL,
    undefined="a story or all its references without a single token, specials included",
    caveat="The default, all-MiniLM-L6-v2, was trained for this on texts of up to 256 tokens. Longer texts are read "
    "whole, in windows that overlap by a quarter.",
    option_help=_HELP,
    libraries=_LIBRARIES,
    check=_check_pooled,
    stamp=_stamp_pooled,
)
def sentence_embedding(
    batch: Batch, *, model: str = DEFAULT_ENCODER, layer: int = -1, pooling: str = "mean"
) -> list[float]:
    """How alike story and reference are to a model that was trained to give like texts like vectors."""
    flat = [text for texts in batch.references for text in texts]
    vectors = sentence_embeddings(batch, [*batch.stories, *flat], model, layer, pooling)
    return _best(vectors[: len(batch)], each_reference(vectors[len(batch) :], batch.references), cosine)


def _of_tokens(batch: Batch, model: str, layer: int, similar: Callable[[Floats, Floats], float]) -> list[float]:
    flat = [text for texts in batch.references for text in texts]
    own = [read.states[~read.special] for read in token_embeddings(batch, [*batch.stories, *flat], model, layer)]
    return _best(own[: len(batch)], each_reference(own[len(batch) :], batch.references), similar)


def _best(
    stories: Sequence[One], references: Sequence[Sequence[One]], similar: Callable[[One, One], float]
) -> list[float]:
    """The highest similarity with a reference, of those where there is one."""
    scores = []
    for story, several in zip(stories, references, strict=True):
        values = [similar(story, reference) for reference in several]
        scores.append(max((value for value in values if value == value), default=math.nan))
    return scores
