"""What a corpus is, where it comes from and on what terms: stated before anybody downloads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from yarnstick.stories.problems import Problems
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.storyset import StorySet


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """One file of a release. Without a ``url`` it must be asked for, and ``how_to_get`` says how."""

    name: str
    url: str = ""
    sha256: str = ""
    how_to_get: str = ""
    #: where the file stands in a copy of the whole release, so that a clone can be named as the folder
    inside: str = ""
    #: how ``sha256`` is known, or why it is not
    evidence: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """Paths to look for, nearest first: the bare name, then ever more of the release's folders."""
        parts = (self.inside or self.name).split("/")
        return tuple("/".join(parts[start:]) for start in range(len(parts) - 1, -1, -1))


@dataclass(frozen=True, slots=True)
class CorpusCard:
    """What a corpus holds and whose it is."""

    name: str
    title: str
    summary: str
    paper: str
    #: as its publishers state it; where they state none, the card says so
    licence: str
    #: stories, systems, prompts, raters, criteria: what there is of each, in words
    holds: Mapping[str, str]
    #: split -> what it is; empty where the corpus has none
    splits: Mapping[str, str] = field(default_factory=dict)
    #: fetched in this order, the indispensable file last, so that its presence means that all are there
    files: tuple[CorpusFile, ...] = ()
    how_to_get: str = ""
    caveats: tuple[str, ...] = ()

    @property
    def can_be_fetched(self) -> bool:
        """Whether all of it can be downloaded without asking anybody."""
        return bool(self.files) and all(file.url for file in self.files)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus, opened: its stories, what people said of them, and its card."""

    name: str
    stories: StorySet
    ratings: Ratings | None
    card: CorpusCard


#: the files of a corpus that are in a folder; none when the corpus cannot be read from there
Find: TypeAlias = Callable[[Path], list[Path]]
#: folder (or the one file), split, collector of problems -> stories and ratings
Load: TypeAlias = Callable[[Path, str | None, Problems], tuple[StorySet, Ratings | None]]


@dataclass(frozen=True, slots=True)
class Shelf:
    """A corpus that yarnstick knows: its card, and how to find and read it."""

    card: CorpusCard
    find: Find
    load: Load
