"""Arrow batches out to a file, as they come: Parquet, CSV, TSV, JSONL; plain or compressed; or standard output."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa

from yarnstick.errors import OutputError
from yarnstick.stories.files import atomic, explained
from yarnstick.stories.source import split_suffix

TABLE_FORMATS = ("parquet", "csv", "tsv", "jsonl")
#: rows of a Parquet row group; fixed, so that how the rows arrived leaves no trace in the file
ROW_GROUP = 8192

WriteBatch: TypeAlias = Callable[[pa.RecordBatch], None]


@contextmanager
def table_writer(path: Path | str, schema: pa.Schema, format: str | None = None) -> Iterator[WriteBatch]:
    """A function that takes batches; the file appears, whole, when the block is left without an error."""
    if str(path) == "-":
        with (
            explained(Path("standard output")),
            _opened(sys.stdout.buffer, schema, format or "jsonl") as write,
        ):
            yield write
        sys.stdout.buffer.flush()
        return
    path = Path(path)
    compression, decided = split_suffix(path, format)
    check_table_format(path, decided)
    with atomic(path, compression) as stream, _opened(stream, schema, str(decided)) as write:
        yield write


def check_table_format(path: Path | str, format: str | None) -> None:
    """Refuse a name whose format cannot be written, before any work is done for it."""
    if format not in TABLE_FORMATS:
        what = f"as {format}" if format else "in a format its name does not tell"
        raise OutputError(
            f"cannot write {path} {what}",
            remedy=f"end the name in .parquet, .csv, .tsv or .jsonl, or say --to {'|'.join(TABLE_FORMATS)}",
        )


@contextmanager
def _opened(stream: BinaryIO, schema: pa.Schema, format: str) -> Iterator[WriteBatch]:
    openers = {
        "parquet": lambda: _parquet(stream, schema),
        "csv": lambda: _separated(stream, schema, ","),
        "tsv": lambda: _separated(stream, schema, "\t"),
        "jsonl": lambda: _jsonl(stream),
    }
    with openers[format]() as write:
        yield write


@contextmanager
def _parquet(stream: BinaryIO, schema: pa.Schema) -> Iterator[WriteBatch]:
    import pyarrow.parquet as pq

    held: list[pa.RecordBatch] = []
    with pq.ParquetWriter(stream, schema, compression="zstd") as writer:

        def flush(everything: bool) -> None:
            table = pa.Table.from_batches(held, schema=schema)
            whole = table.num_rows if everything else table.num_rows - table.num_rows % ROW_GROUP
            if whole:
                writer.write_table(table.slice(0, whole).combine_chunks(), row_group_size=ROW_GROUP)
            held[:] = table.slice(whole).to_batches()

        def write(batch: pa.RecordBatch) -> None:
            held.append(batch)
            if sum(one.num_rows for one in held) >= ROW_GROUP:
                flush(everything=False)

        yield write
        flush(everything=True)


@contextmanager
def _separated(stream: BinaryIO, schema: pa.Schema, separator: str) -> Iterator[WriteBatch]:
    text = io.TextIOWrapper(stream, "utf-8", newline="", write_through=False)
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(schema.names)

    def write(batch: pa.RecordBatch) -> None:
        columns = [column.to_pylist() for column in batch.columns]
        writer.writerows([_cell(value) for value in row] for row in zip(*columns, strict=True))

    yield write
    text.flush()
    text.detach()


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


@contextmanager
def _jsonl(stream: BinaryIO) -> Iterator[WriteBatch]:
    def write(batch: pa.RecordBatch) -> None:
        for record in batch.to_pylist():
            stream.write((json.dumps(_without_nan(record), ensure_ascii=False) + "\n").encode())

    yield write


def _without_nan(record: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in record.items()}
