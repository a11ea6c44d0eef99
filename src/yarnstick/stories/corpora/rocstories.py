"""ROCStories: everyday stories of five sentences, as its authors send them, and the Story Cloze Test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from yarnstick.errors import InputError
from yarnstick.stories.corpora.card import CorpusCard, CorpusFile, Shelf
from yarnstick.stories.corpora.told import OpenTold, Told, checked_rows, stories_of, story, tell_rows, text_of
from yarnstick.stories.problems import Problems
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.rows import rows_of
from yarnstick.stories.source import locate, split_suffix
from yarnstick.stories.storyset import StorySet

_HOW = (
    "fill in the form at https://cs.rochester.edu/nlp/rocstories/ (free; the links come by mail), put the CSV files "
    "into a folder, and name it: yarnstick data rocstories --folder DIR"
)
_SENTENCES = tuple(f"sentence{number}" for number in range(1, 6))
_BEGINNING = tuple(f"InputSentence{number}" for number in range(1, 5))
_ENDINGS = ("RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2")

CARD = CorpusCard(
    name="rocstories",
    title="ROCStories and the Story Cloze Test",
    summary="About 98,000 everyday stories of five sentences, written by people",
    paper="Mostafazadeh et al.: A Corpus and Cloze Evaluation for Deeper Understanding of Commonsense Stories "
    "(NAACL 2016)",
    licence="none stated; given to anybody who asks by form",
    holds={
        "stories": "some 98,000 in the spring 2016 and winter 2017 files; the title is the prompt",
        "systems": "none: written by people",
        "raters": "none",
    },
    splits={
        "train": "the five-sentence stories (what you get without a split)",
        "valid": "Story Cloze validation: four sentences and the right ending; the wrong one is kept as wrong_ending",
        "test": "Story Cloze test, likewise; not the 2018 file, which hides the answers",
    },
    files=(
        CorpusFile("ROCStories__spring2016 - ROCStories_spring2016.csv", how_to_get=_HOW),
        CorpusFile("ROCStories_winter2017 - ROCStories_winter2017.csv", how_to_get=_HOW),
        CorpusFile("cloze_test_val__spring2016 - cloze_test_ALL_val.csv", how_to_get=_HOW),
        CorpusFile("cloze_test_test__spring2016 - cloze_test_ALL_test.csv", how_to_get=_HOW),
    ),
    how_to_get=_HOW,
    caveats=("Files are known by how their names begin, so the renamings that go round are found too.",),
)

#: how the name begins, spaces, dashes and underscores aside -> split
_BEGINS = {"rocstories": "train", "clozetestval": "valid", "clozetesttest": "test"}


def _split_of(path: Path) -> str | None:
    name = "".join(letter for letter in path.name.lower() if letter.isalnum())
    # The 2018 test set comes without its answers: there is no telling which ending is the story's.
    known = split_suffix(path)[1] in ("csv", "tsv", "jsonl") and not ("clozetesttest" in name and "2018" in name)
    return next((split for begins, split in _BEGINS.items() if known and name.startswith(begins)), None)


def _find(folder: Path) -> list[Path]:
    paths = [folder] if folder.is_file() else sorted(folder.iterdir()) if folder.is_dir() else []
    return [path for path in paths if path.is_file() and _split_of(path)]


def _load(folder: Path, split: str | None, _problems: Problems) -> tuple[StorySet, Ratings | None]:
    paths = [path for path in _find(folder) if _split_of(path) == (split or "train")]
    if not paths:
        raise InputError(f"there is no file of the split {split or 'train'!r}", file=str(folder), remedy=_HOW)
    openers = [_open(path) for path in paths]

    def open_told(problems: Problems) -> Iterator[Told]:
        return chain.from_iterable(opener(problems) for opener in openers)

    return stories_of(open_told, str(paths[0] if len(paths) == 1 else folder)), None


def _open(path: Path) -> OpenTold:
    source = locate(path)
    tellers: dict[str, tuple[Callable[[int, dict[str, Any]], Told], tuple[str, ...]]] = {
        "train": (_five_sentences, ("storyid", *_SENTENCES)),
        "cloze": (_cloze, ("InputStoryid", *_BEGINNING, *_ENDINGS, "AnswerRightEnding")),
        "jsonl": (_rearranged, ()),
    }
    kind = "jsonl" if source.format == "jsonl" else "train" if _split_of(path) == "train" else "cloze"
    tell, columns = tellers[kind]

    def open_told(problems: Problems) -> Iterator[Told]:
        rows = checked_rows(rows_of(source, problems), columns, source.name)
        return tell_rows(rows, tell, problems, source.name)

    return open_told


def _five_sentences(line: int, row: dict[str, Any]) -> Told:
    return Told(line, story(_id(row, "storyid"), _joined(row, _SENTENCES), prompt=row.get("storytitle") or None))


def _cloze(line: int, row: dict[str, Any]) -> Told:
    answer = row["AnswerRightEnding"].strip()
    if answer not in ("1", "2"):
        raise InputError(
            f"AnswerRightEnding is {answer!r}, not 1 or 2", remedy="get the file again, or --on-error skip"
        )
    right, wrong = _ENDINGS if answer == "1" else _ENDINGS[::-1]
    text = _joined(row, (*_BEGINNING, right))
    return Told(line, story(_id(row, "InputStoryid"), text, wrong_ending=text_of(row, wrong)))


def _rearranged(line: int, row: dict[str, Any]) -> Told:
    sentences = row.get("sentences")
    if not isinstance(sentences, list) or not sentences or not all(isinstance(one, str) for one in sentences):
        raise InputError("'sentences' is not a list of texts", remedy="see docs/corpora.md for the layout")
    kept = {name: row[name] for name in ("form", "delexicalised") if name in row}
    return Told(line, story(_id(row, "id"), " ".join(sentences), prompt=row.get("title"), **kept))


def _id(row: dict[str, Any], name: str) -> str:
    if row.get(name) in (None, ""):
        raise InputError(f"the {name} is empty", remedy="the file is not as released; get it again")
    return str(row[name])


def _joined(row: dict[str, Any], names: tuple[str, ...]) -> str:
    sentences = [text_of(row, name).strip() for name in names]
    if "" in sentences:
        raise InputError(
            f"{names[sentences.index('')]} is empty", remedy="the row is cut; get the file again, or --on-error skip"
        )
    return " ".join(sentences)


SHELF = Shelf(CARD, _find, _load)
