"""UNION's experiments run again with our own trainer: ablations, trained baselines, dataset drift, quality drift."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from yarnstick.agreement.correlation import correlate
from yarnstick.agreement.drift import biased_sets, dataset_drift, error_types, in_error_sets
from yarnstick.agreement.types import Floats
from yarnstick.reproduce.choosing import Group, chosen
from yarnstick.reproduce.experiments import CORPORA, EXPERIMENTS, Corpus, Experiment
from yarnstick.reproduce.published import published
from yarnstick.reproduce.union_agreement import KINDS
from yarnstick.reproduce.union_drift import DRAWS, SEED
from yarnstick.reproduce.union_errors import ENOUGH, TOGETHER
from yarnstick.reproduce.union_runs import FILES, Asked, Runs, Tell
from yarnstick.reproduce.union_votes import TYPE_NAMES, UnionSet, read_union
from yarnstick.reproduce.verdict import IMPOSSIBLE, OURS_ONLY, Exhibit, Outcome, Row, Table, judged

_NO_TEXTS = (
    "the texts of the WritingPrompts evaluation set are not released (votes.txt alone is there): nothing can be tested "
    "on it; with wp/ant_data.txt in the folder it is"
)


@dataclass(frozen=True, slots=True)
class Model:
    """An experiment's models and their logits by evaluation set, (seeds, stories)."""

    experiment: Experiment
    logits: Mapping[str, Floats]


class Trained:
    """The experiments' models, each trained when the first table asks for it."""

    def __init__(self, runs: Runs, draws: int, seed: int) -> None:
        self.runs, self.draws, self.seed = runs, draws, seed
        self._models: dict[tuple[str, Corpus], Model] = {}

    @cached_property
    def sets(self) -> dict[str, UnionSet]:
        """The votes of the evaluation sets whose texts are here."""
        rated = self.runs.asked.rated
        return {name: read_union(rated, name, metrics=False) for name in CORPORA if name in self.runs.tests}

    def models(self, corpus: Corpus, names: Collection[str] = ()) -> list[Model]:
        """Those trained on a corpus (with these names, where some are given); none where its stories are not here."""
        if corpus != "roc" and self.runs.stories_of(corpus) is None:
            return []
        wanted = [one for one in EXPERIMENTS if one.corpus == corpus and (not names or one.name in names)]
        return [self._model(one) for one in wanted]

    def _model(self, experiment: Experiment) -> Model:
        key = (experiment.name, experiment.corpus)
        if key not in self._models:
            self._models[key] = Model(experiment, self.runs.logits(experiment))
        return self._models[key]

    @property
    def why(self) -> str:
        """Why figures cannot be the paper's to the digit."""
        size, seeds = self.runs.asked.size, len(self.runs.seeds)
        runs = f"means of {seeds} seeds" if seeds > 1 else "one seed"
        base = self.runs.asked.base or self.runs.size.base
        return (
            f"{runs} of our trainer in the size {size!r} ({base}), of other stories and other damage than the paper's"
        )


def train_union(
    asked: Asked, only: Collection[str] = (), *, draws: int = DRAWS, seed: int = SEED, tell: Tell = print
) -> Outcome:
    """Train what the named tables need (all where none is named), and give the tables."""
    groups = chosen(GROUPS, only)
    workings = Trained(Runs(asked, tell), draws, seed)
    outcomes = [group.compute(workings) for group in groups]
    return Outcome(
        [exhibit for outcome in outcomes for exhibit in outcome.exhibits],
        [file for outcome in outcomes for file in outcome.files],
    )


def _table_5(trained: Trained) -> Outcome:
    """The metric, the metric without its second task, and the baselines, each tested where it was trained."""
    printed = {(row["dataset"], row["metric"], row["coefficient"]): row["printed"] for row in published("union_table5")}
    outcome, lines, file = Outcome([]), list[list[object]](), "trained_table5.csv"
    for name in CORPORA:
        if name not in trained.sets:
            outcome.exhibits.append(_impossible(f"Table 5, {name.upper()}, trained", _NO_TEXTS))
            continue
        rows = []
        for model in trained.models(name, ("UNION", "-Recon", "DisScore", "RUBER_u")):
            found = {symbol: _pooled(model, trained.sets[name], symbol) for symbol in KINDS}
            theirs = tuple(printed[name.upper(), model.experiment.name, symbol] for symbol in KINDS)
            rows.append(Row(model.experiment.name, tuple(map(_mean, found.values())), theirs))
            lines += [
                [name, model.experiment.name, seed, symbol, value]
                for symbol, values in found.items()
                for seed, value in zip(trained.runs.seeds, values.tolist(), strict=True)
            ]
        title = f"models trained here, correlation with people over {len(trained.sets[name].ids)} stories"
        outcome.exhibits.append(
            judged(f"Table 5, {name.upper()}, trained", title, list(KINDS), rows, differs=trained.why, files=[file])
        )
    outcome.files.append(Table(file, ["dataset", "model", "seed", "coef", "value"], lines))
    return outcome


def _table_7(trained: Trained) -> Outcome:
    """The metric without each of its techniques, on all stories and on those with one kind of error."""
    one, file = trained.sets["roc"], "trained_table7.csv"
    found = error_types(one.votes, one.errors, together=TOGETHER, least=ENOUGH)
    headings = ("All", *TYPE_NAMES[:TOGETHER])
    printed = {row["set"]: row["union_r"] for row in published("union_table7")}
    # Of the others the paper's r over all stories stands in its Table 5, where it is printed at all.
    over_all = {
        row["metric"]: row["printed"]
        for row in published("union_table5")
        if (row["dataset"], row["coefficient"]) == ("ROC", "r")
    }
    rows, lines = [], list[list[object]]()
    for model in trained.models("roc"):
        scores = model.logits["roc"]
        everywhere = _pooled(model, one, "r")[:, None]
        values = np.hstack([everywhere, in_error_sets(scores, one.votes, found)[:, :TOGETHER]])
        name = model.experiment.name
        theirs = tuple(
            printed[heading] if name == "UNION" else over_all.get(name, "") if heading == "All" else ""
            for heading in headings
        )
        rows.append(Row(name, tuple(map(_mean, values.T)), theirs))
        lines += [
            [name, seed, heading, value]
            for seed, own in zip(trained.runs.seeds, values.tolist(), strict=True)
            for heading, value in zip(headings, own, strict=True)
        ]
    exhibit = judged(
        "Table 7, trained",
        "Pearson of models trained without a part, on all stories, and on the reasonable ones with those of one error",
        headings,
        rows,
        differs=trained.why,
        note="where none stand below ours, the paper's figures are not at hand",
        files=[file],
    )
    return Outcome([exhibit], [Table(file, ["model", "seed", "set", "r"], lines)])


def _table_6(trained: Trained) -> Outcome:
    """Models trained on each corpus, tested on each."""
    file = "trained_table6.csv"
    models = [model for name in CORPORA for model in trained.models(name, ("UNION", "-Recon", "RUBER_u"))]
    humans = {name: np.asarray(one.votes.mean(axis=1)) for name, one in trained.sets.items()}
    values, lines = [], list[list[object]]()
    for place, seed in enumerate(trained.runs.seeds):
        scores: dict[tuple[str, str, str], Floats] = {
            (model.experiment.name, model.experiment.corpus, name): model.logits[name][place]
            for model in models
            for name in humans
        }
        found = dataset_drift(scores, humans)
        values.append(found.values)
        lines += [
            [metric, source, target, seed, float(found.values[a, b, c]), float(found.lost[a, b, c])]
            for a, metric in enumerate(found.metrics)
            for b, source in enumerate(found.trained_on)
            for c, target in enumerate(found.tested_on)
        ]
    stacked = np.array(values)
    ways = [(b, c) for b in range(len(found.trained_on)) for c in range(len(found.tested_on))]
    headings = [f"{found.trained_on[b].upper()} → {found.tested_on[c].upper()}" for b, c in ways]
    rows = [
        Row(metric, tuple(_mean(stacked[:, place, b, c]) for b, c in ways))
        for place, metric in enumerate(found.metrics)
    ]
    why = "; ".join(
        [
            "the paper's figures are not at hand",
            *([] if "wp" in found.trained_on else [f"there is no {FILES['wp']} to train on"]),
            *([] if "wp" in humans else [_NO_TEXTS]),
        ]
    )
    title = "Pearson of models trained on one corpus (left of the arrow) and tested on another"
    exhibit = Exhibit("Table 6, trained", title, OURS_ONLY, tuple(headings), tuple(rows), why, files=(file,))
    return Outcome([exhibit], [Table(file, ["model", "trained_on", "tested_on", "seed", "r", "lost"], lines)])


def _figure_2(trained: Trained) -> Outcome:
    """The models on sets of stories biased towards a quality."""
    one, file = trained.sets["roc"], "trained_fig2.csv"
    models = trained.models("roc")
    names = [model.experiment.name for model in models]
    scores = np.concatenate([model.logits["roc"] for model in models])
    found = biased_sets(scores, one.reasonable, draws=trained.draws, seed=trained.seed)
    means = found.mean.reshape(len(found.centres), len(models), -1)
    rows = [
        Row(f"set {number}", (f"{size:.0f}", *(_mean(values, 2) for values in own)))
        for number, size, own in zip(found.centres, found.expected_sizes.tolist(), means, strict=True)
    ]
    lines = [
        [number, name, seed, float(means[place, row, column])]
        for place, number in enumerate(found.centres)
        for row, name in enumerate(names)
        for column, seed in enumerate(trained.runs.seeds)
    ]
    exhibit = Exhibit(
        "Fig 2, trained",
        f"Pearson of models trained here on eight sets biased towards a quality, mean of {found.draws} draws",
        OURS_ONLY,
        ("size", *names),
        tuple(rows),
        "the paper's values are in a picture alone",
        files=(file,),
    )
    return Outcome([exhibit], [Table(file, ["set", "model", "seed", "r"], lines)])


GROUPS: tuple[Group[Trained], ...] = (
    Group(("table5",), _table_5),
    Group(("table7",), _table_7),
    Group(("table6",), _table_6),
    Group(("fig2",), _figure_2),
)


def _pooled(model: Model, one: UnionSet, symbol: str) -> Floats:
    """A coefficient of every seed's logits with the mean vote."""
    return correlate(model.logits[one.name], one.votes.mean(axis=1)[None], KINDS[symbol])[:, 0]


def _mean(values: Floats | Sequence[float], digits: int = 4) -> str:
    mean = float(np.mean(values))
    return "–" if np.isnan(mean) else f"{mean:.{digits}f}"


def _impossible(name: str, why: str) -> Exhibit:
    return Exhibit(name, "models trained here", IMPOSSIBLE, why=why)
