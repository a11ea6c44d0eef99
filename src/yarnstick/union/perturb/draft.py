"""A story while it is being damaged: its sentences in their places, each with what was changed in it.

Techniques work on sentences and know nothing of spans in the whole text; those are worked out once, at the end. The
places stay those of the story, so that every edit can say what stood there before.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from yarnstick.text.sentences import sentence_spans
from yarnstick.union.perturb.edits import Edit, Negative


class Change(NamedTuple):
    """A change inside a sentence: ``[start, end)`` as it reads now was ``[source_start, source_end)`` of it."""

    start: int
    end: int
    source_start: int
    source_end: int
    technique: str


class Slot:
    """The place of one sentence of the story."""

    __slots__ = ("changes", "original", "start", "technique", "text")

    def __init__(self, original: str, start: int) -> None:
        self.original = original
        self.start = start
        self.text = original
        #: set where the sentence as a whole is another one
        self.technique = ""
        self.changes: tuple[Change, ...] = ()

    @property
    def damaged(self) -> bool:
        return self.text != self.original

    @property
    def techniques(self) -> str:
        """The names of all that was done here."""
        if self.technique or not self.changes:
            return self.technique
        return joined(*[change.technique for change in self.changes])

    @property
    def harm(self) -> int:
        """How much was done here: a sentence that is another one weighs more than words changed in it."""
        if not self.damaged:
            return 0
        return 4 + self.technique.count("+") if self.technique else min(len(self.changes), 3)

    def put(self, text: str, technique: str) -> None:
        """Another sentence in place of this one."""
        self.technique = technique
        self.text = text
        self.changes = ()

    def replace(self, start: int, end: int, new: str, technique: str) -> None:
        """``new`` in place of ``[start, end)`` of the sentence as it reads now."""
        old = self.text
        if old[start:end] == new:
            return
        self.text = old[:start] + new + old[end:]
        if self.technique:
            self.technique = joined(self.technique, technique)
            return
        grown = len(new) - (end - start)
        if not self.changes:
            self.changes = (Change(start, start + len(new), start, end, technique),)
            return
        before = [change for change in self.changes if change.end < start]
        after = [change for change in self.changes if change.start > end]
        touched = self.changes[len(before) : len(self.changes) - len(after)]
        shift = before[-1].end - before[-1].source_end if before else 0
        shift_after = touched[-1].end - touched[-1].source_end if touched else shift
        first = min(start, touched[0].start) if touched else start
        last = max(end, touched[-1].end) if touched else end
        change = Change(
            first,
            last + grown,
            first - shift,
            last - shift_after,
            joined(*(change.technique for change in touched), technique),
        )
        if self.original[change.source_start : change.source_end] != self.text[change.start : change.end]:
            before.append(change)
        moved = (change._replace(start=change.start + grown, end=change.end + grown) for change in after)
        self.changes = (*before, *moved)


class Draft:
    """The story, its sentences, and the first of them that may be touched."""

    __slots__ = ("first", "slots", "story")

    def __init__(self, story: str, lead: int) -> None:
        self.story = story
        spans = _spans(story)
        self.slots = [Slot(story[start:end], start) for start, end in spans]
        self.first = 0
        while self.first < len(spans) and spans[self.first][0] < lead:
            self.first += 1

    @property
    def free(self) -> list[Slot]:
        """The sentences that may be touched."""
        return self.slots[self.first :]

    @property
    def text(self) -> str:
        return self.finished().text

    def finished(self) -> Negative:
        story, parts, edits = self.story, list[str](), list[Edit]()
        done = length = before_end = 0
        for slot in self.slots:
            start, original, text = slot.start, slot.original, slot.text
            end = start + len(original)
            if text != original:
                # The white space before a sentence that is no more goes with it.
                start = start if text else before_end
                if done < start:
                    parts.append(story[done:start])
                    length += start - done
                if slot.technique:
                    edits.append(Edit(slot.technique, length, length + len(text), story[start:end], start, end))
                else:
                    for change in slot.changes:
                        at, to = start + change.source_start, start + change.source_end
                        edits.append(
                            Edit(change.technique, length + change.start, length + change.end, story[at:to], at, to)
                        )
                parts.append(text)
                length += len(text)
                done = end
            before_end = end
        parts.append(story[done:])
        return Negative("".join(parts), tuple(edits))


@lru_cache(maxsize=1 << 12)
def _spans(story: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(story))


def joined(*techniques: str) -> str:
    """Names of techniques, each once.

    >>> joined("negation", "", "tense+negation")
    'negation+tense'
    """
    named = [names for names in techniques if names]
    if len(named) < 2:
        return named[0] if named else ""
    return "+".join(dict.fromkeys(name for names in techniques for name in names.split("+") if name))
