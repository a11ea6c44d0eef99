"""The part of a ratings table that measures for complete tables can use."""

from __future__ import annotations

import numpy as np

from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError


def complete_rows(ratings: Floats, measure: str) -> tuple[Floats, int]:
    """The stories that everybody rated, and how many there are besides; too few is an error that says so."""
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError(f"{measure} needs stories × raters with at least 2 raters, not the shape {table.shape}")
    complete = table[~np.isnan(table).any(axis=1)]
    if len(complete) < 2:
        raise InputError(
            f"{measure} needs 2 stories that all {table.shape[1]} raters rated, and there are {len(complete)}",
            remedy="take Krippendorff's alpha or the mixed model, which use incomplete ratings",
        )
    return complete, len(table) - len(complete)
