"""What was done to a story, and where: the spans that teach a model to find damage, and that a report draws."""

from __future__ import annotations

from typing import NamedTuple

from yarnstick.errors import InputError


class Edit(NamedTuple):
    """``[start, end)`` of the negative stands where ``before``, ``[source_start, source_end)`` of the story, stood.

    ``technique`` names what was done; where several techniques met in one place their names are joined by ``+``. A
    sentence that was moved is an edit like any other: it stands where another one stood.
    """

    technique: str
    start: int
    end: int
    before: str
    source_start: int
    source_end: int

    @property
    def techniques(self) -> tuple[str, ...]:
        return tuple(self.technique.split("+"))


class Negative(NamedTuple):
    """A damaged story and its edits, in order, none of which overlap."""

    text: str
    edits: tuple[Edit, ...]


class CannotPerturb(InputError):  # noqa: N818 - it says what happened, as the other names of the room do
    """A story that no technique of the recipe can change."""


def restored(negative: Negative) -> str:
    """The story before the damage: what stood where each edit is.

    >>> restored(Negative("He did not go.", (Edit("negation", 3, 13, "went", 3, 7),)))
    'He went.'
    """
    text = negative.text
    for edit in reversed(negative.edits):
        text = text[: edit.start] + edit.before + text[edit.end :]
    return text
