"""Porter's suffix stripper (M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980).

Two sets of rules live here because two are cited under the one name. ``"1980"`` is the paper as printed.
``"rouge"`` is what published ROUGE figures with stemming were computed with: the later revision of step 2
(-bli and -logi in place of -abli), and a fourth step whose suffixes -ment and -ent are tried even after
another suffix went, so that *departmental* loses -al and then -ment.

Written around one observation: whether a letter counts as a vowel depends only on the letters before it, so
a word's pattern of vowels and consonants is worked out once and every stem of it is a prefix of the pattern.
The paper's measure m of a stem [C](VC)^m[V] is then the number of times "vc" occurs.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["PorterRules", "porter_stem"]

PorterRules = Literal["1980", "rouge"]

_LETTER_KIND = str.maketrans({**dict.fromkeys(map(chr, range(128)), "c"), **dict.fromkeys("aeiou", "v"), "y": "y"})

_STEP_2: dict[PorterRules, tuple[tuple[str, str], ...]] = {
    "1980": (
        ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
        ("abli", "able"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
        ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
        ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ),
    "rouge": (
        ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
        ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
        ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
        ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
        ("logi", "log"),
    ),
}  # fmt: skip
_STEP_2_ENDS = {rules: tuple(suffix for suffix, _ in table) for rules, table in _STEP_2.items()}
_STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_3_ENDS = tuple(suffix for suffix, _ in _STEP_3)
# Longest first wherever one suffix ends another: the paper applies only the longest that fits.
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous",
    "ive", "ize", "al", "er", "ic", "ou",
)  # fmt: skip
_STEP_4_FIRST_PASS = tuple(suffix for suffix in _STEP_4 if suffix not in ("ment", "ent", "ion"))


def _pattern(word: str) -> str:
    """The word as a string of ``c`` (consonant) and ``v`` (vowel); y is a vowel after a consonant only."""
    pattern = word.translate(_LETTER_KIND)
    if "y" not in pattern:
        return pattern
    kinds: list[str] = []
    before = "v"
    for kind in pattern:
        if kind == "y":
            kind = "v" if before == "c" else "c"
        kinds.append(kind)
        before = kind
    return "".join(kinds)


def _is_short(word: str, pattern: str) -> bool:
    """The paper's "m = 1 and \\*o": consonants, one vowel, one consonant that is not w, x or y."""
    return pattern.endswith("cvc") and pattern.count("v") == 1 and word[-1] not in "wxy"


def _step_1(word: str, rules: PorterRules) -> str:
    # 1a, plurals
    if word.endswith("s"):
        if word.endswith(("sses", "ies")):
            word = word[:-2]
        elif len(word) > 1 and word[-2] != "s":
            word = word[:-1]
        elif word == "s" and rules == "1980":
            word = ""
    # 1b, participles
    if word.endswith("eed"):
        if "vc" in _pattern(word)[:-3]:
            word = word[:-1]
    elif word.endswith(("ed", "ing")):
        stem = word[:-2] if word.endswith("ed") else word[:-3]
        pattern = _pattern(stem)
        if "v" in pattern:
            word = _mend(stem, pattern, rules)
    # 1c, y to i
    if word.endswith("y") and "v" in _pattern(word)[:-1]:
        word = word[:-1] + "i"
    return word


def _mend(stem: str, pattern: str, rules: PorterRules) -> str:
    """Give a stem that lost -ed or -ing the ending it had: hop(p)ing, fil(e)ing, conflat(e)d."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    doubled = len(stem) > 1 and stem[-1] == stem[-2] and pattern[-1] == "c"
    if doubled and stem[-1] not in ("lsz" if rules == "1980" else "lszy"):
        return stem[:-1]
    return stem + "e" if _is_short(stem, pattern) else stem


def _step_4(word: str, rules: PorterRules) -> str:
    if rules == "1980":
        return _drop_longest(word, _STEP_4)
    word = _drop_longest(word, _STEP_4_FIRST_PASS)
    word = _drop_longest(word, ("ment",))
    return _drop_longest(word, ("ent", "ion"))


def _drop_longest(word: str, suffixes: tuple[str, ...]) -> str:
    if word.endswith(suffixes):
        suffix = next(suffix for suffix in suffixes if word.endswith(suffix))
        stem = word[: -len(suffix)]
        if _pattern(stem).count("vc") > 1 and (suffix != "ion" or stem.endswith(("s", "t"))):
            return stem
    return word


def _replace(word: str, table: tuple[tuple[str, str], ...]) -> str:
    """Steps 2 and 3: exchange the longest suffix that fits, if the stem before it has m > 0."""
    suffix, ending = max((entry for entry in table if word.endswith(entry[0])), key=lambda entry: len(entry[0]))
    stem = word[: -len(suffix)]
    return stem + ending if "vc" in _pattern(stem) else word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        pattern = _pattern(stem)
        measure = pattern.count("vc")
        if measure > 1 or (measure == 1 and not _is_short(stem, pattern)):
            word = stem
    if word.endswith("ll") and _pattern(word).count("vc") > 1:
        word = word[:-1]
    return word


def porter_stem(word: str, rules: PorterRules = "1980") -> str:
    """Stem one lower-case word of ASCII letters and digits.

    Uncached: whoever stems running text keeps a cache of the form it needs.

    >>> porter_stem("departmental"), porter_stem("departmental", "rouge")
    ('department', 'depart')
    """
    if rules == "rouge" and len(word) < 3:
        return word
    word = _step_1(word, rules)
    if word.endswith(_STEP_2_ENDS[rules]):
        word = _replace(word, _STEP_2[rules])
    if word.endswith(_STEP_3_ENDS):
        word = _replace(word, _STEP_3)
    return _step_5(_step_4(word, rules))
