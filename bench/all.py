"""Run every benchmark, each in a process of its own, and print its lines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> None:
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.name not in ("all.py", "hanna.py"):
            subprocess.run([sys.executable, str(path)], check=True)


if __name__ == "__main__":
    main()
