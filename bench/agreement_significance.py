"""Speed of Williams' matrices and of the pairwise bootstrap against plain loops, and of Kemeny's consensus; one core.

The loops do what a notebook does: Williams' test with scipy.stats.t.sf a pair, only where the row is better (the
cheaper half), all twelve matrices; the bootstrap with an index and a mean a draw and column, of which only some draws
of some pairs are timed (it would take a minute) and multiplied up. Ours does all of it.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is imported
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import csv
import json
import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from scipy import stats

from yarnstick.agreement.correlation import story_level, system_level
from yarnstick.agreement.discrimination import pairwise_f1, system_pairs
from yarnstick.agreement.kemeny import kemeny
from yarnstick.agreement.types import Floats
from yarnstick.agreement.williams import williams_matrices

SHARED = Path(os.environ.get("YARNSTICK_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
DRAWS = 1000
#: what of the bootstrap loop is timed: every so many pairs, and so many draws of each
STRIDE, TIMED_DRAWS = 9, 20


def cubes() -> tuple[Floats, Floats, str]:
    """72 metrics and 6 criteria on 10 systems and 96 prompts: HANNA's, or invented where they are not at hand."""
    path = SHARED / "hanna" / "metric_scores.csv"
    if not path.is_file():
        rng = np.random.default_rng(0)
        y = rng.integers(3, 16, (6, 10, 96)) / 3 + np.arange(10)[:, None] / 3
        return y[rng.integers(0, 6, 72)] + rng.normal(0, 2, (72, 10, 96)), y, "invented"
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))[2:]  # less the names and Human
    cells = np.array([[json.loads(cell) for cell in row[1:]] for row in rows]).transpose(1, 0, 2)
    return cells[6:], cells[:6], "HANNA"


def best_of(times: int, work: Callable[[], object]) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def williams_loop(r: Floats, between: Floats, n: int) -> Floats:
    """Row better than column, every pair on its own."""
    cells = np.full(between.shape, np.nan)
    for row in range(len(r)):
        for column in range(len(r)):
            r12, r13 = abs(r[row]), abs(r[column])
            if r12 > r13:
                r23 = between[row, column] * np.sign(r[row]) * np.sign(r[column])
                k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
                variance = 2 * k * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
                if variance > 0:
                    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23)) / math.sqrt(variance)
                    cells[row, column] = stats.t.sf(t, n - 3)
    return cells


def all_by_loop(levels: list[tuple[Floats, Floats, int]]) -> tuple[list[Floats], float]:
    """The twelve matrices, and the seconds they take: each one's best of five, so that a busy machine harms nobody."""
    seconds = sum(best_of(5, partial(williams_loop, row, between, n)) for r, between, n in levels for row in r)
    return [np.stack([williams_loop(row, between, n) for row in r]) for r, between, n in levels], seconds


def bootstrap_loop(values: Floats) -> float:
    """Seconds the loop would take for all pairs and draws, from those timed (the best of three of each pair)."""
    generator = np.random.default_rng(0)

    def one_pair(later: int, earlier: int) -> None:
        wins = np.zeros((len(values), 2))
        for _ in range(TIMED_DRAWS):
            picked = generator.integers(0, values.shape[2], values.shape[2])
            for column in range(len(values)):
                one, other = values[column, later][picked].mean(), values[column, earlier][picked].mean()
                wins[column, 0] += one > other
                wins[column, 1] += one < other

    pairs = system_pairs(values.shape[1])
    timed = pairs[::STRIDE]
    seconds = sum(best_of(3, partial(one_pair, *pair)) for pair in timed)
    return seconds * (len(pairs) / len(timed)) * (DRAWS / TIMED_DRAWS)


def main() -> None:
    x, y, name = cubes()
    levels = [
        (system_level(x, y, "pearson").T, system_level(x, x, "pearson"), x.shape[1]),
        (story_level(x, y, "pearson").mean.T, story_level(x, x, "pearson").mean, x.shape[2]),
    ]
    ours = best_of(30, lambda: [williams_matrices(*level) for level in levels])
    by_loop, theirs = all_by_loop(levels)
    for found, wanted in zip((williams_matrices(*level) for level in levels), by_loop, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-8)
    print(
        f"williams: {theirs / ours:.0f} x a loop over pairs with scipy.stats.t.sf ({ours * 1000:.2f} ms against "
        f"{theirs * 1000:.0f} ms; {len(y)} criteria x 2 levels x {len(x)} x {len(x)}, {name}; wanted: 1000 x)"
    )
    ours = best_of(10, lambda: pairwise_f1(x, y, draws=DRAWS))
    theirs = bootstrap_loop(np.concatenate([y, x]))
    pairs = len(system_pairs(x.shape[1]))
    print(
        f"pairwise bootstrap: {theirs / ours:.0f} x a loop over draws and columns ({ours * 1000:.0f} ms against "
        f"{theirs:.0f} s, reckoned from {TIMED_DRAWS} draws of every {STRIDE}th pair; "
        f"{pairs} pairs x {len(x) + len(y)} columns x {DRAWS} draws, {name}; wanted: 400 x)"
    )
    coefficients = [at(x, y, kind) for kind in ("pearson", "spearman", "kendall") for at in (_story, system_level)]
    rankings = stats.rankdata(-np.abs(np.concatenate(coefficients, axis=1)).round(12), axis=0).T
    noise = np.random.default_rng(0).random((36, 72))
    for votes, what in ((rankings, f"{name}'s rankings"), (noise, "rankings of pure noise")):
        start = time.perf_counter()
        found = kemeny(votes)
        seconds = time.perf_counter() - start
        print(
            f"kemeny: {seconds:.2f} s, cost {found.cost}, gap {found.gap} ({votes.shape[1]} items x "
            f"{votes.shape[0]} {what}; wanted: gap 0 within 60 s, or the gap)"
        )


def _story(x: Floats, y: Floats, kind: str) -> Floats:
    return story_level(x, y, kind).mean


if __name__ == "__main__":
    main()
