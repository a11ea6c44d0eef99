"""Kendall's W: how far several raters put the stories in one order (Kendall & Babington Smith 1939)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from yarnstick.agreement.complete import complete_rows
from yarnstick.agreement.types import Floats


@dataclass(frozen=True, slots=True)
class Concordance:
    """W from 0 (no common order) to 1 (the same order), and Friedman's chi-square test that there is one."""

    value: float
    chi_square: float
    df: int
    p: float
    stories: int
    raters: int
    #: stories that some rater did not rate
    left_out: int

    @property
    def mean_spearman(self) -> float:
        """The mean of Spearman's rho over all pairs of raters, where no rater gave two stories the same rank."""
        return (self.raters * self.value - 1) / (self.raters - 1)


def kendalls_w(ratings: Floats) -> Concordance:
    """W of ``ratings`` (stories × raters), corrected for ties, over the stories that every rater rated.

    W = 12 S / (k² (n³ - n) - k Σ T), S the squared deviations of the stories' rank sums, T = Σ (t³ - t) over a
    rater's groups of t tied stories. Undefined (NaN) where every rater gave all stories one value.
    """
    from scipy import stats

    table, left_out = complete_rows(ratings, "Kendall's W")
    n, k = table.shape
    sums = stats.rankdata(table, axis=0).sum(axis=1)
    deviations = float(((sums - k * (n + 1) / 2) ** 2).sum())
    tied = 0
    for column in table.T:
        _, group = np.unique(column, return_counts=True)
        tied += int((group.astype(np.int64) ** 3 - group).sum())
    room = k * k * (n**3 - n) - k * tied
    value = 12 * deviations / room if room else math.nan
    chi_square = k * (n - 1) * value
    p = float(stats.chi2.sf(chi_square, n - 1)) if room else math.nan
    return Concordance(value, chi_square, n - 1, p, n, k, left_out)
