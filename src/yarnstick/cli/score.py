"""``yarnstick score``: a file of stories in, a table of scores out."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from yarnstick.cli import CONTEXT
from yarnstick.cli.reading_options import column_map, reading_options
from yarnstick.stories.problems import OnError

#: what is measured when nothing is asked for, as -m takes it
DEFAULT_METRICS = "union,text"


@click.command(context_settings=CONTEXT)
@click.argument("source")
@click.option(
    "-m",
    "--metrics",
    "metrics",
    multiple=True,
    metavar="NAMES",
    help=f"Metrics or groups, by commas or repeated: -m chrf -m rouge-l, -m chrf:beta=3. Default: {DEFAULT_METRICS}.",
)
@click.option("--preset", help="Use this preset in every metric that has it, for example hanna.")
@click.option(
    "-o",
    "--output",
    type=Path,
    help="Write the table here: .parquet, .csv, .tsv, .jsonl (also .gz, .zst); - is standard output.",
)
@click.option("--to", help="Format of the output, where its name does not tell: parquet, csv, tsv, jsonl.")
@click.option(
    "--store",
    type=Path,
    help="Folder that remembers every score. Default: OUTPUT.store, where there is an output file.",
)
@click.option("--no-store", is_flag=True, help="Remember nothing: a killed run starts from the beginning.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to use.")
@click.option("--batch-size", type=click.IntRange(1), default=64, show_default=True, help="Stories scored at a time.")
@click.option("--plugin", multiple=True, type=Path, help="A Python file that registers metrics of your own.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no table in the terminal.")
@reading_options
def command(
    source: str,
    metrics: tuple[str, ...],
    preset: str | None,
    output: Path | None,
    to: str | None,
    store: Path | None,
    no_store: bool,
    workers: int,
    batch_size: int,
    plugin: tuple[Path, ...],
    quiet: bool,
    format: str | None,
    maps: tuple[str, ...],
    encoding: str,
    split: str,
    limit: int | None,
    on_error: OnError,
) -> None:
    """Score stories; a table of means, with intervals and which way is better, is shown per system.

    \b
    yarnstick score stories.jsonl
    yarnstick score stories.jsonl -m hanna-string -o scores.parquet --workers 2
    yarnstick score generations.csv -m chrf:beta=3,rouge-l --map story=completion -o scores.csv
    zcat stories.jsonl.gz | yarnstick score - -m length -o - --to csv

    A run that was killed goes on where it stopped when the same command is given again, and a file that grew is
    scored only where it is new: the scores are kept in OUTPUT.store, which may be deleted when no longer wanted.
    """
    from yarnstick.cli.progress import progress
    from yarnstick.cli.tables import counted, print_summary
    from yarnstick.engine.plan import make_plan
    from yarnstick.engine.plugins import load_plugin
    from yarnstick.engine.pool import Pool
    from yarnstick.engine.run import run, score_schema
    from yarnstick.engine.store import ScoreStore
    from yarnstick.engine.summary import Summary
    from yarnstick.engine.survey import survey
    from yarnstick.stories import read
    from yarnstick.stories.files import refuse_overwriting
    from yarnstick.stories.problems import Problems
    from yarnstick.stories.scores import write_sidecar
    from yarnstick.stories.source import split_suffix
    from yarnstick.stories.tables import check_table_format, table_writer

    for path in plugin:
        load_plugin(path)
    plan = make_plan(split_requests(metrics) or split_requests((DEFAULT_METRICS,)), preset)
    # A device or a pipe takes the table, but nothing can be kept beside it.
    to_file = output is not None and str(output) != "-" and (output.is_file() or not output.exists())
    if output is not None:
        refuse_overwriting(source, output)
        check_writable(output)
        check_table_format(output, to or ("jsonl" if str(output) == "-" else split_suffix(output)[1]))
    stories = read(source, format=format, columns=column_map(maps), encoding=encoding, split=split, limit=limit)
    problems, failures = Problems(on_error), list[str]()
    folder = store or (output.with_name(f"{output.name}.store") if output and to_file else None)
    with ExitStack() as stack:
        pool = stack.enter_context(Pool(workers))
        try:
            found, plan = survey(stories, plan, problems)
        finally:
            tell(problems.summary())
        if not quiet:
            columns = ", ".join(f"{field} = {column!r}" for field, column in stories.columns.items())
            read_in = f"{counted(found.stories, 'story', 'stories')} from {stories.origin}"
            tell(["; ".join([read_in, *found.notes(), columns])])
        schema, summary = score_schema(plan), Summary(plan.columns)
        opened = stack.enter_context(ScoreStore(folder)) if folder and not no_store else None
        write = stack.enter_context(table_writer(output, schema, to)) if output else None
        advance = stack.enter_context(progress("scoring", found.stories, quiet))
        for batch in run(
            stories,
            plan,
            store=opened,
            pool=pool,
            batch_size=batch_size,
            problems=Problems(on_error),
            on_progress=advance,
            on_failure=failures.append,
        ):
            summary.add(batch)
            if write:
                write(batch)
        if opened:
            opened.flush()  # before the table is moved into place: a full disk must not leave half a result
    if output and to_file:
        write_sidecar(output, schema, to)
    tell(failures)
    if quiet:
        return
    if str(output) != "-":
        print_summary(summary)
    if output:
        known = f", {advance.known} stories known from {folder}" if advance.known else ""
        known += f", {advance.partly} stories known in part from {folder}" if advance.partly else ""
        written = counted(found.stories, "story", "stories")
        columns = counted(len(plan.columns), "score column", "score columns")
        tell([f"wrote {written}, {columns} to {output}{known}"])


def tell(lines: list[str]) -> None:
    """Say something about the run, apart from its result."""
    for line in lines:
        click.echo(f"yarnstick: {line}", err=True)


def split_requests(given: tuple[str, ...]) -> list[str]:
    """Commas separate metrics, but also a metric's settings: a part with ``=`` belongs to the one before.

    >>> split_requests(("chrf:beta=3,order=4,rouge-l", "bleu"))
    ['chrf:beta=3,order=4', 'rouge-l', 'bleu']
    """
    requests: list[str] = []
    for text in given:
        parts = [part.strip() for part in text.split(",") if part.strip()]
        for place, part in enumerate(parts):
            if place and "=" in part and ":" not in part.split("=")[0]:
                requests[-1] += f",{part}"
            else:
                requests.append(part)
    return requests


def check_writable(path: Path) -> None:
    """Refuse an output that cannot be written before hours are spent on it."""
    import os

    from yarnstick.errors import OutputError

    if str(path) == "-":
        return
    if path.is_dir():
        raise OutputError(f"cannot write {path}: it is a directory", remedy="name a file in it")
    if not path.parent.is_dir():
        raise OutputError(f"cannot write {path}: there is no folder {path.parent}", remedy="make it first")
    if not os.access(path.parent if not path.exists() else path, os.W_OK):
        raise OutputError(f"cannot write {path}: not permitted", remedy="choose another place with -o")
