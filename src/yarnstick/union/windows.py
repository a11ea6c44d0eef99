"""Reading a story longer than the model's window: several windows, cut at sentence ends, nothing left out.

Pure Python over token positions, shared by training, scoring with torch and scoring with ONNX, so that all three
read a story alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def windows(
    offsets: Sequence[tuple[int, int]], sentences: Sequence[tuple[int, int]], room: int
) -> list[tuple[int, int]]:
    """Token ranges ``[first, stop)`` that together hold every token once, each at most ``room`` long.

    ``offsets`` are the characters each token of the whole story covers, ``sentences`` those of its sentences.
    There are as few windows as sentence ends allow, and among those the longest is as short as it can be, since a
    last window of five words would be judged with nothing to go by. A sentence longer than a window is cut inside.

    >>> tokens = [(place, place + 1) for place in range(10)]
    >>> windows(tokens, [(0, 3), (3, 6), (6, 10)], room=7)
    [(0, 6), (6, 10)]
    >>> windows(tokens, [(0, 10)], room=4)
    [(0, 4), (4, 7), (7, 10)]
    """
    if len(offsets) <= room:
        return [(0, len(offsets))]
    ends = _sentence_ends(offsets, sentences)
    pieces = _no_longer_than(ends, room)
    fewest = len(_packed(pieces, room))
    low, high = max(stop - start for start, stop in pieces), room
    while low < high:
        middle = (low + high) // 2
        if len(_packed(pieces, middle)) <= fewest:
            high = middle
        else:
            low = middle + 1
    return _packed(pieces, high)


def _sentence_ends(offsets: Sequence[tuple[int, int]], sentences: Sequence[tuple[int, int]]) -> list[int]:
    # A token belongs to the sentence it ends in: byte-level tokens carry the space before their word.
    stops = [stop for _, stop in offsets]
    ends: list[int] = []
    for start, _ in sentences[1:]:
        end = bisect_left(stops, start + 1)
        if end > (ends[-1] if ends else 0):
            ends.append(end)
    return [*(end for end in ends if end < len(offsets)), len(offsets)]


def _no_longer_than(ends: Sequence[int], room: int) -> list[tuple[int, int]]:
    pieces = []
    begin = 0
    for end in ends:
        parts = -(-(end - begin) // room)
        size, longer = divmod(end - begin, parts)
        for part in range(parts):
            stop = begin + size + (part < longer)
            pieces.append((begin, stop))
            begin = stop
    return pieces


def _packed(pieces: Sequence[tuple[int, int]], room: int) -> list[tuple[int, int]]:
    packed = [pieces[0]]
    for start, stop in pieces[1:]:
        if stop - packed[-1][0] <= room:
            packed[-1] = (packed[-1][0], stop)
        else:
            packed.append((start, stop))
    return packed
