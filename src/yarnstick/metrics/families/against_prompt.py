"""What a story takes over from its prompt, and what it adds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from yarnstick.features import Batch
from yarnstick.metrics.card import Column, OptionValue
from yarnstick.metrics.extractive_fragments import fragment_statistics
from yarnstick.metrics.novelty_repetition import novelty as novelty_of
from yarnstick.metrics.option_checks import at_least, checks
from yarnstick.metrics.registry import metric
from yarnstick.metrics.token_rules import A_TOKENIZER, TOKENS_HELP, tokenizer


@metric(
    name="fragments",
    family="against the prompt",
    needs=("story", "prompt"),
    columns=[
        Column("Coverage", "neutral", 0, 1, "Share of the story's tokens that lie in runs taken from the prompt."),
        Column("Density", "neutral", 0, None, "Mean length of the run from the prompt that a token lies in."),
        Column("Compression", "neutral", 0, None, "Length of the prompt divided by the length of the story."),
    ],
    paper="Grusky, Naaman and Artzi 2018 (Newsroom), section 4",
    option_help={"lowercase": "compare without regard to case", "tokens": TOKENS_HELP},
    check=checks(tokens=A_TOKENIZER),
    presets={"hanna": {"lowercase": True, "tokens": "hanna"}},
    caveat="Made for summaries; of a story they say how closely it keeps to the prompt's words. An empty story has 0.",
)
def fragments(batch: Batch, *, lowercase: bool = True, tokens: str = "words") -> Mapping[str, list[float]]:
    """Extractive fragments shared with the prompt: coverage, density, compression."""
    tokenize = tokenizer(tokens)
    found = [
        fragment_statistics(story, prompt, lowercase=lowercase)
        for story, prompt in zip(batch.each(tokenize, batch.stories), batch.each(tokenize, batch.prompts), strict=True)
    ]
    return {
        "Coverage": [one.coverage for one in found],
        "Density": [one.density for one in found],
        "Compression": [one.compression for one in found],
    }


def _novelty_columns(options: Mapping[str, OptionValue]) -> tuple[Column, ...]:
    return tuple(
        Column(f"Novelty-{n}", "neutral", 0, 1, f"Share of the story's distinct {n}-grams that the prompt lacks.")
        for n in range(1, int(options["up_to"]) + 1)
    )


@metric(
    name="novelty",
    family="against the prompt",
    needs=("story", "prompt"),
    columns=_novelty_columns,
    paper="Fabbri et al. 2021 (SummEval)",
    option_help={"up_to": "the longest n-grams", "tokens": TOKENS_HELP},
    check=checks(up_to=at_least(1), tokens=A_TOKENIZER),
    presets={"hanna": {"up_to": 3, "tokens": "hanna"}},
    caveat="Near 1 for every story longer than its prompt. A story shorter than n tokens has 0.",
)
def novelty(batch: Batch, *, up_to: int = 3, tokens: str = "words") -> Mapping[str, np.ndarray]:
    """Share of distinct n-grams that are not in the prompt."""
    tokenize = tokenizer(tokens)
    stories, prompts = batch.each(tokenize, batch.stories), batch.each(tokenize, batch.prompts)
    return {
        f"Novelty-{n}": np.array([novelty_of(story, prompt, n) for story, prompt in zip(stories, prompts, strict=True)])
        for n in range(1, up_to + 1)
    }
