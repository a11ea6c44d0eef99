"""Numbers the papers print, typed in: facts to compare with, a small CSV file each."""

from __future__ import annotations

import csv
from importlib.resources import files


def published(name: str) -> list[dict[str, str]]:
    """The rows of one of this folder's files, every cell as it was printed."""
    text = files("yarnstick.reproduce.published").joinpath(f"{name}.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))
