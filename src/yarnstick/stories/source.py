"""Where bytes come from: a path (plain, .gz, .zst) or standard input, with errors a person can act on."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from yarnstick.errors import InputError

FORMATS = ("jsonl", "json", "csv", "tsv", "parquet", "text")
_FORMAT_OF = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "text",
    ".text": "text",
}
_COMPRESSED = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes that can be opened as often as needed. ``name`` is what messages call it."""

    name: str
    format: str
    open: Callable[[], BinaryIO]
    path: Path | None = None


def locate(path: str | os.PathLike[str], format: str | None = None) -> Source:
    """Find what ``path`` names (``-`` is standard input) and what format it is in."""
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown format {format!r}", remedy=f"formats: {', '.join(FORMATS)}")
    if str(path) == "-":
        return _standard_input(format)
    path = Path(path)
    if path.is_dir():
        raise InputError(
            "is a directory", file=str(path), remedy="name a file in it, or a corpus with `yarnstick data`"
        )
    if not path.exists():
        raise InputError("no such file", file=str(path), remedy="check the path; to score a text, pass a list")
    compression, decided = split_suffix(path, format)
    if decided is None:
        raise InputError(
            "cannot tell the format from the name", file=str(path), remedy=f"say --format {'|'.join(FORMATS)}"
        )
    if path.stat().st_size == 0:
        raise InputError("is empty", file=str(path), remedy="it should hold at least one story")
    return Source(str(path), decided, lambda: _open(path, compression), path if not compression else None)


def split_suffix(path: Path, format: str | None = None) -> tuple[str | None, str | None]:
    """Compression and format by the file's name: ``stories.csv.gz`` -> ("gzip", "csv")."""
    compression = _COMPRESSED.get(path.suffix.lower())
    inner = path.with_suffix("") if compression else path
    return compression, format or _FORMAT_OF.get(inner.suffix.lower())


@contextmanager
def reading(source: Source) -> Iterator[BinaryIO]:
    """Open a source; what goes wrong below (permissions, a cut-off archive) is told with the file's name."""
    try:
        with source.open() as stream:
            yield stream
    except (EOFError, gzip.BadGzipFile, zlib.error, pa.ArrowInvalid) as error:
        raise InputError(
            f"cannot be read to its end: {_first_line(error)}",
            file=source.name,
            remedy="the file is cut short or not what its name says; fetch or write it again",
        ) from error
    except PermissionError as error:
        raise InputError("may not be read", file=source.name, remedy="check its permissions") from error
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror or _first_line(error)}",
            file=source.name,
            remedy="the file is cut short, damaged or out of reach; fetch or write it again",
        ) from error


def _open(path: Path, compression: str | None) -> BinaryIO:
    if compression == "gzip":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    if compression == "zstd":
        return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))
    return path.open("rb")


def _standard_input(format: str | None) -> Source:
    # Kept in a temporary file: checking everything before any work starts takes a second reading.
    with tempfile.NamedTemporaryFile(prefix="yarnstick-stdin-", delete=False) as copy:
        import atexit

        atexit.register(Path(copy.name).unlink, missing_ok=True)
        shutil.copyfileobj(sys.stdin.buffer, copy)
    path = Path(copy.name)
    if path.stat().st_size == 0:
        raise InputError("is empty", file="standard input", remedy="pipe stories into it")
    head = path.open("rb").read(4)
    compression = "gzip" if head[:2] == b"\x1f\x8b" else "zstd" if head == b"\x28\xb5\x2f\xfd" else None
    if format is None and compression is None:
        format = "parquet" if head == b"PAR1" else "jsonl" if head.lstrip()[:1] == b"{" else None
    if format is None:
        raise InputError("cannot tell the format", file="standard input", remedy=f"say --format {'|'.join(FORMATS)}")
    return Source("standard input", format, lambda: _open(path, compression), path if not compression else None)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
