"""Refusing settings that make no sense, before any story is read.

check=checks(order=at_least(1), smoothing=one_of("exp", "none"))
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from yarnstick.errors import MetricError
from yarnstick.metrics.card import OptionValue

#: says what would be right, or nothing where the value is
Rule: TypeAlias = Callable[[OptionValue], str]


def checks(**rules: Rule) -> Callable[..., None]:
    """A metric's ``check``: every named option must satisfy its rule.

    >>> checks(order=at_least(1))(order=0, other="x")
    Traceback (most recent call last):
    yarnstick.errors.MetricError: option order cannot be 0 (1 or more)
    """

    def check(**options: OptionValue) -> None:
        for name, rule in rules.items():
            if wanted := rule(options[name]):
                raise MetricError(f"option {name} cannot be {options[name]!r}", remedy=wanted)

    return check


def one_of(*choices: str) -> Rule:
    """One of these words."""
    return lambda value: "" if value in choices else f"one of {', '.join(choices)}"


def at_least(low: float) -> Rule:
    """A finite number, this or more."""
    return lambda value: "" if _finite(value) >= low else f"{low:g} or more"


def above(low: float) -> Rule:
    """A finite number greater than this."""
    return lambda value: "" if _finite(value) > low else f"more than {low:g}"


def between(low: float, high: float, why: str = "") -> Rule:
    """A number strictly between two others, or equal to one of them where ``why`` explains the ends."""
    if why:
        return lambda value: "" if low <= _finite(value) <= high else f"from {low:g} to {high:g}: {why}"
    return lambda value: "" if low < _finite(value) < high else f"between {low:g} and {high:g}"


def _finite(value: OptionValue) -> float:
    # Neither infinity nor NaN is ever a sensible setting; minus infinity fails every rule above.
    number = float(value)
    return number if math.isfinite(number) else -math.inf
