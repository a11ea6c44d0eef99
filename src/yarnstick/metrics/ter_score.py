"""Translation edit rate (Snover et al. 2006): edits and block shifts that turn a story into a reference.

The search is greedy: of all the blocks of words that the reference has elsewhere, the shift that saves the most edits
is made, until none saves any. Every choice that decides a number (beam, limits, ties) is sacreBLEU's, so that ours
equal its; but all the shifts of a round are weighed together, a row of their distance matrices at a time.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]

#: a block has at most so many words, and moves at most so far
_LONGEST_BLOCK = 10
_FARTHEST = 50
#: how far from the diagonal a distance matrix is filled
_BEAM = 25
#: shifts weighed for one story; the round that reaches it is not made
_MOST_SHIFTS = 1000
_UNREACHED = 1 << 30


class Shift(NamedTuple):
    """The block of ``length`` words at ``start`` moves to before the word at ``target``."""

    start: int
    length: int
    target: int

    def applied(self, words: Ids) -> Ids:
        """The words after the shift. A target inside the block pushes the block so far to the right."""
        end = self.start + self.length
        block, rest = words[self.start : end], np.concatenate([words[: self.start], words[end:]])
        place = self.target - self.length if self.target > end else self.target
        return np.concatenate([rest[:place], block, rest[place:]])


def edits(story: Sequence[str], reference: Sequence[str]) -> int:
    """The fewest edits found: insertions, deletions, substitutions and shifts, one each."""
    if not reference:
        return len(story)
    numbers: dict[str, int] = {}
    words, wanted = (
        np.array([numbers.setdefault(word, len(numbers)) for word in text], np.int32) for text in (story, reference)
    )
    shifts = weighed = 0
    while True:
        matrix = _matrix(words, wanted)
        distance = int(matrix[-1, -1])
        round_ = _shifts(words, wanted, matrix, _MOST_SHIFTS - weighed)
        weighed += len(round_)
        if not round_ or weighed >= _MOST_SHIFTS:
            return shifts + distance
        shifted = [shift.applied(words) for shift in round_]
        left = _distances(np.stack(shifted, axis=1), wanted)
        # Most saved first, then the longest block, then the earliest, then the earliest target.
        best = min(
            range(len(round_)),
            key=lambda place: (left[place], -round_[place].length, round_[place].start, round_[place].target),
        )
        if left[best] >= distance:
            return shifts + distance
        words, shifts = shifted[best], shifts + 1


def _shifts(words: Ids, wanted: Ids, matrix: NDArray[np.int32], most: int) -> list[Shift]:
    """The shifts worth weighing: of blocks that are wrong where they are, to where the reference is not met."""
    place_of, wrong, unmet = _alignment(words, wanted, matrix)
    found: list[Shift] = []
    for start, at, length in _common_blocks(words.tolist(), wanted.tolist()):
        if not any(wrong[start : start + length]) or not any(unmet[at : at + length]):
            continue
        if start <= place_of[at] < start + length:
            continue
        last = -1
        for offset in range(at - 1, at + length):
            target = place_of[offset] + 1 if offset >= 0 else 0
            if target != last:
                found.append(Shift(start, length, target))
                last = target
        if len(found) >= most:
            break
    return found


def _common_blocks(words: list[int], wanted: list[int]) -> Iterator[tuple[int, int, int]]:
    """Blocks both texts have, every length of each: start in the words, start in the reference, length."""
    places: dict[int, list[int]] = {}
    for place, word in enumerate(wanted):
        places.setdefault(word, []).append(place)
    for start, word in enumerate(words):
        here = places.get(word, [])
        for at in here[bisect_left(here, start - _FARTHEST) : bisect_left(here, start + _FARTHEST + 1)]:
            longest = min(_LONGEST_BLOCK, len(words) - start, len(wanted) - at)
            for length in range(1, longest + 1):
                if words[start + length - 1] != wanted[at + length - 1]:
                    break
                yield start, at, length


def _alignment(words: Ids, wanted: Ids, matrix: NDArray[np.int32]) -> tuple[list[int], list[bool], list[bool]]:
    """Along the cheapest path: each reference word's place among the words, the words that are wrong, those unmet.

    Where paths are equally cheap a substitution or a match comes before a deletion, and that before an insertion.
    """
    cost = matrix.tolist()
    row, column = len(words), len(wanted)
    wrong, unmet, place_of = [True] * row, [True] * column, [-1] * column
    while row or column:
        here = cost[row][column]
        same = row > 0 and column > 0 and words[row - 1] == wanted[column - 1]
        if row and column and cost[row - 1][column - 1] + (not same) == here:
            row, column = row - 1, column - 1
            wrong[row] = unmet[column] = not same
            place_of[column] = row
        elif row and (not column or cost[row - 1][column] + 1 == here):
            row -= 1
        else:
            column -= 1
            place_of[column] = row - 1
    return place_of, wrong, unmet


def _matrix(words: Ids, wanted: Ids) -> NDArray[np.int32]:
    """The distance of every beginning of the words from every beginning of the reference, as far as the beam goes."""
    matrix = np.full((len(words) + 1, len(wanted) + 1), _UNREACHED, np.int32)
    for number, (row, low, high) in enumerate(_rows(words[:, None], wanted)):
        matrix[number, low:high] = row[low:high, 0]
    return matrix


def _distances(texts: Ids, wanted: Ids) -> list[int]:
    """The distance of each text (a column of ``texts``) from the reference."""
    for row, _, _ in _rows(texts, wanted):
        last = row
    return last[-1].tolist()  # type: ignore[no-any-return]


def _rows(texts: Ids, wanted: Ids) -> Iterator[tuple[NDArray[np.int32], int, int]]:
    """The rows of all the texts' matrices at once, each with the part of it that lies in the beam."""
    length, width = len(texts), len(wanted) + 1
    slope = len(wanted) / length if length else 1.0
    beam = math.ceil(slope / 2 + _BEAM) if slope / 2 > _BEAM else _BEAM
    columns = np.arange(width, dtype=np.int32)[:, None]
    above = np.repeat(columns, texts.shape[1], axis=1)
    row = np.full_like(above, _UNREACHED)
    before = (0, width)
    yield above, 0, width
    for number in range(1, length + 1):
        diagonal = math.floor(number * slope)
        low, high = max(0, diagonal - beam), min(width, diagonal + beam)
        if number == length:
            high = width
        cells = row[low:high]
        np.add(above[low:high], 1, out=cells)
        first = max(low, 1)
        differs = wanted[first - 1 : high - 1, None] != texts[number - 1]
        inner = row[first:high]
        np.minimum(inner, above[first - 1 : high - 1] + differs, out=inner)
        # An insertion is a step to the right at a cost of 1: a running minimum once the steps are taken out.
        cells -= columns[low:high]
        np.minimum.accumulate(cells, axis=0, out=cells)
        cells += columns[low:high]
        np.minimum(cells, _UNREACHED, out=cells)
        yield row, low, high
        above[slice(*before)] = _UNREACHED
        above, row, before = row, above, (low, high)
