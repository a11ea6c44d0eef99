"""ROUGE: n-grams, subsequences and skip-bigrams shared with references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from yarnstick.features import Batch
from yarnstick.metrics.card import Column, OptionValue
from yarnstick.metrics.option_checks import between, checks, one_of
from yarnstick.metrics.registry import metric
from yarnstick.metrics.rouge import ROUGE_VARIANTS, MultiReference, rouge_scores, rouge_sentences
from yarnstick.metrics.rouge.variants import parse_variant
from yarnstick.text.sentences import sentences as split_sentences

_MEASURES = ("Recall", "Precision", "F-Score")
_MEANINGS = {
    "Recall": "Share of the reference's {what} that the story has.",
    "Precision": "Share of the story's {what} that the reference has.",
    "F-Score": "Mean of ROUGE recall and precision over {what}: harmonic, weighted by alpha.",
}


def _what(variant: str) -> str:
    kind = variant.removeprefix("ROUGE-")
    if kind.startswith("SU"):
        return "word pairs (in order, with gaps) and single words"
    if kind.startswith("S"):
        return "word pairs (in order, with gaps)"
    if kind.startswith("W"):
        return "longest common subsequence, unbroken runs worth more,"
    return "longest common subsequence" if kind == "L" else f"{kind}-grams"


def variants_of(option: str | OptionValue) -> list[str]:
    """The variants an option names: ``1+2+L`` -> ROUGE-1, ROUGE-2, ROUGE-L."""
    return [f"ROUGE-{part.strip().removeprefix('ROUGE-')}" for part in str(option).split("+") if part.strip()]


def _columns(options: Mapping[str, OptionValue]) -> tuple[Column, ...]:
    for variant in (wanted := variants_of(options["variants"])):
        parse_variant(variant)
    return tuple(
        Column(f"{variant} {measure}", "higher", 0, 1, _MEANINGS[measure].format(what=_what(variant)))
        for variant in wanted
        for measure in _MEASURES
    )


@metric(
    name="rouge",
    family="overlap with references",
    needs=("story", "reference"),
    columns=_columns,
    cost="moderate",
    several_references="the one with the highest recall (multi_reference=best), or all added up (average, the Perl)",
    paper="Lin 2004; equal to ROUGE 1.5.5",
    option_help={
        "variants": "which, joined by +: 1 2 3 4 L W-1.2 S* SU* S4 SU4",
        "stem": "compare Porter stems",
        "sentences": "for L and W: whole (the story as one sequence), lines, or split (our sentence splitter)",
        "multi_reference": "best or average",
        "alpha": "weight of precision in the F-score",
        "as_printed": "round where the Perl script prints: recall and precision to five decimals, F from those",
        "cut_at_markup": "drop what follows a < in a sentence: a defect of published figures made through pyrouge",
    },
    check=checks(
        sentences=one_of("whole", "lines", "split"),
        multi_reference=one_of("average", "best"),
        alpha=between(0, 1, "0 is recall, 1 is precision"),
    ),
    presets={
        "hanna": {
            "stem": True,
            "sentences": "whole",
            "multi_reference": "average",
            "as_printed": True,
            "cut_at_markup": True,
        },
    },
    caveat="Reads ASCII letters and digits only, as the original does: a story in another script scores 0. ROUGE-W's "
    "recall of a text against itself is below 1 (the original weights the reference's length twice).",
)
def rouge(
    batch: Batch,
    *,
    variants: str = "+".join(name.removeprefix("ROUGE-") for name in ROUGE_VARIANTS),
    stem: bool = False,
    sentences: str = "whole",
    multi_reference: str = "best",
    alpha: float = 0.5,
    as_printed: bool = False,
    cut_at_markup: bool = False,
) -> Mapping[str, NDArray[np.float64]]:
    """ROUGE-1 to -4, -L, -W, -S and -SU: recall, precision and F of each."""
    stories = batch.each(
        tokens_of_sentences, batch.stories, sentences=sentences, stem=stem, cut_at_markup=cut_at_markup
    )
    references = batch.each_reference(tokens_of_sentences, sentences=sentences, stem=stem, cut_at_markup=cut_at_markup)
    wanted = variants_of(variants)
    found = rouge_scores(
        stories,
        references,
        wanted,
        multi_reference=cast(MultiReference, multi_reference),
        alpha=alpha,
        as_printed=as_printed,
    )
    return {
        f"{variant} {measure}": found[variant][:, place]
        for variant in wanted
        for place, measure in enumerate(_MEASURES)
    }


def tokens_of_sentences(text: str, sentences: str, stem: bool, cut_at_markup: bool) -> list[list[str]]:
    """The text's sentences, in whatever sense was asked for, as ROUGE's tokens."""
    if sentences == "whole":
        parts = [text]
    elif sentences == "lines":
        parts = text.split("\n")
    else:
        parts = split_sentences(text)
    return rouge_sentences(parts, stem=stem, cut_at_markup=cut_at_markup)
