"""The bundled sample: stories anybody may read, copy and change, with no download."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from yarnstick.stories.corpora.card import CorpusCard, CorpusFile, Shelf
from yarnstick.stories.normalise import normalise
from yarnstick.stories.problems import Problems
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.rows import rows_of
from yarnstick.stories.source import Source
from yarnstick.stories.storyset import StorySet

_ORIGIN = "the bundled sample"

CARD = CorpusCard(
    name="sample",
    title="The bundled sample",
    summary="16 prompts, each told well and in four faulty ways; made for yarnstick, for demos and tests",
    paper="none; CARD.md beside the file says how it was made",
    licence="Apache-2.0, as yarnstick",
    holds={
        "stories": "80",
        "systems": "5 invented ones: good, repetitive, incoherent, contradictory, off-prompt",
        "prompts": "16, with two references each",
        "raters": "none",
    },
    files=(CorpusFile("stories.jsonl", how_to_get="it comes with yarnstick"),),
    how_to_get="nothing to do: it comes with yarnstick",
    caveats=("Nobody has rated it: it shows what metrics print, never that they agree with people.",),
)


def sample_stories() -> StorySet:
    """The stories of the sample."""
    resource = files("yarnstick.stories") / "sample" / "stories.jsonl"
    source = Source(_ORIGIN, "jsonl", lambda: resource.open("rb"))  # type: ignore[arg-type, return-value]

    def rows(problems: Problems) -> Iterator[dict[str, Any]]:
        return normalise(rows_of(source, problems), problems, _ORIGIN, {}, cells_are_text=False)

    return StorySet(rows, _ORIGIN)


def _load(_folder: Path, _split: str | None, _problems: Problems) -> tuple[StorySet, Ratings | None]:
    return sample_stories(), None


SHELF = Shelf(CARD, lambda folder: [folder], _load)
