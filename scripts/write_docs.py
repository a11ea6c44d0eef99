"""Write what is generated in docs/: the metrics' cards, the README's picture, and, where HANNA is, the parity page."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from yarnstick.cli.metrics import card_text
from yarnstick.errors import YarnstickError
from yarnstick.metrics.groups import GROUPS
from yarnstick.metrics.registry import all_metrics
from yarnstick.reproduce.data import find_folder

DOCS = Path(__file__).resolve().parent.parent / "docs"


def metrics_page() -> str:
    """The cards of all metrics, and the groups."""
    parts = [
        "# The metrics\n\nWritten by `make docs` from the cards in the code; do not edit. `yarnstick metrics NAME` "
        "shows the same.\n\n↑ higher is better, ↓ lower is better, · describes without judging.\n"
    ]
    for name, metric in all_metrics().items():
        parts.append(f"## {name}\n\n```text\n{card_text(metric.card)}\n```\n")
    parts.append("## Groups\n\nA group's name stands for several metrics.\n")
    parts.append("\n".join(f"- `{name}`: {group.summary}" for name, group in GROUPS.items()) + "\n")
    return "\n".join(parts)


def main() -> None:
    (DOCS / "metrics.md").write_text(metrics_page(), encoding="utf-8")
    yarnstick = [sys.executable, "-m", "yarnstick"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*yarnstick, "demo", "-q", "-o", folder], check=True)
        (DOCS / "demo.svg").write_text((Path(folder) / "scores.svg").read_text("utf-8"), encoding="utf-8")
    try:
        find_folder("hanna", None, "metric_scores.csv")
    except YarnstickError as error:
        print(f"docs/parity.md is left as it is: {error}")
    else:
        parity = [*yarnstick, "reproduce", "hanna-metrics", "--workers", "2", "-o", str(DOCS / "parity.md")]
        subprocess.run(parity, check=True)


if __name__ == "__main__":
    main()
