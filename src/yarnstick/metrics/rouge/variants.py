"""The names of ROUGE variants, as the Perl script prints them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from yarnstick.errors import MetricError

__all__ = ["ROUGE_VARIANTS", "Variant", "parse_variant"]

#: What ``ROUGE-1.5.5.pl -n 4 -w 1.2 -2 -1 -U`` prints: the eight of HANNA and of most tables since 2004.
ROUGE_VARIANTS = (
    "ROUGE-1",
    "ROUGE-2",
    "ROUGE-3",
    "ROUGE-4",
    "ROUGE-L",
    "ROUGE-W-1.2",
    "ROUGE-S*",
    "ROUGE-SU*",
)

_NAME = re.compile(r"ROUGE-(?:(?P<n>[1-9]\d?)|(?P<l>L)|W-(?P<w>\d+(?:\.\d+)?)|(?P<s>SU?)(?P<gap>\*|\d{1,6}))")


@dataclass(frozen=True, slots=True)
class Variant:
    """What to count. Only the setting of its own kind has a meaning."""

    kind: Literal["N", "L", "W", "S", "SU"]
    #: length of the n-gram
    n: int = 0
    #: a run of k matches in a row is worth k ** weight
    weight: float = 1.0
    #: most words between the two of a skip-bigram; None is no limit
    gap: int | None = None


def parse_variant(name: str) -> Variant:
    """Read a variant's name.

    >>> parse_variant("ROUGE-SU4")
    Variant(kind='SU', n=0, weight=1.0, gap=4)
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise MetricError(
            f"there is no ROUGE variant {name!r}",
            remedy="ROUGE-1 to ROUGE-99, ROUGE-L, ROUGE-W-1.2, ROUGE-S*, ROUGE-SU*, ROUGE-S4, ROUGE-SU4",
        )
    if match["n"]:
        return Variant("N", n=int(match["n"]))
    if match["l"]:
        return Variant("L")
    if match["w"]:
        weight = float(match["w"])
        # Below 1 a longer run would be worth less than its parts, and the dynamic programme means nothing.
        if not 1.0 <= weight <= 10.0:
            raise MetricError(f"ROUGE-W's weight is {match['w']}", remedy="give one from 1 to 10; 1.2 is usual")
        return Variant("W", weight=weight)
    gap = None if match["gap"] == "*" else int(match["gap"])
    return Variant("S" if match["s"] == "S" else "SU", gap=gap)
