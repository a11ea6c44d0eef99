"""Do two systems' scores differ on each metric? Paired over the prompts both were given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.means import exact_mean
from yarnstick.agreement.resampled import draw_prompts
from yarnstick.agreement.types import Floats

#: sums that differ by less than this share of their terms are the same number, rounded differently
_SAME = 1e-12


class SystemsCompared(NamedTuple):
    """One number a metric; NaN where the two systems share no prompt with scores."""

    #: mean of A less mean of B, over the prompts that have both
    difference: Floats
    low: Floats
    high: Floats
    #: two-sided, of "no difference"
    p: Floats
    prompts: NDArray[np.intp]


def compare_systems(
    values_a: Floats,
    values_b: Floats,
    *,
    draws: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> SystemsCompared:
    """Scores of two systems (metrics, prompts) on the same prompts: difference, bootstrap interval, and p.

    p is that of the paired permutation test: the two systems' scores of a prompt are swapped or not, which turns the
    sign of the difference. Where there are so few prompts that all arrangements are no more than ``draws``, all are
    gone through and p is exact. All metrics see the same draws.
    """
    a, b = (np.atleast_2d(np.asarray(side, dtype=np.float64)) for side in (values_a, values_b))
    if a.shape != b.shape:
        raise ValueError(f"both systems need the same metrics and prompts, not {a.shape} and {b.shape}")
    missing = np.isnan(a - b)
    shared = np.asarray(a.shape[1] - missing.sum(axis=1))
    difference: Floats = exact_mean(np.where(missing, np.nan, a)) - exact_mean(np.where(missing, np.nan, b))
    each = np.where(missing, 0.0, a - b)
    peaks = np.abs(each).max(axis=1, initial=0.0)
    each = np.divide(each, peaks[:, None], out=np.zeros_like(each), where=peaks[:, None] > 0)
    weights = draw_prompts(a.shape[1], draws, seed)
    counts = weights @ (~missing).astype(np.float64).T
    means = np.divide(weights @ each.T, counts, out=np.full(counts.shape, np.nan), where=counts > 0) * peaks
    low, high = np.full((2, len(a)), np.nan)
    for row in np.flatnonzero(shared > 1):
        kept = means[~np.isnan(means[:, row]), row]
        low[row], high[row] = np.quantile(kept, ((1 - confidence) / 2, (1 + confidence) / 2))
    p = np.where(shared > 0, _sign_flips(each, draws, seed), np.nan)
    return SystemsCompared(difference, low, high, p, shared)


def _sign_flips(each: Floats, draws: int, seed: int) -> Floats:
    """Two-sided p of each row's sum, against its sums with signs turned."""
    prompts = each.shape[1]
    exact = prompts < 60 and 2**prompts <= draws
    if exact:
        turned = (np.arange(2**prompts)[:, None] >> np.arange(prompts)) & 1
    else:
        turned = np.random.default_rng([seed, 1]).integers(0, 2, size=(draws, prompts), dtype=np.int8)
    sums = (1.0 - 2.0 * turned) @ each.T
    reached = (np.abs(sums) >= np.abs(each.sum(axis=1)) - _SAME * np.abs(each).sum(axis=1)).sum(axis=0)
    # Among drawn arrangements the real one has to be added; among all of them it is.
    return np.asarray(reached / len(turned) if exact else (reached + 1) / (draws + 1))
