"""Where bytes come from: a path (plain, .gz, .zst) or standard input, with errors a person can act on."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
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


#: a path is shown whole: its end tells most; a story given in its place is longer than any name of a file may be
_LONGEST_SHOWN = 255


def locate(path: str | os.PathLike[str], format: str | None = None) -> Source:
    """Find what ``path`` names (``-`` is standard input) and what format it is in."""
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown format {format!r}", remedy=f"formats: {', '.join(FORMATS)}")
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("is closed", file="standard input", remedy="pipe stories into it")
        return _spooled(sys.stdin.buffer, "standard input", format)
    path = Path(path)
    mode = _mode_of(path)
    if stat.S_ISDIR(mode):
        raise InputError(
            "is a directory", file=str(path), remedy="name a file in it, or a corpus with `yarnstick data`"
        )
    compression, decided = split_suffix(path, format)
    if not stat.S_ISREG(mode):
        # /dev/stdin, <(zcat ...), a named pipe: what it holds comes once.
        with reading(Source(str(path), "", lambda: path.open("rb"))) as stream:
            return _spooled(stream, str(path), decided)
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


def _mode_of(path: Path) -> int:
    """What kind of file a path names, or an error in place of what the operating system says."""
    try:
        return path.stat().st_mode
    except PermissionError as error:
        raise InputError("may not be read", file=str(path), remedy="check the permissions of its folder") from error
    except (OSError, ValueError) as error:
        # A story given in place of a path is not found, too long for a name, or holds what no name may hold.
        shown = str(path) if len(str(path)) <= _LONGEST_SHOWN else f"{str(path)[: _LONGEST_SHOWN - 3]}..."
        raise InputError("no such file", file=shown, remedy="check the path; to score a text, pass a list") from error


def _spooled(stream: BinaryIO, name: str, format: str | None) -> Source:
    """A stream that can be read only once, kept in a temporary file: checking everything first takes two readings."""
    import atexit

    try:
        with tempfile.NamedTemporaryFile(prefix="yarnstick-stdin-", delete=False) as copy:
            atexit.register(Path(copy.name).unlink, missing_ok=True)
            shutil.copyfileobj(stream, copy)
    except OSError as error:
        raise InputError(
            f"cannot be kept in {tempfile.gettempdir()} for its two readings: {error.strerror or _first_line(error)}",
            file=name,
            remedy="make room there, or name another folder with TMPDIR",
        ) from error
    path = Path(copy.name)
    if path.stat().st_size == 0:
        raise InputError("is empty", file=name, remedy="pipe stories into it")
    with path.open("rb") as kept:
        head = kept.read(4)
    compression = "gzip" if head[:2] == b"\x1f\x8b" else "zstd" if head == b"\x28\xb5\x2f\xfd" else None
    source = Source(name, format or "", lambda: _open(path, compression), path if not compression else None)
    format = format or _format_by_content(source)
    if format is None:
        raise InputError("cannot tell the format", file=name, remedy=f"say --format {'|'.join(FORMATS)}")
    return replace(source, format=format)


def _format_by_content(source: Source) -> str | None:
    """The formats whose first characters tell; any text could be CSV, TSV or plain."""
    with reading(source) as stream:
        head = stream.read(4096)
    if head.startswith(b"PAR1"):
        return "parquet"
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"{"):
        return "jsonl"
    # A bracket alone is not enough: "[MALE] went home." is a story.
    return "json" if text.startswith(b"[") and text[1:].lstrip().startswith(b"{") else None


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
