"""Which of its parts of speech a word has where it stands: told from its neighbours, word by word, by rule.

Not a parser. It is asked about single words of a sentence, so that nothing is worked out that nobody needs, and it
serves where a mistake costs an odd sentence and no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from yarnstick.text.listed import listed
from yarnstick.text.parts_of_speech import Reading, readings

_WORD = re.compile(r"\w+(?:['’]\w+)*")

DETERMINERS = listed(
    """
    a an the this that these those my your his her its our their every each some any no another both several many
    few all one two three four five six seven eight nine ten other more most such what which whose first last next
    """
)
SUBJECTS = listed(
    """
    i you he she it we they who that which there this everyone everybody someone somebody nobody anyone one none
    everything something nothing
    """
)
BE = listed(
    """
    be am is are was were been being isn't aren't wasn't weren't ain't i'm you're we're they're he's she's it's
    that's there's
    """
)
HAVE = listed("have has had having haven't hasn't hadn't i've you've we've they've")
DO = listed("do does did don't doesn't didn't")
MODALS = listed(
    """
    can could will would shall should may might must cannot can't couldn't won't wouldn't shan't shouldn't mustn't
    mightn't i'll you'll he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd they'd let's
    """
)
PREPOSITIONS = listed(
    """
    of in on at by for with from into onto about after before over under through during without within against
    between among around behind beside near off out up down across along toward towards until till since upon inside
    outside like as than per via despite except
    """
)
CONJUNCTIONS = listed("and or but nor so because although though while when if unless where whether")
#: words that stand between a verb and its helper without a say in it
SKIPPED = listed(
    """
    not n't also just really even still always never ever often already almost only finally quickly suddenly slowly
    soon then now actually probably usually immediately eventually sometimes all both too very so quite
    """
)


class Word(NamedTuple):
    """A word in small letters with a straight apostrophe, and where it stands."""

    small: str
    start: int
    end: int


class Words:
    """The words of a sentence in small letters; where they stand is found out on demand, as most are only looked at."""

    __slots__ = ("_spans", "small", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        small = text.lower()
        if len(small) == len(text):
            self.small: list[str] = _WORD.findall(small.replace("’", "'"))
        else:  # a few letters of other scripts are longer when small
            self.small = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
        self._spans: list[tuple[int, int]] | None = None

    def _places(self) -> list[tuple[int, int]]:
        if self._spans is None:
            self._spans = [match.span() for match in _WORD.finditer(self.text)]
        return self._spans

    def start(self, place: int) -> int:
        return self._places()[place][0]

    def end(self, place: int) -> int:
        return self._places()[place][1]

    def __getitem__(self, place: int) -> Word:
        return Word(self.small[place], *self._places()[place])

    def __iter__(self) -> Iterator[Word]:
        return (Word(small, *span) for small, span in zip(self.small, self._places(), strict=True))

    def __len__(self) -> int:
        return len(self.small)


@lru_cache(maxsize=1 << 13)
def words_of(sentence: str) -> Words:
    """The words of a sentence; "don't" is one.

    >>> words_of("I don’t know, Tom.").small
    ['i', "don't", 'know', 'tom']
    """
    return Words(sentence)


def reading_at(words: Words, place: int) -> Reading | None:
    """What the word at ``place`` is there; None for words that are not in the list.

    >>> [reading_at(words_of("The light was light."), place).tag for place in (1, 3)]
    ['NN', 'JJ']
    """
    found = readings().get(words.small[place])
    if not found or len(found) == 1:
        return found[0] if found else None
    small = words.small
    before = place - 1
    while before >= 0 and (small[before] in SKIPPED or small[before].endswith("ly")):
        before -= 1
    last = small[before] if before >= 0 else ""
    after = small[place + 1] if place + 1 < len(small) else ""
    for tag in _likely(last, after, found):
        for reading in found:
            if reading.tag == tag:
                return reading
    return found[0]


def _likely(last: str, after: str, found: tuple[Reading, ...]) -> tuple[str, ...]:
    """Tags to try, the likeliest first, between these neighbours."""
    if last in MODALS or last in DO:
        return ("VB",)
    if last == "to":
        return ("VB",) if found[0].tag == "VB" or after in DETERMINERS else (found[0].tag, "VB")
    if last in SUBJECTS and last not in ("that", "this", "which", "one"):
        return ("VBD", "VBZ", "VB")
    if last in DETERMINERS:
        followed = readings().get(after)
        if followed and followed[0].tag in ("NN", "NNS"):
            return ("JJ", "NN", "VBN", "VBG")
        return ("NN", "NNS", "JJ", "JJR", "JJS", "VBG", "VBN", "RB")
    if last in BE:
        return ("VBG", "VBN", "JJ", "JJR", "RB", "NN")
    if last in HAVE:
        return ("VBN", "NN", "NNS", "JJ")
    if last in PREPOSITIONS:
        return ("VBG", "NN", "NNS", "JJ")
    if not last:
        return ("VBG", "RB", "NNS", "JJ", "NN", "VBN")
    if last in CONJUNCTIONS:
        return ("VBD", found[0].tag)
    known = readings().get(last)
    if known is None or known[0].tag in ("NN", "NNS"):
        if after == "by":
            return ("VBN",)
        # "the school bus", but "the bus stopped", "the dog barks at me"
        return ("VBD", "NN", "VBZ", "RB") if after not in DETERMINERS else ("VBD", "VBZ", "VB")
    if known[0].tag == "JJ":
        return ("NN", "NNS", "JJ")
    if known[0].tag in ("VB", "VBD", "VBZ", "VBG", "VBN"):
        return ("NN", "NNS", "JJ", "RB", "VBG", "VBN")
    return ("VBD", found[0].tag)
