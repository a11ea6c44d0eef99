"""Weighted longest common subsequences of many pairs of sentences at once (Lin 2004, section 4).

The table of a pair is filled along its anti-diagonals, on which no entry depends on another; pairs of about
the same size are filled side by side, so that NumPy is called once for all of them. Each entry is computed by
the very additions of ROUGE 1.5.5, in their order: ties are decided by comparing floating-point sums, and
another order of additions would now and then choose another path. An entry is the same whichever pairs share
its batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from yarnstick.metrics.rouge.pairs import Ints

__all__ = ["SentencePairs", "Words", "mark_alignments"]

Words: TypeAlias = NDArray[np.int32]

# Entries of a batch's tables, of which a bit each is kept, and of its longest anti-diagonal, so that the
# three at work stay in the processor's cache. A single pair may exceed both: 20,000 words by 20,000 keep 50
# MB.
_ENTRIES = 1 << 24
_DIAGONAL = 1 << 15


@dataclass(frozen=True, slots=True)
class SentencePairs:
    """Sentences to align, as slices of the reference tokens and of the hypothesis tokens they lie in."""

    reference_start: Ints
    reference_length: Ints
    hypothesis_start: Ints
    hypothesis_length: Ints


def mark_alignments(
    references: Words, hypotheses: Words, pairs: SentencePairs, weights: Sequence[float], marks: bytearray
) -> None:
    """Set to 1 in ``marks`` each reference token that is on the best path of one of the pairs.

    Tokens match where their numbers are equal; ``weights[k]`` is the worth of k matches in a row.
    """
    row_words, column_words = references.tolist(), hypotheses.tolist()
    steps_up, steps_down = np.array(weights[1:]), np.array(weights[:-1])
    for batch in _batches(pairs.reference_length, pairs.hypothesis_length):
        row_starts, row_counts = pairs.reference_start[batch], pairs.reference_length[batch]
        column_starts, column_counts = pairs.hypothesis_start[batch], pairs.hypothesis_length[batch]
        rows = _side_by_side(references, row_starts, row_counts, -1)
        columns = _side_by_side(hypotheses, column_starts, column_counts, -2)
        base, goes_up = _fill(rows, columns, steps_up, steps_down)
        lanes = len(batch)
        corners = zip(
            row_starts.tolist(),
            row_counts.tolist(),
            column_starts.tolist(),
            column_counts.tolist(),
            strict=True,
        )
        for lane, (row, m, column, n) in enumerate(corners):
            # Back from the last entry; a match is always taken, as in the script.
            i, j = row + m - 1, column + n - 1
            lane -= row * lanes
            corner = row + column
            while i >= row and j >= column:
                if row_words[i] == column_words[j]:
                    marks[i] = 1
                    i -= 1
                    j -= 1
                else:
                    bit = base[i + j - corner] + i * lanes + lane
                    if goes_up[bit >> 3] >> (bit & 7) & 1:
                        i -= 1
                    else:
                        j -= 1


def _batches(m: Ints, n: Ints) -> Iterator[Ints]:
    """Pairs of about the same size together; a batch's table is as large as its longest texts make it."""
    # Octaves of the reference's length, in order of the hypothesis' length within one. Finer classes would
    # save entries that are filled in vain, and lose more by the smaller batches.
    octave = np.frexp(m)[1]
    order = np.lexsort((n, octave))
    begin = 0
    while begin < order.size:
        rows = columns = 0
        for end in range(begin, order.size):
            pair = order[end]
            rows, columns, lanes = max(rows, int(m[pair])), int(n[pair]), end + 1 - begin
            too_large = rows * columns * lanes > _ENTRIES or min(rows, columns) * lanes > _DIAGONAL
            if end > begin and (too_large or octave[pair] != octave[order[begin]]):
                break
        else:
            end = order.size
        yield order[begin:end]
        begin = end


def _side_by_side(tokens: Words, starts: Ints, lengths: Ints, filler: int) -> Words:
    """One column a sentence, filled up with a token that matches nothing."""
    depth = np.arange(int(lengths.max()))[:, None]
    inside = depth < lengths
    return np.where(inside, tokens[np.where(inside, starts + depth, 0)], np.int32(filler))


def _fill(
    rows: Words, columns: Words, steps_up: NDArray[np.float64], steps_down: NDArray[np.float64]
) -> tuple[list[int], bytes]:
    """Fill a batch of tables. Returns a bit for each entry, 1 where the path goes up, and where bits begin.

    The bit of row i and column j (from 0) in a lane is number ``base[i + j] + i * lanes + lane``.
    """
    (m, lanes), n = rows.shape, columns.shape[0]
    reference, backwards = rows.ravel(), columns[::-1].ravel()
    # Entry (i, j) lies at i + 1 in its anti-diagonal; the border's zeros are at 0 and where j would be -1.
    size = (m + 1) * lanes
    worth, worth_1, worth_2 = np.zeros(size), np.zeros(size), np.zeros(size)
    run, run_1, run_2 = np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros(size, np.int32)
    equal, up = np.empty(min(m, n) * lanes, np.bool_), np.empty(min(m, n) * lanes, np.bool_)
    lows = [max(0, d - n + 1) for d in range(m + n - 1)]
    highs = [min(m, d + 1) for d in range(m + n - 1)]
    packed = np.empty(sum((high - low) * lanes + 7 >> 3 for low, high in zip(lows, highs, strict=True)), np.uint8)
    base = []
    filled = 0
    for d, (low, high) in enumerate(zip(lows, highs, strict=True)):
        first, last, length = low * lanes, high * lanes, (high - low) * lanes
        here = slice(first + lanes, last + lanes)
        shift = (n - 1 - d) * lanes
        np.equal(reference[first:last], backwards[first + shift : last + shift], out=equal[:length])
        above, left = worth_1[first:last], worth_1[here]
        np.maximum(above, left, out=worth[here])
        np.greater_equal(above, left, out=up[:length])
        bits = np.packbits(up[:length], bitorder="little")
        packed[filled : filled + bits.size] = bits
        base.append(8 * filled - first)
        filled += bits.size
        run[here] = 0
        before = equal[:length].nonzero()[0]
        if before.size:
            before += first
            so_far = run_2[before]
            matched = before + lanes
            # c(i-1, j-1) + f(k+1) - f(k), added up in the script's order
            worth[matched] = worth_2[before] + steps_up[so_far] - steps_down[so_far]
            run[matched] = so_far + 1
        if d + 1 < m:
            border = slice((d + 1) * lanes + lanes, (d + 2) * lanes + lanes)
            worth[border] = 0.0
            run[border] = 0
        worth, worth_1, worth_2 = worth_2, worth, worth_1
        run, run_1, run_2 = run_2, run, run_1
    return base, packed.tobytes()
