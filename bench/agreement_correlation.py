"""Ratio of our story-level Kendall's speed to a plain loop over scipy: 72 metrics × 6 criteria × 96 prompts, one core.

scipy's kendalltau is called for every metric, criterion and prompt (all 41,472 of them, nothing sampled), and the two
are compared before anything is printed. HANNA's published scores where they are at hand, else invented ones with as
many ties. Then the scale: 1,000 metrics × 50 systems × 2,000 prompts against 6 criteria, and the most memory it took.
``--no-scale`` leaves that out.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is imported
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import csv
import json
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from yarnstick.agreement.correlation import story_level
from yarnstick.agreement.intervals import bootstrap

DATA = Path(os.environ.get("YARNSTICK_DATA") or Path(__file__).resolve().parent.parent.parent / "shared" / "data")


def cubes() -> tuple[np.ndarray, np.ndarray, str]:
    """Metrics (72, 10, 96) and criteria (6, 10, 96)."""
    path = DATA / "hanna" / "metric_scores.csv"
    if not path.is_file():
        rng = np.random.default_rng(0)
        y = rng.integers(3, 16, (6, 10, 96)) / 3
        return rng.normal(size=(72, 10, 96)).round(1) + y[0], y, "invented"
    with path.open(encoding="utf-8", newline="") as stream:
        systems = list(csv.reader(stream))[2:]  # a heading, and Human
    values = np.array([[json.loads(cell) for cell in row[1:]] for row in systems]).transpose(1, 0, 2)
    return values[6:], values[:6], "HANNA's"


def scipy_loop(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    taus = np.full((len(x), len(y), x.shape[2]), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for m, c, p in np.ndindex(taus.shape):
            taus[m, c, p] = kendalltau(x[m, :, p], y[c, :, p]).statistic
        return np.nanmean(taus, axis=-1)


def median_of(function: Callable[[], object], times: int) -> float:
    """Processor seconds of one run; there is one thread, and what else the machine does is left out on both sides."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def story_kendall() -> None:
    x, y, name = cubes()
    start = time.process_time()
    expected = scipy_loop(x, y)
    theirs = time.process_time() - start
    ours = median_of(lambda: story_level(x, y, "kendall"), 31)
    off = np.abs(story_level(x, y, "kendall").mean - expected).max()
    if not off < 1e-12:
        raise SystemExit(f"agreement: not the same: {off}")
    print(
        f"agreement, story-level Kendall: {theirs / ours:.0f} x a loop over scipy ({ours * 1000:.2f} ms against "
        f"{theirs:.1f} s; {name} {x.shape[0]} metrics x {len(y)} criteria x {x.shape[2]} prompts, largest difference "
        f"{off:.0e}; wanted: 1,000 x)"
    )
    for level in ("story", "system"):
        seconds = median_of(lambda level=level: bootstrap(x, y, "kendall", level), 3)
        print(f"agreement, bootstrap of {x.shape[0] * len(y)} {level}-level taus: {seconds:.3f} s for 1,000 resamples")


def scale() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1000, 50, 2000))
    np.round(x, 2, out=x)
    y = rng.integers(3, 16, (6, 50, 2000)) / 3
    start = time.perf_counter()
    mean, defined = story_level(x, y, "kendall")
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    spot = np.mean([kendalltau(x[7, :, p], y[3, :, p]).statistic for p in range(2000)])
    if not (abs(mean[7, 3] - spot) < 1e-12 and (defined == 2000).all()):
        raise SystemExit(f"agreement: not the same at scale: {mean[7, 3]} and {spot}")
    print(
        f"agreement, story-level Kendall of 1,000 metrics x 50 systems x 2,000 prompts against 6 criteria: "
        f"{seconds:.1f} s, {peak:.2f} GB at most (wanted: under 120 s and 4 GB)"
    )


def main() -> None:
    story_kendall()
    if "--no-scale" not in sys.argv:
        scale()


if __name__ == "__main__":
    main()
