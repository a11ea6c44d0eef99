"""Counting how many n-grams of a hypothesis occur in a reference, the heart of BLEU and chrF.

A reference is scored against by many systems, so its n-grams are ranked once: the distinct n-grams of order
n are the distinct pairs (rank of the (n-1)-gram starting here, rank of the one starting at the next place),
and a pair of ranks fits one 64-bit integer whatever the alphabet. A hypothesis is then looked up order by
order by binary search; what is not in the reference at order n - 1 cannot be at order n, so the work shrinks
with n. Exact: nothing is hashed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]
"""A text as numbers, one a token or character; -1 for what the reference's vocabulary lacks."""


@dataclass(frozen=True, slots=True)
class RankedNgrams:
    """The n-grams of one or several references, ready to be matched against.

    ``keys[n - 1]`` holds the distinct n-grams of order n, sorted; ``counts[n - 1]`` how often each occurs, in
    the reference that has it most often (the clipping of BLEU with several references).
    """

    keys: tuple[Codes, ...]
    counts: tuple[Codes, ...]


def rank_ngrams(references: Sequence[Codes], order: int) -> RankedNgrams:
    """The n-grams of ``references`` up to ``order``."""
    keys: list[Codes] = []
    counts: list[Codes] = []
    lengths = [len(one) for one in references]
    ranks = references[0] if len(references) == 1 else np.concatenate(references)
    for n in range(1, order + 1):
        if n > 1:
            ranks = ranks[:-1] * len(keys[-1]) + ranks[1:]
            if len(lengths) > 1:
                # A pair whose halves come from two references is no n-gram of either.
                ends = np.cumsum(lengths)[:-1] - 1
                ranks = np.delete(ranks, ends[(ends >= 0) & (ends < len(ranks))])
                lengths = [max(0, length - 1) for length in lengths]
        distinct, ranks = _distinct(ranks)
        keys.append(distinct)
        counts.append(_most_often(ranks, lengths, len(distinct)))
    return RankedNgrams(tuple(keys), tuple(counts))


def _distinct(values: Codes) -> tuple[Codes, Codes]:
    """The distinct values, sorted, and the rank of each value among them (np.unique, less its overhead)."""
    order = values.argsort()
    ordered = values[order]
    first = np.empty(len(values), dtype=np.bool_)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = first.cumsum() - 1
    return ordered[first], ranks


def _most_often(ranks: Codes, lengths: Sequence[int], distinct: int) -> Codes:
    if len(lengths) == 1:
        return np.bincount(ranks, minlength=distinct)
    parts = np.split(ranks, np.cumsum(lengths)[:-1])
    most: Codes = np.maximum.reduce([np.bincount(part, minlength=distinct) for part in parts])
    return most


def count_matches(hypothesis: Codes, references: RankedNgrams) -> list[int]:
    """For each order, how many n-grams of the hypothesis are matched, none more often than in a reference."""
    matches: list[int] = []
    places = np.flatnonzero(hypothesis >= 0)
    values = hypothesis[places]
    for n, (keys, counts) in enumerate(zip(references.keys, references.counts, strict=True), start=1):
        if n > 1:
            # An n-gram is here and its successor next door: both must have been found at order n - 1.
            neighbours = np.flatnonzero(places[1:] == places[:-1] + 1)
            values = values[neighbours] * len(references.keys[n - 2]) + values[neighbours + 1]
            places = places[neighbours]
        if not len(values) or not len(keys):
            matches.extend([0] * (len(references.keys) - n + 1))
            break
        found = np.searchsorted(keys, values)
        found[found == len(keys)] = 0
        hit = np.flatnonzero(keys[found] == values)
        values = found[hit]
        places = places[hit]
        matches.append(int(np.minimum(np.bincount(values, minlength=len(keys)), counts).sum()))
    return matches
