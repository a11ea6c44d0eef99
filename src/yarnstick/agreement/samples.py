"""Several stories of one system for one prompt: what is compared with what at each level."""

from __future__ import annotations

from yarnstick.agreement.types import Floats, Level


def laid_out(values: Floats, samples: int, level: Level) -> Floats:
    """A cube's values (c, s, p * samples, …) as the level wants them; every prompt's columns stand side by side.

    Where stories are compared with stories (``story``, ``pooled``) all stories of a prompt are compared, so that each
    sample is a row of its own: (c, s * samples, p, …). Where systems are told apart (``system``, ``within-system``) a
    system's samples stay its own. Pooled stories that are all of one prompt become columns: they are what is drawn.
    """
    if level in ("system", "within-system"):
        return values
    c, s, columns, *rest = values.shape
    split = values.reshape(c, s, columns // samples, samples, *rest).swapaxes(2, 3)
    rows: Floats = split.reshape(c, s * samples, columns // samples, *rest)
    return rows.swapaxes(1, 2) if level == "pooled" and rows.shape[2] == 1 else rows


def columns_each(samples: int, level: Level) -> int:
    """How many columns in a row are of one prompt once laid out: they are drawn together."""
    return samples if level in ("system", "within-system") else 1
