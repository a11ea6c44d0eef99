"""Downloading, only when asked: whole and verified, or not there at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

from yarnstick.errors import InputError
from yarnstick.stories.corpora.cache import CHECKSUMS, Fetched, expected_sha256, mismatch, record
from yarnstick.stories.corpora.card import CorpusCard, CorpusFile
from yarnstick.stories.corpora.finding import find_file
from yarnstick.stories.files import explained
from yarnstick.version import __version__

#: called with the file's name, the bytes so far, and how many there will be (None: the server did not say)
Progress: TypeAlias = Callable[[str, int, int | None], None]

_CHUNK = 1 << 18
_PATIENCE = 60.0  # seconds without a byte


def fetch_missing(card: CorpusCard, folder: Path, progress: Progress | None = None) -> list[Path]:
    """Download the files of a corpus that ``folder`` does not have yet, in the card's order."""
    return [
        fetch_file(card.name, file, folder, progress)
        for file in card.files
        if file.url and find_file(folder, file) is None
    ]


def fetch_file(corpus: str, file: CorpusFile, folder: Path, progress: Progress | None = None) -> Path:
    """Download one file into ``folder``. It appears under its name only when complete and verified."""
    target = folder / file.name
    # A draft of this process alone: two that fetch at once cannot mix their bytes, and a cut-off one starts over.
    draft = folder / f".{file.name}.{os.getpid()}.part"
    digest, size = hashlib.sha256(), 0
    with explained(target):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("wb") as stream, closing(_download(corpus, file, folder, progress)) as chunks:
                for chunk in chunks:
                    stream.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
                stream.flush()
                os.fsync(stream.fileno())
            expected, source = expected_sha256(file, folder)
            if expected and digest.hexdigest() != expected:
                raise mismatch(file.url, digest.hexdigest(), expected, source, _what_if_changed(file, folder))
            # Noted first: a file without a note would be trusted unseen if this process died between the two.
            record(folder, file.name, Fetched(sha256=digest.hexdigest(), size=size, url=file.url))
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    return target


def _download(corpus: str, file: CorpusFile, folder: Path, progress: Progress | None) -> Generator[bytes]:
    # Only here: nothing of the network is even imported until somebody asks for a download.
    import http.client
    import urllib.error
    import urllib.request

    request = urllib.request.Request(file.url, headers={"User-Agent": f"yarnstick/{__version__}"})
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE) as response:
            length = response.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else None
            size = 0
            while chunk := response.read(_CHUNK):
                size += len(chunk)
                if progress is not None:
                    progress(file.name, size, total)
                yield chunk
    except urllib.error.HTTPError as error:
        error.close()
        raise _unreachable(corpus, file, folder, f"the server answers {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        cause = getattr(error, "reason", None) or error
        said = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        raise _unreachable(corpus, file, folder, said) from error
    # http.client hands over what came when a connection closes early; only the length tells.
    if total is not None and size != total:
        raise _unreachable(corpus, file, folder, f"the connection closed after {size} of {total} bytes")


def _unreachable(corpus: str, file: CorpusFile, folder: Path, reason: str) -> InputError:
    return InputError(
        f"cannot be fetched: {reason}",
        file=file.url,
        remedy=f"try again, or get {file.name} on another machine and put it into {folder}, "
        f"or name a folder that has it: yarnstick data {corpus} --folder DIR",
    )


def _what_if_changed(file: CorpusFile, folder: Path) -> str:
    if file.sha256:
        return (
            "try again; if it stays so, the file was changed there or on its way: a copy of yours is read with --folder"
        )
    return f"the file was changed since; to accept the new one, take its entry out of {folder / CHECKSUMS}"
