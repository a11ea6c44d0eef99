"""Fleiss' kappa: agreement beyond chance on categories (Fleiss 1971)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from yarnstick.agreement.spans import UNKNOWN, Span, percentiles
from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError


@dataclass(frozen=True, slots=True)
class Kappa:
    """Kappa, its interval over resampled stories, and the test that there is any agreement at all.

    ``standard_error`` holds where raters agree by chance alone (Fleiss, Nee & Landis 1979): it is for ``z`` and ``p``.
    """

    value: float
    interval: Span
    standard_error: float
    z: float
    p: float
    stories: int
    #: stories with fewer than two ratings
    left_out: int


def fleiss_kappa(ratings: Floats, *, draws: int = 1000, confidence: float = 0.95, seed: int = 0) -> Kappa:
    """Kappa of ``ratings`` (stories × raters), each distinct value a category; who gave it does not matter.

    Fleiss assumes as many ratings for every story. Where some are missing, a story's agreement is the share of its
    own pairs that agree, each story counts as much as another, and there is no test (NaN), only the interval.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise InputError(f"Fleiss' kappa needs stories × raters, not the shape {table.shape}")
    paired = (~np.isnan(table)).sum(axis=1) >= 2
    counts = _category_counts(table[paired])
    if not len(counts):
        return Kappa(math.nan, UNKNOWN, math.nan, math.nan, math.nan, 0, int((~paired).sum()))
    stories = len(counts)
    value = float(_kappa(np.ones((1, stories)), counts)[0])
    interval = UNKNOWN
    if draws:
        weights = np.random.default_rng(seed).multinomial(stories, np.full(stories, 1 / stories), size=draws)
        interval = percentiles(_kappa(weights.astype(np.float64), counts), confidence)
    error, z, p = _chance_test(value, counts)
    return Kappa(value, interval, error, z, p, stories, int((~paired).sum()))


def _category_counts(table: Floats) -> Floats:
    story, rater = np.nonzero(~np.isnan(table))
    values, place = np.unique(table[story, rater], return_inverse=True)
    counts = np.zeros((len(table), len(values)))
    np.add.at(counts, (story, place), 1.0)
    return counts


def _kappa(weights: Floats, counts: Floats) -> Floats:
    """(observed - chance) / (1 - chance) for each weighting (draws × stories)."""
    sizes = counts.sum(axis=1)
    agreeing = ((counts**2).sum(axis=1) - sizes) / (sizes * (sizes - 1))
    observed = weights @ agreeing / weights.sum(axis=1)
    totals = weights @ counts
    chance = ((totals / totals.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    varied = (totals > 0).sum(axis=1) > 1
    kappa = np.full(len(weights), np.nan)
    kappa[varied] = (observed[varied] - chance[varied]) / (1 - chance[varied])
    return kappa


def _chance_test(value: float, counts: Floats) -> tuple[float, float, float]:
    """Standard error under chance, z, and the two-sided p."""
    from scipy import stats

    sizes = counts.sum(axis=1)
    if math.isnan(value) or sizes.min() != sizes.max():
        return math.nan, math.nan, math.nan
    n, m = len(counts), float(sizes[0])
    share = counts.sum(axis=0) / (n * m)
    spread = float((share * (1 - share)).sum())
    skew = float((share * (1 - share) * (1 - 2 * share)).sum())
    error = math.sqrt(2 * (spread**2 - skew) / (n * m * (m - 1))) / spread
    return error, value / error, 2 * float(stats.norm.sf(abs(value / error)))
