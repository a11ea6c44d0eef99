"""Learning from other models: what they say of each text is a softer and better lesson than 0 or 1.

Each teacher's logits are standardised on the validation texts, so that a sure and a cautious teacher count alike,
and their mean is what the pupil is held to.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from yarnstick.union.batches import Batch
from yarnstick.union.encoding import Reader, Rows
from yarnstick.union.model import freeze_in
from yarnstick.union.saving import Saved, load
from yarnstick.union.torch_scoring import autocast, text_logits


class Teachers:
    """Some trained models. Those that read alike (same tokenizer, same window) share their tokens."""

    def __init__(self, folders: Sequence[Path], device: torch.device) -> None:
        self._device = device
        self._models: list[Saved] = [load(Path(folder)) for folder in folders]
        dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
        for saved in self._models:
            saved.model.requires_grad_(False)
            freeze_in(saved.model, dtype)  # the weights alone: rotary frequencies are no good in half precision
            saved.model.to(device)
        self.readers: tuple[Reader, ...] = tuple(dict.fromkeys(saved.reader for saved in self._models))
        self._means = np.zeros(len(self._models))
        self._spreads = np.ones(len(self._models))

    def __len__(self) -> int:
        return len(self._models)

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
        with torch.no_grad(), autocast(self._device, "auto"):
            found = [
                (text_logits(saved.model, self._rows(batch, saved), texts, self._device).float() - mean) / spread
                for saved, mean, spread in zip(self._models, self._means.tolist(), self._spreads.tolist(), strict=True)
            ]
        return torch.stack(found).mean(0)

    def _rows(self, batch: Batch, saved: Saved) -> Rows:
        return batch.teachers[self.readers.index(saved.reader)]

    def _logits(self, batch: Batch) -> list[npt.NDArray[np.float64]]:
        texts = len(batch.label)
        with torch.no_grad(), autocast(self._device, "auto"):
            return [
                text_logits(saved.model, self._rows(batch, saved), texts, self._device).double().cpu().numpy()
                for saved in self._models
            ]
