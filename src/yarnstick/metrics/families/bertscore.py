"""BERTScore, plain and with rare words weighing more."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from yarnstick.features import Batch
from yarnstick.features.embeddings import (
    check_encoder,
    each_reference,
    encoder_stamp,
    token_embeddings,
)
from yarnstick.metrics.bertscore_baseline import (
    NONE,
    baseline_texts,
    compute_baseline,
    digest_of_texts,
    rescaled,
)
from yarnstick.metrics.card import Column, OptionValue
from yarnstick.metrics.embedding.bertscore_score import BertScore, Floats, Rarity, bertscore
from yarnstick.metrics.registry import metric
from yarnstick.models.encoders import DEFAULT_ENCODER, TokenStates, load_encoder

_HELP = {
    "model": "package:NAME, path:FOLDER or hf:owner/name@revision: an encoder or a decoder",
    "layer": "whose states are compared: 0 the embeddings, 1 and up, or -1 for the last",
    "rescale": "no; sample: stories of the bundled sample that have nothing to do with each other become 0 "
    "(reckoned for whatever model is named); or a file with such stories, one a line",
}
_PRESETS: Mapping[str, Mapping[str, OptionValue]] = {"paper": {"model": "hf:roberta-large", "layer": 17}}
_CAVEAT = (
    "The default model, all-MiniLM-L6-v2, is small and comes inside a Python package; the paper's usual one is "
    "roberta-large at layer 17 (preset=paper). Scores of different models or layers cannot be compared. Texts longer "
    "than the model's window are read whole, in windows that overlap by a quarter; the authors' program cuts them off. "
    "A story that says the same in other words scores high; one that is as good and says something else does not."
)
_SEVERAL = "the best reference, for each column by itself"
_LIBRARIES = ("tokenizers", "torch", "transformers")
#: the weight of each of a text's tokens
_Weigh = Callable[[TokenStates], Floats]


def _columns(name: str) -> Callable[[Mapping[str, OptionValue]], tuple[Column, ...]]:
    weighed = " Rare tokens weigh more." if name.endswith("IDF") else ""

    def columns(options: Mapping[str, OptionValue]) -> tuple[Column, ...]:
        low = -1.0 if options["rescale"] == NONE else None
        return (
            Column(
                f"{name} Precision", "higher", low, 1, f"How near the story's tokens are to a reference's.{weighed}"
            ),
            Column(f"{name} Recall", "higher", low, 1, f"How near a reference's tokens are to the story's.{weighed}"),
            Column(f"{name} F1", "higher", low, 1, f"The harmonic mean of precision and recall.{weighed}"),
        )

    return columns


def _check(*, model: str, layer: int, rescale: str) -> None:
    check_encoder(model, layer)
    if rescale != NONE:
        baseline_texts(rescale)


def _stamp(*, model: str, layer: int, rescale: str) -> dict[str, str]:
    baseline = {} if rescale == NONE else {"baseline": digest_of_texts(baseline_texts(rescale))}
    return {**encoder_stamp(model), **baseline}


@metric(
    name="bertscore",
    family="embedding",
    needs=("story", "reference"),
    columns=_columns("BERTScore"),
    cost="heavy",
    paper="Zhang et al. 2020 (BERTScore)",
    several_references=_SEVERAL,
    caveat=_CAVEAT,
    option_help=_HELP,
    presets=_PRESETS,
    libraries=_LIBRARIES,
    check=_check,
    stamp=_stamp,
)
def bertscore_plain(
    batch: Batch, *, model: str = DEFAULT_ENCODER, layer: int = -1, rescale: str = NONE
) -> dict[str, list[float]]:
    """How near each token of a story is to the nearest of a reference, and the other way round, in a model's states."""
    return _named("BERTScore", _scores(batch, _alike, model, layer, rescale))


def _rarity(batches: Iterable[Batch], *, model: str = DEFAULT_ENCODER) -> Rarity:
    """In how many references each token occurs; one that several stories share counts for each, as with the authors."""
    encoder = load_encoder(model)
    rarity = Rarity()
    for batch in batches:
        references = [text for texts in batch.references or () for text in texts or ()]
        for ids in encoder.token_ids(references):
            rarity.add(ids)
    return rarity


@metric(
    name="bertscore-idf",
    family="embedding",
    needs=("story", "reference"),
    columns=_columns("BERTScore-IDF"),
    cost="heavy",
    paper="Zhang et al. 2020 (BERTScore), with inverse document frequencies",
    several_references=_SEVERAL,
    undefined="a text all of whose tokens are in every reference of the set",
    caveat=f"Depends on the whole set: a token's weight is log((N + 1) / (n + 1)), in n of the set's N references. "
    f"{_CAVEAT}",
    option_help=_HELP,
    presets=_PRESETS,
    libraries=_LIBRARIES,
    prepare=_rarity,
    check=_check,
    stamp=_stamp,
)
def bertscore_idf(
    batch: Batch, *, model: str = DEFAULT_ENCODER, layer: int = -1, rescale: str = NONE
) -> dict[str, list[float]]:
    """BERTScore in which a token weighs the more the fewer of the set's references have it."""
    rarity: Rarity = batch.corpus
    return _named("BERTScore-IDF", _scores(batch, lambda read: _rare(read, rarity), model, layer, rescale))


def _scores(batch: Batch, weigh: _Weigh, model: str, layer: int, rescale: str) -> list[BertScore]:
    flat = [text for texts in batch.references for text in texts]
    reads = token_embeddings(batch, [*batch.stories, *flat], model, layer)
    stories, references = reads[: len(batch)], each_reference(reads[len(batch) :], batch.references)
    scores = [
        _best([bertscore(story.states, one.states, weigh(story), weigh(one)) for one in several])
        for story, several in zip(stories, references, strict=True)
    ]
    if rescale == NONE:
        return scores
    baseline = compute_baseline(baseline_texts(rescale), model, layer)
    return [rescaled(score, baseline) for score in scores]


def _alike(read: TokenStates) -> Floats:
    """Every token of the text weighs the same, the specials nothing; no weights at all where there are only those."""
    own = (~read.special).astype(np.float64)
    return own if own.any() else own[:0]


def _rare(read: TokenStates, rarity: Rarity) -> Floats:
    # A special is in every reference of the set, which is why it weighs nothing; a decoder has none.
    return rarity.weights(read.ids.tolist()) if (~read.special).any() else np.empty(0)


def _best(scores: Sequence[BertScore]) -> BertScore:
    """The highest of each; one that is not defined against one reference may be against another."""
    return BertScore(
        *(max((value for value in each if value == value), default=math.nan) for each in zip(*scores, strict=True))
    )


def _named(name: str, scores: Sequence[BertScore]) -> dict[str, list[float]]:
    return {
        f"{name} Precision": [score.precision for score in scores],
        f"{name} Recall": [score.recall for score in scores],
        f"{name} F1": [score.f for score in scores],
    }
