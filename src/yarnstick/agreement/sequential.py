"""When a Monte-Carlo test may stop: as soon as further draws can hardly change on which side of alpha its p lies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def decided(hits: ArrayLike, draws: ArrayLike, alpha: float, error: float) -> NDArray[np.bool_]:
    """Whether alpha is outside the interval of p, where ``hits`` of ``draws`` have reached what was observed.

    The interval is Robbins' confidence sequence: with probability 1 - ``error`` the true p stays inside all along, so
    looking after every draw costs nothing, and a test stopped by this rule is on the wrong side of alpha with a
    probability of at most ``error``. alpha is outside when (draws + 1) times the binomial probability of ``hits`` at
    alpha is not above ``error``.

    >>> decided([0, 30, 90], 300, alpha=0.05, error=0.001).tolist()
    [True, False, True]
    """
    from scipy.special import gammaln, xlog1py, xlogy

    k, n = np.asarray(hits, dtype=np.float64), np.asarray(draws, dtype=np.float64)
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    log_probability = choose + xlogy(k, alpha) + xlog1py(n - k, -alpha)
    return np.asarray(np.log(n + 1) + log_probability <= np.log(error))
