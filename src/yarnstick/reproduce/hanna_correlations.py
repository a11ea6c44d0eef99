"""Every coefficient HANNA's tables and figures rest on, computed once (equations 1 and 2 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from yarnstick.agreement.correlation import story_level, system_level
from yarnstick.agreement.types import Floats, Kind
from yarnstick.reproduce.hanna_data import COEFFICIENTS, CRITERIA, LEVELS, Hanna
from yarnstick.reproduce.verdict import Table

Setting = tuple[str, Kind]
#: story and system level, each with the three coefficients
SETTINGS: tuple[Setting, ...] = tuple((level, kind) for level in LEVELS for kind in COEFFICIENTS)


@dataclass(frozen=True, slots=True)
class Correlations:
    """Signed coefficients by (level, coefficient), as published: system means are numpy's means of float thirds."""

    hanna: Hanna
    #: (72, 6): a metric with a criterion
    with_criteria: dict[Setting, Floats]
    #: (72, 72): a metric with a metric
    among_metrics: dict[Setting, Floats]
    #: (6, 6): a criterion with a criterion
    among_criteria: dict[Setting, Floats]
    #: (72, 6): on how many of the 96 prompts neither side is constant
    prompts: Floats


def correlations(hanna: Hanna) -> Correlations:
    """Correlate all 78 columns with each other at both levels."""
    count = len(CRITERIA)
    everything = np.concatenate([hanna.criteria, hanna.metrics])
    whole: dict[Setting, Floats] = {}
    prompts = np.zeros((len(hanna.names), count))
    for kind in COEFFICIENTS:
        found = story_level(everything, everything, kind)
        whole["story", kind] = found.mean
        prompts = np.asarray(found.defined[count:, :count], dtype=np.float64)
        whole["system", kind] = system_level(everything, everything, kind, as_published=True)
    return Correlations(
        hanna,
        {setting: matrix[count:, :count] for setting, matrix in whole.items()},
        {setting: matrix[count:, count:] for setting, matrix in whole.items()},
        {setting: matrix[:count, :count] for setting, matrix in whole.items()},
        prompts,
    )


def metric_vs_criterion(found: Correlations) -> Table:
    """A row a metric and criterion, a column a level and coefficient."""

    def rows() -> Iterator[list[object]]:
        settings = [found.with_criteria[setting].tolist() for setting in SETTINGS]
        for place, metric in enumerate(found.hanna.names):
            for number, criterion in enumerate(CRITERIA):
                prompts = int(found.prompts[place, number])
                yield [metric, criterion, prompts, *(matrix[place][number] for matrix in settings)]

    header = ["metric", "criterion", "n_prompts_story", *(f"{level}_{kind}" for level, kind in SETTINGS)]
    return Table("metric_vs_criterion.csv", header, rows())


def metric_vs_metric(found: Correlations, level: str, kind: Kind) -> Table:
    """A metric by a metric, ten decimals."""
    matrix = found.among_metrics[level, kind]
    rows = (
        [metric, *(f"{value:.10f}" for value in row)]
        for metric, row in zip(found.hanna.names, matrix.tolist(), strict=True)
    )
    return Table(f"metric_metric_{level}_{kind}.csv", ["metric", *found.hanna.names], rows)
