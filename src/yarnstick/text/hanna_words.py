"""Tokens as HANNA's figures counted them."""

from __future__ import annotations

from yarnstick.text.words import words


def hanna_words(text: str) -> list[str]:
    """The words by spaCy 3.2's rules, of a text that still has the line break at its end, which is one token more."""
    return words(f"{text}\n", rules="spacy-3.2")
