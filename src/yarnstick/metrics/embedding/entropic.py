"""Transport with a price on order: the entropic problem, and the Sinkhorn divergence made of it.

    OT_e(a, b) = min over plans P of  <P, C> + e KL(P | a b')                                     (1)
               = max over f, g of  <f, a> + <g, b> - e <a b', exp((f + g - C) / e) - 1>           (2)
    S_e(a, b)  = OT_e(a, b) - OT_e(a, a) / 2 - OT_e(b, b) / 2                                     (3)

The potentials f and g are kept as logarithms, and the scalings of plain Sinkhorn iterations only ever hold what
was gained since they were last taken in; so a price of .001, where exp(-C / e) is 0 everywhere in 64 bits, loses
nothing. Prices are worked through from high to low, each starting where the one before ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from yarnstick.metrics.embedding.transport import Floats

TOLERANCE = 1e-6
MOST_ROUNDS = 500
#: scalings beyond exp of this are taken into the potentials
_TOO_FAR = 30.0
_ROUNDS_BETWEEN_LOOKS = 10


class Entropic(NamedTuple):
    """``value`` of (1), the ``cost`` <P, C> of its plan alone, and by how much in all the plan's rows miss."""

    value: float
    cost: float
    missing: float


def entropic_transport(
    cost: Floats,
    one: Floats,
    other: Floats,
    prices: Sequence[float],
    *,
    tolerance: float = TOLERANCE,
    most_rounds: int = MOST_ROUNDS,
) -> dict[float, Entropic]:
    """(1) for every price. Where the rounds run out first, ``value`` is a bound from below, and ``missing`` says so."""
    # Points without weight move nothing, and have no logarithm.
    cost = cost[np.ix_(one > 0, other > 0)]
    one, other = one[one > 0], other[other > 0]
    f, g = np.zeros(len(one)), np.zeros(len(other))
    found = {}
    for price in sorted(prices, reverse=True):
        left = most_rounds
        while True:
            f = _softmin(cost - g, other, price, axis=1)
            g = _softmin(cost - f[:, None], one, price, axis=0)
            kernel = np.exp((f[:, None] + g - cost) / price) * one[:, None] * other
            missing = float(np.abs(kernel.sum(1) - one).sum())
            if missing <= tolerance or left <= 0:
                break
            u, v, rounds = _scale(kernel, one, other, min(left, most_rounds), tolerance)
            f, g = f + price * np.log(u), g + price * np.log(v)
            left -= rounds
        found[price] = Entropic(float(f @ one + g @ other), float((kernel * cost).sum()), missing)
    return found


def entropic_self_transport(
    cost: Floats, weights: Floats, prices: Sequence[float], *, tolerance: float = TOLERANCE
) -> dict[float, float]:
    """OT_e(a, a) for every price: one potential, and rounds that take the mean of old and new converge in a few."""
    cost = cost[np.ix_(weights > 0, weights > 0)]
    weights = weights[weights > 0]
    f = np.zeros(len(weights))
    found = {}
    for price in sorted(prices, reverse=True):
        for _ in range(MOST_ROUNDS):
            new = _softmin(cost - f, weights, price, axis=1)
            moved = float(np.abs(new - f).max())
            f = (f + new) / 2
            if moved <= tolerance * price:
                break
        found[price] = float(2 * f @ weights)
    return found


def sinkhorn_divergence(cross: float, own: float, others_own: float) -> float:
    """(3). It is never negative, and 0 for equal clouds; what rounding makes less is 0."""
    return max(0.0, cross - (own + others_own) / 2)


def _softmin(slack: Floats, weights: Floats, price: float, axis: int) -> Floats:
    """-e log sum w exp(-slack / e) along an axis: the potential that makes the sums of that side right."""
    low = slack.min(axis=axis, keepdims=True)
    shares = np.exp((low - slack) / price)
    sums = shares @ weights if axis == 1 else weights @ shares
    found: Floats = low.ravel() - price * np.log(sums)
    return found


def _scale(kernel: Floats, one: Floats, other: Floats, rounds: int, tolerance: float) -> tuple[Floats, Floats, int]:
    """Plain Sinkhorn rounds, until the rows are right, the rounds are used up, or the scalings grow too far."""
    v = np.ones(len(other))
    done = 0
    while True:
        for _ in range(_ROUNDS_BETWEEN_LOOKS):
            u = one / (kernel @ v)
            v = other / (u @ kernel)
        done += _ROUNDS_BETWEEN_LOOKS
        missing = np.abs(u * (kernel @ v) - one).sum()
        far = max(np.abs(np.log(u)).max(), np.abs(np.log(v)).max())
        if missing <= tolerance or done >= rounds or far > _TOO_FAR:
            return u, v, done
