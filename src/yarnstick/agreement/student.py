"""The upper tail of Student's t for whole arrays, at the few degrees of freedom a set of stories has.

A matrix of Williams' tests needs tens of thousands of tails at one whole number of degrees of freedom.
There the distribution is a finite sum, which arrays add up far faster than a general routine evaluates one
number; the general routine is kept for the far tail, where the finite sum would lose digits.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from yarnstick.agreement.types import Floats

#: below this probability the finite sum has lost four digits, and the general routine takes over
_FAR_TAIL = 1e-4
#: beyond this many degrees of freedom the finite sum is no longer the faster way
_MANY = 1000
#: powers of cos^2 taken at once; a power of two
_WIDTH = 8


def upper_tail(t: Floats, degrees: int) -> Floats:
    """P(T > t) for each t, T of Student's distribution; NaN stays NaN."""
    from scipy.special import stdtr

    if degrees < 1:
        return np.full(np.shape(t), np.nan)
    if degrees > _MANY:
        return np.asarray(stdtr(degrees, np.negative(t)), dtype=np.float64)
    flat = np.reshape(t, -1)
    size = np.abs(flat)
    tail = _within(size, degrees)
    tail *= -0.5
    tail += 0.5
    far = np.flatnonzero(tail < _FAR_TAIL)
    if far.size:
        tail[far] = stdtr(degrees, -size[far])
    below = flat < 0
    if below.any():
        tail = np.where(below, 1.0 - tail, tail)
    return tail.reshape(np.shape(t))


def _within(size: Floats, degrees: int) -> Floats:
    # P(|T| < t) with w = t / sqrt(degrees) = tan(angle): a polynomial in cos(angle)^2, times sin(angle) when
    # the degrees are even, times sin(angle) cos(angle) and with the angle added when they are odd.
    w = size * (1.0 / math.sqrt(degrees))
    np.minimum(w, 1e150, out=w)  # the square must not overflow, and out there all the probability is within
    cosine2 = w * w
    cosine2 += 1.0
    np.reciprocal(cosine2, out=cosine2)
    terms = degrees // 2
    if degrees % 2 == 0:
        inside = _polynomial(cosine2, _coefficients(terms, odd=False))
        inside *= np.sqrt(1.0 - cosine2)
        return inside
    inside = np.arctan(w)
    if terms:
        w *= cosine2
        w *= _polynomial(cosine2, _coefficients(terms, odd=True))
        inside += w
    inside *= 2.0 / math.pi
    return inside


@lru_cache(maxsize=16)
def _coefficients(terms: int, *, odd: bool) -> Floats:
    # Each is the one before times 2k/(2k+1) (odd degrees) or (2k-1)/(2k) (even); laid out in rows for _polynomial.
    k = np.arange(1, terms, dtype=np.float64)
    ratios = 2 * k / (2 * k + 1) if odd else (2 * k - 1) / (2 * k)
    rows = -(-terms // _WIDTH)
    coefficients = np.zeros(rows * _WIDTH)
    coefficients[0] = 1.0
    coefficients[1:terms] = np.cumprod(ratios)
    return coefficients.reshape(rows, _WIDTH)


def _polynomial(z: Floats, coefficients: Floats) -> Floats:
    # Horner's rule on blocks: the powers up to the row width once, all rows in one product of matrices, then
    # one step a row instead of one a coefficient.
    powers = np.empty((_WIDTH, z.size))
    powers[0], powers[1] = 1.0, z
    step, have = z * z, 2
    while have < _WIDTH:
        np.multiply(powers[:have], step, out=powers[have : 2 * have])
        step *= step
        have *= 2
    blocks = coefficients @ powers
    total: Floats = blocks[-1]
    for block in blocks[-2::-1]:
        total *= step
        total += block
    return total
