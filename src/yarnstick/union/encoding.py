"""From text to windows of token ids, and from damaged characters to damaged tokens. Needs `tokenizers`, not torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from yarnstick.text.sentences import sentence_spans
from yarnstick.union.windows import windows

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: rows are padded to a multiple of this, which GPUs read faster
_STEP = 8


class Read(NamedTuple):
    """A text as tokens, special ones aside, and the ranges its windows take."""

    ids: list[int]
    windows: list[tuple[int, int]]
    encoding: Any


@dataclass(frozen=True)
class Reader:
    """Turns texts into windows; plain data, so that it travels to other processes."""

    tokenizer_json: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    window: int

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer itself."""
        from tokenizers import Tokenizer

        return Tokenizer.from_str(self.tokenizer_json)

    @property
    def specials(self) -> int:
        """How many special tokens a window has."""
        return len(self.before) + len(self.after)

    def read(self, texts: Sequence[str]) -> list[Read]:
        """Tokens of every text and where its windows are."""
        room = self.window - self.specials
        read = []
        for text, encoding in zip(
            texts, self.tokenizer.encode_batch(list(texts), add_special_tokens=False), strict=True
        ):
            ids = encoding.ids
            ranges = [(0, len(ids))]
            if len(ids) > room:
                ranges = windows(encoding.offsets, sentence_spans(text), room)
            read.append(Read(ids, ranges, encoding))
        return read

    def row(self, read: Read, window: tuple[int, int]) -> list[int]:
        """One window with its special tokens."""
        return [*self.before, *read.ids[window[0] : window[1]], *self.after]


class Rows(NamedTuple):
    """Windows of some texts, padded on the right."""

    ids: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int32]
    #: which text each window is of
    text: npt.NDArray[np.int64]
    #: its share of the text's logit: windows count by their tokens
    share: npt.NDArray[np.float32]


def rows_of(reader: Reader, reads: Sequence[Read]) -> Rows:
    """All windows of some texts in one rectangle."""
    rows, texts, shares = [], [], []
    for place, read in enumerate(reads):
        for first, stop in read.windows:
            rows.append(reader.row(read, (first, stop)))
            texts.append(place)
            shares.append((stop - first) / len(read.ids) if read.ids else 1.0)
    return Rows(
        padded(rows, np.int32, 0),
        np.array([len(row) for row in rows], np.int32),
        np.array(texts, np.int64),
        np.array(shares, np.float32),
    )


def padded(rows: Sequence[Sequence[int]], kind: type, filler: int) -> npt.NDArray[Any]:
    """Rows of unequal length as one array."""
    width = width_of(max(map(len, rows)))
    array: npt.NDArray[Any] = np.full((len(rows), width), filler, kind)
    for place, row in enumerate(rows):
        array[place, : len(row)] = row
    return array


def width_of(length: int) -> int:
    """How wide a row of this length is made."""
    return -(-length // _STEP) * _STEP


def damaged_tokens(encoding: Any, spans: Sequence[tuple[int, int]], length: int) -> set[int]:
    """The tokens that touch a damaged span; where something is gone, the token that now stands there."""
    found: set[int] = set()
    for start, end in spans:
        stop = max(end, start + 1)
        first = _token(encoding, range(start, stop))
        last = _token(encoding, range(stop - 1, start - 1, -1))
        if first is not None and last is not None:
            found.update(range(first, last + 1))
        elif start == end and length:
            found.add(length - 1)
    return found


def _token(encoding: Any, characters: range) -> int | None:
    for character in characters:
        token: int | None = encoding.char_to_token(character)
        if token is not None:
            return token
    return None
