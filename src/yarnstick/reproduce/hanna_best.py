"""Tables 5, 8 and 9: the metrics that correlate best with each criterion."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.types import Floats, Kind
from yarnstick.reproduce.hanna_correlations import Correlations
from yarnstick.reproduce.hanna_data import COEFFICIENTS, CRITERIA, LEVELS
from yarnstick.reproduce.hanna_released import released
from yarnstick.reproduce.verdict import Exhibit, Outcome, Row, Table, judged

_FILE = "tables_5_8_9_top8.csv"
_KEPT = 8
_TIES = "metrics of one value have no order: the order inside a tie is whatever the release's unstable sort left"
#: coefficients that agree to this many decimals are one value
_DECIMALS = 12
_HEADER = ["level", "criterion", "coef", "rank", "metric", "percent", "value", "n_metrics_with_this_value"]


def best(found: Correlations) -> Outcome:
    """Table 5 (three best by Pearson), 8 (five best at story level) and 9 (at system level)."""
    exhibits = [_table_5(found)]
    for name, level in (("Table 8", "story"), ("Table 9", "system")):
        rows = [_row(found, level, kind, code, 5, 2, f"{code} {kind}") for code in CRITERIA for kind in COEFFICIENTS]
        exhibits.append(_exhibit(name, f"five best metrics of each criterion, {level} level", 5, rows))
    return Outcome(exhibits, [Table(_FILE, _HEADER, _lines(found))])


def _table_5(found: Correlations) -> Exhibit:
    rows = [_row(found, level, "pearson", code, 3, 1, f"{code} {level}") for level in LEVELS for code in CRITERIA]
    return _exhibit("Table 5", "three best metrics of each criterion by Pearson", 3, rows)


def _exhibit(name: str, title: str, kept: int, rows: list[Row]) -> Exhibit:
    headings = [f"{place}." for place in range(1, kept + 1)]
    return judged(name, title, headings, rows, note=_TIES, source="released", files=[_FILE])


def _row(found: Correlations, level: str, kind: Kind, code: str, kept: int, decimals: int, label: str) -> Row:
    """The best of ours and of the released rankings, as ``name percent``.

    Inside a tie both sides are put in the order of the metrics, so that values and sets are what is compared.
    """
    theirs = released(found.hanna, level, kind)
    criterion = list(CRITERIA).index(code)
    ours = _best_names(found, np.abs(found.with_criteria[level, kind][:, criterion]), kept, decimals)
    return Row(label, ours, () if theirs is None else _best_names(found, theirs[:, criterion], kept, decimals))


def _best_names(found: Correlations, size: Floats, kept: int, decimals: int) -> tuple[str, ...]:
    return tuple(
        f"{found.hanna.names[place].rsplit(' ', 1)[0]} {100 * size[place]:.{decimals}f}"
        for place in order(size)[:kept].tolist()
    )


def order(size: Floats) -> NDArray[np.intp]:
    """Places from the largest down; equal values (to twelve decimals) stay in the order of the metrics."""
    return np.argsort(-np.round(size, _DECIMALS), kind="stable")


def _lines(found: Correlations) -> Iterator[list[object]]:
    for level, (criterion, code), kind in product(LEVELS, enumerate(CRITERIA), COEFFICIENTS):
        size = np.abs(found.with_criteria[level, kind][:, criterion])
        rounded = np.round(size, _DECIMALS)
        for rank, place in enumerate(order(size)[:_KEPT].tolist(), 1):
            value = float(size[place])
            same = int((rounded == rounded[place]).sum())
            yield [level, code, kind, rank, found.hanna.names[place], f"{100 * value:.2f}", value, same]
