"""A set of stories: columnar, streamed from wherever it is, as often as asked."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from yarnstick.stories.problems import Problems
from yarnstick.stories.story import STORY_SCHEMA, Story
from yarnstick.stories.tabular import Tabular

#: gives the canonical rows anew each time; problems go to the collector
OpenRows = Callable[[Problems], Iterator[dict[str, Any]]]

#: text a batch may hold, so that novels do not need more memory than anecdotes
_BATCH_CHARACTERS = 8_000_000


class StorySet(Tabular):
    """Stories that stream: nothing is read until asked, and nothing is kept that was passed on."""

    def __init__(
        self, rows: OpenRows, origin: str, *, columns: dict[str, str] | None = None, limit: int | None = None
    ) -> None:
        self._rows = rows
        self._length: int | None = None
        self._limit = limit
        #: what the stories came from, for messages
        self.origin = origin
        #: which column of the source was read as what, as far as the first row tells
        self.columns = columns or {}

    @classmethod
    def of(cls, stories: Iterable[Story], origin: str = "stories") -> StorySet:
        """A set of stories already at hand."""
        held = list(stories)
        return cls(lambda _problems: (_row_of(story, line) for line, story in enumerate(held, 1)), origin)

    def rows(self, problems: Problems | None = None) -> Iterator[dict[str, Any]]:
        """Canonical rows, one story at a time; problems are raised unless a collector says otherwise."""
        return itertools.islice(self._rows(problems or Problems()), self._limit)

    def batches(self, size: int = 1024, problems: Problems | None = None) -> Iterator[pa.RecordBatch]:
        """Record batches of at most ``size`` stories and some megabytes of text, in the order of the source."""
        held: list[dict[str, Any]] = []
        characters = 0
        for row in self.rows(problems):
            held.append(row)
            characters += len(row["story"]) + len(row["prompt"] or "") + sum(map(len, row["references"]))
            if len(held) >= size or characters >= _BATCH_CHARACTERS:
                yield _batch_of(held)
                held, characters = [], 0
        if held:
            yield _batch_of(held)

    def __iter__(self) -> Iterator[Story]:
        return self.told()

    def told(self, problems: Problems | None = None) -> Iterator[Story]:
        """The stories one by one; problems are raised unless a collector says otherwise."""
        for row in self.rows(problems):
            yield Story(
                id=row["id"],
                text=row["story"],
                prompt=row["prompt"],
                references=tuple(row["references"]),
                system=row["system"],
                prompt_id=row["prompt_id"],
                extra=json.loads(row["extra"]) if row["extra"] else {},
            )

    def __len__(self) -> int:
        if self._length is None:
            self._length = sum(1 for _ in self.rows())
        return self._length

    def __repr__(self) -> str:
        return f"<StorySet from {self.origin}>"

    def to_arrow(self) -> pa.Table:
        """The whole set as one table: id, system, prompt_id, prompt, story, references, extra (JSON), line."""
        return pa.Table.from_batches(self.batches(), schema=STORY_SCHEMA)


def _batch_of(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    columns = [pa.array([row[field.name] for row in rows], type=field.type) for field in STORY_SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=STORY_SCHEMA)


def _row_of(story: Story, line: int) -> dict[str, Any]:
    return {
        "id": story.id,
        "system": story.system,
        "prompt_id": story.prompt_id,
        "prompt": story.prompt,
        "story": story.text,
        "references": list(story.references),
        "extra": json.dumps(dict(story.extra), ensure_ascii=False) if story.extra else None,
        "line": line,
    }
