"""What people said of stories: one row a judgement (story, criterion, rater, value)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from yarnstick.errors import InputError
from yarnstick.stories.columns import RATING_HABITS, guess_columns
from yarnstick.stories.problems import Problems
from yarnstick.stories.reading import rows_at_hand
from yarnstick.stories.rows import Row, rows_of
from yarnstick.stories.source import locate
from yarnstick.stories.tabular import Tabular

RATING_SCHEMA = pa.schema(
    [
        pa.field("story", pa.string(), nullable=False),
        pa.field("criterion", pa.string(), nullable=False),
        pa.field("rater", pa.string(), nullable=False),
        pa.field("value", pa.float64(), nullable=False),
        pa.field("system", pa.string()),
        pa.field("prompt_id", pa.string()),
    ]
)


class Ratings(Tabular):
    """Human (or judge) ratings in long form."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table.select(RATING_SCHEMA.names).cast(RATING_SCHEMA)

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Ratings:
        """From rows with the fields of ``RATING_SCHEMA``; ``system`` and ``prompt_id`` may be left out."""
        held = [{name: row.get(name) for name in RATING_SCHEMA.names} for row in rows]
        for place, row in enumerate(held, 1):
            for field in RATING_SCHEMA:
                if not field.nullable and row[field.name] is None:
                    raise InputError(f"a rating has no {field.name}", file="ratings", line=place, remedy="fill it in")
        return cls(pa.Table.from_pylist(held, schema=RATING_SCHEMA))

    @property
    def criteria(self) -> list[str]:
        """The criteria in order of first appearance."""
        return list(dict.fromkeys(self._table.column("criterion").to_pylist()))

    @property
    def raters(self) -> list[str]:
        """The raters in order of first appearance."""
        return list(dict.fromkeys(self._table.column("rater").to_pylist()))

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __repr__(self) -> str:
        return f"<Ratings: {len(self)} by {len(self.raters)} raters on {', '.join(self.criteria)}>"

    def to_arrow(self) -> pa.Table:
        """The long table."""
        return self._table


def read_ratings(
    ratings: object,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    criteria: Iterable[str] = (),
    encoding: str = "utf-8",
) -> Ratings:
    """Ratings from a file or from Python data.

    Long form has a row a judgement (story, criterion, rater, value). For wide form, a column a criterion, name
    those columns in ``criteria``; without a rater column each row of a story counts as another rater.
    """
    if isinstance(ratings, Ratings):
        return ratings
    if isinstance(ratings, str) or hasattr(ratings, "__fspath__"):
        source = locate(ratings, format)
        rows, origin = rows_of(source, Problems(), encoding), source.name
    else:
        open_rows, origin = rows_at_hand(ratings)
        rows = open_rows()
    return Ratings.of(_judgements(rows, origin, columns or {}, list(criteria)))


def _judgements(
    rows: Iterator[Row], origin: str, overrides: Mapping[str, str], criteria: list[str]
) -> Iterator[dict[str, Any]]:
    columns: dict[str, str] | None = None
    seen: dict[str, int] = {}
    for line, record in rows:
        if columns is None:
            required = ("story",) if criteria else ("story", "criterion", "value")
            columns = guess_columns(list(record), RATING_HABITS, overrides, required=required, origin=origin)
            if absent := [name for name in criteria if name not in record]:
                raise InputError(f"there is no column {absent[0]!r}", file=origin, remedy="criteria name columns")
        story = str(record[columns["story"]])
        common = {
            "story": story,
            "system": _text(record, columns, "system"),
            "prompt_id": _text(record, columns, "prompt_id"),
        }
        for criterion in criteria or [str(record[columns["criterion"]])]:
            key = f"{story}\0{common['system']}\0{criterion}"
            seen[key] = seen.get(key, 0) + 1
            rater = _text(record, columns, "rater") or str(seen[key])
            cell = record[criterion] if criteria else record[columns["value"]]
            yield {**common, "criterion": criterion, "rater": rater, "value": _value(cell, origin, line)}


def _text(record: Mapping[str, Any], columns: Mapping[str, str], field: str) -> str | None:
    value = record.get(columns[field]) if field in columns else None
    return None if value is None or value == "" else str(value)


def _value(cell: Any, origin: str, line: int) -> float:
    try:
        value = float(cell)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"the rating is {cell!r}, not a number", file=origin, line=line, remedy="drop the row or mend it"
        )
    return value
