"""METEOR's fourth stage: phrases that its paraphrase table pairs.

The English table holds 5.3 million pairs, 270 MB of text, of which a story touches a few thousand. Its phrases
are therefore known by a hash only: the table is read once and written as a 53 MB index to the cache folder,
which is then read in some 30 ms and searched by bisection. It is read and not mapped: a mapped file that another
process or another machine replaces, on a home folder that lies on a network, takes the interpreter down with it.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

# Raise when the layout of the index changes, so that an older one is made anew.
_LAYOUT = 2
# A phrase's hash is a polynomial in those of its words, modulo 2**64. The multiplier is any odd number with
# well-mixed bits. Two of the table's 2.6 million phrases do not collide (the index is refused if they do);
# that some other phrase hits one by chance is a matter of 1 in 10**13.
_MULTIPLIER = 0x9E3779B97F4A7C15


@dataclass(frozen=True, eq=False)
class ParaphraseTable:
    """Phrases by number (their rank by hash), and for each the numbers of its paraphrases, in file order."""

    hashes: npt.NDArray[np.uint64]
    first: npt.NDArray[np.int32]
    paraphrases: npt.NDArray[np.int32]
    longest: int

    def phrases_in(self, words: Sequence[str]) -> list[tuple[int, int, int]]:
        """Every phrase of the table met in ``words``: where it begins, its length, its number; in this order."""
        found: list[tuple[int, int, int]] = []
        of_word = np.array([_word_hash(word) for word in words], dtype=np.uint64)
        of_phrase = of_word
        for length in range(1, min(self.longest, len(words)) + 1):
            if length > 1:
                of_phrase = of_phrase[:-1] * np.uint64(_MULTIPLIER) + of_word[length - 1 :]
            numbers = np.searchsorted(self.hashes, of_phrase)
            numbers[numbers == len(self.hashes)] = 0
            starts = np.flatnonzero(self.hashes[numbers] == of_phrase)
            found += zip(starts.tolist(), [length] * len(starts), numbers[starts].tolist(), strict=True)
        return sorted(found)

    def of(self, number: int) -> npt.NDArray[np.int32]:
        """The numbers of a phrase's paraphrases."""
        return self.paraphrases[self.first[number] : self.first[number + 1]]


@lru_cache(maxsize=65536)
def _word_hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _phrase_hash(phrase: str) -> int:
    total = 0
    for word in phrase.split(" "):
        total = (total * _MULTIPLIER + _word_hash(word)) & 0xFFFFFFFFFFFFFFFF
    return total


def cache_folder() -> Path:
    """Where indexes are kept: ``$YARNSTICK_CACHE``, else the user's cache folder."""
    own = os.environ.get("YARNSTICK_CACHE")
    if own:
        return Path(own) / "meteor"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "yarnstick" / "meteor"


def load_paraphrases(file: Path, cache: Path | None = None) -> ParaphraseTable:
    """Load the table from its index, which is made first when it is not there yet (half a minute, once).

    A cache folder that cannot be written costs that time in every process, and nothing else.
    """
    index = (cache or cache_folder()) / f"{file.stem}-{_fingerprint(file)}-{_LAYOUT}"
    with suppress(OSError, EOFError, ValueError):  # not there, or damaged: made anew
        return _read_index(index)
    table = _parse(file)
    with suppress(OSError):
        _write_index(index, table)
    return table


def _fingerprint(file: Path) -> str:
    """A gzip file ends with the checksum and the size of what it holds: the content's fingerprint, for free."""
    with file.open("rb") as stream:
        stream.seek(-8, os.SEEK_END)
        return stream.read().hex()


def _parse(file: Path) -> ParaphraseTable:
    met: dict[str, int] = {}
    sources: list[int] = []
    targets: list[int] = []
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        # Three lines a pair: probability (METEOR ignores it), phrase, paraphrase.
        while triple := list(islice(lines, 3)):
            if len(triple) < 3:
                raise ValueError(f"{file}: ends in the middle of an entry")
            for line, numbers in ((triple[1], sources), (triple[2], targets)):
                numbers.append(met.setdefault(" ".join(line.split()), len(met)))
    hashes = np.fromiter((_phrase_hash(phrase) for phrase in met), dtype=np.uint64, count=len(met))
    by_hash = np.argsort(hashes)
    hashes = hashes[by_hash]
    if (hashes[1:] == hashes[:-1]).any():
        raise ValueError(f"{file}: two phrases have the same hash")
    number = np.empty(len(met), dtype=np.int32)
    number[by_hash] = np.arange(len(met), dtype=np.int32)
    source = number[np.array(sources, dtype=np.int64)]
    target = number[np.array(targets, dtype=np.int64)]
    counts = np.bincount(source, minlength=len(met))
    first = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    # A stable sort keeps each phrase's paraphrases in file order, which METEOR breaks ties by.
    paraphrases = target[np.argsort(source, kind="stable")]
    longest = max((phrase.count(" ") + 1 for phrase in met), default=0)
    return ParaphraseTable(hashes, first, paraphrases, longest)


def _read_index(index: Path) -> ParaphraseTable:
    table = ParaphraseTable(
        hashes=np.load(index / "hashes.npy"),
        first=np.load(index / "first.npy"),
        paraphrases=np.load(index / "paraphrases.npy"),
        longest=int((index / "longest").read_text()),
    )
    if len(table.first) != len(table.hashes) + 1 or table.first[-1] != len(table.paraphrases):
        raise ValueError(f"{index}: its parts do not belong together")
    return table


def _write_index(index: Path, table: ParaphraseTable) -> None:
    index.parent.mkdir(parents=True, exist_ok=True)
    # Written aside and renamed, so that a killed or a second process never leaves half an index.
    part = Path(tempfile.mkdtemp(dir=index.parent, prefix="part-"))
    try:
        np.save(part / "hashes.npy", table.hashes)
        np.save(part / "first.npy", table.first)
        np.save(part / "paraphrases.npy", table.paraphrases)
        (part / "longest").write_text(str(table.longest))
        with suppress(OSError, EOFError, ValueError):
            _read_index(index)  # another process was faster
            return
        shutil.rmtree(index, ignore_errors=True)  # a damaged one
        part.rename(index)
    finally:
        shutil.rmtree(part, ignore_errors=True)
