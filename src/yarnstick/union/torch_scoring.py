"""Scoring with torch: what training, its tests and teachers use. Users score with ONNX, which gives the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from yarnstick.union.encoding import Rows, rows_of
from yarnstick.union.model import StoryModel
from yarnstick.union.saving import Saved, load

_TEXTS_A_BATCH = 64


def score_texts(
    folder: Path | Saved, texts: Sequence[str], device: str | None = None, precision: str = "fp32"
) -> npt.NDArray[np.float64]:
    """The logit of every text, long ones read in windows; :meth:`Calibration.scores` makes them probabilities."""
    saved = folder if isinstance(folder, Saved) else load(folder)
    place = torch.device(device) if device else best_device()
    model = saved.model.to(place)
    logits = np.zeros(len(texts))
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    with torch.inference_mode(), autocast(place, precision):
        for start in range(0, len(order), _TEXTS_A_BATCH):
            several = order[start : start + _TEXTS_A_BATCH]
            rows = rows_of(saved.reader, saved.reader.read([texts[number] for number in several]))
            logits[several] = text_logits(model, rows, len(several), place).double().cpu().numpy()
    return logits


def text_logits(model: StoryModel, rows: Rows, texts: int, device: torch.device) -> Tensor:
    """Logits of the texts whose windows are ``rows``."""
    from yarnstick.union.losses import story_logits

    windows = model(to(rows.ids, device), to(rows.lengths, device)).stories
    return story_logits(windows, to(rows.text, device), to(rows.share, device), texts)


def to(array: npt.NDArray[Any], device: torch.device) -> Tensor:
    """An array on the device, without waiting for it to get there."""
    tensor = torch.from_numpy(array)
    if device.type == "cuda" and tensor.numel():
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def best_device() -> torch.device:
    """A GPU where there is one."""
    if torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Half precision where it was asked for; ``auto`` asks for it on a GPU."""
    wanted = precision == "bf16" or (precision == "auto" and device.type == "cuda")
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=wanted)
