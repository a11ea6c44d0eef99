"""Ratio of two workers' speed to one's: the whole string suite, starting the processes included."""

from __future__ import annotations

import os
import time

from hanna import records as hanna_records

import yarnstick as ys

SUITE = ["hanna-string", "chrf++", "distinct", "lexical-diversity", "counts", "readability", "self-bleu"]


def seconds(records: list[dict[str, str]], workers: int) -> float:
    start = time.perf_counter()
    ys.score(records, SUITE, workers=workers)
    return time.perf_counter() - start


def main() -> None:
    records, name = hanna_records()
    one = min(seconds(records, 1) for _ in range(2))
    two = min(seconds(records, 2) for _ in range(2))
    print(
        f"workers: {one / two:.2f} x with 2 workers ({two:.1f} s against {one:.1f} s with 1; the string suite, "
        f"{len(records)} {name} stories, {os.cpu_count()} cores; wanted: 1.7 x)"
    )


if __name__ == "__main__":
    main()
