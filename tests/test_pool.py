"""Worker processes: one that dies is noticed, whatever was being sent to it, and nothing hangs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli

import yarnstick as ys
from yarnstick.engine.pool import Pool

LETHAL = """
import os
from yarnstick import Column, metric

@metric(name="lethal", family="test", columns=[Column("Lethal")])
def lethal(batch):
    "Kills the process that meets a fox."
    if any("fox" in story for story in batch.stories):
        os._exit(9)
    return [1.0] * len(batch)
"""


def test_a_worker_that_dies_is_told_and_what_was_scored_is_kept(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "lethal.py").write_text(LETHAL)
    # Large stories: more than a pipe holds is on its way when the worker dies.
    stories = [f"goose {n} " * 20_000 for n in range(12)]
    stories[7] += "fox"
    (tmp_path / "s.txt").write_text("\n".join(stories))
    done = cli("score", "s.txt", "-m", "lethal", "--plugin", "lethal.py", "--workers", "2", "-o", "o.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "a worker process died (exit code 9)" in done.stderr
    assert "use fewer workers" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "o.csv").exists()


def test_a_script_without_a_main_guard_is_told_so_and_does_not_hang(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import yarnstick as ys\nprint(ys.score(['goose ' * 50_000] * 3 + ['fox'], ['length', 'distinct'], workers=2))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "put the call under `if __name__ == '__main__':`" in done.stderr
    script.write_text(
        "import yarnstick as ys\nif __name__ == '__main__':\n    print(ys.score(['a b'], 'length', workers=2)['Text length'])\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "[2.0]\n"


def test_large_results_and_large_tasks_pass_each_other() -> None:
    stories = [f"goose {n}" for n in range(20_000)]
    scores = ys.score(stories, "repetition:up_to=9", workers=2, batch_size=20_000)
    assert len(scores) == 20_000


def test_no_workers_are_refused() -> None:
    with pytest.raises(ys.YarnstickError, match="0 workers cannot do any work"):
        Pool(0)
