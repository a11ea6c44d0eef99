"""How much a story repeats itself, and how varied its words are."""

from __future__ import annotations

from collections.abc import Mapping

from yarnstick.features import Batch
from yarnstick.metrics.card import Column, OptionValue
from yarnstick.metrics.lexical_diversity import mtld, type_token_ratio
from yarnstick.metrics.novelty_repetition import distinct_ngrams
from yarnstick.metrics.novelty_repetition import repetition as repetition_of
from yarnstick.metrics.option_checks import at_least, between, checks
from yarnstick.metrics.registry import metric
from yarnstick.metrics.token_rules import A_TOKENIZER, TOKENS_HELP, tokenizer
from yarnstick.text.words import words


def _repetition_columns(options: Mapping[str, OptionValue]) -> tuple[Column, ...]:
    return tuple(
        Column(
            f"Repetition-{n}",
            "lower",
            0,
            1,
            f"Share of the story's distinct {n}-grams that occur more than once.",
        )
        for n in range(1, int(options["up_to"]) + 1)
    )


@metric(
    name="repetition",
    family="diversity",
    columns=_repetition_columns,
    cost="trivial",
    paper="Fabbri et al. 2021 (SummEval)",
    option_help={
        "up_to": "the longest n-grams",
        "tokens": TOKENS_HELP,
    },
    check=checks(up_to=at_least(1), tokens=A_TOKENIZER),
    presets={"hanna": {"up_to": 3, "tokens": "hanna"}},
    caveat="Grows with length for small n. A story shorter than n tokens has 0.",
)
def repetition(batch: Batch, *, up_to: int = 3, tokens: str = "words") -> Mapping[str, list[float]]:
    """Share of distinct n-grams that occur more than once."""
    stories = batch.each(tokenizer(tokens), batch.stories)
    return {f"Repetition-{n}": [repetition_of(story, n) for story in stories] for n in range(1, up_to + 1)}


def _distinct_columns(options: Mapping[str, OptionValue]) -> tuple[Column, ...]:
    return tuple(
        Column(f"Distinct-{n}", "higher", 0, 1, f"Distinct {n}-grams divided by all {n}-grams of the story.")
        for n in range(1, int(options["up_to"]) + 1)
    )


@metric(
    name="distinct",
    family="diversity",
    columns=_distinct_columns,
    cost="trivial",
    paper="Li et al. 2016 (A Diversity-Promoting Objective Function)",
    option_help={"up_to": "the longest n-grams", "lowercase": "compare without regard to case"},
    check=checks(up_to=at_least(1)),
    caveat="Falls with length: compare stories of like length only. A story shorter than n tokens has 0.",
)
def distinct(batch: Batch, *, up_to: int = 3, lowercase: bool = True) -> Mapping[str, list[float]]:
    """Distinct n-grams divided by all n-grams, within each story."""
    stories = batch.each(words, batch.stories)
    if lowercase:
        stories = [[token.lower() for token in story] for story in stories]
    return {f"Distinct-{n}": [_share_distinct(story, n) for story in stories] for n in range(1, up_to + 1)}


def _share_distinct(tokens: list[str], n: int) -> float:
    ngrams = len(tokens) - n + 1
    return len(distinct_ngrams(tokens, n)) / ngrams if ngrams > 0 else 0.0


@metric(
    name="lexical-diversity",
    family="diversity",
    columns=[
        Column("Type-token ratio", "higher", 0, 1, "Distinct words divided by words."),
        Column(
            "MTLD",
            "higher",
            0,
            None,
            "Mean number of words over which the type-token ratio stays above the threshold.",
        ),
    ],
    cost="trivial",
    paper="McCarthy and Jarvis 2010 (MTLD, vocd-D, and HD-D)",
    undefined="a story without a word; MTLD also where no word is ever repeated",
    option_help={"threshold": "the type-token ratio at which MTLD starts a new stretch"},
    check=checks(threshold=between(0, 1)),
    caveat="The type-token ratio falls with length; MTLD was made not to, but is unsteady below some 100 words.",
)
def lexical_diversity(batch: Batch, *, threshold: float = 0.72) -> Mapping[str, list[float]]:
    """Variety of the vocabulary: type-token ratio, and MTLD, which does not depend on length."""
    stories = [
        [token.lower() for token in story if any(map(str.isalnum, token))] for story in batch.each(words, batch.stories)
    ]
    return {
        "Type-token ratio": [type_token_ratio(story) for story in stories],
        "MTLD": [mtld(story, threshold) for story in stories],
    }
