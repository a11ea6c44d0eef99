"""How far story models agree with people: each alone, on average, and with their logits taken together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from yarnstick.agreement.correlation import at_level, partial
from yarnstick.agreement.intervals import bootstrap
from yarnstick.agreement.types import Floats, Kind, Level
from yarnstick.errors import InputError
from yarnstick.reproduce.against import against
from yarnstick.reproduce.logits_file import read_logits
from yarnstick.reproduce.rated_sets import RatedSet, rated_hanna, rated_roc
from yarnstick.reproduce.verdict import OURS_ONLY, Exhibit, Outcome, Row, Table

LENGTH = "length alone"
_FILE = "union_models.csv"
_HEADER = ["set", "model", "coefficient", "level", "criterion", "value", "given_length", "with_length", "low", "high"]
_NOTE = "‖ length: what is left of it (partial correlation) once the number of tokens is taken out; ~ length: with it"


@dataclass(frozen=True, slots=True)
class Agreed:
    """One way of telling agreement, of models (m) with criteria (c)."""

    symbol: str
    kind: Kind
    level: Level
    #: (m, c): the coefficient, the same given length, and its 95% interval over prompts
    value: Floats
    given_length: Floats
    low: Floats
    high: Floats
    #: (m,): the coefficient with length itself
    with_length: Floats


def union_models(folder: Path, logits: Mapping[str, Mapping[str, Floats]]) -> Outcome:
    """Tables of ``logits`` by model and set; ``folder`` holds hanna/ and union/roc/. A model may lack a set."""
    outcome, lines = Outcome([]), list[list[object]]()
    for rated in _sets(folder):
        given = {model: sets[rated.name] for model, sets in logits.items() if rated.name in sets}
        if given:
            outcome.exhibits.extend(_exhibits(rated, given, lines))
    outcome.files.append(Table(_FILE, _HEADER, lines))
    return outcome


def scored(model: str, folder: Path, placeholders: bool = False) -> dict[str, Floats]:
    """The logits a model gives both sets; ``placeholders`` for one that was trained with placeholders for names."""
    from yarnstick.reproduce.model_logits import model_logits

    return {rated.name: model_logits(model, rated.texts, placeholders=placeholders) for rated in _sets(folder)}


def short_names(names: Sequence[str]) -> list[str]:
    """The last part of each path, where that tells them apart."""
    short = [Path(name.rpartition(":")[2]).name for name in names]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{twice[0]} is named twice", remedy="name each model once")
    return short if len(set(short)) == len(short) else list(names)


def logits_in(run: Path, folder: Path) -> dict[str, Floats]:
    """The logits a run's folder holds, by set: ``roc400.logits.csv`` and ``hanna.logits.csv``, or one of them."""
    sets = _sets(folder)
    found = {rated.name: read_logits(run / rated.file, rated.ids) for rated in sets if (run / rated.file).is_file()}
    if not found:
        raise InputError(
            f"{run} holds no logits",
            remedy=f"write {' and '.join(rated.file for rated in sets)} there: yarnstick train union --score FILE",
        )
    return found


@lru_cache(maxsize=1)
def _sets(folder: Path) -> tuple[RatedSet, RatedSet]:
    return rated_roc(folder / "union" / "roc"), rated_hanna(folder / "hanna")


def agreed(rated: RatedSet, scores: Floats, *, draws: int = 1000) -> list[Agreed]:
    """Each of the set's ways, for scores (models, stories)."""
    x, y, length = rated.cube(scores), rated.human, rated.length
    found = []
    for symbol, kind, level in rated.asked:
        value = at_level(x, y, kind, level)
        interval = bootstrap(x, y, kind, level, draws=draws)
        given = partial(x, y, length, kind, level)
        found.append(
            Agreed(
                symbol,
                kind,
                level,
                value,
                given,
                interval.low,
                interval.high,
                at_level(x, length[None], kind, level)[:, 0],
            )
        )
    return found


def _exhibits(rated: RatedSet, given: Mapping[str, Floats], lines: list[list[object]]) -> list[Exhibit]:
    models = list(given)
    scores = np.array([given[model] for model in models])
    length = rated.length[rated.places[0], rated.places[1]]
    names = [*models, *(["logits together"] if len(models) > 1 else []), *rated.released, LENGTH]
    together = [_standardised(scores).mean(axis=0)] if len(models) > 1 else []
    ways = agreed(rated, np.array([*scores, *together, *rated.released.values(), length]))
    for way in ways:
        lines += _lines(rated, names, way)
    headings = tuple(heading for way in ways for heading in (way.symbol, "‖ length", "~ length"))
    # (names, figures): means over the criteria
    figures = np.column_stack(
        [column for way in ways for column in (way.value.mean(1), way.given_length.mean(1), way.with_length)]
    )
    rows = [Row(name, _cells(values)) for name, values in zip(names, figures, strict=True)]
    if len(models) > 1:
        own = figures[: len(models)]
        rows[len(models) : len(models)] = [
            Row(f"mean of {len(models)}", _cells(own.mean(axis=0))),
            Row("standard deviation", _cells(own.std(axis=0, ddof=1))),
        ]
    exhibits = [_exhibit(f"Models, {rated.name}", rated.title, headings, rows, _NOTE)]
    exhibits.append(_beside(rated, [*models, *names[len(models) : len(models) + len(together)]], [*scores, *together]))
    if len(rated.criteria) > 1:
        for way in ways:
            each = [Row(name, _cells(values)) for name, values in zip(names, way.value, strict=True)]
            title = f"{way.symbol} with each criterion"
            exhibits.append(_exhibit(f"Models, {rated.name}, {way.symbol}", title, rated.criteria, each, ""))
    return exhibits


def _beside(rated: RatedSet, names: Sequence[str], scores: Sequence[Floats]) -> Exhibit:
    """By how much each model is ahead of the row to beat: UNION as released where there is one, else length alone."""
    other, theirs = next(iter(rated.released.items()), (LENGTH, rated.length[rated.places[0], rated.places[1]]))
    ways = [(symbol, against(rated, np.array(scores), theirs, kind, level)) for symbol, kind, level in rated.asked]
    rows = [
        Row(
            name,
            tuple(
                cell
                for _, found in ways
                for cell in (
                    f"{found.difference[row]:+.3f}",
                    f"{found.low[row]:+.3f} to {found.high[row]:+.3f}",
                    f"{found.p[row]:.3f}",
                )
            ),
        )
        for row, name in enumerate(names)
    ]
    headings = [heading for symbol, _ in ways for heading in (symbol, "95%", "p")]
    return _exhibit(
        f"Models, {rated.name}, tests",
        f"how far ahead of {other}, paired over resampled {'stories' if len(rated.criteria) == 1 else 'prompts'}",
        headings,
        rows,
        "p: the share of 1,000 draws in which the model is not ahead",
    )


def _exhibit(name: str, title: str, headings: Sequence[str], rows: Sequence[Row], why: str) -> Exhibit:
    return Exhibit(name, title, OURS_ONLY, tuple(headings), tuple(rows), why, files=(_FILE,))


def _lines(rated: RatedSet, names: Sequence[str], way: Agreed) -> list[list[object]]:
    return [
        [
            rated.name,
            name,
            way.kind,
            way.level,
            criterion,
            *(float(values[row, column]) for values in (way.value, way.given_length)),
            float(way.with_length[row]),
            *(float(values[row, column]) for values in (way.low, way.high)),
        ]
        for row, name in enumerate(names)
        for column, criterion in enumerate(rated.criteria)
    ]


def _standardised(scores: Floats) -> Floats:
    """Each model's logits with mean 0 and standard deviation 1, so that none outweighs another."""
    spread = scores.std(axis=1, keepdims=True)
    standard: Floats = (scores - scores.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
    return standard


def _cells(values: Floats) -> tuple[str, ...]:
    return tuple("–" if np.isnan(value) else f"{value:.3f}" for value in values.tolist())
