"""Drift as UNION measures it, held to the golden files and to small cases by hand; its released data; robustness."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from yarnstick.agreement.drift import biased_sets, dataset_drift, error_types, in_error_sets, keep_probabilities
from yarnstick.agreement.robustness import Change, auc, robustness
from yarnstick.agreement.spans import span_of_mean, wilson
from yarnstick.errors import InputError
from yarnstick.reproduce.union_votes import METRIC_FILES, TYPE_NAMES, UnionSet, read_scores, read_union

NAN = math.nan


@pytest.fixture(scope="module")
def golden(golden_folder: Callable[[str], Path]) -> Path:
    return golden_folder("union")


@pytest.fixture(scope="module")
def roc(data_folder: Path) -> UnionSet:
    return read_union(data_folder / "union", "roc")


# ---------------------------------------------------------------- quality drift (Fig. 2)


def test_keep_probabilities_by_hand() -> None:
    kept = keep_probabilities(np.array([0.0, 1, 3, 7]), [1, 8])
    np.testing.assert_allclose(kept, [[1 / 2, 1, 1 / 3, 1 / 7], [1 / 9, 1 / 8, 1 / 6, 1 / 2]])


def test_fig_2_sizes_and_compositions_are_exact(roc: UnionSet, golden: Path) -> None:
    found = biased_sets(roc.scores, roc.reasonable, draws=2)
    assert [round(size) for size in found.expected_sizes.tolist()] == [159, 196, 201, 191, 166, 145, 111, 81]
    for place, expected in enumerate(json.loads((golden / "fig2_biased_sets.json").read_text("utf-8")).values()):
        assert found.expected_sizes[place] == pytest.approx(expected["expected_size"], abs=1e-9)
        np.testing.assert_allclose(found.expected_shares[place], expected["expected_share_k0..7"], atol=1e-6)


@pytest.mark.parametrize("seed", [0, 11])
def test_fig_2_coefficients(roc: UnionSet, golden: Path, seed: int) -> None:
    draws = 500
    found = biased_sets(roc.scores, roc.reasonable, draws=draws, seed=seed)
    for place, expected in enumerate(json.loads((golden / "fig2_biased_sets.json").read_text("utf-8")).values()):
        for column, metric in enumerate(METRIC_FILES):
            mean, deviation = expected["pearson_mean_sd_500_draws"][metric]
            # two sets of 500 draws: the golden README allows four standard errors of the one
            assert abs(found.mean[place, column] - mean) <= 4 * math.sqrt(2) * deviation / math.sqrt(draws)
            assert found.deviation[place, column] == pytest.approx(deviation, rel=0.2)


def test_biased_sets_are_what_a_plain_loop_draws() -> None:
    rng = np.random.default_rng(1)
    votes = rng.integers(0, 8, size=60).astype(float)
    scores = np.stack([votes + rng.normal(size=60), rng.normal(size=60)])
    found = biased_sets(scores, votes, centres=(2, 6), draws=40, seed=5)
    drawn = np.random.default_rng(5)
    for place, centre in enumerate((2, 6)):
        kept = drawn.random((40, 60)) < 1 / (np.abs(centre - votes) + 1)
        loop = np.array([[stats.pearsonr(row[one], votes[one]).statistic for one in kept] for row in scores])
        np.testing.assert_allclose(found.mean[place], loop.mean(axis=1), atol=1e-12)
        np.testing.assert_allclose(found.deviation[place], loop.std(axis=1, ddof=1), atol=1e-12)
    # sizes that are drawn come to the ones expected
    assert found.expected_sizes[1] == pytest.approx(np.mean([kept.sum(axis=1)]), rel=0.05)


def test_other_coefficients_and_constant_metrics() -> None:
    rng = np.random.default_rng(2)
    votes = rng.integers(0, 8, size=80).astype(float)
    scores = np.stack([np.exp(votes), np.full(80, 0.1)])
    for kind in ("spearman", "kendall"):
        found = biased_sets(scores, votes, centres=(4,), draws=10, kind=kind)
        assert found.mean[0, 0] == pytest.approx(1.0)
        assert math.isnan(found.mean[0, 1])
        assert math.isnan(found.deviation[0, 1])


def test_votes_that_are_shares_are_refused() -> None:
    with pytest.raises(InputError, match=r"0.5 votes, not a whole number from 0 to 7"):
        biased_sets(np.ones((1, 3)), np.array([0, 0.5, 1]))


# ---------------------------------------------------------------- error types (section 3.1, Tables 2 and 7)


def test_tables_2_and_7_and_section_3_1(roc: UnionSet, golden: Path) -> None:
    expected = json.loads((golden / "table2_table7.json").read_text("utf-8"))
    found = error_types(roc.votes, roc.errors)
    assert (found.reasonable, found.unreasonable) == (19, 381)
    assert np.round(100 * found.shares, 2).tolist() == list(expected["table2_percent_of_381"].values())
    assert [round(100 * share, 1) for share in found.shares.tolist()] == [44.1, 56.2, 67.5, 50.4, 12.9]
    assert list(found.stories_with) == expected["n_stories_with_k_of_4_types"]
    percent = [round(100 * count / 381, 2) for count in found.stories_with[1:]]
    assert percent == expected["percent_1234"] == [23.36, 36.48, 34.65, 4.46]
    np.testing.assert_allclose(found.overlap[:4, :4], expected["spearman_presence_400"], atol=1e-6)
    np.testing.assert_allclose(found.overlap_p[:4, :4], expected["spearman_p"], atol=1e-6)
    assert dict(zip(TYPE_NAMES[:4], found.sizes[:4], strict=True)) == expected["table7_sizes_ge3"]
    assert found.sizes[:4] == (24, 38, 61, 23)
    assert np.bincount(roc.reasonable.astype(int)).tolist() == expected["score_hist_k_of_7"]
    in_sets = in_error_sets(roc.scores, roc.votes, found)[list(METRIC_FILES).index("UNION")]
    for place, name in enumerate(TYPE_NAMES[:4]):
        # not the paper's figures, which are not to be had from the released scores
        assert in_sets[place] == pytest.approx(expected["table7_UNION_r_from_released_scores"][name], abs=1e-12)


def test_error_types_by_hand() -> None:
    votes = np.array([[1, 1, 1], [0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 0, 1.0]])
    first = np.array([[0, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0.0]])
    second = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0], [1, 1, 0.0]])
    found = error_types(votes, np.stack([first, second]), together=2, least=2)
    assert (found.reasonable, found.unreasonable) == (2, 3)
    assert found.shares == pytest.approx([2 / 3, 1.0])
    assert found.stories_with == (2, 1, 2)
    assert found.sizes == (1, 1)
    assert found.sets.tolist() == [[True, True, False, True, False], [True, False, False, True, True]]
    theirs = stats.spearmanr([0, 1, 1, 0, 0], [0, 1, 1, 0, 1])
    assert (found.overlap[0, 1], found.overlap_p[0, 1]) == pytest.approx((theirs.statistic, theirs.pvalue))
    # in the first set: means 1, 0, 1 against scores 3, 1, 2
    expected = stats.pearsonr([3, 1, 2], [1, 0, 1]).statistic
    assert in_error_sets(np.array([[3, 1, 9, 2, 0.0]]), votes, found)[0, 0] == pytest.approx(expected)


def test_error_types_of_another_shape_are_refused() -> None:
    with pytest.raises(InputError, match="do not fit"):
        error_types(np.ones((4, 3)), np.ones((2, 4, 2)))


# ---------------------------------------------------------------- dataset drift (Table 6)


def test_dataset_drift_by_hand() -> None:
    humans = {"roc": np.array([1.0, 2, 3, 4]), "wp": np.array([1.0, 0, 1])}
    drift = dataset_drift(
        {
            ("union", "roc", "roc"): np.array([1.0, 2, 3, 5]),
            ("union", "wp", "roc"): np.array([4.0, 3, 2, 1]),
            ("union", "wp", "wp"): np.array([2.0, 0, 2]),
            ("ruber", "roc", "wp"): np.array([0.0, 1, 1]),
        },
        humans,
    )
    assert (drift.metrics, drift.trained_on, drift.tested_on) == (("union", "ruber"), ("roc", "wp"), ("roc", "wp"))
    high = stats.pearsonr([1, 2, 3, 5], [1, 2, 3, 4]).statistic
    np.testing.assert_allclose(drift.values, [[[high, NAN], [-1, 1]], [[NAN, -0.5], [NAN, NAN]]])
    np.testing.assert_allclose(drift.lost, [[[0, NAN], [high + 1, 0]], [[NAN, NAN], [NAN, NAN]]], atol=1e-12)


def test_scores_that_fit_no_test_set_are_named() -> None:
    with pytest.raises(InputError, match=r"union trained on roc has 3 scores on wp, which has no human scores"):
        dataset_drift({("union", "roc", "wp"): np.ones(3)}, {})
    with pytest.raises(InputError, match="which has 2 human scores"):
        dataset_drift({("union", "roc", "wp"): np.ones(3)}, {"wp": np.ones(2)})


# ---------------------------------------------------------------- reading what UNION released


def test_both_sets_are_read(data_folder: Path, roc: UnionSet) -> None:
    assert (roc.votes.shape, roc.errors.shape, roc.scores.shape) == ((400, 7), (5, 400, 7), (10, 400))
    assert (roc.ids[:2], roc.votes[1].tolist()) == (("151", "152"), [0, 0, 0, 0, 0, 1, 0])
    # codes 2 5 1 4 4 0 3 of the second story: who named what
    assert roc.errors[:, 1].argmax(axis=0)[[0, 1, 2, 3, 4, 6]].tolist() == [1, 4, 0, 3, 3, 2]
    wp = read_union(data_folder / "union", "wp")
    assert (wp.votes.shape, wp.errors.shape, wp.scores.shape) == ((200, 7), (0, 200, 7), (10, 200))
    assert wp.scores[list(METRIC_FILES).index("Perplexity"), 0] == -2.7436


def test_table_5_of_the_released_scores(data_folder: Path, golden: Path) -> None:
    lines = (golden / "table5.csv").read_text("utf-8").splitlines()
    rows = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    sets = {name.upper(): read_union(data_folder / "union", name) for name in ("roc", "wp")}
    by_name = {"r": stats.pearsonr, "rho": stats.spearmanr, "tau": stats.kendalltau}
    assert len(rows) == 60
    for row in rows:
        one = sets[row["dataset"]]
        scores = one.scores[list(METRIC_FILES).index(row["metric"])]
        found = by_name[row["coef"]](scores, one.votes.mean(axis=1)).statistic
        assert found == pytest.approx(float(row["value"]), abs=1e-9)
        assert round(float(found), 4) == pytest.approx(float(row["paper"]), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0.5\nhalf\n0.1\n", r"bleu\.txt:2: holds 'half', not a number"),
        ("0.5\nnan\n0.1\n", r"bleu\.txt:2: holds 'nan'"),
        ("0.5\n0.1\n", r"bleu\.txt:2: ends with 2 scores where 3 stories"),
        ("1\n2\n3\n4\n", r"bleu\.txt:4: ends with 4 scores where 3 stories"),
    ],
)
def test_scores_that_cannot_be_used_are_named_with_file_and_line(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "bleu.txt").write_text(text)
    with pytest.raises(InputError, match=says):
        read_scores(tmp_path / "bleu.txt", 3)


def test_missing_files_and_bad_votes_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"bleu\.txt: is not there"):
        read_scores(tmp_path / "bleu.txt", 3)
    folder = tmp_path / "roc"
    folder.mkdir()
    (folder / "ant_data.txt").write_text("7 ||| a cat sat . ||| 1 1 1 1 1 1 1\n8 ||| it left . ||| 1 1 2 1 1 1 1\n")
    with pytest.raises(InputError, match=r"ant_data\.txt:2: has the vote '2'"):
        read_union(tmp_path, "roc")
    (folder / "ant_data.txt").write_text("7 ||| a cat sat . ||| 1 1 1 1 1 1 1\n")
    (folder / "ant_data_all.txt").write_text("7 ||| a cat sat . ||| 0 0 0 3 0 0 0\n")
    with pytest.raises(InputError, match=r"'7' has another text or other votes in ant_data_all"):
        read_union(tmp_path, "roc")


def test_a_set_without_all_of_its_scores(data_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(data_folder / "union" / "wp", tmp_path / "wp")
    (tmp_path / "wp" / "metric_output" / "dis.txt").unlink()
    with pytest.raises(InputError, match=r"dis\.txt: is not there"):
        read_union(tmp_path, "wp")


# ---------------------------------------------------------------- robustness: damage and harmless changes

SHUFFLED, MORE_SHUFFLED, CONTRACTED = (
    Change("shuffle", 0.2),
    Change("shuffle", 0.6),
    Change("contract", 1, harmful=False),
)


def test_robustness_by_hand() -> None:
    originals = np.array([[1.0, 2, 3, 4], [5, 5, 5, 5]])
    suite = robustness(
        originals,
        {
            MORE_SHUFFLED: np.array([[0.0, 0, 3, NAN], [5, 5, 5, 5]]),
            SHUFFLED: np.array([[0.5, 2, 3.5, 3], [5, 5, 5, 5]]),
            CONTRACTED: np.array([[1.0, 2.06, 3, 2], [5, 5, 5, 5.1]]),
        },
        ["good", "constant"],
    )
    more, less, *constant = suite.discrimination
    assert (more.metric, more.change, more.stories) == ("good", MORE_SHUFFLED, 3)
    assert (more.falls, more.fall) == pytest.approx((2 / 3, 1.0))
    assert more.falls_interval == pytest.approx(wilson(2 / 3, 3))
    assert more.fall_interval == pytest.approx(span_of_mean(np.array([1.0, 2, 0])))
    assert more.fall_in_deviations == pytest.approx(1 / np.std([1, 2, 3, 4], ddof=1))
    # 1 2 3 against 0 0 3: seven of nine pairs won, one tied
    assert more.auc == pytest.approx((2 + 2 + 2.5) / 9)
    assert (less.stories, less.falls, less.fall) == (4, 0.5, pytest.approx((0.5 + 0 - 0.5 + 1) / 4))
    assert [(one.falls, one.fall, one.auc) for one in constant] == [(0, 0, 0.5)] * 2
    assert math.isnan(constant[0].fall_in_deviations)
    good, flat = suite.gradients
    # strengths 0, .2, .6: scores 1 .5 0 (-1), 2 2 0 (-sqrt(3)/2), 3 3.5 3 (0), the fourth has two versions only
    assert good.strengths == (0.2, 0.6)
    assert (good.correlation, good.stories) == (pytest.approx((-1 - math.sqrt(0.75) + 0) / 3), 3)
    assert math.isnan(flat.correlation)
    assert flat.stories == 0
    same, moved = suite.invariance
    # .05 standard deviations (1.29) are .065
    assert (same.unchanged, same.moved) == pytest.approx((3 / 4, 2.06 / 4))
    assert (moved.unchanged, moved.moved) == pytest.approx((3 / 4, 0.1 / 4))


def test_one_strength_has_no_gradient() -> None:
    suite = robustness(np.array([[1.0, 2, 3]]), {SHUFFLED: np.array([[0.0, 1, 2]])}, ["m"])
    assert math.isnan(suite.gradients[0].correlation)
    assert suite.discrimination[0].falls == 1


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_gradient_is_scipys_coefficient_story_by_story(kind) -> None:
    rng = np.random.default_rng(3)
    changes = [Change("cut", strength) for strength in (0.1, 0.3, 0.5, 0.9)]
    originals = rng.normal(size=(2, 30))
    changed = {change: originals - change.strength + 0.4 * rng.normal(size=(2, 30)) for change in reversed(changes)}
    found = robustness(originals, changed, ["a", "b"], kind=kind).gradients
    theirs = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[kind]
    for row, one in enumerate(found):
        each = [
            theirs(
                [0, 0.1, 0.3, 0.5, 0.9], [originals[row, story], *(changed[c][row, story] for c in changes)]
            ).statistic
            for story in range(30)
        ]
        assert one.correlation == pytest.approx(np.mean(each), abs=1e-12)
        assert one.interval == pytest.approx(span_of_mean(np.array(each)), abs=1e-12)


def test_auc_against_mann_whitney() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        size = rng.integers(2, 40)
        one, other = rng.integers(0, 8, size=(2, size)).astype(float)
        expected = stats.mannwhitneyu(one, other).statistic / size**2
        assert auc(one, other)[0] == pytest.approx(expected, abs=1e-12)


def test_aucs_interval_covers_the_truth() -> None:
    # Scores N(0, 1), damaged ones a unit lower, versions of a story correlated at .8: AUC = Phi(1 / sqrt 2)
    rng, truth, covered = np.random.default_rng(5), stats.norm.cdf(1 / math.sqrt(2)), []
    widths = []
    for _ in range(600):
        quality = rng.normal(size=(60, 1))
        scores = math.sqrt(0.8) * quality + math.sqrt(0.2) * rng.normal(size=(60, 2))
        low, high = auc(scores[:, 0], scores[:, 1] - 1)[1]
        covered.append(low <= truth <= high)
        widths.append(high - low)
    assert 0.92 <= np.mean(covered) <= 0.98
    # ... and knows that versions of one story are compared: unpaired it would be as wide as DeLong's usual .18
    assert np.mean(widths) < 0.13


def test_perfect_and_blind_metrics_have_intervals_too() -> None:
    scores = np.arange(20.0)
    perfect, blind = auc(scores + 100, scores), auc(scores, scores)
    assert perfect[0] == 1.0
    assert 0.8 < perfect[1].low < 1.0 == perfect[1].high
    assert blind[0] == 0.5
    assert blind[1].low < 0.5 < blind[1].high
    assert all(math.isnan(value) for value in (auc(scores[:0], scores[:0])[0], *auc(scores[:0], scores[:0])[1]))


def test_stories_that_could_not_be_changed_do_not_count() -> None:
    nothing = np.full((1, 3), NAN)
    suite = robustness(np.array([[1.0, 2, 3]]), {SHUFFLED: nothing, CONTRACTED: nothing}, ["m"])
    assert (suite.discrimination[0].stories, suite.invariance[0].stories) == (0, 0)
    assert math.isnan(suite.discrimination[0].falls)
    assert math.isnan(suite.invariance[0].unchanged)


@pytest.mark.parametrize(
    ("changed", "metrics", "says"),
    [
        ({SHUFFLED: np.ones((1, 2))}, ["m"], r"shuffle at 0.2 has scores of the shape \(1, 2\)"),
        ({Change("cut", 0): np.ones((1, 3))}, ["m"], "cut has the strength 0"),
        ({}, ["m", "n"], "2 metrics need scores of as many rows"),
    ],
)
def test_what_the_suite_refuses(changed: dict, metrics: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        robustness(np.ones((1, 3)), changed, metrics)


@settings(max_examples=60, deadline=None)
@given(arrays(np.float64, (2, 12), elements=st.integers(-20, 20).map(float)))
def test_auc_turns_with_the_sides_and_asks_for_order_alone(scores: np.ndarray) -> None:
    (area, span), (turned, other) = auc(scores[0], scores[1]), auc(scores[1], scores[0])
    assert area + turned == pytest.approx(1)
    assert (span.low + other.high, span.high + other.low) == pytest.approx((1, 1))
    assert auc(*np.exp(scores / 10))[0] == pytest.approx(area)
    assert span.low <= area <= span.high
