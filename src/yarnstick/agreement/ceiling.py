"""The ceiling: the largest correlation any metric can show with ratings that are themselves uncertain.

A metric that knew every story's true quality would still not correlate at 1 with the mean of a few raters, whose
noise it cannot know. Spearman's attenuation: the most it can reach is the square root of that mean's reliability.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import overload

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.levels import mean_over_groups
from yarnstick.agreement.matching import matching_at_level
from yarnstick.agreement.raters import one_against_rest, resampled_against_rest
from yarnstick.agreement.spans import percentiles
from yarnstick.agreement.types import Floats, Kind, Level
from yarnstick.errors import InputError

#: ratings held at once while resampling: few enough to stay in the cache
_AT_ONCE = 300_000
#: ratings a story may have for all their orders to be listed: 24
_FEW = 4


@dataclass(frozen=True, slots=True)
class Ceiling:
    """For each criterion, by one kind of correlation at one level."""

    #: what one more person would show: the mean over raters of each one's correlation with the rest, or, where more
    #: raters took part than any story has ratings, that of one rating a story taken at random
    one_rater: Floats
    one_rater_low: Floats
    one_rater_high: Floats
    #: correlation of the means of two random halves of the raters, averaged over splits
    split_half: Floats
    #: of the mean of all raters, stepped up from the halves (Spearman–Brown)
    reliability: Floats
    #: the largest correlation with that mean a metric can show, with its interval
    ceiling: Floats
    low: Floats
    high: Floats


@overload
def ceiling(reliability: float) -> float: ...
@overload
def ceiling(reliability: Floats) -> Floats: ...
def ceiling(reliability: float | Floats) -> float | Floats:
    """√reliability of the mean rating (ICC1k, ICC2k, …), for Pearson. A reliability below 0 gives no ceiling (NaN).

    >>> ceiling(0.49)
    0.7
    """
    values = np.asarray(reliability, dtype=np.float64)
    roots = np.sqrt(np.where(values >= 0, np.minimum(values, 1.0), np.nan))
    return float(roots) if roots.ndim == 0 else roots


def spearman_brown(reliability: Floats, factor: Floats | float) -> Floats:
    """The reliability of ``factor`` times as many raters; no sense in it below 0 (NaN)."""
    held = np.where(reliability >= 0, reliability, np.nan)
    stepped: Floats = factor * held / (1 + (factor - 1) * held)
    return stepped


def empirical_ceiling(
    raters: Floats,
    kind: Kind,
    level: Level,
    *,
    splits: int = 50,
    draws: int = 200,
    confidence: float = 0.95,
    seed: int = 0,
    each: int = 1,
) -> Ceiling:
    """The ceiling from ratings (c, s, p, k) themselves, at the level and by the kind that metrics are judged by.

    Each story's raters are split at random into two halves of ⌊n/2⌋ (an odd one sits out), the halves' means
    correlated, and the result stepped up to all n. Rank coefficients are taken to Pearson and back as in a normal
    distribution (r = sin(π τ / 2), r = 2 sin(π ρ / 6)): for them the ceiling is an approximation, and pairwise
    accuracy, which ties decide, has none (NaN). The interval resamples prompts, with a fresh split each time, and
    takes a reliability below 0 for 0.
    """
    if raters.ndim != 4 or raters.shape[3] < 2:
        raise InputError(f"a ceiling needs criteria × systems × prompts × 2 or more raters, not {raters.shape}")
    rng = np.random.default_rng(seed)
    slots = _slots(raters)
    apart = partial(_drawn, kind=kind, level=level, rng=rng, each=each)
    factors = np.array([_factor(ratings) for ratings in slots])
    split_half = mean_over_groups(apart(slots, splits, _halves).T).mean
    reliability = spearman_brown(_as_pearson(split_half, kind), factors)
    resamples = 0 if kind == "pairwise-accuracy" else draws
    resampled = _as_pearson(apart(slots, resamples, _halves, resample=True), kind)
    reached = ceiling(spearman_brown(np.maximum(resampled, 0.0), factors))
    spans = [percentiles(found, confidence) for found in _as_kind(reached, kind).T]
    if slots.shape == raters.shape:
        one_rater = mean_over_groups(one_against_rest(raters, kind, level)).mean
    else:  # nobody rated enough to be judged alone: whoever comes
        one_rater = mean_over_groups(apart(slots, splits, _one_and_rest).T).mean
        slots = _shuffled(slots, rng)
    alone = [percentiles(found, confidence) for found in resampled_against_rest(slots, kind, level, draws, seed, each)]
    return Ceiling(
        one_rater=one_rater,
        one_rater_low=np.array([span.low for span in alone]),
        one_rater_high=np.array([span.high for span in alone]),
        split_half=split_half,
        reliability=reliability,
        ceiling=_as_kind(ceiling(reliability), kind),
        low=np.array([span.low for span in spans]),
        high=np.array([span.high for span in spans]),
    )


def _slots(raters: Floats) -> Floats:
    """Each story's ratings first, and no more places than the most rated story has: many raters rate few stories."""
    given = ~np.isnan(raters)
    most = max(int(given.sum(axis=-1).max(initial=0)), 2)
    if most == raters.shape[-1]:
        return raters
    order = np.argsort(~given, axis=-1, kind="stable")[..., :most]
    return np.take_along_axis(raters, order, axis=-1)


def _drawn(
    slots: Floats,
    draws: int,
    sides: Callable[[Floats, NDArray[np.intp]], tuple[Floats, Floats]],
    kind: Kind,
    level: Level,
    rng: np.random.Generator,
    *,
    each: int = 1,
    resample: bool = False,
) -> Floats:
    """The correlation between two ``sides`` of each story's raters in random order: (draws, c).

    With ``resample`` each draw is of prompts drawn again, too, of which each has ``each`` columns.
    """
    criteria, _, prompts, _ = slots.shape
    counts = (~np.isnan(slots)).sum(axis=-1)
    found = np.full((draws, criteria), np.nan)
    step = max(1, _AT_ONCE // slots.size)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        if resample:
            drawn = rng.integers(prompts // each, size=(size, prompts // each))
            places = (drawn[:, :, None] * each + np.arange(each)).reshape(size, prompts)
        else:
            places = np.tile(np.arange(prompts), (size, 1))
        chosen = np.stack([slots[:, :, place] for place in places])
        one, other = sides(_shuffled(chosen, rng), np.stack([counts[:, :, place] for place in places]))
        shape = (-1, *slots.shape[1:3])
        coefficients = matching_at_level(one.reshape(shape), other.reshape(shape), kind, level)
        found[start : start + size] = coefficients.reshape(size, criteria)
    return found


def _shuffled(ratings: Floats, rng: np.random.Generator) -> Floats:
    """Each story's ratings in random order; places without one come last."""
    few = ratings.shape[-1]
    if few <= _FEW and not np.isnan(ratings).any():
        # To draw one of all orders is much quicker than to sort by random keys.
        orders = np.array(list(permutations(range(few))), dtype=np.intp)
        return np.take_along_axis(ratings, orders[rng.integers(len(orders), size=ratings.shape[:-1])], axis=-1)
    keys = np.where(np.isnan(ratings), 2.0, rng.random(ratings.shape))
    return np.take_along_axis(ratings, np.argsort(keys, axis=-1), axis=-1)


def _halves(ratings: Floats, counts: NDArray[np.intp]) -> tuple[Floats, Floats]:
    half = counts // 2
    return _mean_of(ratings, np.zeros_like(half), half), _mean_of(ratings, half, 2 * half)


def _one_and_rest(ratings: Floats, counts: NDArray[np.intp]) -> tuple[Floats, Floats]:
    rest = _mean_of(ratings, np.ones_like(counts), np.maximum(counts, 1))
    return np.where(np.isnan(rest), np.nan, ratings[..., 0]), rest


def _mean_of(ratings: Floats, start: NDArray[np.intp], stop: NDArray[np.intp]) -> Floats:
    """The mean of some of each story's ratings; exact, so that equal halves tie, for whole-number ratings."""
    if start.min() == start.max() and stop.min() == stop.max() and start.min() < stop.min():
        means: Floats = ratings[..., start.min() : stop.min()].sum(axis=-1) / (stop.min() - start.min())
        return means
    place = np.arange(ratings.shape[-1])
    taken = (place >= start[..., None]) & (place < stop[..., None])
    sums = np.einsum("...k->...", np.where(taken, ratings, 0.0))
    means = np.divide(sums, stop - start, out=np.full(sums.shape, np.nan), where=stop > start)
    return means


def _factor(ratings: Floats) -> float:
    """How many times more raters the whole has than a half, over stories that can be split."""
    counts = (~np.isnan(ratings)).sum(axis=-1)
    counts = counts[counts >= 2]
    return float(counts.sum() / (counts // 2).sum()) if counts.size else math.nan


def _as_pearson(coefficients: Floats, kind: Kind) -> Floats:
    match kind:
        case "pearson":
            return coefficients
        case "spearman":
            return 2 * np.sin(np.pi * coefficients / 6)
        case "pairwise-accuracy":
            return np.full(coefficients.shape, np.nan)
        case _:
            return np.sin(np.pi * coefficients / 2)


def _as_kind(pearson: Floats, kind: Kind) -> Floats:
    match kind:
        case "pearson":
            return pearson
        case "spearman":
            return 6 / np.pi * np.arcsin(pearson / 2)
        case "pairwise-accuracy":
            return np.full(pearson.shape, np.nan)
        case _:
            return 2 / np.pi * np.arcsin(pearson)
