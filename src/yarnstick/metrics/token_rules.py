"""The ``tokens`` option that metrics counting words share."""

from __future__ import annotations

from collections.abc import Callable

from yarnstick.metrics.option_checks import one_of
from yarnstick.text.hanna_words import hanna_words
from yarnstick.text.words import words

TOKENS_HELP = "words, or hanna: as HANNA's figures were counted (older rules, and the line break at a text's end)"
_TOKENIZERS: dict[str, Callable[[str], list[str]]] = {"words": words, "hanna": hanna_words}
A_TOKENIZER = one_of(*_TOKENIZERS)


def tokenizer(name: str) -> Callable[[str], list[str]]:
    """The tokeniser an option names."""
    return _TOKENIZERS[name]
