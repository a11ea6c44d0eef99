"""HANNA's released figures as arrays: 72 metrics, and three ratings of six criteria, for 11 systems × 96 prompts."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from yarnstick.agreement.types import Floats, Kind
from yarnstick.errors import InputError

#: the paper's shorthand for its criteria, in its order
CRITERIA = {
    "RE": "Relevance",
    "CH": "Coherence",
    "EM": "Empathy",
    "SU": "Surprise",
    "EG": "Engagement",
    "CX": "Complexity",
}
COEFFICIENTS: tuple[Kind, ...] = ("pearson", "spearman", "kendall")
LEVELS = ("story", "system")
#: the human stories are dropped everywhere after Table 4
HUMAN = "Human"
_RATERS = 3


@dataclass(frozen=True, slots=True)
class Hanna:
    """The released data. Systems in the order of the file; those of ``metrics`` and ``criteria`` without ``Human``."""

    folder: Path
    systems: tuple[str, ...]
    names: tuple[str, ...]
    #: (72, 10, 96)
    metrics: Floats
    #: (6, 10, 96): means of the three ratings, as released
    criteria: Floats
    #: (6, 11, 96, 3): the ratings of a story in the order of the file, the human stories first
    ratings: Floats

    @property
    def machines(self) -> tuple[str, ...]:
        """The ten systems."""
        return self.systems[1:]


def read_hanna(folder: Path) -> Hanna:
    """Read ``metric_scores.csv`` and the ratings in ``stories.jsonl``."""
    systems, headings, values = _read_scores(folder / "metric_scores.csv")
    count = len(CRITERIA)
    if headings[:count] != list(CRITERIA.values()) or systems[0] != HUMAN:
        raise InputError(
            f"begins with the columns {', '.join(headings[:count])} and the row {systems[0]}",
            file=str(folder / "metric_scores.csv"),
            remedy=f"HANNA's begins with {', '.join(CRITERIA.values())} and {HUMAN}",
        )
    return Hanna(
        folder,
        tuple(systems),
        tuple(headings[count:]),
        np.ascontiguousarray(values[count:, 1:]),
        np.ascontiguousarray(values[:count, 1:]),
        _read_ratings(folder / "stories.jsonl", systems, values.shape[-1]),
    )


def _read_scores(path: Path) -> tuple[list[str], list[str], Floats]:
    csv.field_size_limit(10_000_000)
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    # A row's cells are JSON lists already: one parse a row is much quicker than one a cell.
    try:
        values = np.array([json.loads(f"[{','.join(row[1:])}]") for row in rows], dtype=np.float64)
    except ValueError as error:
        raise InputError(
            f"a cell is not a list of numbers as long as the others ({str(error).splitlines()[0]})",
            file=str(path),
            remedy="get the file again",
        ) from error
    if values.ndim != 3 or values.shape[1] != len(header) - 1:
        raise InputError("has rows of unequal length", file=str(path), remedy="get the file again")
    return [row[0] for row in rows], header[1:], values.swapaxes(0, 1)


def _read_ratings(path: Path, systems: list[str], prompts: int) -> Floats:
    ratings = np.full((len(CRITERIA), len(systems), prompts, _RATERS), np.nan)
    place = {system: number for number, system in enumerate(systems)}
    if not path.is_file():
        raise InputError("is not there", file=str(path), remedy="HANNA's ratings are in it; see `yarnstick data hanna`")
    with path.open(encoding="utf-8") as stream:
        for line, text in enumerate(stream, 1):
            try:
                record = json.loads(text)
                given = [record["ratings"][criterion] for criterion in CRITERIA.values()]
                ratings[:, place[record["system"]], int(record["prompt_id"])] = given
            except (ValueError, KeyError, IndexError, TypeError) as error:
                raise InputError(
                    f"is not a rated story of HANNA ({type(error).__name__}: {error})",
                    file=str(path),
                    line=line,
                    remedy="a line has system, prompt_id and three ratings of each criterion",
                ) from error
    if np.isnan(ratings).any():
        raise InputError(
            f"has ratings of {int((~np.isnan(ratings[0, :, :, 0])).sum())} stories, not of {len(systems) * prompts}",
            file=str(path),
            remedy="get the file again",
        )
    return ratings
