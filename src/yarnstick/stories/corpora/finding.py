"""Finding a corpus's files in a folder, whether plain, compressed, or in a clone of the release."""

from __future__ import annotations

from pathlib import Path

from yarnstick.stories.corpora.card import CorpusFile

_PACKED = ("", ".gz", ".zst")


def find_file(folder: Path, file: CorpusFile) -> Path | None:
    """Where ``file`` is under ``folder``; ``folder`` may also be the file itself."""
    if folder.is_file():
        return folder if any(folder.name == file.name + packed for packed in _PACKED) else None
    for place in file.places:
        for packed in _PACKED:
            path = folder / (place + packed)
            if path.is_file():
                return path
    return None


def find_files(folder: Path, *files: CorpusFile) -> list[Path]:
    """Those of ``files`` that are there."""
    return [path for file in files if (path := find_file(folder, file)) is not None]
