"""The Porter2 ("Snowball English") stemmer.

METEOR's second stage lets "walked" match "walking" by comparing stems, and its jar uses Snowball's English
stemmer, so ours follows the same definition: M. F. Porter, "The English (Porter2) stemming algorithm",
2001. Step names below are the ones of that description. Later revisions of Snowball changed a few endings;
the 2001-2010 rules are kept on purpose, since published METEOR figures rest on them.
"""

from __future__ import annotations

import re
from functools import lru_cache

_VOWELS = "aeiouy"
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_LI_ENDINGS = "cdeghkmnrt"

# Words whose stem the rules would get wrong.
_IRREGULAR = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
}
_UNCHANGED = frozenset({"sky", "news", "howe", "atlas", "cosmos", "bias", "andes"})
_STOP_AFTER_1A = frozenset({"inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"})
# Prefixes that fix R1, because the usual rule puts it too early ("gener-ate" and "general" must not meet).
_R1_PREFIXES = ("gener", "commun", "arsen")

_AFTER_VOWEL_NONVOWEL = re.compile(f"[{_VOWELS}][^{_VOWELS}]")
_HAS_VOWEL = re.compile(f"[{_VOWELS}]")
_SHORT_SYLLABLE_END = re.compile(f"(?:[^{_VOWELS}][{_VOWELS}][^{_VOWELS}wxY]|^[{_VOWELS}][^{_VOWELS}])$")

_STEP_2 = (
    ("ization", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("entli", "ent"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ousli", "ous"),
    ("iviti", "ive"),
    ("fulli", "ful"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("abli", "able"),
    ("izer", "ize"),
    ("ator", "ate"),
    ("alli", "al"),
    ("bli", "ble"),
    ("ogi", "og"),
    ("li", ""),
)
_STEP_3 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ative", ""),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
)
_STEP_4 = (
    "ement",
    "ance",
    "ence",
    "able",
    "ible",
    "ment",
    "ant",
    "ent",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
    "ion",
    "al",
    "er",
    "ic",
)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the Porter2 stem of a lower-case word.

    >>> [stem(w) for w in ("walked", "hopping", "stories", "generously")]
    ['walk', 'hop', 'stori', 'generous']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2 or word in _UNCHANGED:
        return word
    word = word.removeprefix("'")
    # A y that begins a word or follows a vowel acts as a consonant; a capital marks it until the end. Marking
    # goes left to right: in "yyy" the first becomes Y, so the second follows no vowel.
    word = _mark_consonant_y(word)
    r1, r2 = _regions(word)
    word = _step_0(word)
    word = _step_1a(word)
    if word in _STOP_AFTER_1A:
        return word
    word = _step_1b(word, r1)
    word = _step_1c(word)
    word = _step_2(word, r1)
    word = _step_3(word, r1, r2)
    word = _step_4(word, r2)
    word = _step_5(word, r1, r2)
    return word.replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    if "y" not in word:
        return word
    marked: list[str] = []
    for at, letter in enumerate(word):
        consonant = letter == "y" and (at == 0 or marked[-1] in _VOWELS)
        marked.append("Y" if consonant else letter)
    return "".join(marked)


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin: after the first non-vowel that follows a vowel, and again within R1."""
    r1 = len(word)
    for prefix in _R1_PREFIXES:
        if word.startswith(prefix):
            r1 = len(prefix)
            break
    else:
        found = _AFTER_VOWEL_NONVOWEL.search(word)
        if found:
            r1 = found.end()
    found = _AFTER_VOWEL_NONVOWEL.search(word, r1)
    return r1, found.end() if found else len(word)


def _is_short(word: str, r1: int) -> bool:
    return r1 >= len(word) and _SHORT_SYLLABLE_END.search(word) is not None


def _step_0(word: str) -> str:
    for ending in ("'s'", "'s", "'"):
        if word.endswith(ending):
            return word[: -len(ending)]
    return word


def _step_1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")):
        return word
    # "gas" and "this" keep their s: the vowel may not stand right before it.
    if word.endswith("s") and _HAS_VOWEL.search(word[:-2]):
        return word[:-1]
    return word


def _step_1b(word: str, r1: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            return word[: -len(ending)] + "ee" if len(word) - len(ending) >= r1 else word
    for ending in ("ingly", "edly", "ing", "ed"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            if not _HAS_VOWEL.search(base):
                return word
            if base.endswith(("at", "bl", "iz")):
                return base + "e"
            if base.endswith(_DOUBLES):
                return base[:-1]
            return base + "e" if _is_short(base, r1) else base
    return word


def _step_1c(word: str) -> str:
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        return word[:-1] + "i"
    return word


def _step_2(word: str, r1: int) -> str:
    for ending, replacement in _STEP_2:
        if word.endswith(ending):
            base = word[: -len(ending)]
            if len(base) < r1:
                return word
            if ending == "ogi" and not base.endswith("l"):
                return word
            if ending == "li" and base[-1:] not in _LI_ENDINGS:
                return word
            return base + replacement
    return word


def _step_3(word: str, r1: int, r2: int) -> str:
    for ending, replacement in _STEP_3:
        if word.endswith(ending):
            base = word[: -len(ending)]
            return base + replacement if len(base) >= (r2 if ending == "ative" else r1) else word
    return word


def _step_4(word: str, r2: int) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            base = word[: -len(ending)]
            if len(base) < r2 or (ending == "ion" and base[-1:] not in "st"):
                return word
            return base
    return word


def _step_5(word: str, r1: int, r2: int) -> str:
    base = word[:-1]
    if word.endswith("e") and (len(base) >= r2 or (len(base) >= r1 and not _SHORT_SYLLABLE_END.search(base))):
        return base
    if word.endswith("ll") and len(base) >= r2:
        return base
    return word
