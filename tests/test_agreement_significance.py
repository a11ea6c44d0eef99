"""Williams' test, paired tests, corrections and clusters, each against another way of working it out."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hanna_for_agreement import CRITERIA, golden, golden_rows, hanna
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from yarnstick.agreement.clusters import rank_clusters
from yarnstick.agreement.correlation import at_level, correlate, per_prompt, story_level, system_level
from yarnstick.agreement.multiple import benjamini_hochberg, holm
from yarnstick.agreement.paired import (
    _swapped_coefficients,
    _swapped_scores,
    compare_systems,
    paired_bootstrap,
    paired_permutation,
)
from yarnstick.agreement.resampled import draw_prompts
from yarnstick.agreement.sequential import decided
from yarnstick.agreement.student import upper_tail
from yarnstick.agreement.types import KINDS, LEVELS
from yarnstick.agreement.williams import williams, williams_matrices, williams_t

NAN = float("nan")


# --- Student's tail ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 7, 8, 16, 17, 93, 94, 957, 1000, 1001, 5000])
def test_the_tail_is_scipys(degrees: int) -> None:
    t = np.concatenate([np.random.default_rng(degrees).normal(0, 3, 2000), [0, 1e-300, 40, 1e200, np.inf, -np.inf]])
    np.testing.assert_allclose(upper_tail(t, degrees), stats.t.sf(t, degrees), rtol=2e-9, atol=0)


def test_the_tail_of_nothing_is_nothing() -> None:
    assert np.isnan(upper_tail(np.array([NAN, 1.0]), 7)).tolist() == [True, False]
    assert np.isnan(upper_tail(np.array([1.0]), 0)).all()
    assert upper_tail(np.array(0.0), 9) == 0.5
    assert upper_tail(np.zeros((2, 0)), 9).shape == (2, 0)


# --- Williams' test ---------------------------------------------------------------------------------------------


def student_tail_by_simpson(t: float, degrees: int) -> float:
    """P(T > t), t > 0, from the density alone."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    steps = 20_000
    heights = [(1 + (t * i / steps) ** 2 / degrees) ** (-(degrees + 1) / 2) for i in range(steps + 1)]
    area = (t / steps / 3) * (heights[0] + heights[-1] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2]))
    return 0.5 - scale * area


def test_williams_by_hand() -> None:
    # Steiger's (1980) setting: r12 = .4, r13 = .5, r23 = .1, n = 103.
    k = 1 - 0.16 - 0.25 - 0.01 + 2 * 0.4 * 0.5 * 0.1
    assert k == pytest.approx(0.62)
    variance = 2 * k * 102 / 100 + (0.9**2 / 4) * 0.9**3
    assert variance == pytest.approx(1.2648 + 0.1476225)
    t = -0.1 * math.sqrt(102 * 1.1) / math.sqrt(variance)
    assert t == pytest.approx(-0.8913, abs=1e-4)
    assert williams_t(0.4, 0.5, 0.1, 103) == pytest.approx(t, rel=1e-12)
    assert williams(0.5, 0.4, 0.1, 103) == pytest.approx(student_tail_by_simpson(-t, 100), rel=1e-9)
    assert williams(0.4, 0.5, 0.1, 103) == pytest.approx(1 - student_tail_by_simpson(-t, 100), rel=1e-9)


def test_williams_turns_r23_with_the_metrics() -> None:
    plain = williams(0.7, 0.4, 0.3, 30)
    assert williams(-0.7, 0.4, -0.3, 30) == plain  # one metric turned round
    assert williams(-0.7, -0.4, 0.3, 30) == plain  # both
    assert williams(-0.7, 0.4, 0.3, 30) != plain
    assert williams(-0.7, 0.4, -0.3, 30, absolute=False) > 0.99  # a metric people contradict agrees worse


def test_a_metric_against_its_mirror_is_tested_against_nought() -> None:
    # As r23 goes to -1 with r13 = -r12, t^2 goes to r^2 (n - 3) / (1 - r^2); rounding must not decide.
    for r23 in (-1 + 1e-6, -1 + 1e-12, -1 + 2.0**-52, math.nextafter(-1, 0)):
        t = williams_t(0.6, -0.6, r23, 50, absolute=False)
        assert t == pytest.approx(0.6 * math.sqrt(47) / 0.8, rel=1e-5)
    for r23 in (1 - 1e-6, 1 - 1e-12, math.nextafter(1, 0)):
        assert williams(0.6, 0.6, r23, 50) == 0.5


@pytest.mark.parametrize("r", [(0.5, 0.5, 1.0), (1.0, 0.2, 0.9), (NAN, 0.2, 0.1), (0.5, NAN, 0.1), (0.5, 0.2, NAN)])
def test_williams_without_a_variance_is_undefined(r: tuple[float, float, float]) -> None:
    assert np.isnan(williams(*r, 20))


def test_williams_needs_four() -> None:
    assert np.isnan(williams(0.5, 0.2, 0.1, 3))
    assert not np.isnan(williams(0.5, 0.2, 0.1, 4))
    assert np.isnan(williams_matrices([0.5, 0.2], np.eye(2), 3)).all()


def test_williams_holds_its_level() -> None:
    # Two equally good noisy copies of the human score: p below alpha in about alpha of the samples.
    rng = np.random.default_rng(5)
    human = rng.normal(size=(6000, 25))
    one, two = human + rng.normal(size=human.shape), human + rng.normal(size=human.shape)

    def r(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
        return (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))

    p = williams(r(human, one), r(human, two), r(one, two), 25)
    for alpha in (0.05, 0.2):
        assert (p < alpha).mean() == pytest.approx(alpha, abs=4 * math.sqrt(alpha * (1 - alpha) / 6000))


def one_cell(r12: float, r13: float, r23: float, n: int) -> float:
    """The published formula with correlations whose signs are dealt with; NaN where nothing is shown."""
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    variance = 2 * k * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if not r12 > r13 or not variance > 0:
        return NAN
    return float(stats.t.sf((r12 - r13) * math.sqrt((n - 1) * (1 + r23)) / math.sqrt(variance), n - 3))


def matrix_by_loop(r: np.ndarray, between: np.ndarray, n: int, way: str) -> np.ndarray:
    cells = np.full(between.shape, NAN)
    for later in range(len(r)):
        mine = r[later]
        for earlier in range(later):
            shared = between[later, earlier]
            if way != "signed":
                shared *= np.sign(mine) * np.sign(r[earlier])
            if way == "published":
                mine = abs(mine)  # as the notebook does: lost for the rest of this loop
            a, b = (r[later], r[earlier]) if way == "signed" else (abs(r[later]), abs(r[earlier]))
            cells[later, earlier], cells[earlier, later] = one_cell(a, b, shared, n), one_cell(b, a, shared, n)
    return cells


@pytest.mark.parametrize("n", [10, 11, 96])
@pytest.mark.parametrize("way", ["absolute", "signed", "published"])
def test_matrices_are_the_loop_over_pairs(n: int, way: str) -> None:
    rng = np.random.default_rng(n)
    people, metrics = rng.normal(size=(3, 12)), rng.normal(size=(14, 12))
    metrics[5] = metrics[4]
    between = correlate(metrics, metrics, "pearson")
    r = correlate(people, metrics, "pearson")
    r[1, 7] = NAN
    found = williams_matrices(r, between, n, absolute=way != "signed", as_published=way == "published")
    for row, cells in zip(r, found, strict=True):
        np.testing.assert_allclose(cells, matrix_by_loop(row, between, n, way), rtol=1e-9)
    np.testing.assert_array_equal(williams_matrices(r[0], between, n), williams_matrices(r, between, n)[0])


def test_published_matrices_are_of_absolute_correlations() -> None:
    with pytest.raises(ValueError, match="absolute"):
        williams_matrices([0.1, 0.2], np.eye(2), 10, absolute=False, as_published=True)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), turned=st.lists(st.booleans(), min_size=5, max_size=5))
def test_which_way_round_a_metric_is_does_not_matter(seed: int, turned: list[bool]) -> None:
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(6, 9)) + rng.normal(size=9)
    signs = np.where(turned, -1.0, 1.0)
    r, between = correlate(data[:1], data[1:], "pearson")[0], correlate(data[1:], data[1:], "pearson")
    plain = williams_matrices(r, between, 9)
    np.testing.assert_allclose(williams_matrices(r * signs, between * np.outer(signs, signs), 9), plain, rtol=1e-12)
    assert not (~np.isnan(plain) & ~np.isnan(plain.T)).any()
    better = np.abs(r)[:, None] > np.abs(r)[None, :]
    np.testing.assert_array_equal(~np.isnan(plain), better)
    assert (plain[better] <= 0.5).all()


@pytest.fixture(scope="module")
def correlations(data_folder: Path) -> dict[str, tuple[np.ndarray, np.ndarray, int]]:
    h = hanna(data_folder)
    return {
        "system": (system_level(h.x, h.y, "pearson").T, system_level(h.x, h.x, "pearson"), 10),
        "story": (story_level(h.x, h.y, "pearson").mean.T, story_level(h.x, h.x, "pearson").mean, 96),
    }


COUNTS = {
    # shown cells, and those with p < .05, per criterion: RECIPES.md (RE CH EM SU EG CX)
    ("system", True): ([2135, 1934, 1969, 1841, 1827, 1784], [188, 482, 524, 396, 591, 614]),
    ("system", False): ([2553] * 6, [320, 643, 726, 548, 790, 815]),
}


@pytest.mark.parametrize(("level", "as_published"), COUNTS)
def test_hannas_williams_counts(correlations: dict, level: str, as_published: bool) -> None:
    matrices = williams_matrices(*correlations[level], as_published=as_published)
    shown, significant = COUNTS[level, as_published]
    assert (~np.isnan(matrices)).sum(axis=(1, 2)).tolist() == shown
    assert (matrices < 0.05).sum(axis=(1, 2)).tolist() == significant


def test_hannas_story_level_counts(correlations: dict) -> None:
    published, corrected = (williams_matrices(*correlations["story"], as_published=way) for way in (True, False))
    assert (
        (published < 0.05).sum(axis=(1, 2))[[0, 5]].tolist(),
        (corrected < 0.05).sum(axis=(1, 2))[[0, 5]].tolist(),
    ) == ([221, 1236], [231, 1354])


@pytest.mark.parametrize(
    "name", ["system_CH_published", "system_CH_corrected", "story_RE_published", "story_RE_corrected"]
)
def test_hannas_williams_matrices(data_folder: Path, correlations: dict, name: str) -> None:
    level, criterion, way = name.split("_")
    wanted = np.array([[float(cell) for cell in row[1:]] for row in golden_rows(data_folder, f"williams_{name}.csv")])
    r, between, n = correlations[level]
    found = williams_matrices(r, between, n, as_published=way == "published")[CRITERIA.index(criterion)]
    np.testing.assert_allclose(np.nan_to_num(found), wanted, rtol=1e-6, atol=0)


def test_hannas_single_tests(data_folder: Path, correlations: dict) -> None:
    spots = json.loads(golden(data_folder, "williams_spot.json").read_text("utf-8"))
    names = [name.rsplit(" ", 1)[0] for name in hanna(data_folder).metrics]
    r, between, n = correlations["system"]
    spots.pop("columns")
    for about, (_, _, t, p) in spots.items():
        criterion, pair = about.split(": ")[1].split(", ")[:2]
        a, b = (next(i for i, name in enumerate(names) if name.startswith(one)) for one in pair.split(" vs "))
        row = r[CRITERIA.index(criterion)]
        a, b = (a, b) if abs(row[a]) > abs(row[b]) else (b, a)
        assert williams_t(row[a], row[b], between[a, b], n) == pytest.approx(t, rel=1e-9), about
        assert williams(row[a], row[b], between[a, b], n) == pytest.approx(p, rel=1e-9), about


# --- many tests at once -----------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(st.floats(0, 1), st.just(NAN), st.sampled_from([0.0, 0.01, 0.05, 1.0])), max_size=30))
def test_corrections_by_their_definition(p: list[float]) -> None:
    values = np.array(p, dtype=float)
    made = ~np.isnan(values)
    found = benjamini_hochberg(values)
    np.testing.assert_array_equal(np.isnan(found), ~made)
    np.testing.assert_array_equal(np.isnan(holm(values)), ~made)
    if made.any():
        np.testing.assert_allclose(found[made], stats.false_discovery_control(values[made]), rtol=1e-12)
        kept = values[made]
        # Holm: of those no larger than mine, the largest raised by how many are left when it is its turn.
        raised = [
            max(min(1, q * (kept.size - rank)) for rank, q in enumerate(np.sort(kept)) if q <= mine) for mine in kept
        ]
        np.testing.assert_allclose(holm(values)[made], raised, rtol=1e-12)


def test_corrections_are_statsmodels() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(1)
    for count in (1, 2, 7, 40, 500):
        p = rng.random(count).round(2) ** 2
        for ours, method in ((benjamini_hochberg, "fdr_bh"), (holm, "holm")):
            np.testing.assert_allclose(ours(p), multitest.multipletests(p, method=method)[1], rtol=1e-12)


def test_corrections_keep_the_shape_and_refuse_what_is_no_p() -> None:
    table = np.array([[0.01, NAN], [0.04, 0.03]])
    np.testing.assert_allclose(holm(table), [[0.03, NAN], [0.06, 0.06]])
    assert table[0, 0] == 0.01
    with pytest.raises(ValueError, match="between 0 and 1"):
        benjamini_hochberg([0.5, 1.5])


# --- clusters ---------------------------------------------------------------------------------------------------


def test_clusters_by_hand() -> None:
    # order 2 > 0 > 3 > 1; 2 beats 3 and 1, 0 beats 1 only
    p = np.full((4, 4), NAN)
    p[2, 0], p[2, 3], p[2, 1], p[0, 3], p[0, 1], p[3, 1] = 0.4, 0.04, 0.01, 0.2, 0.03, 0.3
    order = [2, 0, 3, 1]
    # any: 3 is worse than 2: new cluster {3}; 1 is not worse than 3: joins
    assert rank_clusters(p, order).tolist() == [1, 2, 1, 2]
    assert rank_clusters(p, order, against="first").tolist() == [1, 2, 1, 2]
    # every: 3 is not worse than 0, so it stays; 1 is not worse than 3, so it stays too
    assert rank_clusters(p, order, against="every").tolist() == [1, 1, 1, 1]
    # 2 no longer beats 3: 1 is the first that anyone beats
    p[2, 3] = 0.2
    assert rank_clusters(p, order).tolist() == [1, 2, 1, 1]
    p[2, 1] = 0.2
    assert rank_clusters(p, order).tolist() == [1, 2, 1, 1]  # 0 beats 1
    assert rank_clusters(p, order, against="first").tolist() == [1, 1, 1, 1]  # but 2, the first, does not
    assert rank_clusters(p, order, alpha=0.02).tolist() == [1, 1, 1, 1]


def test_clusters_want_every_item_once() -> None:
    with pytest.raises(ValueError, match="every item once"):
        rank_clusters(np.full((3, 3), NAN), [0, 1, 1])
    assert rank_clusters(np.full((0, 0), NAN), []).tolist() == []


# --- stopping early ---------------------------------------------------------------------------------------------


def test_the_rule_to_stop_is_the_binomials() -> None:
    k, n = np.meshgrid(np.arange(0, 200, 7), [200, 350, 1000])
    wanted = (n + 1) * stats.binom.pmf(k, n, 0.05) <= 0.01
    np.testing.assert_array_equal(decided(k, n, 0.05, 0.01), wanted)


@pytest.mark.parametrize(("p", "wrong"), [(0.07, "below"), (0.035, "above")])
def test_stopping_early_is_rarely_wrong_however_often_one_looks(p: float, wrong: str) -> None:
    error = 0.05
    draws = np.random.default_rng(3).random((3000, 1500)) < p
    hits = draws.cumsum(axis=1)
    n = np.arange(1, 1501)
    stop = decided(hits, n, 0.05, error)
    first = np.where(stop.any(axis=1), stop.argmax(axis=1), -1)
    share = hits[np.arange(len(first)), first] / n[first]
    mistaken = (first >= 0) & ((share < 0.05) if wrong == "below" else (share > 0.05))
    assert mistaken.mean() <= error


# --- is metric A better than metric B ---------------------------------------------------------------------------


def two_metrics(seed: int, gaps: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(3, 16, (2, 5, 9)) / 3
    a, b = 100 * (y[0] + rng.normal(size=(5, 9))), 1e-3 * (y[0] + 2 * rng.normal(size=(5, 9)))
    a[:, 2] = 7.0  # says nothing of one prompt
    for each in (a, b, y):
        each[rng.random(each.shape) < gaps] = NAN
    return a, b, y


@pytest.mark.parametrize("gaps", [0.0, 0.1])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_permuted_differences_are_those_of_swapped_scores(kind: str, level: str, gaps: float) -> None:
    a, b, y = two_metrics(4, gaps)
    masks = np.random.default_rng(1).random((12, 9)) < 0.5
    x = np.stack([a, b])
    if level == "story":
        found = _swapped_coefficients(x, y, kind, level, masks)
        own, other = per_prompt(x, y, kind)
        wanted = [
            np.nanmean(np.where(m, other, own), axis=1) - np.nanmean(np.where(m, own, other), axis=1) for m in masks
        ]
    else:
        found = _swapped_scores(x, y, kind, level, masks)
        za, zb = ((one - np.nanmean(one)) / np.nanstd(one) for one in (a, b))
        wanted = []
        for mask in masks:
            swapped = np.stack([np.where(mask, zb, za), np.where(mask, za, zb)])
            one, other = at_level(swapped, y, kind, level)
            wanted.append(one - other)
    np.testing.assert_allclose(found, np.array(wanted).T, rtol=0, atol=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_metric_is_no_better_than_itself_in_another_unit(kind: str, level: str) -> None:
    a, _, y = two_metrics(5)
    for test in (paired_permutation, paired_bootstrap):
        found = test(a, 3 * a + 1, y, kind, level, draws=60, early_stopping=None)
        np.testing.assert_allclose(found.difference, 0, atol=1e-12)
        np.testing.assert_allclose(found.p, 1.0)
        assert found.draws.tolist() == [60, 60]


@pytest.mark.parametrize("level", LEVELS)
def test_a_good_metric_is_found_better_than_noise(level: str) -> None:
    rng = np.random.default_rng(8)
    y = rng.normal(size=(1, 6, 40)) + np.arange(6)[:, None] / 3
    good, noise = y[0] + 0.5 * rng.normal(size=(6, 40)), rng.normal(size=(6, 40))
    for test in (paired_permutation, paired_bootstrap):
        found = test(good, noise, y, "pearson", level, draws=400, early_stopping=None)
        turned = test(noise, good, y, "pearson", level, draws=400, early_stopping=None)
        assert found.p[0] < 0.01 < 0.9 < turned.p[0]
        assert turned.difference == pytest.approx(-found.difference)
        assert found.low[0] < found.high[0]
    assert paired_permutation(good, noise, y, "pearson", level, draws=400).draws.tolist() == [
        250
    ]  # one look was enough


def test_all_arrangements_of_few_prompts() -> None:
    a, b, y = two_metrics(6)
    own, other = per_prompt(np.stack([a, b]), y, "kendall")
    real = np.nanmean(own, axis=1) - np.nanmean(other, axis=1)
    reached = []
    for mask in itertools.product([False, True], repeat=9):
        one, two = np.where(mask, other, own), np.where(mask, own, other)
        reached.append(np.nanmean(one, axis=1) - np.nanmean(two, axis=1) >= real - 1e-12)
    found = paired_permutation(a, b, y, "kendall", "story", draws=20_000, early_stopping=None)
    np.testing.assert_allclose(found.p, np.mean(reached, axis=0), atol=4 * math.sqrt(0.25 / 20_000))


def test_the_bootstrap_is_that_of_its_draws() -> None:
    a, b, y = two_metrics(7)
    weights = draw_prompts(9, 200, seed=3).astype(int)
    differences = []
    for drawn in weights:
        picked = np.repeat(np.arange(9), drawn)
        one, other = at_level(np.stack([a, b])[:, :, picked], y[:, :, picked], "spearman", "system")
        differences.append(one - other)
    made = np.array(differences)
    found = paired_bootstrap(a, b, y, "spearman", "system", draws=200, seed=3)
    np.testing.assert_allclose(found.p, ((made <= 1e-12).sum(axis=0) + 1) / 201)
    np.testing.assert_allclose([found.low, found.high], np.quantile(made, [0.025, 0.975], axis=0), atol=1e-12)


def test_stopping_early_decides_as_all_draws_do() -> None:
    for seed in range(8):
        a, b, y = two_metrics(seed)
        quick = paired_permutation(a, b, y[:1], "pearson", "story", draws=8000, seed=seed)
        full = paired_permutation(a, b, y[:1], "pearson", "story", draws=8000, seed=seed, early_stopping=None)
        assert full.draws.tolist() == [8000]
        if quick.draws[0] < 8000:
            assert (quick.p < 0.05) == (full.p < 0.05)


def test_a_metric_of_one_value_cannot_be_compared() -> None:
    a, b, y = two_metrics(9)
    for level in LEVELS:
        for test in (paired_permutation, paired_bootstrap):
            found = test(np.ones_like(a), b, y, "pearson", level, draws=30)
            assert np.isnan([*found.difference, *found.p, *found.low, *found.high]).all()
            assert found.draws.tolist() == [0, 0]


def test_each_criterion_has_the_draws_it_needs() -> None:
    rng = np.random.default_rng(8)
    clear = rng.normal(size=(6, 40)) + np.arange(6)[:, None]
    a, b = clear + rng.normal(size=(6, 40)), rng.normal(size=(6, 40))
    y = np.stack([clear, np.ones((6, 40)), rng.normal(size=(6, 40))])
    # An alpha right at the p of the last criterion keeps it undecided.
    alpha = float(paired_permutation(a, b, y[2:], "pearson", "pooled", draws=2000, early_stopping=None).p[0])
    together = paired_permutation(a, b, y, "pearson", "pooled", draws=2000, alpha=alpha)
    assert together.draws.tolist()[:2] == [250, 0]
    assert together.draws[2] > 250
    for criterion in (0, 2):
        alone = paired_permutation(a, b, y[[criterion]], "pearson", "pooled", draws=2000, alpha=alpha)
        for ours, theirs in zip(alone, together, strict=True):
            assert ours[0] == pytest.approx(theirs[criterion], abs=1e-12)


# --- two systems ------------------------------------------------------------------------------------------------


def test_all_arrangements_of_two_systems() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(3, 16, (3, 8)) / 3, rng.integers(3, 16, (3, 8)) / 3
    a[1, 4], b[1, 6], b[2] = NAN, NAN, a[2]
    found = compare_systems(a, b, draws=300)
    for row in range(3):
        d = (a[row] - b[row])[~np.isnan(a[row] - b[row])]
        sums = [abs(np.dot(signs, d)) for signs in itertools.product([1, -1], repeat=d.size)]
        assert found.p[row] == pytest.approx(np.mean(np.array(sums) >= abs(d.sum()) - 1e-9), rel=1e-12)
        assert found.difference[row] == pytest.approx(d.mean(), abs=1e-15)
        assert found.prompts[row] == d.size
    assert found.p[2] == 1.0
    assert found.difference[2] == found.low[2] == found.high[2] == 0.0


def test_two_systems_as_scipy_compares_them() -> None:
    rng = np.random.default_rng(4)
    a = rng.normal(size=(4, 60))
    b = a + rng.normal([[0.0], [0.1], [0.25], [0.5]], 0.8, size=(4, 60))
    found = compare_systems(a, b, draws=20_000)
    for row in range(4):
        theirs = stats.permutation_test(
            (a[row] - b[row],), np.mean, permutation_type="samples", n_resamples=20_000, vectorized=True, axis=0,
            rng=np.random.default_rng(row),
        ).pvalue  # fmt: skip
        assert found.p[row] == pytest.approx(theirs, abs=0.015)
        interval = stats.bootstrap(
            (a[row] - b[row],), np.mean, n_resamples=5000, method="percentile", rng=np.random.default_rng(row)
        ).confidence_interval
        assert (found.low[row], found.high[row]) == pytest.approx((interval.low, interval.high), abs=0.02)


def test_two_systems_the_other_way_round_and_in_tiny_units() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(2, 30)), rng.normal(0.3, 1, size=(2, 30))
    there, back, tiny = compare_systems(a, b), compare_systems(b, a), compare_systems(a * 1e-200, b * 1e-200)
    np.testing.assert_allclose(back.difference, -there.difference)
    np.testing.assert_array_equal(back.p, there.p)
    np.testing.assert_array_equal(tiny.p, there.p)
    np.testing.assert_allclose(tiny.low, there.low * 1e-200)
    np.testing.assert_allclose([back.low, back.high], [-there.high, -there.low])


def test_two_systems_without_a_common_prompt() -> None:
    found = compare_systems(np.array([[1.0, NAN]]), np.array([[NAN, 2.0]]))
    assert found.prompts.tolist() == [0]
    assert np.isnan([found.difference[0], found.low[0], found.high[0], found.p[0]]).all()
    with pytest.raises(ValueError, match="same metrics and prompts"):
        compare_systems(np.ones((1, 3)), np.ones((1, 4)))
