"""The people behind the ratings: how each agrees with the rest, how strict and how decided they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from yarnstick.agreement.levels import mean_over_groups
from yarnstick.agreement.matching import matching_at_level
from yarnstick.agreement.means import exact_mean
from yarnstick.agreement.resampled import draw_prompts, resampled
from yarnstick.agreement.spans import Span, span_of_mean
from yarnstick.agreement.types import Floats, Kind, Level


@dataclass(frozen=True, slots=True)
class RaterProfile:
    """How one rater rates, held against the mean of the others on the same stories."""

    #: stories rated by this rater and somebody else
    stories: int
    #: mean difference from the others: above 0 milder, below stricter
    bias: float
    bias_interval: Span
    #: standard deviation of the rater's own ratings, and of the others' means on the same stories
    spread: float
    spread_of_others: float
    #: by how much this rater's ratings rise where the others' mean rises by 1: 0 tells nothing apart
    discrimination: float


def rest_of_raters(ratings: Floats) -> Floats:
    """For each rating (raters on the last axis) the mean of the other raters of that story; NaN if there is none."""
    rest = [exact_mean(np.delete(ratings, rater, axis=-1)) for rater in range(ratings.shape[-1])]
    return np.stack(rest, axis=-1)


def one_against_rest(raters: Floats, kind: Kind, level: Level) -> Floats:
    """The correlation of each rater with the mean of the rest, from ratings (c, s, p, k): (c, k).

    Only stories count that the rater and at least one other rated. This is what a metric has to match to be as good
    as one more person.
    """
    rest = np.where(np.isnan(raters), np.nan, rest_of_raters(raters))
    shape = (-1, *raters.shape[1:3])
    one, others = (np.moveaxis(table, 3, 1).reshape(shape) for table in (raters, rest))
    return matching_at_level(one, others, kind, level).reshape(raters.shape[0], raters.shape[3])


def resampled_against_rest(
    raters: Floats, kind: Kind, level: Level, draws: int, seed: int = 0, each: int = 1
) -> Floats:
    """The mean over raters of ``one_against_rest`` in resamples of the prompts: (c, draws).

    ``each`` is how many columns in a row are of one prompt, and drawn together.
    """
    weights = np.repeat(draw_prompts(raters.shape[2] // each, draws, seed), each, axis=1)
    means = np.empty((len(raters), draws))
    for place, ratings in enumerate(raters):
        others = np.where(np.isnan(ratings), np.nan, rest_of_raters(ratings))
        found = [
            resampled(ratings[None, :, :, rater], others[None, :, :, rater], kind, level, weights)[0, 0]
            for rater in range(raters.shape[3])
        ]
        means[place] = mean_over_groups(np.stack(found, axis=1)).mean
    return means


def rater_profiles(ratings: Floats, *, confidence: float = 0.95) -> list[RaterProfile]:
    """A profile of each rater in ``ratings`` (stories × raters, NaN where missing)."""
    rest = rest_of_raters(ratings)
    profiles = []
    for own, others in zip(ratings.T, rest.T, strict=True):
        shared = ~np.isnan(own) & ~np.isnan(others)
        own, others = own[shared], others[shared]
        profiles.append(
            RaterProfile(
                stories=len(own),
                bias=float((own - others).mean()) if len(own) else np.nan,
                bias_interval=span_of_mean(own - others, confidence),
                spread=float(own.std(ddof=1)) if len(own) > 1 else np.nan,
                spread_of_others=float(others.std(ddof=1)) if len(own) > 1 else np.nan,
                discrimination=_slope(own, others),
            )
        )
    return profiles


def rater_z_scores(ratings: Floats) -> Floats:
    """Each rating (stories × raters) in standard deviations from its rater's mean.

    Takes out strictness and spread; right where raters met comparable stories. A rater who gave one value to all,
    or rated fewer than two stories, says nothing and becomes NaN.
    """
    z = np.full(ratings.shape, np.nan)
    for rater, own in enumerate(ratings.T):
        held = ~np.isnan(own)
        if held.any() and own[held].min() != own[held].max():
            z[held, rater] = (own[held] - own[held].mean()) / own[held].std(ddof=1)
    return z


def normalised_scores(ratings: Floats) -> Floats:
    """One human score a story: the mean of its raters' z-scores; NaN where no rater says anything."""
    return exact_mean(rater_z_scores(ratings))


def _slope(own: Floats, others: Floats) -> float:
    if len(own) < 2 or others.min() == others.max():
        return float("nan")
    centred = others - others.mean()
    return float(centred @ (own - own.mean()) / (centred @ centred))
