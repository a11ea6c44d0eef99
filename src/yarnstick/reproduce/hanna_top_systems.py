"""Figure 8: system-level correlations when only the k best systems are compared."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from yarnstick.agreement.top_k import system_order, top_k
from yarnstick.agreement.types import Floats
from yarnstick.reproduce.hanna_correlations import Correlations
from yarnstick.reproduce.hanna_data import COEFFICIENTS, CRITERIA
from yarnstick.reproduce.hanna_released import released
from yarnstick.reproduce.verdict import Document, Exhibit, Outcome, Row, Table, judged

#: the eight metrics the figure draws
DRAWN = (
    "BLEU Ξ§",
    "ROUGE-1 Recall Ξ§",
    "chrF Ξ§",
    "BERTScore Recall Ξε",
    "BaryScore-W Ξε",
    "S3-Pyramid ΞΔ",
    "BARTScore-SH ΞΔ",
    "SUPERT-PS ¤ε",
)
KS = tuple(range(4, 11))
_FILE, _ORDER = "fig8_topk.csv", "fig8_system_order.json"


def top_systems(found: Correlations) -> Outcome:
    """|coefficient| of all 72 metrics over the 4 to 10 best systems of each criterion, all three coefficients.

    Systems are ordered by means rounded to two decimals, equal ones alphabetically; a curve is (criterion, metric, k).
    """
    hanna = found.hanna
    names = hanna.machines
    curves = {}
    for kind in COEFFICIENTS:
        found_at = top_k(hanna.metrics, hanna.criteria, kind, KS, systems=names, as_published=True)
        curves[kind] = np.abs(found_at).transpose(2, 1, 0)

    def lines() -> Iterator[list[object]]:
        for kind, values in curves.items():
            for place, criterion in enumerate(CRITERIA):
                for metric, row in zip(hanna.names, values[place].tolist(), strict=True):
                    yield [kind, criterion, metric, int(metric in DRAWN), *row]

    header = ["coef", "criterion", "metric", "in_fig8", *(f"k{k}" for k in KS)]
    named = {
        criterion: [names[place] for place in system_order(means, names, as_published=True).tolist()]
        for criterion, means in zip(CRITERIA, hanna.criteria, strict=True)
    }
    return Outcome([_exhibit(found, curves["pearson"])], [Table(_FILE, header, lines()), Document(_ORDER, named)])


def _exhibit(found: Correlations, curves: Floats) -> Exhibit:
    theirs = released(found.hanna, "system", "pearson")
    rows = []
    for place, criterion in enumerate(CRITERIA):
        for metric in DRAWN:
            number = found.hanna.names.index(metric)
            ours = tuple(f"{value:.4f}" for value in curves[place, number])
            # With all ten systems the curve ends in the system-level correlation, which is released.
            last = "" if theirs is None else f"{theirs[number, place]:.4f}"
            rows.append(Row(f"{criterion} {metric.rsplit(' ', 1)[0]}", ours, ("",) * (len(KS) - 1) + (last,)))
    return judged(
        "Fig 8",
        "|Pearson| of 8 metrics over the k best systems",
        [f"k={k}" for k in KS],
        rows,
        note="of the curves only their ends, k = 10, are released as numbers; the caption says Pearson, the notebook's "
        "stored run is Spearman: the file has all three coefficients of all 72 metrics",
        source="released",
        files=[_FILE, _ORDER],
    )
