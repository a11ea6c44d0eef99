"""The order that NumPy before 1.25 gave to equal values: ``argsort`` as introsort, which is not stable.

HANNA's Borda counts rank 72 metrics by ``argsort``, and at system level many metrics tie; which of them comes first
is then an accident of the sorting algorithm, and NumPy has changed it since. To reproduce the published counts the
algorithm's every exchange has to be made again. Nothing else should use this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: parts with no more than this beyond their first element are sorted by insertion
_SMALL = 15


def introsort_argsort(values: ArrayLike) -> NDArray[np.intp]:
    """The order that sorts ``values`` upwards, equal ones as NumPy before 1.25 left them; NaN comes last.

    >>> introsort_argsort([2.0, 1.0, 2.0, 1.0]).tolist()
    [1, 3, 0, 2]
    """
    # NaN compares with nothing; as equal keys behind all others they sort as NumPy's comparison has them.
    numbers = np.asarray(values, dtype=np.float64).tolist()
    keys = [(1, 0.0) if math.isnan(number) else (0, number) for number in numbers]
    order = list(range(len(keys)))
    # Quicksort gives up on a part after twice as many halvings as a balanced one would need.
    waiting = [(0, len(order) - 1, 2 * (len(order).bit_length() - 1))]
    while waiting:
        low, high, depth = waiting.pop()
        if depth < 0:
            _heapsort(keys, order, low, high)
            continue
        while high - low > _SMALL:
            middle = _partition(keys, order, low, high)
            depth -= 1
            # The larger part waits, and the depth is only looked at when its turn comes.
            if middle - low < high - middle:
                waiting.append((middle + 1, high, depth))
                high = middle - 1
            else:
                waiting.append((low, middle - 1, depth))
                low = middle + 1
        _insertion_sort(keys, order, low, high)
    return np.array(order, dtype=np.intp)


def _partition(keys: Sequence[tuple[int, float]], order: list[int], low: int, high: int) -> int:
    """Put the median of first, middle and last in its place, smaller ones before it; returns that place."""

    def exchange(a: int, b: int) -> None:
        order[a], order[b] = order[b], order[a]

    middle = (low + high) // 2
    for lesser, greater in ((low, middle), (middle, high), (low, middle)):
        if keys[order[greater]] < keys[order[lesser]]:
            exchange(lesser, greater)
    pivot = keys[order[middle]]
    left, right = low, high - 1
    exchange(middle, right)
    while True:
        left += 1
        while keys[order[left]] < pivot:
            left += 1
        right -= 1
        while pivot < keys[order[right]]:
            right -= 1
        if left >= right:
            break
        exchange(left, right)
    exchange(left, high - 1)
    return left


def _insertion_sort(keys: Sequence[tuple[int, float]], order: list[int], low: int, high: int) -> None:
    for place in range(low + 1, high + 1):
        item = order[place]
        while place > low and keys[item] < keys[order[place - 1]]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = item


def _heapsort(keys: Sequence[tuple[int, float]], order: list[int], low: int, high: int) -> None:
    heap = order[low : high + 1]

    def sift(parent: int, size: int) -> None:
        item = heap[parent]
        while (child := 2 * parent + 1) < size:
            if child + 1 < size and keys[heap[child]] < keys[heap[child + 1]]:
                child += 1
            if not keys[item] < keys[heap[child]]:
                break
            heap[parent] = heap[child]
            parent = child
        heap[parent] = item

    for parent in range(len(heap) // 2 - 1, -1, -1):
        sift(parent, len(heap))
    for last in range(len(heap) - 1, 0, -1):
        # The greatest goes to the end, and what stood there is sifted down from the top.
        heap[0], heap[last] = heap[last], heap[0]
        sift(0, last)
    order[low : high + 1] = heap
