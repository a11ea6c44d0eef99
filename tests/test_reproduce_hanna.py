"""``yarnstick reproduce hanna``: every number held to the golden files at their stated tolerances."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from yarnstick.reproduce.hanna import reproduce_hanna
from yarnstick.reproduce.rendering import write_files
from yarnstick.reproduce.verdict import DIFFERS, EXACT, OURS_ONLY, ROUNDING, Exhibit, Outcome


@pytest.fixture(scope="module")
def golden(data_folder: Path) -> Path:
    folder = data_folder.parent / "golden" / "hanna"
    if not folder.is_dir():
        pytest.skip(f"no golden files in {folder}")
    return folder


@pytest.fixture(scope="module")
def outcome(data_folder: Path) -> Outcome:
    return reproduce_hanna(data_folder / "hanna")


@pytest.fixture(scope="module")
def made(outcome: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hanna")
    write_files(folder, outcome.files, outcome.exhibits)
    return folder


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def numbers(path: Path) -> tuple[list[str], list[str], np.ndarray]:
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    return header, [row[0] for row in rows], np.array([[float(cell) for cell in row[1:]] for row in rows])


def exhibit(outcome: Outcome, name: str) -> Exhibit:
    (found,) = [one for one in outcome.exhibits if one.name == name]
    return found


def test_metrics_against_criteria(made: Path, golden: Path) -> None:
    ours, theirs = rows_of(made / "metric_vs_criterion.csv"), rows_of(golden / "metric_vs_criterion.csv")
    assert len(ours) == len(theirs) == 432
    assert list(ours[0]) == list(theirs[0])
    for mine, wanted in zip(ours, theirs, strict=True):
        assert [mine[key] for key in list(mine)[:3]] == [wanted[key] for key in list(mine)[:3]]
        for key in list(mine)[3:]:
            tolerance = 1e-8 if mine["metric"].startswith("CIDEr") and key == "story_pearson" else 1e-9
            assert float(mine[key]) == pytest.approx(float(wanted[key]), abs=tolerance), (mine["metric"], key)


def test_metrics_against_metrics(made: Path, golden: Path) -> None:
    for path in golden.glob("metric_metric_*.csv"):
        header, names, wanted = numbers(path)
        mine_header, mine_names, mine = numbers(made / path.name)
        assert (mine_header, mine_names) == (header, names)
        # Ten decimals on both sides: half a unit of the last on each.
        assert np.abs(mine - wanted).max() <= 1e-9 + 1e-10
    for level in ("story", "system"):
        for kind in ("pearson", "spearman", "kendall"):
            _, _, mine = numbers(made / f"metric_metric_{level}_{kind}.csv")
            assert mine.shape == (72, 72)
            np.testing.assert_array_equal(mine, mine.T)
            np.testing.assert_array_equal(np.diag(mine), 1.0)


def test_criteria_against_criteria(made: Path, golden: Path) -> None:
    wanted = json.loads((golden / "criteria_correlations.json").read_text())
    ours = json.loads((made / "criteria_correlations.json").read_text())
    assert list(ours) == list(wanted)
    for figure, one in wanted.items():
        assert [ours[figure][key] for key in ("level", "coef", "order")] == [one["level"], one["coef"], one["order"]]
        np.testing.assert_allclose(ours[figure]["matrix"], one["matrix"], atol=1e-9)
        assert ours[figure]["offdiag_mean"] == pytest.approx(one["offdiag_mean"], abs=1e-9)


def test_printed_figures_3_and_4_are_equal_in_all_238_cells(made: Path, golden: Path, outcome: Outcome) -> None:
    for number in (3, 4):
        assert (made / f"fig{number}.csv").read_text() == (golden / f"fig{number}.csv").read_text()
        assert exhibit(outcome, f"Fig {number}").line == "exact: 119 of 119 printed"


def test_table_3(made: Path, golden: Path, outcome: Outcome) -> None:
    wanted = json.loads((golden / "table3_icc.json").read_text())
    ours = json.loads((made / "table3_icc.json").read_text())
    assert list(ours) == list(wanted)
    for criterion, one in wanted.items():
        assert list(ours[criterion]) == list(one)
        for form, triple in one["released_columns_as_raters"].items():
            assert ours[criterion]["released_columns_as_raters"][form] == pytest.approx(triple, abs=1e-12)
        aligned = one["worker_alignment_recovered_from_F"]
        for form in ("ICC2k", "ICC3k"):
            assert ours[criterion]["worker_alignment_recovered_from_F"][form] == pytest.approx(aligned[form], abs=1e-5)
    table = exhibit(outcome, "Table 3")
    assert table.verdict == DIFFERS
    assert "workers' identities" in table.why
    assert exhibit(outcome, "Table 3, one-way").verdict == EXACT
    assert exhibit(outcome, "Table 3, formula").verdict == ROUNDING


def test_table_4_is_exact_in_all_154_numbers(made: Path, golden: Path, outcome: Outcome) -> None:
    ours, theirs = rows_of(made / "table4.csv"), rows_of(golden / "table4.csv")
    assert len(ours) == len(theirs) == 77
    for mine, wanted in zip(ours, theirs, strict=True):
        exactly = ("system", "criterion", "n", "printed")
        assert [mine[key] for key in exactly] == [wanted[key] for key in exactly]
        for key in ("mean", "ci95_half_width"):
            assert float(mine[key]) == pytest.approx(float(wanted[key]), abs=1e-12)
    assert exhibit(outcome, "Table 4").verdict == EXACT


def test_tables_5_8_9(made: Path, golden: Path, outcome: Outcome) -> None:
    ours, theirs = rows_of(made / "tables_5_8_9_top8.csv"), rows_of(golden / "tables_5_8_9_top8.csv")
    assert len(ours) == len(theirs) == 288
    names: dict[tuple[str, ...], tuple[set[str], set[str]]] = {}
    for mine, wanted in zip(ours, theirs, strict=True):
        exactly = ("level", "criterion", "coef", "rank", "percent", "n_metrics_with_this_value")
        assert [mine[key] for key in exactly] == [wanted[key] for key in exactly]
        assert float(mine["value"]) == pytest.approx(float(wanted["value"]), abs=1e-9)
        if wanted["n_metrics_with_this_value"] == "1":
            assert mine["metric"] == wanted["metric"]
        else:
            group = (mine["level"], mine["criterion"], mine["coef"], mine["percent"])
            both = names.setdefault(group, (set(), set()))
            both[0].add(mine["metric"])
            both[1].add(wanted["metric"])
            names_and_count = (*both, int(wanted["n_metrics_with_this_value"]))
            names[group] = names_and_count[:2]
            if len(both[1]) == names_and_count[2]:  # the whole tie is among the eight: the sets must be equal
                assert both[0] == both[1]
    for name in ("Table 5", "Table 8", "Table 9"):
        assert exhibit(outcome, name).verdict == EXACT


def test_table_6(made: Path, golden: Path, outcome: Outcome) -> None:
    ours, theirs = rows_of(made / "table6_borda.csv"), rows_of(golden / "table6_borda.csv")
    assert len(ours) == len(theirs) == 18 * 72
    held = {(row["ranking"], row["metric"]): row for row in ours}
    for wanted in theirs:
        mine = held[wanted["ranking"], wanted["metric"]]
        assert mine["borda_published_introsort"] == wanted["borda_published_introsort"], wanted
        assert float(mine["borda_average_ranks"]) == pytest.approx(float(wanted["borda_average_ranks"]), abs=1e-9)
        assert mine["borda_stable"] == wanted["borda_stable"], wanted
    table = exhibit(outcome, "Table 6")
    assert table.verdict == EXACT
    by_label = {row.label: row.ours for row in table.rows}
    assert by_label["story"] == ("1237", "1198", "1186", "1177", "1158")
    assert by_label["system"] == ("1120", "1110", "1095", "1070", "1069")
    assert by_label["system, mid-ranks"] == ("1126.5", "1103.5", "1100.5", "1068", "1067.5")


def test_williams_matrices(made: Path, golden: Path, outcome: Outcome) -> None:
    for path in golden.glob("williams_*.csv"):
        header, names, wanted = numbers(path)
        mine_header, mine_names, mine = numbers(made / path.name)
        assert (mine_header, mine_names) == (header, names)
        np.testing.assert_array_equal(mine == 0, wanted == 0)
        np.testing.assert_allclose(mine, wanted, rtol=1e-6)
    assert len(list(made.glob("williams_*.csv"))) == 24
    # The counts RECIPES.md states, and the notebook's two single tests to twelve decimals.
    assert exhibit(outcome, "Figs 27-38").verdict == EXACT
    assert exhibit(outcome, "Williams, single tests").line == "exact: 4 of 4 printed"


def test_corrected_williams_matrices_have_every_cell(made: Path) -> None:
    for path in made.glob("williams_*_corrected.csv"):
        _, _, cells = numbers(path)
        # 72 x 71 / 2 pairs, of which the three identical InfoLM columns leave three blank.
        assert (cells > 0).sum() == 2556 - 3


def test_discrimination_is_inside_the_envelope(made: Path, golden: Path) -> None:
    ours = {(row["metric"], row["criterion"]): float(row["f1"]) for row in rows_of(made / "fig7_26_bootstrap_f1.csv")}
    theirs = rows_of(golden / "fig7_26_bootstrap_f1.csv")
    assert len(ours) == len(theirs) == 504
    for wanted in theirs:
        value = ours[wanted["metric"], wanted["criterion"]]
        mean, sd = float(wanted["mean_150x1000"]), float(wanted["sd"])
        if sd == 0:  # three decimals
            assert value == pytest.approx(mean, abs=6e-4), wanted
        else:
            assert abs(value - mean) <= 4.5 * sd + 0.5, wanted


def test_top_systems(made: Path, golden: Path) -> None:
    assert json.loads((made / "fig8_system_order.json").read_text()) == json.loads(
        (golden / "fig8_system_order.json").read_text()
    )
    ours, theirs = rows_of(made / "fig8_topk.csv"), rows_of(golden / "fig8_topk.csv")
    assert len(ours) == len(theirs) == 3 * 6 * 72
    for mine, wanted in zip(ours, theirs, strict=True):
        assert [mine[key] for key in list(mine)[:4]] == [wanted[key] for key in list(wanted)[:4]]
        for key in list(wanted)[4:]:
            assert float(mine[key]) == pytest.approx(float(wanted[key]), abs=1e-9), (mine, key)


def test_exact_ties_of_complexity(made: Path, golden: Path) -> None:
    header, names, wanted = numbers(golden / "complexity_system_exact_ties.csv")
    mine_header, mine_names, mine = numbers(made / "complexity_system_exact_ties.csv")
    assert (mine_header, mine_names) == (header, names)
    np.testing.assert_allclose(mine, wanted, atol=1e-9)


def test_released_rankings_are_met(outcome: Outcome) -> None:
    found = exhibit(outcome, "Figs 14-19")
    assert found.verdict == EXACT
    for row in found.rows:
        assert row.ours[0] == "432 of 432"
        assert float(row.ours[1]) <= (1e-8 if row.label == "story pearson" else 1e-15)


def test_every_figure_and_table_that_rests_on_released_figures_is_there(outcome: Outcome) -> None:
    names = " ".join(one.name for one in outcome.exhibits)
    for table in (3, 4, 5, 6, 8, 9):
        assert f"Table {table}" in names
    for figure in ("Fig 1 ", "Fig 2 ", "Fig 3 ", "Fig 4 ", "Figs 5, 6, 20-25", "Figs 7, 26", "Fig 8 ", "Figs 14-19"):
        assert figure in names + " "
    for one in outcome.exhibits:
        assert one.verdict in (EXACT, ROUNDING, DIFFERS, OURS_ONLY)
        assert one.verdict == EXACT or one.why, one.name
