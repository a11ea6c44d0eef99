"""Writing files so that a half-written one is never mistaken for a whole one."""

from __future__ import annotations

import errno
import gzip
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from yarnstick.errors import OutputError


@contextmanager
def atomic(path: Path, compression: str | None = None) -> Iterator[BinaryIO]:
    """Write beside ``path`` and move into place when all of it is on disk; on failure leave what was there."""
    if path.exists() and not path.is_file():
        # A device or a pipe is written to directly: it cannot be moved onto.
        if path.is_dir():
            raise OutputError(f"cannot write {path}: it is a directory", remedy="name a file in it")
        with explained(path), path.open("wb") as stream:
            yield stream
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with explained(path):
        try:
            with draft.open("wb") as stream:
                with _compressed(stream, compression) as inner:
                    yield inner
                stream.flush()
                os.fsync(stream.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what the operating system says about writing ``path`` into what to do about it."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader (head, less) has seen enough: that is no failure
    except OSError as error:
        code = getattr(error, "errno", None)
        text = str(error).lower()
        if code == errno.ENOSPC or "no space left" in text:
            raise OutputError(
                f"cannot write {path}: the disk is full", remedy="make room and run the same command again"
            ) from error
        # /proc and its like say ENOENT of a file they will not have.
        if code in (errno.EACCES, errno.EPERM, errno.EROFS) or (code == errno.ENOENT and path.parent.is_dir()):
            raise OutputError(f"cannot write {path}: not permitted", remedy="choose another place with -o") from error
        if code in (errno.ENOENT, errno.ENOTDIR):
            raise OutputError(
                f"cannot write {path}: there is no folder {path.parent}",
                remedy="make it first, or choose another place",
            ) from error
        if code in (errno.EEXIST, errno.EISDIR):
            raise OutputError(
                f"cannot write {path}: something else of that name is there", remedy="move it, or choose another place"
            ) from error
        raise OutputError(f"cannot write {path}: {str(error).splitlines()[0]}") from error


def refuse_overwriting(source: object, target: Path | str | None) -> None:
    """Refuse an output that is the very file the stories come from: it would be the end of them."""
    if target is None or not isinstance(source, str | os.PathLike):
        return
    try:
        same = os.path.samefile(source, target)
    except OSError:
        return  # one of them is not there, or is no file: nothing to lose
    if same and Path(target).is_file():
        raise OutputError(f"{target} is where the stories come from", remedy="write to another file")


@contextmanager
def _compressed(stream: BinaryIO, compression: str | None) -> Iterator[BinaryIO]:
    if compression == "gzip":
        # No name and no time inside: the same content gives the same bytes.
        with gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0) as packed:
            yield packed  # type: ignore[misc]
    elif compression == "zstd":
        # Closing the compressed stream closes what it writes to; the caller still has to sync the file itself.
        twin = os.fdopen(os.dup(stream.fileno()), "wb")
        with pa.CompressedOutputStream(twin, "zstd") as packed:
            buffered = io.BufferedWriter(packed)
            yield buffered
            buffered.flush()
            buffered.detach()
    else:
        yield stream
