"""Means with intervals as dots, a panel a metric, a line a system: an SVG that stands alone.

Every panel has its own scale, because metrics have; what is compared is systems within a panel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from yarnstick.engine.summary import Average, Summary
from yarnstick.metrics.card import ARROWS, DIRECTION_WORDS
from yarnstick.stories.scores import ScoreColumn

_PANEL_WIDTH, _ROW, _HEAD, _FOOT, _GAP, _LABELS = 190, 20, 40, 26, 26, 120
_PER_ROW = 4
#: Okabe and Ito's palette, told apart by colour-blind readers too; every dot is labelled as well
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A8A00", "#999999")
_STYLE = """
text{font:12px system-ui,-apple-system,Segoe UI,Roboto,sans-serif;fill:#222}
.name{font-weight:600}.note{fill:#666;font-size:10.5px}.grid{stroke:#ccc;stroke-width:1}
@media (prefers-color-scheme:dark){.page text{fill:#e4e4e4}.page .note{fill:#aaa}.page .grid{stroke:#555}}
"""


def dot_plot(summary: Summary, columns: Sequence[str], title: str, *, on_page: bool = False) -> str:
    """Draw these columns. ``on_page`` lets the colours of the text follow a page's dark mode."""
    places = [place for place, column in enumerate(summary.columns) if column.name in set(columns)]
    places.sort(key=lambda place: list(columns).index(summary.columns[place].name))
    systems = summary.systems
    height = _HEAD + _ROW * len(systems) + _FOOT
    rows = math.ceil(len(places) / _PER_ROW)
    total_width = _LABELS + min(len(places), _PER_ROW) * (_PANEL_WIDTH + _GAP)
    parts = []
    for number, place in enumerate(places):
        row, column = divmod(number, _PER_ROW)
        x, y = _LABELS + column * (_PANEL_WIDTH + _GAP), row * (height + 12)
        if column == 0:
            for index, system in enumerate(systems):
                baseline = y + _HEAD + _ROW * index + 14
                parts.append(f'<text x="{_LABELS - 14}" y="{baseline}" text-anchor="end">{escape(system)}</text>')
        averages = [summary.averages(system)[place] for system in systems]
        parts.append(f'<g transform="translate({x},{y})">{_panel(summary, place, averages)}</g>')
    background = "" if on_page else '<rect width="100%" height="100%" fill="#fff"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width} {rows * (height + 12)}" role="img" '
        f'width="{total_width}" class="{"page" if on_page else "alone"}"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style>{background}{''.join(parts)}</svg>"
    )


def _panel(summary: Summary, place: int, averages: Sequence[Average]) -> str:
    column = summary.columns[place]
    low, high = _range(averages, column)
    arrow, words = ARROWS[column.direction], DIRECTION_WORDS[column.direction]  # type: ignore[index]
    parts = [
        f'<text x="0" y="14" class="name">{escape(column.name)} {arrow}</text>',
        f'<text x="0" y="29" class="note">{words}</text>',
    ]
    bottom = _HEAD + _ROW * len(averages)
    for value, anchor in ((low, "start"), (high, "end")):
        x = _at(value, low, high)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_HEAD - 4}" y2="{bottom}" class="grid"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="{anchor}" class="note">{value:.3g}</text>')
    for index, average in enumerate(averages):
        if math.isnan(average.mean):
            continue
        y, colour = _HEAD + _ROW * index + 10, _COLOURS[index % len(_COLOURS)]
        half = 0.0 if math.isnan(average.half_width) else average.half_width
        left, right = _at(average.mean - half, low, high), _at(average.mean + half, low, high)
        parts.append(
            f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2.5"/>'
            f'<circle cx="{_at(average.mean, low, high):.1f}" cy="{y}" r="4.5" fill="{colour}">'
            f"<title>{average.mean:.4g} ± {half:.2g}</title></circle>"
        )
    return "".join(parts)


def _range(averages: Sequence[Average], column: ScoreColumn) -> tuple[float, float]:
    defined = [average for average in averages if not math.isnan(average.mean)]
    if not defined:
        return 0.0, 1.0
    ends = [average.mean + sign * (average.half_width or 0.0) for average in defined for sign in (-1, 1)]
    ends = [end for end in ends if not math.isnan(end)] or [average.mean for average in defined]
    low, high = min(ends), max(ends)
    margin = 0.06 * (high - low) or max(abs(high) * 0.1, 0.5)
    floor, ceiling = low - margin, high + margin
    # A score that cannot be negative gets no room below zero, unless an interval reaches there.
    if column.low is not None and low >= column.low:
        floor = max(floor, column.low)
    if column.high is not None and high <= column.high:
        ceiling = min(ceiling, column.high)
    return (floor, ceiling) if floor < ceiling else (low - margin, high + margin)


def _at(value: float, low: float, high: float) -> float:
    return (value - low) / (high - low) * _PANEL_WIDTH
