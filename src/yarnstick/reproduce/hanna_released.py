"""The correlations HANNA released (``rankings/``): absolute values, a file a level and coefficient."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError
from yarnstick.reproduce.hanna_data import CRITERIA, Hanna

FOLDER = "rankings"


def released(hanna: Hanna, level: str, kind: str) -> Floats | None:
    """|coefficient| of every metric with every criterion, (72, 6); None where the folder came without rankings."""
    path = hanna.folder / FOLDER / f"{level}_{kind}.csv"
    if not path.is_file():
        return None
    with path.open(encoding="utf-8", newline="") as stream:
        rows = {row["Model"]: row for row in csv.DictReader(stream)}
    wanted = [f"{criterion}_{level}_{kind}" for criterion in CRITERIA.values()]
    try:
        return np.array([[float(rows[metric][column]) for column in wanted] for metric in hanna.names])
    except KeyError as error:
        raise _misses(path, str(error)) from error


def _misses(path: Path, name: str) -> InputError:
    return InputError(f"has nothing called {name}", file=str(path), remedy="get HANNA's rankings again")
