"""METEOR 1.5: a story against its references, by words, stems, synonyms and paraphrases.

Denkowski & Lavie, "Meteor Universal: Language Specific Translation Evaluation for Any Target Language", WMT
2014. Precision and recall of matched words are weighted by stage and by content or function word, combined into
a harmonic mean that leans to recall, and reduced by how many chunks the matches fall into.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from yarnstick.metrics.meteor_score.alignment import align
from yarnstick.metrics.meteor_score.beam import BEAM
from yarnstick.metrics.meteor_score.function_words import FUNCTION_WORDS
from yarnstick.metrics.meteor_score.prepared import PreparedText, prepare
from yarnstick.metrics.meteor_score.resources import MeteorResources, find_resources
from yarnstick.metrics.meteor_score.stages import STAGES, GroupsOfWord, Match, Stage, find_candidates
from yarnstick.text.synonym_groups import groups_of

#: weights of exact, stem, synonym and paraphrase matches: METEOR 1.5, English, ranking task
STAGE_WEIGHTS: dict[Stage, float] = {"exact": 1.0, "stem": 0.6, "synonym": 0.8, "paraphrase": 0.6}

FunctionWords = Literal["own", "meteor"] | Collection[str]
Synonyms = Literal["own", "meteor"]

#: the stages for which yarnstick brings all it needs
OWN_STAGES: tuple[Stage, ...] = ("exact", "stem", "synonym")


@dataclass(frozen=True, slots=True)
class Parameters:
    """METEOR's four parameters; the defaults are those of English."""

    alpha: float = 0.85
    """How far the mean leans to recall."""
    beta: float = 0.2
    """How steeply the penalty rises with fragmentation."""
    gamma: float = 0.6
    """The largest penalty."""
    delta: float = 0.75
    """The weight of a content word; a function word weighs ``1 - delta``."""


ENGLISH = Parameters()


def meteor(
    hypothesis: str | PreparedText,
    references: Sequence[str | PreparedText],
    *,
    stages: Sequence[Stage] = OWN_STAGES,
    synonyms: Synonyms = "own",
    resources: MeteorResources | None = None,
    function_words: FunctionWords = "own",
    parameters: Parameters = ENGLISH,
    beam: int = BEAM,
) -> float:
    """METEOR of one story against its best reference, from 0 to 1.

    The stage "paraphrase", ``synonyms="meteor"`` and ``function_words="meteor"`` read METEOR's data from
    ``resources`` (default: wherever :func:`find_resources` finds it) and raise if it is not installed. All of these
    together, with all four stages, give the figures of ``meteor-1.5.jar -l en -norm``.

    >>> meteor("The dog barked.", ["The dog barked."])
    1.0
    """
    _check(stages, references)
    if resources is None:
        needed = needs_data(stages, synonyms, function_words)
        resources = find_resources() if needed else MeteorResources()
    listed = _function_words(function_words, resources)
    groups = _groups(synonyms, stages, resources)
    story = prepare(hypothesis) if isinstance(hypothesis, str) else hypothesis
    return max(
        _score(
            story,
            prepare(reference) if isinstance(reference, str) else reference,
            stages,
            groups,
            resources,
            listed,
            parameters,
            beam,
        )
        for reference in references
    )


def _check(stages: Sequence[Stage], references: Sequence[str | PreparedText]) -> None:
    if not references or isinstance(references, str):
        raise ValueError("METEOR needs a list of at least one reference")
    unknown = [stage for stage in stages if stage not in STAGES]
    if unknown or not stages or len(set(stages)) < len(stages):
        raise ValueError(f"stages must be some of {', '.join(STAGES)}, each once; got {list(stages)}")


def _function_words(choice: FunctionWords, resources: MeteorResources) -> Collection[str]:
    if choice == "own":
        return FUNCTION_WORDS
    if choice == "meteor":
        return resources.function_words
    if isinstance(choice, str):
        raise ValueError(f"function_words must be 'own', 'meteor' or words; got {choice!r}")
    return frozenset(choice)


def needs_data(stages: Sequence[Stage], synonyms: Synonyms, function_words: FunctionWords) -> bool:
    """Whether these settings need METEOR's own data."""
    return "paraphrase" in stages or function_words == "meteor" or ("synonym" in stages and synonyms == "meteor")


def _groups(choice: Synonyms, stages: Sequence[Stage], resources: MeteorResources) -> GroupsOfWord:
    if choice not in get_args(Synonyms):
        raise ValueError(f"synonyms must be 'own' or 'meteor'; got {choice!r}")
    return resources.synonyms.synsets if choice == "meteor" and "synonym" in stages else groups_of


def _score(
    story: PreparedText,
    reference: PreparedText,
    stages: Sequence[Stage],
    groups: GroupsOfWord,
    resources: MeteorResources,
    function_words: Collection[str],
    parameters: Parameters,
    beam: int,
) -> float:
    if not story.words or not reference.words:
        return 0.0
    exact = stages.index("exact") if "exact" in stages else -1
    if story.words == reference.words:
        # METEOR lets its first stage alone match equal texts, word by word.
        if exact != 0:
            return 0.0
        matches = [Match(place, 1, place, 1, exact) for place in range(len(story.words))]
    else:
        candidates = find_candidates(story, reference, stages, groups, resources)
        matches = align(candidates, len(story.words), exact, beam)
    return _formula(matches, story.words, reference.words, stages, function_words, parameters)


def _formula(
    matches: Sequence[Match],
    story: Sequence[str],
    reference: Sequence[str],
    stages: Sequence[Stage],
    function_words: Collection[str],
    parameters: Parameters,
) -> float:
    """Equations 1-4 of the paper."""
    if not matches:
        return 0.0
    delta = parameters.delta
    story_weights = [1 - delta if word in function_words else delta for word in story]
    reference_weights = [1 - delta if word in function_words else delta for word in reference]
    story_matched = reference_matched = 0.0
    story_count = reference_count = 0
    for match in matches:
        weight = STAGE_WEIGHTS[stages[match.stage]]
        story_end = match.story_start + match.story_length
        reference_end = match.reference_start + match.reference_length
        story_matched += weight * sum(story_weights[match.story_start : story_end])
        reference_matched += weight * sum(reference_weights[match.reference_start : reference_end])
        story_count += match.story_length
        reference_count += match.reference_length
    precision = story_matched / sum(story_weights)  # Eq. 1
    recall = reference_matched / sum(reference_weights)  # Eq. 2
    if precision == 0.0 or recall == 0.0:
        return 0.0
    f_mean = 1.0 / ((1 - parameters.alpha) / precision + parameters.alpha / recall)  # Eq. 3
    chunks = count_chunks(matches)
    everything = story_count == len(story) and reference_count == len(reference)
    # One chunk that covers both texts is not fragmented at all.
    fragmentation = 0.0 if everything and chunks == 1 else chunks / ((story_count + reference_count) / 2)
    penalty = parameters.gamma * math.pow(fragmentation, parameters.beta)  # Eq. 4
    return max(0.0, f_mean * (1.0 - penalty))


def count_chunks(matches: Sequence[Match]) -> int:
    """In how many runs the matches fall, contiguous and in the same order in both texts."""
    chunks = 0
    story_end = reference_end = -1
    for match in matches:
        if match.story_start != story_end or match.reference_start != reference_end:
            chunks += 1
        story_end = match.story_start + match.story_length
        reference_end = match.reference_start + match.reference_length
    return chunks
