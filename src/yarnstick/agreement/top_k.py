"""Do metrics still agree with people when only good systems are compared? HANNA's Fig. 8: the best k of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.correlation import system_level
from yarnstick.agreement.means import exact_mean, published_mean
from yarnstick.agreement.types import Floats, Kind


def system_order(y: Floats, systems: Sequence[str] | None = None, *, as_published: bool = False) -> NDArray[np.intp]:
    """The systems from best to worst by the mean of one criterion (systems, prompts); without a value last.

    Equal means go by the systems' names, or stay as they are where no names are given. ``as_published`` rounds the
    means to two decimals first, as HANNA did.
    """
    means = np.round(published_mean(y), 2) if as_published else exact_mean(y)
    names = np.arange(len(means)) if systems is None else np.argsort(np.argsort(np.asarray(systems), kind="stable"))
    return np.lexsort((names, -means))


def top_k(
    x: Floats,
    y: Floats,
    kind: Kind,
    ks: Sequence[int],
    *,
    systems: Sequence[str] | None = None,
    as_published: bool = False,
) -> Floats:
    """The system-level coefficient among the k systems people like best, for each k and criterion: (k, m, c).

    Each criterion has its own best systems. Signs are kept; HANNA shows absolute values.
    """
    found = np.full((len(ks), len(x), len(y)), np.nan)
    for place, criterion in enumerate(y):
        order = system_order(criterion, systems, as_published=as_published)
        for row, k in enumerate(ks):
            best = order[:k]
            found[row, :, place] = system_level(x[:, best], criterion[None, best], kind, as_published=as_published)[
                :, 0
            ]
    return found
