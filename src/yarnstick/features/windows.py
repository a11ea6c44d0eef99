"""How a text longer than a model's window is read: in windows that overlap by half, so that nothing is cut.

Every token is answered for by exactly one window. A model that reads from left to right answers for a token in the
first window that holds it, with at least half a window before it; one that reads both ways where the token lies
furthest from an end that is not the text's own.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple


class Window(NamedTuple):
    """Tokens ``start`` to ``stop`` are read; those from ``first`` to ``last`` are answered for (ends excluded)."""

    start: int
    stop: int
    first: int
    last: int


def from_left_to_right(tokens: int, width: int) -> list[Window]:
    """Windows for a model that sees what comes before.

    >>> from_left_to_right(10, 4)
    [Window(start=0, stop=4, first=0, last=4), Window(start=2, stop=6, first=4, last=6), Window(start=4, stop=8, \
first=6, last=8), Window(start=6, stop=10, first=8, last=10)]
    """
    windows: list[Window] = []
    for start, stop in _spans(tokens, width):
        windows.append(Window(start, stop, windows[-1].stop if windows else 0, stop))
    return windows


def both_ways(tokens: int, width: int) -> list[Window]:
    """Windows for a model that sees both sides: neighbours part in the middle of what they share.

    >>> both_ways(10, 6)
    [Window(start=0, stop=6, first=0, last=4), Window(start=3, stop=9, first=4, last=6), Window(start=4, stop=10, \
first=6, last=10)]
    """
    spans = _spans(tokens, width)
    cuts = [(after[0] + before[1]) // 2 for before, after in pairwise(spans)]
    edges = [0, *cuts, tokens]
    return [Window(*span, edges[place], edges[place + 1]) for place, span in enumerate(spans)]


def _spans(tokens: int, width: int) -> list[tuple[int, int]]:
    """Starts half a window apart; the last window is moved back to end where the text does."""
    if tokens <= width:
        return [(0, tokens)] if tokens else []
    step = max(1, width // 2)
    starts = [*range(0, tokens - width, step), tokens - width]
    return [(start, start + width) for start in starts]
