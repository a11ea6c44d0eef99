"""How far metrics agree with people: at story level, at system level, pooled, and within each system."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.grouped import grouped
from yarnstick.agreement.levels import StoryLevel, arranged, cubes, enough, mean_over_groups
from yarnstick.agreement.means import published_mean
from yarnstick.agreement.partial import partial
from yarnstick.agreement.soft_accuracy import soft_pairwise_accuracy
from yarnstick.agreement.types import Floats, Kind, Level

__all__ = [
    "StoryLevel",
    "at_level",
    "correlate",
    "mean_over_groups",
    "partial",
    "per_prompt",
    "pooled",
    "soft_pairwise_accuracy",
    "story_level",
    "system_level",
    "within_system",
]


def correlate(x: Floats, y: Floats, kind: Kind) -> Floats:
    """Every row of x (a, n) with every row of y (b, n): (a, b). NaN values are left out pair by pair."""
    x, y = (np.asarray(a, dtype=np.float64) for a in (x, y))
    return grouped(x[:, None, :], y[:, None, :], kind)[:, :, 0]


def per_prompt(x: Floats, y: Floats, kind: Kind) -> Floats:
    """The coefficient over systems within each prompt, of x (m, s, p) with y (c, s, p): (m, c, p)."""
    return _in_groups(x, y, kind, "story")


def story_level(x: Floats, y: Floats, kind: Kind) -> StoryLevel:
    """HANNA eq. 1: the coefficient over systems within each prompt, averaged over the prompts that have one."""
    return mean_over_groups(per_prompt(x, y, kind))


def system_level(x: Floats, y: Floats, kind: Kind, *, as_published: bool = False) -> Floats:
    """HANNA eq. 2: the coefficient over systems of their means over prompts: (m, c).

    Means are exact, so that systems tie when their ratings add up to the same. ``as_published`` takes NumPy's mean,
    which breaks one of the two ties of HANNA's Complexity.
    """
    if not as_published:
        return _in_groups(x, y, kind, "system")[:, :, 0]
    x, y = cubes(x, y)
    enough(x.shape[1], "system")
    return correlate(published_mean(x), published_mean(y), kind)


def pooled(x: Floats, y: Floats, kind: Kind) -> Floats:
    """The coefficient over all stories, whatever system and prompt they are of, as UNION's Table 5 has it: (m, c)."""
    return _in_groups(x, y, kind, "pooled")[:, :, 0]


def within_system(x: Floats, y: Floats, kind: Kind) -> Floats:
    """The coefficient over prompts within each system, averaged over the systems that have one: (m, c).

    What is left of an agreement when it can no longer come from telling good systems from bad.
    """
    return mean_over_groups(_in_groups(x, y, kind, "within-system")).mean


def at_level(x: Floats, y: Floats, kind: Kind, level: Level) -> Floats:
    """The coefficient at any level: (m, c)."""
    return mean_over_groups(_in_groups(x, y, kind, level)).mean


def _in_groups(x: Floats, y: Floats, kind: Kind, level: Level) -> Floats:
    x, y = cubes(x, y)
    return grouped(arranged(x, level), arranged(y, level), kind)
