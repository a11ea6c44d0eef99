"""Learning from other models: what they say of each text is a softer and better lesson than 0 or 1.

Each teacher's logits are standardised on the validation texts, so that a sure and a cautious teacher count alike,
and their mean is what the pupil is held to. What was said of a text is remembered, and can be kept in a file: texts
that come again, in this run or in another pupil's, are not read by the teachers twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from yarnstick.errors import InputError
from yarnstick.models.naming import sha256_of
from yarnstick.stories.files import atomic
from yarnstick.union.batches import Batch
from yarnstick.union.encoding import Reader, Rows
from yarnstick.union.model import freeze_in
from yarnstick.union.saving import Saved, load
from yarnstick.union.torch_scoring import autocast, text_logits


class Teachers:
    """Some trained models. Those that read alike (same tokenizer, same window) share their tokens."""

    def __init__(self, folders: Sequence[Path], device: torch.device, lessons: Path | None = None) -> None:
        self._device = device
        self._lessons = lessons
        self._said: dict[int, float] = _read_lessons(lessons)
        self._kept = len(self._said)
        self._folders = [Path(folder) for folder in folders]
        self._models: list[Saved] = [load(folder) for folder in self._folders]
        dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
        for saved in self._models:
            saved.model.requires_grad_(False)
            freeze_in(saved.model, dtype)  # the weights alone: rotary frequencies are no good in half precision
            saved.model.to(device)
        self.readers: tuple[Reader, ...] = tuple(dict.fromkeys(saved.reader for saved in self._models))
        self._means = np.zeros(len(self._models))
        self._spreads = np.ones(len(self._models))

    def __bool__(self) -> bool:
        return bool(self._models or self._said)

    def __len__(self) -> int:
        return len(self._models)

    def told(self) -> list[str]:
        """For the pupil's card: which models were the teachers, and which file holds what they said."""
        rows = []
        if self._models:
            named = [
                f"`{folder.resolve().name}` ({saved.about['files']['weights.safetensors'][:12]})"
                for folder, saved in zip(self._folders, self._models, strict=True)
            ]
            rows.append(f"| teachers | {', '.join(named)} |")
        if self._lessons is not None and self._lessons.is_file():
            texts = f"what was said of {self._kept:,} texts"
            rows.append(f"| lessons | `{self._lessons.name}` ({sha256_of(self._lessons)[:12]}), {texts} |")
        return rows

    def keep(self) -> None:
        """Write what was said to the file of lessons, whole or not at all."""
        if self._lessons is None or len(self._said) == self._kept:
            return
        keys = np.fromiter(self._said, np.uint64, len(self._said))
        values = np.fromiter(self._said.values(), np.float32, len(self._said))
        with atomic(self._lessons) as stream:
            np.savez(stream, keys=keys, values=values)
        self._kept = len(self._said)

    def standardise(self, batches: Sequence[Batch]) -> None:
        """Take each teacher's mean and spread from these texts."""
        if not self._models:
            return
        each = [np.concatenate(logits) for logits in zip(*(self._logits(batch) for batch in batches), strict=True)]
        self._means = np.array([logits.mean() for logits in each])
        self._spreads = np.array([max(logits.std(), 1e-6) for logits in each])

    def __call__(self, batch: Batch) -> Tensor:
        """The mean of the standardised logits of every text of the batch."""
        texts = len(batch.label)
        keys = batch.keys.tolist()
        if all(key in self._said for key in keys):
            return torch.tensor([self._said[key] for key in keys], device=self._device)
        if not self._models:
            raise InputError(
                f"the lessons in {self._lessons} are of other texts",
                remedy="name the teachers too, or train with the data and settings the lessons were made with",
            )
        with torch.no_grad(), autocast(self._device, "auto"):
            found = [
                (text_logits(saved.model, self._rows(batch, saved), texts, self._device).float() - mean) / spread
                for saved, mean, spread in zip(self._models, self._means.tolist(), self._spreads.tolist(), strict=True)
            ]
        mean = torch.stack(found).mean(0)
        self._said.update(zip(keys, mean.tolist(), strict=True))
        return mean

    def _rows(self, batch: Batch, saved: Saved) -> Rows:
        return batch.teachers[self.readers.index(saved.reader)]

    def _logits(self, batch: Batch) -> list[npt.NDArray[np.float64]]:
        texts = len(batch.label)
        with torch.no_grad(), autocast(self._device, "auto"):
            return [
                text_logits(saved.model, self._rows(batch, saved), texts, self._device).double().cpu().numpy()
                for saved in self._models
            ]


def _read_lessons(path: Path | None) -> dict[int, float]:
    if path is None or not path.exists():
        return {}
    try:
        with np.load(path, allow_pickle=False) as held:
            return dict(zip(held["keys"].tolist(), held["values"].tolist(), strict=True))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            f"holds no lessons: {error}", file=str(path), remedy="remove it, and it is made anew"
        ) from error
