"""Bootstrap intervals: every resample is the coefficient of the stories it holds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from yarnstick.agreement.correlation import at_level
from yarnstick.agreement.intervals import bootstrap
from yarnstick.agreement.pairwise_accuracy import best_thresholds
from yarnstick.agreement.resampled import draw_prompts, resampled
from yarnstick.agreement.types import KINDS, LEVELS

NAN = float("nan")


def invented(seed: int, gaps: float) -> tuple[np.ndarray, np.ndarray]:
    """Three metrics (one of them mostly zeros) and two criteria on 5 systems × 13 prompts."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, 16, (2, 5, 13)) / 3
    x = np.stack([rng.normal(size=(5, 13)), y[0] + rng.integers(0, 3, (5, 13)), np.zeros((5, 13))])
    x[2, 1, 4], x[2, 3, 4], x[2, 3, 5] = 1e-318, 2e-318, 1e-318
    x[rng.random(x.shape) < gaps], y[rng.random(y.shape) < gaps] = NAN, NAN
    return x, y


def of_each_resample(x: np.ndarray, y: np.ndarray, kind: str, level: str, weights: np.ndarray) -> np.ndarray:
    """The same by building every resample."""
    found = []
    for drawn in weights.astype(int):
        prompts = np.repeat(np.arange(x.shape[2]), drawn)
        found.append(at_level(x[:, :, prompts], y[:, :, prompts], kind, level))
    return np.stack(found, axis=-1)


@pytest.mark.parametrize("gaps", [0.0, 0.15])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "pairwise-accuracy"])
def test_a_draw_is_the_coefficient_of_its_resample(kind: str, level: str, gaps: float) -> None:
    x, y = invented(3, gaps)
    weights = draw_prompts(13, 25, seed=1)
    assert (weights.sum(axis=1) == 13).all()
    found, expected = resampled(x, y, kind, level, weights), of_each_resample(x, y, kind, level, weights)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-12)
    assert np.isnan(found[2]).any() or level in ("story", "within-system")


@pytest.mark.parametrize("gaps", [0.0, 0.15])
@pytest.mark.parametrize("level", ["pooled", "within-system"])
def test_pairwise_accuracy_of_a_draw_counts_no_story_with_itself(level: str, gaps: float) -> None:
    x, y = invented(4, gaps)
    weights = draw_prompts(13, 6, seed=2)
    groups = [x.reshape(3, 1, -1), y.reshape(2, 1, -1)] if level == "pooled" else [x, y]
    ties = best_thresholds(*groups)
    found = resampled(x, y, "pairwise-accuracy", level, weights)
    per_story = np.tile(weights, 5) if level == "pooled" else weights
    for m, c, d in np.ndindex(found.shape):
        shares = []
        for one, other in zip(groups[0][m], groups[1][c], strict=True):
            right = pairs = 0.0
            for i, j in itertools.combinations(range(len(one)), 2):
                if not np.isnan([one[i], one[j], other[i], other[j]]).any():
                    said = 0 if abs(one[i] - one[j]) <= ties[m, c] else np.sign(one[i] - one[j])
                    times = per_story[d, i] * per_story[d, j]
                    right, pairs = right + times * (said == np.sign(other[i] - other[j])), pairs + times
            shares.append(right / pairs if pairs else NAN)
        assert found[m, c, d] == pytest.approx(np.nanmean(shares), abs=1e-12)


def test_with_every_prompt_once_a_draw_is_the_estimate() -> None:
    x, y = invented(5, 0.1)
    for kind, level in itertools.product(KINDS, LEVELS):
        found = resampled(x, y, kind, level, np.ones((1, 13)))[:, :, 0]
        np.testing.assert_allclose(found, at_level(x, y, kind, level), atol=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_the_ends_are_quantiles_of_the_draws(level: str) -> None:
    x, y = invented(6, 0.0)
    low, high = bootstrap(x, y, "kendall", level, draws=200, confidence=0.9, seed=7)
    draws = of_each_resample(x, y, "kendall", level, draw_prompts(13, 200, seed=7))
    np.testing.assert_allclose(low, np.nanquantile(draws, 0.05, axis=-1), atol=1e-12)
    np.testing.assert_allclose(high, np.nanquantile(draws, 0.95, axis=-1), atol=1e-12)


def test_stories_are_drawn_where_there_is_one_system_or_one_prompt() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=(1, 1, 300))
    x = y + rng.normal(size=(1, 1, 300))
    for kind in ("pearson", "spearman", "kendall"):
        low, high = bootstrap(x, y, kind, "pooled", draws=400)
        estimate = at_level(x, y, kind, "pooled")
        # a correlation of .7 over 300 stories has a standard error of about (1 - .5) / sqrt(300) = .03
        assert 0.06 < (high - low)[0, 0] < 0.18
        assert low < estimate < high
        turned = bootstrap(x.transpose(0, 2, 1), y.transpose(0, 2, 1), kind, "pooled", draws=400)
        np.testing.assert_array_equal(turned, (low, high))


def test_seeds_chunks_and_single_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = invented(8, 0.1)
    first = bootstrap(x, y, "spearman", "pooled", draws=50, seed=3)
    assert (np.array(bootstrap(x, y, "spearman", "pooled", draws=50, seed=4)) != first).any()
    for name, size in (("weighted", 500), ("intervals", 60), ("pair_blocks", 400)):
        monkeypatch.setattr(f"yarnstick.agreement.{name}._AT_A_TIME", size)
    np.testing.assert_array_equal(bootstrap(x, y, "spearman", "pooled", draws=50, seed=3), first)
    for level in ("story", "system"):
        assert np.isnan(bootstrap(x[:, :, :1], y[:, :, :1], "pearson", level, draws=20)).all()


def test_resampled_means_keep_ties_infinities_and_the_ends_of_the_range() -> None:
    # systems 0 and 1 have the same ratings in another order, so they tie whenever every prompt is drawn alike
    y = np.array([[[4 / 3, 5 / 3, 5 / 3], [5 / 3, 4 / 3, 5 / 3], [4 / 3, 4 / 3, 6 / 3], [1.0, 1.0, 1.0]]])
    x = np.array([[[1.0, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4]]])
    even = np.full((1, 3), 2.0)
    assert resampled(x, y, "kendall", "system", even) == at_level(x, y, "kendall", "system")
    assert at_level(x, y, "kendall", "system")[0, 0] == pytest.approx(-3 / np.sqrt(6 * 3))
    wide = np.array([[[1.7e308, 1.6e308, 1e308], [1e-318, 0, 0], [-1.7e308, 1, 1], [np.inf, 0, 0]]])
    order = at_level(np.array([[[3.0], [2], [1], [4]]]), np.array([[[3.0], [2], [1], [4]]]), "kendall", "pooled")
    assert resampled(wide, np.array([[[3.0] * 3, [2] * 3, [1] * 3, [4] * 3]]), "kendall", "system", even) == order
    opposite = wide.copy()
    opposite[0, 3, 1] = -np.inf  # no mean: the system is left out
    assert resampled(opposite, wide[:, ::-1], "kendall", "system", even) == at_level(
        wide[:, :3], wide[:, 3:0:-1], "kendall", "system"
    )
