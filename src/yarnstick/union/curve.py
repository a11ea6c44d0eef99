"""The learning curve: means of the losses between validations, and what the validations found."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor


class Curve:
    """Sums losses where they are, on the GPU: to look at each would make it wait."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._whole: dict[str, Tensor] = {}
        self._part: dict[str, Tensor] = {}
        self._steps = self._part_steps = 0

    def add(self, parts: dict[str, Tensor]) -> None:
        """Take in one step's losses."""
        for sums in (self._whole, self._part):
            for name in self._names:
                if name in parts:
                    sums[name] = sums[name].to(parts[name].device) + parts[name] if name in sums else parts[name]
        self._steps += 1
        self._part_steps += 1

    def state(self) -> dict[str, Any]:
        """What has been summed since the last validation, for a checkpoint."""
        return {"steps": self._steps, "sums": {name: float(value) for name, value in self._whole.items()}}

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint's sums."""
        self._steps = state["steps"]
        self._whole = {name: torch.tensor(value) for name, value in state["sums"].items()}

    def recent(self) -> dict[str, float]:
        """Means since the last line of the log."""
        means = {name: float(value) / self._part_steps for name, value in self._part.items()}
        self._part, self._part_steps = {}, 0
        return means

    def means(self) -> dict[str, float]:
        """Means since the last validation."""
        means = {name: float(value) / self._steps for name, value in self._whole.items()}
        self._whole, self._steps = {}, 0
        return means

    @staticmethod
    def write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
        """The curve as CSV; written anew each time, so that it is whole whenever it is looked at."""
        from yarnstick.stories.files import atomic

        columns = list(dict.fromkeys(name for row in rows for name in row))
        text = io.StringIO()
        writer = csv.DictWriter(text, columns)
        writer.writeheader()
        writer.writerows(rows)
        with atomic(path) as stream:
            stream.write(text.getvalue().encode())
