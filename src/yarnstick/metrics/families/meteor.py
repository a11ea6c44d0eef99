"""METEOR: words, stems, synonyms and paraphrases shared with references, in order."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from yarnstick.errors import MetricError
from yarnstick.features import Batch
from yarnstick.metrics.card import Column
from yarnstick.metrics.meteor_score import STAGES, MeteorResources, Stage, find_resources, prepare
from yarnstick.metrics.meteor_score import meteor as meteor_of
from yarnstick.metrics.registry import metric


def stages_of(option: str) -> tuple[Stage, ...]:
    """``exact+stem`` as stages."""
    named = tuple(part.strip() for part in option.split("+") if part.strip())
    if not named or any(stage not in STAGES for stage in named) or len(set(named)) < len(named):
        raise MetricError(f"option stages cannot be {option!r}", remedy=f"some of {'+'.join(STAGES)}, joined by +")
    return cast(tuple[Stage, ...], named)


def _check(*, stages: str, function_words: str, data: str) -> None:
    """Refuse before any work what needs data that is not here."""
    if function_words not in ("own", "meteor"):
        raise MetricError(f"option function_words cannot be {function_words!r}", remedy="own or meteor")
    named, resources = stages_of(stages), resources_at(data)
    if function_words == "meteor":
        _ = resources.function_words
    if "synonym" in named:
        _ = resources.synonyms
    if "paraphrase" in named:
        _ = resources.paraphrases


@lru_cache(maxsize=4)
def resources_at(data: str) -> MeteorResources:
    """METEOR's data in this folder, or wherever it is found."""
    return find_resources(data or None)


@metric(
    name="meteor",
    family="overlap with references",
    needs=("story", "reference"),
    columns=[
        Column(
            "METEOR",
            "higher",
            0,
            1,
            "Matched words, weighted mean of recall and precision, less for broken order.",
        )
    ],
    cost="moderate",
    several_references="the best",
    paper="Denkowski and Lavie 2014 (METEOR 1.5)",
    check=_check,
    option_help={
        "stages": "how words may match, joined by +: exact stem synonym paraphrase",
        "function_words": "whose list of words that weigh less: own, or meteor (from METEOR's data)",
        "data": "folder with METEOR's jar and tables; else $YARNSTICK_METEOR, else an installed pycocoevalcap",
    },
    presets={
        "hanna": {"stages": "exact+stem"},
        "hanna-exact": {"stages": "exact+stem+synonym+paraphrase", "function_words": "meteor"},
    },
)
def meteor(batch: Batch, *, stages: str = "exact+stem", function_words: str = "own", data: str = "") -> list[float]:
    """METEOR 1.5 of the whole story."""
    resources = resources_at(data)
    named = stages_of(stages)
    return [
        meteor_of(
            story,
            references,
            stages=named,
            resources=resources,
            function_words="meteor" if function_words == "meteor" else "own",
        )
        for story, references in zip(batch.each(prepare, batch.stories), batch.each_reference(prepare), strict=True)
    ]
