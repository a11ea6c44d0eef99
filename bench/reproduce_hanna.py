"""How long ``yarnstick reproduce hanna`` takes, whole, beside plain loops over SciPy for the same numbers; one core.

The loops would run for many minutes, so each kind is run on a sample of its cases and counted up; what is sampled is
printed. The loops get the data already read; ours is a fresh process that imports, reads, computes, prints and writes.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")  # before NumPy is imported

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import numpy as np
from hanna import DATA
from numpy.typing import NDArray
from scipy import stats

from yarnstick.reproduce.hanna_data import COEFFICIENTS, read_hanna

RUNS = 3
WANTED = 3.0
CALLS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
DRAWS = 1000
#: cases of each loop that are run
SAMPLE = {"story": 30, "system": 300, "Williams": 1000, "bootstrap": 10, "top systems": 300}

Floats = NDArray[np.float64]


def seconds_ours() -> tuple[float, float]:
    """On the clock and of the processor, the best of some runs."""
    runs = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "yarnstick", "reproduce", "hanna", "--folder", DATA / "hanna"]
            start, before = time.perf_counter(), os.times()
            subprocess.run([*command, "-o", folder], check=True, capture_output=True)
            clock, after = time.perf_counter() - start, os.times()
            used = after.children_user + after.children_system - before.children_user - before.children_system
            runs.append((clock, used))
    return min(runs)


def story(x: Floats, y: Floats, kind: str) -> float:
    """Equation 1 with a call of SciPy a prompt."""
    found = []
    for prompt in range(x.shape[1]):
        a, b = x[:, prompt], y[:, prompt]
        if a.max() > a.min() and b.max() > b.min():
            found.append(CALLS[kind](a, b).statistic)
    return float(np.mean(found))


def williams(r12: float, r13: float, r23: float, n: int) -> float:
    r23 *= np.sign(r12) * np.sign(r13)
    r13, r12 = sorted((abs(r12), abs(r13)))
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    variance = 2 * k * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    return float(stats.t.sf((r12 - r13) * np.sqrt((n - 1) * (1 + r23) / variance), n - 3))


def wins(x: Floats, first: int, second: int, draws: NDArray[np.intp]) -> int:
    return sum(x[first, draw].mean() > x[second, draw].mean() for draw in draws)


def estimate(work: Callable[..., object], cases: list[tuple[object, ...]], sample: int) -> float:
    """Seconds for all cases, from a sample of them."""
    rng = np.random.default_rng(0)
    chosen = [cases[place] for place in rng.choice(len(cases), sample, replace=False)]
    work(*chosen[0])  # what is loaded at the first call is not counted
    start = time.perf_counter()
    for case in chosen:
        work(*case)
    return (time.perf_counter() - start) * len(cases) / sample


def seconds_of_loops() -> dict[str, tuple[float, str]]:
    hanna = read_hanna(DATA / "hanna")
    columns = np.concatenate([hanna.criteria, hanna.metrics])
    means = columns.mean(axis=2)
    pairs = list(combinations(range(len(columns)), 2))
    draws = np.random.default_rng(0).integers(0, columns.shape[2], (DRAWS, columns.shape[2]))
    r = np.corrcoef(means)
    loops: dict[str, tuple[Callable[..., object], list[tuple[object, ...]]]] = {
        "story": (
            lambda a, b, kind: story(columns[a], columns[b], kind),
            [(*pair, kind) for pair in pairs for kind in COEFFICIENTS],
        ),
        "system": (
            lambda a, b, kind: CALLS[kind](means[a], means[b]),
            [(*pair, kind) for pair in pairs for kind in COEFFICIENTS],
        ),
        # Two levels, as published and corrected: the sample is of one of the four.
        "Williams": (
            lambda criterion, a, b, _: williams(r[criterion, 6 + a], r[criterion, 6 + b], r[6 + a, 6 + b], 10),
            _williams_cases(len(hanna.metrics)),
        ),
        "bootstrap": (
            lambda column, first, second: wins(columns[column], first, second, draws),
            [(column, *pair) for column in range(len(columns)) for pair in combinations(range(10), 2)],
        ),
        "top systems": (
            lambda metric, criterion, k, kind: CALLS[kind](means[6 + metric, :k], means[criterion, :k]),
            list(product(range(len(hanna.metrics)), range(6), range(4, 11), COEFFICIENTS)),
        ),
    }
    return {
        name: (estimate(work, cases, SAMPLE[name]), f"{SAMPLE[name]} of {len(cases)}")
        for name, (work, cases) in loops.items()
    }


def _williams_cases(metrics: int) -> list[tuple[object, ...]]:
    pairs = list(combinations(range(metrics), 2))
    return [(criterion, *pair, way) for way in range(4) for criterion in range(6) for pair in pairs]


def main() -> None:
    if not Path(DATA / "hanna" / "metric_scores.csv").is_file():
        print(f"reproduce hanna: not measured, there is no HANNA in {DATA}")
        return
    ours, processor = seconds_ours()
    with np.errstate(all="ignore"):
        loops = seconds_of_loops()
    total = sum(seconds for seconds, _ in loops.values())
    parts = ", ".join(f"{name} {seconds:.0f} s from {sample}" for name, (seconds, sample) in loops.items())
    print(
        f"reproduce hanna: {total / ours:.0f} x plain loops over SciPy ({ours:.2f} s for the whole command, "
        f"{processor:.2f} s of them the processor's, against "
        f"{total:.0f} s: {parts}; wanted: under {WANTED:g} s)"
    )


if __name__ == "__main__":
    main()
