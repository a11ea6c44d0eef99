"""``read``: stories from a file, standard input, or whatever a Python user has at hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from yarnstick.errors import InputError
from yarnstick.stories.columns import STORY_HABITS, guess_columns
from yarnstick.stories.normalise import normalise
from yarnstick.stories.problems import Problems
from yarnstick.stories.rows import Row, rows_of
from yarnstick.stories.source import locate
from yarnstick.stories.story import Story
from yarnstick.stories.storyset import StorySet

SPLITS = ("line", "blank", "whole")


def read(
    stories: object,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    split: str = "line",
    limit: int | None = None,
) -> StorySet:
    """Stories from almost anything.

    ``stories``: a path (.jsonl .json .csv .tsv .parquet .txt, each also .gz or .zst; ``-`` is standard input),
    a list of strings, dicts or :class:`Story`, a pandas or polars data frame, an Arrow table, or a Hugging Face
    dataset. ``columns`` overrides the guess of which column is what: ``{"story": "completion"}``. Plain text is
    a story a line; ``split="blank"`` cuts at blank lines, ``"whole"`` takes the file as one story.

    >>> [story.text for story in read(["Once there was a goose.", "It left."])]
    ['Once there was a goose.', 'It left.']
    """
    if split not in SPLITS:
        raise InputError(f"unknown split {split!r}", remedy=f"one of {', '.join(SPLITS)}")
    if isinstance(stories, StorySet):
        return stories
    if isinstance(stories, str | os.PathLike):
        return _read_file(stories, format, columns or {}, encoding, split, limit)
    open_rows, origin = rows_at_hand(stories)
    return _story_set(lambda _problems: open_rows(), origin, columns or {}, limit, cells_are_text=False)


def _read_file(
    path: str | os.PathLike[str],
    format: str | None,
    columns: Mapping[str, str],
    encoding: str,
    split: str,
    limit: int | None,
) -> StorySet:
    if isinstance(path, str) and ("\n" in path or len(path) > 1000):
        raise InputError("got one long text where a path belongs", remedy="put the text into a list: [text]")
    source = locate(path, format)
    return _story_set(
        lambda problems: rows_of(source, problems, encoding, split),
        source.name,
        columns,
        limit,
        cells_are_text=source.format in ("csv", "tsv"),
    )


def _story_set(
    open_rows: Callable[[Problems], Iterator[Row]],
    origin: str,
    overrides: Mapping[str, str],
    limit: int | None,
    *,
    cells_are_text: bool,
) -> StorySet:
    first = next(open_rows(Problems("skip")), None)
    guessed = guess_columns(list(first[1]), STORY_HABITS, overrides, origin=origin) if first else {}
    return StorySet(
        lambda problems: normalise(open_rows(problems), problems, origin, overrides, cells_are_text=cells_are_text),
        origin,
        columns=guessed,
        limit=limit,
    )


def rows_at_hand(given: object) -> tuple[Callable[[], Iterator[Row]], str]:
    """Rows of something in memory, and what to call it in messages."""
    module, kind = type(given).__module__.split(".")[0], type(given).__name__
    if isinstance(given, pa.RecordBatchReader):
        given = given.read_all()
    if isinstance(given, pa.Table | pa.RecordBatch):
        table = pa.Table.from_batches([given]) if isinstance(given, pa.RecordBatch) else given
        return lambda: _numbered(row for batch in table.to_batches(512) for row in batch.to_pylist()), "table"
    if module == "pandas" and kind == "DataFrame":
        frame: Any = given
        names = [str(name) for name in frame.columns]
        return (
            lambda: _numbered(dict(zip(names, row, strict=True)) for row in frame.itertuples(index=False, name=None)),
            "DataFrame",
        )
    if module == "polars" and kind in ("DataFrame", "LazyFrame"):
        polars_frame: Any = given if kind == "DataFrame" else given.collect()  # type: ignore[attr-defined]
        return lambda: _numbered(polars_frame.iter_rows(named=True)), "DataFrame"
    if module == "datasets":
        if kind.endswith("DatasetDict"):
            raise InputError(
                "is a dictionary of splits",
                file=kind,
                remedy=f"pick one: dataset[{next(iter(given))!r}]",  # type: ignore[call-overload]
            )
        dataset: Any = given
        return lambda: _numbered(dict(row) for row in dataset), "dataset"
    if isinstance(given, Mapping):
        raise InputError("got one dict where a list of stories belongs", remedy="put it into a list: [story]")
    if isinstance(given, pa.Array | pa.ChunkedArray):
        given = given.to_pylist()
    if isinstance(given, Iterable):
        held = list(given)
        return lambda: _numbered(_record(item, place) for place, item in enumerate(held, 1)), "list"
    raise InputError(
        f"cannot read stories from what is of type {kind}",
        remedy="give a path, a list of texts or dicts, a data frame, an Arrow table or a dataset",
    )


def _numbered(records: Iterable[dict[str, Any]]) -> Iterator[Row]:
    return ((number, record) for number, record in enumerate(records, 1))


def _record(item: object, place: int) -> dict[str, Any]:
    if isinstance(item, str):
        return {"story": item}
    if isinstance(item, Mapping):
        return dict(item)
    if isinstance(item, Story):
        given = {
            "story": item.text,
            "id": item.id,
            "prompt": item.prompt,
            "references": list(item.references),
        }
        return {**item.extra, **given, "system": item.system, "prompt_id": item.prompt_id}
    if item is None or isinstance(item, float):
        return {"story": None}
    raise InputError(
        f"is of type {type(item).__name__}", file="list", line=place, remedy="give texts, dicts or Story objects"
    )
