"""Many tests at once: p values raised so that a table of them still means what one of them meant.

Tests that could not be made (NaN) stay NaN and do not count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yarnstick.agreement.types import Floats


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Adjusted p: those up to alpha hold a share of at most alpha false finds, on average.

    >>> benjamini_hochberg([0.01, 0.04, 0.03, float("nan")]).round(3).tolist()
    [0.03, 0.04, 0.04, nan]
    """
    values, made, order = _sorted(p)
    count = order.size
    raised = values[made][order] * (count / np.arange(1, count + 1))
    return _put_back(values, made, order, np.minimum.accumulate(raised[::-1])[::-1])


def holm(p: ArrayLike) -> Floats:
    """Adjusted p: the chance of even one false find among those up to alpha is at most alpha.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    values, made, order = _sorted(p)
    raised = values[made][order] * np.arange(order.size, 0, -1)
    return _put_back(values, made, order, np.maximum.accumulate(raised))


def _sorted(p: ArrayLike) -> tuple[Floats, NDArray[np.bool_], NDArray[np.intp]]:
    values = np.array(p, dtype=np.float64)
    made = ~np.isnan(values)
    if np.any((values[made] < 0) | (values[made] > 1)):
        raise ValueError("a p value lies between 0 and 1")
    return values, made, np.argsort(values[made], kind="stable")


def _put_back(values: Floats, made: NDArray[np.bool_], order: NDArray[np.intp], raised: Floats) -> Floats:
    adjusted = np.empty(order.size)
    adjusted[order] = np.minimum(raised, 1.0)
    values[made] = adjusted
    return values
