"""Negatives as rows of a table: story, negative, and the edits as spans."""

from __future__ import annotations

from collections.abc import Sequence

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


def rows_of(name: str, story: str, negatives: Sequence[Negative], recipe: str) -> pa.RecordBatch:
    """The negatives of one story."""
    rows = [
        {
            "id": name,
            "story": story,
            "negative": negative.text,
            "edits": [edit._asdict() for edit in negative.edits],
            "recipe": recipe,
        }
        for negative in negatives
    ]
    return pa.RecordBatch.from_pylist(rows, schema=ROWS)


def lead_of(story: str, sentences: int) -> int:
    """How many characters the first sentences of a story take.

    >>> lead_of("A goose came. It left.", 1)
    13
    """
    spans = sentence_spans(story)[:sentences]
    return spans[-1][1] if spans else 0
