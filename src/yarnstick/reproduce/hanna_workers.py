"""Table 3's raters: HANNA's annotations under the workers who gave them, where the file that names them is at hand."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np

from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError
from yarnstick.reproduce.hanna_data import CRITERIA

ANNOTATIONS = "hanna_stories_annotations.csv"
_WORKER = "Worker ID"
_RATERS = 3


def ratings_by_worker(folder: Path) -> Floats | None:
    """(criterion, story, rater) as the paper aligned them; None where ``folder`` lacks the annotations.

    The three busiest workers are a rater each, in the order of their names. What is left of a story's ratings fills,
    in the order of the file, the places in which none of the three rated it.
    """
    path = folder / ANNOTATIONS
    if not path.is_file():
        return None
    stories: dict[str, list[tuple[str, list[float]]]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for line, row in enumerate(csv.DictReader(stream), 2):
            try:
                values = [float(row[criterion]) for criterion in CRITERIA.values()]
                stories.setdefault(row["Story ID"], []).append((row[_WORKER], values))
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(
                    f"row {line - 1} has no {_WORKER} or rating ({error})", file=str(path), remedy="get the file again"
                ) from error
    busiest = Counter(worker for given in stories.values() for worker, _ in given).most_common(_RATERS)
    raters = sorted(worker for worker, _ in busiest)
    table = np.array([_aligned(given, raters, str(path)) for given in stories.values()])
    return np.ascontiguousarray(table.transpose(2, 0, 1))


def _aligned(given: list[tuple[str, list[float]]], raters: list[str], file: str) -> list[list[float]]:
    if len(given) != len(raters):
        raise InputError(
            f"has a story with {len(given)} ratings, not {_RATERS}", file=file, remedy="get the file again"
        )
    places: dict[int, list[float]] = {}
    left = []
    for worker, values in given:
        if worker in raters and raters.index(worker) not in places:
            places[raters.index(worker)] = values
        else:
            left.append(values)
    empty = (place for place in range(len(raters)) if place not in places)
    places |= dict(zip(empty, left, strict=True))
    return [places[place] for place in range(len(raters))]
