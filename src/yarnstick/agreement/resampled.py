"""A coefficient in many resamples of the prompts at once: what intervals and paired tests are read from."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.grouped import grouped
from yarnstick.agreement.levels import arranged, cubes, enough, mean_over_groups
from yarnstick.agreement.means import as_fractions
from yarnstick.agreement.pair_blocks import weighted_pairs
from yarnstick.agreement.pairwise_accuracy import best_thresholds, pairwise_accuracy
from yarnstick.agreement.types import Floats, Kind, Level
from yarnstick.agreement.weighted import weighted_pearson, weighted_spearman

#: a product of so many bits with a whole number of draws, added up, is still exact in 53
_HIGH_BITS = 26


def draw_prompts(prompts: int, draws: int, seed: int) -> Floats:
    """How often each prompt is drawn in each resample with replacement: (draws, prompts)."""
    even = np.full(prompts, 1 / prompts)
    return np.random.default_rng(seed).multinomial(prompts, even, size=draws).astype(np.float64)


def units(x: Floats, y: Floats, level: Level) -> tuple[Floats, Floats]:
    """The cubes with what is to be drawn as the last axis: prompts, and stories where all are of one prompt."""
    x, y = cubes(x, y)
    if level == "pooled" and x.shape[2] == 1:
        return x.transpose(0, 2, 1), y.transpose(0, 2, 1)
    return x, y


def resampled(x: Floats, y: Floats, kind: Kind, level: Level, weights: Floats) -> Floats:
    """The coefficient of x (m, s, p) with y (c, s, p) at a level, in every draw: (m, c, draws).

    ``weights`` (draws, p) say how often each prompt was drawn, as of ``draw_prompts``; the same weights for two metrics
    make a paired comparison. Pairwise accuracy keeps the tie threshold of the whole sample.
    """
    x, y = cubes(x, y)
    if level == "story":
        # Each prompt's coefficient is what it is; a draw only weighs it.
        per_prompt = grouped(arranged(x, level), arranged(y, level), kind)
        defined = ~np.isnan(per_prompt)
        sums, counts = np.where(defined, per_prompt, 0.0) @ weights.T, defined @ weights.T
        means: Floats = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
        return means
    if level == "system":
        enough(x.shape[1], level)
        x_means, y_means = _resampled_means(x, weights), _resampled_means(y, weights)
        if kind == "pairwise-accuracy":
            return pairwise_accuracy(x_means, y_means, best_thresholds(arranged(x, level), arranged(y, level)))
        return grouped(x_means, y_means, kind)
    xs, ys = arranged(x, level), arranged(y, level)
    ties = best_thresholds(xs, ys) if kind == "pairwise-accuracy" else np.zeros((len(x), len(y)))
    if level == "pooled":
        return _weighted(x.transpose(0, 2, 1), y.transpose(0, 2, 1), weights, kind, ties)
    # (m, c, draws, systems)
    systems = [_weighted(x[:, s, :, None], y[:, s, :, None], weights, kind, ties) for s in range(x.shape[1])]
    return mean_over_groups(np.stack(systems, axis=-1)).mean


def _weighted(x: Floats, y: Floats, weights: Floats, kind: Kind, ties: Floats) -> Floats:
    """One group of stories (rows, prompts, stories of the prompt)."""
    if kind in ("pearson", "spearman"):
        weigh = weighted_pearson if kind == "pearson" else weighted_spearman
        return weigh(x.reshape(len(x), -1), y.reshape(len(y), -1), np.repeat(weights, x.shape[2], axis=1))
    return weighted_pairs(x, y, weights, kind, ties)


def _resampled_means(cube: Floats, weights: Floats) -> Floats:
    """Each system's mean over the drawn prompts, (rows, draws, systems), added without inventing or breaking ties."""
    rows, systems, prompts = cube.shape
    present = ~np.isnan(cube)
    flat = np.where(present, cube, 0.0).reshape(rows, -1)
    numerators, denominators, _ = as_fractions(np.where(np.isfinite(flat), flat, 0.0))
    # Each row is brought below 1 by a power of two and split in two, so that sums of either part fit a float64.
    exponents = np.frexp(np.abs(numerators).max(axis=1, initial=0.0))[1][:, None]
    scaled = np.ldexp(numerators, -exponents)
    high = np.ldexp(np.rint(np.ldexp(scaled, _HIGH_BITS)), -_HIGH_BITS)
    sums = sum(part.reshape(-1, prompts) @ weights.T for part in (high, scaled - high))
    counts = present.reshape(-1, prompts) @ weights.T
    divisors = counts * np.repeat(denominators, systems)[:, None]
    means = np.divide(sums, divisors, out=np.full(counts.shape, np.nan), where=counts > 0)
    means = np.ldexp(means.reshape(rows, systems, -1), exponents[:, :, None])
    for end in (np.inf, -np.inf):
        # An infinity in the draw is its mean; infinities of both signs have none.
        drawn = ((cube == end).reshape(-1, prompts) @ weights.T).reshape(means.shape) > 0
        means = np.where(drawn, np.where(means == -end, np.nan, end), means)
    resampled_means: Floats = means.transpose(0, 2, 1)
    return resampled_means
