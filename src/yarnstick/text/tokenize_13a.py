"""The 13a tokenisation of machine-translation evaluation (NIST's mteval-v13a), which BLEU is defined with.

ASCII punctuation stands alone, except that a full stop or comma between digits stays in its number, and that
apostrophes and hyphens stay in their word (a hyphen after a digit does not). No rule looks past white space,
so each chunk between white space is cut on its own and remembered.
"""

import re
from functools import lru_cache

_SYMBOL = re.compile(r"([!-&(-+/:-@\[-`{-~])")
_POINT_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
_POINT_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
_HYPHEN_AFTER_DIGIT = re.compile(r"([0-9])(-)")
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def _cut(chunk: str) -> tuple[str, ...]:
    if chunk.isalnum():
        return (chunk,)
    # The order matters: each rule sees the spaces the rules before it put in.
    line = _SYMBOL.sub(r" \1 ", f" {chunk} ")
    line = _POINT_AFTER_OTHER.sub(r"\1 \2 ", line)
    line = _POINT_BEFORE_OTHER.sub(r" \1 \2", line)
    line = _HYPHEN_AFTER_DIGIT.sub(r"\1 \2 ", line)
    return tuple(line.split())


_remembered = lru_cache(maxsize=1 << 16)(_cut)
_LONGEST_REMEMBERED = 40


def tokenize_13a(text: str) -> list[str]:
    """The 13a tokens of ``text``. A hyphen at the end of a line joins the lines, as in mteval."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    tokens: list[str] = []
    for chunk in text.split():
        tokens.extend(_remembered(chunk) if len(chunk) <= _LONGEST_REMEMBERED else _cut(chunk))
    return tokens
