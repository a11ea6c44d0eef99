"""The folder corpora are fetched into, and the checksums that are held against it on every load."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TypedDict

from yarnstick.errors import InputError
from yarnstick.stories.corpora.card import CorpusCard, CorpusFile
from yarnstick.stories.files import atomic

CHECKSUMS = "checksums.json"


class Fetched(TypedDict):
    """What is remembered of a file that was fetched."""

    sha256: str
    size: int
    url: str


def cache_folder(cache: str | os.PathLike[str] | None = None) -> Path:
    """``cache``, else $YARNSTICK_CACHE, else yarnstick's folder where this system keeps caches."""
    if cache is not None:
        return Path(cache).expanduser()
    if named := os.environ.get("YARNSTICK_CACHE"):
        return Path(named).expanduser()
    # The XDG specification has relative paths ignored.
    root = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(root) if os.path.isabs(root) else Path.home() / ".cache") / "yarnstick"


def corpus_folder(name: str, cache: str | os.PathLike[str] | None = None) -> Path:
    """Where the files of a corpus are kept in the cache."""
    return cache_folder(cache) / "corpora" / name


def recorded(folder: Path) -> dict[str, Fetched]:
    """The checksums noted when files of ``folder`` were fetched."""
    path = folder / CHECKSUMS
    if not path.exists():
        return {}
    try:
        notes = json.loads(path.read_text("utf-8"))
        return {
            name: Fetched(sha256=note["sha256"], size=note["size"], url=note["url"]) for name, note in notes.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            "is not the checksum list yarnstick wrote", file=str(path), remedy=f"delete {folder} and fetch again"
        ) from error


def record(folder: Path, name: str, note: Fetched) -> None:
    """Note the checksum of a file that was fetched."""
    notes = {**recorded(folder), name: note}
    with atomic(folder / CHECKSUMS) as stream:
        stream.write(json.dumps(notes, indent=1, sort_keys=True).encode() + b"\n")


def expected_sha256(file: CorpusFile, folder: Path) -> tuple[str, str]:
    """The checksum a file must have and who says so; ("", "") where nobody does."""
    if file.sha256:
        return file.sha256, "pinned by yarnstick"
    if note := recorded(folder).get(file.name):
        return note["sha256"], "recorded when it was first fetched"
    return "", ""


def verify(card: CorpusCard, folder: Path) -> None:
    """Hold every plain file of the corpus in its cache folder against its checksum."""
    for file in card.files:
        path = folder / file.name
        expected, source = expected_sha256(file, folder)
        if expected and path.is_file() and (actual := sha256_of(path)) != expected:
            raise mismatch(
                str(path), actual, expected, source, remedy=f"delete it and run `yarnstick data {card.name} --fetch`"
            )


def mismatch(file: str, actual: str, expected: str, source: str, remedy: str) -> InputError:
    """The error for content that is not what it should be."""
    return InputError(f"has the sha256 {actual} where {expected} ({source}) was expected", file=file, remedy=remedy)


def sha256_of(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
