"""Names out of stories: [MALE], [FEMALE], [NEUTRAL], as UNION's training data has them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from yarnstick.text.names import Kind, also_words, name_list
from yarnstick.text.sentences import sentence_spans

_WORD = re.compile(r"[^\W\d_]+")


def delexicalise(text: str, names: Mapping[str, Kind] | None = None) -> str:
    """Every first name replaced by its placeholder.

    In text with capitals only capitalised words are names, and a name that is also a word ("Will") must stand inside
    a sentence or follow itself there, since any word has a capital at a sentence's start. In text without capitals
    names that are also words are left alone.

    >>> delexicalise("Sally went home. Will did n't go with Will.")
    "[FEMALE] went home. [MALE] did n't go with [MALE]."
    """
    known = name_list() if names is None else names
    cased = any(sign.isupper() for sign in text)
    starts = _sentence_starts(text) if cased else frozenset[int]()
    doubtful = also_words()
    sure = {
        match[0].lower()
        for match in _WORD.finditer(text)
        if cased and match[0][0].isupper() and match.start() not in starts
    }

    def replace(match: re.Match[str]) -> str:
        word = match[0]
        kind = known.get(word.lower())
        if kind is None or _in_brackets(text, match) or (cased and not word[0].isupper()):
            return word
        if word.lower() in doubtful and word.lower() not in sure:
            return word
        return f"[{kind}]"

    return _WORD.sub(replace, text)


def _sentence_starts(text: str) -> frozenset[int]:
    """Where the first word of each sentence begins."""
    found = (_WORD.search(text, start, end) for start, end in sentence_spans(text))
    return frozenset(match.start() for match in found if match)


def _in_brackets(text: str, match: re.Match[str]) -> bool:
    return text[match.start() - 1 : match.start()] == "[" and text[match.end() : match.end() + 1] == "]"
