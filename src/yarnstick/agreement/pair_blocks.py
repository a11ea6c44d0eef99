"""Coefficients that count pairs of stories, for resamples of whole prompts.

A count over the pairs of a resample is a quadratic form in how often each prompt was drawn: the pairs between two
prompts are counted once, into a prompt × prompt matrix, and a draw is then two matrix products. A story drawn twice
makes no pair with itself.
"""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.kendall import Signs, products
from yarnstick.agreement.types import Floats, Kind
from yarnstick.agreement.weighted import same_gaps

#: numbers a step may hold: 64 MB of float32
_AT_A_TIME = 16_000_000


def weighted_pairs(x: Floats, y: Floats, weights: Floats, kind: Kind, thresholds: Floats) -> Floats:
    """The coefficient of x (m, u, k) with y (c, u, k), k stories in each of u prompts, in every draw: (m, c, draws).

    ``thresholds`` (m, c) are the ties of pairwise accuracy, which are not calibrated anew in every draw.
    """
    found = np.full((len(x), len(y), len(weights)), np.nan)
    prompts, stories = x.shape[1:]
    for rows, columns, here in same_gaps(x.reshape(len(x), -1), y.reshape(len(y), -1)):
        gaps = here.reshape(prompts, stories) == 0
        step = max(1, _AT_A_TIME // (prompts * prompts * len(columns)))
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            place = np.ix_(some, columns)
            ours, theirs = np.where(gaps, np.nan, x[some]), np.where(gaps, np.nan, y[columns])
            if kind == "pairwise-accuracy":
                found[place] = _accuracies(ours, theirs, weights, thresholds[place])
            else:
                found[place] = _taus(ours, theirs, weights, kind)
    return found


def _taus(x: Floats, y: Floats, weights: Floats, kind: Kind) -> Floats:
    difference, x_pairs, y_pairs = (_quadratic(blocks, weights) for blocks in _sign_blocks(x, y))
    x_pairs, y_pairs = x_pairs[:, None], y_pairs[None]
    difference = difference.reshape(len(x), len(y), -1)
    defined = (x_pairs > 0) & (y_pairs > 0)
    if kind == "kendall":
        scale = np.sqrt(x_pairs * y_pairs)
    else:
        few = np.minimum(_distinct(x, weights)[:, None], _distinct(y, weights)[None])
        drawn = weights @ (~np.isnan(x[0])).sum(axis=1)
        scale = drawn**2 / 2 * (few - 1) / np.maximum(few, 1)
    taus: Floats = np.divide(difference, scale, out=np.full(difference.shape, np.nan), where=defined)
    return taus.clip(-1.0, 1.0)


def _sign_blocks(x: Floats, y: Floats) -> tuple[Signs, Signs, Signs]:
    """Over the pairs between any two prompts: products of signs, pairs that differ in x, in y; each (rows, u, u)."""
    xs, ys = (np.ascontiguousarray(a.transpose(1, 2, 0)) for a in (x, y))
    u = len(xs)
    difference = np.empty((u, u, len(x) * len(y)), dtype=np.float32)
    x_pairs, y_pairs = np.empty((u, u, len(x)), dtype=np.float32), np.empty((u, u, len(y)), dtype=np.float32)
    for prompt in range(u):
        x_signs, y_signs = _signs_against(xs, prompt), _signs_against(ys, prompt)
        sums = products(x_signs, y_signs).reshape(u - prompt, -1)
        x_sums, y_sums = np.abs(x_signs).sum(axis=0), np.abs(y_signs).sum(axis=0)
        for blocks, counts in ((difference, sums), (x_pairs, x_sums), (y_pairs, y_sums)):
            blocks[prompt, prompt:] = blocks[prompt:, prompt] = counts
    return difference.transpose(2, 0, 1), x_pairs.transpose(2, 0, 1), y_pairs.transpose(2, 0, 1)


def _signs_against(items: Floats, prompt: int) -> Signs:
    """(u, k, m) to (k * k, u - prompt, m): every story of this prompt with every story of it and of the later ones."""
    later = items[prompt:].transpose(1, 0, 2)
    own = items[prompt][:, None, None]
    signs = np.greater(later, own).astype(np.float32) - np.less(later, own)
    flat: Signs = signs.reshape(-1, *later.shape[1:])
    return flat


def _quadratic(blocks: Signs, weights: Floats) -> Floats:
    """Half of wᵀ B w for every matrix and every draw: (rows, draws). Both orders of a pair are in the blocks."""
    found = np.empty((len(blocks), len(weights)))
    drawn = weights.astype(np.float32)
    for row, matrix in enumerate(blocks):
        found[row] = np.einsum("du,du->d", drawn @ matrix, drawn, dtype=np.float64) / 2
    return found


def _distinct(rows: Floats, weights: Floats) -> Floats:
    """How many different values each row has in every draw: (rows, draws)."""
    found = np.zeros((len(rows), len(weights)))
    prompts = np.broadcast_to(np.arange(rows.shape[1])[:, None], rows.shape[1:]).ravel()
    for place, row in enumerate(rows.reshape(len(rows), -1)):
        order = np.argsort(row)[: int((~np.isnan(row)).sum())]
        if order.size:
            ordered = row[order]
            starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
            drawn = weights[:, prompts[order]] > 0
            found[place] = np.logical_or.reduceat(drawn, starts, axis=1).sum(axis=1)
    return found


def _accuracies(x: Floats, y: Floats, weights: Floats, thresholds: Floats) -> Floats:
    u, k = x.shape[1:]
    found = np.full((len(x), len(y), len(weights)), np.nan)
    xs, ys = x.reshape(len(x), -1), y.reshape(len(y), -1)
    present = ~np.isnan(xs[0])
    counted = present[:, None] & present & ~np.eye(u * k, dtype=bool)
    pairs = _quadratic(_blocks_of(counted, u, k), weights)[0]
    signs = [np.greater.outer(row, row).astype(np.int8) - np.less.outer(row, row) for row in ys]
    for place, row in enumerate(xs):
        with np.errstate(invalid="ignore", over="ignore"):
            gaps = np.abs(np.subtract.outer(row, row))
        gaps[np.equal.outer(row, row)] = 0.0
        ours = np.greater.outer(row, row).astype(np.int8) - np.less.outer(row, row)
        for column, theirs in enumerate(signs):
            with np.errstate(invalid="ignore"):
                said = np.where(gaps <= thresholds[place, column], 0, ours)
            right = _quadratic(_blocks_of(counted & (said == theirs), u, k), weights)[0]
            found[place, column] = np.divide(right, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
    return found


def _blocks_of(flags: np.ndarray[tuple[int, int], np.dtype[np.bool_]], u: int, k: int) -> Signs:
    counts: Signs = flags.reshape(u, k, u, k).sum(axis=(1, 3), dtype=np.float32)[None]
    return counts
