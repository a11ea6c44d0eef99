"""UNION's Table 5: ten metrics against people, pooled over the stories of each set."""

from __future__ import annotations

from yarnstick.agreement.correlation import correlate
from yarnstick.agreement.types import Kind
from yarnstick.reproduce.p_values import p_value
from yarnstick.reproduce.published import published
from yarnstick.reproduce.union_votes import METRIC_FILES, UnionSet
from yarnstick.reproduce.verdict import Outcome, Row, Table, judged

KINDS: dict[str, Kind] = {"r": "pearson", "rho": "spearman", "tau": "kendall"}
_ALPHA = 0.01
_FILE = "table5.csv"
_HEADER = ["dataset", "metric", "coef", "value", "p", "star_p<0.01", "paper", "matches_4_decimals"]


def agreement(sets: list[UnionSet]) -> Outcome:
    """Pearson's r, Spearman's rho and Kendall's tau-b with the mean vote; a star where p < .01."""
    printed = {(row["dataset"], row["metric"], row["coefficient"]): row for row in published("union_table5")}
    outcome = Outcome([])
    lines: list[list[object]] = []
    for one in sets:
        name, share = one.name.upper(), one.votes.mean(axis=1)
        found = {symbol: correlate(one.scores, share[None], kind)[:, 0] for symbol, kind in KINDS.items()}
        rows = []
        for place, metric in enumerate(METRIC_FILES):
            ours, theirs = [], []
            for symbol, kind in KINDS.items():
                value = float(found[symbol][place])
                p = p_value(value, one.scores[place], share, kind)
                row = printed[name, metric, symbol]
                ours.append(f"{value:.4f}{'*' * (p < _ALPHA)}")
                theirs.append(f"{row['printed']}{'*' * int(row['star'])}")
                same = f"{value:.4f}" == row["printed"]
                lines.append([name, metric, symbol, value, p, int(p < _ALPHA), row["printed"], int(same)])
            rows.append(Row(metric, tuple(ours), tuple(theirs)))
        title = f"correlation with people over {len(share)} stories; * where p < .01"
        outcome.exhibits.append(judged(f"Table 5, {name}", title, list(KINDS), rows, files=[_FILE]))
    outcome.files.append(Table(_FILE, _HEADER, lines))
    return outcome
