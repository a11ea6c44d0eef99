"""Transport, MoverScore, BaryScore, DepthScore and ROUGE-WE: hand-worked cases, and the definitions written slowly."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnstick.errors import MetricError
from yarnstick.metrics.embedding.bary import PRICES, bary_scores, barycentre
from yarnstick.metrics.embedding.depth import depth_score, depths, directions, region_supports
from yarnstick.metrics.embedding.entropic import entropic_self_transport, entropic_transport, sinkhorn_divergence
from yarnstick.metrics.embedding.mover import mover_score, ngram_cloud, power_means
from yarnstick.metrics.embedding.rouge_we import rouge_we
from yarnstick.metrics.embedding.transport import (
    cheapest_assignment,
    gathered,
    normalised,
    squared_distances,
    transport_cost,
    transport_plan,
    uniform,
    unit_rows,
)

SEEDS = st.integers(0, 10_000)


@pytest.fixture(autouse=True, scope="module")
def _pot() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # POT looks for every array library there is as it is imported
        pytest.importorskip("ot", reason="POT is not installed")


def cloud(seed: int, count: int, width: int = 6) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, width))


def heavy(seed: int, count: int) -> np.ndarray:
    return normalised(np.random.default_rng(seed).random(count) + 0.05, count)


# transport


def test_transport_by_hand() -> None:
    """Two piles of 1/2 at 0 and 1, wanted at 0, 1, 2 with 1/4, 1/4, 1/2: a quarter moves 0 -> 1, all of 1 moves on."""
    have, want = np.array([[0.0], [1.0]]), np.array([[0.0], [1.0], [2.0]])
    cost = np.sqrt(squared_distances(have, want))
    assert transport_cost(cost, np.array([0.5, 0.5]), np.array([0.25, 0.25, 0.5])) == pytest.approx(0.75)


def simplex(cost: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    """The same as a linear programme, written out."""
    from scipy.optimize import linprog

    n, m = cost.shape
    sides = [np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))]
    found = linprog(cost.ravel(), A_eq=np.vstack(sides), b_eq=np.concatenate([one, other]), bounds=(0, None))
    return float(found.fun)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 7), st.integers(1, 7), st.booleans())
def test_transport_is_the_linear_programmes_optimum(seed: int, n: int, m: int, alike: bool) -> None:
    cost = squared_distances(cloud(seed, n), cloud(seed + 1, m))
    one, other = (uniform(n), uniform(m)) if alike else (heavy(seed, n), heavy(seed + 1, m))
    plan = transport_plan(cost, one, other)
    np.testing.assert_allclose(plan.sum(1), one, atol=1e-12)
    np.testing.assert_allclose(plan.sum(0), other, atol=1e-12)
    assert transport_cost(cost, one, other) == pytest.approx(simplex(cost, one, other), abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 6))
def test_assignment_is_the_best_of_all_permutations(seed: int, n: int) -> None:
    cost = np.random.default_rng(seed).random((n, n))
    best = min(sum(cost[row, column] for row, column in enumerate(order)) for order in itertools.permutations(range(n)))
    assert cost[np.arange(n), cheapest_assignment(cost)].sum() == pytest.approx(best)


def test_equal_points_are_at_no_distance_and_others_at_theirs() -> None:
    points = cloud(1, 40, 384) * 1e3
    found = squared_distances(points, points)
    assert (np.diag(found) == 0).all()
    np.testing.assert_allclose(found[0, 1], ((points[0] - points[1]) ** 2).sum(), rtol=1e-12)


def test_long_clouds_are_gathered_in_runs_that_keep_all_weight_and_the_mean() -> None:
    points, weights = cloud(2, 10), heavy(3, 10)
    fewer, together = gathered(points, weights, 4)
    assert fewer.shape == (4, 6)
    np.testing.assert_allclose(together, [weights[:3].sum(), weights[3:6].sum(), weights[6:9].sum(), weights[9]])
    np.testing.assert_allclose(together @ fewer, weights @ points)
    same, unchanged = gathered(points, weights, 10)
    assert same is points
    assert unchanged is weights


@pytest.mark.parametrize("wrong", [[0.5], [1.0, -1.0], [1.0, math.nan]])
def test_weights_that_make_no_sense_are_refused(wrong: list[float]) -> None:
    with pytest.raises(MetricError, match="2 points need 2 weights"):
        normalised(np.array(wrong), 2)


# entropic transport


def slow_sinkhorn(
    cost: np.ndarray, one: np.ndarray, other: np.ndarray, price: float, rounds: int
) -> tuple[float, float]:
    """Potentials updated by log-sum-exp one point at a time; the primal value, term by term."""
    n, m = cost.shape
    f, g = [0.0] * n, [0.0] * m

    def softmin(terms: list[float], weights: np.ndarray) -> float:
        top = max(-term / price for term in terms)
        total = sum(weight * math.exp(-term / price - top) for term, weight in zip(terms, weights, strict=True))
        return -price * (top + math.log(total))

    for _ in range(rounds):
        f = [softmin([cost[i, j] - g[j] for j in range(m)], other) for i in range(n)]
        g = [softmin([cost[i, j] - f[i] for i in range(n)], one) for j in range(m)]
    moved = entropy = 0.0
    for i in range(n):
        for j in range(m):
            share = one[i] * other[j] * math.exp((f[i] + g[j] - cost[i, j]) / price)
            moved += share * cost[i, j]
            entropy += share * math.log(share / (one[i] * other[j])) if share else 0.0
    return moved + price * entropy, moved


@pytest.mark.parametrize("price", [10.0, 1.0, 0.1, 0.01])
def test_entropic_transport_is_the_slow_one(price: float) -> None:
    cost = squared_distances(unit_rows(cloud(4, 5)), unit_rows(cloud(5, 7)))
    one, other = heavy(4, 5), heavy(5, 7)
    value, moved = slow_sinkhorn(cost, one, other, price, 4000)
    found = entropic_transport(cost, one, other, PRICES, most_rounds=20_000)[price]
    assert found.value == pytest.approx(value, abs=1e-6)
    assert found.cost == pytest.approx(moved, abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(1, 30), st.integers(1, 30))
def test_the_lower_the_price_the_nearer_to_exact_transport(seed: int, n: int, m: int) -> None:
    cost = squared_distances(unit_rows(cloud(seed, n)), unit_rows(cloud(seed + 1, m)))
    one, other = heavy(seed, n), heavy(seed + 1, m)
    exact = transport_cost(cost, one, other)
    values = [entropic.value for _, entropic in sorted(entropic_transport(cost, one, other, PRICES).items())]
    assert all(low <= high + 1e-6 for low, high in itertools.pairwise(values))
    # between W and W + e log(1 / smallest weight), and at a high price what an independent plan costs
    assert exact - 1e-4 <= values[0] <= exact + 0.001 * math.log(1 / min(one.min(), other.min())) + 1e-6
    assert values[-1] <= one @ cost @ other + 1e-9


def test_a_price_of_a_thousandth_is_safe_where_the_kernel_is_zero_throughout() -> None:
    """exp(-C / .001) is 0 for every pair here: plain iterations divide by it. Two points a side, by hand: W + e log 2."""
    cost = np.array([[3.0, 4.0], [4.0, 3.0]])
    assert not np.exp(-cost / 0.001).any()
    found = entropic_transport(cost, uniform(2), uniform(2), [0.001])[0.001]
    assert found.value == pytest.approx(3 + 0.001 * math.log(2), abs=1e-9)
    assert found.cost == pytest.approx(3, abs=1e-9)


@pytest.mark.parametrize("price", PRICES)
def test_moving_onto_itself_is_the_symmetric_case_of_moving(price: float) -> None:
    points, weights = unit_rows(cloud(6, 30, 20)), heavy(6, 30)
    cost = squared_distances(points, points)
    general = entropic_transport(cost, weights, weights, PRICES, most_rounds=20_000)[price].value
    assert entropic_self_transport(cost, weights, PRICES)[price] == pytest.approx(general, abs=1e-6)


def test_divergence_of_single_points_is_the_cost() -> None:
    assert sinkhorn_divergence(1.5, 0.0, 0.0) == 1.5
    one, other = barycentre(np.array([[[1.0, 0.0]]])), barycentre(np.array([[[0.0, 2.0]]]))
    exact, divergences = bary_scores(one, other)
    assert exact == pytest.approx(2.0)
    assert list(divergences.values()) == pytest.approx([2.0] * len(PRICES))


# MoverScore


def test_mover_score_by_hand() -> None:
    """At right angles the distance is sqrt 2; one of two words has to go there."""
    right, up = [1.0, 0.0], [0.0, 3.0]
    one, other = ngram_cloud(np.array([right, right])), ngram_cloud(np.array([right, up]))
    assert mover_score(one, other) == pytest.approx(1 - math.sqrt(2) / 2)
    weighted = ngram_cloud(np.array([right, up]), np.array([3.0, 1.0]))
    assert mover_score(one, weighted) == pytest.approx(1 - math.sqrt(2) / 4)


def test_bigrams_are_means_by_weight_and_weigh_their_sum() -> None:
    points, weights = ngram_cloud(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 3.0, 1.0]), 2)
    np.testing.assert_allclose(points, [[0.25, 0.75], [0.25, 0.75]])
    np.testing.assert_allclose(weights, [0.5, 0.5])
    short, alone = ngram_cloud(np.array([[1.0, 0.0]]), n=2)
    np.testing.assert_allclose(short, [[1.0, 0.0]])
    np.testing.assert_allclose(alone, [1.0])


def test_words_that_weigh_nothing_change_nothing() -> None:
    states = cloud(7, 5)
    full = ngram_cloud(states[:4], np.array([1.0, 2.0, 1.0, 2.0]))
    more = ngram_cloud(states, np.array([1.0, 2.0, 1.0, 2.0, 0.0]))
    other = ngram_cloud(cloud(8, 6))
    assert mover_score(more, other) == pytest.approx(mover_score(full, other), abs=1e-12)
    assert np.isfinite(ngram_cloud(states, np.array([0.0, 0.0, 0.0, 1.0, 1.0]), 2)[0]).all()


@pytest.mark.parametrize("n", [1, 2])
def test_mover_score_is_the_definition_written_out(n: int) -> None:
    texts = [(cloud(9, 6), heavy(9, 6)), (cloud(10, 5), heavy(10, 5))]
    sides = []
    for states, idf in texts:
        points, weights = [], []
        for place in range(len(states) - n + 1):
            span = range(place, place + n)
            total = sum(idf[k] for k in span)
            points.append(sum(idf[k] / total * states[k] / np.linalg.norm(states[k]) for k in span))
            weights.append(total)
        sides.append((np.array(points), np.array(weights) / sum(weights)))
    cost = np.array([[np.linalg.norm(x - y) for y in sides[1][0]] for x in sides[0][0]])
    expected = 1 - simplex(cost, sides[0][1], sides[1][1])
    assert mover_score(*(ngram_cloud(*text, n) for text in texts)) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 12), st.integers(1, 12), st.sampled_from([1, 2]))
def test_mover_score_is_symmetric_bounded_and_1_for_equal_texts(seed: int, n: int, m: int, size: int) -> None:
    one, other = ngram_cloud(cloud(seed, n), n=size), ngram_cloud(cloud(seed + 1, m), n=size)
    assert mover_score(one, one) == 1.0
    assert mover_score(one, other) == pytest.approx(mover_score(other, one), abs=1e-9)
    assert -1 - 1e-9 <= mover_score(one, other) < 1
    order = np.random.default_rng(seed).permutation(len(one[1]))
    assert mover_score((one[0][order], one[1][order]), other) == pytest.approx(mover_score(one, other), abs=1e-9)


def test_mover_score_falls_as_words_are_replaced() -> None:
    states, strange = cloud(11, 8, 30), cloud(12, 8, 30)
    scores = []
    for replaced in range(9):
        mixed = np.concatenate([strange[:replaced], states[replaced:]])
        scores.append(mover_score(ngram_cloud(states), ngram_cloud(mixed)))
    assert scores[0] == 1.0
    assert all(later < earlier for earlier, later in itertools.pairwise(scores))


def test_power_means_by_hand() -> None:
    layers = np.array([[[1.0, -2.0]], [[3.0, 1.0]]])
    np.testing.assert_allclose(power_means(layers), [[2.0, -0.5, 3.0, 1.0, 1.0, -2.0]])
    np.testing.assert_allclose(power_means(layers, [3.0]), [[14 ** (1 / 3), -(3.5 ** (1 / 3))]])
    with pytest.raises(ValueError, match="odd whole number"):
        power_means(layers, [2.0])


# BaryScore


def slow_barycentre(layers: np.ndarray) -> np.ndarray:
    """Fixed point over all permutations: no shortcut for a plan, points moved one by one."""
    clouds = [np.array([point / np.linalg.norm(point) for point in layer]) for layer in layers]
    count = len(clouds[0])
    points = np.array([sum(layer[k] for layer in clouds) / len(clouds) for k in range(count)])
    for _ in range(50):
        sent = []
        for layer in clouds:
            best = min(
                itertools.permutations(range(count)),
                key=lambda order: sum(((points[k] - layer[order[k]]) ** 2).sum() for k in range(count)),
            )
            sent.append([layer[k] for k in best])
        new = np.array([sum(one[k] for one in sent) / len(clouds) for k in range(count)])
        if np.allclose(new, points, atol=1e-14):
            break
        points = new
    return points


@pytest.mark.parametrize("seed", range(6))
def test_bary_score_is_the_definition_written_out(seed: int) -> None:
    one, other = (
        np.random.default_rng(seed + place).standard_normal((3, count, 4)) for place, count in ((0, 5), (50, 4))
    )
    points, others = slow_barycentre(one), slow_barycentre(other)
    found, found_other = barycentre(one), barycentre(other)
    np.testing.assert_allclose(found.points, points, atol=1e-12)
    cost = np.array([[((x - y) ** 2).sum() for y in others] for x in points])
    exact, divergences = bary_scores(found, found_other)
    assert exact == pytest.approx(simplex(cost, uniform(5), uniform(4)), abs=1e-9)
    for price in (10.0, 1.0, 0.1):
        pairs = [(points, others), (points, points), (others, others)]
        terms = [
            slow_sinkhorn(squared_distances(x, y), uniform(len(x)), uniform(len(y)), price, 2000)[0] for x, y in pairs
        ]
        assert divergences[price] == pytest.approx(terms[0] - (terms[1] + terms[2]) / 2, abs=1e-5)


def test_barycentre_is_never_worse_than_its_start_and_keeps_the_mean() -> None:
    for seed in range(10):
        layers = np.random.default_rng(seed).standard_normal((5, 12, 8))
        clouds = unit_rows(layers)

        def mean_distance(points: np.ndarray, clouds: np.ndarray = clouds) -> float:
            each = uniform(12)
            return float(np.mean([transport_cost(squared_distances(points, layer), each, each) for layer in clouds]))

        found = barycentre(layers)
        assert mean_distance(found.points) <= mean_distance(clouds.mean(0)) + 1e-12
        np.testing.assert_allclose(found.points.mean(0), clouds.mean((0, 1)), atol=1e-12)


def test_one_layer_is_its_own_barycentre_and_weights_are_kept() -> None:
    layer, weights = cloud(13, 7), heavy(13, 7)
    found = barycentre(layer[None], weights)
    np.testing.assert_allclose(found.points, unit_rows(layer))
    np.testing.assert_allclose(found.weights, weights)
    other = barycentre(cloud(14, 6)[None], heavy(14, 6))
    cost = squared_distances(found.points, other.points)
    assert bary_scores(found, other)[0] == pytest.approx(simplex(cost, weights, other.weights), abs=1e-9)


def test_weights_that_are_nearly_alike_give_nearly_the_unweighted_score() -> None:
    """The general solver and the assignment are two ways to one number."""
    one, other = cloud(15, 3 * 9).reshape(3, 9, 6), cloud(16, 3 * 9).reshape(3, 9, 6)
    tilt = 1 + 1e-9 * np.arange(9)
    plain = bary_scores(barycentre(one), barycentre(other))
    tilted = bary_scores(barycentre(one, tilt), barycentre(other, tilt))
    assert tilted[0] == pytest.approx(plain[0], abs=1e-6)
    assert list(tilted[1].values()) == pytest.approx(list(plain[1].values()), abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(1, 12), st.integers(1, 12))
def test_bary_scores_are_symmetric_not_negative_and_0_for_equal_texts(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    layers, others = rng.standard_normal((4, n, 5)), rng.standard_normal((4, m, 5))
    one, other = barycentre(layers), barycentre(others)
    exact, divergences = bary_scores(one, other)
    back, divergences_back = bary_scores(other, one)
    assert exact == pytest.approx(back, abs=1e-9)
    assert list(divergences.values()) == pytest.approx(list(divergences_back.values()), abs=1e-5)
    assert exact >= 0
    own, nothing = bary_scores(one, one)
    assert own == 0
    assert list(nothing.values()) == pytest.approx([0.0] * len(PRICES), abs=1e-6)
    order = rng.permutation(n)
    moved, divergences_moved = bary_scores(barycentre(layers[:, order]), other)
    assert moved == pytest.approx(exact, abs=1e-9)
    assert list(divergences_moved.values()) == pytest.approx(list(divergences.values()), abs=1e-5)


def test_at_a_low_price_the_divergence_is_nearly_w_and_at_a_high_one_the_distance_of_the_means() -> None:
    rng = np.random.default_rng(17)
    one, other = barycentre(rng.standard_normal((2, 20, 5))), barycentre(rng.standard_normal((2, 25, 5)) + 0.5)
    exact, divergences = bary_scores(one, other)
    assert divergences[0.001] == pytest.approx(exact, abs=0.005)
    means = one.points.mean(0) - other.points.mean(0)
    assert divergences[10.0] == pytest.approx(means @ means, rel=0.05)


# DepthScore


def slow_regions(points: np.ndarray, along: np.ndarray, levels: int, lowest: float) -> list[list[float]]:
    count = len(points)
    depth = []
    for x in points:
        ends = []
        for u in along:
            below = sum(y @ u <= x @ u for y in points)
            above = sum(y @ u >= x @ u for y in points)
            ends.append(min(below, above) / count)
        depth.append(sum(ends) / len(along))
    supports = []
    for level in range(levels):
        share = lowest + (1 - lowest) * level / (levels - 1)
        bound = np.percentile(depth, 100 * share)
        inner = [x for x, d in zip(points, depth, strict=True) if d >= bound - 1e-12]
        supports.append([max(x @ u for x in inner) for u in along])
    return supports


@pytest.mark.parametrize("seed", range(5))
def test_depth_score_is_the_definition_written_out(seed: int) -> None:
    along = directions(4, 60)
    one, other = unit_rows(cloud(seed, 9, 4)), unit_rows(cloud(seed + 70, 12, 4))
    sides = [np.array(slow_regions(points, along, 5, 0.3)) for points in (one, other)]
    expected = (
        sum(max(abs(a - b) for a, b in zip(*pair, strict=True)) ** 5 for pair in zip(*sides, strict=True)) / 5
    ) ** 0.2
    found = [region_supports(points, along) for points in (one, other)]
    np.testing.assert_allclose(found[0], sides[0], atol=1e-12)
    assert depth_score(*found) == pytest.approx(expected, abs=1e-12)


def test_depth_on_a_line_by_hand() -> None:
    points = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    np.testing.assert_allclose(depths(points, np.array([[1.0]])), np.array([1, 2, 3, 2, 1]) / 5)
    np.testing.assert_allclose(depths(np.array([[1.0], [1.0], [2.0]]), np.array([[1.0]])), np.array([2, 2, 1]) / 3)


def test_depth_score_of_two_single_points_is_their_width_along_the_widest_direction() -> None:
    along = np.array([[1.0, 0.0], [0.0, 1.0]])
    one, other = (region_supports(np.array([point]), along) for point in ([1.0, 0.0], [0.0, 2.0]))
    assert depth_score(one, other) == pytest.approx(1.0)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 12), st.integers(1, 12))
def test_depth_score_is_symmetric_and_0_for_equal_texts_in_any_order(seed: int, n: int, m: int) -> None:
    along = directions(5, 40)
    points, others = cloud(seed, n, 5), cloud(seed + 1, m, 5)
    one, other = region_supports(points, along), region_supports(others, along)
    assert depth_score(one, one) == 0
    assert depth_score(one, other) == depth_score(other, one)
    assert 0 < depth_score(one, other) <= 2
    order = np.random.default_rng(seed).permutation(n)
    assert depth_score(region_supports(points[order], along), one) == pytest.approx(0, abs=1e-9)


def test_directions_are_the_same_every_time_and_have_unit_length() -> None:
    np.testing.assert_array_equal(directions(7, 10), np.array(directions(7, 10)))
    np.testing.assert_allclose(np.linalg.norm(directions(7, 10), axis=1), 1)
    assert directions(7, 10) is not directions(7, 10, 1)
    assert not np.array_equal(directions(7, 10), directions(7, 10, 1))


def test_blocks_of_directions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    along, points = directions(5, 37), cloud(18, 11, 5)
    whole = region_supports(points, along)
    monkeypatch.setattr("yarnstick.metrics.embedding.depth._AT_ONCE", 44)
    np.testing.assert_allclose(region_supports(points, along), whole, atol=1e-12)


# ROUGE-WE


def slow_rouge_we(
    story: list[str], reference: list[str], vectors: dict[str, np.ndarray], n: int, threshold: float, compose: str
) -> tuple[float, float]:
    def grams(words: list[str]) -> list[tuple[str, ...]]:
        return [tuple(words[k : k + n]) for k in range(len(words) - n + 1)]

    def alike(one: tuple[str, ...], other: tuple[str, ...]) -> float:
        if one == other:
            return 1.0
        if any(word not in vectors for word in one + other):
            return -1.0
        x, y = (np.array([vectors[word] for word in gram]) for gram in (one, other))
        x, y = (x.mean(0), y.mean(0)) if compose == "mean" else (x.prod(0), y.prod(0))
        return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))

    def side(these: list[tuple[str, ...]], those: list[tuple[str, ...]]) -> float:
        total = 0.0
        for gram in set(these):
            nearest = max(sorted(set(those)), key=lambda other: alike(gram, other))
            if alike(gram, nearest) >= threshold:
                total += alike(gram, nearest) * min(these.count(gram), those.count(nearest))
        return total / len(these)

    return side(grams(reference), grams(story)), side(grams(story), grams(reference))


WORDS = [f"w{place}" for place in range(12)]
VECTORS = {word: vector for word, vector in zip(WORDS[:10], cloud(19, 10, 3), strict=True)}


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), min_size=3, max_size=15),
    st.lists(st.sampled_from(WORDS), min_size=3, max_size=15),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(["mean", "product"]),
)
def test_rouge_we_is_the_definition_written_out(story: list[str], reference: list[str], n: int, compose: str) -> None:
    recall, precision, f = rouge_we(story, reference, VECTORS, n, compose=compose)
    assert (recall, precision) == pytest.approx(slow_rouge_we(story, reference, VECTORS, n, 0.8, compose), abs=1e-9)
    assert 0 <= recall <= 1 + 1e-12
    assert f == pytest.approx(2 * recall * precision / (recall + precision) if recall + precision else 0.0)
    assert rouge_we(reference, story, VECTORS, n, compose=compose)[:2] == pytest.approx((precision, recall))
    assert rouge_we(story, story, VECTORS, n, compose=compose) == pytest.approx((1.0, 1.0, 1.0))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=20),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=20),
    st.sampled_from([1, 2, 3]),
)
def test_where_no_two_words_are_alike_it_is_rouge_n(story: list[str], reference: list[str], n: int) -> None:
    from yarnstick.metrics.rouge import rouge_scores

    apart = dict(zip(WORDS, np.eye(len(WORDS)), strict=True))
    found = rouge_we(story, reference, apart, n, threshold=1.0)
    expected = rouge_scores([[story]], [[[reference]]], [f"ROUGE-{n}"])[f"ROUGE-{n}"][0]
    assert found == pytest.approx(list(expected), abs=1e-9)


def test_rouge_we_by_hand() -> None:
    vectors = {"fox": np.array([1.0, 0.0]), "vixen": np.array([0.8, 0.6]), "pond": np.array([0.0, 1.0])}
    # of "fox pond" the fox is .8 there and the pond .6, which is too little; of "vixen" .8
    assert rouge_we(["vixen"], ["fox", "pond"], vectors, threshold=0.7) == pytest.approx((0.4, 0.8, 16 / 30))
    assert rouge_we(["vixen", "vixen"], ["fox"], vectors, threshold=0.7)[:2] == pytest.approx((0.8, 0.4))
    assert rouge_we(["unheard"], ["of"], vectors) == (0.0, 0.0, 0.0)
    assert rouge_we(["fox"], ["fox"], vectors, 2) == (0.0, 0.0, 0.0)


def test_texts_without_tokens_are_undefined_for_clouds() -> None:
    none, some = np.empty((0, 6)), cloud(20, 3)
    assert math.isnan(mover_score(ngram_cloud(none), ngram_cloud(some)))
    along = directions(6, 10)
    assert math.isnan(depth_score(region_supports(none, along), region_supports(some, along)))
    exact, divergences = bary_scores(barycentre(np.empty((2, 0, 6))), barycentre(some[None]))
    assert math.isnan(exact)
    assert all(math.isnan(value) for value in divergences.values())
