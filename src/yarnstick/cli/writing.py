"""Tables of results: printed, and written where ``-o`` says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
import pyarrow as pa


def print_tables(tables: Iterable[str], legend: Iterable[str]) -> None:
    """Tables apart from each other, and below them what their numbers mean."""
    for table in tables:
        click.echo(f"{table}\n")
    for line in legend:
        click.echo(line)


def check_table_output(output: Path | None) -> None:
    """Refuse a place or a format that cannot be written before any work is done."""
    from yarnstick.cli.score import check_writable
    from yarnstick.stories.source import split_suffix
    from yarnstick.stories.tables import check_table_format

    if output is not None:
        check_writable(output)
        check_table_format(output, "jsonl" if str(output) == "-" else split_suffix(output)[1])


def write_table(output: Path | None, table: pa.Table, what: str) -> None:
    """Write the table, and say so unless it went to standard output; ``what`` its rows are, for that line."""
    from yarnstick.cli.score import tell
    from yarnstick.stories.tables import table_writer

    if output is None:
        return
    with table_writer(output, table.schema) as write:
        for batch in table.to_batches():
            write(batch)
    if str(output) != "-":
        tell([f"wrote {table.num_rows} {what} to {output}"])
