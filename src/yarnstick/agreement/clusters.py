"""Ranks that only differ where the difference is significant, in the manner of WMT's tables."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yarnstick.agreement.types import Floats

Against = Literal["any", "first", "every"]


def rank_clusters(
    p_better: Floats, order: ArrayLike, alpha: float = 0.05, *, against: Against = "any"
) -> NDArray[np.int64]:
    """The rank of every item, 1 the best; items of one cluster share a rank.

    ``p_better[i, j]`` is the p of "i is better than j" (NaN: no such finding), ``order`` the items from best to
    worst. Going down the order, a new cluster starts at the item that is significantly worse than ``any`` member of
    the present cluster (WMT's metrics task), than its ``first``, or than ``every`` member.

    >>> p = np.array([[np.nan, 0.2, 0.01], [np.nan, np.nan, 0.3], [np.nan] * 3])
    >>> rank_clusters(p, [0, 1, 2]).tolist(), rank_clusters(p, [0, 1, 2], against="every").tolist()
    ([1, 1, 2], [1, 1, 1])
    """
    walk = np.asarray(order, dtype=np.intp)
    count = p_better.shape[0]
    if not np.array_equal(np.sort(walk), np.arange(count)):
        raise ValueError("the order must name every item once")
    ranks = np.ones(count, dtype=np.int64)
    cluster: list[int] = []
    rank = 1
    for item in walk.tolist():
        beaten = p_better[cluster, item] < alpha
        if cluster and (beaten[0] if against == "first" else beaten.all() if against == "every" else beaten.any()):
            rank += 1
            cluster = []
        cluster.append(item)
        ranks[item] = rank
    return ranks
