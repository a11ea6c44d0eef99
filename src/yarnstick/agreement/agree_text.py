"""An agreement as text for a terminal: metrics by criteria, the best first, the honest rows below the line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from yarnstick.agreement.agree import Agreement, Line
from yarnstick.agreement.leaders import ALPHA
from yarnstick.agreement.text_table import aligned, mean_of_defined, number
from yarnstick.agreement.types import SOFT, AgreeKind, Level

_ARROWS = {"higher": "↑", "lower": "↓", "neutral": "·"}
_KINDS: dict[AgreeKind, str] = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall": "Kendall's tau-b",
    "kendall-c": "Kendall's tau-c",
    "pairwise-accuracy": "tie-calibrated pairwise accuracy",
    SOFT: "soft pairwise accuracy",
}
_LEVELS: dict[Level, str] = {
    "story": "over the systems' stories of each prompt, averaged over prompts",
    "system": "over the systems' means",
    "pooled": "over all stories at once",
    "within-system": "over the stories of each system, averaged over systems",
}


def tables(agreement: Agreement, level: Level | None = None, kind: AgreeKind | None = None) -> Iterator[str]:
    """One table a level and kind; all there are where none is named."""
    for one_level in agreement.levels if level is None else (level,):
        for one_kind in agreement.kinds if kind is None else (kind,):
            if one_kind != SOFT or one_level == agreement.levels[-1] or level is not None:
                yield _table(agreement, "system" if one_kind == SOFT else one_level, one_kind)


def legend(agreement: Agreement) -> list[str]:
    """What the numbers mean, for below the tables."""
    lines = [
        "1 is perfect agreement, 0 none (pairwise accuracies: 0.5); below it the metric prefers what people do not; "
        "every metric is turned so that more is better (↓ was turned, · says nothing of better and stays as it is)",
        "[low high] is the bootstrap interval over prompts (over stories where they are pooled)",
        "rank (1. 2. …): metrics share it unless the first of the rank agrees significantly better (paired t-test over "
        f"prompts, else Williams' test; p < {ALPHA:g}, corrected for all pairs)",
    ]
    if any(not math.isnan(line.given_length) for line in agreement.lines):
        lines.append("given length: what is left of the mean agreement between stories of one length")
    if any(line.role == "ceiling" for line in agreement.lines):
        lines.append("one rater: each person against the mean of the others; ceiling: the most any metric can reach")
    return lines


def _table(agreement: Agreement, level: Level, kind: AgreeKind) -> str:
    by_metric: dict[str, list[Line]] = {}
    for criterion in agreement.criteria:
        for line in agreement.chosen(level, kind, criterion):
            by_metric.setdefault(line.metric, []).append(line)
    tested = [lines for lines in by_metric.values() if lines[0].role == "metric"]
    tested.sort(key=lambda lines: -mean_of_defined([line.agreement for line in lines]))
    honest = [lines for lines in by_metric.values() if lines[0].role != "metric"]
    several = len(agreement.criteria) > 1
    known_length = any(not math.isnan(line.given_length) for lines in by_metric.values() for line in lines)
    head = ["metric", "", *(["mean"] if several else []), *agreement.criteria]
    head += ["given length"] * known_length + ["rank"] * (not several)
    rows = [_row(lines, several, known_length) for lines in tested]
    rows += [[""] * len(head), *(_row(lines, several, known_length) for lines in honest)] if honest else []
    return "\n".join([_title(agreement, level, kind), *aligned([head, *rows])])


def _title(agreement: Agreement, level: Level, kind: AgreeKind) -> str:
    counted = f"{agreement.stories} stories"
    if len(agreement.systems) > 1:
        counted += f" of {len(agreement.systems)} systems on {agreement.prompts} prompts"
    return f"{level} level, {_KINDS[kind]} ({_LEVELS[level]}; {counted})"


def _row(lines: Sequence[Line], several: bool, known_length: bool) -> list[str]:
    first = lines[0]
    row = [first.metric, _ARROWS[first.direction] if first.role not in ("one rater", "ceiling") else ""]
    if several:
        row.append(number(mean_of_defined([line.agreement for line in lines])))
    row += [_cell(line, several) for line in lines]
    if known_length:
        row.append(number(mean_of_defined([line.given_length for line in lines]), undefined=""))
    if not several:
        row.append(str(first.cluster or ""))
    return row


def _cell(line: Line, with_rank: bool) -> str:
    text = number(line.agreement)
    if not (math.isnan(line.agreement) or math.isnan(line.low)):
        text += f" [{number(line.low)} {number(line.high)}]"
    return f"{text} {line.cluster}." if with_rank and line.cluster else text
