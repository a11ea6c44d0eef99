"""How sure a coefficient is: percentile intervals from a bootstrap over prompts."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from yarnstick.agreement.resampled import draw_prompts, resampled, units
from yarnstick.agreement.types import Floats, Kind, Level

#: results of draws held at a time: 256 MB
_AT_A_TIME = 32_000_000


class Interval(NamedTuple):
    """The lower and upper end of every coefficient, each (m, c); NaN where it is undefined."""

    low: Floats
    high: Floats


def bootstrap(
    x: Floats,
    y: Floats,
    kind: Kind,
    level: Level,
    *,
    draws: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    each: int = 1,
) -> Interval:
    """The interval of the coefficient of x (m, s, p) with y (c, s, p) under resampling of prompts.

    A prompt is drawn with the stories of all systems, which share its difficulty; where each story has a prompt of its
    own, or all are of one prompt (pooled), that is resampling stories. Draws in which the coefficient is undefined say
    nothing and are left out. All metrics and criteria see the same draws. With one prompt there is no interval.
    ``each`` is how many columns in a row are of one prompt, and drawn together.
    """
    x, y = units(x, y, level)
    weights = np.repeat(draw_prompts(x.shape[2] // each, draws, seed), each, axis=1)
    low, high = (np.full((len(x), len(y)), np.nan) for _ in range(2))
    step = max(1, _AT_A_TIME // (len(y) * draws))
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        found = resampled(x[rows], y, kind, level, weights)
        if x.shape[2] > each:
            low[rows], high[rows] = _quantiles(found, confidence)
    return Interval(low, high)


def _quantiles(found: Floats, confidence: float) -> Floats:
    ends = ((1 - confidence) / 2, (1 + confidence) / 2)
    if not np.isnan(found).any():
        return np.quantile(found, ends, axis=-1)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice encountered", RuntimeWarning)
        quantiles: Floats = np.nanquantile(found, ends, axis=-1)
    return quantiles
