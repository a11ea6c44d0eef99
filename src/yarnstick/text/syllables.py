"""Counting the syllables of English words by rule."""

from __future__ import annotations

import re
from functools import lru_cache

_VOWEL_GROUP = re.compile(r"[aeiouyáéíóúàèêëïöüäâîôû]+")
# Silent: a final e ("late", "lates"), and -ed unless t or d comes before it ("walked", but "wanted").
_SILENT_END = re.compile(r"(?:[^aeiouyl]e|[aeiouy]le|[^aeiouytd]ed|[^aeiouyszxcgh]es)$")
# Two vowels that are two syllables: "lion", "create", "fluid", "poem", "being"; not "-tion", "-cial", "-que".
_SPLIT_VOWELS = re.compile(
    r"(?<![ctsgqx])i[ao]|(?<!q)ui(?=d|ng)|[aeiou]ing|eo(?!n$|us$)|(?<=cr)ea(?=t)|oe(?=[mt])|ua(?=l)|ya(?=n)|ié"
)
_CONTRACTION = re.compile(r"(?:n['’]t)$")


@lru_cache(maxsize=1 << 16)
def syllables(word: str) -> int:
    """How many syllables; at least 1 for anything that can be said.

    >>> [syllables(word) for word in ("goose", "lantern", "wanted", "walked", "create", "didn't")]
    [1, 2, 2, 1, 2, 2]
    """
    plain = word.lower().strip("'’")
    spoken = re.sub(r"['’](?:s|re|ve|ll|d|m|t)?$|['’]", "", _CONTRACTION.sub("", plain))
    count = len(_VOWEL_GROUP.findall(spoken)) + len(_SPLIT_VOWELS.findall(spoken))
    if _SILENT_END.search(spoken) and count > 1:
        count -= 1
    if _CONTRACTION.search(plain) and spoken not in ("do", "ca", "wo", "are", "were", "ai", "does"):
        count += 1  # "did-n't" has one more, "don't" has not
    elif _CONTRACTION.search(plain) and spoken == "does":
        count += 1
    return max(count, 1)
