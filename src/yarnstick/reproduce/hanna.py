"""All of HANNA's tables and figures that rest on released figures (Chhun et al. 2022), computed again."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from pathlib import Path

from yarnstick.reproduce.choosing import Group, chosen, computed
from yarnstick.reproduce.for_agree import tables_of_hanna
from yarnstick.reproduce.hanna_best import best
from yarnstick.reproduce.hanna_correlations import Correlations, correlations
from yarnstick.reproduce.hanna_criteria import criteria
from yarnstick.reproduce.hanna_data import Hanna, read_hanna
from yarnstick.reproduce.hanna_discrimination import DRAWS, SEED, discrimination
from yarnstick.reproduce.hanna_figures import figures_3_4, figures_5_6_20_25, figures_14_19
from yarnstick.reproduce.hanna_means import mean_ratings
from yarnstick.reproduce.hanna_rankings import borda_counts
from yarnstick.reproduce.hanna_reliability import reliability
from yarnstick.reproduce.hanna_ties import exact_ties
from yarnstick.reproduce.hanna_top_systems import top_systems
from yarnstick.reproduce.hanna_williams import significance
from yarnstick.reproduce.verdict import Outcome


class Workings:
    """The data, and the correlations that most groups share, computed when the first of them asks."""

    def __init__(self, folder: Path, draws: int = DRAWS, seed: int = SEED) -> None:
        self.hanna: Hanna = read_hanna(folder)
        self.draws = draws
        self.seed = seed

    @cached_property
    def correlations(self) -> Correlations:
        return correlations(self.hanna)


def _figures(*numbers: int) -> tuple[str, ...]:
    return tuple(f"fig{number}" for number in numbers)


GROUPS: tuple[Group[Workings], ...] = (
    Group(("table3",), lambda workings: reliability(workings.hanna)),
    Group(("table4",), lambda workings: mean_ratings(workings.hanna)),
    Group(_figures(1, 2, *range(10, 14)), lambda workings: criteria(workings.correlations)),
    Group(_figures(3, 4), lambda workings: figures_3_4(workings.correlations)),
    Group(_figures(*range(14, 20)), lambda workings: figures_14_19(workings.correlations)),
    Group(("table5", "table8", "table9"), lambda workings: best(workings.correlations)),
    Group(("complexity",), lambda workings: exact_ties(workings.correlations)),
    Group(_figures(5, 6, *range(20, 26)), lambda workings: figures_5_6_20_25(workings.correlations)),
    Group(_figures(*range(27, 39)), lambda workings: significance(workings.correlations)),
    Group(
        _figures(7, 26),
        lambda workings: discrimination(workings.hanna, draws=workings.draws, seed=workings.seed),
    ),
    Group(_figures(8), lambda workings: top_systems(workings.correlations)),
    Group(("table6",), lambda workings: borda_counts(workings.correlations)),
)


def reproduce_hanna(folder: Path, only: Collection[str] = (), *, draws: int = DRAWS, seed: int = SEED) -> Outcome:
    """Every exhibit (or those ``only`` names: ``table4``, ``fig7``) and the files with all their numbers.

    With the whole come the scores and ratings it is of, as tables for ``yarnstick agree``.
    """
    groups = chosen(GROUPS, only)
    workings = Workings(folder, draws, seed)
    outcome = computed(groups, workings)
    return outcome if only else Outcome(outcome.exhibits, [*outcome.files, *tables_of_hanna(workings.hanna)])
