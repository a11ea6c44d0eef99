"""METEOR's own ``-norm`` tokeniser, for English.

Published METEOR figures are made with the jar's ``-norm`` option, which splits punctuation, contractions and
hyphenated words in its own way (it is a Moses tokeniser with additions). Scores move by several percent with
another tokeniser, so this one follows it substitution by substitution: which characters each pattern
*consumes* decides, for instance, that only every other comma of ",,," is split off.
"""

from __future__ import annotations

import re

# The letters METEOR knows: Latin, Cyrillic and phonetic extensions. Letters of every other script are split off
# one by one, like punctuation.
_ALPHA = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
_ALNUM = "0-9" + _ALPHA

_ANY_SPACE = re.compile(r"\s+")
_OTHER_SYMBOL = re.compile(rf"([^{_ALNUM}\s.'`,\-‘’])", re.ASCII)
_DOT_RUN = re.compile(r"(\.{2,})")
_COMMAS = (
    re.compile(r"([^0-9]),([^0-9])"),
    re.compile(r"([0-9]),([^0-9])"),
    re.compile(r"([^0-9]),([0-9])"),
)
_SINGLE_QUOTE = re.compile(r"[`‘’]")
_DOUBLE_QUOTE = re.compile(r"[“”]|''")
_INNER_DASH = re.compile(rf"([{_ALNUM}.])-([{_ALNUM}])")
# Applied in this order; the second part is the replacement.
_APOSTROPHES = (
    (re.compile(rf"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([^{_ALPHA}0-9])'([{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([{_ALPHA}])'([{_ALPHA}])"), r"\1 '\2"),
    (re.compile(r"([0-9])'(s)"), r"\1 '\2"),  # the 1990's
)
_HAS_LETTER = re.compile(f"[{_ALPHA}]")
# Java's StringTokenizer splits at these only; a vertical tab, say, stays inside a token.
_TOKEN = re.compile(r"[^ \t\n\r\f]+")
# METEOR's last clean-up also turns these spaces, met as tokens of their own by then, into plain ones.
_WIDE_SPACE = re.compile("[\u2000-\u200a\u202f\u205f\u3000\u00a0]+")

# Java's trim() takes every control character off both ends, not only white space.
_TRIMMED = "".join(map(chr, range(0x21)))

# Initials and abbreviations that stand before or within a name keep their dot. METEOR takes these from a longer list
# of Moses; of its other entries ("Messrs.") none is met in HANNA's 1,056 stories.
_ABBREVIATIONS = (
    *("Mr", "Mrs", "Ms", "Dr", "Prof", "Rev", "Hon", "St", "Sr"),
    *("Gen", "Col", "Maj", "Capt", "Lt", "Sgt", "Cpl", "Pvt", "Adm", "Cmdr"),
    *("Gov", "Sen", "Rep"),
    *("Bros", "Corp", "v", "vs", "e.g", "i.e"),
)
_KEEP_DOT = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ") | frozenset(_ABBREVIATIONS)
# "No. 5" keeps its dot, "No." does not.
_KEEP_DOT_BEFORE_DIGIT = frozenset({"No"})


def tokens(text: str) -> list[str]:
    """Return METEOR's lower-cased tokens of ``text``.

    >>> tokens("Mr. Bell didn't stop... well-known, isn't it?")
    ['mr.', 'bell', 'didn', "'t", 'stop', '...', 'well', 'known', ',', 'isn', "'t", 'it', '?']
    """
    # The jar reads a text as one line, so whoever calls it first turns line breaks into spaces.
    line = f" {_ANY_SPACE.sub(' ', text)} "
    line = _OTHER_SYMBOL.sub(r" \1 ", line)
    line = _DOT_RUN.sub(r" \1 ", line)
    for pattern in _COMMAS:
        line = pattern.sub(r"\1 , \2", line)
    line = _DOUBLE_QUOTE.sub(' " ', _SINGLE_QUOTE.sub("'", line))
    line = line.replace("–", "-").replace("--", "-")
    line = _INNER_DASH.sub(r"\1 \2", line)
    for pattern, replacement in _APOSTROPHES:
        line = pattern.sub(replacement, line)
    line = _WIDE_SPACE.sub(" ", " ".join(_split_final_dots(_TOKEN.findall(line))))
    return _TOKEN.findall(line.strip(_TRIMMED).lower())


def _split_final_dots(words: list[str]) -> list[str]:
    """Split a sentence's last dot from its word, but not an abbreviation's; "U.S." becomes "US"."""
    split: list[str] = []
    for at, word in enumerate(words):
        if len(word) == 1 or not word.endswith(".") or word.startswith(".."):
            split.append(word)
            continue
        stem = word[:-1]
        following = words[at + 1][0] if at + 1 < len(words) else ""
        if "." in stem and _HAS_LETTER.search(stem):
            split.append(word.replace(".", ""))
        elif (
            stem in _KEEP_DOT or "a" <= following <= "z" or (stem in _KEEP_DOT_BEFORE_DIGIT and "0" <= following <= "9")
        ):
            split.append(word)
        else:
            split.extend((stem, "."))
    return split
