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
#: powers of cos^2 taken at once, where there are few terms and where there are many; powers of two
_NARROW, _WIDE = 4, 8


def upper_tail(t: Floats, degrees: int) -> Floats:
    """P(T > t) for each t, T of Student's distribution; NaN stays NaN."""
    tail = tail_beyond(np.abs(t), degrees)
    return np.where(np.less(t, 0), 1.0 - tail, tail)


def tail_beyond(size: Floats, degrees: int) -> Floats:
    """The same for t that are not negative."""
    from scipy.special import stdtr

    if degrees < 1:
        return np.full(np.shape(size), np.nan)
    if degrees > _MANY:
        return np.asarray(stdtr(degrees, np.negative(size)), dtype=np.float64)
    flat = np.reshape(size, -1)
    tail = _within(flat, degrees)
    tail *= -0.5
    tail += 0.5
    far = np.flatnonzero(tail < _FAR_TAIL)
    if far.size:
        tail[far] = stdtr(degrees, -flat[far])
    return tail.reshape(np.shape(size))


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
    width = _NARROW if terms <= _NARROW else _WIDE
    rows = -(-terms // width)
    coefficients = np.zeros(rows * width)
    coefficients[0] = 1.0
    coefficients[1:terms] = np.cumprod(ratios)
    return coefficients.reshape(rows, width)


def _polynomial(z: Floats, coefficients: Floats) -> Floats:
    # Horner's rule on blocks: the powers up to the row width once, all rows in one product of matrices, then
    # one step a row instead of one a coefficient.
    width = coefficients.shape[1]
    powers = np.empty((width, z.size))
    powers[0], powers[1] = 1.0, z
    step, have = z * z, 2
    while have < width:
        np.multiply(powers[:have], step, out=powers[have : 2 * have])
        step *= step
        have *= 2
    blocks = coefficients @ powers
    total: Floats = blocks[-1]
    for block in blocks[-2::-1]:
        total *= step
        total += block
    return total
