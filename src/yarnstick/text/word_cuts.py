"""Where punctuation may be cut from a word: at its start, at its end, and inside.

Marks, quotes, symbols and currency come off either end; a full stop only where it ends a word; a unit or a
currency sign after the digits of an amount. Every function looks at a few characters only, so that text without
white space costs no more than other text.
"""

import re
from functools import cache

from yarnstick.text.character_classes import (
    CURRENCY_SIGNS,
    MARKS,
    QUOTES,
    is_lower_letter,
    is_upper_letter,
    letter_class,
    regex_class,
    symbols,
)

_UNITS = """km km² km³ m m² m³ dm dm² dm³ cm cm² cm³ mm mm² mm³ ha µm nm yd in ft kg g mg µg t lb oz m/s
km/h kmh mph hPa Pa mbar mb MB kb KB gb GB tb TB T G M K %"""
_CYRILLIC_UNITS = """км км² км³ м м² м³ дм дм² дм³ см см² см³ мм мм² мм³ нм кг г мг м/с км/ч кПа Па мбар
Кб КБ кб Мб МБ мб Гб ГБ гб Тб ТБ"""
_ARABIC_UNITS = "كم كم² كم³ م م² م³ سم سم² سم³ مم مم² مم³ غرام جرام جم كغ ملغ كوب اكواب"
_DOLLARS = ("US$", "C$", "A$")

_DIGITS = "0123456789"
_FULL_STOPS = re.compile(r"\.+")
_AMOUNT_MARKS = (
    *_UNITS.split(),
    *_CYRILLIC_UNITS.split(),
    *_ARABIC_UNITS.split(),
    *_DOLLARS,
    *CURRENCY_SIGNS,
)
_AMOUNT = re.compile("(?<=[0-9])(?:" + "|".join(map(re.escape, _AMOUNT_MARKS)) + r")\Z")
_LONGEST_AMOUNT = 8


@cache
def _cut_at_start() -> frozenset[str]:
    return frozenset("§%=—–" + MARKS + QUOTES + CURRENCY_SIGNS) | symbols()


@cache
def _cut_at_end() -> frozenset[str]:
    return frozenset("—–" + MARKS + QUOTES) | symbols()


_BEFORE_FULL_STOP = frozenset(_DIGITS + "%²-+|" + MARKS + QUOTES)


def _full_stop_ends(chunk: str, start: int, end: int) -> bool:
    """Whether the full stop at the end may be cut off. After a single capital not: "J." is an initial."""
    before = chunk[end - 2] if end - 2 >= start else ""
    if not before:
        return False
    if before in _BEFORE_FULL_STOP or is_lower_letter(before):
        return True
    return end - 3 >= start and is_upper_letter(before) and is_upper_letter(chunk[end - 3])


@cache
def _inner_cuts() -> re.Pattern[str]:
    """What is cut out of the middle of a bare word."""
    letter, small, capital = letter_class("any"), letter_class("lower"), letter_class("upper")
    quote = regex_class(QUOTES)
    return re.compile(
        r"\.{2,}|…"
        rf"|[{regex_class(symbols())}]"
        r"|(?<=[0-9])[+*^-](?=[0-9-])"
        rf"|(?<=[{small}{quote}])\.(?=[{capital}{quote}])"
        rf"|(?<=[{letter}]),(?=[{letter}])"
        rf"|(?<=[{letter}0-9])(?:-{{1,3}}|–|—{{1,2}}|[~:<>=/])(?=[{letter}])"
    )


def start_length(chunk: str, start: int, end: int) -> int:
    """How many characters to cut off at the start; 0 for none."""
    first = chunk[start]
    if first.isalnum():
        if first in "UCA" and chunk.startswith(_DOLLARS, start, end):
            return chunk.index("$", start) - start + 1
        return 1 if first in _cut_at_start() else 0
    if first == ".":
        run = _FULL_STOPS.match(chunk, start, end)
        length = run.end() - start if run else 0
        return length if length > 1 else 0
    if first == "+":
        return 0 if start + 1 < end and chunk[start + 1] in _DIGITS else 1
    return 1 if first in _cut_at_start() else 0


def end_length(chunk: str, start: int, end: int) -> int:
    """How many characters to cut off at the end; 0 for none. Looks no further left than ``start``."""
    last = chunk[end - 1]
    before = chunk[end - 2] if end - 2 >= start else ""
    if last == ".":
        if before == ".":
            kept = end - 2
            while kept > start and chunk[kept - 1] == ".":
                kept -= 1
            return end - kept
        return 1 if _full_stop_ends(chunk, start, end) else 0
    if last in "sS":
        return 2 if before and before in "'’" else 0
    if last in _cut_at_end():
        return 2 if last == before == "…" else 1
    if last == "+":
        return 1 if before and before in _DIGITS else 0
    amount = _AMOUNT.search(chunk[max(start, end - _LONGEST_AMOUNT) : end])
    return amount.end() - amount.start() if amount else 0


def cut_inside(word: str) -> list[str]:
    tokens: list[str] = []
    done = 0
    for cut in _inner_cuts().finditer(word):
        if cut.start() == 0:
            continue
        if cut.start() > done:
            tokens.append(word[done : cut.start()])
        tokens.append(cut.group())
        done = cut.end()
    if done < len(word):
        tokens.append(word[done:])
    return tokens
