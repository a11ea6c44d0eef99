"""A text made ready for METEOR: its tokens and where each word and each stem stands.

This depends on the text alone, so a reference shared by many stories is prepared once.
"""

from __future__ import annotations

from dataclasses import dataclass

from yarnstick.metrics.meteor_score.normalise import tokens
from yarnstick.text.porter2 import stem


@dataclass(frozen=True, slots=True, eq=False)
class PreparedText:
    """Tokens, and for every distinct word and every stem where it stands."""

    words: tuple[str, ...]
    places_of_word: dict[str, list[int]]
    words_of_stem: dict[str, list[str]]


def prepare(text: str) -> PreparedText:
    """Tokenise ``text`` as METEOR does and index its words.

    >>> prepare("The cat saw the cats.").places_of_word["the"]
    [0, 3]
    """
    words = tuple(tokens(text))
    places_of_word: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places_of_word.setdefault(word, []).append(place)
    words_of_stem: dict[str, list[str]] = {}
    for word in places_of_word:
        words_of_stem.setdefault(stem(word), []).append(word)
    return PreparedText(words, places_of_word, words_of_stem)
