"""English word tokenisation: the words a reader sees, punctuation apart, contractions in their parts.

The conventions are those of spaCy's English tokenizer, because published story statistics (lengths, novelty,
extractive fragments) were counted with it; the code is our own, needs no spaCy, and is faster. White space
separates chunks; a chunk loses punctuation at both ends until a known form or a bare word is left, and that
word is cut at dashes, ellipses and the like. Stories repeat their chunks, so they are remembered.

One difference is deliberate: here white space always separates, while spaCy takes ": ))" for a torn smiley
and then leaves its pieces alone.

>>> words("Mr. Fox can't sleep...")
['Mr.', 'Fox', 'ca', "n't", 'sleep', '...']
"""

import re
from collections.abc import Callable
from functools import cache

from yarnstick.text.abbreviations import abbreviations, emoticons
from yarnstick.text.contractions import Rules, contractions
from yarnstick.text.web_addresses import is_web_address
from yarnstick.text.word_cuts import cut_inside, end_length, start_length

_REMEMBERED_CHUNKS = 1 << 17
_LONGEST_REMEMBERED = 40

_WHITESPACE_OR_CHUNK = re.compile(r"\s+|\S+")


def _peel(chunk: str, known: dict[str, tuple[str, ...]], longest: int) -> list[str]:
    """Cut punctuation off both ends, round by round, until a known form or a bare word is left."""
    start, end = 0, len(chunk)
    left: list[str] = []
    right: list[str] = []
    while start < end:
        size = end - start
        if size <= longest and chunk[start:end] in known:
            break
        head = start_length(chunk, start, end)
        if head and head < size <= longest + head and chunk[start + head : end] in known:
            left.append(chunk[start : start + head])
            start += head
            break
        tail = end_length(chunk, start + head, end) if start + head < end else 0
        if tail and tail < size <= longest + tail and chunk[start : end - tail] in known:
            right.append(chunk[end - tail : end])
            end -= tail
            break
        if not head and not tail:
            break
        if head:
            left.append(chunk[start : start + head])
            start += head
        if tail:
            right.append(chunk[end - tail : end])
            end -= tail
    if start < end:
        core = chunk[start:end]
        if len(core) <= longest and core in known:
            left.extend(known[core])
        elif is_web_address(core):
            left.append(core)
        else:
            left.extend(cut_inside(core))
    left.extend(reversed(right))
    return left


class _Conventions:
    """The known forms of one edition of the rules, and the chunks already cut with them."""

    def __init__(self, rules: Rules) -> None:
        self.known = contractions(rules) | abbreviations(rules) | emoticons()
        self.known.update((form, (form,)) for form in ("—", "\\t", "\\n", '\\")', "<space>"))
        self.longest = max(map(len, self.known))
        self.seen: dict[str, tuple[str, ...]] = {}
        # Known forms that cutting tears apart are put together again wherever their pieces meet: "(hm):" ends
        # in the same characters as a frown, and cannot be told from one. Forms that cutting leaves whole are
        # not looked for again, so "wait—don't" keeps its "don't": odd, but it is what was counted.
        self.torn: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = {}
        for form, parts in self.known.items():
            pieces = tuple(_peel(form, {}, 0))
            if len(pieces) > 1 and pieces != parts:
                self.torn.setdefault(pieces[0], {})[pieces] = parts

    def cut(self, chunk: str) -> tuple[str, ...]:
        found = self.known.get(chunk)
        if found is None:
            found = tuple(self._mend(_peel(chunk, self.known, self.longest)))
        if len(chunk) <= _LONGEST_REMEMBERED:
            if len(self.seen) >= _REMEMBERED_CHUNKS:
                self.seen.clear()
            self.seen[chunk] = found
        return found

    def _mend(self, tokens: list[str]) -> list[str]:
        torn = self.torn
        matches = [
            (-len(pieces), at)
            for at, token in enumerate(tokens)
            if token in torn
            for pieces in torn[token]
            if tuple(tokens[at : at + len(pieces)]) == pieces
        ]
        if not matches:
            return tokens
        taken: set[int] = set()
        chosen: dict[int, int] = {}
        for negative, at in sorted(matches):
            span = range(at, at - negative)
            if span[0] not in taken and span[-1] not in taken:
                chosen[at] = -negative
            taken.update(span)
        mended: list[str] = []
        at = 0
        while at < len(tokens):
            size = chosen.get(at)
            if size:
                mended.extend(torn[tokens[at]][tuple(tokens[at : at + size])])
                at += size
            else:
                mended.append(tokens[at])
                at += 1
        return mended


_conventions: Callable[[Rules], _Conventions] = cache(_Conventions)


def _chunks(text: str) -> list[str]:
    """Runs of text and runs of white space. One space between two runs is the usual case and says nothing."""
    chunks = text.split()
    if " ".join(chunks) == text:
        return chunks
    chunks = _WHITESPACE_OR_CHUNK.findall(text)
    for at, chunk in enumerate(chunks):
        if at and chunk[0] == " ":
            chunks[at] = chunk[1:]
    return chunks


def words(text: str, rules: Rules = "spacy-3.8") -> list[str]:
    """The tokens of ``text`` in order: words, punctuation marks, and white space beyond a single space.

    ``rules="spacy-3.2"`` gives the edition current when HANNA's statistics were counted (2022): "May." is an
    abbreviation there, and "that're" two words. Everything else is alike.
    """
    conventions = _conventions(rules)
    seen = conventions.seen
    cut = conventions.cut
    tokens: list[str] = []
    extend = tokens.extend
    for chunk in _chunks(text):
        if chunk:
            extend(seen.get(chunk) or cut(chunk))
    return tokens
