"""What a metric is handed: some stories with their prompts and references, and the shared features."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from yarnstick.features.memo import Features

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Batch:
    """Some stories. How many, and which others come with them, must never change a story's score."""

    stories: Sequence[str]
    prompts: Sequence[str] = ()
    references: Sequence[Sequence[str]] = ()
    systems: Sequence[str] = ()
    #: what the metric's ``prepare`` made of the whole story set (only metrics that declare one)
    corpus: Any = None
    features: Features = field(default_factory=Features)

    def __len__(self) -> int:
        return len(self.stories)

    def each(self, function: Callable[..., Value], texts: Sequence[str], **options: Hashable) -> list[Value]:
        """``function(text, **options)`` of every text, computed once per distinct text and shared by all metrics.

        ``function`` must be an ordinary module-level function of the text: its name is the key.
        """
        return self.features.each(function, texts, **options)

    def each_reference(self, function: Callable[..., Value], **options: Hashable) -> list[list[Value]]:
        """The same for the references: a list of values per story."""
        return [self.features.each(function, texts, **options) for texts in self.references]

    def each_set(self, function: Callable[..., Value], **options: Hashable) -> list[Value]:
        """``function(references, **options)`` of every story's set of references, once per distinct set."""
        return self.features.each(function, [tuple(texts) for texts in self.references], **options)
