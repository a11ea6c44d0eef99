"""Which tables and figures to compute: all, or those that are named."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from yarnstick.errors import InputError
from yarnstick.reproduce.verdict import Outcome

Workings = TypeVar("Workings")


@dataclass(frozen=True)
class Group(Generic[Workings]):
    """Tables and figures that are computed together, under the names they can be asked for by."""

    names: tuple[str, ...]
    compute: Callable[[Workings], Outcome]


def computed(groups: Sequence[Group[Workings]], workings: Workings) -> Outcome:
    """All that the groups give, as one."""
    outcomes = [group.compute(workings) for group in groups]
    return Outcome(
        [exhibit for outcome in outcomes for exhibit in outcome.exhibits],
        [file for outcome in outcomes for file in outcome.files],
    )


def chosen(groups: Sequence[Group[Workings]], only: Collection[str]) -> list[Group[Workings]]:
    """The groups that hold the named tables and figures, in their order; all where none is named."""
    wanted = {name.lower().replace(" ", "").replace("figure", "fig") for name in only}
    known = [name for group in groups for name in group.names]
    if unknown := sorted(wanted - set(known)):
        near = difflib.get_close_matches(unknown[0], known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise InputError(f"nothing is called {unknown[0]!r}", remedy=f"{hint}there is {', '.join(known)}")
    return [group for group in groups if not wanted or wanted & set(group.names)]
