"""Figures 27 to 38: Williams' test of every metric against every other, a matrix a criterion and level."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from yarnstick.agreement.types import Floats
from yarnstick.agreement.williams import williams, williams_matrices, williams_t
from yarnstick.reproduce.hanna_correlations import Correlations
from yarnstick.reproduce.hanna_data import CRITERIA, LEVELS
from yarnstick.reproduce.published import published
from yarnstick.reproduce.verdict import Exhibit, Outcome, Row, Table, judged

_ALPHA = 0.05
_HEADINGS = ("cells shown, as released", "cells shown", "p < .05, as released", "p < .05")
_QUIRK = (
    "counts, not cells, are compared: the pictures' cells are not among the released figures. The release takes the "
    "sign of one metric only from the second comparison on, and loses the cells whose variance then comes out "
    "negative; both matrices are in the files"
)


def significance(found: Correlations) -> Outcome:
    """All 24 matrices (Pearson, as in the paper), the counts they come to, and the two tests the notebook prints."""
    files: list[Table] = []
    rows = []
    counts = {row.pop("matrix"): tuple(row.values()) for row in published("hanna_williams_counts")}
    for level in LEVELS:
        published_cells, corrected = (matrices(found, level, as_published=quirk) for quirk in (True, False))
        for place, criterion in enumerate(CRITERIA):
            pair = (published_cells[place], corrected[place])
            shown = [int((cells > 0).sum()) for cells in pair]
            below = [int(((cells > 0) & (cells < _ALPHA)).sum()) for cells in pair]
            label = f"{level} {criterion}"
            rows.append(Row(label, tuple(map(str, (*shown, *below))), counts[label]))
            for cells, name in zip(pair, ("published", "corrected"), strict=True):
                file = f"williams_{level}_{criterion}_{name}.csv"
                files.append(Table(file, ["metric", *found.hanna.names], _lines(found.hanna.names, cells)))
    exhibit = judged(
        "Figs 27-38",
        "Williams' tests of 72 metrics by 72: is the row metric better than the column metric?",
        _HEADINGS,
        rows,
        note=_QUIRK,
        source="release",
        files=("williams_<level>_<criterion>_<published|corrected>.csv",),
    )
    return Outcome([exhibit, _spot(found)], [*files])


def matrices(found: Correlations, level: str, *, as_published: bool) -> Floats:
    """(criterion, row, column): p that the row is better, 0 where nothing is shown.

    n is the number of systems, or of all prompts: the paper does not leave out those where a side is constant.
    """
    cells = williams_matrices(
        found.with_criteria[level, "pearson"].T,
        found.among_metrics[level, "pearson"],
        _observations(found, level),
        as_published=as_published,
    )
    return np.nan_to_num(cells, nan=0.0)


def _observations(found: Correlations, level: str) -> int:
    return int(found.hanna.metrics.shape[1 if level == "system" else 2])


def _lines(names: tuple[str, ...], cells: Floats) -> Iterator[list[object]]:
    for name, row in zip(names, cells.tolist(), strict=True):
        yield [name, *(f"{p:.8g}" if p else "0" for p in row)]


def _spot(found: Correlations) -> Exhibit:
    rows = []
    names = found.hanna.names
    for test in published("hanna_williams_spot"):
        first, second = names.index(test["better"]), names.index(test["worse"])
        column = list(CRITERIA).index(test["criterion"])
        r12, r13 = found.with_criteria["system", "pearson"][[first, second], column]
        shared = found.among_metrics["system", "pearson"][first, second]
        n = _observations(found, "system")
        ours = (float(williams_t(r12, r13, shared, n)), float(williams(r12, r13, shared, n)))
        label = f"{test['criterion']}, {test['better'].rsplit(' ', 1)[0]} against {test['worse'].rsplit(' ', 1)[0]}"
        rows.append(Row(label, tuple(f"{value:.12f}" for value in ours), tuple(f"{float(test[k]):.12f}" for k in "tp")))
    title = "two single tests, system level, to twelve decimals"
    return judged("Williams, single tests", title, ("t", "p"), rows, source="notebook")
