"""`yarnstick reproduce union-models`: figures of story models against people, held to SciPy and to published ones."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli
from scipy import stats

SETS = ("roc400", "hanna")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, data_folder: Path) -> dict[str, Path]:
    """Invented logits: as many characters, with noise; the second run has the ROC stories only."""
    ids = {
        "roc400": [line.split("|||")[0].strip() for line in _lines(data_folder / "union" / "roc" / "ant_data.txt")],
        "hanna": [str(json.loads(line)["story_id"]) for line in _lines(data_folder / "hanna" / "stories.jsonl")],
    }
    home, rng = tmp_path_factory.mktemp("runs"), np.random.default_rng(5)
    folders = {name: home / name for name in ("one", "two")}
    for name, folder in folders.items():
        folder.mkdir()
        for rated in SETS if name == "one" else SETS[:1]:
            rows = [f"{id},{logit:.6f},0.5\n" for id, logit in zip(ids[rated], rng.normal(size=2000), strict=False)]
            (folder / f"{rated}.logits.csv").write_text("id,logit,score\n" + "".join(rows))
    return folders


@pytest.fixture(scope="module")
def figures(runs: dict[str, Path], cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    out = tmp_path_factory.mktemp("out")
    done = cli("reproduce", "union-models", "--logits", runs["one"], "--logits", runs["two"], "-o", out)
    assert done.returncode == 0, done.stderr
    assert "mean of 2" in done.stdout
    assert "logits together" in done.stdout
    assert done.stdout.count("length alone") == 5  # two sets, HANNA's criteria at two levels, and its tests
    with (out / "union_models.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def _value(figures: list[dict[str, str]], column: str = "value", **wanted: str) -> float:
    (found,) = [row for row in figures if all(row[key] == value for key, value in wanted.items())]
    return float(found[column])


def _logits(run: Path, rated: str) -> dict[str, float]:
    with (run / f"{rated}.logits.csv").open(encoding="utf-8", newline="") as stream:
        return {row["id"]: float(row["logit"]) for row in csv.DictReader(stream)}


def test_the_roc_figures_are_scipys(figures: list[dict[str, str]], runs: dict[str, Path], data_folder: Path) -> None:
    given = _logits(runs["two"], "roc400")
    rows = [line.split("|||") for line in _lines(data_folder / "union" / "roc" / "ant_data.txt")]
    x = np.array([given[row[0].strip()] for row in rows])
    y = np.array([np.mean([int(vote) for vote in row[2].split()]) for row in rows])
    z = np.array([len(row[1].split()) for row in rows])
    oracle = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for kind, coefficient in oracle.items():
        named = {"set": "roc400", "model": "two", "coefficient": kind}
        xy, xz, yz = (coefficient(*pair)[0] for pair in ((x, y), (x, z), (y, z)))
        assert _value(figures, **named) == pytest.approx(xy, abs=1e-12)
        assert _value(figures, "with_length", **named) == pytest.approx(xz, abs=1e-12)
        left = (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))
        assert _value(figures, "given_length", **named) == pytest.approx(left, abs=1e-12)
        assert _value(figures, "low", **named) < xy < _value(figures, "high", **named)


def test_the_hanna_figures_are_scipys(figures: list[dict[str, str]], runs: dict[str, Path], data_folder: Path) -> None:
    given = _logits(runs["one"], "hanna")
    stories = [json.loads(line) for line in _lines(data_folder / "hanna" / "stories.jsonl")]
    stories = [one for one in stories if one["system"] != "Human"]
    prompts = sorted({one["prompt_id"] for one in stories})
    for criterion in ("Relevance", "Complexity"):
        found = []
        for prompt in prompts:
            here = [one for one in stories if one["prompt_id"] == prompt]
            ratings = [sum(one["ratings"][criterion]) for one in here]
            found.append(stats.kendalltau([given[str(one["story_id"])] for one in here], ratings)[0])
        named = {"set": "hanna", "model": "one", "level": "story", "criterion": criterion}
        assert _value(figures, **named) == pytest.approx(np.nanmean(found), abs=1e-12)


def test_rows_that_need_no_model_are_the_published_ones(figures: list[dict[str, str]]) -> None:
    for kind, printed in (("pearson", 0.3687), ("spearman", 0.4599), ("kendall", 0.3386)):  # UNION's Table 5
        value = _value(figures, set="roc400", model="UNION as released", coefficient=kind)
        assert round(value, 4) == printed
    story = [row for row in figures if (row["set"], row["model"], row["level"]) == ("hanna", "length alone", "story")]
    assert len(story) == 6
    assert np.mean([float(row["value"]) for row in story]) == pytest.approx(0.2363, abs=5e-5)  # of HANNA's Text length
    assert all(row["given_length"] == "nan" for row in story)


def test_logits_together_are_those_of_both_on_one_scale(
    figures: list[dict[str, str]], runs: dict[str, Path], data_folder: Path
) -> None:
    rows = [line.split("|||") for line in _lines(data_folder / "union" / "roc" / "ant_data.txt")]
    y = [sum(int(vote) for vote in row[2].split()) for row in rows]
    both = [_logits(run, "roc400") for run in runs.values()]
    x = stats.zscore([[given[row[0].strip()] for row in rows] for given in both], axis=1).mean(axis=0)
    value = _value(figures, set="roc400", model="logits together", coefficient="pearson")
    assert value == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-12)


def test_a_model_is_set_against_the_row_to_beat(runs: dict[str, Path], data_folder: Path) -> None:
    from yarnstick.agreement.paired import paired_bootstrap
    from yarnstick.reproduce.against import against
    from yarnstick.reproduce.logits_file import read_logits
    from yarnstick.reproduce.rated_sets import rated_hanna, rated_roc

    roc = rated_roc(data_folder / "union" / "roc")
    mine, theirs = read_logits(runs["one"] / roc.file, roc.ids), roc.released["UNION as released"]
    found = against(roc, np.array([mine, theirs]), theirs, "pearson", "pooled")
    wanted = paired_bootstrap(roc.cube(mine[None])[0], roc.cube(theirs[None])[0], roc.human, "pearson", "pooled")
    assert found.difference[0] == pytest.approx(wanted.difference[0], abs=1e-12)
    assert (found.p[0], found.low[0]) == pytest.approx((wanted.p[0], wanted.low[0]), abs=1e-12)
    assert found.difference[1] == pytest.approx(0.0, abs=1e-12)
    assert found.p[1] == 1.0
    # Of six criteria it is the mean that is tested.
    hanna = rated_hanna(data_folder / "hanna")
    mine, length = read_logits(runs["one"] / hanna.file, hanna.ids), hanna.length[hanna.places[0], hanna.places[1]]
    found = against(hanna, mine[None], length, "kendall", "story")
    each = paired_bootstrap(hanna.cube(mine[None])[0], hanna.length, hanna.human, "kendall", "story")
    assert found.difference[0] == pytest.approx(each.difference.mean(), abs=1e-12)
    assert each.low.min() < found.low[0] < found.difference[0] < found.high[0] < each.high.max()


def test_what_cannot_be_judged_is_said_in_a_line(cli: Cli, runs: dict[str, Path], tmp_path: Path) -> None:
    lines = _lines(runs["one"] / "hanna.logits.csv")
    (tmp_path / "hanna.logits.csv").write_text("\n".join(lines[:-3]))
    done = cli("reproduce", "union-models", "--logits", tmp_path)
    assert done.returncode == 2
    assert "lacks 3 of the 960 stories, '1053' the first of them" in done.stderr
    (tmp_path / "hanna.logits.csv").write_text("\n".join([*lines[:7], "6,much"]))
    assert "hanna.logits.csv:8: is no row" in cli("reproduce", "union-models", "--logits", tmp_path).stderr
    (tmp_path / "hanna.logits.csv").unlink()
    assert "holds no logits" in cli("reproduce", "union-models", "--logits", tmp_path).stderr
    assert "there is no model to judge" in cli("reproduce", "union-models").stderr


def test_a_packed_model_is_judged_without_torch(cli: Cli, data_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="scoring needs onnxruntime")
    from tiny_union import packed

    from yarnstick.reproduce.rated_sets import rated_roc
    from yarnstick.union.prose import prose
    from yarnstick.union.runtime import open_runtime

    folder = packed(tmp_path / "tiny")
    done = cli("reproduce", "union-models", "--model", f"path:{folder}", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    rated = rated_roc(data_folder / "union" / "roc")
    odds = open_runtime(folder).log_odds([prose(text) for text in rated.texts])
    with (tmp_path / "out" / "union_models.csv").open(encoding="utf-8", newline="") as stream:
        value = _value(list(csv.DictReader(stream)), set="roc400", model="tiny", coefficient="pearson")
    assert value == pytest.approx(stats.pearsonr(odds, rated.human[0, 0])[0], abs=1e-9)
