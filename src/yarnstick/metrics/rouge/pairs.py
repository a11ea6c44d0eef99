"""Texts as integers, and what a hypothesis shares with a reference.

Everything ROUGE counts lies in the words two texts have in common, usually half of their tokens and a quarter
of their vocabulary. So tokens become integers once for a chunk of pairs, and each pair is then reduced to its
shared words, numbered from 0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Encoded", "Ints", "Shared", "Text", "encode", "shared_words"]

#: sentences of normalised tokens
Text: TypeAlias = Sequence[Sequence[str]]
Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text's tokens as integers, its sentences laid end to end."""

    tokens: Ints
    #: lengths of the sentences that have tokens; the others change nothing
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """The words of one text of a pair that the other text has too: which they are, and where they stand."""

    words: Ints
    positions: Ints


def encode(texts: Iterable[Text]) -> tuple[list[Encoded], int]:
    """Number the words of some texts; returns the texts and the size of their vocabulary.

    A text met twice as the same object (a reference that several systems are held to) is encoded once.
    """
    vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
    known: dict[int, Encoded] = {}
    encoded = []
    for text in texts:
        if id(text) not in known:
            lengths = tuple(filter(None, map(len, text)))
            numbers = map(vocabulary.__getitem__, chain.from_iterable(text))
            known[id(text)] = Encoded(np.fromiter(numbers, np.int64, sum(lengths)), lengths)
        encoded.append(known[id(text)])
    return encoded, len(vocabulary)


def shared_words(hypothesis: Ints, reference: Ints, scratch: Ints) -> tuple[Shared, Shared, int]:
    """Both texts of a pair reduced to the words in both, numbered 0 to k - 1; returns them and k.

    ``scratch`` is zeros, one for each word of the vocabulary, and is zeros again afterwards: clearing what
    was touched is much cheaper than a fresh array for every pair.
    """
    scratch[reference] = 1
    in_hypothesis = np.flatnonzero(scratch[hypothesis])
    words = hypothesis[in_hypothesis]
    scratch[reference] = 0
    scratch[words] = 1
    in_reference = np.flatnonzero(scratch[reference])
    reference_words = reference[in_reference]
    # One number for each distinct word, without a sort: whichever position wrote last names it ...
    scratch[reference_words] = np.arange(reference_words.size)
    names = scratch[reference_words]
    # ... and ranking the winners makes the numbers dense.
    is_name = np.zeros(reference_words.size + 1, np.int64)
    is_name[names] = 1
    rank = np.cumsum(is_name) - 1
    shared_hypothesis = Shared(rank[scratch[words]], in_hypothesis)
    shared_reference = Shared(rank[names], in_reference)
    scratch[reference_words] = 0
    return shared_hypothesis, shared_reference, int(is_name.sum())
