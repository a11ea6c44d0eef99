"""Figures 3, 4 and 14 to 19: the 72 metrics against the criteria; figures 5, 6 and 20 to 25: against each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.types import Floats, Kind
from yarnstick.reproduce.hanna_correlations import SETTINGS, Correlations, metric_vs_criterion, metric_vs_metric
from yarnstick.reproduce.hanna_data import CRITERIA
from yarnstick.reproduce.hanna_released import released
from yarnstick.reproduce.published import published
from yarnstick.reproduce.verdict import DIFFERS, EXACT, IMPOSSIBLE, OURS_ONLY, Exhibit, Outcome, Row, Table, judged

#: the metrics of figures 3, 4 and 7 under the short names the paper gives them
SHOWN = {
    "BLEU": "BLEU Ξ§",
    "ROUGE-1": "ROUGE-1 Recall Ξ§",
    "METEOR": "METEOR Ξ§",
    "chrF": "chrF Ξ§",
    "ROUGE-WE-3": "ROUGE-WE-3 Recall Ξε",
    "BERTScore": "BERTScore Recall Ξε",
    "MoverScore": "MoverScore Ξε",
    "DepthScore": "DepthScore Ξε",
    "BaryScore": "BaryScore-W Ξε",
    "S3": "S3-Pyramid ΞΔ",
    "SummaQA": "SummaQA ΞΔ",
    "InfoLM": "InfoLM-FisherRao ΞΔ",
    "BARTScore": "BARTScore-SH ΞΔ",
    "Coverage": "Coverage ¤§",
    "Repetition-1": "Repetition-1 ¤§",
    "SUPERT": "SUPERT-PS ¤ε",
    "BLANC": "BLANC-Tune-PS ¤Δ",
}
#: what the order of additions can make of coefficients that are the same
_LAST_BITS = 1e-14
_BESIDE = "figs14_19_beside_released.csv"


def figures_3_4(found: Correlations) -> Outcome:
    """Kendall of 17 metrics with the six criteria, in whole percent without the sign, at both levels."""
    outcome = Outcome([])
    for name, level in (("Fig 3", "story"), ("Fig 4", "system")):
        number = name.removeprefix("Fig ")
        shown = whole_percent(found, list(SHOWN.values()), level, "kendall")
        printed = {row["row"]: row for row in published(f"hanna_fig{number}")}
        rows = [
            Row(label, tuple(map(str, cells)), tuple(printed[label][short] for short in SHOWN))
            for label, cells in zip((*CRITERIA, "Avg"), shown.tolist(), strict=True)
        ]
        title = f"|Kendall| of 17 metrics with the criteria, {level} level, in percent"
        outcome.exhibits.append(judged(name, title, list(SHOWN), rows, files=[f"fig{number}.csv"]))
        outcome.files.append(Table(f"fig{number}.csv", ["row", *SHOWN], [[row.label, *row.ours] for row in rows]))
    return outcome


def figures_14_19(found: Correlations) -> Outcome:
    """All 72 metrics with the six criteria, beside the correlations that were released."""
    outcome = Outcome([], [metric_vs_criterion(found)])
    rows, beside, exact = [], [], True
    for level, kind in SETTINGS:
        ours = np.abs(found.with_criteria[level, kind])
        name = f"figs14_19_{level}_{kind}.csv"
        outcome.files.append(_percent_table(found, name, level, kind))
        theirs = released(found.hanna, level, kind)
        if theirs is None:
            continue
        beside.append((level, kind, ours, theirs))
        apart = np.abs(ours - theirs)
        equal = int((_hundredths(ours) == _hundredths(theirs)).sum())
        exact &= equal == ours.size
        rows.append(Row(f"{level} {kind}", (f"{equal} of {ours.size}", *_largest(found, apart))))
    if not beside:
        outcome.exhibits.append(_no_rankings(found))
        return outcome
    outcome.exhibits.append(
        Exhibit(
            "Figs 14-19",
            "|coefficient| of all 72 metrics with the criteria, against the released rankings",
            EXACT if exact else DIFFERS,
            ("equal at 0.01 %", "largest difference", "of"),
            tuple(rows),
            "at a hundredth of a percent; CIDEr is further off than the rest, for its scores of prompt 47 are denormal "
            "numbers (1e-318), which the release squared unscaled",
            "released",
            (_BESIDE, "metric_vs_criterion.csv"),
        )
    )

    def lines() -> Iterator[list[object]]:
        for level, kind, ours, theirs in beside:
            for place, metric in enumerate(found.hanna.names):
                for number, criterion in enumerate(CRITERIA):
                    yield [level, kind, metric, criterion, float(ours[place, number]), float(theirs[place, number])]

    header = ["level", "coef", "metric", "criterion", "ours", "released"]
    outcome.files.append(Table(_BESIDE, header, lines()))
    return outcome


def figures_5_6_20_25(found: Correlations) -> Outcome:
    """Metrics against metrics: six matrices of 72 x 72, of which the paper shows pictures."""
    rows, files = [], []
    off = ~np.eye(len(found.hanna.names), dtype=bool)
    for level, kind in SETTINGS:
        table = metric_vs_metric(found, level, kind)
        files.append(table)
        size = np.abs(found.among_metrics[level, kind][off])
        cells = (f"{100 * size.mean():.2f}", f"{100 * np.median(size):.2f}", f"{(size > 0.9).mean():.1%}", table.name)
        rows.append(Row(f"{level} {kind}", cells))
    exhibit = Exhibit(
        "Figs 5, 6, 20-25",
        "|coefficient| between the 72 metrics, in percent",
        OURS_ONLY,
        ("mean", "median", "above 90", "all 5,184 cells"),
        tuple(rows),
        "the cells of the pictures are not among the released figures",
        files=tuple(table.name for table in files),
    )
    return Outcome([exhibit], [*files])


def _largest(found: Correlations, apart: Floats) -> tuple[str, str]:
    """The largest difference and whose it is; nobody's where only the last bits differ."""
    if apart.max() < _LAST_BITS:
        return f"under {_LAST_BITS:g}", ""
    metric, criterion = np.unravel_index(int(apart.argmax()), apart.shape)
    return f"{apart.max():.1e}", f"{found.hanna.names[metric]}, {list(CRITERIA)[criterion]}"


def whole_percent(found: Correlations, metrics: list[str], level: str, kind: Kind) -> NDArray[np.int64]:
    """Rounded half to even, then without the sign; the last row is the mean of the *rounded* six, rounded again."""
    places = [found.hanna.names.index(metric) for metric in metrics]
    cells = np.abs(np.round(100 * found.with_criteria[level, kind][places].T))
    return np.vstack([cells, np.round(cells.mean(axis=0))]).astype(np.int64)


def _percent_table(found: Correlations, name: str, level: str, kind: Kind) -> Table:
    shown = whole_percent(found, list(found.hanna.names), level, kind).tolist()
    rows = ([label, *cells] for label, cells in zip((*CRITERIA, "Avg"), shown, strict=True))
    return Table(name, ["row", *found.hanna.names], rows)


def _hundredths(values: Floats) -> Floats:
    # Twelve decimals first: a difference in the last bit must not decide which way a half is rounded.
    rounded: Floats = np.round(np.round(values, 12) * 100, 2)
    return rounded


def _no_rankings(found: Correlations) -> Exhibit:
    why = f"there is no rankings/ in {found.hanna.folder} to compare with"
    return Exhibit("Figs 14-19", "all 72 metrics with the criteria", IMPOSSIBLE, why=why)
