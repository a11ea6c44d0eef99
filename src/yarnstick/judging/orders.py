"""In which order the criteria are asked: what stands first may colour what follows, so it can be varied."""

from __future__ import annotations

import random
from typing import TypeVar

from yarnstick.errors import MetricError

ORDERS = ("given", "rotated", "shuffled")

Item = TypeVar("Item")


def check_order(order: str) -> None:
    """Refuse an order that does not exist."""
    if order not in ORDERS:
        raise MetricError(f"unknown order {order!r}", remedy=f"one of {', '.join(ORDERS)}")


def in_order(items: tuple[Item, ...], order: str, sample: int, seed: int) -> tuple[Item, ...]:
    """The items for a sample (from 0): as given, begun one later with every sample, or shuffled anew in each.

    >>> in_order(("a", "b", "c"), "rotated", 1, 0)
    ('b', 'c', 'a')
    """
    if order == "rotated":
        start = sample % len(items)
        return items[start:] + items[:start]
    if order == "shuffled":
        mixed = list(items)
        random.Random(f"{seed} {sample}").shuffle(mixed)
        return tuple(mixed)
    return items
