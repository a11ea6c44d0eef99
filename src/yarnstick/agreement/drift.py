"""Does a metric still agree with people when the stories change? Three kinds of change from UNION (sections 4.4, 4.5).

Quality drift: sets whose stories are mostly poor or mostly good (Fig. 2). Error types: sets with one kind of fault
(Table 7). Dataset drift: trained on one corpus, tested on another (Table 6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.correlation import correlate
from yarnstick.agreement.levels import mean_over_groups
from yarnstick.agreement.resampled import resampled
from yarnstick.agreement.types import Floats, Kind
from yarnstick.errors import InputError


@dataclass(frozen=True, slots=True)
class BiasedSets:
    """UNION's Fig. 2: sets drawn so that stories with about ``centres`` votes prevail."""

    centres: tuple[int, ...]
    #: (sets,): how many stories a draw keeps on average
    expected_sizes: Floats
    #: (sets, votes 0 to the most): the share of stories with so many votes among the ones kept on average
    expected_shares: Floats
    #: (sets, metrics): over draws, the mean and the standard deviation of the coefficient
    mean: Floats
    deviation: Floats
    draws: int


def keep_probabilities(votes: Floats, centres: Sequence[int]) -> Floats:
    """With which probability each set keeps each story: 1 / (|I - k| + 1) for k votes and the set I. (sets, stories)"""
    kept: Floats = 1 / (np.abs(np.asarray(centres)[:, None] - votes[None]) + 1)
    return kept


def biased_sets(
    scores: Floats,
    votes: Floats,
    *,
    centres: Sequence[int] = range(1, 9),
    most: int = 7,
    kind: Kind = "pearson",
    draws: int = 500,
    seed: int = 0,
) -> BiasedSets:
    """Correlation of ``scores`` (metrics, stories) with ``votes`` (stories: 0 to ``most``) in biased sets.

    Each draw keeps each story on its own with its probability. The paper shows one draw a set, of an unknown seed:
    the mean over draws is what its curves are one instance of. The set 8 has no number of votes that is surely kept.
    """
    _whole_votes(votes, most)
    rng = np.random.default_rng(seed)
    chances = keep_probabilities(votes, centres)
    sizes = chances.sum(axis=1)
    shares = np.array([np.bincount(votes.astype(int), weights=row, minlength=most + 1) for row in chances])
    mean, deviation = np.full((2, len(chances), len(scores)), np.nan)
    for place, chance in enumerate(chances):
        kept = (rng.random((draws, len(votes))) < chance).astype(np.float64)
        found = resampled(scores[:, None, :], votes[None, None, :], kind, "pooled", kept)[:, 0]
        mean[place] = mean_over_groups(found).mean
        spread = mean_over_groups((found - mean[place][:, None]) ** 2)
        free = np.where(spread.defined > 1, spread.defined - 1, np.nan)
        deviation[place] = np.sqrt(spread.mean * spread.defined / free)
    return BiasedSets(tuple(centres), sizes, shares / sizes[:, None], mean, deviation, draws)


def _whole_votes(votes: Floats, most: int) -> None:
    wrong = votes[~((votes >= 0) & (votes <= most) & (votes == np.rint(votes)))]
    if wrong.size:
        raise InputError(
            f"a story has {wrong[0]:g} votes, not a whole number from 0 to {most}",
            remedy="biased sets are drawn by the number of people who found a story reasonable",
        )


@dataclass(frozen=True, slots=True)
class ErrorTypes:
    """What people found wrong with stories: UNION's section 3.1, Table 2 and Table 7. Types in the order given."""

    #: nobody called them unreasonable; at least one did
    reasonable: int
    unreasonable: int
    #: (types,): the share of unreasonable stories in which at least one annotator named the type (Table 2)
    shares: Floats
    #: how many stories have 0, 1, 2, … of the types counted in ``together``
    stories_with: tuple[int, ...]
    #: (types, types) over all stories: Spearman's rho of the types' presence, and its two-sided p
    overlap: Floats
    overlap_p: Floats
    #: (types,): stories in which ``least`` annotators or more named the type (Table 7)
    sizes: tuple[int, ...]
    #: (types, stories): those stories and the reasonable ones, the sets Table 7 correlates in
    sets: NDArray[np.bool_]


def error_types(votes: Floats, errors: Floats, *, together: int = 4, least: int = 3) -> ErrorTypes:
    """From ``votes`` (stories, annotators; 1 = reasonable) and ``errors`` (types, stories, annotators; 1 = named).

    ``together`` says how many of the types, from the first, are counted in ``stories_with`` (the paper leaves
    «others» out); ``least`` how many annotators must name a type for the sets of Table 7.
    """
    from scipy.special import stdtr

    if errors.ndim != 3 or errors.shape[1:] != votes.shape or not len(errors):
        raise InputError(
            f"error types {errors.shape} do not fit votes {votes.shape}",
            remedy="types × stories × annotators belong to stories × annotators",
        )
    reasonable = (votes == 1).all(axis=1)
    present: NDArray[np.bool_] = (errors != 0).max(axis=-1)
    named: NDArray[np.bool_] = errors.sum(axis=-1) >= least
    overlap = correlate(present.astype(np.float64), present.astype(np.float64), "spearman")
    free = len(votes) - 2
    with np.errstate(divide="ignore"):  # a type with itself: t is infinite, p is 0
        t = np.abs(overlap) * np.sqrt(free / np.maximum(1 - overlap**2, 0))
    return ErrorTypes(
        reasonable=int(reasonable.sum()),
        unreasonable=int((~reasonable).sum()),
        shares=present[:, ~reasonable].mean(axis=1) if not reasonable.all() else np.full(len(errors), np.nan),
        stories_with=tuple(np.bincount(present[:together].sum(axis=0), minlength=together + 1).tolist()),
        overlap=overlap,
        overlap_p=2 * stdtr(free, -t),
        sizes=tuple(named.sum(axis=1).tolist()),
        sets=named | reasonable,
    )


def in_error_sets(scores: Floats, votes: Floats, found: ErrorTypes, kind: Kind = "pearson") -> Floats:
    """The coefficient of each metric with the mean vote in each type's set, as Table 7 has it: (metrics, types)."""
    human = np.where(found.sets, votes.mean(axis=1), np.nan)
    return correlate(scores, human, kind)


@dataclass(frozen=True, slots=True)
class DatasetDrift:
    """UNION's Table 6: each metric trained on each corpus, tested on each."""

    metrics: tuple[str, ...]
    trained_on: tuple[str, ...]
    tested_on: tuple[str, ...]
    #: (metrics, trained_on, tested_on); NaN where there are no scores
    values: Floats

    @property
    def lost(self) -> Floats:
        """What a metric loses in each test set to not being trained on it; NaN where that one is not known."""
        at_home = np.full((len(self.metrics), 1, len(self.tested_on)), np.nan)
        for place, corpus in enumerate(self.tested_on):
            if corpus in self.trained_on:
                at_home[:, 0, place] = self.values[:, self.trained_on.index(corpus), place]
        lost: Floats = at_home - self.values
        return lost


def dataset_drift(
    scores: Mapping[tuple[str, str, str], Floats], humans: Mapping[str, Floats], kind: Kind = "pearson"
) -> DatasetDrift:
    """From ``scores`` by (metric, trained on, tested on) and the ``humans``' scores by test set, story by story."""
    metrics, trained, tested = (tuple(dict.fromkeys(key[place] for key in scores)) for place in range(3))
    values = np.full((len(metrics), len(trained), len(tested)), np.nan)
    for (metric, source, target), given in scores.items():
        if target not in humans or humans[target].shape != given.shape:
            raise InputError(
                f"{metric} trained on {source} has {given.size} scores on {target}, which has "
                f"{humans[target].size if target in humans else 'no'} human scores",
                remedy="both need one value a story, in the same order",
            )
        place = metrics.index(metric), trained.index(source), tested.index(target)
        values[place] = correlate(given[None], humans[target][None], kind)[0, 0]
    return DatasetDrift(metrics, trained, tested, values)
