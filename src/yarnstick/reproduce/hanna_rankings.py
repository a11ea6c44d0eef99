"""Table 6: metrics ranked over all criteria and coefficients by Borda counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from yarnstick.agreement.borda import borda
from yarnstick.agreement.types import Floats
from yarnstick.reproduce.hanna_correlations import SETTINGS, Correlations, Setting
from yarnstick.reproduce.hanna_data import COEFFICIENTS, CRITERIA, LEVELS
from yarnstick.reproduce.published import published
from yarnstick.reproduce.verdict import Outcome, Row, Table, judged

_FILE = "table6_borda.csv"
_SHOWN = 5
#: as `borda` has it: coefficients that agree to this many decimals are tied
_DECIMALS = 12


def rankings() -> dict[str, list[tuple[Setting, int]]]:
    """The 18 rankings and the columns each counts, a (level, coefficient) and the place of a criterion.

    The order of the columns does not change a sum; it is the released one.
    """
    every = range(len(CRITERIA))
    found = {"global": [(setting, place) for setting in SETTINGS for place in every]}
    for level in LEVELS:
        found[level] = [((level, kind), place) for kind in COEFFICIENTS for place in every]
    for kind in COEFFICIENTS:
        found[kind] = [((level, kind), place) for level in LEVELS for place in every]
    for level, kind in SETTINGS:
        found[f"{level}_{kind}"] = [((level, kind), place) for place in every]
    for place, criterion in enumerate(CRITERIA.values()):
        found[criterion] = [(setting, place) for setting in SETTINGS]
    return found


def borda_counts(found: Correlations) -> Outcome:
    """Ours with the release's order of ties beside the printed counts, and with mid-ranks, which are right."""
    printed: dict[str, list[str]] = {}
    for row in published("hanna_table6"):
        printed.setdefault(row["ranking"], []).append(row["count"])
    rows, lines = [], []
    for name, columns in rankings().items():
        size = np.abs(np.stack([found.with_criteria[setting][:, place] for setting, place in columns], axis=1))
        counts = (borda(size, ties="published"), stable_counts(size), borda(size))
        lines.append((name, counts))
        rows.append(Row(name, tuple(f"{count:.0f}" for count in _highest(counts[0])), tuple(printed[name])))
        rows.append(Row(f"{name}, mid-ranks", tuple(f"{count:g}" for count in _highest(counts[-1]))))
    exhibit = judged(
        "Table 6",
        "the five highest Borda counts of 72 metrics; the paper prints story and system",
        [f"{place}." for place in range(1, _SHOWN + 1)],
        rows,
        note="ties in the order numpy < 1.25's unstable sort left them; with mid-ranks, which is right, the system "
        "level changes",
        source="notebook",
        files=[_FILE],
    )

    def every_line() -> Iterator[list[object]]:
        for name, counts in lines:
            for metric, published_count, stable, average in zip(found.hanna.names, *map(_listed, counts), strict=True):
                yield [name, metric, int(published_count), int(stable), average]

    header = ["ranking", "metric", "borda_published_introsort", "borda_stable", "borda_average_ranks"]
    return Outcome([exhibit], [Table(_FILE, header, every_line())])


def stable_counts(size: Floats) -> Floats:
    """Ties in the order of the metrics: neither published nor right, kept to show how much the order of ties does."""
    places = np.argsort(np.argsort(np.round(size, _DECIMALS), axis=0, kind="stable"), axis=0)
    return np.asarray(places.sum(axis=1), dtype=np.float64)


def _highest(counts: Floats) -> list[float]:
    return sorted(_listed(counts), reverse=True)[:_SHOWN]


def _listed(counts: Floats) -> list[float]:
    return [float(count) for count in counts]
