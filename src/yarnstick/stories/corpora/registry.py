"""Every corpus yarnstick knows, and the one way to open them."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from yarnstick.errors import InputError
from yarnstick.stories.corpora import bundled, hanna, mans, rocstories, union, writingprompts
from yarnstick.stories.corpora.cache import corpus_folder, verify
from yarnstick.stories.corpora.card import Corpus, CorpusCard, Shelf
from yarnstick.stories.corpora.fetching import Progress, fetch_missing
from yarnstick.stories.problems import Problems
from yarnstick.stories.storyset import StorySet

SHELVES: dict[str, Shelf] = {
    shelf.card.name: shelf
    for shelf in (
        bundled.SHELF,
        hanna.SHELF,
        union.ROC,
        union.WP,
        mans.ROC,
        mans.WP,
        rocstories.SHELF,
        writingprompts.SHELF,
    )
}


def corpora() -> dict[str, CorpusCard]:
    """The cards of all corpora by name."""
    return {name: shelf.card for name, shelf in SHELVES.items()}


def corpus(
    name: str,
    folder: str | os.PathLike[str] | None = None,
    *,
    split: str | None = None,
    fetch: bool = True,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    problems: Problems | None = None,
) -> Corpus:
    """Open a corpus: from ``folder`` as it is there, else from the cache, fetching it first if allowed.

    Files in the cache are held against their checksums each time; files in a folder of yours are yours, and
    taken as they are. Rows that cannot be used are raised, or collected in ``problems``.

    >>> corpus("sample").card.holds["stories"]
    '80'
    """
    shelf = shelf_of(name)
    if split is not None and split not in shelf.card.splits:
        have = ", ".join(shelf.card.splits)
        raise InputError(
            f"{name} has no split {split!r}",
            remedy=f"its splits: {have}" if have else "it has none: leave the split out",
        )
    place = Path(folder).expanduser() if folder is not None else corpus_folder(name, cache)
    if folder is None and fetch and not shelf.find(place):
        fetch_missing(shelf.card, place, progress)
    if not shelf.find(place):
        raise _absent(shelf.card, place, folder is not None)
    if folder is None:
        verify(shelf.card, place)
    stories, ratings = shelf.load(place, split, problems or Problems())
    return Corpus(name, stories, ratings, shelf.card)


def sample() -> StorySet:
    """The bundled sample: 16 prompts, each told well and in four faulty ways."""
    return bundled.sample_stories()


def shelf_of(name: str) -> Shelf:
    """The corpus of that name, or an error that says which there are."""
    if name not in SHELVES:
        near = difflib.get_close_matches(name, SHELVES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise InputError(f"there is no corpus {name!r}", remedy=f"{hint}corpora: {', '.join(SHELVES)}")
    return SHELVES[name]


def _absent(card: CorpusCard, place: Path, named: bool) -> InputError:
    if named and not place.exists():
        return InputError("no such folder", file=str(place), remedy=f"name one that holds {card.name}")
    wanted = ", ".join(file.name for file in card.files)
    return InputError(
        f"{card.name} is not there",
        file=str(place),
        remedy=f"it would hold {wanted}. To get it: {card.how_to_get}"
        + ("" if named or not card.can_be_fetched else "; or name a folder that has it: --folder DIR"),
    )
