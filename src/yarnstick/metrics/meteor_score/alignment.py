"""METEOR's search for the best alignment of a story with a reference.

An alignment takes each word at most once. Among all of them METEOR wants, in this order: most words matched,
fewest chunks (runs that are contiguous and in the same order on both sides), least distance between matched
places. It walks the reference from left to right with a beam: every path in the beam takes one of the free
matches that begin at the place, or skips it, and the best 40 go on.

The search is kept as METEOR 1.5 does it, with its two oddities, because its figures rest on them:

* a match counts 1 a side when exact and 1/2 otherwise, *rounded down*: a stem or a synonym is worth nothing by
  itself and is taken only where it costs no chunk (paraphrases of two words and more do count);
* the distance of a match is charged not to the path that takes it but to the paths made after it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from yarnstick.metrics.meteor_score.beam import BEAM, Paths, Step, Weights, branch, count_chunks
from yarnstick.metrics.meteor_score.stages import Candidates, Match


def align(
    candidates: Sequence[Candidates | None], story_length: int, exact_stage: int, beam: int = BEAM
) -> list[Match]:
    """Choose the best alignment among the ``candidates`` of each place of the reference.

    ``exact_stage`` is the number of the exact stage (-1: not asked for), whose matches count in full.
    """
    fixed = _undisputed(candidates, story_length)
    weights = _key_weights(candidates, story_length)
    phrases = any(here is not None and here.longest_in_reference > 1 for here in candidates)
    paths = Paths(
        key=np.zeros(1, dtype=np.int64),
        chunk_end=np.full(1, -1, dtype=np.int64),
        used=np.zeros((1, story_length + 1), dtype=np.bool_),
        busy_until=np.zeros(1, dtype=np.int64) if phrases else None,
    )
    steps: list[Step] = []
    fixed_until = 0
    for place, here in enumerate(candidates):
        if place < fixed_until:
            continue
        if place in fixed:
            match = fixed[place]
            fixed_until = place + match.reference_length
            broken = (paths.chunk_end >= 0) & (paths.chunk_end != match.story_start)
            paths.chunk_end[:] = match.story_start + match.story_length
            order = count_chunks(paths, broken, weights)
        elif here is None:
            ended = paths.chunk_end >= 0
            if paths.busy_until is not None:
                ended &= paths.busy_until <= place
            paths.chunk_end[ended] = -1
            order = count_chunks(paths, ended, weights)
        else:
            steps.append(branch(paths, here, exact_stage, place, weights, beam))
            continue
        if order is not None:
            steps.append(Step(place, order))
    order = count_chunks(paths, paths.chunk_end >= 0, weights)
    best = 0 if order is None else int(order[0])
    return sorted([*fixed.values(), *_trace_back(steps, best)], key=_by_reference)


def _by_reference(match: Match) -> int:
    return match.reference_start


def _trace_back(steps: Sequence[Step], row: int) -> list[Match]:
    matches = []
    for step in reversed(steps):
        if step.offered is not None and step.columns is not None and step.columns[row] < len(step.offered):
            matches.append(step.offered.match(int(step.columns[row]), step.place))
        row = int(step.rows[row])
    return matches


def _undisputed(candidates: Sequence[Candidates | None], story_length: int) -> dict[int, Match]:
    """Matches none of whose words has any other match: these are in every alignment."""
    # Places of one and the same word share their candidates. Counting those once keeps this from growing with
    # the square of a word's frequency.
    shared: dict[int, tuple[Candidates, list[int]]] = {}
    for place, here in enumerate(candidates):
        if here is not None:
            shared.setdefault(id(here), (here, []))[1].append(place)
    in_story = np.zeros(story_length + 1, dtype=np.int64)
    in_reference = np.zeros(len(candidates) + 1, dtype=np.int64)
    for here, places in shared.values():
        np.add.at(in_story, here.story_starts, len(places))
        np.subtract.at(in_story, here.story_starts + here.story_lengths, len(places))
        for place in places:
            in_reference[place] += len(here)
            if here.longest_in_reference == 1:
                in_reference[place + 1] -= len(here)
            else:
                np.subtract.at(in_reference, place + here.reference_lengths, 1)
    in_story = in_story.cumsum()
    in_reference = in_reference.cumsum()
    fixed = {}
    for place, here in enumerate(candidates):
        if here is not None and len(here) == 1 and in_reference[place] == 1:
            match = here.match(0, place)
            story_words = in_story[match.story_start : match.story_start + match.story_length]
            reference_words = in_reference[place : place + match.reference_length]
            if story_words.max() == 1 and reference_words.max() == 1:
                fixed[place] = match
    return fixed


def _key_weights(candidates: Sequence[Candidates | None], story_length: int) -> Weights:
    """Weights so large that chunks never outweigh a match, nor distance a chunk.

    For texts of some 10,000 words that takes more than 63 bits; distances then lose their lowest bits. METEOR's
    own distances, 32 bits wide, have long run over by then.
    """
    met = [here for here in candidates if here is not None]
    most_matches = sum(max(2, here.longest_in_story + here.longest_in_reference) for here in met)
    most_distance = sum(map(len, met)) * max(story_length, len(candidates))
    chunk_bits = (len(candidates) + 1).bit_length()
    distance_bits = most_distance.bit_length()
    shift = max(0, most_matches.bit_length() + chunk_bits + distance_bits - 62)
    chunk = 1 << (distance_bits - shift)
    return Weights(match=chunk << chunk_bits, chunk=chunk, distance_shift=shift)
