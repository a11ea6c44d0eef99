"""Robustness as text for a terminal: a summary with a row a metric, then a table a metric."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from yarnstick.agreement.text_table import aligned, mean_of_defined, number
from yarnstick.metrics.card import ARROWS
from yarnstick.robust.suite import Line, StoryRobustness

_HEADS = ("metric", "", "falls", "AUC", "degrees", "stays")


def tables(found: StoryRobustness) -> Iterator[str]:
    """The summary, then the tables."""
    rows = sorted((_summary(found.of(metric)) for metric in found.metrics), key=lambda row: row[0])
    yield "\n".join(
        [f"robustness, {found.stories} stories (means over changes)", *aligned([_HEADS, *(r for _, r in rows)])]
    )
    for metric in found.metrics:
        yield "\n".join(_table(found.of(metric), found.degrees))


def legend(found: StoryRobustness) -> list[str]:
    """What the numbers mean, for below the tables."""
    return [
        "falls: share of damaged stories that score lower than they did; AUC: the chance that a story scores higher "
        "than a damaged one, whichever (0.5: cannot tell); both should be 1",
        "degrees: correlation of the score with how often a story was damaged, within each story; should be -1",
        f"stays: share of harmlessly changed stories whose score moves by no more than {found.tolerance:g} standard "
        "deviations; should be 1. moved: by how many of them it moves on average",
        "[low high] is the interval; every metric is turned so that more is better (↓ was turned; · only describes, "
        "and need not fall)",
    ]


def _summary(lines: Sequence[Line]) -> tuple[float, list[str]]:
    damage = [line for line in lines if line.test == "damage"]
    auc = mean_of_defined([line.auc for line in damage])
    by_test = {
        test: mean_of_defined([line.value for line in lines if line.test == test])
        for test in ("damage", "degrees", "harmless")
    }
    cells = [by_test["damage"], auc, by_test["degrees"], by_test["harmless"]]
    row = [lines[0].metric, ARROWS[lines[0].direction], *(number(cell, 2) for cell in cells)]  # type: ignore[index]
    return (-auc if not math.isnan(auc) else math.inf), row


def _table(lines: Sequence[Line], degrees: int) -> Iterator[str]:
    damage = {(line.change, line.degree): line for line in lines if line.test == "damage"}
    slopes = {line.change: line for line in lines if line.test == "degrees"}
    names = list(dict.fromkeys(name for name, _ in damage))
    if names:
        steps = range(1, degrees + 1)
        heads = ["damage", "stories", *(f"falls at {step}" for step in steps), *(f"AUC at {step}" for step in steps)]
        rows = [[*heads, *(["degrees"] if slopes else [])]]
        for name in names:
            at = [damage.get((name, step)) for step in steps]
            counts = "/".join(str(line.stories) if line else "0" for line in at)
            cells = [_span(line.value, line.low, line.high) if line else "–" for line in at]
            cells += [_span(line.auc, line.auc_low, line.auc_high) if line else "–" for line in at]
            slope = slopes.get(name)
            cells += [_span(slope.value, slope.low, slope.high) if slope else "–"] if slopes else []
            rows.append([name, counts, *cells])
        yield from [f"{lines[0].metric} {ARROWS[lines[0].direction]}", *aligned(rows)]  # type: ignore[index]
    harmless = [line for line in lines if line.test == "harmless"]
    if harmless:
        rows = [["harmless", "stories", "stays", "moved"]]
        for line in harmless:
            rows.append(
                [
                    line.change,
                    str(line.stories),
                    _span(line.value, line.low, line.high),
                    number(line.shift_in_deviations, 2),
                ]
            )
        yield from ["" if names else lines[0].metric, *aligned(rows)]


def _span(value: float, low: float, high: float) -> str:
    text = number(value, 2)
    return text if math.isnan(value) or math.isnan(low) else f"{text} [{low:.2f} {high:.2f}]"
