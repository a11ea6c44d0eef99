"""A story, and the columns a set of them has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

#: what every batch of stories looks like inside yarnstick, whatever file it came from
STORY_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("system", pa.string()),
        pa.field("prompt_id", pa.string()),
        pa.field("prompt", pa.string()),
        pa.field("story", pa.string(), nullable=False),
        pa.field("references", pa.list_(pa.string()), nullable=False),
        # Whatever else the file said of the story, as a JSON object: kept, given back on writing, never scored.
        pa.field("extra", pa.string()),
        # Where it stood in the file it came from, for messages.
        pa.field("line", pa.int64(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class Story:
    """One story with what belongs to it.

    >>> Story(id="1", text="Once there was a goose.").references
    ()
    """

    id: str
    text: str
    prompt: str | None = None
    references: tuple[str, ...] = ()
    system: str | None = None
    prompt_id: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
