"""A file of logits, as `yarnstick train union --score` writes it: ``id,logit,score``, a story a row."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError
from yarnstick.stories.files import atomic


def read_logits(path: Path, ids: Sequence[str]) -> Floats:
    """The logits of these stories; other rows are left aside."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path), remedy="is it there?") from error
    found: dict[str, float] = {}
    for line, row in enumerate(rows, 2):
        try:
            found[row["id"]] = float(row["logit"])
        except (KeyError, TypeError, ValueError):
            found[str(row.get("id"))] = math.nan
        if not math.isfinite(found[str(row.get("id"))]):
            raise InputError(
                "is no row with an id and a logit", file=str(path), line=line, remedy="write it with --score of train"
            )
    if missing := [id for id in ids if id not in found]:
        raise InputError(
            f"lacks {len(missing)} of the {len(ids)} stories, {missing[0]!r} the first of them",
            file=str(path),
            remedy="score all of the set, its stories under their own ids",
        )
    return np.array([found[id] for id in ids])


def write_logits(path: Path, ids: Sequence[str], logits: Floats, scores: Floats) -> None:
    """Write the file in one piece."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["id", "logit", "score"])
    for id, logit, score in zip(ids, logits.tolist(), scores.tolist(), strict=True):
        writer.writerow([id, f"{logit:.6f}", f"{score:.6f}"])
    with atomic(path) as stream:
        stream.write(text.getvalue().encode())
