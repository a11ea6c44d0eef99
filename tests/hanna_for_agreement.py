"""HANNA's released scores as plain arrays, and the golden files, read independently of the code under test."""

from __future__ import annotations

import csv
import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

CRITERIA = ("RE", "CH", "EM", "SU", "EG", "CX")


class Hanna(NamedTuple):
    """Criteria (6, 10, 96) and metrics (72, 10, 96), the systems without Human."""

    y: np.ndarray
    x: np.ndarray
    metrics: tuple[str, ...]
    systems: tuple[str, ...]


@lru_cache(maxsize=1)
def hanna(data_folder: Path) -> Hanna:
    csv.field_size_limit(1 << 30)
    with (data_folder / "hanna" / "metric_scores.csv").open(encoding="utf-8") as stream:
        (_, *names), *rows = csv.reader(stream)
    cells = np.array([[json.loads(cell) for cell in row[1:]] for row in rows[1:]]).transpose(1, 0, 2)
    return Hanna(cells[:6], cells[6:], tuple(names[6:]), tuple(row[0] for row in rows[1:]))


def golden(data_folder: Path, name: str) -> Path:
    path = data_folder.parent / "golden" / "hanna" / name
    if not path.is_file():
        pytest.skip(f"no golden file {path}")
    return path


def golden_rows(data_folder: Path, name: str) -> list[list[str]]:
    with golden(data_folder, name).open(encoding="utf-8") as stream:
        return list(csv.reader(stream))[1:]


def ranking_columns(data_folder: Path, name: str) -> np.ndarray:
    """One of the released tables of absolute correlations: (metrics, columns)."""
    with (data_folder / "hanna" / "rankings" / f"{name}.csv").open(encoding="utf-8") as stream:
        return np.abs(np.array([[float(cell) for cell in row[1:]] for row in list(csv.reader(stream))[1:]]))
