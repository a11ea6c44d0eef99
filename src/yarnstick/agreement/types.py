"""The few names that all of the agreement room shares."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

#: ``kendall`` is tau-b, ``kendall-c`` Stuart's tau-c, ``pairwise-accuracy`` is tie-calibrated (Deutsch et al. 2023)
Kind: TypeAlias = Literal["pearson", "spearman", "kendall", "kendall-c", "pairwise-accuracy"]
#: ``story``: HANNA's eq. 1; ``system``: its eq. 2; ``pooled``: UNION's way; ``within-system``: over prompts in each
Level: TypeAlias = Literal["story", "system", "pooled", "within-system"]

KINDS: tuple[Kind, ...] = get_args(Kind)
LEVELS: tuple[Level, ...] = get_args(Level)

#: what ``agree`` can be asked for: soft pairwise accuracy (Thompson et al. 2024) compares p-values of systems, no items
AgreeKind: TypeAlias = Kind | Literal["soft-pairwise-accuracy"]
SOFT: Literal["soft-pairwise-accuracy"] = "soft-pairwise-accuracy"
AGREE_KINDS: tuple[AgreeKind, ...] = (*KINDS, SOFT)
