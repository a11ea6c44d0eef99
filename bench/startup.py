"""How long ``yarnstick --help`` takes, beside an interpreter that does nothing and one that imports pandas."""

from __future__ import annotations

import subprocess
import sys
import time


def seconds(*arguments: str) -> float:
    best = float("inf")
    for _ in range(7):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    ours = seconds("-m", "yarnstick", "--help")
    bare, pandas = seconds("-c", "pass"), seconds("-c", "import pandas")
    print(
        f"startup: yarnstick --help takes {ours / bare:.1f} x a bare interpreter and {ours / pandas:.2f} x "
        f"`import pandas` ({ours:.2f} s, {bare:.2f} s, {pandas:.2f} s; wanted: under 0.5 s)"
    )


if __name__ == "__main__":
    main()
