"""Which characters are letters, symbols, quotes and marks to the word tokeniser.

Word boundaries must not move when Python's Unicode tables do, so scripts are given as blocks and the symbols
are those of Unicode 11 (2018), the version the conventions we follow were fixed at.
"""

import unicodedata
from bisect import bisect_right
from functools import cache
from typing import Literal

QUOTES = "'\"”“`‘´’‚,„»«「」『』（）〔〕【】《》〈〉〈〉⟦⟧"
MARKS = "…,:;!?¿؟¡()[]{}<>_#*&。？！，、；：～·।،۔؛٪"
CURRENCY_SIGNS = "$£€¥฿₽﷼₴₠₡₢₣₤₥₦₧₨₩₪₫₭₮₯₰₱₲₳₵₶₷₸₹₺₻₼₾₿"

# Alphabets with capitals: Latin with its extensions, modern Greek, the Cyrillic of Slavic and Tatar texts.
_CASED_BLOCKS = (
    (0x41, 0x5A),
    (0x61, 0x7A),
    (0xC0, 0xD6),
    (0xD8, 0xF6),
    (0xF8, 0x1BF),
    (0x1C4, 0x2AF),
    (0x386, 0x386),
    (0x388, 0x3A9),
    (0x3AC, 0x3AF),
    (0x3B1, 0x3C9),
    (0x3CC, 0x3CE),
    (0x400, 0x40A),
    (0x40C, 0x451),
    (0x453, 0x45D),
    (0x490, 0x491),
    (0x496, 0x497),
    (0x4A2, 0x4A3),
    (0x4AE, 0x4AF),
    (0x4BA, 0x4BB),
    (0x4D8, 0x4D9),
    (0x4E8, 0x4E9),
    (0x1D00, 0x1D25),
    (0x1D6B, 0x1D77),
    (0x1D79, 0x1D9A),
    (0x1E00, 0x1EFF),
    (0x2C60, 0x2C7B),
    (0x2C7E, 0x2C7F),
    (0xA722, 0xA787),
    (0xA78B, 0xA7B9),
    (0xAB30, 0xAB64),
    (0xFF21, 0xFF3A),
    (0xFF41, 0xFF5A),
)

# Scripts without capitals: their letters stand where either case may stand.
_UNCASED_BLOCKS = (
    (0x591, 0x5F4),  # Hebrew
    (0x620, 0x64A),  # Arabic, Persian, Urdu
    (0x66E, 0x6D5),
    (0x6E5, 0x6FF),
    (0x750, 0x77F),
    (0x8A0, 0x8BD),
    (0x900, 0x9FF),  # Devanagari, Bengali
    (0xB80, 0xCFF),  # Tamil, Telugu, Kannada
    (0xD80, 0xDFF),  # Sinhala
    (0x1100, 0x137F),  # Hangul letters, Ethiopic
    (0x2E80, 0x2FDF),  # Chinese, Japanese, Korean
    (0x2FF0, 0x30FF),
    (0x31C0, 0x31EF),
    (0x3200, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7AF),
    (0xF900, 0xFAFF),
    (0xFB1D, 0xFBB1),  # presentation forms of Hebrew and Arabic
    (0xFBD3, 0xFD3D),
    (0xFD50, 0xFDC7),
    (0xFDF0, 0xFDFB),
    (0xFE30, 0xFE4F),
    (0xFE70, 0xFEFC),
    (0x1EE00, 0x1EEBB),
    (0x1F200, 0x1F2FF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2EBEF),
    (0x2F800, 0x2FA1F),
)

_UNCASED_STARTS = [first for first, _ in _UNCASED_BLOCKS]

# Symbols that Unicode gained after version 11: not split off, else a newer Python would move word boundaries.
_LATER_SYMBOLS = (
    (0x166D, 0x166D),
    (0x2B97, 0x2B97),
    (0x2BC9, 0x2BC9),
    (0x2BFF, 0x2BFF),
    (0x2E50, 0x2E51),
    (0x32FF, 0x32FF),
    (0xFD40, 0xFD4F),
    (0xFDCF, 0xFDCF),
    (0xFDFE, 0xFDFF),
    (0x1019C, 0x1019C),
    (0x11FD5, 0x11FFF),
    (0x1CC00, 0x1CFFF),
    (0x1D1E9, 0x1D1FF),
    (0x1E14F, 0x1E14F),
    (0x1ED2E, 0x1ED2E),
    (0x1F10D, 0x1F10F),
    (0x1F16C, 0x1F16F),
    (0x1F1AD, 0x1F1AD),
    (0x1F6D5, 0x1F6DF),
    (0x1F6FA, 0x1F6FF),
    (0x1F774, 0x1F77F),
    (0x1F7D9, 0x1F7FF),
    (0x1F8B0, 0x1F8FF),
    (0x1F90C, 0x1F90F),
    (0x1F93F, 0x1F93F),
    (0x1F971, 0x1F972),
    (0x1F977, 0x1F979),
    (0x1F97B, 0x1F97B),
    (0x1F9A3, 0x1F9AF),
    (0x1F9BA, 0x1F9BF),
    (0x1F9C3, 0x1F9CF),
    (0x1FA00, 0x1FA5F),
    (0x1FA70, 0x1FBFF),
)


def _chars(blocks: tuple[tuple[int, int], ...]) -> list[str]:
    return [chr(code) for first, last in blocks for code in range(first, last + 1)]


@cache
def _small_letters() -> frozenset[str]:
    return frozenset(c for c in _chars(_CASED_BLOCKS) if c.islower())


@cache
def _capital_letters() -> frozenset[str]:
    return frozenset(c for c in _chars(_CASED_BLOCKS) if c.isupper())


def _is_uncased(character: str) -> bool:
    code = ord(character)
    at = bisect_right(_UNCASED_STARTS, code) - 1
    return at >= 0 and code <= _UNCASED_BLOCKS[at][1]


def is_lower_letter(character: str) -> bool:
    """Letters that may end a word before a full stop: small ones and those of scripts without case."""
    return character in _small_letters() or _is_uncased(character)


def is_upper_letter(character: str) -> bool:
    """Letters that may begin a sentence: capitals and those of scripts without case."""
    return character in _capital_letters() or _is_uncased(character)


@cache
def symbols() -> frozenset[str]:
    """Pictures and signs (Unicode category So), each of which is a word of its own."""
    later = frozenset(_chars(_LATER_SYMBOLS))
    found = (chr(code) for code in range(0xA6, 0x1FA70) if unicodedata.category(chr(code)) == "So")
    return frozenset(c for c in found if c not in later)


def regex_class(characters: frozenset[str] | str) -> str:
    """The inside of a regular expression's [...] for these characters, neighbours written as ranges."""
    runs: list[tuple[int, int]] = []
    for code in sorted(map(ord, characters)):
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return _ranges(tuple(runs))


def _ranges(blocks: tuple[tuple[int, int], ...]) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in blocks)


@cache
def letter_class(case: Literal["lower", "upper", "any"]) -> str:
    """The inside of [...] for letters of one case; those of scripts without case belong to either."""
    if case == "lower":
        cased = _small_letters()
    elif case == "upper":
        cased = _capital_letters()
    else:
        cased = frozenset(c for c in _chars(_CASED_BLOCKS) if c.isalpha())
    return regex_class(cased) + _ranges(_UNCASED_BLOCKS)
