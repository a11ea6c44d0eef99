"""``yarnstick agree``: which metrics agree with people, and how far."""

from __future__ import annotations

from pathlib import Path

import click

from yarnstick.cli import CONTEXT
from yarnstick.cli.reading_options import column_map


@click.command(context_settings=CONTEXT)
@click.argument("scores", type=Path)
@click.argument("ratings")
@click.option(
    "--stories", help="The stories, where the score table lacks their length and repetition (the rows to beat)."
)
@click.option("-m", "--metrics", multiple=True, metavar="COLUMNS", help="Only these columns, by commas or repeated.")
@click.option("--criteria", multiple=True, metavar="NAMES", help="Only these criteria, by commas or repeated.")
@click.option(
    "--columns",
    multiple=True,
    metavar="NAMES",
    help="RATINGS in wide form: the columns that hold a criterion each, by commas or repeated.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    help="pearson, spearman, kendall (tau-b), kendall-c, pairwise-accuracy, soft-pairwise-accuracy (of systems); may "
    "be repeated.  [default: kendall]",
)
@click.option(
    "--level",
    "levels",
    multiple=True,
    help="story, system, pooled, within-system; may be repeated.  [default: story and system, or pooled where there "
    "are not three systems]",
)
@click.option("--without", multiple=True, metavar="SYSTEM", help="Leave a system out, such as Human; may be repeated.")
@click.option(
    "--lower", multiple=True, metavar="COLUMNS", help="SCORES: lower is better in these, where it does not say so."
)
@click.option("--scale", metavar="LOW:HIGH", help="Refuse ratings off this scale, for example 1:5.")
@click.option("--map", "maps", multiple=True, metavar="FIELD=COLUMN", help="RATINGS: which column is what.")
@click.option("--draws", type=click.IntRange(10), default=1000, show_default=True, help="Bootstrap samples.")
@click.option("--confidence", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True, help="Of intervals.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same intervals.")
@click.option("-o", "--output", type=Path, help="Write every line here: .parquet, .csv, .tsv, .jsonl (also .gz, .zst).")
@click.option("--quiet", "-q", is_flag=True, help="No table in the terminal.")
def command(
    scores: Path,
    ratings: str,
    stories: str | None,
    metrics: tuple[str, ...],
    criteria: tuple[str, ...],
    columns: tuple[str, ...],
    kinds: tuple[str, ...],
    levels: tuple[str, ...],
    without: tuple[str, ...],
    lower: tuple[str, ...],
    scale: str | None,
    maps: tuple[str, ...],
    draws: int,
    confidence: float,
    seed: int,
    output: Path | None,
    quiet: bool,
) -> None:
    """How far each metric of a score table agrees with people, beside rows that need no cleverness.

    \b
    yarnstick agree scores.parquet ratings.csv
    yarnstick agree scores.parquet ratings.csv --without Human --kind kendall --kind pearson -o agreement.csv
    yarnstick agree scores.csv wide.csv --columns coherence,fluency --scale 1:5 --stories stories.jsonl

    SCORES is what `yarnstick score -o` wrote; RATINGS has a row a judgement (story, criterion, rater, value), joined
    by story id. Text length, repetition, one human rater against the others and the ceiling stand below the metrics.
    """
    from yarnstick.agreement.agree import agree
    from yarnstick.agreement.agree_text import legend, tables
    from yarnstick.cli.score import tell
    from yarnstick.cli.writing import check_table_output, print_tables, write_table
    from yarnstick.stories.ratings import read_ratings
    from yarnstick.stories.scores import Scores

    check_table_output(output)
    found = agree(
        Scores.read(scores),
        read_ratings(ratings, columns=column_map(maps), criteria=by_commas(columns)),
        stories=stories,
        metrics=by_commas(metrics),
        criteria=by_commas(criteria),
        kinds=kinds or ("kendall",),  # type: ignore[arg-type]
        levels=levels,  # type: ignore[arg-type]
        without=without,
        lower=by_commas(lower),
        scale=None if scale is None else two_numbers(scale),
        draws=draws,
        confidence=confidence,
        seed=seed,
    )
    if not quiet and str(output) != "-":
        print_tables(tables(found), legend(found))
    tell(list(found.notes))
    write_table(output, found.to_arrow(), "lines")


def by_commas(given: tuple[str, ...]) -> list[str]:
    """
    >>> by_commas(("coherence,empathy", "surprise"))
    ['coherence', 'empathy', 'surprise']
    """
    return [part.strip() for text in given for part in text.split(",") if part.strip()]


def two_numbers(text: str) -> tuple[float, float]:
    """
    >>> two_numbers("1:5")
    (1.0, 5.0)
    """
    low, colon, high = text.partition(":")
    try:
        span = (float(low), float(high))
    except ValueError:
        span = (1.0, 0.0)
    if not colon or span[0] >= span[1]:
        raise click.UsageError(f"--scale {text!r} is not LOW:HIGH, for example 1:5")
    return span
