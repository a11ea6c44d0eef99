"""Is a model ahead of the row to beat, or could other prompts have turned it round? Paired over resampled prompts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from yarnstick.agreement.resampled import draw_prompts, resampled, units
from yarnstick.agreement.types import Floats, Kind, Level
from yarnstick.reproduce.rated_sets import RatedSet

#: coefficients that differ by less are the same number, rounded differently
_SAME = 1e-12


class Ahead(NamedTuple):
    """Of each model (m,), its coefficient less the other's, both being means over the criteria."""

    difference: Floats
    low: Floats
    high: Floats
    #: the share of draws in which it is not ahead
    p: Floats


def against(
    rated: RatedSet, scores: Floats, other: Floats, kind: Kind, level: Level, *, draws: int = 1000, seed: int = 0
) -> Ahead:
    """Models' scores (models, stories) against another's (stories,), all in the same draws of prompts."""
    x, y = units(rated.cube(np.array([other, *scores])), rated.human, level)
    every = np.ones((1, x.shape[2]))
    whole, found = (
        resampled(x, y, kind, level, weights).mean(axis=1) for weights in (every, draw_prompts(x.shape[2], draws, seed))
    )
    differences = found[1:] - found[0]
    low, high = np.nanquantile(differences, (0.025, 0.975), axis=-1)
    return Ahead((whole[1:] - whole[0])[:, 0], low, high, np.asarray((differences <= _SAME).mean(axis=-1)))
