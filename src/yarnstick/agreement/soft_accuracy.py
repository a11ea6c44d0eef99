"""Soft pairwise accuracy (Thompson et al. 2024): is the metric as sure of each difference between systems as people?"""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.levels import cubes, enough, mean_over_groups
from yarnstick.agreement.means import as_fractions
from yarnstick.agreement.types import Floats


def soft_pairwise_accuracy(x: Floats, y: Floats, *, draws: int = 1000, seed: int = 0) -> Floats:
    """1 - mean |p_metric - p_human| over the pairs of systems, of x (m, s, p) with y (c, s, p): (m, c).

    p is the one-sided p-value that the one system is better, from ``draws`` paired permutations over prompts (the two
    systems' scores swapped or not), the same for metrics and people. A permutation that comes out equal counts half,
    so that it does not matter which system of a pair is named first. A pair without a common prompt is left out.
    """
    x, y = cubes(x, y)
    enough(x.shape[1], "system")
    swaps = np.random.default_rng(seed).choice([-1.0, 1.0], size=(draws, x.shape[2]))
    ours, theirs = _p_values(x, swaps), _p_values(y, swaps)
    apart = np.abs(ours[:, None] - theirs[None])
    return 1 - mean_over_groups(apart).mean


def _p_values(cube: Floats, swaps: Floats) -> Floats:
    """(rows, pairs of systems): how often permuted differences reach the real one."""
    rows, systems, prompts = cube.shape
    first, second = np.triu_indices(systems, 1)
    flat = cube.reshape(rows, -1)
    # As whole numbers, permutations that are equal come out equal.
    values = as_fractions(np.where(np.isfinite(flat), flat, 0.0))[0].reshape(cube.shape)
    present, usable = ~np.isnan(cube), ~np.isinf(flat).any(axis=1)
    unswapped_first = np.vstack([np.ones(prompts), swaps])
    p = np.full((rows, len(first)), np.nan)
    for row in np.flatnonzero(usable):
        both = present[row, first] & present[row, second]
        differences = np.where(both, values[row, first] - values[row, second], 0.0)
        totals = differences @ unswapped_first.T
        real, permuted = totals[:, :1], totals[:, 1:]
        reached = (permuted > real).mean(axis=1) + (permuted == real).mean(axis=1) / 2
        p[row] = np.where(both.any(axis=1), reached, np.nan)
    return p
