"""What many tests share: the released data (read, never copied), and the command line as a user runs it."""

from __future__ import annotations

import os

# Tests run side by side already; threads of one NumPy would only wait for those of another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with HANNA's and UNION's released data; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("YARNSTICK_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "hanna" / "stories.jsonl").is_file():
        pytest.skip(f"no released data in {folder} (set YARNSTICK_DATA)")
    return folder


@pytest.fixture(scope="session")
def golden_folder(data_folder: Path) -> Callable[[str], Path]:
    """The folder of a paper's golden files; a test that asks for one that is absent is skipped."""

    def find(paper: str) -> Path:
        folder = data_folder.parent / "golden" / paper
        if not folder.is_dir():
            pytest.skip(f"no golden files in {folder}")
        return folder

    return find


@pytest.fixture(scope="session")
def cli() -> Cli:
    """Run ``python -m yarnstick ...`` in a process of its own."""

    def run(*arguments: object, stdin: str | bytes | None = None, cwd: Path | None = None, timeout: float = 120):
        text = not isinstance(stdin, bytes)
        done = subprocess.run(
            [sys.executable, "-m", "yarnstick", *map(str, arguments)],
            input=stdin, capture_output=True, text=text, cwd=cwd, timeout=timeout, check=False,
        )  # fmt: skip
        if not text:
            done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        return done

    return run
