"""`yarnstick reproduce union --train`: the paper's experiments in small, through the command line."""

from __future__ import annotations

import csv
import fcntl
import json
import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from conftest import Cli
from scipy import stats

pytest.importorskip("torch", reason="training needs the extra [torch]")
pytest.importorskip("transformers", reason="training needs the extra [torch]")

from yarnstick.errors import InputError, OutputError
from yarnstick.reproduce.experiments import ABLATED, EXPERIMENTS, SIZES, as_toml, recipe_without
from yarnstick.reproduce.union_runs import Asked, Runs, find_stories
from yarnstick.union.perturb import RECIPES, read_recipe

RUNS = {f"{experiment.folder}-0" for experiment in EXPERIMENTS}


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


Train = Callable[..., Done]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all the processes that run these tests."""
    root = tmp_path_factory.getbasetemp()
    return (root.parent if os.environ.get("PYTEST_XDIST_WORKER") else root) / "experiments"


@pytest.fixture(scope="module")
def train(cli: Cli, out: Path, data_folder: Path) -> Train:
    """The command with little data; one thread, since several on a busy machine wait for each other."""
    if not (data_folder / "stories" / "rocstories.jsonl.gz").is_file():
        pytest.skip(f"no stories to train on in {data_folder}")

    def run(*more: object, into: Path = out) -> Done:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OMP_NUM_THREADS", "1")
            patch.setenv("YARNSTICK_DATA", str(data_folder))
            done = cli("reproduce", "union", "--train", "--stories", 120, "-o", into, *more, timeout=300)
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="module")
def first(train: Train, out: Path) -> Done:
    return once(out / "first.json", lambda: train("--only", "table5", "--only", "table6"))


@pytest.fixture(scope="module")
def second(first: Done, train: Train, out: Path) -> Done:
    """The other tables, into the same folder."""
    return once(out / "second.json", lambda: train("--only", "table7", "--only", "fig2"))


def once(record: Path, run: Callable[[], Done]) -> Done:
    """What one process did is read by the others."""
    record.parent.mkdir(exist_ok=True)
    with record.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not record.is_file():
            record.write_text(json.dumps(run()))
    done = Done(*json.loads(record.read_text("utf-8")))
    assert done.returncode == 0, done.stderr
    return done


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def rated(data_folder: Path) -> tuple[list[str], np.ndarray]:
    """Ids, and what each of the seven said: 0 reasonable, 1 to 5 the error."""
    lines = [line.split("|||") for line in (data_folder / "union/roc/ant_data_all.txt").read_text("utf-8").splitlines()]
    return [line[0].strip() for line in lines], np.array([[int(code) for code in line[2].split()] for line in lines])


def logits(out: Path, run: str) -> dict[str, float]:
    return {row["id"]: float(row["logit"]) for row in rows_of(out / "runs" / run / "roc400.logits.csv")}


def test_every_model_scores_every_story(second: Done, out: Path, data_folder: Path) -> None:
    assert {path.name for path in (out / "runs").iterdir()} == RUNS
    ids, _ = rated(data_folder)
    for run in RUNS:
        found = logits(out, run)
        assert list(found) == ids
        assert all(map(math.isfinite, found.values()))
        assert np.ptp(list(found.values())) > 1e-3, run
        assert not (out / "runs" / run / "wp200.logits.csv").exists()  # its texts are not released


def test_table_5_is_pearson_spearman_and_kendall_of_those_logits(first: Done, out: Path, data_folder: Path) -> None:
    ids, codes = rated(data_folder)
    votes = (codes == 0).mean(axis=1)
    found = rows_of(out / "trained_table5.csv")
    assert len(found) == 4 * 3  # UNION, -Recon, DisScore, RUBER_u
    oracle = {"r": stats.pearsonr, "rho": stats.spearmanr, "tau": stats.kendalltau}
    folders = {experiment.name: experiment.folder for experiment in EXPERIMENTS if experiment.corpus == "roc"}
    for row in found:
        given = logits(out, f"{folders[row['model']]}-{row['seed']}")
        wanted = oracle[row["coef"]]([given[id] for id in ids], votes)[0]
        assert float(row["value"]) == pytest.approx(wanted, abs=1e-9)


def test_the_papers_figures_stand_below_ours_with_a_verdict(first: Done, out: Path) -> None:
    lines = first.stdout.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("Table 5, ROC, trained"))
    assert lines[start + 1].split() == ["r", "rho", "tau"]
    ours, paper = lines[start + 2].split(), lines[start + 3].split()
    assert (ours[:2], paper) == (["UNION", "ours"], ["paper", "0.3687", "0.4599", "0.3386"])
    mine = next(row["value"] for row in rows_of(out / "trained_table5.csv") if row["coef"] == "r")
    assert ours[2] == f"{float(mine):.4f}≠"
    assert "differs: 0 of 12 the same; one seed of our trainer in the size 'smoke' (tiny)" in first.stdout
    assert "Table 5, WP, trained   cannot be reproduced: the texts of the WritingPrompts evaluation" in first.stdout
    assert "ROC → ROC  WP → ROC" in first.stdout
    verdicts = {row["exhibit"]: row["verdict"] for row in rows_of(out / "verdicts.csv")}
    assert set(verdicts.values()) <= {"differs", "ours only", "cannot be reproduced"}


def test_table_6_is_of_models_of_either_corpus(first: Done, out: Path) -> None:
    found = {(row["model"], row["trained_on"], row["tested_on"]): row for row in rows_of(out / "trained_table6.csv")}
    assert set(found) == {(name, corpus, "roc") for name in ("UNION", "-Recon", "RUBER_u") for corpus in ("roc", "wp")}
    at_home, away = found["UNION", "roc", "roc"], found["UNION", "wp", "roc"]
    assert float(at_home["lost"]) == 0.0
    assert float(away["lost"]) == pytest.approx(float(at_home["r"]) - float(away["r"]), abs=1e-12)
    of_table_5 = next(
        row for row in rows_of(out / "trained_table5.csv") if (row["model"], row["coef"]) == ("UNION", "r")
    )
    assert at_home["r"] == of_table_5["value"]


def test_table_7_is_pearson_on_the_stories_of_each_error(second: Done, out: Path, data_folder: Path) -> None:
    ids, codes = rated(data_folder)
    votes = (codes == 0).mean(axis=1)
    found = {(row["model"], row["set"]): float(row["r"]) for row in rows_of(out / "trained_table7.csv")}
    names = {name for name, _ in found}
    assert names == {experiment.name for experiment in EXPERIMENTS}
    given = logits(out, "roc-negation-left-out-0")
    scores = np.array([given[id] for id in ids])
    for code, name in ((1, "Repe"), (2, "Cohe"), (3, "Conf"), (4, "Chao")):
        kept = (votes == 1) | ((codes == code).sum(axis=1) >= 3)
        assert found["-Negation", name] == pytest.approx(stats.pearsonr(scores[kept], votes[kept])[0], abs=1e-9)
    assert found["-Negation", "All"] == pytest.approx(stats.pearsonr(scores, votes)[0], abs=1e-9)


def test_figure_2_has_every_model_in_eight_sets(second: Done, out: Path) -> None:
    found = rows_of(out / "trained_fig2.csv")
    models = {experiment.name for experiment in EXPERIMENTS}
    assert {(row["set"], row["model"]) for row in found} == {(str(n), name) for n in range(1, 9) for name in models}
    assert all(-1 < float(row["r"]) < 1 for row in found)


def test_what_is_done_is_not_done_again(first: Done, second: Done) -> None:
    done = [line.split(": ")[1] for line in second.stderr.splitlines() if line.endswith("done before")]
    assert set(done) == {run for run in RUNS if run.startswith("roc") and run.split("-")[1] not in ABLATED}
    assert first.stderr.count("training on") == 7
    assert second.stderr.count("training on") == 4


def test_a_model_without_its_logits_is_scored_and_comes_out_the_same(
    second: Done, train: Train, out: Path, tmp_path: Path
) -> None:
    shutil.copytree(out / "runs", tmp_path / "runs")
    path = tmp_path / "runs" / "roc-union-0" / "roc400.logits.csv"
    before = path.read_bytes()
    path.unlink()
    done = train("--only", "table5", "--base", f"path:{out / 'tiny'}", into=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "roc-union-0: trained before, now scored" in done.stderr
    assert path.read_bytes() == before


def test_the_recipes_lack_what_they_should(second: Done, out: Path) -> None:
    settings = json.loads((out / "runs" / "roc-negation-left-out-0" / "run.json").read_text("utf-8"))
    assert settings["as_in_paper"] is True
    recipe = read_recipe(settings["recipe"])
    assert dict(recipe.weights) == {"repetition": 0.1, "substitution": 0.3, "reordering": 0.4}
    assert recipe.counts == pytest.approx((5 / 9, 2 / 9, 2 / 9))
    about = json.loads((out / "runs" / "roc-disscore-0" / "union.json").read_text("utf-8"))
    assert about["task"] == "disscore"


@pytest.mark.parametrize("technique", ABLATED)
def test_a_recipe_survives_being_a_file(technique: str, tmp_path: Path) -> None:
    recipe = recipe_without(technique)
    path = tmp_path / f"{recipe.name}.toml"
    path.write_text(as_toml(recipe))
    assert read_recipe(path) == recipe
    assert technique not in recipe.weight_of
    assert len(recipe.counts) == 3
    assert {**recipe.weight_of, technique: RECIPES["paper"].weight_of[technique]} == dict(RECIPES["paper"].weight_of)


def test_another_run_in_the_same_folder_is_refused(second: Done, train: Train) -> None:
    done = train("--set", "learning_rate=1e-3")
    assert done.returncode == 2
    assert "roc-union-0 is another run: learning_rate was 0.003 and is 0.001" in done.stderr


def test_sampled_stories_of_ones_own_are_taken(second: Done, out: Path, data_folder: Path, tmp_path: Path) -> None:
    rows = (out / "sampled-roc.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "mine.jsonl").write_text("\n".join(rows[:40]))
    shutil.copytree(out / "tiny", tmp_path / "out" / "tiny")
    asked = Asked("smoke", data_folder / "stories", data_folder / "union", tmp_path / "out", stories=120)
    runs = Runs(asked._replace(sampled=[tmp_path / "mine.jsonl"]), print)
    kept = runs._sampled(runs._corpus("roc"), runs.common)
    texts = {piece.text for side in runs._corpus("roc")[:2] for piece in side}
    assert 20 < len(kept) <= 40
    assert all(row.human in texts for row in kept)
    assert any("[MALE]" in row.samples[0] or "[FEMALE]" in row.samples[0] for row in kept)
    (tmp_path / "other.jsonl").write_text(json.dumps({"human": "No.", "samples": ["Yes."], "temperatures": [1]}))
    others = Runs(asked._replace(sampled=[tmp_path / "other.jsonl"]), print)
    with pytest.raises(InputError, match="none of the 1 rows"):
        others._sampled(runs._corpus("roc"), runs.common)


def test_what_is_asked_wrongly_is_said_in_a_line(cli: Cli, tmp_path: Path, data_folder: Path) -> None:
    assert "add --train" in cli("reproduce", "union", "--size", "smoke").stderr
    assert "add -o" in cli("reproduce", "union", "--train", "--folder", data_folder / "union").stderr
    with pytest.raises(InputError, match="--data"):
        find_stories(tmp_path)
    with pytest.raises(InputError, match=", ".join(SIZES)):
        Runs(Asked("huge", tmp_path, tmp_path, tmp_path), print)
    (tmp_path / "runs" / "roc-union-0").mkdir(parents=True)
    (tmp_path / "runs" / "roc-union-0" / "run.json").write_text("{}")
    asked = Asked("smoke", tmp_path, data_folder / "union", tmp_path, base="path:nowhere")
    with pytest.raises(OutputError, match="is another run"):
        Runs(asked, print).logits(EXPERIMENTS[0])
    assert os.listdir(tmp_path) == ["runs"]
