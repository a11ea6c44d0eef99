"""Does metric A agree with people better than metric B? Paired tests over prompts, at any level, of any coefficient.

Both metrics are asked about the same stories, so what is resampled is the prompt, with both metrics' scores of it.
Tests are one-sided, of "A agrees better"; each criterion has its own. Which way a metric is better is the caller's
business: turn round those where lower is better first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.correlation import at_level
from yarnstick.agreement.grouped import grouped
from yarnstick.agreement.levels import arranged, mean_over_groups
from yarnstick.agreement.resampled import draw_prompts, resampled, units
from yarnstick.agreement.sequential import decided
from yarnstick.agreement.two_systems import SystemsCompared, compare_systems
from yarnstick.agreement.types import Floats, Kind, Level

__all__ = ["PairedTest", "SystemsCompared", "compare_systems", "paired_bootstrap", "paired_permutation"]

Marks = NDArray[np.bool_]
Places = NDArray[np.intp]

#: coefficients that differ by less are the same number, rounded differently
_SAME = 1e-12
#: draws made before the first look at whether more are needed; each further round doubles the draws
_FIRST_LOOK = 250
#: swapped cubes held at a time: 64 MB
_AT_A_TIME = 8_000_000


class PairedTest(NamedTuple):
    """One number a criterion: by how much A agrees better, and the p of "not better at all"."""

    difference: Floats
    #: of the bootstrap: the interval of the difference. Of the permutation: what chance alone would give
    low: Floats
    high: Floats
    p: Floats
    #: how many resamples were made; 0 where the difference itself is undefined
    draws: NDArray[np.intp]


def paired_bootstrap(
    x_a: Floats,
    x_b: Floats,
    y: Floats,
    kind: Kind,
    level: Level,
    *,
    draws: int = 1000,
    confidence: float = 0.95,
    alpha: float = 0.05,
    early_stopping: float | None = None,
    seed: int = 0,
) -> PairedTest:
    """Prompts are drawn with replacement; p is the share of draws in which A (systems, prompts) is not ahead of B.

    ``y`` is (criteria, systems, prompts). Draws in which either coefficient is undefined are left out. With
    ``early_stopping`` a criterion's draws end as soon as it is clear on which side of ``alpha`` its p lies, with that
    probability of being wrong; its interval is then one of fewer draws.
    """
    x, y = units(np.stack([x_a, x_b]), y, level)
    weights = draw_prompts(x.shape[2], draws, seed)

    def found(batch: slice, criteria: Places) -> Floats:
        ours = resampled(x, y[criteria], kind, level, weights[batch])
        return np.asarray(ours[0] - ours[1])

    def not_ahead(made: Floats, criteria: Places) -> Marks:
        return np.asarray(made <= _SAME)

    a, b = at_level(x, y, kind, level)
    return _tested(a - b, found, not_ahead, draws, confidence, alpha, early_stopping)


def paired_permutation(
    x_a: Floats,
    x_b: Floats,
    y: Floats,
    kind: Kind,
    level: Level,
    *,
    draws: int = 10_000,
    confidence: float = 0.95,
    alpha: float = 0.05,
    early_stopping: float | None = 0.001,
    seed: int = 0,
) -> PairedTest:
    """A's and B's scores are swapped or not, prompt by prompt; p is the share of draws as far ahead as A really is.

    At story level what is swapped are the two coefficients of the prompt. At other levels it is the scores, which
    are first put on one scale (mean 0, standard deviation 1 over all stories), since metrics come in any unit.
    Draws end early as for the bootstrap, and such a p is only good for its side of ``alpha``: where many tests are
    corrected together, give the ``alpha`` a single one must pass, or make all draws with ``early_stopping=None``.

    Pooled pairwise accuracy looks for its tie threshold anew in every draw, which takes long where stories are many.
    """
    x, y = units(np.stack([x_a, x_b]), y, level)
    swapped = np.random.default_rng(seed).random((draws, x.shape[2])) < 0.5
    a, b = at_level(x, y, kind, level)
    difference: Floats = a - b
    make = _swapped_coefficients if level == "story" else _swapped_scores

    def found(batch: slice, criteria: Places) -> Floats:
        return make(x, y[criteria], kind, level, swapped[batch])

    def reached(made: Floats, criteria: Places) -> Marks:
        return np.asarray(made >= difference[criteria, None] - _SAME)

    return _tested(difference, found, reached, draws, confidence, alpha, early_stopping)


def _tested(
    difference: Floats,
    found: Callable[[slice, Places], Floats],
    counts: Callable[[Floats, Places], Marks],
    draws: int,
    confidence: float,
    alpha: float,
    early_stopping: float | None,
) -> PairedTest:
    """Make the draws, for each criterion all or until it is decided; ``found`` gives (criteria, draws in the batch)."""
    made = np.full((len(difference), draws), np.nan)
    hits, defined, upto = (np.zeros(len(difference), dtype=np.intp) for _ in range(3))
    waiting = np.flatnonzero(~np.isnan(difference))
    for batch in _batches(draws, early_stopping is not None):
        if not waiting.size:
            break
        made[waiting, batch] = found(batch, waiting)
        new = made[waiting, batch]
        hits[waiting] += counts(new, waiting).sum(axis=1)  # nothing undefined counts
        defined[waiting] += (~np.isnan(new)).sum(axis=1)
        upto[waiting] = batch.stop
        if early_stopping is not None:
            waiting = waiting[~decided(hits[waiting], defined[waiting], alpha, early_stopping)]
    # The real arrangement is one of the possible ones, so it counts: p is never 0.
    p = np.where(defined > 0, (hits + 1) / (defined + 1), np.nan)
    ends = np.full((2, len(difference)), np.nan)
    for criterion in np.flatnonzero(defined):
        kept = made[criterion, ~np.isnan(made[criterion])]
        ends[:, criterion] = np.quantile(kept, ((1 - confidence) / 2, (1 + confidence) / 2))
    return PairedTest(difference, ends[0], ends[1], p, upto)


def _batches(draws: int, looks: bool) -> Iterator[slice]:
    done = 0
    while done < draws:
        upto = min(draws, max(_FIRST_LOOK, 2 * done)) if looks else draws
        yield slice(done, upto)
        done = upto


def _swapped_coefficients(x: Floats, y: Floats, kind: Kind, level: Level, swapped: Marks) -> Floats:
    # Each metric's mean is over the prompts that have a coefficient, and a swap brings along whether there is one.
    a, b = grouped(arranged(x, level), arranged(y, level), kind)
    swaps = swapped.astype(np.float64).T
    means = []
    for kept, other in ((a, b), (b, a)):
        ours, theirs = ~np.isnan(kept), ~np.isnan(other)
        here, there = np.where(ours, kept, 0.0), np.where(theirs, other, 0.0)
        sums = here.sum(axis=1, keepdims=True) + (there - here) @ swaps
        counts = ours.sum(axis=1, keepdims=True) + (theirs.astype(np.float64) - ours) @ swaps
        means.append(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0.5))
    return np.asarray(means[0] - means[1])


def _swapped_scores(x: Floats, y: Floats, kind: Kind, level: Level, swapped: Marks) -> Floats:
    a, b = _standardised(x[0]), _standardised(x[1])
    step = max(1, _AT_A_TIME // (2 * a.size))
    parts = []
    for start in range(0, len(swapped), step):
        mask = swapped[start : start + step, None, :]
        both = np.concatenate([np.where(mask, b, a), np.where(mask, a, b)])
        if level == "system":
            # A plain mean will do here: standardised scores have no ties that exact sums would keep.
            means = mean_over_groups(both).mean[:, None, :]
            coefficients = grouped(means, arranged(y, level), kind)[:, :, 0]
        else:
            coefficients = at_level(both, y, kind, level)
        ours, theirs = coefficients[: len(both) // 2], coefficients[len(both) // 2 :]
        parts.append((ours - theirs).T)
    return np.concatenate(parts, axis=1)


def _standardised(scores: Floats) -> Floats:
    present = ~np.isnan(scores)
    values = scores[present]
    if not values.size or values.max() == values.min():
        return np.where(present, 0.0, np.nan)
    centred = values - values.mean()
    centred /= np.abs(centred).max()  # so that squares of tiny numbers do not vanish
    standardised = np.full(scores.shape, np.nan)
    standardised[present] = centred / centred.std()
    return standardised
