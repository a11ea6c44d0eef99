"""Stories out to a file: their extras become columns again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from yarnstick.errors import OutputError
from yarnstick.stories.files import atomic
from yarnstick.stories.problems import Problems
from yarnstick.stories.source import split_suffix
from yarnstick.stories.storyset import StorySet
from yarnstick.stories.tables import check_table_format, table_writer

_OURS = ("id", "system", "prompt_id", "prompt", "story", "references")


def write_stories(
    stories: StorySet, path: Path | str, format: str | None = None, problems: Problems | None = None
) -> int:
    """Write a story set as JSONL, CSV, TSV, Parquet or plain text (a story a line); returns how many."""
    decided = format or (split_suffix(Path(path))[1] if str(path) != "-" else "jsonl")
    if decided == "text":
        return _write_text(stories, Path(path), problems)
    check_table_format(path, decided)
    schema = _schema_of(stories, problems)
    count = 0
    with table_writer(path, schema, decided) as write:
        for batch in stories.batches(problems=_silent(problems)):
            write(_with_extras(batch, schema))
            count += batch.num_rows
    return count


def _schema_of(stories: StorySet, problems: Problems | None) -> pa.Schema:
    """Which of our columns are used at all, and what columns and types the extras need (a first reading)."""
    kinds: dict[str, set[type]] = {}
    used: set[str] = set()
    for row in stories.rows(problems):
        used.update(name for name in _OURS if row[name] not in (None, []))
        for name, value in _extras(row["extra"]).items():
            kinds.setdefault(name, set()).add(type(value))
    fields = [
        pa.field(name, pa.list_(pa.string()) if name == "references" else pa.string())
        for name in _OURS
        if name in used or name in ("id", "story")
    ]
    return pa.schema([*fields, *(pa.field(name, _arrow_type(seen)) for name, seen in kinds.items())])


def _extras(written: str | None) -> dict[str, Any]:
    """A row's extras; one that has a name of ours (a second story column, say) is kept under another."""
    extras: dict[str, Any] = json.loads(written) if written else {}
    return {f"extra_{name}" if name in _OURS else name: value for name, value in extras.items()}


def _arrow_type(seen: set[type]) -> pa.DataType:
    seen = seen - {type(None)}
    if seen == {bool}:
        return pa.bool_()
    if seen == {int}:
        return pa.int64()
    if seen and seen <= {int, float}:
        return pa.float64()
    return pa.string()


def _with_extras(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    extras = [_extras(extra) for extra in batch.column("extra").to_pylist()]
    columns = []
    for field in schema:
        if field.name in _OURS:
            columns.append(batch.column(field.name).cast(field.type))
        else:
            columns.append(pa.array([_fit(extra.get(field.name), field.type) for extra in extras], type=field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _fit(value: Any, type: pa.DataType) -> Any:
    # A nested or mixed extra becomes text, as JSON: nothing is lost, and every format can hold it.
    if value is None or type != pa.string() or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _write_text(stories: StorySet, path: Path, problems: Problems | None) -> int:
    count = 0
    with atomic(path, split_suffix(path)[0]) as stream:
        for row in stories.rows(problems):
            if "\n" in row["story"] or "\r" in row["story"]:
                raise OutputError(
                    f"cannot write {path} as plain text: story {row['id']!r} has line breaks, and a line is a story",
                    remedy="write .jsonl, .csv or .parquet",
                )
            stream.write(row["story"].encode() + b"\n")
            count += 1
    return count


def _silent(problems: Problems | None) -> Problems | None:
    # The first reading has counted what was skipped; the second must skip the same without counting again.
    return None if problems is None else Problems(problems.on_error)
