"""How far apart two distributions are: the measures InfoLM is a family of.

``p`` is the reference's distribution, ``q`` the story's; both sum to one. All are zero where the two are equal and
never below. Where the paper's signs would make one negative, the sign here is the one that makes it a divergence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Measure: TypeAlias = Callable[[Floats, Floats], float]


def fisher_rao(p: Floats, q: Floats) -> float:
    """Length of the shortest way between them in Fisher's metric: 2 arccos of the sum of sqrt(p q).

    Through the chord rather than the cosine, whose digits are lost where the two are nearly equal.

    >>> fisher_rao(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    3.141592653589793
    """
    chord = float(np.linalg.norm(np.sqrt(p) - np.sqrt(q)))
    return 4 * math.asin(min(1.0, chord / 2)) if chord < math.sqrt(2) else math.pi


def kullback_leibler(p: Floats, q: Floats) -> float:
    """Sum of p log(p / q): infinite where q rules out what p does not."""
    there = p > 0
    with np.errstate(divide="ignore"):
        return max(0.0, float(np.sum(p[there] * (np.log(p[there]) - np.log(q[there])))))


def alpha_divergence(p: Floats, q: Floats, alpha: float) -> float:
    """(sum of p^a q^(1-a), minus 1) / (a (a - 1)), for a other than 0 and 1."""
    return (_overlap(p, q, alpha, 1 - alpha) - 1) / (alpha * (alpha - 1))


def renyi(p: Floats, q: Floats, alpha: float) -> float:
    """log(sum of p^a q^(1-a)) / (a - 1), for a above 0 and other than 1."""
    return _log(_overlap(p, q, alpha, 1 - alpha)) / (alpha - 1)


def ab_divergence(p: Floats, q: Floats, alpha: float, beta: float) -> float:
    """The AB divergence in its logarithmic form, which does not depend on the scale of p or q.

    log(sum p^(a+b)) / (b (a+b)) + log(sum q^(a+b)) / (a (a+b)) - log(sum p^a q^b) / (a b), for a, b, a + b other
    than 0.
    """
    total = alpha + beta
    return (
        _log(float(np.sum(p**total))) / (beta * total)
        + _log(float(np.sum(q**total))) / (alpha * total)
        - _log(_overlap(p, q, alpha, beta)) / (alpha * beta)
    )


def beta_divergence(p: Floats, q: Floats, beta: float) -> float:
    """The AB divergence at a = 1."""
    return ab_divergence(p, q, 1.0, beta)


def l1(p: Floats, q: Floats) -> float:
    """Sum of the differences."""
    return float(np.sum(np.abs(p - q)))


def l2(p: Floats, q: Floats) -> float:
    """Euclidean distance."""
    return float(np.linalg.norm(p - q))


def l_infinity(p: Floats, q: Floats) -> float:
    """The greatest difference."""
    return float(np.max(np.abs(p - q)))


def _overlap(p: Floats, q: Floats, alpha: float, beta: float) -> float:
    # Outcomes that both rule out add nothing, whatever the signs of the powers.
    there = (p > 0) | (q > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.sum(p[there] ** alpha * q[there] ** beta))


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
