"""BaryScore: the layers' clouds of a text as one, their Wasserstein barycentre, then transport between two texts.

A layer l gives a text the measure of its tokens, m_l = sum_i w_i delta(h_l,i), with vectors of unit length (Colombo
et al. 2021). The barycentre of the layers, with as many points as tokens, is the X that makes

    sum_l W_2^2(X, m_l) / L                                                                        (1)

least: every point goes to the mean of where the plans to the layers send it, until none moves. BaryScore-W is
W_2^2 between two texts' barycentres, BaryScore-SD-e their Sinkhorn divergence at price e.

(1) has many local minima, so the start matters. We start with the mean of a token's own vectors, layer by layer; the
authors' code starts with all points at the origin, where every plan is equally good and the solver's habit decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yarnstick.metrics.embedding.entropic import (
    entropic_self_transport,
    entropic_transport,
    sinkhorn_divergence,
)
from yarnstick.metrics.embedding.transport import (
    MOST_POINTS,
    Floats,
    all_alike,
    cheapest_assignment,
    gathered,
    normalised,
    squared_distances,
    transport_cost,
    transport_plan,
    unit_rows,
)

PRICES = (10.0, 5.0, 1.0, 0.5, 0.1, 0.01, 0.001)
_MOST_ROUNDS = 100


class Barycentre(NamedTuple):
    """One text: points, their weights, and what entropic transport onto itself costs at each price."""

    points: Floats
    weights: Floats
    own: Mapping[float, float]


def barycentre(
    layers: NDArray[Any],
    weights: NDArray[Any] | None = None,
    prices: Sequence[float] = PRICES,
    most: int = MOST_POINTS,
) -> Barycentre:
    """The barycentre of a text's layers (layer, token, d). Long texts are gathered as in :func:`transport.gathered`."""
    clouds, each = gathered(unit_rows(layers), normalised(weights, np.shape(layers)[1]), most)
    clouds = np.asarray(clouds, dtype=np.float64)
    points = clouds.mean(0)
    for _ in range(_MOST_ROUNDS if len(each) else 0):
        sent = np.mean([_sent(points, cloud, each) for cloud in clouds], axis=0)
        if np.array_equal(sent, points):
            break
        points = sent
    own = entropic_self_transport(squared_distances(points, points), each, prices) if len(each) else {}
    return Barycentre(points, each, own)


def bary_scores(
    one: Barycentre, other: Barycentre, prices: Sequence[float] = PRICES, *, debiased: bool = True
) -> tuple[float, dict[float, float]]:
    """BaryScore-W, and BaryScore-SD at each price, of two texts; NaN where one has no points. Lower is nearer.

    Without ``debiased``, SD is what the authors' code computes: the cost <P, C> of the entropic plan. It is not 0
    for equal texts, and at high prices tells little more than how spread out the two are.
    """
    if not len(one.weights) or not len(other.weights):
        return float("nan"), dict.fromkeys(prices, float("nan"))
    if debiased and np.array_equal(one.points, other.points) and np.array_equal(one.weights, other.weights):
        # A text is at no distance from itself, whatever the rounds of two ways to the same number leave.
        return 0.0, dict.fromkeys(prices, 0.0)
    cost = squared_distances(one.points, other.points)
    exact = transport_cost(cost, one.weights, other.weights)
    entropic = entropic_transport(cost, one.weights, other.weights, prices)
    if not debiased:
        return exact, {price: entropic[price].cost for price in prices}
    return exact, {
        price: sinkhorn_divergence(entropic[price].value, one.own[price], other.own[price]) for price in prices
    }


def _sent(points: Floats, cloud: Floats, weights: Floats) -> Floats:
    """Where the best plan sends each point: the mean of what it gives to.

    Moving a whole cloud changes no plan; with the means taken off, most tokens are nearest to themselves.
    """
    cost = squared_distances(points - weights @ points, cloud - weights @ cloud)
    if all_alike(weights):
        return cloud[cheapest_assignment(cost)]
    if np.array_equal(cost.argmin(1), np.arange(len(weights))):
        return cloud
    plan = transport_plan(cost, weights, weights)
    return np.where(weights[:, None] > 0, plan @ cloud / np.where(weights > 0, weights, 1.0)[:, None], points)
