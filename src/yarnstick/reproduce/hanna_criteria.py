"""Figures 1, 2 and 10 to 13: how the six criteria agree with each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from yarnstick.agreement.types import Floats
from yarnstick.reproduce.hanna_correlations import Correlations, Setting
from yarnstick.reproduce.hanna_data import CRITERIA
from yarnstick.reproduce.published import published
from yarnstick.reproduce.verdict import OURS_ONLY, Document, Exhibit, Outcome, Row, judged

FIGURES: dict[str, Setting] = {
    "Fig 1": ("story", "kendall"),
    "Fig 2": ("system", "kendall"),
    "Fig 10": ("story", "spearman"),
    "Fig 11": ("system", "spearman"),
    "Fig 12": ("story", "pearson"),
    "Fig 13": ("system", "pearson"),
}
_FILE = "criteria_correlations.json"
_PAIRS = list(combinations(range(len(CRITERIA)), 2))


def criteria(found: Correlations) -> Outcome:
    """The six matrices, and what section 4.2 says of the first of them."""
    exhibits: list[Exhibit] = []
    content = {}
    for name, (level, kind) in FIGURES.items():
        matrix = found.among_criteria[level, kind]
        content[name.replace("Fig ", "fig")] = {
            "level": level,
            "coef": kind,
            "order": list(CRITERIA),
            "matrix": matrix.tolist(),
            "offdiag_mean": float(np.mean([matrix[pair] for pair in _PAIRS])),
        }
        rows = tuple(
            Row(criterion, tuple(f"{100 * value:.2f}" for value in row))
            for criterion, row in zip(CRITERIA, matrix.tolist(), strict=True)
        )
        title = f"criterion by criterion, {level} level, {kind}, in percent"
        why = "the cells of the picture are not among the released figures"
        exhibits.append(Exhibit(name, title, OURS_ONLY, tuple(CRITERIA), rows, why, files=(_FILE,)))
    exhibits.insert(1, _in_words(found.among_criteria["story", "kendall"]))
    return Outcome(exhibits, [Document(_FILE, content)])


def _in_words(matrix: Floats) -> Exhibit:
    """The lowest, highest and mean of the 15 pairs, which the text prints."""
    codes = list(CRITERIA)
    by_value = sorted(_PAIRS, key=lambda pair: float(matrix[pair]))

    def name(pair: tuple[int, int]) -> str:
        return "-".join(codes[place] for place in pair)

    low, high = by_value[0], by_value[-1]
    ours = {
        "lowest": f"{100 * matrix[low]:.2f}",
        "lowest pair": name(low),
        "highest": f"{100 * matrix[high]:.2f}",
        "highest pair": name(high),
        "mean of 15 pairs": f"{100 * np.mean([matrix[pair] for pair in _PAIRS]):.2f}",
    }
    rows = [Row(row["what"], (ours[row["what"]],), (row["printed"],)) for row in published("hanna_text")]
    return judged("Fig 1, section 4.2", "what the text says of it", ["value"], rows, files=[_FILE])
