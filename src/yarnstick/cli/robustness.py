"""``yarnstick robustness``: do metrics notice damage, and overlook what does not matter?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from yarnstick.cli import CONTEXT
from yarnstick.cli.reading_options import column_map, reading_options
from yarnstick.stories.problems import OnError


@click.command(context_settings=CONTEXT)
@click.argument("source")
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    required=True,
    metavar="NAMES",
    help="Metrics or groups, by commas or repeated: -m chrf -m rouge-l, -m chrf:beta=3.",
)
@click.option("--preset", help="Use this preset in every metric that has it, for example hanna.")
@click.option(
    "--techniques",
    multiple=True,
    metavar="NAMES",
    help="Damage only in these ways, by commas or repeated.  [default: all the recipe has]",
)
@click.option(
    "--harmless",
    multiple=True,
    metavar="NAMES",
    help="Of the harmless changes only these: quotes, dashes, spaces, line breaks, expanded, contracted, synonyms.",
)
@click.option("--degrees", type=click.IntRange(1, 9), default=3, show_default=True, help="How often damage goes on.")
@click.option(
    "--recipe", default="wide", show_default=True, help="As of yarnstick perturb: how much is damaged at once."
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0.0),
    default=0.05,
    show_default=True,
    help="A score that moves by no more than so many standard deviations stays.",
)
@click.option("--confidence", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True, help="Of intervals.")
@click.option("--seed", type=int, default=1, show_default=True, help="Same seed, same damage.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to use.")
@click.option("-o", "--output", type=Path, help="Write every line here: .parquet, .csv, .tsv, .jsonl (also .gz, .zst).")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no table in the terminal.")
@reading_options
def command(
    source: str,
    metrics: tuple[str, ...],
    preset: str | None,
    techniques: tuple[str, ...],
    harmless: tuple[str, ...],
    degrees: int,
    recipe: str,
    tolerance: float,
    confidence: float,
    seed: int,
    workers: int,
    output: Path | None,
    quiet: bool,
    format: str | None,
    maps: tuple[str, ...],
    encoding: str,
    split: str,
    limit: int | None,
    on_error: OnError,
) -> None:
    """Whether the scores of metrics fall when stories are damaged, and stay when they are not.

    \b
    yarnstick robustness stories.jsonl -m repetition,chrf
    yarnstick robustness stories.jsonl -m union --techniques reordering,negation --degrees 2 -o robustness.csv

    Every story is damaged in each way of `yarnstick perturb`, further at every degree, and changed in ways that make it
    no worse (typography, long and short forms, synonyms). Prompts and references stay as they are.
    """
    from yarnstick.cli.agree import by_commas
    from yarnstick.cli.score import split_requests, tell
    from yarnstick.cli.writing import check_table_output, print_tables, write_table
    from yarnstick.robust.suite import robustness
    from yarnstick.robust.suite_text import legend, tables
    from yarnstick.stories import StorySet, read
    from yarnstick.stories.problems import Problems

    check_table_output(output)
    problems = Problems(on_error)
    stories = read(source, format=format, columns=column_map(maps), encoding=encoding, split=split, limit=limit)
    try:
        told = list(stories.told(problems))
    finally:
        tell(problems.summary())
    with showing(quiet) as on_version:
        found = robustness(
            StorySet.of(told, stories.origin),
            split_requests(metrics),
            techniques=by_commas(techniques),
            harmless=by_commas(harmless),
            degrees=degrees,
            recipe=recipe,
            tolerance=tolerance,
            confidence=confidence,
            seed=seed,
            preset=preset,
            workers=workers,
            on_error=on_error,
            on_version=on_version,
        )
    if not quiet and str(output) != "-":
        print_tables(tables(found), legend(found))
    tell(list(found.notes))
    write_table(output, found.to_arrow(), "lines")


@contextmanager
def showing(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Shows how many versions of the stories are scored; how many there are is known once the first one is."""
    from yarnstick.cli.progress import Advance, progress

    with ExitStack() as stack:
        bars: list[Advance] = []

        def show(done: int, total: int) -> None:
            if not bars:
                bars.append(stack.enter_context(progress("scoring", total, quiet, "versions")))
            bars[0](done - bars[0].done, 0, 0)

        yield show
