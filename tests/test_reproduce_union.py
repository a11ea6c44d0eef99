"""``yarnstick reproduce union``: every number held to the golden files at their stated tolerances."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Cli
from scipy import stats

import yarnstick as ys
from yarnstick.reproduce.p_values import p_value
from yarnstick.reproduce.rendering import as_markdown, write_files
from yarnstick.reproduce.union import reproduce_union
from yarnstick.reproduce.verdict import DIFFERS, EXACT, IMPOSSIBLE, OURS_ONLY, Exhibit, Outcome


@pytest.fixture(scope="module")
def golden(golden_folder: Callable[[str], Path]) -> Path:
    return golden_folder("union")


@pytest.fixture(scope="module")
def outcome(data_folder: Path) -> Outcome:
    return reproduce_union(data_folder / "union")


@pytest.fixture(scope="module")
def made(outcome: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("union")
    write_files(folder, outcome.files, outcome.exhibits)
    return folder


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def exhibit(outcome: Outcome, name: str) -> Exhibit:
    (found,) = [one for one in outcome.exhibits if one.name == name]
    return found


def test_table_5_has_60_of_60_coefficients_and_every_star(made: Path, golden: Path, outcome: Outcome) -> None:
    ours, theirs = rows_of(made / "table5.csv"), rows_of(golden / "table5.csv")
    assert len(ours) == len(theirs) == 60
    assert list(ours[0]) == list(theirs[0])
    for mine, wanted in zip(ours, theirs, strict=True):
        exactly = ("dataset", "metric", "coef", "star_p<0.01", "matches_4_decimals")
        assert [mine[key] for key in exactly] == [wanted[key] for key in exactly]
        assert mine["matches_4_decimals"] == "1"
        assert float(mine["value"]) == pytest.approx(float(wanted["value"]), abs=1e-9)
        assert float(mine["p"]) == pytest.approx(float(wanted["p"]), rel=1e-5)
    for dataset in ("ROC", "WP"):
        assert exhibit(outcome, f"Table 5, {dataset}").line == "exact: 30 of 30 the same"


def test_table_2_section_3_1_and_the_sizes_of_table_7(made: Path, golden: Path, outcome: Outcome) -> None:
    ours = json.loads((made / "table2_table7.json").read_text())
    wanted = json.loads((golden / "table2_table7.json").read_text())
    assert list(ours) == list(wanted)
    floats = "table7_UNION_r_from_released_scores"
    for key in wanted:
        if key == floats:
            assert ours[key] == pytest.approx(wanted[key], abs=1e-9)
        else:
            np.testing.assert_equal(ours[key], wanted[key], err_msg=key)
    for name in ("Table 2", "Section 3.1", "Section 3.1, independence", "Table 7, sizes"):
        assert exhibit(outcome, name).verdict == EXACT


def test_the_four_subset_correlations_of_table_7_are_said_to_differ(outcome: Outcome) -> None:
    table = exhibit(outcome, "Table 7, UNION")
    assert table.verdict == DIFFERS
    assert [row.marks[0] for row in table.rows] == [False, True, True, True, True]
    assert "do not give them" in table.why
    for name in ("Table 6", "Table 7, ablations"):
        assert exhibit(outcome, name).verdict == IMPOSSIBLE
        assert "not released" in exhibit(outcome, name).why


def test_biased_sets(made: Path, golden: Path, outcome: Outcome) -> None:
    ours = json.loads((made / "fig2_biased_sets.json").read_text())
    wanted = json.loads((golden / "fig2_biased_sets.json").read_text())
    assert list(ours) == list(wanted)
    draws = 500
    for number, one in wanted.items():
        assert ours[number]["expected_size"] == pytest.approx(one["expected_size"], abs=1e-6)
        # Both sides are rounded to six decimals.
        assert ours[number]["expected_share_k0..7"] == pytest.approx(one["expected_share_k0..7"], abs=1.5e-6)
        for metric, (mean, sd) in one["pearson_mean_sd_500_draws"].items():
            mine = ours[number]["pearson_mean_sd_500_draws"][metric][0]
            assert abs(mine - mean) <= 4 * sd / math.sqrt(draws), (number, metric)
    assert exhibit(outcome, "Fig 2").verdict == OURS_ONLY


def test_expected_sizes_are_the_paper_s(outcome: Outcome) -> None:
    sizes = [row.ours[0] for row in exhibit(outcome, "Fig 2").rows]
    assert sizes == ["159", "196", "201", "191", "166", "145", "111", "81"]


@pytest.mark.parametrize("seed", range(60))
def test_p_values_are_scipy_s(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(40, 400))
    x, y = rng.normal(size=n), rng.normal(size=n)
    y += rng.uniform(0, 1) * x
    if seed % 2:  # ties, as votes have
        x, y = np.round(2 * x), np.clip(np.round(2 * y), -3, 4)
    tests = {
        "pearson": stats.pearsonr(x, y),
        "spearman": stats.spearmanr(x, y),
        "kendall": stats.kendalltau(x, y, method="asymptotic"),
    }
    for kind, found in tests.items():
        ours = p_value(float(found.statistic), x, y, kind)  # type: ignore[arg-type]
        assert ours == pytest.approx(float(found.pvalue), rel=1e-8, abs=1e-300), kind


@pytest.mark.parametrize("name", ["roc", "wp"])
def test_agree_reads_the_released_scores_and_votes(made: Path, golden: Path, name: str) -> None:
    rows = (row for row in rows_of(golden / "table5.csv") if row["dataset"].lower() == name)
    printed = {(row["metric"], row["coef"]): float(row["value"]) for row in rows}
    kinds = {"pearson": "r", "spearman": "rho", "kendall": "tau"}
    found = ys.agree(made / f"scores-{name}.csv", made / f"ratings-{name}.csv", kinds=kinds, draws=20)
    tested = [line for line in found.lines if line.role == "metric"]
    assert len(tested) == 30
    for line in tested:
        assert (line.level, line.units) == ("pooled", {"roc": 400, "wp": 200}[name])
        assert line.agreement == pytest.approx(printed[line.metric, kinds[line.kind]], abs=1e-9)


def test_a_perfect_correlation_has_p_0() -> None:
    x = np.arange(10.0)
    assert p_value(1.0, x, x, "pearson") == 0
    assert p_value(-1.0, x, -x, "spearman") == 0


def test_the_command_prints_ours_above_the_paper_s_and_writes(cli: Cli, data_folder: Path, tmp_path: Path) -> None:
    folder = data_folder / "union"
    done = cli("reproduce", "union", "--folder", folder, "--only", "Table 5", "-o", tmp_path / "again")
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("  UNION ")][:1]
    assert line.split() == ["UNION", "ours", "0.3687*", "0.4599*", "0.3386*"]
    assert "= exact: 30 of 30 the same" in done.stdout
    assert "Fig 2" not in done.stdout
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == ["table5.csv", "verdicts.csv"]


def test_what_is_not_there_is_named(cli: Cli, tmp_path: Path) -> None:
    done = cli("reproduce", "union", "--folder", tmp_path)
    assert done.returncode == 2
    assert f"found no roc/ant_data.txt in {tmp_path} (name the folder with --folder" in done.stderr


def test_the_page_says_what_was_computed(outcome: Outcome) -> None:
    page = (ROOT / "docs" / "reproduction.md").read_text("utf-8")
    for one in outcome.exhibits:
        assert as_markdown(one) in page, f"run `make docs`: {one.name}"
