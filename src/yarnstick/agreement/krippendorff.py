"""Krippendorff's alpha: agreement beyond chance for any number of raters, any scale, and with ratings missing.

Krippendorff, Content Analysis (2004), chapter 11. alpha = 1 - observed / expected disagreement, over all pairs of
ratings of one story against all pairs of ratings at all. Ratings of a story nobody else rated pair with nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from yarnstick.agreement.spans import UNKNOWN, Span, percentiles
from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
SCALES: tuple[Scale, ...] = get_args(Scale)

#: numbers held at once while resampling: 32 MB of float64
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Alpha:
    """The coefficient, its interval over resampled stories, the ratings and stories it rests on."""

    value: float
    interval: Span
    scale: Scale
    ratings: int
    stories: int
    #: stories with fewer than two ratings
    left_out: int


@dataclass(frozen=True, slots=True)
class _Units:
    """Stories with at least two ratings: how often each value was given to each of them."""

    counts: Floats  # (stories, values)
    values: Floats  # (values,), ascending
    left_out: int

    @property
    def sizes(self) -> Floats:
        """The number of ratings of each story."""
        sizes: Floats = self.counts.sum(axis=1)
        return sizes


def krippendorff_alpha(
    ratings: Floats, level: Scale = "interval", *, draws: int = 1000, confidence: float = 0.95, seed: int = 0
) -> Alpha:
    """Alpha of ``ratings`` (raters × stories, NaN where missing) at a ``level`` of measurement.

    Undefined (NaN) where no story has two ratings or all ratings are equal. ``draws=0`` leaves the interval out.
    The interval resamples stories, which are what a study could have had others of.
    """
    if level not in SCALES:
        raise InputError(f"there is no level of measurement {level!r}", remedy=f"one of {', '.join(SCALES)}")
    units = _units(ratings)
    if level == "ratio" and len(units.values) and units.values[0] < 0:
        raise InputError("ratios need ratings of 0 and more", remedy="take level='interval'")
    stories = len(units.counts)
    value, interval = math.nan, UNKNOWN
    if stories:
        value = float(_alpha(np.ones((1, stories)), units, level)[0])
        if draws:
            resampled = [_alpha(weights, units, level) for weights in _resamples(stories, units, draws, seed)]
            interval = percentiles(np.concatenate(resampled), confidence)
    return Alpha(value, interval, level, int(units.sizes.sum()), stories, units.left_out)


def coincidences(ratings: Floats) -> tuple[Floats, Floats]:
    """The values that occur, and how often each pair of them was given to one story (Krippendorff's o_ck).

    Each rating counts once: a story with m ratings gives m(m-1) ordered pairs of weight 1/(m-1).
    """
    units = _units(ratings)
    weighted = units.counts / (units.sizes[:, None] - 1)
    return units.values, units.counts.T @ weighted - np.diag(weighted.sum(axis=0))


def _units(ratings: Floats) -> _Units:
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise InputError(f"Krippendorff's alpha needs raters × stories, not the shape {table.shape}")
    given = ~np.isnan(table)
    paired = given.sum(axis=0) >= 2
    rater, story = np.nonzero(given[:, paired])
    values, place = np.unique(table[:, paired][rater, story], return_inverse=True)
    counts = np.zeros((int(paired.sum()), len(values)))
    np.add.at(counts, (story, place), 1.0)
    return _Units(counts, values, int((~paired).sum()))


def _resamples(stories: int, units: _Units, draws: int, seed: int) -> Iterator[Floats]:
    """How often each story is drawn, some draws at a time."""
    rng = np.random.default_rng(seed)
    step = max(1, _AT_ONCE // (stories + len(units.values)))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        yield rng.multinomial(stories, np.full(stories, 1 / stories), size=size).astype(np.float64)


def _alpha(weights: Floats, units: _Units, level: Scale) -> Floats:
    """Alpha of each weighting (draws × stories).

    Of points on a line, the squared differences over all pairs are 2 (n Σx² - (Σx)²), so that interval and ordinal
    alpha need no matrix of differences. Ordinal is interval on mid-ranks: the book's sum of the frequencies from c
    to k, less half of both ends, is the difference of the cumulative mid-ranks of k and c.
    """
    totals = weights @ units.counts
    ratings = totals.sum(axis=1)
    if level == "nominal":
        within = weights @ ((units.sizes**2 - (units.counts**2).sum(axis=1)) / (units.sizes - 1))
        overall = ratings**2 - (totals**2).sum(axis=1)
    elif level == "ratio":
        differences = _ratio_differences(units.values)
        within = weights @ (((units.counts @ differences) * units.counts).sum(axis=1) / (units.sizes - 1))
        overall = ((totals @ differences) * totals).sum(axis=1)
    else:
        points = np.broadcast_to(units.values, totals.shape)
        if level == "ordinal":
            points = np.cumsum(totals, axis=1) - totals / 2
        points = points - (totals * points).sum(axis=1, keepdims=True) / ratings[:, None]
        squares = (points**2) @ units.counts.T
        per_story = 2 * (units.sizes * squares - (points @ units.counts.T) ** 2) / (units.sizes - 1)
        within = (weights * per_story).sum(axis=1)
        overall = 2 * ratings * (totals * points**2).sum(axis=1)
    varied = (totals > 0).sum(axis=1) > 1
    alpha = np.full(len(weights), np.nan)
    alpha[varied] = 1 - (ratings[varied] - 1) * within[varied] / overall[varied]
    return alpha


def _ratio_differences(values: Floats) -> Floats:
    sums = values[:, None] + values[None, :]
    differences: Floats = np.divide(values[:, None] - values[None, :], sums, out=np.zeros_like(sums), where=sums != 0)
    return differences**2
