"""All of UNION's tables and figures that rest on released votes and scores (Guan & Huang 2020), computed again."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from pathlib import Path

from yarnstick.reproduce.choosing import Group, chosen, computed
from yarnstick.reproduce.for_agree import tables_of_union
from yarnstick.reproduce.union_agreement import agreement
from yarnstick.reproduce.union_drift import DRAWS, SEED, quality_drift
from yarnstick.reproduce.union_errors import errors
from yarnstick.reproduce.union_votes import UnionSet, read_union
from yarnstick.reproduce.verdict import Outcome


class Workings:
    """Both evaluation sets, each read when it is asked for."""

    def __init__(self, folder: Path, draws: int = DRAWS, seed: int = SEED) -> None:
        self.folder = folder
        self.draws = draws
        self.seed = seed

    @cached_property
    def roc(self) -> UnionSet:
        return read_union(self.folder, "roc")

    @cached_property
    def wp(self) -> UnionSet:
        return read_union(self.folder, "wp")


GROUPS: tuple[Group[Workings], ...] = (
    Group(("table2", "table6", "table7", "section3.1"), lambda workings: errors(workings.roc)),
    Group(("table5",), lambda workings: agreement([workings.roc, workings.wp])),
    Group(("fig2",), lambda workings: quality_drift(workings.roc, draws=workings.draws, seed=workings.seed)),
)


def reproduce_union(folder: Path, only: Collection[str] = (), *, draws: int = DRAWS, seed: int = SEED) -> Outcome:
    """Every exhibit (or those ``only`` names: ``table5``, ``fig2``) and the files with all their numbers.

    With the whole come the scores and votes it is of, as tables for ``yarnstick agree``.
    """
    groups = chosen(GROUPS, only)
    workings = Workings(folder, draws, seed)
    outcome = computed(groups, workings)
    if only:
        return outcome
    return Outcome(outcome.exhibits, [*outcome.files, *tables_of_union(workings.roc), *tables_of_union(workings.wp)])
