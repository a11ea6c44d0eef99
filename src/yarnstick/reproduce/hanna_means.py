"""Table 4: how people rated each system, with 95% intervals."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.types import Floats
from yarnstick.reproduce.hanna_data import CRITERIA, Hanna
from yarnstick.reproduce.published import published
from yarnstick.reproduce.verdict import Outcome, Row, Table, judged

AVERAGE = "Average"
_FILE = "table4.csv"
_CONFIDENCE = 0.95


def mean_ratings(hanna: Hanna) -> Outcome:
    """Each of the 3 x 96 ratings of a system counts as one independent observation, as in the paper; the column
    Average pools the 1,728 ratings of all six criteria in the same way."""
    printed = {(row["system"], row["criterion"]): row["printed"] for row in published("hanna_table4")}
    columns = (*CRITERIA, AVERAGE)
    rows, lines = [], []
    for place, system in enumerate(hanna.systems):
        given = hanna.ratings[:, place].reshape(len(CRITERIA), -1)
        cells = []
        for column, values in zip(columns, (*given, given.ravel()), strict=True):
            mean, half = mean_and_half_width(values)
            cells.append(f"{mean:.2f} ± {half:.2f}")
            lines.append([system, column, values.size, mean, half, cells[-1]])
        rows.append(Row(system, tuple(cells), tuple(printed.get((system, column), "") for column in columns)))
    header = ["system", "criterion", "n", "mean", "ci95_half_width", "printed"]
    exhibit = judged(
        "Table 4", "mean rating of each system and half of its 95% interval", columns, rows,
        note="a cell is two printed numbers", files=[_FILE],
    )  # fmt: skip
    return Outcome([exhibit], [Table(_FILE, header, lines)])


def mean_and_half_width(values: Floats) -> tuple[float, float]:
    """The mean and t(.975, n - 1) · sd / sqrt(n)."""
    from scipy.special import stdtrit

    spread = float(np.std(values, ddof=1))
    quantile = float(stdtrit(values.size - 1, (1 + _CONFIDENCE) / 2))
    return float(values.mean()), quantile * spread / float(np.sqrt(values.size))
