"""A table of scores: a row a story, a column a number, and on every column what the number means."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from yarnstick.errors import InputError
from yarnstick.stories.files import atomic
from yarnstick.stories.problems import Problems
from yarnstick.stories.rows import rows_of
from yarnstick.stories.source import locate, split_suffix
from yarnstick.stories.tables import table_writer
from yarnstick.stories.tabular import Tabular

#: the columns that say which story a row is of; every other column is a score
KEY_FIELDS = [
    pa.field("id", pa.string(), nullable=False),
    pa.field("system", pa.string()),
    pa.field("prompt_id", pa.string()),
]
KEYS = tuple(field.name for field in KEY_FIELDS)


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """What one score column is: its signature, which way is better, its range, its meaning in a sentence."""

    name: str
    signature: str
    direction: str
    low: float | None
    high: float | None
    meaning: str

    def field(self) -> pa.Field:
        """The Arrow field that carries all this in its metadata."""
        about = {key: "" if value is None else str(value) for key, value in asdict(self).items() if key != "name"}
        return pa.field(self.name, pa.float64(), metadata=about)

    @classmethod
    def of(cls, field: pa.Field) -> ScoreColumn:
        """Read the metadata of a field back; a column without any says so."""
        about = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        return cls(
            field.name,
            about.get("signature", ""),
            about.get("direction", "neutral"),
            float(about["low"]) if about.get("low") else None,
            float(about["high"]) if about.get("high") else None,
            about.get("meaning", ""),
        )


class Scores(Tabular):
    """Scores of stories. ``.to_arrow()``, ``.to_pandas()`` and ``.to_polars()`` are the table."""

    def __init__(self, table: pa.Table) -> None:
        missing = [name for name in ("id",) if name not in table.column_names]
        if missing:
            raise InputError("a score table needs a column 'id'", remedy="write it with `yarnstick score -o`")
        self._table = table

    @property
    def columns(self) -> dict[str, ScoreColumn]:
        """The score columns by name, with what each means."""
        return {field.name: ScoreColumn.of(field) for field in self._table.schema if field.name not in KEYS}

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of every column."""
        return {name: column.signature for name, column in self.columns.items()}

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getitem__(self, column: str) -> list[float | None]:
        """One column's scores in the order of the stories; ``None`` where undefined."""
        if column not in self._table.column_names:
            raise InputError(f"there is no column {column!r}", remedy=f"columns: {', '.join(self._table.column_names)}")
        return self._table.column(column).to_pylist()  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<Scores of {len(self)} stories: {', '.join(self.columns)}>"

    def to_arrow(self) -> pa.Table:
        """The table; each column's signature and meaning are in its field's metadata."""
        return self._table

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write .parquet, .csv, .tsv or .jsonl (also .gz, .zst). Formats without metadata get a sidecar."""
        with table_writer(Path(path), self._table.schema, format) as write:
            for batch in self._table.to_batches():
                write(batch)
        write_sidecar(Path(path), self._table.schema, format)

    @classmethod
    def read(cls, path: str | os.PathLike[str], format: str | None = None) -> Scores:
        """Read a score table back, signatures included."""
        source = locate(path, format)
        if source.format == "parquet":
            from pyarrow.parquet import ParquetFile

            from yarnstick.stories.source import reading

            # Not pq.read_table, which imports pandas where that is installed: a quarter of a second for nothing.
            with reading(source) as stream, ParquetFile(pa.BufferReader(stream.read())) as file:
                return cls(file.read())
        records = [record for _, record in rows_of(source, Problems())]
        return cls(_table_of(records, _read_sidecar(Path(path)), source.name))


def sidecar_of(path: Path) -> Path:
    """Where the signatures of a CSV or JSONL score file are kept."""
    return path.with_name(f"{path.name}.signatures.json")


def write_sidecar(path: Path, schema: pa.Schema, format: str | None = None) -> None:
    """Keep the columns' meanings beside a file that cannot hold them."""
    if (format or split_suffix(path)[1]) == "parquet" or str(path) == "-" or (path.exists() and not path.is_file()):
        return
    about = {field.name: asdict(ScoreColumn.of(field)) for field in schema if field.name not in KEYS}
    with atomic(sidecar_of(path)) as stream:
        stream.write(json.dumps(about, ensure_ascii=False, indent=1).encode() + b"\n")


def _read_sidecar(path: Path) -> dict[str, ScoreColumn]:
    side = sidecar_of(path)
    if not side.exists():
        return {}
    return {name: ScoreColumn(**about) for name, about in json.loads(side.read_text("utf-8")).items()}


def _table_of(records: list[dict[str, Any]], about: Mapping[str, ScoreColumn], origin: str) -> pa.Table:
    if not records:
        raise InputError("the score table has no rows", file=origin, remedy="is it the right file?")
    names = list(dict.fromkeys(name for record in records for name in record))
    fields, arrays = [], []
    for name in names:
        values = [record.get(name) for record in records]
        if name in KEYS:
            field = KEY_FIELDS[KEYS.index(name)]
            arrays.append(pa.array([None if value in (None, "") else str(value) for value in values], field.type))
        else:
            field = about[name].field() if name in about else pa.field(name, pa.float64())
            arrays.append(pa.array(_numbers(values, name, origin), pa.float64()))
        fields.append(field)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _numbers(values: Iterable[Any], name: str, origin: str) -> list[float | None]:
    numbers: list[float | None] = []
    for place, value in enumerate(values, 1):
        try:
            numbers.append(None if value in (None, "") else float(value))
        except (TypeError, ValueError):
            raise InputError(
                f"column {name!r} holds {str(value)[:40]!r}, which is no number",
                file=origin,
                line=place,
                remedy="score tables hold id, system, prompt_id and numbers",
            ) from None
    return numbers
