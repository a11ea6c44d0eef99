"""HANNA's six criteria as questions, and for each what every point of a scale of five stands for.

The criteria are the paper's; the wording is ours, so a judge's ratings are comparable with people's in meaning but
were not asked for in the same words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from yarnstick.errors import MetricError


class Criterion(NamedTuple):
    """What is asked, and what the answers 1 to 5 mean."""

    name: str
    question: str
    points: tuple[str, str, str, str, str]


CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion(
            "Relevance",
            "Does the story do what its prompt asks for?",
            (
                "has nothing to do with the prompt",
                "touches the prompt in passing and then goes elsewhere",
                "takes up part of the prompt, or only loosely",
                "follows the prompt with small departures",
                "is an answer to this very prompt from beginning to end",
            ),
        ),
        Criterion(
            "Coherence",
            "Does the story hang together: does each event follow from what went before?",
            (
                "cannot be followed at all",
                "holds only in fragments; most of it contradicts itself or leads nowhere",
                "can be followed, with several gaps or contradictions",
                "is clear, with a slip here or there",
                "makes sense throughout",
            ),
        ),
        Criterion(
            "Empathy",
            "How well does a reader understand what the characters feel?",
            (
                "shows no feeling that a reader could understand",
                "names a feeling without letting the reader share it",
                "lets the reader guess at feelings now and then",
                "makes the main feelings clear",
                "makes the reader feel with the characters",
            ),
        ),
        Criterion(
            "Surprise",
            "How unforeseen is the course of the story, and above all its end?",
            (
                "can be foretold from the first lines, or has no end",
                "has one small turn that most readers see coming",
                "turns in a way some readers would foresee",
                "turns in a way few readers would foresee",
                "has an end that nobody would foresee and that still fits",
            ),
        ),
        Criterion(
            "Engagement",
            "How much does the story hold a reader's interest?",
            (
                "is tiresome; a reader would stop",
                "has a moment of interest and is otherwise dull",
                "is read to the end without much interest",
                "is interesting most of the way",
                "is hard to put down",
            ),
        ),
        Criterion(
            "Complexity",
            "How elaborate is the story: its world, its characters, its plot?",
            (
                "has next to no plot, place or character",
                "has one bare thread of events",
                "has a simple plot with some detail",
                "has characters, places and events that are worked out and bear on each other",
                "has an intricate plot in a world with depth",
            ),
        ),
    )
}


def chosen_criteria(names: Iterable[str]) -> tuple[Criterion, ...]:
    """The criteria of these names, however they are capitalised; all six where none is named.

    >>> [criterion.name for criterion in chosen_criteria(["surprise", "Coherence"])]
    ['Surprise', 'Coherence']
    """
    wanted = list(names)
    by_name = {name.lower(): criterion for name, criterion in CRITERIA.items()}
    chosen = []
    for name in wanted:
        if name.lower() not in by_name:
            raise MetricError(f"a judge knows no criterion {name!r}", remedy=f"its criteria: {', '.join(CRITERIA)}")
        chosen.append(by_name[name.lower()])
    if len(set(chosen)) < len(chosen):
        raise MetricError("a criterion is named twice", remedy="name each once")
    return tuple(chosen) or tuple(CRITERIA.values())
