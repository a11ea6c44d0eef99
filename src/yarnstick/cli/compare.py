"""``yarnstick compare``: two systems on every metric, and which differences are real."""

from __future__ import annotations

import math
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from yarnstick.cli import CONTEXT

if TYPE_CHECKING:
    from yarnstick.agreement.compare import Comparison


@click.command(context_settings=CONTEXT)
@click.argument("scores", type=Path)
@click.argument("a")
@click.argument("b")
@click.option("-m", "--metrics", multiple=True, metavar="COLUMNS", help="Only these columns, by commas or repeated.")
@click.option("--draws", type=click.IntRange(100), default=10_000, show_default=True, help="Random rearrangements.")
@click.option("--confidence", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True, help="Of intervals.")
@click.option(
    "--alpha", type=click.FloatRange(0.0001, 0.5), default=0.05, show_default=True, help="Below this p it is real."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same p.")
@click.option("-o", "--output", type=Path, help="Write the table here: .parquet, .csv, .tsv, .jsonl (also .gz, .zst).")
@click.option("--quiet", "-q", is_flag=True, help="No table in the terminal.")
def command(
    scores: Path,
    a: str,
    b: str,
    metrics: tuple[str, ...],
    draws: int,
    confidence: float,
    alpha: float,
    seed: int,
    output: Path | None,
    quiet: bool,
) -> None:
    """Two systems of a score table on every metric: difference, interval, p, and in words which are real.

    \b
    yarnstick compare scores.parquet GPT-2 mine
    yarnstick compare scores.csv GPT-2 mine -m BLEU,chrF -o difference.csv

    Systems are compared prompt by prompt (paired permutation test and bootstrap); p is corrected for the number of
    metrics (Benjamini-Hochberg).
    """
    from yarnstick.agreement.compare import compare
    from yarnstick.cli.agree import by_commas
    from yarnstick.cli.score import tell
    from yarnstick.cli.writing import check_table_output, write_table
    from yarnstick.stories.scores import Scores

    check_table_output(output)
    found = compare(
        Scores.read(scores),
        a,
        b,
        metrics=by_commas(metrics),
        draws=draws,
        confidence=confidence,
        alpha=alpha,
        seed=seed,
    )
    if not quiet and str(output) != "-":
        _print(found, confidence)
    tell(list(found.notes))
    write_table(output, found.to_arrow(), "metrics")


def _print(found: Comparison, confidence: float) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from yarnstick.metrics.card import ARROWS

    console = Console(width=shutil.get_terminal_size().columns if sys.stdout.isatty() else 20_000)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("metric")
    table.add_column("")
    interval = f"{confidence:.0%} interval"
    for head in (escape(found.a), escape(found.b), "difference", interval, "p", "corrected"):
        table.add_column(head, justify="right")
    table.add_column("what it says")
    for line in found.lines:
        table.add_row(
            escape(line.metric),
            ARROWS[line.direction],  # type: ignore[index]
            _number(line.mean_a),
            _number(line.mean_b),
            f"{line.difference:+.4g}" if not math.isnan(line.difference) else "–",
            f"{_number(line.low)} to {_number(line.high)}",
            _p(line.p),
            _p(line.corrected),
            escape(line.words),
        )
    console.print(table)
    console.print(escape(found.summary()), style="bold", highlight=False)
    console.print(
        f"difference: {found.a} less {found.b}, over the prompts both were given; p: paired permutation over prompts; "
        f"corrected: Benjamini-Hochberg over the metrics; real below {found.alpha:g}; ↑ higher is better, "
        "↓ lower is better, · describes",
        style="dim",
        markup=False,
        highlight=False,
    )


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4g}"


def _p(value: float) -> str:
    return "–" if math.isnan(value) else ("<.001" if value < 0.001 else f"{value:.3f}")
