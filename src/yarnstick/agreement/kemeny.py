"""Kemeny's consensus: the order of the metrics that contradicts as few of the rankings' pairs as possible.

Borda counts places; Kemeny counts disagreements, and is what a majority would vote for wherever it does not vote in
circles. Finding it is hard in general, so the pairs on which the majority is clear are settled first: only metrics
caught in a circle need a search, and that one is exact unless the time runs out, when the gap is stated.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yarnstick.agreement.linear_ordering import best_order, disagreements, minorities
from yarnstick.agreement.types import Floats

Order = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Consensus:
    """The items from best to worst, the disagreements that order has, and how few any order must have."""

    order: Order
    cost: int
    bound: int

    @property
    def gap(self) -> int:
        """How many disagreements might still be saved; 0 when the order is proven best."""
        return self.cost - self.bound

    @property
    def exact(self) -> bool:
        """No order does better; others may do as well."""
        return self.gap == 0


def kemeny(rankings: ArrayLike, *, seconds: float = 60.0) -> Consensus:
    """The consensus of ``rankings`` (rankings, items), each a row of places, 1 the best.

    Two items in one place, or one without a place (NaN), are no preference in that ranking. Search stops after
    ``seconds``.

    >>> votes = [[1, 2, 3], [1, 2, 3], [2, 3, 1]]
    >>> kemeny(votes).order.tolist(), kemeny(votes).cost
    ([0, 1, 2], 2)
    """
    prefer = preferences(rankings)
    deadline = time.monotonic() + seconds
    groups = majority_groups(prefer)
    # What stands in different groups costs its minority wherever the groups are in this order, and never less.
    bound = minorities(prefer)
    order: list[int] = []
    for group in groups:
        among = prefer[np.ix_(group, group)]
        found, least = best_order(among, deadline)
        order += group[found].tolist()
        bound += least - minorities(among)
    final = np.array(order, dtype=np.intp)
    return Consensus(final, disagreements(prefer, final), bound)


def preferences(rankings: ArrayLike) -> NDArray[np.int64]:
    """How many rankings place the row item before the column item: (items, items)."""
    places: Floats = np.asarray(rankings, dtype=np.float64)
    if places.ndim != 2:
        raise ValueError(f"rankings are a table (rankings, items), not an array of shape {places.shape}")
    before = np.zeros((places.shape[1], places.shape[1]), dtype=np.int64)
    for row in places:
        before += row[:, None] < row[None, :]
    return before


def majority_groups(prefer: NDArray[np.int64]) -> list[Order]:
    """The items in groups, best group first, such that some consensus keeps every group together and in this order.

    A group is a set of items caught in circles of strict majorities. Between groups no majority points back, only
    forward or to a draw, so putting one group after the other costs each pair across no more than its minority.
    """
    from scipy.sparse.csgraph import connected_components

    ahead = prefer > prefer.T
    count, label = connected_components(ahead, directed=True, connection="strong")
    among = np.zeros((count, count), dtype=bool)
    winners, losers = np.nonzero(ahead)
    among[label[winners], label[losers]] = True
    np.fill_diagonal(among, False)
    groups: list[Order] = []
    waiting = set(range(count))
    beaten_by = among.sum(axis=0)
    while waiting:
        # Of groups nobody left stands ahead of, the one with the earliest item: the same order every time.
        free = min((g for g in waiting if not beaten_by[g]), key=lambda g: int(np.argmax(label == g)))
        waiting.remove(free)
        beaten_by = beaten_by - among[free]
        groups.append(np.flatnonzero(label == free))
    return groups
