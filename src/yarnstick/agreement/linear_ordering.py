"""The linear ordering problem: of all orders of the items, one that goes against the fewest preferences.

As an integer programme it has a variable a pair (which one comes first) and two inequalities a triple (no circles),
far too many to write down at once. Those broken by the present solution are added a few at a time; mostly the
linear programme then proves an order best by itself, and only where it does not are the variables made whole.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.types import Floats

Order = NDArray[np.intp]
Preferences = NDArray[np.int64]
Triples = NDArray[np.intp]

#: how far a sum may pass its limit before the circle counts as one
_SLACK = 1e-6
#: circles added a round, per item
_CUTS_AN_ITEM = 60
#: circles added a round through one pair
_CUTS_A_PAIR = 4


class Bounded(NamedTuple):
    """An order, and a number of disagreements no order gets below."""

    order: Order
    bound: int


def best_order(prefer: Preferences, deadline: float) -> Bounded:
    """The order with the fewest disagreements, or the best one found until ``deadline`` (of time.monotonic)."""
    items = len(prefer)
    bound = minorities(prefer)
    borda = np.argsort((prefer.T - prefer).sum(axis=1), kind="stable")
    order = improved(prefer, borda)
    programme = _Programme(prefer)
    triples = _circles(_majority(prefer), items)
    whole = False
    while disagreements(prefer, order) > bound and (left := deadline - time.monotonic()) > 0:
        solution = programme.solve(triples, whole=whole, seconds=left)
        # Costs are whole numbers: a bound of 10.2 is one of 11. Without time there may be no bound at all.
        if math.isfinite(solution.bound):
            bound = max(bound, math.ceil(solution.bound - 1e-6))
        if solution.ahead is None:
            break
        candidate = improved(prefer, np.argsort(-solution.ahead.sum(axis=1), kind="stable"))
        if disagreements(prefer, candidate) < disagreements(prefer, order):
            order = candidate
        broken = _circles(solution.ahead, items)
        if len(broken):
            triples = np.concatenate([triples, broken])
        elif whole:
            break
        else:
            whole = True
    return Bounded(order, min(bound, disagreements(prefer, order)))


def disagreements(prefer: Preferences, order: Order) -> int:
    """How many preferences stand the other way round in this order."""
    return int(np.tril(prefer[np.ix_(order, order)], -1).sum())


def minorities(prefer: Preferences) -> int:
    """What any order goes against at least: the lesser side of every pair."""
    return int(np.triu(np.minimum(prefer, prefer.T), 1).sum())


def improved(prefer: Preferences, order: Order) -> Order:
    """Items moved one at a time to where they disagree least, until no move helps."""
    current = order.tolist()
    moved = True
    while moved:
        moved = False
        for item in list(current):
            place = current.index(item)
            rest = current[:place] + current[place + 1 :]
            # Standing after the first j others goes against those who put the item before them, and so on.
            cost = np.concatenate([[0], np.cumsum(prefer[item, rest] - prefer[rest, item])])
            best = int(np.argmin(cost))
            if cost[best] < cost[place]:
                current = [*rest[:best], item, *rest[best:]]
                moved = True
    return np.array(current, dtype=np.intp)


class _Solution(NamedTuple):
    #: which item is ahead of which, between 0 and 1; None when the time ran out before there was any
    ahead: Floats | None
    #: -inf when the time ran out before there was any
    bound: float


class _Programme:
    """The linear or integer programme over the pairs of some items."""

    def __init__(self, prefer: Preferences) -> None:
        self.items = len(prefer)
        self.first, self.second = np.triu_indices(self.items, 1)
        self.number = np.zeros((self.items, self.items), dtype=np.intp)
        self.number[self.first, self.second] = np.arange(self.first.size)
        # x = 1 puts the first of the pair ahead, against those who prefer the second.
        self.cost = (prefer[self.second, self.first] - prefer[self.first, self.second]).astype(np.float64)
        self.constant = float(prefer[self.first, self.second].sum())

    def solve(self, triples: Triples, *, whole: bool, seconds: float) -> _Solution:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import coo_array

        # A circle i > j > k > i: of its three statements at most two hold. A pair (b, a) with b > a is 1 - x(a, b).
        a, b = triples[:, [0, 1, 2]].reshape(-1), triples[:, [1, 2, 0]].reshape(-1)
        forward = a < b
        columns = self.number[np.minimum(a, b), np.maximum(a, b)]
        rows = np.repeat(np.arange(len(triples)), 3)
        matrix = coo_array(
            (np.where(forward, 1.0, -1.0), (rows, columns)), shape=(len(triples), self.cost.size)
        ).tocsr()
        limit = 2.0 - (~forward).reshape(-1, 3).sum(axis=1)
        result = milp(
            self.cost,
            integrality=np.full(self.cost.size, int(whole)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, -np.inf, limit),
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        bound = getattr(result, "mip_dual_bound", None) if whole else (result.fun if result.status == 0 else None)
        lowest = -math.inf if bound is None else float(bound) + self.constant
        if result.x is None:
            return _Solution(None, lowest)
        ahead = np.zeros((self.items, self.items))
        x = np.clip(result.x, 0.0, 1.0)
        ahead[self.first, self.second], ahead[self.second, self.first] = x, 1.0 - x
        return _Solution(ahead, lowest)


def _majority(prefer: Preferences) -> Floats:
    return np.where(prefer == prefer.T, 0.5, (prefer > prefer.T).astype(np.float64))


def _circles(ahead: Floats, items: int) -> Triples:
    """The worst circles i > j > k > i, each once (i the least of the three), only some through any one pair."""
    found = []
    for i in range(items - 2):
        later = slice(i + 1, items)
        excess = ahead[i, later][:, None] + ahead[later, later] + ahead[later, i][None, :] - 2.0
        np.fill_diagonal(excess, -1.0)
        j, k = np.nonzero(excess > _SLACK)
        found.append(np.column_stack([excess[j, k], np.full(j.size, i), j + i + 1, k + i + 1]))
    table = np.concatenate(found) if found else np.empty((0, 4))
    table = table[np.argsort(-table[:, 0], kind="stable")]
    used = np.zeros((items, items), dtype=np.int64)
    chosen = []
    for i, j, k in table[:, 1:].astype(np.intp).tolist():
        if max(used[i, j], used[j, k], used[k, i]) < _CUTS_A_PAIR:
            used[i, j] += 1
            used[j, k] += 1
            used[k, i] += 1
            chosen.append((i, j, k))
            if len(chosen) >= _CUTS_AN_ITEM * items:
                break
    return np.array(chosen, dtype=np.intp).reshape(-1, 3)
