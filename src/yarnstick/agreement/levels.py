"""What is compared with what at each level: a cube laid out as groups of items."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.means import exact_mean
from yarnstick.agreement.types import LEVELS, Floats, Level
from yarnstick.errors import InputError, MetricError

#: a coefficient of two items is always 1 or -1, whatever they are
FEWEST = 3
_ITEMS = {"story": "systems", "system": "systems", "pooled": "stories", "within-system": "prompts"}


class StoryLevel(NamedTuple):
    """A mean over prompts (m, c), and over how many prompts: those where the coefficient was defined."""

    mean: Floats
    defined: NDArray[np.intp]


def cubes(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Both as float64 cubes of the same systems and prompts."""
    x, y = (np.asarray(a, dtype=np.float64) for a in (x, y))
    if x.ndim != 3 or y.ndim != 3 or x.shape[1:] != y.shape[1:]:
        raise ValueError(f"metrics {x.shape} and criteria {y.shape} must both be (rows, systems, prompts), aligned")
    return x, y


def arranged(x: Floats, level: Level) -> Floats:
    """(m, s, p) as (m, groups, items).

    At story level a group is a prompt and its items are systems; at system level the one group is the systems' means;
    pooled, the one group is all stories; within systems a group is a system and its items are prompts.
    """
    if level == "story":
        items = x.transpose(0, 2, 1)
    elif level == "system":
        items = exact_mean(x)[:, None, :]
    elif level == "pooled":
        items = x.reshape(len(x), 1, -1)
    elif level == "within-system":
        items = x
    else:
        raise MetricError(f"there is no level {level!r}", remedy=f"choose from: {', '.join(LEVELS)}")
    enough(items.shape[2], level)
    return items


def enough(number: int, level: Level) -> None:
    """Refuse a level whose groups are of fewer than three items."""
    if number < FEWEST:
        what = _ITEMS[level]
        raise InputError(
            f"the {level} level needs {FEWEST} {what} or more, there {'is' if number == 1 else 'are'} {number}",
            remedy="a coefficient of two is always 1 or -1" + ("; ask for pooled" if what == "systems" else ""),
        )


def mean_over_groups(coefficients: Floats) -> StoryLevel:
    """The mean over the last axis of what is defined there, and how much that is."""
    missing = np.isnan(coefficients)
    counts = np.asarray(coefficients.shape[-1] - missing.sum(axis=-1))
    sums = np.where(missing, 0.0, coefficients).sum(axis=-1)
    return StoryLevel(np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0), counts)
