"""Does a score fall when a story is damaged, and stay when it is not? In the manner of OpenMEVA (Guan et al. 2021).

Discrimination: of stories and damaged versions of them, how often and how far the score falls, how well it tells the
two apart, and whether more damage means a lower score. Invariance: how far the score moves under changes that do not
make a story worse. Scores are oriented: higher is better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.correlation import correlate
from yarnstick.agreement.spans import UNKNOWN, Span, span_of_mean, wilson
from yarnstick.agreement.types import Floats, Kind
from yarnstick.errors import InputError


@dataclass(frozen=True, slots=True)
class Change:
    """One way in which all stories were changed, and how strongly (a share of sentences, a number of edits)."""

    name: str
    strength: float
    #: whether it makes a story worse: then the score should fall, else it should stay
    harmful: bool = True


@dataclass(frozen=True, slots=True)
class Discrimination:
    """One metric under one kind of damage at one strength."""

    metric: str
    change: Change
    #: stories of which both versions have a score
    stories: int
    #: the share whose score falls; a score that stays where it was has not fallen
    falls: float
    falls_interval: Span
    #: by how much the score falls on average (below 0: it rises), in its own units and in standard deviations of
    #: the undamaged stories' scores
    fall: float
    fall_interval: Span
    fall_in_deviations: float
    #: the chance that an undamaged story scores higher than a damaged one, whichever; ties count half
    auc: float
    auc_interval: Span


@dataclass(frozen=True, slots=True)
class Gradient:
    """One metric under one kind of damage: the correlation of score with strength, within each story."""

    metric: str
    name: str
    #: the undamaged story counts as strength 0; -1 is what a perfect metric has
    correlation: float
    interval: Span
    #: stories whose score varies with strength at all
    stories: int
    strengths: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Invariance:
    """One metric under one kind of harmless change at one strength."""

    metric: str
    change: Change
    stories: int
    #: the share whose score moves by no more than the tolerance
    unchanged: float
    unchanged_interval: Span
    #: the mean absolute change, in the score's units and in standard deviations of the unchanged stories' scores
    moved: float
    moved_interval: Span
    moved_in_deviations: float


@dataclass(frozen=True, slots=True)
class Robustness:
    """The whole suite: metrics in the order given, and for each the changes in the order given."""

    discrimination: tuple[Discrimination, ...]
    gradients: tuple[Gradient, ...]
    invariance: tuple[Invariance, ...]
    #: in standard deviations of the scores of the stories as they were
    tolerance: float


def robustness(
    originals: Floats,
    changed: Mapping[Change, Floats],
    metrics: Sequence[str],
    *,
    kind: Kind = "spearman",
    tolerance: float = 0.05,
    confidence: float = 0.95,
) -> Robustness:
    """Judge ``metrics`` by their scores of the ``originals`` (metrics, stories) and of ``changed`` versions.

    Every array under ``changed`` has the originals' shape, NaN for stories the change could not be made to. ``kind``
    is the coefficient of score with strength; ``tolerance`` counts in standard deviations of the originals' scores,
    so that it means the same for every metric.
    """
    _check(originals, changed, metrics)
    harmful = [change for change in changed if change.harmful]
    harmless = [change for change in changed if not change.harmful]
    discrimination, gradients, invariance = [], [], []
    for place, metric in enumerate(metrics):
        before = originals[place]
        deviation = _deviation(before)
        for change in harmful:
            after = changed[change][place]
            discrimination.append(_discriminates(metric, change, before, after, deviation, confidence))
        for name in dict.fromkeys(change.name for change in harmful):
            steps = sorted((change for change in harmful if change.name == name), key=lambda change: change.strength)
            scores = np.stack([before, *(changed[change][place] for change in steps)], axis=1)
            strengths = tuple(change.strength for change in steps)
            gradients.append(_gradient(metric, name, scores, strengths, kind, confidence))
        for change in harmless:
            after = changed[change][place]
            invariance.append(_invariant(metric, change, before, after, deviation, tolerance, confidence))
    return Robustness(tuple(discrimination), tuple(gradients), tuple(invariance), tolerance)


def auc(undamaged: Floats, damaged: Floats, *, confidence: float = 0.95) -> tuple[float, Span]:
    """How well scores tell undamaged from damaged versions of the same stories (both: stories), and its interval.

    The variance is DeLong's for pairs: a story's two versions rise and fall together. The interval is Wilson's for
    as many trials as give that variance, so that a perfect metric's has a width too.
    """
    from scipy import stats

    n = len(undamaged)
    if not n:
        return math.nan, UNKNOWN
    ranks = stats.rankdata(np.concatenate([undamaged, damaged]))
    # Of each undamaged story how many damaged ones are below it, and of each damaged one how many others above.
    won = ranks[:n] - stats.rankdata(undamaged)
    lost = n - (ranks[n:] - stats.rankdata(damaged))
    area = float(won.sum()) / n**2  # half-ranks add up exactly
    if n < 2 or not 0 < area < 1:
        return area, wilson(area, n, confidence)
    variance = float(np.var((won + lost) / n, ddof=1)) / n
    # Versions that all score alike leave no variance at all: more than n² comparisons there never are.
    trials = min(area * (1 - area) / variance, n * n) if variance > 0 else n * n
    return area, wilson(area, trials, confidence)


def _check(originals: Floats, changed: Mapping[Change, Floats], metrics: Sequence[str]) -> None:
    if originals.ndim != 2 or len(originals) != len(metrics):
        raise InputError(f"{len(metrics)} metrics need scores of as many rows, not of the shape {originals.shape}")
    for change, scores in changed.items():
        if scores.shape != originals.shape:
            raise InputError(
                f"{change.name} at {change.strength:g} has scores of the shape {scores.shape}, the stories as they "
                f"were of {originals.shape}",
                remedy="give NaN where a story could not be changed",
            )
        if change.harmful and not change.strength > 0:
            raise InputError(
                f"{change.name} has the strength {change.strength:g}",
                remedy="damage is stronger than 0, which is the story as it was",
            )


def _deviation(scores: Floats) -> float:
    """The standard deviation; NaN where scores do not vary (by comparing: a computed 0 may come out as 1e-17)."""
    held = scores[~np.isnan(scores)]
    return float(held.std(ddof=1)) if len(held) > 1 and held.min() != held.max() else math.nan


def _both(before: Floats, after: Floats) -> tuple[Floats, Floats]:
    scored = ~np.isnan(before) & ~np.isnan(after)
    return before[scored], after[scored]


def _mean(values: Floats | NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else math.nan


def _discriminates(
    metric: str, change: Change, before: Floats, after: Floats, deviation: float, confidence: float
) -> Discrimination:
    before, after = _both(before, after)
    fall = _mean(before - after)
    falls = _mean(after < before)
    area, area_interval = auc(before, after, confidence=confidence)
    return Discrimination(
        metric=metric,
        change=change,
        stories=len(before),
        falls=falls,
        falls_interval=wilson(falls, len(before), confidence),
        fall=fall,
        fall_interval=span_of_mean(before - after, confidence),
        fall_in_deviations=fall / deviation,
        auc=area,
        auc_interval=area_interval,
    )


def _gradient(
    metric: str, name: str, scores: Floats, strengths: tuple[float, ...], kind: Kind, confidence: float
) -> Gradient:
    """Story by story over strengths (stories × strengths, the first being none), and the mean over stories.

    With one strength there are two points, and the coefficient only says whether the score falls: none is given.
    """
    within = np.full(len(scores), np.nan)
    if len(strengths) > 1:
        usable = (~np.isnan(scores)).sum(axis=1) > 2
        within[usable] = correlate(scores[usable], np.array([[0.0, *strengths]]), kind)[:, 0]
    defined = within[~np.isnan(within)]
    low, high = span_of_mean(defined, confidence)
    # Student's interval knows nothing of the ends a coefficient has.
    interval = UNKNOWN if math.isnan(low) else Span(max(low, -1.0), min(high, 1.0))
    return Gradient(metric, name, _mean(defined), interval, len(defined), strengths)


def _invariant(
    metric: str, change: Change, before: Floats, after: Floats, deviation: float, tolerance: float, confidence: float
) -> Invariance:
    before, after = _both(before, after)
    moves = np.abs(after - before)
    # Where scores do not vary there is nothing to measure the tolerance by: only what is equal is unchanged.
    allowed = 0.0 if math.isnan(deviation) else tolerance * deviation
    unchanged, moved = _mean(moves <= allowed), _mean(moves)
    return Invariance(
        metric=metric,
        change=change,
        stories=len(before),
        unchanged=unchanged,
        unchanged_interval=wilson(unchanged, len(before), confidence),
        moved=moved,
        moved_interval=span_of_mean(moves, confidence),
        moved_in_deviations=moved / deviation,
    )
