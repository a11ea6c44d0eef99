"""What may sway a judge besides the story: its length, chance, and where in the list a criterion was asked."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from yarnstick.agreement.correlation import correlate
from yarnstick.agreement.types import Floats


class Sway(NamedTuple):
    """One criterion's checks; NaN where there is too little to tell."""

    criterion: str
    mean: float
    #: Kendall's tau-b of the mean rating with the number of words
    length: float
    #: over pairs of samples of one story: share that is the same, mean difference, and mean tau-b between samples
    same: float
    apart: float
    repeats: float


class Position(NamedTuple):
    """How far ratings asked at this place (from 1) lie above the mean of the same story and criterion elsewhere."""

    place: int
    shift: float
    #: half of the 95% interval, stories drawn as wholes
    margin: float
    ratings: int


class Checks(NamedTuple):
    """All checks of a run."""

    stories: int
    samples: int
    criteria: tuple[Sway, ...]
    positions: tuple[Position, ...]


def check(
    texts: Sequence[str],
    stories: Sequence[Hashable],
    samples: Sequence[int],
    ratings: Sequence[Mapping[str, float]],
    asked: Sequence[tuple[str, ...]],
    criteria: Sequence[str],
) -> Checks:
    """The checks of answers: entry i of every sequence belongs to answer i."""
    rows = {story: row for row, story in enumerate(dict.fromkeys(stories))}
    count = max(samples, default=-1) + 1
    cube = np.full((len(criteria), len(rows), count), np.nan)
    places = np.full(cube.shape, -1)
    words = np.zeros(len(rows))
    for text, story, sample, given, order in zip(texts, stories, samples, ratings, asked, strict=True):
        words[rows[story]] = len(text.split())
        for at, name in enumerate(criteria):
            cube[at, rows[story], sample] = given[name]
            places[at, rows[story], sample] = order.index(name)
    told = tuple(_sway(name, values, words) for name, values in zip(criteria, cube, strict=True))
    return Checks(len(rows), count, told, _positions(cube, places))


def _sway(name: str, values: Floats, words: Floats) -> Sway:
    means = np.nanmean(values, axis=1)
    pairs = [(values[:, a], values[:, b]) for a, b in combinations(range(values.shape[1]), 2)]
    gaps = np.concatenate([np.abs(a - b) for a, b in pairs]) if pairs else np.empty(0)
    gaps = gaps[~np.isnan(gaps)]
    repeats = [tau for a, b in pairs if not math.isnan(tau := _tau(a, b))]
    return Sway(
        name,
        float(means.mean()),
        _tau(means, words),
        float((gaps == 0).mean()) if gaps.size else math.nan,
        float(gaps.mean()) if gaps.size else math.nan,
        math.fsum(repeats) / len(repeats) if repeats else math.nan,
    )


def _tau(a: Floats, b: Floats) -> float:
    return float(correlate(a[None], b[None], "kendall")[0, 0]) if len(a) > 1 else math.nan


def _positions(cube: Floats, places: Floats) -> tuple[Position, ...]:
    """A rating less the mean of its story and criterion over samples, averaged at each place.

    Only what was asked at several places can tell, so a story whose criterion always stood at one is left out. The
    interval is of the mean of stories' sums, since the ratings of one story are not independent.
    """
    present = np.where(np.isnan(cube), np.nan, places)
    varied = np.array([[len(np.unique(row[~np.isnan(row)])) > 1 for row in of] for of in present]).reshape(
        cube.shape[:2]
    )
    if not varied.any():
        return ()
    shifts = cube - np.where(varied, _row_means(cube), np.nan)[:, :, None]
    found = []
    for place in range(len(cube)):
        here = (places == place) & ~np.isnan(shifts)
        ratings = int(here.sum())
        if not ratings:
            continue
        shift = float(shifts[here].mean())
        # The linearised variance of a ratio of sums over stories.
        residuals = np.where(here, shifts - shift, 0.0).sum(axis=(0, 2))
        told = here.any(axis=(0, 2)).sum()
        margin = 1.96 * math.sqrt(float((residuals**2).sum()) * told / (told - 1)) / ratings if told > 1 else math.nan
        found.append(Position(place + 1, shift, margin, ratings))
    return tuple(found)


def _row_means(cube: Floats) -> Floats:
    present = ~np.isnan(cube)
    means: Floats = np.where(present, cube, 0.0).sum(axis=2) / np.maximum(present.sum(axis=2), 1)
    return means
