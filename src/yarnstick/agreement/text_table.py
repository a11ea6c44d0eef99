"""Numbers and columns of tables that are read in a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence


def number(value: float, digits: int = 3, undefined: str = "–") -> str:
    """
    >>> number(0.12345), number(math.nan)
    ('0.123', '–')
    """
    return undefined if math.isnan(value) else f"{value:.{digits}f}"


def mean_of_defined(values: Sequence[float]) -> float:
    """The mean of what is not NaN; NaN where nothing is."""
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A line a row, its cells two spaces apart under each other.

    >>> list(aligned([["a", "b"], ["long", "c"]]))
    ['a     b', 'long  c']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
