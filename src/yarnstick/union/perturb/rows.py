"""Negatives as rows of a table: story, negative, and the edits as spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from yarnstick.text.sentences import sentence_spans
from yarnstick.union.perturb.edits import Negative

_EDIT = pa.struct(
    [
        pa.field("technique", pa.string()),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
        pa.field("before", pa.string()),
        pa.field("source_start", pa.int64()),
        pa.field("source_end", pa.int64()),
    ]
)

#: the columns of what ``yarnstick perturb`` writes
ROWS = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("story", pa.string()),
        pa.field("negative", pa.string()),
        pa.field("edits", pa.list_(_EDIT)),
        pa.field("recipe", pa.string()),
    ]
)


def rows_of(name: str, story: str, negatives: Sequence[Negative], recipe: str) -> list[dict[str, Any]]:
    """The negatives of one story."""
    return [
        {
            "id": name,
            "story": story,
            "negative": negative.text,
            "edits": [edit._asdict() for edit in negative.edits],
            "recipe": recipe,
        }
        for negative in negatives
    ]


def in_batches(rows: Iterable[dict[str, Any]], size: int = 1024) -> Iterator[pa.RecordBatch]:
    """Rows as Arrow batches."""
    rows = iter(rows)
    while held := list(islice(rows, size)):
        yield pa.RecordBatch.from_pylist(held, schema=ROWS)


def lead_of(story: str, sentences: int) -> int:
    """How many characters the first sentences of a story take.

    >>> lead_of("A goose came. It left.", 1)
    13
    """
    spans = sentence_spans(story)[:sentences]
    return spans[-1][1] if spans else 0
