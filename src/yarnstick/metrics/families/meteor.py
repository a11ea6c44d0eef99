"""METEOR: words, stems, synonyms and paraphrases shared with references, in order."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from yarnstick.errors import MetricError
from yarnstick.features import Batch
from yarnstick.metrics.card import Column
from yarnstick.metrics.meteor_score import (
    OWN_STAGES,
    STAGES,
    FunctionWords,
    MeteorResources,
    Stage,
    Synonyms,
    find_resources,
    needs_data,
    prepare,
)
from yarnstick.metrics.meteor_score import meteor as meteor_of
from yarnstick.metrics.registry import metric


def stages_of(option: str) -> tuple[Stage, ...]:
    """``exact+stem`` as stages."""
    named = tuple(part.strip() for part in option.split("+") if part.strip())
    if not named or any(stage not in STAGES for stage in named) or len(set(named)) < len(named):
        raise MetricError(f"option stages cannot be {option!r}", remedy=f"some of {'+'.join(STAGES)}, joined by +")
    return cast(tuple[Stage, ...], named)


def _check(*, stages: str, synonyms: str, function_words: str, data: str) -> None:
    """Refuse before any work what needs data that is not here."""
    for option, value in (("synonyms", synonyms), ("function_words", function_words)):
        if value not in ("own", "meteor"):
            raise MetricError(f"option {option} cannot be {value!r}", remedy="own or meteor")
    named = stages_of(stages)
    resources = _resources(named, cast(Synonyms, synonyms), cast(FunctionWords, function_words), data)
    if function_words == "meteor":
        _ = resources.function_words
    if "synonym" in named and synonyms == "meteor":
        _ = resources.synonyms
    if "paraphrase" in named:
        _ = resources.paraphrases


@lru_cache(maxsize=4)
def resources_at(data: str) -> MeteorResources:
    """METEOR's data in this folder, or wherever it is found."""
    return find_resources(data or None)


def _resources(
    stages: tuple[Stage, ...], synonyms: Synonyms, function_words: FunctionWords, data: str
) -> MeteorResources:
    # A folder that is named must be there; none is looked for where none is needed.
    return resources_at(data) if data or needs_data(stages, synonyms, function_words) else MeteorResources()


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
        "synonyms": "whose synonyms: own, or meteor (WordNet's, from METEOR's data)",
        "function_words": "whose list of words that weigh less: own, or meteor (from METEOR's data)",
        "data": "folder with METEOR's jar and tables; else $YARNSTICK_METEOR, else an installed pycocoevalcap",
    },
    caveat=(
        "METEOR's own synonyms, paraphrases and function words are not ours to ship. The default takes yarnstick's "
        "synonyms and function words and no paraphrases: on HANNA's 1,056 stories it correlates .9993 with METEOR 1.5 "
        "(.979 without the human ones, which are scored against themselves) and lies .01 below it on average. "
        "preset=hanna-exact is METEOR 1.5 itself and needs METEOR's data."
    ),
    presets={
        "hanna": {"stages": "+".join(OWN_STAGES), "synonyms": "own", "function_words": "own"},
        "hanna-exact": {"stages": "+".join(STAGES), "synonyms": "meteor", "function_words": "meteor"},
    },
)
def meteor(
    batch: Batch,
    *,
    stages: str = "+".join(OWN_STAGES),
    synonyms: str = "own",
    function_words: str = "own",
    data: str = "",
) -> list[float]:
    """METEOR 1.5 of the whole story."""
    named = stages_of(stages)
    chosen, listed = cast(Synonyms, synonyms), cast(FunctionWords, function_words)
    resources = _resources(named, chosen, listed, data)
    return [
        meteor_of(
            story,
            references,
            stages=named,
            synonyms=chosen,
            resources=resources,
            function_words=listed,
        )
        for story, references in zip(batch.each(prepare, batch.stories), batch.each_reference(prepare), strict=True)
    ]
