"""A run's whole state in one file, so that a killed run goes on as if nothing had happened.

safetensors and JSON, never a pickle; written beside the old one and moved into place.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from yarnstick.errors import InputError

NAME = "checkpoint.safetensors"
_FORMAT = "yarnstick-training/1"


def write(
    folder: Path,
    model: nn.Module,
    optimiser: Optimizer,
    best: dict[str, Tensor],
    state: dict[str, Any],
) -> None:
    """Keep what is trained, the optimiser's moments, the best weights, the random state, and ``state``."""
    from safetensors.torch import save

    from yarnstick.stories.files import atomic

    trained = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    tensors = {f"model.{name}": weight.detach() for name, weight in trained.items()}
    tensors |= {f"best.{name}": weight for name, weight in best.items()}
    for name, weight in trained.items():
        for moment, value in optimiser.state.get(weight, {}).items():
            tensors[f"adam.{moment}.{name}"] = torch.as_tensor(value)
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    packed = save(
        {name: _plain(value) for name, value in tensors.items()}, {"format": _FORMAT, "state": json.dumps(state)}
    )
    with atomic(folder / NAME) as stream:
        stream.write(packed)


def read(folder: Path, model: nn.Module, optimiser: Optimizer) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Put a kept state back; gives ``state`` and the best weights."""
    tensors, state = _opened(folder / NAME)
    trained = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    kept = {name.removeprefix("model.") for name in tensors if name.startswith("model.")}
    if kept != set(trained):
        raise _differs(folder, "it holds other weights")
    with torch.no_grad():
        for name, weight in trained.items():
            weight.copy_(tensors[f"model.{name}"])
            moments: dict[str, Any] = {}
            for moment in ("step", "exp_avg", "exp_avg_sq"):
                value = tensors.get(f"adam.{moment}.{name}")
                if value is not None:
                    keep = moment == "step" and not optimiser.param_groups[0].get("fused")
                    moments[moment] = value if keep else value.to(weight.device)
            if moments:
                optimiser.state[weight] = moments
    torch.set_rng_state(tensors["random.cpu"])
    if "random.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["random.cuda"])
    best = {name.removeprefix("best."): value for name, value in tensors.items() if name.startswith("best.")}
    return state, best


def check_same(folder: Path, state: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to go on with other data or settings: the result would be neither run's."""
    then = state["run"]
    changed = [key for key in now if then.get(key) != now[key]]
    if changed:
        told = ", ".join(f"{key} was {_short(then.get(key))} and is {_short(now[key])}" for key in changed[:4])
        raise _differs(folder, told)


def _opened(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as opened:
            about = opened.metadata() or {}
            if about.get("format") != _FORMAT:
                raise InputError(f"{path} is no checkpoint of a training run")
            return {name: opened.get_tensor(name) for name in opened.keys()}, json.loads(about["state"])  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise InputError(f"{path} cannot be read: {error}", remedy="start again without --resume") from error


def _differs(folder: Path, how: str) -> InputError:
    return InputError(
        f"the run in {folder} is another one: {how}", remedy="give the same options, or train into another folder"
    )


def _short(value: Any) -> str:
    return repr(value)[:60]


def _plain(value: Tensor) -> Tensor:
    # safetensors wants every tensor to own its memory.
    return value.detach().cpu().contiguous().clone()
