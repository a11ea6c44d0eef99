"""A story model's logits for texts: packed models by onnxruntime, ones that are only trained by torch."""

from __future__ import annotations

from collections.abc import Sequence

from yarnstick.agreement.types import Floats
from yarnstick.union.packed import MODEL, TRAINED
from yarnstick.union.prose import prose
from yarnstick.union.shelf import find_packed


def model_logits(name: str, texts: Sequence[str], *, placeholders: bool = False) -> Floats:
    """The logits of ``texts``, made natural first as in training; with ``placeholders`` for a model trained so."""
    from yarnstick.text.delexicalise import delexicalise

    ready = [prose(text) for text in texts]
    if placeholders:
        ready = [delexicalise(text) for text in ready]
    folder = find_packed(name)
    if (folder / TRAINED).is_file() and not (folder / MODEL).is_file():
        from yarnstick.optional import require

        require("torch", "scoring with a model that is not packed")
        from yarnstick.union.torch_scoring import score_texts

        return score_texts(folder, ready)
    from yarnstick.union.runtime import open_runtime

    return open_runtime(folder).log_odds(ready)
