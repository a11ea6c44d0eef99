"""The released scores and ratings as tables that ``yarnstick agree`` reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from yarnstick.agreement.types import Floats
from yarnstick.reproduce.hanna_data import CRITERIA, Hanna
from yarnstick.reproduce.union_votes import METRIC_FILES, NEGATED, UnionSet
from yarnstick.reproduce.verdict import Document, Table
from yarnstick.stories.corpora.union import REASONABLE
from yarnstick.stories.ratings import RATING_SCHEMA
from yarnstick.stories.scores import KEYS, ScoreColumn

#: of HANNA's metrics those that are distances, or count what is bad
_LOWER = ("BaryScore", "DepthScore", "InfoLM", "Repetition")
#: ... and those that only describe
_NEUTRAL = ("Coverage", "Density", "Compression", "Text length", "Novelty")


def tables_of_hanna(hanna: Hanna) -> list[Table | Document]:
    """``scores.csv`` and ``ratings.csv``: 72 metrics, without the marks of their class, on ten systems' 960 stories.

    Ids are those of ``yarnstick data hanna``: the human stories, which come first, have none of the released scores.
    """
    prompts = hanna.metrics.shape[2]
    keys = [
        (row * prompts + prompt, system, prompt)
        for row, system in enumerate(hanna.machines, len(hanna.systems) - len(hanna.machines))
        for prompt in range(prompts)
    ]
    names = [name.rsplit(" ", 1)[0] for name in hanna.names]
    raters = hanna.ratings[:, len(hanna.systems) - len(hanna.machines) :].reshape(len(CRITERIA), len(keys), -1)
    return [
        *_scores(
            "scores.csv", keys, names, hanna.metrics.reshape(len(names), -1), {name: _way(name) for name in names}
        ),
        _ratings("ratings.csv", keys, list(CRITERIA.values()), raters),
    ]


def tables_of_union(one: UnionSet) -> list[Table | Document]:
    """``scores-roc.csv`` and ``ratings-roc.csv`` (or ``-wp``): ten metrics, seven people's votes; no systems."""
    keys = [(id, "", "") for id in one.ids]
    ways = {name: "lower" if name in NEGATED else "higher" for name in METRIC_FILES}
    as_released = one.scores * [[-1.0 if name in NEGATED else 1.0] for name in METRIC_FILES]
    return [
        *_scores(f"scores-{one.name}.csv", keys, list(METRIC_FILES), as_released, ways),
        _ratings(f"ratings-{one.name}.csv", keys, [REASONABLE], one.votes[None]),
    ]


def _way(name: str) -> str:
    if name.startswith(_LOWER):
        return "lower"
    return "neutral" if name.startswith(_NEUTRAL) else "higher"


def _scores(
    name: str, keys: Sequence[tuple[object, ...]], metrics: Sequence[str], values: Floats, ways: Mapping[str, str]
) -> Iterator[Table | Document]:
    cells = values.T.tolist()
    rows: Iterable[Iterable[object]] = ((*key, *row) for key, row in zip(keys, cells, strict=True))
    yield Table(name, [*KEYS, *metrics], rows)
    about = {one: asdict(ScoreColumn(one, "", ways[one], None, None, "as released")) for one in metrics}
    yield Document(f"{name}.signatures.json", about)


def _ratings(name: str, keys: Sequence[tuple[object, ...]], criteria: Sequence[str], given: Floats) -> Table:
    """``given`` is (criteria, stories, raters)."""
    return Table(
        name,
        RATING_SCHEMA.names,
        (
            (story, criterion, rater, f"{value:g}", system, prompt)
            for place, (story, system, prompt) in enumerate(keys)
            for criterion, ratings in zip(criteria, given[:, place].tolist(), strict=True)
            for rater, value in enumerate(ratings, 1)
        ),
    )
