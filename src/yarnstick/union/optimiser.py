"""AdamW with a warm-up and a decay, over the share of the run that is done."""

from __future__ import annotations

import math

import torch
from torch import nn

from yarnstick.union.settings import Settings


def make_optimiser(model: nn.Module, settings: Settings) -> torch.optim.AdamW:
    """Weights decay, biases and norms do not; the heads may have a rate of their own."""
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            key = (not name.startswith("backbone."), parameter.ndim > 1)
            groups.setdefault(key, []).append(parameter)
    rates = {False: settings.learning_rate, True: settings.head_learning_rate or settings.learning_rate}
    return torch.optim.AdamW(
        [
            {"params": parameters, "peak": rates[head], "weight_decay": settings.weight_decay if decays else 0.0}
            for (head, decays), parameters in sorted(groups.items())
        ],
        lr=settings.learning_rate,
        fused=torch.cuda.is_available(),
    )


def set_rate(optimiser: torch.optim.Optimizer, settings: Settings, share: float) -> float:
    """Set every group's rate for the ``share`` of the run that is done; gives the factor."""
    factor = rate_factor(settings, share)
    for group in optimiser.param_groups:
        group["lr"] = group["peak"] * factor
    return factor


def rate_factor(settings: Settings, share: float) -> float:
    """Up in a line during the warm-up, then down to the floor in a line or along a cosine.

    >>> [round(rate_factor(Settings(warmup=0.1, schedule="linear"), share), 3) for share in (0.0, 0.05, 0.1, 0.55, 1.0)]
    [0.002, 0.5, 1.0, 0.5, 0.0]
    """
    share = min(max(share, 0.0), 1.0)
    if share < settings.warmup:
        return max(share / settings.warmup, 0.002)  # the first step must not be an empty one
    if settings.schedule == "constant":
        return 1.0
    left = (1.0 - share) / max(1.0 - settings.warmup, 1e-9)
    shape = left if settings.schedule == "linear" else 0.5 * (1.0 - math.cos(math.pi * left))
    return settings.floor + (1.0 - settings.floor) * shape
