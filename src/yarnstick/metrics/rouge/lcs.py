"""Length of the longest common subsequence, a whole row of the table at a time.

Neighbouring entries of the LCS table differ by 0 or 1, so a row is as many bits as the reference has tokens,
and the next row follows by one addition (Crochemore et al. 2001; Hyyrö 2004). Python's integers have as many
bits as are asked for, and add them in C.
"""

from __future__ import annotations

from yarnstick.metrics.rouge.pairs import Ints

__all__ = ["lcs_length"]


def lcs_length(hypothesis: Ints, reference: Ints, words: int) -> int:
    """LCS of two texts already reduced to the ``words`` words they share; the others are in no subsequence.

    >>> import numpy as np
    >>> lcs_length(np.array([0, 1, 2, 0]), np.array([1, 0, 2]), words=3)
    2
    """
    masks = [0] * words
    bit = 1
    for word in reference.tolist():
        masks[word] |= bit
        bit <<= 1
    every = bit - 1
    row = every
    for word in hypothesis.tolist():
        matches = row & masks[word]
        row = (row + matches) | (row - matches)
    # Carries run off the left end; only the reference's own bits count, and a 0 marks a step up.
    return len(reference) - (row & every).bit_count()
