"""Low-rank adapters (LoRA): each linear layer keeps its weights and learns a small correction beside them.

``W x`` becomes ``W x + (alpha / rank) · B A x``, with ``A`` of shape (rank, in) and ``B`` of shape (out, rank).
Only ``A`` and ``B`` are trained, so a model of 135 million weights is saved as an adapter of a few million.
"""

from __future__ import annotations

import math
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

Layer = TypeVar("Layer", bound=nn.Module)


class LoraLinear(nn.Module):
    """A frozen linear layer and its correction."""

    def __init__(self, layer: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(layer.weight.detach(), requires_grad=False)
        self.bias = None if layer.bias is None else nn.Parameter(layer.bias.detach(), requires_grad=False)
        self.scale = alpha / rank
        self.lora_a = nn.Parameter(torch.empty(rank, layer.in_features))
        self.lora_b = nn.Parameter(torch.zeros(layer.out_features, rank))  # so that training starts at the base
        nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))

    def forward(self, x: Tensor) -> Tensor:
        low = functional.linear(functional.linear(x, self.lora_a.to(x.dtype)), self.lora_b.to(x.dtype))
        return torch.add(functional.linear(x, self.weight, self.bias), low, alpha=self.scale)

    def merged(self) -> nn.Linear:
        """The plain layer that gives the same."""
        weight = self.weight.float() + self.scale * self.lora_b.float() @ self.lora_a.float()
        layer = nn.Linear(weight.shape[1], weight.shape[0], bias=self.bias is not None)
        layer.weight = nn.Parameter(weight.to(self.weight.dtype), requires_grad=False)
        if self.bias is not None:
            layer.bias = nn.Parameter(self.bias.detach(), requires_grad=False)
        return layer


def attach(backbone: nn.Module, rank: int, alpha: float) -> None:
    """Freeze ``backbone`` and give every linear layer a correction."""
    backbone.requires_grad_(False)
    for parent, name, layer in _layers(backbone, nn.Linear):
        setattr(parent, name, LoraLinear(layer, rank, alpha))


def merge(backbone: nn.Module) -> None:
    """Put the corrections into the weights: a plain model again, as fast as before."""
    for parent, name, layer in _layers(backbone, LoraLinear):
        setattr(parent, name, layer.merged())


def adapter_weights(backbone: nn.Module) -> dict[str, Tensor]:
    """``<module>.lora_a`` and ``<module>.lora_b`` of every layer."""
    return {
        name: weight.detach() for name, weight in backbone.state_dict().items() if name.endswith((".lora_a", ".lora_b"))
    }


def _layers(root: nn.Module, kind: type[Layer]) -> list[tuple[nn.Module, str, Layer]]:
    return [
        (parent, name, child)
        for parent in list(root.modules())
        for name, child in parent.named_children()
        if isinstance(child, kind)
    ]
