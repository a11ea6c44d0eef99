"""The base forms of an English word: what a dictionary would list it under.

Irregular forms come from a table. Regular endings are taken off only where what is left is a known word, so the
rules need no exceptions for "ceiling" or "hundred"; the few that they would still get wrong are named.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from yarnstick.text.irregular_forms import bases_of_irregular_form

# Words that look like a form of a known word and are none.
_NO_FORMS = frozenset({"news", "besides", "evening", "during", "wicked", "goods", "species", "customs"})
_VOWELS = "aeiou"


def base_forms(word: str, known: Container[str]) -> tuple[str, ...]:
    """The words of which ``word`` is a form, none if it is a base form only.

    >>> base_forms("hoped", {"hope", "hop"}), base_forms("hopped", {"hope", "hop"})
    (('hope',), ('hop',))
    >>> base_forms("leaves", {"leave", "leaf"})
    ('leaf', 'leave')
    >>> base_forms("ceiling", {"ceil"} - {"ceil"})
    ()
    """
    irregular = bases_of_irregular_form().get(word, ())
    if irregular and not word.endswith("s"):
        return irregular
    if word in _NO_FORMS:
        return irregular
    for base in _regular_bases(word, known):
        if base in known and base not in irregular:
            return (*irregular, base)
    return irregular


def _regular_bases(word: str, known: Container[str]) -> Iterator[str]:
    """What a regular form could be a form of, the likeliest first."""
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return
    if word.endswith("s"):
        yield word[:-1]
        if word.endswith("ies"):
            yield word[:-3] + "y"
        elif word.endswith("es"):
            yield word[:-2]
    elif word.endswith("men"):
        yield word[:-3] + "man"
    elif word.endswith("ed"):
        if word.endswith("ied"):
            yield word[:-3] + "y"
        yield from _before_vowel(word[:-2])
    elif word.endswith("ing"):
        yield from _before_vowel(word[:-3])
    elif word not in known:  # "bigger", but not "number" or "forest"
        for ending in ("er", "est"):
            if word.endswith(ending):
                stem = word.removesuffix(ending)
                if stem.endswith("i"):
                    yield stem[:-1] + "y"
                yield from _before_vowel(stem)


def _before_vowel(stem: str) -> Iterator[str]:
    """Undo what a suffix that begins with a vowel does to its base: hop-hopp, hope-hop."""
    if len(stem) < 2:
        return
    last, before = stem[-1], stem[-2]
    if last == before and last not in _VOWELS:
        yield stem  # "fall" before "fal"
        yield stem[:-1]
    elif last not in _VOWELS and before not in _VOWELS and not stem.endswith("th"):
        yield stem  # "sing" before "singe"
        yield stem + "e"
    else:
        yield stem + "e"  # "hope" before "hop", "breathe" before "breath"
        yield stem
