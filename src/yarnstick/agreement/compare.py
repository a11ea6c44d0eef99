"""``compare``: two systems on every metric, paired over the prompts both were given, and which differences are real."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from yarnstick.agreement.cube import Cube, cube_of_scores
from yarnstick.agreement.levels import FEWEST
from yarnstick.agreement.means import exact_mean
from yarnstick.agreement.multiple import benjamini_hochberg
from yarnstick.agreement.two_systems import compare_systems
from yarnstick.errors import InputError
from yarnstick.stories.scores import Scores
from yarnstick.stories.tabular import Tabular, table_of_lines


@dataclass(frozen=True, slots=True)
class Difference:
    """Two systems on one metric. The difference is A less B, in the metric's own unit and direction."""

    metric: str
    direction: str
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    #: of "no difference" (paired permutation over prompts); corrected: for all metrics of the table
    p: float
    corrected: float
    #: prompts on which both systems have a score
    prompts: int
    #: the better system, "" where the difference may be chance or the metric does not judge
    better: str
    #: what this says, in words
    words: str


@dataclass(frozen=True)
class Comparison(Tabular):
    """Every metric's difference between ``a`` and ``b``."""

    a: str
    b: str
    lines: tuple[Difference, ...]
    notes: tuple[str, ...]
    alpha: float

    def to_arrow(self) -> pa.Table:
        """A row a metric."""
        return table_of_lines(self.lines, Difference)

    def summary(self) -> str:
        """How many of the differences are real, and in whose favour."""
        judged = [line for line in self.lines if line.direction != "neutral"]
        won = {system: sum(line.better == system for line in judged) for system in (self.a, self.b)}
        real = [line for line in self.lines if line.corrected < self.alpha]
        if not real:
            return f"No metric tells {self.a} from {self.b}: every difference may be chance (p ≥ {self.alpha:g})."
        text = f"{self.a} is really better on {won[self.a]} metrics, {self.b} on {won[self.b]}"
        undecided = len(judged) - sum(won.values())
        text += f"; on {undecided} the difference may be chance" if undecided else ""
        described = sum(line.direction == "neutral" for line in real)
        return text + (f"; {described} really differ but do not judge." if described else ".")


def compare(
    scores: object,
    a: str,
    b: str,
    *,
    metrics: Iterable[str] = (),
    draws: int = 10_000,
    confidence: float = 0.95,
    alpha: float = 0.05,
    seed: int = 0,
) -> Comparison:
    """Whether two systems of a score table differ, metric by metric.

    Stories of one prompt are compared with each other, so that easy and hard prompts do not count as noise. ``p`` is
    that of a paired permutation test, the interval a bootstrap over prompts; ``corrected`` is p after
    Benjamini-Hochberg over the metrics.
    """
    table = scores if isinstance(scores, Scores) else Scores.read(scores)  # type: ignore[arg-type]
    cube = _one_story_a_prompt(cube_of_scores(table))
    if names := tuple(metrics):
        cube = cube.select(names)
    values_a, values_b = _of_system(cube, a), _of_system(cube, b)
    if a == b:
        raise InputError(f"{a!r} is compared with itself", remedy=f"systems: {', '.join(cube.systems)}")
    shared = (~np.isnan(values_a) & ~np.isnan(values_b)).any(axis=0).sum()
    if shared < FEWEST:
        raise InputError(
            f"{a!r} and {b!r} have {shared} prompts in common, and {FEWEST} are needed",
            remedy="score both systems on the same prompts, and say which with a prompt_id column"
            if not shared
            else "score both on more prompts",
        )
    found = compare_systems(values_a, values_b, draws=draws, confidence=confidence, seed=seed)
    corrected = benjamini_hochberg(found.p)
    both = ~np.isnan(values_a) & ~np.isnan(values_b)
    means_a, means_b = (exact_mean(np.where(both, values, np.nan)) for values in (values_a, values_b))
    lines = []
    for row, metric in enumerate(cube.columns):
        better = _better(cube.directions[row], float(found.difference[row]), float(corrected[row]), alpha, a, b)
        lines.append(
            Difference(
                metric, cube.directions[row], float(means_a[row]), float(means_b[row]), float(found.difference[row]),
                float(found.low[row]), float(found.high[row]), float(found.p[row]), float(corrected[row]),
                int(found.prompts[row]), better,
                _words(cube.directions[row], float(found.difference[row]), float(corrected[row]), alpha, better, a, b),
            )
        )  # fmt: skip
    return Comparison(a, b, tuple(lines), tuple(_notes(cube, both, a, b)), alpha)


def _one_story_a_prompt(cube: Cube) -> Cube:
    """Each system's mean over its stories of a prompt: stories of one prompt are no independent trials."""
    if cube.samples == 1:
        return cube
    told = cube.values.reshape(*cube.values.shape[:2], len(cube.prompts), cube.samples)
    return replace(cube, values=exact_mean(told), samples=1)


def _of_system(cube: Cube, system: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if system not in cube.systems:
        named = [name for name in cube.systems if name]
        known = f"systems: {', '.join(named)}" if named else "the table names no systems; score stories that have one"
        raise InputError(f"the score table has no system {system!r}", remedy=known)
    return cube.values[:, cube.systems.index(system)]


def _better(direction: str, difference: float, p: float, alpha: float, a: str, b: str) -> str:
    if direction == "neutral" or not p < alpha:
        return ""
    return a if (difference > 0) == (direction == "higher") else b


def _words(direction: str, difference: float, p: float, alpha: float, better: str, a: str, b: str) -> str:
    if np.isnan(p):
        return "cannot be compared: no prompt has both"
    if difference == 0:
        return "no difference"
    if not p < alpha:
        return "may be chance"
    if direction == "neutral":
        return f"{a if difference > 0 else b} really has more, which is neither better nor worse"
    return f"{better} is really better"


def _notes(cube: Cube, both: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], a: str, b: str) -> list[str]:
    notes = []
    alone = [
        (name, int(count))
        for name, values in ((a, cube.values[:, cube.systems.index(a)]), (b, cube.values[:, cube.systems.index(b)]))
        if (count := ((~np.isnan(values)).any(axis=0) & ~both.any(axis=0)).sum())
    ]
    for name, count in alone:
        notes.append(f"{count} prompts of {name} have no partner and are left out")
    for name, rows in zip(cube.columns, both, strict=True):
        if not rows.any():
            notes.append(f"{name} has no prompt with a score of both systems")
    return notes
