"""What is minimised: the sum of eq. 6 of the UNION paper, with more terms.

    L = classification · L_C + reconstruction · L_R                            (eq. 6 has weights 1 and λ)
      + ranking · L_O + machine_ranking · L_M + places · L_P + distillation · L_D

L_C  (eq. 3) cross-entropy of a story's label, people's 1 and damaged 0
L_R  (eq. 5) mean negative log-probability of the original tokens; see :mod:`yarnstick.union.model`
L_O  logistic loss of every pair of a group in which one is damaged further than the other
L_M  the same for people's stories above a machine's of the same opening, with a margin
L_P  cross-entropy of every token's label, damaged or not
L_D  squared distance between the logit, on a scale that is learned, and the teachers' standardised one
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from yarnstick.union.settings import Settings

NAMES = ("classification", "reconstruction", "ranking", "machine_ranking", "places", "distillation")


class Paired(NamedTuple):
    """:class:`yarnstick.union.batches.Pairs` on the device."""

    better: Tensor
    worse: Tensor
    weight: Tensor


def story_logits(windows: Tensor, text: Tensor, share: Tensor, texts: int) -> Tensor:
    """A story's logit: the mean of its windows', weighted by their tokens."""
    return windows.new_zeros(texts).index_add(0, text, windows * share)


def classification(logits: Tensor, label: Tensor, weight: Tensor) -> Tensor:
    """L_C (eq. 3), the two classes weighing alike in every group."""
    return (functional.binary_cross_entropy_with_logits(logits, label, reduction="none") * weight).sum()


def ranking(logits: Tensor, pairs: Paired, margin: float = 0.0) -> Tensor:
    """L_O and L_M: ``log(1 + exp(margin - (better - worse)))``, groups weighing alike."""
    apart = logits[pairs.better] - logits[pairs.worse]
    return (functional.softplus(margin - apart) * pairs.weight).sum()


def places(logits: Tensor, damaged: Tensor) -> Tensor:
    """L_P, over the tokens of which it is known (label 0 or 1, not -1)."""
    known = (damaged >= 0).to(logits.dtype)
    each = functional.binary_cross_entropy_with_logits(logits, damaged.clamp(min=0).to(logits.dtype), reduction="none")
    return (each * known).sum() / known.sum().clamp(min=1.0)


def distillation(pupil: Tensor, teacher: Tensor) -> Tensor:
    """L_D, the pupil's logits being on the teachers' scale already."""
    return functional.mse_loss(pupil, teacher)


def total(parts: dict[str, Tensor], settings: Settings) -> Tensor:
    """Eq. 6 with all its terms."""
    return torch.stack([getattr(settings, name) * part for name, part in parts.items()]).sum()
