"""Mean and interval of every column per system, gathered while the scores stream past."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from yarnstick.stories.scores import KEYS, ScoreColumn

#: what a story without a system is filed under
NO_SYSTEM = "all stories"


@dataclass(frozen=True, slots=True)
class Average:
    """A mean with the half-width of its 95% interval over ``count`` stories."""

    mean: float
    half_width: float
    count: int

    def text(self) -> str:
        """``0.283 ±0.012``, with as many digits as the interval supports.

        >>> Average(0.28311, 0.0123, 96).text()
        '0.283 ±0.012'
        """
        if math.isnan(self.mean):
            return "undefined"
        if math.isnan(self.half_width):
            return f"{self.mean:.3g}"
        digits = 3
        if self.half_width > 0:
            digits = min(max(1 - math.floor(math.log10(self.half_width)), 0), 6)
        return f"{self.mean:.{digits}f} ±{self.half_width:.{digits}f}"


@dataclass(slots=True)
class _Moments:
    count: NDArray[np.float64]
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]


@dataclass(slots=True)
class Summary:
    """Running means; ``add`` every batch of a score table, then read ``averages``."""

    columns: list[ScoreColumn]
    _systems: dict[str, _Moments] = field(default_factory=dict)

    def add(self, batch: pa.RecordBatch) -> None:
        """Take in a batch (Chan, Golub and LeVeque's pairwise update, so large offsets lose no digits)."""
        scores = [batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names if name not in KEYS]
        values = np.stack(scores, axis=1).astype(np.float64) if scores else np.empty((batch.num_rows, 0))
        systems = np.array([system or NO_SYSTEM for system in batch.column("system").to_pylist()])
        for system in dict.fromkeys(systems.tolist()):
            self._merge(system, values[systems == system])

    def _merge(self, system: str, values: NDArray[np.float64]) -> None:
        width = len(self.columns)
        held = self._systems.setdefault(system, _Moments(np.zeros(width), np.zeros(width), np.zeros(width)))
        defined = ~np.isnan(values)
        count = defined.sum(axis=0)
        mean = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(count, 1)
        squares = np.where(defined, (values - mean) ** 2, 0.0).sum(axis=0)
        total = held.count + count
        shift = mean - held.mean
        share = count / np.maximum(total, 1)
        held.squares += squares + shift**2 * held.count * share
        held.mean += shift * share
        held.count = total

    @property
    def systems(self) -> list[str]:
        """Systems in order of first appearance."""
        return list(self._systems)

    def averages(self, system: str) -> list[Average]:
        """One average a column: the mean over the system's stories, and Student's 95% interval of it."""
        from scipy.special import stdtrit

        held = self._systems[system]
        averages = []
        for count, mean, squares in zip(held.count, held.mean, held.squares, strict=True):
            half_width = float("nan")
            if count > 1:
                half_width = float(stdtrit(count - 1, 0.975) * np.sqrt(squares / (count - 1) / count))
            averages.append(Average(float(mean) if count else float("nan"), half_width, int(count)))
        return averages
