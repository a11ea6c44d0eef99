"""What the means of Complexity hide: two exact ties at system level, of which the release has one."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.correlation import system_level
from yarnstick.agreement.types import Kind
from yarnstick.reproduce.hanna_correlations import Correlations
from yarnstick.reproduce.hanna_data import CRITERIA
from yarnstick.reproduce.verdict import OURS_ONLY, Exhibit, Outcome, Row, Table

_FILE = "complexity_system_exact_ties.csv"
_KINDS: tuple[Kind, ...] = ("spearman", "kendall")


def exact_ties(found: Correlations) -> Outcome:
    """Spearman and Kendall of every metric with Complexity, with both ties and as published."""
    place = list(CRITERIA).index("CX")
    complexity = found.hanna.criteria[place : place + 1]
    right = {kind: system_level(found.hanna.metrics, complexity, kind)[:, 0] for kind in _KINDS}
    stated = {kind: found.with_criteria["system", kind][:, place] for kind in _KINDS}
    rows = []
    for kind in _KINDS:
        apart = np.abs(right[kind] - stated[kind])
        rows.append(Row(kind, (f"{int((apart > 1e-12).sum())} of {apart.size}", f"{apart.max():.3f}")))
    exhibit = Exhibit(
        "Complexity, system level",
        "rank correlations with the exact ties BertGeneration = RoBERTa and GPT = TD-VAE",
        OURS_ONLY,
        ("metrics that change", "largest change"),
        tuple(rows),
        "adding float thirds parts GPT from TD-VAE by the last bit, so all published rank correlations with Complexity "
        "have one tie; the tables above follow the release, this file has both",
        files=(_FILE,),
    )
    columns = [right[kind] for kind in _KINDS] + [stated[kind] for kind in _KINDS]
    lines = ([metric, *row] for metric, row in zip(found.hanna.names, np.stack(columns, 1).tolist(), strict=True))
    header = ["metric", *(f"{kind}_{how}" for how in ("exact", "published") for kind in _KINDS)]
    return Outcome([exhibit], [Table(_FILE, header, lines)])
