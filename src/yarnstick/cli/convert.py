"""``yarnstick convert``: a file of stories in another format, with columns under our names."""

from __future__ import annotations

import click

from yarnstick.cli import CONTEXT
from yarnstick.cli.reading_options import column_map, reading_options
from yarnstick.stories.problems import OnError


@click.command(context_settings=CONTEXT)
@click.argument("source")
@click.argument("target")
@reading_options
@click.option("--to", help="Format of the output, where its name does not tell: jsonl, csv, tsv, parquet, text.")
def command(
    source: str,
    target: str,
    format: str | None,
    maps: tuple[str, ...],
    encoding: str,
    split: str,
    limit: int | None,
    on_error: OnError,
    to: str | None,
) -> None:
    """Turn a file of stories into another format.

    \b
    yarnstick convert stories.csv stories.parquet
    yarnstick convert generations.jsonl stories.jsonl.gz --map story=completion
    cat stories.txt | yarnstick convert - stories.jsonl --format text
    """
    from yarnstick.cli.tables import counted
    from yarnstick.stories import read, write_stories
    from yarnstick.stories.files import refuse_overwriting
    from yarnstick.stories.problems import Problems

    refuse_overwriting(source, target)
    problems = Problems(on_error)
    stories = read(source, format=format, columns=column_map(maps), encoding=encoding, split=split, limit=limit)
    count = write_stories(stories, target, to, problems)
    for line in problems.summary():
        click.echo(line, err=True)
    if target != "-":
        click.echo(f"wrote {counted(count, 'story', 'stories')} to {target}", err=True)
