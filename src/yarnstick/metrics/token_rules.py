"""The ``tokens`` option that metrics counting words share."""

from __future__ import annotations

from collections.abc import Callable

from yarnstick.errors import MetricError
from yarnstick.text.hanna_words import hanna_words
from yarnstick.text.words import words

TOKENS_HELP = "words, or hanna: as HANNA's figures were counted (older rules, and the line break at a text's end)"
_TOKENIZERS: dict[str, Callable[[str], list[str]]] = {"words": words, "hanna": hanna_words}


def tokenizer(name: str) -> Callable[[str], list[str]]:
    """The tokeniser an option names."""
    return _TOKENIZERS[name]


def check_tokens(*, tokens: str, **_others: object) -> None:
    """Refuse what is no tokeniser."""
    if tokens not in _TOKENIZERS:
        raise MetricError(f"option tokens cannot be {tokens!r}", remedy=f"one of {', '.join(_TOKENIZERS)}")
