"""Linear layers whose weights are laid out once for oneDNN: on a CPU most of a model's time is in them.

Single precision throughout, like the layers they stand for; torch's own layers go to another library, which on many
processors does less than half as much in the same time.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class PackedLinear(nn.Module):
    """Does what the layer it is made of does. It can only be run, on a CPU, not trained or saved."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.packed = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach())
        self.bias = layer.bias

    def forward(self, states: Tensor) -> Tensor:
        made: Tensor = torch.ops.mkldnn._linear_pointwise(states, self.packed, self.bias, "none", [], "")
        return made


def pack_linear_layers(module: nn.Module) -> None:
    """Put a packed layer in the place of every linear one, where this build of torch has oneDNN."""
    there = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    if not there or not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if type(child) is nn.Linear:
                setattr(parent, name, PackedLinear(child))
