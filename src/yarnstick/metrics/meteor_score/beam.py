"""The beam of METEOR's search: the paths under way, and the steps that lead from one beam to the next.

All paths are rows of arrays, so a step costs a few NumPy calls and no loop over paths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from yarnstick.metrics.meteor_score.stages import Candidates, IntArray

#: METEOR's own width
BEAM = 40
MOST_CANDIDATES = 1000

_NEVER = np.iinfo(np.int64).max


@dataclass(slots=True, eq=False)
class Paths:
    """The paths under way, best first: a row each."""

    key: IntArray
    """What paths are ranked by, the smallest best: matches (negative), chunks, distance, in one number."""
    chunk_end: IntArray
    """The place in the story after the last match; -1 when no chunk is open."""
    used: npt.NDArray[np.bool_]
    """Words of the story that are taken, and one column more that stands for "none"."""
    busy_until: IntArray | None
    """The place in the reference up to which the last match reaches; only where matches can be longer than 1."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What one more match, chunk or unit of distance adds to a path's key."""

    match: int
    chunk: int
    distance_shift: int


@dataclass(frozen=True, slots=True)
class Step:
    """What a step did: for each path the one it continues and, where paths branched, the match it took."""

    place: int
    rows: IntArray
    columns: IntArray | None = None
    offered: Candidates | None = None


def count_chunks(paths: Paths, ended: npt.NDArray[np.bool_], weights: Weights) -> IntArray | None:
    """Count one chunk more for the paths where one ``ended``; return the new order if that changes it."""
    if not ended.any():
        return None
    paths.key = paths.key + ended * weights.chunk
    if ended.all():
        return None
    order = np.argsort(paths.key, kind="stable")
    paths.key = paths.key[order]
    paths.chunk_end = paths.chunk_end[order]
    paths.used = paths.used[order]
    if paths.busy_until is not None:
        paths.busy_until = paths.busy_until[order]
    return order


def branch(paths: Paths, here: Candidates, exact_stage: int, place: int, weights: Weights, beam: int) -> Step:
    """Let every path take each free match or none, and keep the best."""
    here = _nearest(here, place)
    gain = _gains(here, exact_stage)
    starts = here.story_starts
    width = len(starts)
    taken = paths.used.take(starts, axis=1)
    for further in range(1, here.longest_in_story):
        longer = np.flatnonzero(here.story_lengths > further)
        taken[:, longer] |= paths.used.take(starts[longer] + further, axis=1)
    open_chunk = paths.chunk_end >= 0
    waiting = None
    if paths.busy_until is not None:
        waiting = paths.busy_until > place  # inside a phrase matched before: nothing to choose
        taken[waiting] = True
        open_chunk &= ~waiting
    distance = np.abs(starts - place) >> weights.distance_shift
    charged = (~taken * distance).cumsum(axis=1)
    chunk_closed = paths.key + open_chunk * weights.chunk
    keys = np.empty((len(paths.key), width + 1), dtype=np.int64)
    keys[:, -1] = chunk_closed + charged[:, -1]
    with_match = keys[:, :-1]
    # Charged to a path that takes a match: the distances of the free matches before it.
    np.subtract(charged, distance + gain * weights.match, out=with_match)
    with_match += chunk_closed[:, None]
    with_match -= (paths.chunk_end[:, None] == starts) * weights.chunk
    with_match[taken] = _NEVER
    flat = keys.ravel()
    chosen = _smallest(flat, beam)
    rows = chosen // (width + 1)
    columns = chosen - rows * (width + 1)
    _advance(paths, here, place, rows, columns, waiting)
    paths.key = flat[chosen]
    return Step(place, rows, columns, here)


def _advance(
    paths: Paths,
    here: Candidates,
    place: int,
    rows: IntArray,
    columns: IntArray,
    waiting: npt.NDArray[np.bool_] | None,
) -> None:
    """Turn the paths into those that continue ``rows`` with the match of ``columns`` (the last: no match)."""
    none = paths.used.shape[1] - 1
    chunk_end = np.append(here.story_starts + here.story_lengths, -1)[columns]
    if waiting is not None and paths.busy_until is not None:
        still = waiting[rows]
        chunk_end[still] = paths.chunk_end[rows[still]]
        reach = np.append(place + here.reference_lengths, 0)[columns]
        paths.busy_until = np.maximum(paths.busy_until[rows], reach)
    paths.chunk_end = chunk_end
    paths.used = paths.used.take(rows, axis=0)
    every = np.arange(len(rows))
    starts = np.append(here.story_starts, none)[columns]
    paths.used[every, starts] = True
    if here.longest_in_story > 1:
        lengths = np.append(here.story_lengths, 1)[columns]
        for further in range(1, here.longest_in_story):
            reaching = np.flatnonzero(lengths > further)
            paths.used[reaching, starts[reaching] + further] = True


def _smallest(keys: IntArray, count: int) -> IntArray:
    """Where the ``count`` smallest keys are, smallest first, equal ones in the order they come."""
    places: IntArray
    if len(keys) > count:
        limit = np.partition(keys, count - 1)[count - 1]
        places = (keys <= limit).nonzero()[0]
    else:
        places = np.arange(len(keys))
    places = places[np.argsort(keys[places], kind="stable")][:count]
    if keys[places[-1]] == _NEVER:
        places = places[keys[places] != _NEVER]
    return places


def _nearest(candidates: Candidates, place: int) -> Candidates:
    """All candidates, or the nearest 1,000: a bound for endless repetitions, beyond the reach of real stories."""
    if len(candidates) <= MOST_CANDIDATES:
        return candidates
    nearest = np.argsort(np.abs(candidates.story_starts - place), kind="stable")[:MOST_CANDIDATES]
    return candidates.only(np.sort(nearest))


def _gains(candidates: Candidates, exact_stage: int) -> IntArray:
    """What each match adds to the number of matches, both sides together."""
    exact = candidates.stages == exact_stage
    if candidates.longest_in_story == candidates.longest_in_reference == 1:
        doubled: IntArray = exact.astype(np.int64) * 2
        return doubled
    halves: IntArray = candidates.story_lengths // 2 + candidates.reference_lengths // 2
    counted: IntArray = np.where(exact, 2, halves)
    return counted
