"""How far metrics agree with people: at story level, at system level, pooled, and within each system."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.grouped import grouped
from yarnstick.agreement.means import exact_mean, published_mean
from yarnstick.agreement.types import LEVELS, Floats, Kind, Level
from yarnstick.errors import InputError, MetricError

#: a coefficient of two items is always 1 or -1, whatever they are
FEWEST = 3


class StoryLevel(NamedTuple):
    """A mean over prompts (m, c), and over how many prompts: those where the coefficient was defined."""

    mean: Floats
    defined: NDArray[np.intp]


def correlate(x: Floats, y: Floats, kind: Kind) -> Floats:
    """Every row of x (a, n) with every row of y (b, n): (a, b). NaN values are left out pair by pair."""
    x, y = (np.asarray(a, dtype=np.float64) for a in (x, y))
    return grouped(x[:, None, :], y[:, None, :], kind)[:, :, 0]


def per_prompt(x: Floats, y: Floats, kind: Kind) -> Floats:
    """The coefficient over systems within each prompt, of x (m, s, p) with y (c, s, p): (m, c, p)."""
    x, y = _cubes(x, y)
    _enough(x.shape[1], "systems", "story")
    return grouped(x.transpose(0, 2, 1), y.transpose(0, 2, 1), kind)


def story_level(x: Floats, y: Floats, kind: Kind) -> StoryLevel:
    """HANNA eq. 1: the coefficient over systems within each prompt, averaged over the prompts that have one."""
    return mean_over_groups(per_prompt(x, y, kind))


def system_level(x: Floats, y: Floats, kind: Kind, *, as_published: bool = False) -> Floats:
    """HANNA eq. 2: the coefficient over systems of their means over prompts: (m, c).

    Means are exact, so that systems tie when their ratings add up to the same. ``as_published`` takes NumPy's mean,
    which breaks one of the two ties of HANNA's Complexity.
    """
    x, y = _cubes(x, y)
    _enough(x.shape[1], "systems", "system")
    mean = published_mean if as_published else exact_mean
    return correlate(mean(x), mean(y), kind)


def pooled(x: Floats, y: Floats, kind: Kind) -> Floats:
    """The coefficient over all stories, whatever system and prompt they are of, as UNION's Table 5 has it: (m, c)."""
    x, y = _cubes(x, y)
    _enough(x.shape[1] * x.shape[2], "stories", "pooled")
    return correlate(x.reshape(len(x), -1), y.reshape(len(y), -1), kind)


def within_system(x: Floats, y: Floats, kind: Kind) -> Floats:
    """The coefficient over prompts within each system, averaged over the systems that have one: (m, c).

    What is left of an agreement when it can no longer come from telling good systems from bad.
    """
    x, y = _cubes(x, y)
    _enough(x.shape[2], "prompts", "within-system")
    return mean_over_groups(grouped(x, y, kind)).mean


def at_level(x: Floats, y: Floats, kind: Kind, level: Level) -> Floats:
    """The coefficient at any level: (m, c)."""
    if level == "story":
        return story_level(x, y, kind).mean
    if level == "system":
        return system_level(x, y, kind)
    if level == "pooled":
        return pooled(x, y, kind)
    if level == "within-system":
        return within_system(x, y, kind)
    raise MetricError(f"there is no level {level!r}", remedy=f"choose from: {', '.join(LEVELS)}")


def mean_over_groups(coefficients: Floats) -> StoryLevel:
    """The mean over the last axis of what is defined there, and how much that is."""
    missing = np.isnan(coefficients)
    counts = np.asarray(coefficients.shape[-1] - missing.sum(axis=-1))
    sums = np.where(missing, 0.0, coefficients).sum(axis=-1)
    return StoryLevel(np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0), counts)


def _cubes(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    x, y = (np.asarray(a, dtype=np.float64) for a in (x, y))
    if x.ndim != 3 or y.ndim != 3 or x.shape[1:] != y.shape[1:]:
        raise ValueError(f"metrics {x.shape} and criteria {y.shape} must both be (rows, systems, prompts), aligned")
    return x, y


def _enough(number: int, what: str, level: Level) -> None:
    if number < FEWEST:
        raise InputError(
            f"the {level} level needs {FEWEST} {what} or more, there {'is' if number == 1 else 'are'} {number}",
            remedy="a coefficient of two is always 1 or -1" + ("; ask for pooled" if what == "systems" else ""),
        )
