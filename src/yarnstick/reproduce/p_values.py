"""Two-sided p values of pooled coefficients: the stars of UNION's Table 5."""

from __future__ import annotations

import math

import numpy as np

from yarnstick.agreement.types import Floats, Kind


def p_value(coefficient: float, x: Floats, y: Floats, kind: Kind) -> float:
    """How often two unrelated columns of these values would correlate as strongly as ``coefficient`` says x and y do.

    Pearson and Spearman by Student's t with n - 2 degrees of freedom, Kendall's tau-b by the normal approximation
    with the variance that ties leave.
    """
    if kind == "kendall":
        return math.erfc(abs(kendall_z(coefficient, x, y)) / math.sqrt(2))
    from scipy.special import stdtr

    degrees = len(x) - 2
    if abs(coefficient) >= 1:
        return 0.0
    t = abs(coefficient) * math.sqrt(degrees / ((1 - coefficient) * (1 + coefficient)))
    return 2 * float(stdtr(degrees, -t))


def kendall_z(tau: float, x: Floats, y: Floats) -> float:
    """Concordant less discordant pairs over its standard deviation (Kendall 1970, chapter 4)."""
    n = len(x)
    pairs = n * (n - 1) / 2
    (x_pairs, x_triples, x_spread), (y_pairs, y_triples, y_spread) = _ties(x), _ties(y)
    variance = (
        (n * (n - 1) * (2 * n + 5) - x_spread - y_spread) / 18
        + x_pairs * y_pairs / pairs
        + x_triples * y_triples / (18 * pairs * (n - 2))
    )
    return tau * math.sqrt((pairs - x_pairs) * (pairs - y_pairs) / variance)


def _ties(values: Floats) -> tuple[float, float, float]:
    # Over groups of t equal values: sum of t(t-1)/2, of t(t-1)(t-2), of t(t-1)(2t+5).
    t = np.unique(values, return_counts=True)[1].astype(np.float64)
    ordered = t * (t - 1)
    return float(ordered.sum() / 2), float((ordered * (t - 2)).sum()), float((ordered * (2 * t + 5)).sum())
