"""Words that say the opposite: from our own list; from WordNet where installed, from ConceptNet where it is given.

Lists hold base forms; ``opposites`` gives the form the text needs: "bought" for "sold", "worse" for "better".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from yarnstick.errors import InputError, MissingExtraError
from yarnstick.text.parts_of_speech import antonym_pairs, inflected, readings

#: (base form, tag) -> the opposites, in the form the tag asks for
Opposites: TypeAlias = Callable[[str, str], tuple[str, ...]]

_KIND = {"V": "verb", "N": "noun", "J": "adjective", "R": "adverb"}
_WORDNET_KIND = {"verb": "v", "noun": "n", "adjective": "a", "adverb": "r"}


@cache
def opposites(conceptnet: str | None = None, wordnet: bool | None = False) -> Opposites:
    """Where to look words up.

    ``conceptnet``: a file of lines ``word|||/r/Antonym|||word word``. ``wordnet``: with NLTK's WordNet (True), without
    (False), or with it only where it is installed (None).

    >>> opposites()("buy", "VBD"), opposites()("good", "JJR")
    (('sold',), ('worse',))
    """
    own = _own_pairs()
    given = _conceptnet(conceptnet) if conceptnet else {}
    synsets = _wordnet(wordnet) if wordnet is not False else None

    @lru_cache(maxsize=1 << 14)
    def look_up(base: str, tag: str) -> tuple[str, ...]:
        kind = _KIND[tag[0]]
        bases = dict.fromkeys(own.get((kind, base), ()))
        if synsets:
            bases.update(dict.fromkeys(_of_synsets(synsets, base, kind)))
        # ConceptNet does not say which part of speech it speaks of: "buy" has "cheap" for an opposite there.
        bases.update(dict.fromkeys(other for other in given.get(base, ()) if _can_be(other, kind)))
        bases.pop(base, None)
        forms = (inflected(other, tag) if tag not in ("JJ", "RB", "NN", "VB") else other for other in bases)
        return tuple(dict.fromkeys(form for form in forms if form))

    return look_up


def _can_be(word: str, kind: str) -> bool:
    return any(reading.base == word and _KIND[reading.tag[0]] == kind for reading in readings().get(word, ()))


@cache
def _own_pairs() -> dict[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], dict[str, None]] = {}
    for kind, one, other in antonym_pairs():
        found.setdefault((kind, one), {})[other] = None
        found.setdefault((kind, other), {})[one] = None
    return {word: tuple(others) for word, others in found.items()}


def _conceptnet(path: str) -> dict[str, tuple[str, ...]]:
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            "cannot be read as ConceptNet antonyms", file=path, remedy="lines are word|||/r/Antonym|||word word"
        ) from error
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines, 1):
        parts = line.split("|||")
        if len(parts) != 3:
            raise InputError("is no antonym line", file=path, line=number, remedy="word|||/r/Antonym|||word word")
        if parts[1] == "/r/Antonym":
            others = tuple(word for word in parts[2].split() if word.isalpha())
            if others:
                found[parts[0]] = others
    if not found:
        raise InputError("has no antonyms", file=path, remedy="lines are word|||/r/Antonym|||word word")
    return found


def _wordnet(wanted: bool | None) -> Any:
    try:
        from nltk.corpus import wordnet

        wordnet.synsets("good")
    except (ImportError, LookupError):
        if wanted:
            raise MissingExtraError(
                "WordNet is not installed", remedy="pip install nltk, then python -m nltk.downloader wordnet"
            ) from None
        return None
    return wordnet


def _of_synsets(wordnet: Any, base: str, kind: str) -> list[str]:
    lemmas = (
        lemma
        for synset in wordnet.synsets(base, _WORDNET_KIND[kind])
        for lemma in synset.lemmas()
        if lemma.name() == base
    )
    return [other.name() for lemma in lemmas for other in lemma.antonyms() if other.name().isalpha()]
