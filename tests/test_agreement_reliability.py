"""How far people agree: textbook tables, hand-worked cases, HANNA's Table 3, and other implementations where there are any."""

from __future__ import annotations

import contextlib
import json
import math
import warnings
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize, stats

from yarnstick.agreement.ceiling import ceiling, empirical_ceiling, spearman_brown
from yarnstick.agreement.concordance import kendalls_w
from yarnstick.agreement.correlation import at_level
from yarnstick.agreement.icc import FORMS, icc, icc_forms, mean_squares_from_f
from yarnstick.agreement.kappa import fleiss_kappa
from yarnstick.agreement.krippendorff import coincidences, krippendorff_alpha
from yarnstick.agreement.matching import matching_at_level
from yarnstick.agreement.mixed import mixed_model
from yarnstick.agreement.raters import (
    normalised_scores,
    one_against_rest,
    rater_profiles,
    rater_z_scores,
    rest_of_raters,
)
from yarnstick.agreement.spans import percentiles, span_of_mean, wilson
from yarnstick.errors import InputError

NAN = math.nan
#: Shrout & Fleiss (1979), table 2: six targets, four judges
SHROUT_FLEISS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)
#: Krippendorff's example of four observers and twelve units, with ratings missing
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
CRITERIA = {
    "RE": "Relevance",
    "CH": "Coherence",
    "EM": "Empathy",
    "SU": "Surprise",
    "EG": "Engagement",
    "CX": "Complexity",
}

whole_ratings = arrays(
    np.float64, st.tuples(st.integers(3, 9), st.integers(2, 5)), elements=st.integers(1, 5).map(float)
)


def invented(stories: int, raters: int, missing: float = 0.0, seed: int = 0) -> np.ndarray:
    """Ratings by the mixed model itself."""
    rng = np.random.default_rng(seed)
    ratings = (
        3 + rng.normal(size=(stories, 1)) + 0.6 * rng.normal(size=raters) + 0.9 * rng.normal(size=(stories, raters))
    )
    ratings[rng.random(ratings.shape) < missing] = NAN
    return ratings


@pytest.fixture(scope="module")
def hanna(data_folder: Path) -> dict[str, np.ndarray]:
    """Criterion -> 1,056 stories × 3 ratings in file order."""
    with (data_folder / "hanna" / "stories.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line)["ratings"] for line in lines]
    return {short: np.array([row[name] for row in rows], float) for short, name in CRITERIA.items()}


@pytest.fixture(scope="module")
def table3(data_folder: Path) -> dict[str, dict]:
    path = data_folder.parent / "golden" / "hanna" / "table3_icc.json"
    if not path.is_file():
        pytest.skip(f"no golden table 3 at {path}")
    return json.loads(path.read_text("utf-8"))


# ---------------------------------------------------------------- intraclass correlation


def test_icc_of_shrout_and_fleiss() -> None:
    found = icc(SHROUT_FLEISS)
    published = {"ICC1": 0.17, "ICC2": 0.29, "ICC3": 0.71, "ICC1k": 0.44, "ICC2k": 0.62, "ICC3k": 0.91}
    assert {form: round(found[form].value, 2) for form in FORMS} == published
    squares = found.mean_squares
    assert [round(square, 2) for square in squares[:4]] == [11.24, 32.49, 6.26, 1.02]
    # ... and the intervals that McGraw & Wong's formulas give for it, printed in many manuals
    assert [round(end, 2) for end in found["ICC1"].interval] == [-0.13, 0.72]
    assert [round(end, 2) for end in found["ICC2"].interval] == [0.02, 0.76]
    assert [round(end, 2) for end in found["ICC3"].interval] == [0.34, 0.95]
    assert [round(end, 2) for end in found["ICC3k"].interval] == [0.68, 0.99]


def test_icc_by_hand() -> None:
    # stories 1 and 3 of two raters, the second always 1 higher: means 1.5 and 3.5, raters 2 and 3, no residual
    found = icc(np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert found.mean_squares[:4] == (4.0, 1.0, 0.5, 0.0)
    assert found["ICC1"].value == pytest.approx(3.5 / 4.5)
    assert found["ICC2"].value == pytest.approx(4 / (4 + 2 * 1 / 2))
    assert found["ICC3"].value == 1.0
    assert (found["ICC1k"].value, found["ICC2k"].value) == pytest.approx((3.5 / 4, 4 / 4.5))


@pytest.mark.parametrize("seed", range(6))
def test_icc_against_pingouin(seed: int) -> None:
    pingouin, pandas = pytest.importorskip("pingouin"), pytest.importorskip("pandas")
    ratings = np.round(invented(12 + seed, 3 + seed % 3, seed=seed), seed % 3)
    stories, raters = ratings.shape
    long = pandas.DataFrame(
        {
            "story": np.repeat(np.arange(stories), raters),
            "rater": np.tile(np.arange(raters), stories),
            "value": ratings.ravel(),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own, of pandas' changes
        table = pingouin.intraclass_corr(long, "story", "rater", "value")
    found = icc(ratings)
    names = dict(zip(("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)"), FORMS, strict=True))
    interval = "CI95" if "CI95" in table else "CI95%"
    for row in table.to_dict("records"):
        ours = found[names.get(row["Type"], row["Type"])]
        assert ours.value == pytest.approx(row["ICC"], abs=1e-9)
        assert (ours.f, ours.df1, ours.df2) == pytest.approx((row["F"], row["df1"], row["df2"]), rel=1e-7)
        assert ours.p == pytest.approx(row["pval"], rel=1e-6, abs=1e-300)
        assert list(ours.interval) == pytest.approx(list(row[interval]), abs=0.005 + 1e-9)  # it rounds to two decimals


def test_icc_intervals_cover_the_truth() -> None:
    # Stories of variance 1, raters .36, error .81: ICC2 = 1 / 2.17, ICC3k = 1 / (1 + .81 / 4)
    tables = [icc(invented(30, 4, seed=seed)) for seed in range(400)]
    for form, truth in (("ICC2", 1 / 2.17), ("ICC3k", 1 / (1 + 0.81 / 4))):
        covered = np.mean([one[form].interval.low <= truth <= one[form].interval.high for one in tables])
        assert 0.92 <= covered <= 0.98, (form, covered)


def test_perfect_agreement_is_one_without_warnings() -> None:
    found = icc(np.array([[1.1, 1.1, 1.1], [2.3, 2.3, 2.3], [4.7, 4.7, 4.7]]))
    for form in FORMS:
        assert (found[form].value, found[form].f, found[form].p) == (1.0, math.inf, 0.0)
        assert tuple(found[form].interval) == (1.0, 1.0)


def test_ratings_that_do_not_vary_have_no_icc() -> None:
    found = icc(np.full((4, 3), 0.1))
    assert all(math.isnan(found[form].value) and math.isnan(found[form].p) for form in FORMS)


def test_icc_uses_complete_stories_and_counts_the_others() -> None:
    gaps = np.vstack([SHROUT_FLEISS, [[1, NAN, 2, 3], [NAN, NAN, NAN, NAN]]])
    assert icc(gaps).left_out == 2
    assert icc(gaps)["ICC2"] == icc(SHROUT_FLEISS)["ICC2"]


def test_too_few_complete_stories_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(InputError, match=r"2 stories that all 2 raters rated, and there are 1 .*mixed model"):
        icc(np.array([[1, 2], [NAN, 2], [3, NAN]]))
    with pytest.raises(InputError, match="at least 2 raters"):
        icc(np.ones((5, 1)))


@settings(max_examples=60, deadline=None)
@given(whole_ratings, st.integers(0, 1000))
def test_what_leaves_icc_as_it_is(ratings: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = icc(ratings)
    moved = icc(ratings[rng.permutation(len(ratings))][:, rng.permutation(ratings.shape[1])] * 2 + 1)
    for form in FORMS:
        assert moved[form].value == pytest.approx(before[form].value, abs=1e-8, nan_ok=True)
    shifted = icc(ratings + rng.integers(-3, 4, size=ratings.shape[1]))
    for form in ("ICC3", "ICC3k"):
        assert shifted[form].value == pytest.approx(before[form].value, abs=1e-8, nan_ok=True)


# ---------------------------------------------------------------- HANNA's Table 3


@pytest.mark.parametrize("criterion", CRITERIA)
def test_table_3_of_the_released_columns(criterion: str, hanna: dict[str, np.ndarray], table3: dict[str, dict]) -> None:
    found, golden = icc(hanna[criterion]), table3[criterion]
    assert found.mean_squares.between_stories == pytest.approx(golden["MSR"], abs=1e-12)
    assert found.mean_squares.within_stories == pytest.approx(golden["MSW"], abs=1e-12)
    for form, (value, low, high) in golden["released_columns_as_raters"].items():
        assert found[form].value == pytest.approx(value, abs=1e-12)
        assert tuple(found[form].interval) == pytest.approx((low, high), abs=1e-12)
    assert round(found["ICC1k"].value, 6) == golden["notebook_ICC1k"]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_table_3_from_the_notebooks_f(criterion: str, hanna: dict[str, np.ndarray], table3: dict[str, dict]) -> None:
    golden = table3[criterion]
    released = icc(hanna[criterion]).mean_squares
    recovered = golden["worker_alignment_recovered_from_F"]
    squares = mean_squares_from_f(released.between_stories, released.within_stories, recovered["F"], 1056, 3)
    assert squares.residual == pytest.approx(recovered["MSE"], rel=1e-12)
    assert squares.between_raters == pytest.approx(recovered["MSC"], rel=1e-9)
    forms = icc_forms(squares)
    for form in ("ICC2k", "ICC3k"):
        value, low, high = recovered[form]
        assert forms[form].value == pytest.approx(value, abs=1e-9)
        assert tuple(forms[form].interval) == pytest.approx((low, high), abs=1e-5)
    assert forms["ICC2k"].value == pytest.approx(golden["notebook_ICC2k"], abs=1e-5)
    assert [round(end, 2) for end in forms["ICC2k"].interval] == golden["notebook_CI"]


def test_table_3_needs_to_know_who_rated_what(hanna: dict[str, np.ndarray], table3: dict[str, dict]) -> None:
    rng = np.random.default_rng(0)
    for criterion, ratings in hanna.items():
        found, published = icc(ratings), table3[criterion]["notebook_ICC2k"]
        shuffled = icc(rng.permuted(ratings, axis=1))
        # Which column a rating of a story stands in is all that is lost: ICC1k does not ask for it ...
        assert shuffled["ICC1k"].value == pytest.approx(found["ICC1k"].value, abs=1e-12)
        # ... ICC2k does, and no reading of the released columns comes near what the paper has.
        assert abs(found["ICC2k"].value - published) > 0.02
        assert abs(shuffled["ICC2k"].value - published) > 0.02
        assert shuffled["ICC2k"].value != found["ICC2k"].value
        # In the columns raters do not differ; by the printed F the three workers of the paper differ very much.
        assert table3[criterion]["worker_alignment_recovered_from_F"]["MSC"] > 15 * found.mean_squares.between_raters
    assert (round(icc(hanna["RE"])["ICC2k"].value, 3), round(icc(hanna["CH"])["ICC2k"].value, 3)) == (0.325, -0.179)


# ---------------------------------------------------------------- Krippendorff's alpha


def test_alpha_of_krippendorffs_example() -> None:
    published = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}
    found = {level: krippendorff_alpha(KRIPPENDORFF, level, draws=0) for level in published}
    assert {level: round(alpha.value, 3) for level, alpha in found.items()} == published
    assert all((alpha.ratings, alpha.stories, alpha.left_out) == (40, 11, 1) for alpha in found.values())


def test_coincidences_of_krippendorffs_example() -> None:
    values, matrix = coincidences(KRIPPENDORFF)
    third = 1 / 3
    expected = [
        [7, 4 * third, third, third, 0],
        [4 * third, 10, 4 * third, third, 0],
        [third, 4 * third, 8, third, 0],
        [third, third, third, 4, 0],
        [0, 0, 0, 0, 3],
    ]
    assert values.tolist() == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(matrix, expected, atol=1e-12)


def alpha_from_coincidences(ratings: np.ndarray, level: str) -> float:
    """Krippendorff's formula as the book writes it, pair by pair."""
    values, matrix = coincidences(ratings)
    totals = matrix.sum(axis=1)
    observed = expected = 0.0
    for c, one in enumerate(values):
        for k, other in enumerate(values):
            low, high = min(c, k), max(c, k)
            difference = {
                "nominal": float(c != k),
                "ordinal": (totals[low : high + 1].sum() - (totals[low] + totals[high]) / 2) ** 2,
                "interval": (one - other) ** 2,
                "ratio": ((one - other) / (one + other)) ** 2 if one + other else 0.0,
            }[level]
            observed += matrix[c, k] * difference
            expected += totals[c] * totals[k] * difference / (totals.sum() - 1)
    return 1 - observed / expected


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_against_the_books_double_sum_and_the_library(level: str) -> None:
    rng = np.random.default_rng(3)
    library = None  # a development oracle; the book's sum is asserted where it is not installed
    with contextlib.suppress(ImportError):
        import krippendorff as library
    for _ in range(40):
        ratings = rng.integers(0, 6, size=(rng.integers(2, 6), rng.integers(4, 15))).astype(float)
        ratings[rng.random(ratings.shape) < 0.25] = NAN
        found = krippendorff_alpha(ratings, level, draws=0).value
        assert found == pytest.approx(alpha_from_coincidences(ratings, level), abs=1e-12)
        if library is not None:
            assert found == pytest.approx(library.alpha(ratings, level_of_measurement=level), abs=1e-9)


def test_alpha_where_it_is_undefined_or_refused() -> None:
    assert math.isnan(krippendorff_alpha(np.full((3, 4), 2.0)).value)
    alone = krippendorff_alpha(np.array([[1, NAN], [NAN, 2.0]]))
    assert math.isnan(alone.value)
    assert (alone.stories, alone.left_out) == (0, 2)
    assert krippendorff_alpha(np.array([[1.0, 2, 3]] * 3)).value == 1.0
    with pytest.raises(InputError, match="nominal, ordinal, interval, ratio"):
        krippendorff_alpha(KRIPPENDORFF, "metric")
    with pytest.raises(InputError, match="0 and more"):
        krippendorff_alpha(-KRIPPENDORFF, "ratio")


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alphas_bootstrap_is_alpha_of_resampled_stories(level: str) -> None:
    stories, draws = KRIPPENDORFF.shape[1] - 1, 300
    weights = np.random.default_rng(7).multinomial(stories, np.full(stories, 1 / stories), size=draws)
    held = KRIPPENDORFF[:, :-1]  # the twelfth has one rating
    values = [krippendorff_alpha(np.repeat(held, row, axis=1), level, draws=0).value for row in weights]
    found = krippendorff_alpha(KRIPPENDORFF, level, draws=draws, seed=7).interval
    assert found == pytest.approx(percentiles(np.array(values)), abs=1e-9)
    assert found.low < krippendorff_alpha(KRIPPENDORFF, level, draws=0).value < found.high


@settings(max_examples=60, deadline=None)
@given(whole_ratings)
def test_alpha_does_not_ask_who_rated_and_ordinal_asks_for_order_alone(ratings: np.ndarray) -> None:
    shuffled = np.random.default_rng(0).permuted(ratings, axis=1)
    for level in ("nominal", "ordinal", "interval", "ratio"):
        before = krippendorff_alpha(ratings.T, level, draws=0).value
        assert krippendorff_alpha(shuffled.T, level, draws=0).value == pytest.approx(before, abs=1e-9, nan_ok=True)
    for level, bent in (("ordinal", np.exp(ratings)), ("nominal", (ratings * 3) % 7), ("interval", 5 - 2 * ratings)):
        before = krippendorff_alpha(ratings.T, level, draws=0).value
        assert krippendorff_alpha(bent.T, level, draws=0).value == pytest.approx(before, abs=1e-9, nan_ok=True)


# ---------------------------------------------------------------- Fleiss' kappa


def test_kappa_by_hand() -> None:
    # agreement 1, 1/3, 1: mean 7/9; shares 5/9 and 4/9: chance 41/81; (63 - 41) / (81 - 41)
    found = fleiss_kappa(np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1.0]]))
    assert found.value == pytest.approx(22 / 40)
    # three stories, three raters, two categories: the standard error is 1 / sqrt(pairs of ratings) = 1 / 3
    assert found.standard_error == pytest.approx(1 / 3)
    assert found.z == pytest.approx(1.65)
    assert found.p == pytest.approx(2 * stats.norm.sf(1.65))


def test_kappa_of_the_fourteen_raters() -> None:
    # ten subjects, fourteen raters, five categories: the worked example of many manuals, .21
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    ratings = np.array([np.repeat(np.arange(5), row) for row in counts], float)
    assert round(fleiss_kappa(ratings).value, 3) == 0.210


def test_kappa_against_statsmodels() -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(5)
    for _ in range(50):
        ratings = rng.integers(0, rng.integers(2, 6), size=(rng.integers(3, 20), rng.integers(2, 7))).astype(float)
        if ratings.min() < ratings.max():
            table, _ = inter_rater.aggregate_raters(ratings.astype(int))
            assert fleiss_kappa(ratings, draws=0).value == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-12)


def test_kappas_z_is_standard_normal_by_chance() -> None:
    rng = np.random.default_rng(1)
    found = [fleiss_kappa(rng.choice(3, p=[0.6, 0.3, 0.1], size=(60, 5)).astype(float), draws=0).z for _ in range(600)]
    assert np.mean(found) == pytest.approx(0, abs=0.15)
    assert np.std(found) == pytest.approx(1, abs=0.1)


def test_kappa_with_gaps() -> None:
    # agreement 1 of (a a), 1/3 of (a a b), the third story has one rating; shares 4/5 and 1/5: chance 17/25
    found = fleiss_kappa(np.array([[0, 0, NAN], [0, 0, 1], [NAN, 1, NAN]]))
    assert found.value == pytest.approx((2 / 3 - 17 / 25) / (8 / 25))
    assert (found.stories, found.left_out) == (2, 1)
    assert math.isnan(found.p)
    assert math.isnan(fleiss_kappa(np.ones((3, 3))).value)
    assert math.isnan(fleiss_kappa(np.array([[1, NAN]])).value)


@settings(max_examples=40, deadline=None)
@given(whole_ratings)
def test_kappa_neither_asks_who_rated_nor_what_categories_are_called(ratings: np.ndarray) -> None:
    renamed = np.array([0, 30, 10, 50, 20, 40.0])[np.random.default_rng(0).permuted(ratings, axis=1).astype(int)]
    before = fleiss_kappa(ratings, draws=0).value
    assert fleiss_kappa(renamed, draws=0).value == pytest.approx(before, abs=1e-12, nan_ok=True)
    assert math.isnan(before) or before <= 1


# ---------------------------------------------------------------- Kendall's W


def test_w_by_hand() -> None:
    # rank sums 4, 5, 10, 11 around 7.5: S = 37, and W = 12 · 37 / (9 · 60)
    found = kendalls_w(np.array([[1, 1, 2], [2, 2, 1], [3, 4, 3], [4, 3, 4.0]]))
    assert found.value == pytest.approx(444 / 540)
    assert (found.chi_square, found.df) == (pytest.approx(7.4), 3)
    assert found.p == pytest.approx(stats.chi2.sf(7.4, 3))
    assert found.mean_spearman == pytest.approx((0.8 + 0.8 + 0.6) / 3)


def test_w_with_ties_by_hand() -> None:
    # ranks 1.5 1.5 3 and 1 2 3: sums 2.5 3.5 6 around 4, S = 6.5; T = 2³ - 2; W = 78 / (4 · 24 - 2 · 6)
    assert kendalls_w(np.array([[1, 1], [1, 2], [2, 3.0]])).value == pytest.approx(78 / 84)


def test_w_against_friedmans_test() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        ratings = rng.integers(1, 6, size=(rng.integers(3, 12), rng.integers(3, 7))).astype(float)
        theirs = stats.friedmanchisquare(*ratings)
        assert (kendalls_w(ratings).chi_square, kendalls_w(ratings).p) == pytest.approx(tuple(theirs), rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(whole_ratings)
def test_w_lies_between_0_and_1_and_asks_for_order_alone(ratings: np.ndarray) -> None:
    found = kendalls_w(ratings).value
    assert math.isnan(found) or -1e-12 <= found <= 1 + 1e-12
    bent = np.exp(ratings[:, ::-1]) * np.arange(1, ratings.shape[1] + 1)
    assert kendalls_w(bent).value == pytest.approx(found, abs=1e-12, nan_ok=True)


def test_w_where_nobody_ranks() -> None:
    assert math.isnan(kendalls_w(np.ones((4, 3))).value)
    assert kendalls_w(np.array([[1, 1], [2, 2], [NAN, 3.0]])).left_out == 1


# ---------------------------------------------------------------- raters


def test_the_rest_by_hand() -> None:
    ratings = np.array([[1, 2, 4], [3, NAN, 5], [NAN, NAN, 2.0]])
    np.testing.assert_array_equal(rest_of_raters(ratings), [[3, 2.5, 1.5], [5, 4, 3], [2, 2, NAN]])


def test_profiles_by_hand() -> None:
    # the second rater is 1 milder than the first everywhere, the third gives 3 to all
    ratings = np.array([[1, 2, 3], [2, 3, 3], [4, 5, 3.0]])
    first, second, third = rater_profiles(ratings)
    assert first.bias == pytest.approx(np.mean([1 - 2.5, 2 - 3, 4 - 4]))
    assert second.bias == pytest.approx(np.mean([2 - 2, 3 - 2.5, 5 - 3.5]))
    assert (third.spread, third.discrimination) == (0.0, 0.0)
    # the others' means 2.5, 3, 4 rise half as fast as the first rater's 1, 2, 4
    assert (first.spread, first.discrimination) == pytest.approx((np.std([1, 2, 4], ddof=1), 2.0))
    assert first.bias_interval == pytest.approx(span_of_mean(np.array([-1.5, -1.0, 0.0])))


def test_a_rater_who_rates_alone_has_no_profile() -> None:
    profile = rater_profiles(np.array([[1, 2, NAN], [2, 3, NAN], [NAN, NAN, 3.0]]))[2]
    assert profile.stories == 0
    assert math.isnan(profile.bias)
    assert math.isnan(profile.discrimination)


def test_one_against_rest_is_scipys_coefficient() -> None:
    ratings = np.random.default_rng(4).integers(1, 6, size=(2, 5, 8, 3)).astype(float)
    found = one_against_rest(ratings, "kendall", "pooled")
    for criterion in range(2):
        for rater in range(3):
            others = np.delete(ratings[criterion], rater, axis=-1).mean(axis=-1)
            theirs = stats.kendalltau(ratings[criterion, :, :, rater].ravel(), others.ravel()).statistic
            assert found[criterion, rater] == pytest.approx(theirs, abs=1e-12)


def test_one_against_rest_where_not_everybody_rated_everything() -> None:
    ratings = invented(60, 4, 0.4, seed=6).reshape(1, 5, 12, 4)
    found = one_against_rest(ratings, "pearson", "pooled")[0]
    flat = ratings.reshape(60, 4)
    for rater in range(4):
        others = np.delete(flat, rater, axis=1)
        shared = ~np.isnan(flat[:, rater]) & ~np.isnan(others).all(axis=1)
        theirs = stats.pearsonr(flat[shared, rater], np.nanmean(others[shared], axis=1)).statistic
        assert found[rater] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall", "kendall-c", "pairwise-accuracy"])
@pytest.mark.parametrize("level", ["story", "system", "pooled", "within-system"])
def test_matching_tables_have_the_diagonal_of_all_pairs(kind, level) -> None:
    rng = np.random.default_rng(6)
    x, y = rng.integers(1, 6, size=(2, 4, 5, 6)).astype(float)
    x[0, 1, 2] = y[1, 3, 3] = NAN
    expected = np.diag(at_level(x, y, kind, level))
    np.testing.assert_allclose(matching_at_level(x, y, kind, level), expected, atol=1e-12)


def test_z_scores_by_hand() -> None:
    ratings = np.array([[1, 5, 3], [2, NAN, 3], [3, 1, 3.0]])
    half = math.sqrt(0.5)
    np.testing.assert_allclose(rater_z_scores(ratings), [[-1, half, NAN], [0, NAN, NAN], [1, -half, NAN]], atol=1e-15)
    np.testing.assert_allclose(normalised_scores(ratings), [(half - 1) / 2, 0, (1 - half) / 2], atol=1e-15)


@settings(max_examples=60, deadline=None)
@given(whole_ratings, st.integers(0, 1000))
def test_z_scores_take_out_strictness_and_spread(ratings: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    raters = ratings.shape[1]
    bent = ratings * rng.integers(1, 4, size=raters) + rng.integers(-3, 4, size=raters)
    np.testing.assert_allclose(rater_z_scores(bent), rater_z_scores(ratings), atol=1e-9)
    order = rng.permutation(raters)
    np.testing.assert_allclose(normalised_scores(bent[:, order]), normalised_scores(ratings), atol=1e-9)


# ---------------------------------------------------------------- mixed model


def dense(ratings: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings in a row, with the stories' and the raters' design matrices."""
    story, rater = np.nonzero(~np.isnan(ratings))
    return ratings[story, rater], np.eye(len(ratings))[story], np.eye(ratings.shape[1])[rater]


def dense_deviance(ratings: np.ndarray, variances: np.ndarray) -> float:
    """-2 log restricted likelihood from the full covariance matrix, as its definition has it."""
    y, z, u = dense(ratings)
    v = variances[0] * z @ z.T + variances[1] * u @ u.T + variances[2] * np.eye(len(y))
    inverse, ones = np.linalg.inv(v), np.ones(len(y))
    information = ones @ inverse @ ones
    residual = y - ones @ inverse @ y / information
    logs = np.linalg.slogdet(v)[1] + math.log(information) + (len(y) - 1) * math.log(2 * math.pi)
    return float(logs + residual @ inverse @ residual)


@pytest.mark.parametrize(("stories", "raters", "missing"), [(25, 4, 0.3), (6, 15, 0.4), (40, 8, 0.6)])
def test_the_mixed_model_is_the_most_likely_one(stories: int, raters: int, missing: float) -> None:
    ratings = invented(stories, raters, missing, seed=stories)
    ratings = ratings[~np.isnan(ratings).all(axis=1)]
    model = mixed_model(ratings)
    assert model.converged
    variances = np.array([model.story_variance, model.rater_variance, model.error_variance])
    assert model.deviance == pytest.approx(dense_deviance(ratings, variances), abs=1e-8)
    search = optimize.minimize(
        lambda logs: dense_deviance(ratings, np.exp(logs)), np.zeros(3), method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-11, "maxiter": 2000},
    )  # fmt: skip
    assert model.deviance <= search.fun + 1e-8
    np.testing.assert_allclose(variances, np.exp(search.x), rtol=1e-4)


def test_predictions_and_their_errors_are_those_of_hendersons_equations() -> None:
    ratings = invented(20, 5, 0.4, seed=1)
    model = mixed_model(ratings)
    y, z, u = dense(ratings)
    design = np.hstack([np.ones((len(y), 1)), z, u])
    penalty = np.zeros(design.shape[1])
    penalty[1:21] = model.error_variance / model.story_variance
    penalty[21:] = model.error_variance / model.rater_variance
    inverse = np.linalg.inv(design.T @ design + np.diag(penalty))
    solution = inverse @ design.T @ y
    errors = np.sqrt(np.diag(inverse) * model.error_variance)
    rated = ~np.isnan(ratings).all(axis=1)
    assert model.mean == pytest.approx(solution[0], abs=1e-9)
    np.testing.assert_allclose(model.stories[rated], solution[1:21][rated], atol=1e-9)
    np.testing.assert_allclose(model.story_errors[rated], errors[1:21][rated], atol=1e-9)
    np.testing.assert_allclose(model.raters, solution[21:], atol=1e-9)
    np.testing.assert_allclose(model.scores, model.mean + model.stories)


@pytest.mark.parametrize(("stories", "raters"), [(30, 4), (4, 30), (300, 10)])
def test_a_complete_table_has_the_solution_of_the_analysis_of_variance(stories: int, raters: int) -> None:
    ratings = invented(stories, raters, seed=raters)
    model, found = mixed_model(ratings), icc(ratings)
    squares = found.mean_squares
    assert model.error_variance == pytest.approx(squares.residual, rel=1e-6)
    assert model.story_variance == pytest.approx((squares.between_stories - squares.residual) / raters, rel=1e-6)
    assert model.rater_variance == pytest.approx((squares.between_raters - squares.residual) / stories, rel=1e-6)
    assert model.mean == pytest.approx(ratings.mean(), abs=1e-12)
    # BLUPs are the story means drawn in by the reliability of a mean of these raters, ICC3k
    expected = (ratings.mean(axis=1) - ratings.mean()) * found["ICC3k"].value
    np.testing.assert_allclose(model.stories, expected, atol=1e-6)


def test_the_mixed_model_against_statsmodels() -> None:
    pandas = pytest.importorskip("pandas")
    api = pytest.importorskip("statsmodels.formula.api")
    ratings = invented(20, 5, 0.3, seed=3)
    model = mixed_model(ratings)
    story, rater = np.nonzero(~np.isnan(ratings))
    long = pandas.DataFrame({"value": ratings[story, rater], "story": story, "rater": rater, "all": 1})
    crossed = {"story": "0 + C(story)", "rater": "0 + C(rater)"}
    theirs = api.mixedlm("value ~ 1", long, groups="all", vc_formula=crossed, re_formula="0").fit(reml=True)
    names = list(theirs.model.exog_vc.names)
    assert model.story_variance == pytest.approx(theirs.vcomp[names.index("story")], rel=1e-3)
    assert model.rater_variance == pytest.approx(theirs.vcomp[names.index("rater")], rel=1e-3)
    assert model.error_variance == pytest.approx(theirs.scale, rel=1e-3)
    assert model.mean == pytest.approx(theirs.fe_params.iloc[0], abs=1e-4)


def test_strict_raters_do_not_make_a_story_worse() -> None:
    # Half of the stories were given to two strict raters more often: means mislead, the model does not.
    rng = np.random.default_rng(8)
    quality, habit = rng.normal(size=300), np.array([-1.5, -1.5, 1.5, 1.5])
    ratings = 3 + quality[:, None] + habit + 0.3 * rng.normal(size=(300, 4))
    strict = rng.random(300) < 0.5
    for story in range(300):
        ratings[story, rng.choice([2, 3] if strict[story] else [0, 1])] = NAN
    model = mixed_model(ratings)
    naive = np.nanmean(ratings, axis=1)
    assert np.corrcoef(model.scores, quality)[0, 1] > 0.97 > np.corrcoef(naive, quality)[0, 1]
    np.testing.assert_allclose(np.diff(model.raters[[0, 2]]), 3.0, atol=0.15)
    assert model.reliability == pytest.approx(np.corrcoef(model.stories, quality)[0, 1] ** 2, abs=0.02)


def test_variances_that_are_not_there_are_0_and_scale_does_not_matter() -> None:
    rng = np.random.default_rng(9)
    ratings = rng.normal(size=(60, 1)) * 0 + rng.normal(size=(60, 5))
    ratings -= ratings.mean(axis=1, keepdims=True) * 0.9
    model = mixed_model(ratings)
    assert model.story_variance == 0
    assert model.reliability == 0
    np.testing.assert_array_equal(model.stories, 0)
    ratings = invented(50, 4, 0.3, seed=2)
    small, large = mixed_model(ratings * 1e-4), mixed_model(ratings * 1e4 + 1e6)
    assert large.story_variance / small.story_variance == pytest.approx(1e16, rel=1e-5)
    assert small.converged
    assert large.converged


def test_stories_and_raters_without_ratings_are_nan() -> None:
    ratings = np.full((12, 6), NAN)
    ratings[:10, :5] = invented(10, 5, seed=1)
    model = mixed_model(ratings)
    assert np.isnan(model.scores[10:]).all()
    assert np.isnan(model.raters[5])
    np.testing.assert_allclose(model.scores[:10], mixed_model(ratings[:10, :5]).scores)


@pytest.mark.parametrize(
    ("ratings", "says"),
    [
        ([[1.0, NAN], [2.0, NAN]], "2 raters of 2 stories"),
        ([[1.0, NAN], [NAN, 2.0]], "cannot tell"),
        ([[2.0, 2.0], [2.0, 2.0]], "all ratings are equal"),
        ([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [4.0, 4.0, 4.0]], "no error is left"),
        ([[1.0, 2.0, NAN], [2.0, 3.0, 2.5], [4.0, NAN, 4.5], [1.5, 2.5, 2.0]], "no error is left"),
    ],
)
def test_ratings_the_mixed_model_refuses(ratings: list[list[float]], says: str) -> None:
    with pytest.raises(InputError, match=says):
        mixed_model(np.array(ratings))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_where_all_rate_all_a_raters_habit_changes_no_score(seed: int) -> None:
    # (both with habits that show: raters found not to differ would share their variance with the error)
    ratings = invented(15, 4, seed=seed)
    habits = np.random.default_rng(seed).permutation([-6.0, -2.0, 2.0, 6.0])
    one, other = mixed_model(ratings + habits), mixed_model(ratings + 2 * habits[::-1])
    np.testing.assert_allclose(one.stories, other.stories, atol=1e-5)
    assert one.error_variance == pytest.approx(other.error_variance, rel=1e-4)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_the_mixed_model_does_not_ask_for_the_raters_order(seed: int) -> None:
    ratings = invented(15, 4, 0.2, seed=seed)
    if np.isnan(ratings).all(axis=1).any():
        return
    order = np.random.default_rng(seed).permutation(4)
    one, other = mixed_model(ratings), mixed_model(ratings[:, order])
    np.testing.assert_allclose(one.scores, other.scores, atol=1e-4)
    np.testing.assert_allclose(one.raters[order], other.raters, atol=1e-4)


def test_the_mixed_model_of_hanna(hanna: dict[str, np.ndarray]) -> None:
    # Complete columns that do not stand for people: the analysis of variance again, raters without variance
    model = mixed_model(hanna["CX"])
    assert model.converged
    assert model.reliability == pytest.approx(icc(hanna["CX"])["ICC1k"].value, abs=0.01)
    assert stats.spearmanr(model.scores, hanna["CX"].mean(axis=1)).statistic > 0.999


# ---------------------------------------------------------------- the ceiling


def test_ceiling_and_spearman_brown_by_hand() -> None:
    assert ceiling(0.49) == pytest.approx(0.7)
    assert math.isnan(ceiling(-0.1))
    np.testing.assert_allclose(ceiling(np.array([0.25, NAN, 0.81])), [0.5, NAN, 0.9])
    np.testing.assert_allclose(spearman_brown(np.array([0.5, -0.2]), 2), [2 / 3, NAN])


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_a_metric_that_knows_the_truth_reaches_the_ceiling_and_no_more(kind) -> None:
    rng = np.random.default_rng(10)
    truth = rng.normal(size=(4, 1500))
    ratings = truth[..., None] + 1.2 * rng.normal(size=(4, 1500, 4))
    found = empirical_ceiling(ratings[None], kind, "pooled", draws=60)
    best = at_level(truth[None], ratings.mean(axis=-1)[None], kind, "pooled")[0, 0]
    assert found.ceiling[0] == pytest.approx(best, abs=0.02)
    assert found.low[0] < found.ceiling[0] < found.high[0]
    # reliability of one is 1 / 2.44, of two and four by Spearman-Brown
    one = 1 / 2.44
    assert found.reliability[0] == pytest.approx(4 * one / (1 + 3 * one), abs=0.02)
    if kind == "pearson":
        assert found.split_half[0] == pytest.approx(2 * one / (1 + one), abs=0.02)
        assert found.one_rater[0] == pytest.approx(math.sqrt(one * 3 * one / (1 + 2 * one)), abs=0.02)


def test_a_ceiling_with_missing_ratings() -> None:
    rng = np.random.default_rng(11)
    truth = rng.normal(size=(4, 1500))
    ratings = truth[..., None] + rng.normal(size=(4, 1500, 6))
    ratings[rng.random(ratings.shape) < 0.4] = NAN
    ratings[:, 0] = NAN
    found = empirical_ceiling(ratings[None], "pearson", "pooled", draws=40)
    means = np.full((4, 1500), NAN)
    given = ~np.isnan(ratings)
    np.divide(np.where(given, ratings, 0).sum(axis=-1), given.sum(axis=-1), out=means, where=given.any(axis=-1))
    assert found.ceiling[0] == pytest.approx(at_level(truth[None], means[None], "pearson", "pooled")[0, 0], abs=0.02)


def test_many_raters_of_few_stories_each_are_as_few_raters_of_all() -> None:
    rng = np.random.default_rng(13)
    truth = rng.normal(size=(4, 1200))
    three = truth[..., None] + rng.normal(size=(4, 1200, 3))
    crowd = np.full((4, 1200, 40), NAN)
    np.put_along_axis(crowd, np.argsort(rng.random(crowd.shape), axis=-1)[..., :3], three, axis=-1)
    fixed, changing = (empirical_ceiling(one[None], "pearson", "pooled", draws=20) for one in (three, crowd))
    assert changing.ceiling[0] == pytest.approx(fixed.ceiling[0], abs=0.01)
    assert changing.one_rater[0] == pytest.approx(fixed.one_rater[0], abs=0.01)


def test_ceiling_of_hanna_agrees_with_its_icc(hanna: dict[str, np.ndarray]) -> None:
    cube = np.array([ratings.reshape(11, 96, 3) for ratings in hanna.values()])
    found = empirical_ceiling(cube, "pearson", "pooled", draws=40)
    for place, ratings in enumerate(hanna.values()):
        expected = ceiling(icc(ratings)["ICC1k"].value)
        assert found.ceiling[place] == pytest.approx(expected, abs=0.02, nan_ok=True)
    # Coherence: raters in file order agree less than by chance, so no metric can be told to agree with them
    assert math.isnan(found.ceiling[1])


def test_agreement_that_ties_decide_has_no_ceiling_but_a_rater_to_compare_with() -> None:
    ratings = np.random.default_rng(12).integers(1, 6, size=(1, 5, 20, 3)).astype(float)
    found = empirical_ceiling(ratings, "pairwise-accuracy", "story", draws=10)
    assert math.isnan(found.ceiling[0])
    assert 0 < found.one_rater[0] < 1
    with pytest.raises(InputError, match="2 or more raters"):
        empirical_ceiling(ratings[..., :1], "pearson", "story")


# ---------------------------------------------------------------- intervals of single numbers


def test_wilson_by_hand_and_against_scipy() -> None:
    for hits, trials in ((0, 10), (3, 10), (10, 10), (381, 400)):
        theirs = stats.binomtest(hits, trials).proportion_ci(method="wilson")
        assert wilson(hits / trials, trials) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert all(math.isnan(end) for end in wilson(NAN, 10))
    assert all(math.isnan(end) for end in wilson(0.5, 0))


def test_span_of_a_mean_against_scipy() -> None:
    values = np.array([1.0, 4.0, 2.0, NAN, 7.0])
    theirs = stats.ttest_1samp(values[~np.isnan(values)], 0).confidence_interval()
    assert span_of_mean(values) == pytest.approx((theirs.low, theirs.high))
    assert all(math.isnan(end) for end in span_of_mean(np.array([1.0])))


def test_who_stands_in_which_column_matters_to_icc2_alone() -> None:
    # every way of ordering one story's ratings: ICC1 never moves, ICC2 does
    tables = [np.vstack([SHROUT_FLEISS[:5], SHROUT_FLEISS[5][list(order)]]) for order in permutations(range(4))]
    assert np.ptp([icc(table)["ICC1"].value for table in tables]) < 1e-12
    assert np.ptp([icc(table)["ICC2"].value for table in tables]) > 0.05
