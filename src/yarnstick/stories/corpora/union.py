"""UNION's evaluation sets: generated stories, each voted reasonable or not by seven people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from yarnstick.errors import InputError
from yarnstick.stories.corpora.card import CorpusCard, CorpusFile, Shelf
from yarnstick.stories.corpora.finding import find_file, find_files
from yarnstick.stories.corpora.told import OpenTold, Told, judgement, lines_of, ratings_of, stories_of, story, tell_rows
from yarnstick.stories.problems import Problems
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.rows import rows_of
from yarnstick.stories.source import locate
from yarnstick.stories.storyset import StorySet

REASONABLE = "reasonable"
#: what the codes 1 to 5 of ant_data_all.txt say is wrong (section 3.1 of the paper); 0 is reasonable
ERROR_TYPES = ("repeated plots", "poor coherence", "conflicting logic", "chaotic scenes", "other errors")
VOTES = 7

_COMMIT = "f675d7bb57454b70bdaf1e62f45834f08e80d613"
_PAPER = "Guan, Huang: UNION: An Unreferenced Metric for Evaluating Open-ended Story Generation (EMNLP 2020)"
_LICENCE = "none stated in the repository"
_SAME = "taken from a copy with the length and the ending of the repository's file at this commit"
_FIRST = "the address names a fixed commit; no checksum is published, so the first fetch is recorded"


def _file(corpus: str, name: str, sha256: str = "") -> CorpusFile:
    inside = f"Data/{corpus}/ant_data/{name}"
    return CorpusFile(
        name,
        url=f"https://raw.githubusercontent.com/thu-coai/UNION/{_COMMIT}/{inside}",
        sha256=sha256,
        inside=inside,
        evidence=_SAME if sha256 else _FIRST,
    )


_ROC_FILES = (
    _file("ROCStories", "reference_ipt.txt"),
    _file("ROCStories", "reference.txt", "92a976854711f860199fa71d3a9ef42802adbdaca4730158e4b64a2bc598772e"),
    _file("ROCStories", "ant_data_all.txt", "62d4e2ccbfc2e6efe87ff3b926440c3d64f0eadbe45828614bf9a079c52cce9f"),
    _file("ROCStories", "ant_data.txt", "cb586843d8ddde0f40081a3e1416787f181dc814e5167541fece94789d7151ac"),
)
_WP_FILES = (
    _file("WritingPrompts", "reference_ipt.txt"),
    _file("WritingPrompts", "reference.txt"),
    _file("WritingPrompts", "ant_data.txt"),
)
#: not of the release: its votes without its texts
_VOTES = CorpusFile("votes.txt")

ROC_CARD = CorpusCard(
    name="union-roc",
    title="UNION's evaluation set, ROCStories",
    summary="400 generated five-sentence stories, voted reasonable or not by seven people, with what is wrong",
    paper=_PAPER,
    licence=_LICENCE,
    holds={
        "stories": "400, lower-cased and tokenised, names replaced by [MALE], [FEMALE], [NEUTRAL]",
        "systems": "not told apart in the release",
        "prompts": "400: the first sentence, with which each story begins (from reference_ipt.txt)",
        "references": "the human story of the same first sentence (from reference.txt)",
        "raters": "7 a story, unnamed: 1 to 7 in the order of the file",
        "criteria": f"{REASONABLE} (1 yes, 0 no); from ant_data_all.txt also {', '.join(ERROR_TYPES)} (1 present)",
        "ratings": f"2,800 of {REASONABLE}, 14,000 of error types",
    },
    files=_ROC_FILES,
    how_to_get="yarnstick data union-roc --fetch, or Data/ROCStories/ant_data of github.com/thu-coai/UNION",
    caveats=("A folder without reference.txt or reference_ipt.txt gives stories without references or prompts.",),
)
WP_CARD = CorpusCard(
    name="union-wp",
    title="UNION's evaluation set, WritingPrompts",
    summary="200 generated stories, voted reasonable or not by seven people",
    paper=_PAPER,
    licence=f"{_LICENCE}; the prompts come from Reddit by way of WritingPrompts",
    holds={
        "stories": "200, tokenised, at most some 200 words",
        "systems": "not told apart in the release",
        "prompts": "200, with which each story begins (from reference_ipt.txt)",
        "references": "the human story of the same prompt (from reference.txt)",
        "raters": "7 a story, unnamed: 1 to 7 in the order of the file",
        "criteria": f"{REASONABLE} (1 yes, 0 no)",
        "ratings": "1,400",
    },
    files=_WP_FILES,
    how_to_get="yarnstick data union-wp --fetch, or Data/WritingPrompts/ant_data of github.com/thu-coai/UNION",
    caveats=(
        "Its ant_data_all.txt repeats ant_data.txt: error types were collected for ROCStories alone.",
        "A folder with votes.txt (id ||| votes) and no ant_data.txt gives ratings only: the stories are not in it.",
    ),
)


def _find(files: Sequence[CorpusFile], folder: Path) -> list[Path]:
    *_, main = files
    if find_file(folder, main):
        return find_files(folder, *files)
    return find_files(folder, _VOTES) if main in _WP_FILES else []


def _load(
    files: Sequence[CorpusFile], folder: Path, _split: str | None, problems: Problems
) -> tuple[StorySet, Ratings | None]:
    named = {path.name.split(".txt")[0]: path for path in _find(files, folder)}
    path = named.get("ant_data") or named["votes"]
    open_told = _open(
        path, named.get("ant_data_all"), _lines(named.get("reference")), _lines(named.get("reference_ipt"))
    )
    return stories_of(open_told, str(path)), ratings_of(open_told, problems)


def _lines(path: Path | None) -> list[str] | None:
    return None if path is None else [line.strip() for _, line in lines_of(locate(path, "text"))]


def _open(path: Path, coded: Path | None, references: list[str] | None, openings: list[str] | None) -> OpenTold:
    with_texts = not path.name.startswith(_VOTES.name)

    def tell(codes: Mapping[str, tuple[str, list[int]]], line: int, row: dict[str, Any]) -> Told:
        id, text, votes = _split_line(row["story"], with_texts, highest=1)
        record = story(
            id,
            text,
            # The id is the place of the leading context in reference.txt; several are joined by ///.
            prompt=next(iter(_at(openings, id)), None),
            prompt_id=id,
            references=_at(references, id),
        )
        judged = [judgement(record, REASONABLE, str(rater), vote) for rater, vote in enumerate(votes, 1)]
        if id in codes:
            judged += _error_types(record, votes, *codes[id])
        return Told(line, record if with_texts else None, tuple(judged))

    def open_told(problems: Problems) -> Iterator[Told]:
        codes = _read_codes(coded, problems) if coded is not None else {}
        rows = rows_of(locate(path, "text"), problems)
        return tell_rows(rows, partial(tell, codes), problems, str(path))

    return open_told


def _read_codes(path: Path, problems: Problems) -> dict[str, tuple[str, list[int]]]:
    """Of each story in ant_data_all.txt its text and the code each of the seven gave it."""
    codes: dict[str, tuple[str, list[int]]] = {}

    def tell(line: int, row: dict[str, Any]) -> Told:
        id, text, given = _split_line(row["story"], with_text=True, highest=len(ERROR_TYPES))
        codes[id] = (text, given)
        return Told(line, None)

    for _ in tell_rows(rows_of(locate(path, "text"), problems), tell, problems, str(path)):
        pass
    return codes


def _split_line(text: str, with_text: bool, highest: int) -> tuple[str, str, list[int]]:
    id, mark, rest = text.partition("|||")
    between, second_mark, votes = rest.rpartition("|||")
    if not mark or bool(second_mark) != with_text:
        layout = "id ||| story ||| votes" if with_text else "id ||| votes"
        raise InputError(f"is not {layout!r}", remedy="the line is cut or not of this file; or --on-error skip")
    given = votes.split()
    if len(given) != VOTES:
        raise InputError(
            f"has {len(given)} votes where {VOTES} belong", remedy="get the file again, or --on-error skip"
        )
    if wrong := [vote for vote in given if not (vote.isdecimal() and int(vote) <= highest)]:
        raise InputError(
            f"has the vote {wrong[0]!r}, not a number from 0 to {highest}",
            remedy="get the file again, or --on-error skip",
        )
    return id.strip(), between.strip(), [int(vote) for vote in given]


def _at(lines: Sequence[str] | None, id: str) -> list[str]:
    if lines is None:
        return []
    found = []
    for place in id.split("///"):
        if not place.strip().isdecimal() or int(place) >= len(lines):
            raise InputError(
                f"the id {id!r} is no place among the {len(lines)} references",
                remedy="the files are not of one release; get them again",
            )
        found.append(lines[int(place)])
    return found


def _error_types(
    record: Mapping[str, Any], votes: Sequence[int], text: str, codes: Sequence[int]
) -> list[dict[str, Any]]:
    if text != record["story"] or any((code == 0) != (vote == 1) for code, vote in zip(codes, votes, strict=True)):
        raise InputError(
            f"the story {record['id']!r} has another text or other votes in ant_data_all.txt",
            remedy="the files are not of one release; get them again",
        )
    return [
        judgement(record, name, str(rater), float(code == number))
        for number, name in enumerate(ERROR_TYPES, 1)
        for rater, code in enumerate(codes, 1)
    ]


def _shelf(card: CorpusCard) -> Shelf:
    find: Callable[[Path], list[Path]] = partial(_find, card.files)
    return Shelf(card, find, partial(_load, card.files))


ROC = _shelf(ROC_CARD)
WP = _shelf(WP_CARD)
