"""One GPU or several: who this process is among those that train together."""

from __future__ import annotations

import os
from typing import Any

import torch

from yarnstick.errors import YarnstickError
from yarnstick.optional import require
from yarnstick.union.model import StoryModel
from yarnstick.union.torch_scoring import best_device


class Team:
    """This process alone, or, where ``accelerate launch`` started several, one of them."""

    def __init__(self, gpus: int) -> None:
        self.world = int(os.environ.get("WORLD_SIZE", "1"))
        self._accelerator: Any = None
        if self.world > 1:
            accelerate = require("accelerate", "training on several GPUs")
            unused = accelerate.DistributedDataParallelKwargs(find_unused_parameters=True)
            self._accelerator = accelerate.Accelerator(kwargs_handlers=[unused])
            self.device: torch.device = self._accelerator.device
            self.rank = int(self._accelerator.process_index)
            return
        if gpus > 1:
            raise YarnstickError(
                f"{gpus} GPUs were asked for, but one process was started",
                remedy=f"accelerate launch --num_processes {gpus} -m yarnstick train union …",
            )
        self.device = best_device()
        self.rank = 0

    @property
    def leads(self) -> bool:
        """Whether this is the process that writes and tells."""
        return self.rank == 0

    def joined(self, model: StoryModel) -> Any:
        """The model as it is called in training, its gradients averaged over the processes."""
        return model if self._accelerator is None else self._accelerator.prepare_model(model)

    def agreed(self, number: float) -> float:
        """The leader's number: clocks differ, and all must stop at the same step."""
        if self._accelerator is None:
            return number
        from accelerate.utils import broadcast

        return float(broadcast(torch.tensor([number], dtype=torch.float64, device=self.device)).item())
