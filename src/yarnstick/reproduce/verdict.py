"""What a reproduced table or figure is: ours beside the published numbers, and a verdict in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

EXACT = "exact"
ROUNDING = "within rounding"
DIFFERS = "differs"
OURS_ONLY = "ours only"
IMPOSSIBLE = "cannot be reproduced"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: the cells as the paper prints them, ours and (where there are any) the published ones."""

    label: str
    ours: tuple[str, ...]
    #: an empty string is a cell that was not published
    paper: tuple[str, ...] = ()

    @property
    def marks(self) -> tuple[bool, ...]:
        """Which cells were published and are not ours to the last printed digit."""
        return tuple(bool(theirs) and theirs != mine for mine, theirs in zip(self.ours, self.paper, strict=False))


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure, computed again."""

    name: str
    title: str
    verdict: str
    headings: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    #: why it differs, or what the verdict rests on
    why: str = ""
    #: whose numbers stand below ours: the paper's, its notebook's, the released rankings' or the released code's
    source: str = "paper"
    #: files with all the numbers
    files: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The verdict as one line."""
        return f"{self.verdict}: {self.why}" if self.why else self.verdict


@dataclass(frozen=True, slots=True)
class Table:
    """All the numbers of an exhibit, for a file. ``rows`` are made only when the file is written."""

    name: str
    header: Sequence[str]
    rows: Iterable[Iterable[object]]


@dataclass(frozen=True, slots=True)
class Document:
    """Numbers that are better told as JSON than as a table."""

    name: str
    content: object


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one group of tables and figures gives."""

    exhibits: list[Exhibit]
    files: list[Table | Document] = field(default_factory=list)


def judged(
    name: str,
    title: str,
    headings: Sequence[str],
    rows: Sequence[Row],
    *,
    differs: str = "",
    note: str = "",
    source: str = "paper",
    files: Sequence[str] = (),
) -> Exhibit:
    """The exhibit with the verdict its cells deserve; ``differs`` says why where they are not the same."""
    verdict, counted = judge(rows)
    reasons = [counted, differs if verdict == DIFFERS else "", note]
    why = "; ".join(reason for reason in reasons if reason)
    return Exhibit(name, title, verdict, tuple(headings), tuple(rows), why, source, tuple(files))


def judge(rows: Iterable[Row]) -> tuple[str, str]:
    """*exact* if every printed cell is ours as it is printed, *within rounding* if none is further off than a unit
    of its last printed digit, else *differs*; and the count behind that."""
    pairs = [
        (mine, theirs) for row in rows for mine, theirs in zip(row.ours, row.paper, strict=bool(row.paper)) if theirs
    ]
    if not pairs:
        return OURS_ONLY, ""
    apart = [(mine, theirs) for mine, theirs in pairs if mine != theirs]
    count = f"{len(pairs) - len(apart)} of {len(pairs)} the same"
    if not apart:
        return EXACT, count
    return (ROUNDING if all(_a_unit_apart(*pair) for pair in apart) else DIFFERS), count


def _a_unit_apart(mine: str, theirs: str) -> bool:
    try:
        one, other = Decimal(mine), Decimal(theirs)
    except InvalidOperation:
        return False
    unit = Decimal(1).scaleb(int(other.as_tuple().exponent))
    return abs(one - other) <= unit
