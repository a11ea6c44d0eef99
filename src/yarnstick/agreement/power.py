"""How many prompts it takes to tell two systems apart, and how likely a given number is to do it.

From the scores of both systems on the prompts there are: their difference per prompt has a mean and a spread, and
a two-sided paired test of n prompts finds it with a power that follows. The normal approximation says how many;
a bootstrap that draws n prompts from those there are, and tests each draw with Student's t, says whether to believe it.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from yarnstick.agreement.means import exact_mean
from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError

#: a spread needs a few prompts to be known at all
FEWEST_PROMPTS = 3
#: systems that take more prompts than this are as good as equal
MOST_PROMPTS = 10**9


class Power(NamedTuple):
    """The chance that so many prompts find the difference: by the normal approximation, and by resampling."""

    normal: float
    bootstrap: float


class PromptsNeeded(NamedTuple):
    """How many prompts (None: a billion would not do), and what that rests on."""

    prompts: int | None
    difference: float
    spread: float
    power: Power


def prompts_needed(
    a: Floats, b: Floats, *, power: float = 0.8, alpha: float = 0.05, draws: int = 2000, seed: int = 0
) -> PromptsNeeded:
    """The fewest prompts at which a two-sided test at ``alpha`` tells a from b with at least this ``power``.

    ``a`` and ``b`` (prompts,) are scores on the same prompts; a prompt missing on either side does not count.
    """
    if not (0 < alpha < 1 and 0 < power < 1):
        raise ValueError("alpha and power lie between 0 and 1")
    differences, mean = _differences(a, b)
    spread = _spread(differences)
    if _normal_power(mean, spread, MOST_PROMPTS, alpha) < power:
        return PromptsNeeded(None, mean, spread, Power(math.nan, math.nan))
    enough = 2
    while _normal_power(mean, spread, enough, alpha) < power:
        enough *= 2
    too_few = max(enough // 2, 1)
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        if _normal_power(mean, spread, middle, alpha) < power:
            too_few = middle
        else:
            enough = middle
    return PromptsNeeded(enough, mean, spread, power_at(a, b, enough, alpha=alpha, draws=draws, seed=seed))


def power_at(a: Floats, b: Floats, prompts: int, *, alpha: float = 0.05, draws: int = 2000, seed: int = 0) -> Power:
    """The chance that a two-sided test at ``alpha`` on this many ``prompts`` tells a from b, the right way round."""
    if prompts < 2:
        raise InputError(f"a test needs 2 prompts or more, not {prompts}", remedy="ask for a larger number")
    differences, mean = _differences(a, b)
    return Power(
        _normal_power(mean, _spread(differences), prompts, alpha),
        _bootstrap_power(differences, math.copysign(1.0, mean), prompts, alpha, draws, seed),
    )


def _normal_power(mean: float, spread: float, prompts: int, alpha: float) -> float:
    # The standardised mean is normal around sqrt(n) times the effect; finding the wrong system ahead is no success.
    if spread == 0.0:
        return 1.0 if mean else 0.0
    normal = NormalDist()
    return normal.cdf(math.sqrt(prompts) * (abs(mean) / spread) - normal.inv_cdf(1.0 - alpha / 2.0))


def _bootstrap_power(differences: Floats, direction: float, prompts: int, alpha: float, draws: int, seed: int) -> float:
    from scipy.special import stdtrit

    # A resample is how often each prompt was drawn, so the work does not grow with the number of prompts.
    count = differences.size
    drawn = np.random.default_rng(seed).multinomial(prompts, np.full(count, 1.0 / count), size=draws).astype(np.float64)
    scaled = differences / np.abs(differences).max() if differences.any() else differences
    sums, squares = drawn @ scaled, drawn @ (scaled * scaled)
    variance = np.maximum(squares - sums * sums / prompts, 0.0) / (prompts - 1)
    # t > critical, multiplied out: a resample of one repeated difference has no spread and any mean is found.
    found = direction * sums > float(stdtrit(prompts - 1, 1.0 - alpha / 2.0)) * np.sqrt(variance * prompts)
    return float(found.mean())


def _differences(a: Floats, b: Floats) -> tuple[Floats, float]:
    """Those of the prompts that have both, and their mean, exactly 0 where the systems' means are the same."""
    a, b = (np.asarray(side, dtype=np.float64) for side in (a, b))
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"scores on the same prompts have the same shape (prompts,), not {a.shape} and {b.shape}")
    differences = a - b
    shared = ~np.isnan(differences)
    kept = differences[shared]
    if kept.size < FEWEST_PROMPTS:
        raise InputError(
            f"the two systems share {kept.size} prompts with scores, and {FEWEST_PROMPTS} are needed",
            remedy="score both systems on the same prompts",
        )
    return kept, float(exact_mean(a[shared]) - exact_mean(b[shared]))


def _spread(differences: Floats) -> float:
    # Exactly 0 when all are the same, whatever rounding would make of their mean.
    if differences.max() == differences.min():
        return 0.0
    largest = float(np.abs(differences).max())
    return float((differences / largest).std(ddof=1)) * largest
