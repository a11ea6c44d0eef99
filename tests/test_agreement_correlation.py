"""Coefficients at every level, held to scipy, to definitions written out, and to HANNA's and UNION's published ones."""

from __future__ import annotations

import csv
import itertools
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnstick.agreement.correlation import (
    at_level,
    correlate,
    partial,
    per_prompt,
    pooled,
    soft_pairwise_accuracy,
    story_level,
    system_level,
    within_system,
)
from yarnstick.agreement.grouped import grouped
from yarnstick.agreement.inversions import inversions
from yarnstick.agreement.means import as_fractions, exact_mean, published_mean
from yarnstick.agreement.pairwise_accuracy import best_thresholds, pairwise_accuracy
from yarnstick.agreement.ranks import mid_ranks
from yarnstick.agreement.types import KINDS, LEVELS
from yarnstick.errors import InputError, MetricError
from yarnstick.reproduce.hanna_metrics import read_published

NAN = float("nan")
LINEAR = ("pearson", "spearman", "kendall", "kendall-c")
RANKS = ("spearman", "kendall", "kendall-c")
CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
SHORT = ("RE", "CH", "EM", "SU", "EG", "CX")


def scipy_coefficient(x: np.ndarray, y: np.ndarray, kind: str) -> float:
    """scipy's value of what both sides have; NaN where scipy has none (fewer than two, or a side that is constant)."""
    both = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[both], y[both]
    if len(x) < 2 or x.max() == x.min() or y.max() == y.min():
        return NAN
    if kind == "pearson":
        return float(scipy.stats.pearsonr(x, y).statistic)
    if kind == "spearman":
        return float(scipy.stats.spearmanr(x, y).statistic)
    return float(scipy.stats.kendalltau(x, y, variant="c" if kind == "kendall-c" else "b").statistic)


def random_cases(rng: np.random.Generator, cases: int, n: int) -> np.ndarray:
    """Rows of every habit: few values with many ties, thirds, decimals, large offsets, constants, gaps."""
    shape = (cases, n)
    habits = [
        rng.integers(0, 4, shape),
        rng.integers(3, 16, shape) / 3,
        rng.normal(size=shape).round(1),
        1000 + rng.integers(0, 50, shape) / 8,
        rng.normal(size=shape) * 1e-30,
        rng.choice([0.3, 0.7], shape, p=[0.8, 0.2]),
    ]
    rows = np.choose(rng.integers(0, len(habits), (cases, 1)), habits).astype(float)
    rows[rng.random(cases) < 0.03] = 0.1
    gappy = rng.random((cases, 1)) < 0.5
    rows[(rng.random(shape) < 0.2) & gappy] = NAN
    return rows


@pytest.mark.filterwarnings("ignore::scipy.stats.NearConstantInputWarning")
@pytest.mark.parametrize("kind", LINEAR)
def test_ten_thousand_random_cases_equal_scipy(kind: str) -> None:
    rng = np.random.default_rng(LINEAR.index(kind))
    compared = undefined = 0
    for n in (2, 3, 4, 5, 7, 10, 12, 17, 30, 45):
        x, y = random_cases(rng, 1000, n), random_cases(rng, 1000, n)
        expected = np.array([scipy_coefficient(one, other, kind) for one, other in zip(x, y, strict=True)])
        # once case by case with gaps, as groups of one metric and one criterion ...
        np.testing.assert_allclose(grouped(x[None], y[None], kind)[0, 0], expected, rtol=0, atol=2e-12)
        # ... and the cases without gaps by themselves, which go another way
        whole = ~np.isnan(x).any(axis=1) & ~np.isnan(y).any(axis=1)
        np.testing.assert_allclose(
            grouped(x[None, whole], y[None, whole], kind)[0, 0], expected[whole], rtol=0, atol=2e-12
        )
        compared, undefined = compared + len(expected), undefined + int(np.isnan(expected).sum())
    assert compared == 10_000
    assert undefined > 300


@pytest.mark.parametrize("kind", LINEAR)
def test_every_metric_with_every_criterion_in_every_prompt(kind: str) -> None:
    rng = np.random.default_rng(5)
    for gaps in (0.0, 0.15):
        x, y = rng.integers(0, 5, (4, 7, 9)).astype(float), rng.integers(0, 4, (3, 7, 9)).astype(float)
        x[rng.random(x.shape) < gaps], y[rng.random(y.shape) < gaps] = NAN, NAN
        x[1, :, 3] = 2.0
        found = per_prompt(x, y, kind)
        expected = [[[scipy_coefficient(one[:, p], other[:, p], kind) for p in range(9)] for other in y] for one in x]
        np.testing.assert_allclose(found, expected, atol=1e-12)
        mean, defined = story_level(x, y, kind)
        np.testing.assert_allclose(mean, np.nanmean(expected, axis=-1), atol=1e-12)
        assert (defined == (~np.isnan(expected)).sum(axis=-1)).all()
        assert defined[1].max() <= 8


def test_large_groups_are_counted_by_merging_and_come_out_the_same() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 40, (2, 700)).astype(float), rng.normal(size=(2, 700)).round(1)
    y[0] += x[0] / 10
    x[1, ::9], y[1, ::7] = NAN, NAN
    for kind in ("kendall", "kendall-c"):
        expected = [[scipy_coefficient(one, other, kind) for other in y] for one in x]
        np.testing.assert_allclose(correlate(x, y, kind), expected, atol=1e-14)
    assert np.isnan(correlate(np.ones((1, 700)), y, "kendall")).all()
    assert np.isnan(correlate(np.full((1, 700), NAN), y, "kendall")).all()


@given(st.lists(st.integers(0, 9), max_size=70))
def test_inversions_are_pairs_in_falling_order(codes: list[int]) -> None:
    assert inversions(np.array(codes, dtype=np.int64)) == sum(
        codes[i] > codes[j] for i, j in itertools.combinations(range(len(codes)), 2)
    )


def test_chunks_do_not_change_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 6, (5, 8, 11)).astype(float), rng.integers(0, 6, (4, 8, 11)).astype(float)
    x[2, 3, 4] = NAN
    whole = {kind: per_prompt(x, y, kind) for kind in LINEAR}
    for size in (1, 60, 200):
        monkeypatch.setattr("yarnstick.agreement.kendall._AT_A_TIME", size)
        monkeypatch.setattr("yarnstick.agreement.grouped._AT_A_TIME", size)
        for kind in LINEAR:
            np.testing.assert_allclose(per_prompt(x, y, kind), whole[kind], rtol=0, atol=1e-15)
    assert per_prompt(x[:0], y, "pearson").shape == (0, 4, 11)


# ---------------------------------------------------------------- numbers at the edge


def exact_pearson(x: list[float], y: list[float]) -> float:
    """From exact fractions of the very floats, rounded at the end."""
    a, b = ([Fraction(value) for value in side] for side in (x, y))
    a, b = ([value - sum(side) / len(side) for value in side] for side in (a, b))
    above = sum(p * q for p, q in zip(a, b, strict=True))
    square = Fraction(above**2, sum(p * p for p in a) * sum(q * q for q in b))
    return float(np.sign(float(above / max(map(abs, a)) / max(map(abs, b))))) * float(square) ** 0.5


@pytest.mark.parametrize(
    "x",
    [
        [1e-318, 3e-318, 2e-318, 9e-318, 0.0],
        [5e-324, 0.0, 0.0, 1e-323, 0.0],
        [1e-318, 100.0, 3.0, 1e-300, 0.0],
        [1e308, -1e308, 1.7e308, 0.0, 1e300],
        [1.0, 1.0 + 2**-52, 1.0, 1.0, 1.0 - 2**-53],
        [1e16, 1e16 + 2, 1e16 + 4, 1e16, 1e16 + 2],
        [1e-200, 2e-178, 1e-5, 3e-90, 2e-6],
    ],
)
def test_the_smallest_and_largest_numbers(x: list[float]) -> None:
    y = [1.0, 2.0, 4.0, 5.0, 3.0]
    assert correlate([x], [y], "pearson")[0, 0] == pytest.approx(exact_pearson(x, y), abs=1e-13)
    for kind in RANKS:
        assert correlate([x], [y], kind)[0, 0] == pytest.approx(
            scipy_coefficient(scipy.stats.rankdata(x), np.array(y), kind), abs=1e-14
        )


def test_constant_means_largest_equals_smallest_and_nothing_else() -> None:
    y = [[1.0, 2.0, 3.0, 5.0]]
    for kind in LINEAR:
        assert np.isnan(correlate([[0.1, 0.1, 0.1, 0.1]], y, kind)).all()  # the mean of these is not 0.1
        assert np.isnan(correlate([[0.1, NAN, 0.1, 0.1]], y, kind)).all()
        assert np.isnan(correlate([[0.7, 0.2, NAN, NAN]], [[NAN, NAN, 1.0, 2.0]], kind)).all()
        assert not np.isnan(correlate([[0.1, 0.1, 0.1, np.nextafter(0.1, 1)]], y, kind)).any()
        # constant only among what both have
        assert np.isnan(correlate([[4.0, 2.0, 2.0, 2.0]], [[NAN, 2.0, 3.0, 5.0]], kind)).all()


def test_an_infinity_is_an_end_of_the_ranks_and_has_no_pearson() -> None:
    x, y = [[1.0, np.inf, 3.0, -np.inf, 2.0]], [[2.0, 5.0, 3.0, 1.0, 4.0]]
    assert np.isnan(correlate(x, y, "pearson")).all()
    for kind in RANKS:
        assert correlate(x, y, kind) == correlate([[1.0, 99.0, 3.0, -99.0, 2.0]], y, kind)
    assert correlate(x, y, "pairwise-accuracy")[0, 0] == 0.9
    assert np.isnan(correlate([[NAN, *x[0][1:]]], y, "pearson")).all()


def test_unknown_names_are_told() -> None:
    x = np.arange(24.0).reshape(1, 4, 6)
    with pytest.raises(MetricError, match=r"no coefficient 'tau'.*choose from: pearson"):
        at_level(x, x, "tau", "story")
    with pytest.raises(MetricError, match=r"no level 'stories'.*story, system, pooled, within-system"):
        at_level(x, x, "pearson", "stories")
    with pytest.raises(ValueError, match="aligned"):
        at_level(x, x[:, :, :2], "pearson", "story")


def test_fewer_than_three_systems_is_told_and_pooled_goes_on() -> None:
    x, y = np.arange(12.0).reshape(1, 2, 6), np.arange(12.0).reshape(1, 2, 6) ** 2
    for level in ("story", "system"):
        with pytest.raises(InputError, match=f"{level} level needs 3 systems or more, there are 2.*ask for pooled"):
            at_level(x, y, "kendall", level)
    with pytest.raises(InputError, match="there is 1"):
        system_level(x[:, :1], y[:, :1], "pearson", as_published=True)
    with pytest.raises(InputError, match="within-system level needs 3 prompts"):
        within_system(x[:, :, :2], y[:, :, :2], "kendall")
    assert pooled(x, y, "kendall")[0, 0] == 1.0


# ---------------------------------------------------------------- levels


@pytest.mark.parametrize("kind", LINEAR)
def test_levels_are_what_they_say(kind: str) -> None:
    rng = np.random.default_rng(11)
    x, y = rng.normal(size=(2, 5, 12)), rng.integers(1, 6, (2, 5, 12)).astype(float)
    x[0, 2, 3], y[1, 0, 7] = NAN, NAN
    for m, c in np.ndindex(2, 2):
        one, other = x[m], y[c]
        story = np.mean([scipy_coefficient(one[:, p], other[:, p], kind) for p in range(12)])
        system = scipy_coefficient(np.nanmean(one, axis=1), np.nanmean(other, axis=1), kind)
        flat = scipy_coefficient(one.ravel(), other.ravel(), kind)
        within = np.mean([scipy_coefficient(one[s], other[s], kind) for s in range(5)])
        for level, expected in zip(LEVELS, (story, system, flat, within), strict=True):
            assert at_level(x, y, kind, level)[m, c] == pytest.approx(expected, abs=1e-12)
    assert (system_level(x, y, kind) == at_level(x, y, kind, "system")).all()
    assert (pooled(x, y, kind) == at_level(x, y, kind, "pooled")).all()
    assert (within_system(x, y, kind) == at_level(x, y, kind, "within-system")).all()


@given(st.lists(st.lists(st.integers(1, 5), min_size=3, max_size=3), min_size=1, max_size=40))
def test_means_of_ratings_are_exact(ratings: list[list[int]]) -> None:
    means = np.array(ratings).mean(axis=1)
    assert exact_mean(means) == float(sum(Fraction(sum(three), 3) for three in ratings) / len(ratings))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=1, max_size=9))
def test_means_of_anything_are_rounded_once(values: list[float]) -> None:
    exact = sum(map(Fraction, values)) / len(values)
    found = float(exact_mean(np.array(values)))
    # the sum is rounded, then the quotient
    assert abs(Fraction(found) - exact) <= abs(exact) * Fraction(2**-52) + Fraction(5e-324)


def test_means_with_gaps_and_ends() -> None:
    a = np.array([[1.0, NAN, 2.0], [NAN, NAN, NAN], [np.inf, 1.0, NAN], [np.inf, -np.inf, 0.0]])
    np.testing.assert_array_equal(exact_mean(a), [1.5, NAN, np.inf, NAN])
    np.testing.assert_array_equal(published_mean(a), [1.5, NAN, np.inf, NAN])
    np.testing.assert_array_equal(exact_mean(a.T, axis=0), exact_mean(a))
    numerators, denominators, whole = as_fractions(np.array([[4 / 3, 2.5], [0.1, 0.2], [np.pi, 1.0]]))
    assert whole.tolist() == [True, True, False]
    assert denominators.tolist() == [6.0, 10.0, 1.0]
    assert numerators.tolist() == [[8.0, 15.0], [1.0, 2.0], [np.pi, 1.0]]


# ---------------------------------------------------------------- properties

whole_numbers = st.integers(-6, 6)
two_rows = st.integers(3, 14).flatmap(
    lambda n: st.tuples(*(st.lists(whole_numbers, min_size=n, max_size=n) for _ in range(2)))
)


@settings(max_examples=150)
@given(two_rows, st.sampled_from(KINDS))
def test_symmetry_sign_and_range(rows: tuple[list[int], list[int]], kind: str) -> None:
    x, y = (np.array([row], dtype=float) for row in rows)
    found = correlate(x, y, kind)
    if kind == "pairwise-accuracy":
        assert 0 <= found <= 1
        assert correlate(-x, -y, kind) == found
    else:
        np.testing.assert_allclose(correlate(y, x, kind).T, found, atol=1e-15)
        np.testing.assert_allclose(correlate(-x, y, kind), -found, atol=1e-15)
        assert np.isnan(found) or abs(found) <= 1
        if kind in ("kendall", "spearman") and len(set(rows[0])) > 1:
            assert correlate(x, x, kind) == 1.0
    order = np.random.default_rng(len(rows[0])).permutation(len(rows[0]))
    np.testing.assert_allclose(correlate(x[:, order], y[:, order], kind), found, atol=1e-14)


@settings(max_examples=150)
@given(two_rows, st.sampled_from(RANKS))
def test_ranks_do_not_mind_a_monotone_map(rows: tuple[list[int], list[int]], kind: str) -> None:
    x, y = (np.array([row], dtype=float) for row in rows)
    found = correlate(x, y, kind)
    np.testing.assert_array_equal(correlate(x**3 + 2 * x, y, kind), found)
    np.testing.assert_array_equal(correlate(x, np.exp(y) - 7, kind), found)
    np.testing.assert_array_equal(correlate(x * 1e-310, y * 1e300, kind), found)


@settings(max_examples=100)
@given(two_rows)
def test_pearson_does_not_mind_scale_and_offset(rows: tuple[list[int], list[int]]) -> None:
    x, y = (np.array([row], dtype=float) for row in rows)
    np.testing.assert_allclose(correlate(x * 2.0**-900, y * 8 + 3, "pearson"), correlate(x, y, "pearson"), atol=1e-14)


@given(st.lists(st.one_of(st.just(NAN), whole_numbers.map(float)), min_size=1, max_size=20))
def test_mid_ranks_are_scipys(values: list[float]) -> None:
    np.testing.assert_array_equal(mid_ranks(np.array(values)), scipy.stats.rankdata(values, nan_policy="omit"))


# ---------------------------------------------------------------- pairwise accuracy


def accuracy_by_definition(x: np.ndarray, y: np.ndarray, threshold: float) -> np.ndarray:
    """Each group's share of pairs that metric and people both tie or both order alike."""
    shares = []
    for one, other in zip(x, y, strict=True):
        right = pairs = 0
        for i, j in itertools.combinations(range(len(one)), 2):
            if np.isnan([one[i], one[j], other[i], other[j]]).any():
                continue
            said = 0 if abs(one[i] - one[j]) <= threshold else np.sign(one[i] - one[j])
            right, pairs = right + (said == np.sign(other[i] - other[j])), pairs + 1
        shares.append(right / pairs if pairs else NAN)
    return np.array(shares)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.booleans())
def test_the_best_threshold_is_found(seed: int, gaps: bool) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 12, (1, 3, 5)) / 4, rng.integers(1, 4, (1, 3, 5)).astype(float)
    if gaps:
        x[rng.random(x.shape) < 0.2], y[rng.random(y.shape) < 0.2] = NAN, NAN
    thresholds = {
        0.0,
        *(abs(a - b) for group in x[0] for a, b in itertools.combinations(group, 2) if a == a and b == b),
    }
    best = max(
        (
            np.nanmean(accuracy)
            for t in thresholds
            if not np.isnan(accuracy := accuracy_by_definition(x[0], y[0], t)).all()
        ),
        default=NAN,
    )
    found = pairwise_accuracy(x, y)[0, 0]
    if np.isnan(best):
        assert np.isnan(found).all()
        return
    assert np.nanmean(found) == pytest.approx(best, abs=1e-14)
    np.testing.assert_allclose(found, accuracy_by_definition(x[0], y[0], best_thresholds(x, y)[0, 0]), atol=1e-15)


def test_ties_are_calibrated_by_hand() -> None:
    # people tie the first two and the last two; the metric is off by .1 in each tie and right in the other four pairs
    x, y = np.array([[[1.0, 1.1, 3.0, 3.1]]]), np.array([[[2.0, 2.0, 4.0, 4.0]]])
    assert pairwise_accuracy(x, y)[0, 0, 0] == 1.0
    assert best_thresholds(x, y)[0, 0] == pytest.approx(0.1)
    assert pairwise_accuracy(x, y, np.zeros((1, 1)))[0, 0, 0] == 4 / 6
    # a constant metric is right about the people's ties, and a constant criterion can be told
    assert pairwise_accuracy(np.ones_like(x), y)[0, 0, 0] == 2 / 6
    assert pairwise_accuracy(x, np.ones_like(y))[0, 0, 0] == 1.0
    with pytest.raises(InputError, match="too many pairs"):
        correlate(np.zeros((1, 7000)), np.zeros((1, 7000)), "pairwise-accuracy")


# ---------------------------------------------------------------- soft pairwise accuracy


def test_soft_pairwise_accuracy_against_all_permutations() -> None:
    rng = np.random.default_rng(8)
    cube = rng.integers(0, 6, (2, 4, 7)).astype(float)
    every = np.array(list(itertools.product([1, -1], repeat=7)))

    def p(one: np.ndarray, other: np.ndarray) -> float:
        totals = every @ (one - other)
        return float(np.mean(totals > totals[0]) + np.mean(totals == totals[0]) / 2)

    pairs = list(itertools.combinations(range(4), 2))
    ours, theirs = (np.array([p(side[i], side[j]) for i, j in pairs]) for side in cube)
    expected = 1 - np.abs(ours - theirs).mean()
    found = soft_pairwise_accuracy(cube[:1], cube[1:], draws=40_000)[0, 0]
    # a p-value's standard error is below .0025 here
    assert found == pytest.approx(expected, abs=0.006)
    assert soft_pairwise_accuracy(cube, cube)[0, 0] == 1.0
    turned = soft_pairwise_accuracy(cube[:1], -cube[:1], draws=40_000)[0, 0]
    assert turned == pytest.approx(1 - np.abs(1 - 2 * ours).mean(), abs=0.006)


def test_soft_pairwise_accuracy_does_not_mind_the_order_of_systems_and_leaves_out_what_is_missing() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 3, (2, 5, 9)) / 3, rng.integers(1, 6, (1, 5, 9)) / 3
    np.testing.assert_allclose(soft_pairwise_accuracy(x[:, ::-1], y[:, ::-1]), soft_pairwise_accuracy(x, y), atol=1e-15)
    # systems 0 and 1 have no prompt in common, and are no pair
    x[0, 0, ::2], x[0, 1, 1::2] = NAN, NAN
    gone = soft_pairwise_accuracy(x, y)
    assert not np.isnan(gone).any()
    np.testing.assert_array_equal(gone[1], soft_pairwise_accuracy(x[1:], y)[0])
    x[0, 0, 0] = np.inf
    assert np.isnan(soft_pairwise_accuracy(x, y)[0]).all()


# ---------------------------------------------------------------- partial


def left_over(y: np.ndarray, z: np.ndarray) -> np.ndarray:
    design = np.column_stack([np.ones_like(z), z])
    return y - design @ np.linalg.lstsq(design, y, rcond=None)[0]


@pytest.mark.parametrize("gaps", [False, True])
def test_partial_is_the_correlation_of_what_the_control_leaves(gaps: bool) -> None:
    rng = np.random.default_rng(4)
    x, y, z = rng.normal(size=(3, 8, 10)), rng.normal(size=(2, 8, 10)), rng.normal(size=(8, 10))
    x, y = x + z, y - z
    if gaps:
        x[0, 2, 3], y[1, 4, 3], z[5, 3], z[0, 0] = NAN, NAN, NAN, NAN
    for kind, ranks in (("pearson", lambda a: a), ("spearman", scipy.stats.rankdata)):
        found = partial(x, y, z, kind, "story")
        for m, c in np.ndindex(found.shape):
            expected = []
            for p in range(10):
                here = ~np.isnan(x[m, :, p] + y[c, :, p] + z[:, p])
                one, other, third = (ranks(a[here]) for a in (x[m, :, p], y[c, :, p], z[:, p]))
                expected.append(scipy.stats.pearsonr(left_over(one, third), left_over(other, third)).statistic)
            assert found[m, c] == pytest.approx(np.mean(expected), abs=1e-12)
    flat = [a.reshape(-1) for a in (x[0], y[0], z)]
    here = ~np.isnan(sum(flat))
    tau_xy, tau_xz, tau_yz = (
        scipy.stats.kendalltau(one[here], other[here]).statistic for one, other in itertools.combinations(flat, 2)
    )
    expected = (tau_xy - tau_xz * tau_yz) / np.sqrt((1 - tau_xz**2) * (1 - tau_yz**2))
    assert partial(x, y, z, "kendall", "pooled")[0, 0] == pytest.approx(expected, abs=1e-12)


def test_a_metric_that_is_the_control_has_nothing_left() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 6, 9)), rng.normal(size=(1, 6, 9))
    for level in LEVELS:
        for kind in ("pearson", "spearman", "kendall"):
            found = partial(x, y, 3 * x[0] + 1, kind, level)
            assert np.isnan(found[0, 0])
            assert not np.isnan(found[1, 0])
    with pytest.raises(MetricError, match="no partial pairwise-accuracy"):
        partial(x, y, x[0], "pairwise-accuracy", "story")


# ---------------------------------------------------------------- HANNA and UNION


@pytest.fixture(scope="module")
def golden(data_folder: Path) -> Path:
    folder = data_folder.parent / "golden"
    if not (folder / "hanna" / "metric_vs_criterion.csv").is_file():
        pytest.skip(f"no golden files in {folder}")
    return folder


@pytest.fixture(scope="module")
def hanna(data_folder: Path) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Metrics (72, 10, 96), criteria (6, 10, 96) without the human stories; the metrics' names with their signs."""
    path = data_folder / "hanna" / "metric_scores.csv"
    columns, systems = read_published(path)
    values = np.array(list(columns.values()))[:, 1:]
    assert systems[0] == "Human"
    assert tuple(columns)[:6] == CRITERIA
    with path.open(encoding="utf-8", newline="") as stream:
        names = next(csv.reader(stream))[7:]
    return values[6:], values[:6], names


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_golden_metric_against_criterion(hanna: tuple, golden: Path) -> None:
    x, y, names = hanna
    rows = {(row["metric"], row["criterion"]): row for row in table(golden / "hanna" / "metric_vs_criterion.csv")}
    assert len(rows) == 432
    for kind in ("pearson", "spearman", "kendall"):
        mean, defined = story_level(x, y, kind)
        systems = system_level(x, y, kind, as_published=True)
        for (m, name), (c, short) in itertools.product(enumerate(names), enumerate(SHORT)):
            row = rows[name, short]
            tolerance = 1e-8 if name.startswith("CIDEr") and kind == "pearson" else 1e-9
            assert mean[m, c] == pytest.approx(float(row[f"story_{kind}"]), abs=tolerance)
            assert systems[m, c] == pytest.approx(float(row[f"system_{kind}"]), abs=1e-9)
            assert defined[m, c] == int(row["n_prompts_story"])


def test_golden_metric_against_metric(hanna: tuple, golden: Path) -> None:
    x, _, names = hanna
    for file, found in (
        ("metric_metric_story_kendall.csv", story_level(x, x, "kendall").mean),
        ("metric_metric_system_pearson.csv", system_level(x, x, "pearson", as_published=True)),
    ):
        rows = table(golden / "hanna" / file)
        assert [row["metric"] for row in rows] == names
        np.testing.assert_allclose(found, [[float(row[name]) for name in names] for row in rows], rtol=0, atol=1e-9)


def test_golden_criteria_and_the_text_of_section_4_2(hanna: tuple, golden: Path) -> None:
    _, y, _ = hanna
    figures = json.loads((golden / "hanna" / "criteria_correlations.json").read_text("utf-8"))
    assert len(figures) == 6
    for figure in figures.values():
        if figure["level"] == "story":
            found = story_level(y, y, figure["coef"]).mean
        else:
            found = system_level(y, y, figure["coef"], as_published=True)
        assert figure["order"] == list(SHORT)
        np.testing.assert_allclose(found, figure["matrix"], rtol=0, atol=1e-9)
    pairs = 100 * story_level(y, y, "kendall").mean[np.triu_indices(6, 1)]
    assert [round(value, 2) for value in (pairs.min(), pairs.max(), pairs.mean())] == [15.53, 61.80, 40.70]


def test_golden_ties_of_complexity(hanna: tuple, golden: Path) -> None:
    x, y, names = hanna
    rows = table(golden / "hanna" / "complexity_system_exact_ties.csv")
    assert [row["metric"] for row in rows] == names
    for kind in ("spearman", "kendall"):
        for published, column in ((False, f"{kind}_exact"), (True, f"{kind}_published")):
            found = system_level(x, y, kind, as_published=published)[:, 5]
            np.testing.assert_allclose(found, [float(row[column]) for row in rows], rtol=0, atol=1e-9)
        changed = system_level(x, y, kind)[:, 5] != system_level(x, y, kind, as_published=True)[:, 5]
        assert changed.sum() == 72
    assert np.unique(exact_mean(y[5])).size == 8
    assert np.unique(published_mean(y[5])).size == 9


def test_every_cell_of_the_published_rankings(hanna: tuple, data_folder: Path) -> None:
    x, y, names = hanna
    cells = 0
    for kind in ("pearson", "spearman", "kendall"):
        for level, found in (
            ("story", story_level(x, y, kind).mean),
            ("system", system_level(x, y, kind, as_published=True)),
        ):
            rows = table(data_folder / "hanna" / "rankings" / f"{level}_{kind}.csv")
            assert [row["Model"] for row in rows] == names
            published = np.array([[float(row[f"{name}_{level}_{kind}"]) for name in CRITERIA] for row in rows])
            # the files hold absolute values; CIDEr's Pearson was taken without scaling its denormal prompt, and the
            # golden README allows it 1e-8
            off = np.abs(np.abs(found) - published)
            cider = np.array([name.startswith("CIDEr") for name in names])
            assert off[~cider].max() <= 5e-15
            assert off[cider].max() <= (1e-8 if kind == "pearson" else 5e-15)
            cells += off.size
    assert cells == 1296 + 1296


def test_union_table_5(golden: Path, data_folder: Path) -> None:
    files = {
        "BLEU": "bleu", "BLEURT": "bleurt", "DisScore": "dis", "MoverScore": "moverscore", "Perplexity": "ppl",
        "RUBER": "ruber_score", "RUBER_r": "ruber_ref_score", "RUBER_u": "ruber_unref_score", "UNION": "union",
        "-Recon": "union_recon",
    }  # fmt: skip
    folder = data_folder / "union" / "roc"
    votes = [line.split("|||")[2].split() for line in (folder / "ant_data.txt").read_text("utf-8").splitlines()]
    people = np.array(votes, dtype=float).mean(axis=1)
    compared = 0
    for row in table(golden / "union" / "table5.csv"):
        if row["dataset"] != "ROC":
            continue
        scores = np.loadtxt(folder / "metric_output" / f"{files[row['metric']]}.txt")
        if files[row["metric"]] == "ppl":
            scores = -scores
        kind = {"r": "pearson", "rho": "spearman", "tau": "kendall"}[row["coef"]]
        found = pooled(scores[None, None], people[None, None], kind)[0, 0]
        assert found == pytest.approx(float(row["value"]), abs=1e-9)
        compared += 1
    assert compared == 30


def test_no_scipy_is_needed() -> None:
    code = (
        "import sys, numpy as np\n"
        "from yarnstick.agreement import cube, correlation, intervals\n"
        "x = np.random.default_rng(0).normal(size=(2, 5, 6))\n"
        "for kind in ('pearson', 'spearman', 'kendall', 'kendall-c'):\n"
        "    [correlation.at_level(x, x, kind, level) for level in ('story', 'system', 'pooled', 'within-system')]\n"
        "intervals.bootstrap(x, x, 'kendall', 'pooled', draws=5)\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('scipy', 'pandas', 'pyarrow', 'torch')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
