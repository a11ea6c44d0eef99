"""Can a metric tell two systems apart as people can? HANNA §5.3: every pair of systems, resampled over prompts.

For each pair, people and metrics each say which system wins in nearly all resamples of the prompts, or that
neither does; a metric is scored by the F1 of its verdicts against those of people.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.means import as_fractions
from yarnstick.agreement.types import Floats

Labels = NDArray[np.int8]

#: neither system wins, the later one does, the earlier one does; a column without any common prompt has no verdict
NEITHER, LATER, EARLIER, UNDEFINED = 0, 1, 2, -1
CLASSES = (NEITHER, LATER, EARLIER)


def system_pairs(systems: int) -> list[tuple[int, int]]:
    """The unordered pairs (later, earlier), as HANNA has them: which one comes first decides who is class 1."""
    return [(later, earlier) for earlier, later in combinations(range(systems), 2)]


def pairwise_labels(
    values: Floats, *, draws: int = 1000, share: float = 0.95, seed: int = 42, shared: bool = False
) -> Labels:
    """The verdict of every column (k, systems, prompts) on every pair of systems: (k, pairs), in `system_pairs`' order.

    A system wins where its mean is strictly higher in at least ``share`` of the resamples of the prompts. The
    resamples are the same for all columns and fresh for every pair, or the same throughout when ``shared``. A prompt
    without a value on either side is left out of that column's means.
    """
    columns, systems, prompts = values.shape
    units = _exact_units(values)
    gaps = np.isnan(units)
    any_gap = bool(gaps.any())
    needed = math.ceil(round(share * draws, 9))
    generator = np.random.default_rng(seed)
    labels = np.zeros((columns, systems * (systems - 1) // 2), dtype=np.int8)
    counts = resampled_counts(generator, draws, prompts) if shared else None
    for place, (later, earlier) in enumerate(system_pairs(systems)):
        drawn = resampled_counts(generator, draws, prompts) if counts is None else counts
        differences = units[:, later] - units[:, earlier]
        if any_gap:
            missing = np.isnan(differences)
            differences[missing] = 0.0
            labels[missing.all(axis=1), place] = UNDEFINED
        # Whose resampled mean is higher is the sign of the sum of differences, each counted as often as drawn.
        sums = differences @ drawn.T
        wins, losses = (sums > 0).sum(axis=1), (sums < 0).sum(axis=1)
        verdict = labels[:, place]
        verdict[wins >= needed] = LATER
        verdict[losses >= needed] = EARLIER
    return labels


def weighted_f1(told: Labels, truth: Labels) -> Floats:
    """Each row of ``told`` (m, n) against each of ``truth`` (c, n): F1 of classes weighted by their share of it.

    A class nobody is right about counts 0. Pairs without a verdict on either side are left out; NaN if none is left.
    """
    score, support = np.zeros((len(told), len(truth))), np.zeros((len(told), len(truth)))
    has_told, has_truth = (told != UNDEFINED).astype(np.float64), (truth != UNDEFINED).astype(np.float64)
    for label in CLASSES:
        predicted, actual = (told == label).astype(np.float64), (truth == label).astype(np.float64)
        both, in_truth = predicted @ actual.T, has_told @ actual.T
        either = predicted @ has_truth.T + in_truth
        f1 = np.divide(2 * both, either, out=np.zeros_like(both), where=either > 0)
        score += in_truth * f1
        support += in_truth
    return np.divide(score, support, out=np.full_like(score, np.nan), where=support > 0)


def pairwise_f1(
    x: Floats, y: Floats, *, draws: int = 1000, share: float = 0.95, seed: int = 42, shared: bool = False
) -> Floats:
    """HANNA's Figs. 7 and 26, from 0 to 1: of metrics x (m, systems, prompts) for criteria y (c, systems, prompts).

    The result is (m, c). Values keep their sign and direction. Which of two systems comes first decides which class
    a win is, so the order of the systems matters, though little.
    """
    both = np.concatenate([y, x])
    labels = pairwise_labels(both, draws=draws, share=share, seed=seed, shared=shared)
    return weighted_f1(labels[len(y) :], labels[: len(y)])


def resampled_counts(generator: np.random.Generator, draws: int, items: int) -> Floats:
    """How often each item is drawn in each of ``draws`` resamples with replacement: (draws, items)."""
    picked = generator.integers(0, items, size=(draws, items), dtype=np.int32)
    # Each resample counts in a row of its own; a row's numbers as intp, which is the only type bincount is quick with.
    places = picked + (np.arange(draws, dtype=np.intp) * items)[:, None]
    return np.bincount(places.reshape(-1), minlength=draws * items).reshape(draws, items).astype(np.float64)


def _exact_units(values: Floats) -> Floats:
    # Means of whole-number ratings become whole numbers, so that equal sums are equal and nobody "wins" by rounding.
    rows = values.reshape(len(values), -1)
    missing = np.isnan(rows)
    units, _, _ = as_fractions(np.where(missing, 0.0, rows))
    units[missing] = np.nan
    return units.reshape(values.shape)
