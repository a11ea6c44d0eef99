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
from yarnstick.reproduce.hanna import reproduce_hanna
from yarnstick.reproduce.rendering import as_page
from yarnstick.reproduce.union import reproduce_union

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


def reproduction_page() -> str:
    """Every table and figure of both papers, ours above the paper's, as ``yarnstick reproduce`` prints them."""
    return as_page(
        "Both papers, computed again",
        "Written by `make docs` from `yarnstick reproduce hanna` and `yarnstick reproduce union`; do not edit. Ours "
        "stands above the paper's (or above its notebook's, or the released file's, as named), in bold where the two "
        "are not the same as printed. *Exact*: every number is the same as printed. *Within rounding*: none is further "
        "off than one unit of its last digit. *Ours only*: the paper's numbers are in a picture. The files are those "
        "that `-o FOLDER` writes. Tables and figures that are not here (HANNA's Tables 1, 2, 7 and Fig. 9, UNION's "
        "Tables 1, 3, 4 and Fig. 1) rest on nothing released that we know of.",
        {
            "HANNA": reproduce_hanna(find_folder("hanna", None, "metric_scores.csv")).exhibits,
            "UNION": reproduce_union(find_folder("union", None, "roc/ant_data.txt")).exhibits,
        },
    )


def main() -> None:
    (DOCS / "metrics.md").write_text(metrics_page(), encoding="utf-8")
    yarnstick = [sys.executable, "-m", "yarnstick"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*yarnstick, "demo", "-q", "-o", folder], check=True)
        (DOCS / "demo.svg").write_text((Path(folder) / "scores.svg").read_text("utf-8"), encoding="utf-8")
    try:
        find_folder("hanna", None, "metric_scores.csv")
    except YarnstickError as error:
        print(f"docs/parity.md and docs/reproduction.md are left as they are: {error}")
    else:
        (DOCS / "reproduction.md").write_text(reproduction_page(), encoding="utf-8")
        parity = [*yarnstick, "reproduce", "hanna-metrics", "--workers", "2", "-o", str(DOCS / "parity.md")]
        subprocess.run(parity, check=True)


if __name__ == "__main__":
    main()
