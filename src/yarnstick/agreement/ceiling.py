"""The ceiling: the largest correlation any metric can show with ratings that are themselves uncertain.

A metric that knew every story's true quality would still not correlate at 1 with the mean of a few raters, whose
noise it cannot know. Spearman's attenuation: the most it can reach is the square root of that mean's reliability.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.levels import mean_over_groups
from yarnstick.agreement.matching import matching_at_level
from yarnstick.agreement.raters import one_against_rest
from yarnstick.agreement.spans import percentiles
from yarnstick.agreement.types import Floats, Kind, Level
from yarnstick.errors import InputError

#: ratings held at once while resampling: 16 MB of float64
_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class Ceiling:
    """For each criterion, by one kind of correlation at one level."""

    #: the mean over raters of each one's correlation with the rest: what one more person would show
    one_rater: Floats
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
    prompts = raters.shape[2]
    factors = np.array([_factor(ratings) for ratings in raters])
    halves = _split(np.stack([raters] * splits), kind, level, rng)
    split_half = mean_over_groups(halves.T).mean
    reliability = spearman_brown(_as_pearson(split_half, kind), factors)
    resampled = np.full((0, len(raters)), np.nan)
    for size in _portions(0 if kind == "pairwise-accuracy" else draws, raters.size):
        chosen = np.stack([raters[:, :, rng.integers(prompts, size=prompts)] for _ in range(size)])
        resampled = np.concatenate([resampled, _split(chosen, kind, level, rng)])
    reached = ceiling(spearman_brown(np.maximum(_as_pearson(resampled, kind), 0.0), factors))
    spans = [percentiles(found, confidence) for found in _as_kind(reached, kind).T]
    return Ceiling(
        one_rater=mean_over_groups(one_against_rest(raters, kind, level)).mean,
        split_half=split_half,
        reliability=reliability,
        ceiling=_as_kind(ceiling(reliability), kind),
        low=np.array([span.low for span in spans]),
        high=np.array([span.high for span in spans]),
    )


def _portions(draws: int, numbers: int) -> list[int]:
    """The draws in portions that fit in memory."""
    most = max(1, _AT_ONCE // numbers)
    return [min(most, draws - start) for start in range(0, draws, most)]


def _split(raters: Floats, kind: Kind, level: Level, rng: np.random.Generator) -> Floats:
    """The correlation of two random halves of each story's raters, from (draws, c, s, p, k): (draws, c)."""
    given = ~np.isnan(raters)
    # Random keys sort a story's raters; those who did not rate it come last.
    order = np.argsort(np.where(given, rng.random(raters.shape), 2.0), axis=-1)
    shuffled = np.take_along_axis(raters, order, axis=-1)
    half = given.sum(axis=-1, keepdims=True) // 2
    place = np.arange(raters.shape[-1])
    first = _mean_where(shuffled, place < half)
    second = _mean_where(shuffled, (place >= half) & (place < 2 * half))
    shape = (-1, *raters.shape[2:4])
    return matching_at_level(first.reshape(shape), second.reshape(shape), kind, level).reshape(raters.shape[:2])


def _mean_where(ratings: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """The mean of the chosen ratings of each story; exact, so that equal halves tie, for whole-number ratings."""
    sizes = chosen.sum(axis=-1)
    sums = np.einsum("...k->...", np.where(chosen, ratings, 0.0))
    means: Floats = np.divide(sums, sizes, out=np.full(sizes.shape, np.nan), where=sizes > 0)
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
