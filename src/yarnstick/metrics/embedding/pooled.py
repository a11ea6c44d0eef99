"""Similarities of texts that are pooled to one vector, or matched word by word."""

from __future__ import annotations

import math

import numpy as np

from yarnstick.metrics.embedding.bertscore_score import Floats, best_matches


def cosine(one: Floats, other: Floats) -> float:
    """The cosine of two vectors; NaN where one has no length.

    >>> cosine(np.array([3.0, 0.0]), np.array([3.0, 4.0]))
    0.6
    """
    one, other = one.astype(np.float64), other.astype(np.float64)
    lengths = math.sqrt(one @ one) * math.sqrt(other @ other)
    return max(-1.0, min(1.0, float(one @ other) / lengths)) if lengths > 0 else math.nan


def average(states: Floats) -> Floats:
    """The mean of the tokens' states, without their lengths (Wieting et al. 2016; Liu et al. 2016, eq. 1)."""
    total: Floats = states.sum(0, dtype=np.float64)
    length = math.sqrt(total @ total)
    return total / length if length > 0 else total


def extrema(states: Floats) -> Floats:
    """In each dimension the value furthest from zero (Forgues et al. 2014; Liu et al. 2016, section 3.2.3).

    >>> extrema(np.array([[1.0, -2.0], [-3.0, 2.0]])).tolist()
    [-3.0, -2.0]
    """
    if not len(states):
        return np.zeros(states.shape[1])
    most, least = states.max(0), states.min(0)
    furthest: Floats = np.where(most > np.abs(least), most, least)
    return furthest


def greedy(one: Floats, other: Floats) -> float:
    """The mean highest cosine of each token with one of the other text, both ways, halved (Rus and Lintean 2012)."""
    if not len(one) or not len(other):
        return math.nan
    forth, back = best_matches(one, other)
    return float((forth.mean(dtype=np.float64) + back.mean(dtype=np.float64)) / 2)
