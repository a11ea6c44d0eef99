"""Stories as plain running prose, whatever a corpus made of them.

A metric that learns from several corpora must not learn their habits instead: one writes "do n't", one "do n' t", one
has small letters only, one breaks its lines at a column. After this they all read alike: straight quotes, single
spaces, tokens joined, capitals where English has them. What cannot be made natural any more (words replaced by
<unk>, web addresses, markup) is told apart, so that it can be left out.
"""

from __future__ import annotations

import re

from yarnstick.text.recase import natural

#: one sign for one, so that positions in a text stay what they were
STRAIGHT = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "`": "'"})

_SPACE = re.compile(r"\s+")
_WORN = re.compile(r"<unk>|\bunk\b|https?:|www\.|\[ ?(?:removed|deleted) ?\]|&[a-z]+;|/r/|\bedit ?:", re.IGNORECASE)
_MARKUP = re.compile(r"\\?[*#>|~^]+|(?<!\w)_+|_+(?!\w)|(?:--? ){2,}-*|-{3,}")
# "ca n' t", "I' ve", "the slit' s": one release of WritingPrompts parts contractions at the wrong place.
_HABITS = [
    (re.compile(r"(\w) ?n ?' ?t\b"), r"\1n't"),
    (re.compile(r"(\w) ?' (s|m|re|ve|ll|d)\b(?!')"), r"\1'\2"),
    (re.compile(r"(\d): (\d\d)(?!\d)"), r"\1:\2"),
    (re.compile(r" ([,;])(?=[ \"])"), r"\1"),
]
_LOOSE_QUOTES = re.compile(r'(?:^|\s)" (?=\w)')
_LOOSE_PAIR = re.compile(r'(^|\s)" ?([^"]*?) ?"(?=[\s.,!?;:]|$)')
_SMALL_START = re.compile(r"((?:[!?]|[.!?][\"'])\s[\"']?)([a-z])")


def readable(text: str) -> bool:
    """Whether nothing of the text is lost: no word replaced by <unk>, no web address, no forum's markup."""
    return _WORN.search(text) is None


def prose(text: str) -> str:
    """The text as a careful typist would have it, in one paragraph.

    >>> prose("i was n't sad . `` why ? '' she asked . \\n oh no ! it rained .")
    'I wasn\\'t sad. "Why?" she asked. Oh no! It rained.'
    >>> prose('He ca n\\' t go. " I\\' ve tried, " he said.')
    'He can\\'t go. "I\\'ve tried," he said.'
    """
    text = text.replace("``", '"').replace("''", '"').translate(STRAIGHT)
    text = _SPACE.sub(" ", _MARKUP.sub(" ", text)).strip()
    lowered = text.islower()
    for pattern, replacement in _HABITS:
        text = pattern.sub(replacement, text)
    if _LOOSE_QUOTES.search(text) and text.count('"') % 2 == 0:
        text = _LOOSE_PAIR.sub(r'\1"\2"', text)
    text = natural(text)
    return _SMALL_START.sub(_with_capital, text) if lowered else text


def _with_capital(match: re.Match[str]) -> str:
    # After a quotation the tag goes on in small letters: '"Why?" she asked.'
    mark, letter = match[1], match[2]
    return mark + (letter if mark[1] in "\"'" and len(mark) == 3 and not mark.endswith(("'", '"')) else letter.upper())
