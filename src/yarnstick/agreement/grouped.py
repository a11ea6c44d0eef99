"""A coefficient in every group: the one door through which all levels go."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.kendall import kendall
from yarnstick.agreement.pairwise_accuracy import pairwise_accuracy
from yarnstick.agreement.ranks import centred_ranks, unit_vectors
from yarnstick.agreement.types import KINDS, Floats, Kind
from yarnstick.errors import MetricError

#: values of metrics worked on at a time: 32 MB, of which some copies are made
_AT_A_TIME = 4_000_000


def grouped(x: Floats, y: Floats, kind: Kind) -> Floats:
    """The coefficient of metrics x (m, g, n) with criteria y (c, g, n) over the last axis: (m, c, g).

    A value missing on either side takes that item out of that pair of rows only. NaN where either side does not
    vary among what is left. An infinity is the largest (or smallest) of ranks, and makes Pearson undefined.
    """
    if kind == "kendall":
        return kendall(x, y)
    if kind == "kendall-c":
        return kendall(x, y, variant="c")
    if kind == "pairwise-accuracy":
        return pairwise_accuracy(x, y)
    if kind not in KINDS:
        raise MetricError(f"there is no coefficient {kind!r}", remedy=f"choose from: {', '.join(KINDS)}")
    step = max(1, _AT_A_TIME // max(1, x.shape[1] * x.shape[2]))
    return np.concatenate([_linear(x[row : row + step], y, kind) for row in range(0, max(len(x), 1), step)])


def _linear(x: Floats, y: Floats, kind: Kind) -> Floats:
    if np.isnan(x).any() or np.isnan(y).any():
        return np.stack([_one_criterion(x, row, kind) for row in y], axis=1)
    (ours, our_squares), (theirs, their_squares) = _CENTRED[kind](x), _CENTRED[kind](y)
    products = np.matmul(ours.transpose(1, 0, 2), theirs.transpose(1, 2, 0)).transpose(1, 2, 0)
    return _ratio(products, our_squares[:, None] * their_squares[None])


def _one_criterion(x: Floats, y: Floats, kind: Kind) -> Floats:
    """(m, g, n) with (g, n), either with gaps: each row's own ranks and means, of the items both sides have."""
    gaps = np.isnan(x) | np.isnan(y)
    (ours, our_squares), (theirs, their_squares) = (_CENTRED[kind](np.where(gaps, np.nan, side)) for side in (x, y))
    return _ratio((ours * theirs).sum(axis=-1), our_squares * their_squares)


def _ratio(products: Floats, squares: Floats) -> Floats:
    found: Floats = np.divide(products, np.sqrt(squares), out=np.full(squares.shape, np.nan), where=squares > 0)
    return found.clip(-1.0, 1.0)


_CENTRED = {"pearson": unit_vectors, "spearman": centred_ranks}
