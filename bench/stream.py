"""A million five-sentence stories through length, repetition and novelty: peak memory, beside the file's size.

The peer is reading the same file into pandas, in a process of its own: what holding everything would cost.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = ["Mara", "Tom", "Ines", "Kofi", "Ada", "Yusuf", "Lena", "Ravi", "Noor", "Piet"]
DID = ["found", "lost", "bought", "painted", "carried", "hid", "borrowed", "mended", "forgot", "followed"]
THINGS = ["lantern", "kite", "ladder", "map", "violin", "boat", "letter", "clock", "ring", "goose"]
PLACES = ["harbour", "attic", "market", "garden", "station", "island", "cellar", "school", "bridge", "forest"]


def make(path: Path, count: int) -> None:
    """Write the stories; no two are alike."""
    rng = random.Random(1)
    with path.open("w") as stream:
        for number in range(count):
            name, place = rng.choice(NAMES), rng.choice(PLACES)
            sentences = [
                f"{name if place_in else f'{name} {number}'} {rng.choice(DID)} a {rng.choice(THINGS)} at the {place}."
                for place_in in range(5)
            ]
            record = {"id": str(number), "prompt": f"{name} goes to the {place}.", "story": " ".join(sentences)}
            stream.write(json.dumps(record) + "\n")


def run(arguments: list[str]) -> tuple[float, int]:
    """Seconds and peak megabytes of a command."""
    program = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)\n"
        "sys.exit(done.returncode)\n"
    )
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    return time.perf_counter() - start, int(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stories", type=int, default=1_000_000)
    count = parser.parse_args().stories
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stories.jsonl"
        make(path, count)
        size = path.stat().st_size // 2**20
        score = ["score", str(path), "-m", "length,repetition,novelty", "-o", f"{folder}/scores.parquet", "-q"]
        took, peak = run([sys.executable, "-m", "yarnstick", *score])
        read = f"import pandas; pandas.read_json({str(path)!r}, lines=True)"
        _, held = run([sys.executable, "-c", read])
    print(
        f"stream: peak memory {peak / held:.2f} x that of reading the file into pandas ({peak} MB against {held} MB; "
        f"{count} stories, a file of {size} MB, {took:.0f} s; wanted: under 1000 MB)"
    )


if __name__ == "__main__":
    main()
