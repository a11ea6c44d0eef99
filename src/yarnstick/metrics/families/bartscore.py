"""BARTScore: how likely a sequence-to-sequence model finds one text once it has read another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from yarnstick.errors import MetricError
from yarnstick.features import Batch
from yarnstick.metrics.card import Column
from yarnstick.metrics.registry import metric


def _check(*, model: str) -> None:
    from yarnstick.models.language_models import open_language_model

    if not model:
        raise MetricError(
            "bartscore comes without a model: no package carries one",
            remedy="name a sequence-to-sequence model: bartscore:model=path:FOLDER or hf:facebook/bart-large-cnn",
        )
    open_language_model("seq2seq", model)


def _stamp(*, model: str) -> dict[str, str]:
    from yarnstick.models.language_models import stamp_of

    return {"weights": stamp_of(model)}


def _column(name: str, source: str, target: str) -> Column:
    return Column(
        f"BARTScore-{name}", "higher", None, 0, f"Mean log-probability of the {target}'s tokens given the {source}."
    )


_PAPER = "Yuan, Neubig and Liu 2021 (BARTScore), as in Chhun et al. 2022 (HANNA)"
_CAVEAT = (
    "The first letter is what is read, the second what is found likely or not. Where the story is not the second (SH, "
    "SP) scores compare stories of one {other} only: how likely that {other} is by itself weighs far more. Texts "
    "longer than the model's window are read in windows that overlap by half, where the published code cut them. The "
    "papers used BART fine-tuned on CNN/DailyMail (hf:facebook/bart-large-cnn)."
)
_OPTION_HELP = {"model": "path:FOLDER or hf:owner/name: any sequence-to-sequence model (BART, T5, Pegasus)"}


@metric(
    name="bartscore",
    family="language model",
    needs=("story", "reference"),
    columns=[_column("SH", "story", "reference"), _column("HS", "reference", "story")],
    cost="heavy",
    paper=_PAPER,
    several_references="the mean over the references",
    undefined="a story or a reference that is empty",
    caveat=_CAVEAT.format(other="reference"),
    option_help=_OPTION_HELP,
    libraries=("torch", "transformers"),
    check=_check,
    stamp=_stamp,
)
def bartscore(batch: Batch, *, model: str = "") -> dict[str, list[float]]:
    """How likely a sequence-to-sequence model finds the reference after the story, and the story after it."""
    forth = [
        [(story, human) for human in humans] for story, humans in zip(batch.stories, batch.references, strict=True)
    ]
    back = [[(human, story) for story, human in pairs] for pairs in forth]
    return {"BARTScore-SH": _means(batch, forth, model), "BARTScore-HS": _means(batch, back, model)}


@metric(
    name="bartscore-prompt",
    family="language model",
    needs=("story", "prompt"),
    columns=[_column("PS", "prompt", "story"), _column("SP", "story", "prompt")],
    cost="heavy",
    paper=_PAPER,
    undefined="a story or a prompt that is empty",
    caveat=_CAVEAT.format(other="prompt"),
    option_help=_OPTION_HELP,
    libraries=("torch", "transformers"),
    check=_check,
    stamp=_stamp,
)
def bartscore_prompt(batch: Batch, *, model: str = "") -> dict[str, list[float]]:
    """How likely a sequence-to-sequence model finds the story after its prompt, and the prompt after the story."""
    forth = [[pair] for pair in zip(batch.prompts, batch.stories, strict=True)]
    back = [[(story, prompt)] for prompt, story in zip(batch.prompts, batch.stories, strict=True)]
    return {"BARTScore-PS": _means(batch, forth, model), "BARTScore-SP": _means(batch, back, model)}


def _means(batch: Batch, pairs: Sequence[Sequence[tuple[str, str]]], model: str) -> list[float]:
    """The likelihood of each story's pairs, averaged; every distinct pair is read once."""
    from yarnstick.features.log_probabilities import likelihoods

    flat: Iterable[tuple[str, str]] = (pair for several in pairs for pair in several)
    values = iter(batch.features.together(likelihoods, list(flat), model=model))
    return [float(np.mean([next(values) for _ in several])) for several in pairs]
