"""Intervals of single numbers: of a share, of a mean, and from resampled values."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from yarnstick.agreement.types import Floats


class Span(NamedTuple):
    """From ``low`` to ``high``; both NaN where there is no saying."""

    low: float
    high: float


UNKNOWN = Span(math.nan, math.nan)


def wilson(share: float, trials: float, confidence: float = 0.95) -> Span:
    """Wilson's interval of a share: unlike the textbook one it has a width where all or none of the trials succeed."""
    from scipy.special import ndtri

    if not trials > 0 or math.isnan(share):
        return UNKNOWN
    z = float(ndtri((1 + confidence) / 2))
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    reach = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # At a share of 0 or 1 the formula meets it exactly but for rounding.
    return Span(min(max(middle - reach, 0.0), share), max(min(middle + reach, 1.0), share))


def span_of_mean(values: Floats, confidence: float = 0.95) -> Span:
    """Student's interval of the mean of independent ``values``; NaN among them is left out."""
    from scipy.special import stdtrit

    held = values[~np.isnan(values)]
    if len(held) < 2:
        return UNKNOWN
    middle, deviation = float(held.mean()), float(held.std(ddof=1))
    reach = float(stdtrit(len(held) - 1, (1 + confidence) / 2)) * deviation / math.sqrt(len(held))
    return Span(middle - reach, middle + reach)


def percentiles(draws: Floats, confidence: float = 0.95) -> Span:
    """The middle part of resampled values; draws in which the value was undefined are left out."""
    held = draws[~np.isnan(draws)]
    if not len(held):
        return UNKNOWN
    low, high = np.quantile(held, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Span(float(low), float(high))
