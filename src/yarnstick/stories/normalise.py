"""From a row as somebody wrote it to a row as yarnstick knows it."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from yarnstick.errors import InputError
from yarnstick.stories.columns import STORY_HABITS, guess_columns
from yarnstick.stories.problems import Problems
from yarnstick.stories.rows import Row

#: "reference_1", "ref2", "gold 3": one reference a column
_NUMBERED_REFERENCE = re.compile(r"^(?:references?|refs?|gold|target|human)[\s_-]*\d+$", re.IGNORECASE)
_WRITTEN_NAN = {"nan", "NaN", "NAN"}


def normalise(
    rows: Iterator[Row],
    problems: Problems,
    origin: str,
    overrides: Mapping[str, str],
    *,
    cells_are_text: bool,
) -> Iterator[dict[str, Any]]:
    """Canonical rows. ``cells_are_text`` (CSV, TSV): an empty cell means that nothing was given."""
    layouts: dict[tuple[str, ...], tuple[dict[str, str], list[str]]] = {}
    first_line: dict[int, int] = {}
    for number, (line, record) in enumerate(rows, 1):
        names = tuple(record)
        try:
            if names not in layouts:
                layouts[names] = _layout(names, overrides, origin)
            row = _canonical(record, *layouts[names], number, line, cells_are_text)
            # A set of hashes, not of ids: a million stories must not cost their ids in memory.
            key = hash((row["system"], row["id"]))
            if key in first_line:
                raise InputError(
                    f"the id {row['id']!r} was used before, at line {first_line[key]}"
                    + (f", for the same system {row['system']!r}" if row["system"] else ""),
                    remedy="make ids unique within a system, or leave the id column out: --map id=COLUMN names another",
                )
            first_line[key] = line
        except InputError as problem:
            problem.file, problem.line = origin, problem.line or line
            problems.meet(problem)
            continue
        yield row


def _layout(names: tuple[str, ...], overrides: Mapping[str, str], origin: str) -> tuple[dict[str, str], list[str]]:
    columns = guess_columns(names, STORY_HABITS, overrides, required=("story",), origin=origin)
    numbered = [] if "references" in columns else [name for name in names if _NUMBERED_REFERENCE.match(name)]
    return columns, numbered


def _canonical(
    record: Mapping[str, Any],
    columns: Mapping[str, str],
    numbered: list[str],
    number: int,
    line: int,
    cells_are_text: bool,
) -> dict[str, Any]:
    def given(field: str) -> Any:
        value = record.get(columns[field]) if field in columns else None
        return None if _is_missing(value) or (cells_are_text and value == "" and field != "story") else value

    story = _story_text(given("story"), columns["story"], cells_are_text)
    prompt = _optional_text(given("prompt"), "prompt")
    prompt_id = _scalar(given("prompt_id"))
    if prompt_id is None and prompt is not None:
        prompt_id = hashlib.blake2b(prompt.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    references = _references(given("references"), cells_are_text)
    references += [str(record[name]) for name in numbered if not _is_missing(record[name]) and record[name] != ""]
    used = {*columns.values(), *numbered}
    extra = {name: value for name, value in record.items() if name not in used}
    return {
        "id": _scalar(given("id")) or str(number),
        "system": _scalar(given("system")),
        "prompt_id": prompt_id,
        "prompt": prompt,
        "story": story,
        "references": references,
        "extra": json.dumps(extra, ensure_ascii=False, default=str) if extra else None,
        "line": line,
    }


def _story_text(value: Any, column: str, cells_are_text: bool) -> str:
    if value is None or (cells_are_text and value in _WRITTEN_NAN):
        raise InputError(
            f"the story (column {column!r}) is missing (null or NaN)",
            remedy='write "" for an empty story, drop the row, or go on without it: --on-error skip',
        )
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return _encodable(" ".join(value))
    if not isinstance(value, str):
        raise InputError(
            f"the story (column {column!r}) is not text but of type {type(value).__name__}",
            remedy="name the right column: --map story=COLUMN",
        )
    return _encodable(value)


def _optional_text(value: Any, field: str) -> str | None:
    if value is None or isinstance(value, str):
        return value if value is None else _encodable(value)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return _encodable(" ".join(value))
    raise InputError(
        f"the {field} is not text but of type {type(value).__name__}",
        remedy=f"name the right column: --map {field}=COLUMN",
    )


def _references(value: Any, cells_are_text: bool) -> list[str]:
    if value is None:
        return []
    if cells_are_text and value.startswith("["):
        with suppress(json.JSONDecodeError):  # a reference may merely start with a bracket
            value = json.loads(value)
    if isinstance(value, str):
        return [_encodable(value)]
    if hasattr(value, "tolist"):
        value = value.tolist()  # data frames hold lists as arrays
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return [_encodable(part) for part in value]
    raise InputError(
        "the references are neither a text nor a list of texts",
        remedy="name the right column: --map reference=COLUMN",
    )


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            "a text holds half of a character (a lone surrogate)",
            remedy="write the file again as proper UTF-8",
        ) from None
    return text


def _scalar(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # ids that went through a data frame with gaps come back as 3.0
    if isinstance(value, str | int | float | bool):
        return str(value)
    raise InputError(f"an id or a system is neither a word nor a number but of type {type(value).__name__}")


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType"
