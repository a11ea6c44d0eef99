"""Telling systems apart: pairwise F1, the best k systems, and how many prompts it takes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from hanna_for_agreement import CRITERIA, golden, golden_rows, hanna
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from yarnstick.agreement.discrimination import (
    pairwise_f1,
    pairwise_labels,
    resampled_counts,
    system_pairs,
    weighted_f1,
)
from yarnstick.agreement.power import power_at, prompts_needed
from yarnstick.agreement.top_k import system_order, top_k
from yarnstick.errors import InputError

NAN = float("nan")


# --- verdicts on pairs of systems -------------------------------------------------------------------------------


def test_pairs_name_the_later_system_first() -> None:
    assert system_pairs(3) == [(1, 0), (2, 0), (2, 1)]
    assert len(system_pairs(10)) == 45


def labels_by_loop(values: np.ndarray, draws: int, share: float, seed: int, shared: bool) -> np.ndarray:
    """As a notebook would: index the drawn prompts, take both means, compare. Values are whole, so means are exact."""
    generator = np.random.default_rng(seed)
    columns, systems, prompts = values.shape
    labels = []
    counts = resampled_counts(generator, draws, prompts) if shared else None
    for later, earlier in system_pairs(systems):
        drawn = resampled_counts(generator, draws, prompts) if counts is None else counts
        of_pair = []
        for column in range(columns):
            wins = losses = 0
            for row in drawn.astype(int):
                picked = np.repeat(np.arange(prompts), row)
                one, other = values[column, later, picked].sum(), values[column, earlier, picked].sum()
                wins, losses = wins + (one > other), losses + (one < other)
            of_pair.append(1 if wins >= share * draws else 2 if losses >= share * draws else 0)
        labels.append(of_pair)
    return np.array(labels).T


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("share", [0.95, 0.6])
def test_verdicts_are_those_of_the_loop(shared: bool, share: float) -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 12, (4, 5, 11)).astype(float) + 2 * np.arange(5)[:, None]
    wanted = labels_by_loop(values, 60, share, 9, shared)
    assert set(wanted.ravel()) == {0, 1} or share < 0.95
    found = pairwise_labels(values, draws=60, share=share, seed=9, shared=shared)
    np.testing.assert_array_equal(found, wanted)
    # Thirds have the same verdicts as the whole numbers they are thirds of: no tie is broken by rounding.
    np.testing.assert_array_equal(pairwise_labels(values / 3, draws=60, share=share, seed=9, shared=shared), wanted)


def test_equal_means_are_nobodys_win() -> None:
    one = np.array([1 / 3, 2 / 3, 4 / 3, 5 / 3])
    values = np.stack([one, one[::-1], one + 1])[None]
    assert pairwise_labels(values, draws=400, share=0.95).tolist() == [[0, 1, 1]]
    assert pairwise_labels(values[:, ::-1], draws=400, share=0.95).tolist() == [[2, 2, 0]]
    assert pairwise_labels(values[:, [0, 0]], draws=100, share=0.01).tolist() == [[0]]


def test_the_share_of_wins_is_at_least_that() -> None:
    # Two prompts, one for each system, the first worth more: the later system wins unless only the second is drawn.
    values = np.array([[[0.0, 2.0], [3.0, 0.0]]])
    drawn = resampled_counts(np.random.default_rng(1), 200, 2)
    wins = int((drawn[:, 0] > 0).sum())
    for needed, label in ((wins, 1), (wins + 1, 0)):
        assert pairwise_labels(values, draws=200, share=needed / 200, seed=1).tolist() == [[label]]


def test_missing_prompts_are_left_out_of_both_sides() -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(0, 5, (1, 2, 12)).astype(float)
    values[0, 1] += 2
    gappy = values.copy()
    gappy[0, 0, 3], gappy[0, 1, 7] = NAN, NAN
    zeroed = values.copy()
    zeroed[0, :, [3, 7]] = 0
    np.testing.assert_array_equal(pairwise_labels(gappy, seed=2), pairwise_labels(zeroed, seed=2))
    gappy[0, 0] = NAN
    assert pairwise_labels(gappy).tolist() == [[-1]]
    assert np.isnan(pairwise_f1(gappy, values)).all()


def test_counts_are_resamples() -> None:
    counts = resampled_counts(np.random.default_rng(0), 4000, 7)
    assert counts.shape == (4000, 7)
    assert (counts.sum(axis=1) == 7).all()
    assert counts.var(axis=0) == pytest.approx(np.full(7, 6 / 7), rel=0.1)
    assert np.corrcoef(counts[:, 0], counts[:, 1])[0, 1] == pytest.approx(-1 / 6, abs=0.06)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 100_000), pairs=st.integers(1, 45), classes=st.integers(1, 3))
def test_f1_is_sklearns(seed: int, pairs: int, classes: int) -> None:
    f1_score = pytest.importorskip("sklearn.metrics").f1_score
    rng = np.random.default_rng(seed)
    told, truth = rng.integers(0, classes, (3, pairs)).astype(np.int8), rng.integers(0, 3, (2, pairs)).astype(np.int8)
    found = weighted_f1(told, truth)
    wanted = [[f1_score(b, a, average="weighted", zero_division=0) for b in truth] for a in told]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    told[0, 0] = -1
    kept = weighted_f1(told[:, 1:], truth[:, 1:])[0] if pairs > 1 else [NAN, NAN]
    np.testing.assert_allclose(weighted_f1(told, truth)[0], kept, rtol=1e-12)


def test_a_metric_that_agrees_wholly_has_f1_1() -> None:
    y = np.random.default_rng(1).normal(size=(2, 6, 20)) + np.arange(6)[:, None]
    np.testing.assert_allclose(np.diag(pairwise_f1(7 * y - 2, y)), 1.0)


@pytest.fixture(scope="module")
def fig_7(data_folder: Path) -> dict[str, np.ndarray]:
    """mean and sd over 150 seeds, least and most, each (72, 6 criteria and their average)."""
    rows = golden_rows(data_folder, "fig7_26_bootstrap_f1.csv")
    metrics = hanna(data_folder).metrics
    table = np.full((72, 7, 4), NAN)
    for metric, criterion, *numbers in rows:
        table[metrics.index(metric), [*CRITERIA, "Avg"].index(criterion)] = [float(n) for n in numbers[:4]]
    assert not np.isnan(table).any()
    return dict(zip(("mean", "sd", "least", "most"), np.moveaxis(table, 2, 0), strict=True))


def percent(data_folder: Path, seed: int) -> np.ndarray:
    f1 = 100 * pairwise_f1(hanna(data_folder).x, hanna(data_folder).y, seed=seed)
    return np.column_stack([f1, f1.mean(axis=1)])


@pytest.mark.parametrize("seed", [0, 1, 2, 13, 42])
def test_hannas_f1_is_inside_the_envelope(data_folder: Path, fig_7: dict[str, np.ndarray], seed: int) -> None:
    # Some pairs win in 95% of resamples almost exactly, so that two seeds in three are inside with all 504 cells, and
    # the third (42 is one) has a few out together, as the golden file's own repeats have.
    found = percent(data_folder, seed)
    outside = np.abs(found - fig_7["mean"]) > 4.5 * fig_7["sd"] + 0.5
    assert outside.sum() <= (5 if seed == 42 else 0)
    certain = fig_7["sd"] == 0
    assert certain.sum() == 28
    np.testing.assert_allclose(found[certain], fig_7["mean"][certain], atol=6e-4)  # the file has 3 decimals


def test_hannas_f1_has_the_distribution_of_many_repeats(data_folder: Path, fig_7: dict[str, np.ndarray]) -> None:
    # Sharper than the envelope of one seed: the mean of 30 seeds against the mean of 150 others.
    runs = np.array([percent(data_folder, seed) for seed in range(100, 130)])
    spread = np.sqrt(fig_7["sd"] ** 2 * (1 / 30 + 1 / 150))
    assert (np.abs(runs.mean(axis=0) - fig_7["mean"]) <= 5 * spread + 0.001).all()
    certain = fig_7["sd"] == 0
    assert np.ptp(runs[:, certain], axis=0).max() == 0


# --- the best k systems -----------------------------------------------------------------------------------------


def test_the_order_of_systems() -> None:
    y = np.array([[1.0, 2.0], [3.0, 3.004], [3.0, 3.0], [NAN, NAN], [3.0, NAN]])
    assert system_order(y).tolist() == [1, 2, 4, 0, 3]
    names = ["e", "d", "c", "b", "a"]
    assert system_order(y, names).tolist() == [1, 4, 2, 0, 3]
    assert system_order(y, names, as_published=True).tolist() == [4, 2, 1, 0, 3]  # 3.002 rounds to 3.00


def test_top_k_is_the_coefficient_of_those_systems() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 7, 5)), rng.normal(size=(3, 7, 5))
    found = top_k(x, y, "spearman", [3, 5, 7])
    assert found.shape == (3, 2, 3)
    for row, k in enumerate([3, 5, 7]):
        for m, c in np.ndindex(2, 3):
            best = np.argsort(-y[c].mean(axis=1))[:k]
            wanted = stats.spearmanr(x[m, best].mean(axis=1), y[c, best].mean(axis=1)).statistic
            assert found[row, m, c] == pytest.approx(wanted, abs=1e-12)


def test_hannas_order_of_systems(data_folder: Path) -> None:
    wanted = json.loads(golden(data_folder, "fig8_system_order.json").read_text("utf-8"))
    h = hanna(data_folder)
    for criterion, y in zip(CRITERIA, h.y, strict=True):
        assert [h.systems[place] for place in system_order(y, h.systems, as_published=True)] == wanted[criterion]


def test_hannas_top_k(data_folder: Path) -> None:
    h = hanna(data_folder)
    found = {
        kind: np.abs(top_k(h.x, h.y, kind, range(4, 11), systems=h.systems, as_published=True))
        for kind in ("pearson", "spearman", "kendall")
    }
    rows = golden_rows(data_folder, "fig8_topk.csv")
    assert len(rows) == 3 * 6 * 72
    for kind, criterion, metric, _, *numbers in rows:
        ours = found[kind][:, h.metrics.index(metric), CRITERIA.index(criterion)]
        np.testing.assert_allclose(ours, [float(n) if n else NAN for n in numbers], rtol=0, atol=1e-9)


# --- how many prompts -------------------------------------------------------------------------------------------


def two_systems(effect: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Differences with a mean of ``effect`` standard deviations exactly."""
    d = np.random.default_rng(seed).normal(size=80)
    d = (d - d.mean()) / d.std(ddof=1) + effect
    return d + 5, np.full(80, 5.0)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
@pytest.mark.parametrize("effect", [0.05, 0.2, -0.5, 1.5])
def test_prompts_needed_is_the_fewest(effect: float, power: float) -> None:
    a, b = two_systems(effect)
    found = prompts_needed(a, b, power=power)
    z = NormalDist().inv_cdf
    by_formula = math.ceil(((z(0.975) + z(power)) / abs(effect)) ** 2)
    assert found.prompts == max(2, by_formula)
    assert found.difference == pytest.approx(effect)
    assert found.spread == pytest.approx(1.0)
    assert power_at(a, b, found.prompts).normal >= power
    if found.prompts > 2:
        assert power_at(a, b, found.prompts - 1).normal < power


def test_the_bootstrap_agrees_where_there_are_many_prompts() -> None:
    a, b = two_systems(0.2)
    found = prompts_needed(a, b, draws=8000)
    assert found.power.bootstrap == pytest.approx(found.power.normal, abs=0.03)


def test_the_bootstrap_is_a_t_test_of_each_draw() -> None:
    a, b = two_systems(0.4, seed=3)
    rng = np.random.default_rng(1)
    found = stats.ttest_1samp(rng.choice(a - b, (3000, 15)), 0, axis=1)
    share = np.mean((found.pvalue < 0.05) & (found.statistic > 0))
    assert power_at(a, b, 15, draws=8000).bootstrap == pytest.approx(share, abs=4 * math.sqrt(0.25 / 3000))
    # and less than the normal approximation, which takes the spread as known
    assert power_at(a, b, 5, draws=8000).bootstrap < power_at(a, b, 5).normal


def test_systems_that_do_not_differ_take_forever() -> None:
    thirds = np.array([1, 2, 2, 4, 6]) / 3
    found = prompts_needed(thirds, thirds[::-1])
    assert found.prompts is None
    assert found.difference == 0.0
    assert prompts_needed(thirds, thirds).prompts is None


def test_a_difference_without_spread_takes_two() -> None:
    found = prompts_needed(np.array([0.3, 0.5, 0.7, NAN]) + 1, np.array([0.3, 0.5, 0.7, 0.1]))
    assert found.prompts == 2
    flat = prompts_needed(np.full(4, 2.0), np.ones(4))
    assert (flat.prompts, flat.spread, flat.power) == (2, 0.0, (1.0, 1.0))


def test_power_in_any_unit() -> None:
    a, b = two_systems(0.3)
    assert prompts_needed(a * 1e-200, b * 1e-200).prompts == prompts_needed(a, b).prompts
    assert prompts_needed(b, a).prompts == prompts_needed(a, b).prompts


def test_what_power_cannot_say() -> None:
    with pytest.raises(InputError, match="share 2 prompts"):
        prompts_needed(np.array([1.0, NAN, 2.0]), np.array([1.0, 1.0, 1.0]))
    with pytest.raises(InputError, match="2 prompts or more"):
        power_at(*two_systems(0.3), 1)
    with pytest.raises(ValueError, match="between 0 and 1"):
        prompts_needed(*two_systems(0.3), power=1.0)
    with pytest.raises(ValueError, match="same shape"):
        prompts_needed(np.ones(3), np.ones(4))
