"""Intraclass correlation: how much of what ratings differ by is the stories'.

Three questions are told apart (Shrout & Fleiss 1979; intervals: McGraw & Wong 1996). ICC1: each story has other
raters. ICC2: the same raters for all, meant to stand for any raters, so that their being strict or mild counts as
error. ICC3: only these raters matter, and strictness does not. Each for a single rating, and (``k``) for the mean of
all raters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from yarnstick.agreement.complete import complete_rows
from yarnstick.agreement.means import exact_mean
from yarnstick.agreement.spans import UNKNOWN, Span
from yarnstick.agreement.types import Floats

#: a sum of mean squares smaller than this share of its parts is their rounding
_ROUNDING = 1e-12
FORMS = ("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k")


class MeanSquares(NamedTuple):
    """The analysis of variance of a complete table of ``stories`` × ``raters``."""

    between_stories: float
    between_raters: float
    within_stories: float
    residual: float
    stories: int
    raters: int


class Coefficient(NamedTuple):
    """One form: its value, the F test that it is above 0, and its interval."""

    value: float
    f: float
    df1: int
    df2: int
    p: float
    interval: Span


@dataclass(frozen=True, slots=True)
class Icc:
    """All six forms by name, and what they rest on. Stories that some rater did not rate are ``left_out``."""

    forms: dict[str, Coefficient]
    mean_squares: MeanSquares
    left_out: int

    def __getitem__(self, form: str) -> Coefficient:
        return self.forms[form]


def icc(ratings: Floats, *, confidence: float = 0.95) -> Icc:
    """The six coefficients of ``ratings`` (stories × raters), from the stories that every rater rated.

    The formulas need a complete table. Where much would be left out, ``mixed_model`` uses all ratings.
    """
    squares, left_out = mean_squares(ratings)
    return Icc(icc_forms(squares, confidence=confidence), squares, left_out)


def mean_squares(ratings: Floats) -> tuple[MeanSquares, int]:
    """The analysis of variance of the complete rows, and how many rows are not."""
    table, left_out = complete_rows(ratings, "ICC")
    n, k = table.shape
    story_means, rater_means = exact_mean(table), exact_mean(table, axis=0)
    steps = table - table[:, :1]  # each rater against the first: the same for every story if nothing is left over
    # Sums of squares of deviations, never differences of large sums: ratings near 1e6 lose nothing.
    centred = table - table.mean()
    story, rater = centred.mean(axis=1, keepdims=True), centred.mean(axis=0, keepdims=True)
    residual = centred - story - rater
    # What does not differ is told by comparing, lest rounding pass for a difference and be divided by.
    return (
        MeanSquares(
            between_stories=k * float((story**2).sum()) / (n - 1) if np.ptp(story_means) else 0.0,
            between_raters=n * float((rater**2).sum()) / (k - 1) if np.ptp(rater_means) else 0.0,
            within_stories=float(((centred - story) ** 2).sum()) / (n * (k - 1)) if steps.any() else 0.0,
            residual=float((residual**2).sum()) / ((n - 1) * (k - 1)) if np.ptp(steps, axis=0).any() else 0.0,
            stories=n,
            raters=k,
        ),
        left_out,
    )


def mean_squares_from_f(
    between_stories: float, within_stories: float, f: float, stories: int, raters: int
) -> MeanSquares:
    """The analysis of variance behind a published two-way F, where who rated what was not published.

    What differs between and within stories needs no rater identities; F then says how the latter splits into the
    raters' strictness and the residual.
    """
    residual = between_stories / f
    between_raters = stories * within_stories - (stories - 1) * residual
    return MeanSquares(between_stories, between_raters, within_stories, residual, stories, raters)


def icc_forms(squares: MeanSquares, *, confidence: float = 0.95) -> dict[str, Coefficient]:
    """The coefficients that follow from an analysis of variance alone."""
    msr, msc, msw, mse, n, k = squares
    one_way, two_way = (n - 1, n * (k - 1)), (n - 1, (n - 1) * (k - 1))
    single = {
        "ICC1": _ratio(msr - msw, msr, (k - 1) * msw),
        "ICC2": _ratio(msr - mse, msr, (k - 1) * mse, k * msc / n, -k * mse / n),
        "ICC3": _ratio(msr - mse, msr, (k - 1) * mse),
    }
    average = {
        "ICC1k": _ratio(msr - msw, msr),
        "ICC2k": _ratio(msr - mse, msr, msc / n, -mse / n),
        "ICC3k": _ratio(msr - mse, msr),
    }
    spans = {
        "ICC1": _one_f_span(msr, msw, *one_way, k, confidence),
        "ICC2": _two_way_random_span(squares, single["ICC2"], confidence),
        "ICC3": _one_f_span(msr, mse, *two_way, k, confidence),
    }
    found = {}
    for form, value in (single | average).items():
        error, freedom = (msw, one_way) if form.startswith("ICC1") else (mse, two_way)
        f, p = _f_test(msr, error, *freedom)
        span = spans[form] if form in single else _of_the_mean(spans[form[:-1]], k)
        found[form] = Coefficient(value, f, *freedom, p, span)
    return found


def _ratio(upper: float, *lower: float) -> float:
    """``upper`` over the sum of ``lower``; NaN where that is 0 but for rounding, as where no story differs."""
    total = math.fsum(lower)
    return upper / total if abs(total) > _ROUNDING * math.fsum(map(abs, lower)) else math.nan


def _f_test(effect: float, error: float, df1: int, df2: int) -> tuple[float, float]:
    from scipy.special import fdtrc

    if error == 0:
        return (math.inf, 0.0) if effect > 0 else (math.nan, math.nan)
    return effect / error, float(fdtrc(df1, df2, effect / error))


def _one_f_span(effect: float, error: float, df1: int, df2: int, k: int, confidence: float) -> Span:
    """McGraw & Wong, table 7: the interval of F turned into one of the coefficient (ICC1 and ICC3)."""
    from scipy.special import fdtri

    upper = (1 + confidence) / 2
    f_low, f_high = float(fdtri(df1, df2, upper)), float(fdtri(df2, df1, upper))
    return Span(
        _ratio(effect - f_low * error, effect, (k - 1) * f_low * error),
        _ratio(f_high * effect - error, f_high * effect, (k - 1) * error),
    )


def _two_way_random_span(squares: MeanSquares, value: float, confidence: float) -> Span:
    """McGraw & Wong, table 7, ICC(A,1): three mean squares share the denominator, whence Satterthwaite's degrees."""
    from scipy.special import fdtri

    msr, msc, _, mse, n, k = squares
    if math.isnan(value):
        return UNKNOWN
    raters, rest = k * value * msc, (n * (1 + (k - 1) * value) - k * value) * mse
    spread = (n - 1) * raters**2 + rest**2
    degrees = (k - 1) * (n - 1) * (raters + rest) ** 2 / spread if spread > 0 else float((k - 1) * (n - 1))
    if not degrees > 0:
        return UNKNOWN
    upper = (1 + confidence) / 2
    f_low, f_high = float(fdtri(n - 1, degrees, upper)), float(fdtri(degrees, n - 1, upper))
    error = k * msc + (k * n - k - n) * mse
    return Span(
        _ratio(n * (msr - f_low * mse), f_low * error, n * msr),
        _ratio(n * (f_high * msr - mse), error, n * f_high * msr),
    )


def _of_the_mean(span: Span, k: int) -> Span:
    """Spearman–Brown on both ends."""
    low, high = (_ratio(end * k, 1.0, end * (k - 1)) for end in span)
    return Span(low, high)
