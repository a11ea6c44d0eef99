"""HANNA: 96 prompts told by people and ten systems, each story rated by three people on six criteria."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from yarnstick.errors import InputError
from yarnstick.stories.corpora.card import CorpusCard, CorpusFile, Shelf
from yarnstick.stories.corpora.finding import find_file
from yarnstick.stories.corpora.told import (
    OpenTold,
    Told,
    checked_rows,
    judgement,
    ratings_of,
    scale_value,
    stories_of,
    story,
    tell_rows,
    text_of,
)
from yarnstick.stories.problems import Problems
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.rows import rows_of
from yarnstick.stories.source import locate
from yarnstick.stories.storyset import StorySet

CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
_COLUMNS = ("Story ID", "Prompt", "Human", "Story", "Model", *CRITERIA)
_COMMIT = "282f27536a5d05ad4ce14298abcd70c45668fed2"

#: as released: a row a rater
_ANNOTATIONS = CorpusFile(
    "hanna_stories_annotations.csv",
    url=f"https://raw.githubusercontent.com/dig-team/hanna-benchmark-asg/{_COMMIT}/hanna_stories_annotations.csv",
    sha256="ef59054d27fa32def06cfdc57243b1dd09c7e71f40b6d9d43fecfbf60e59026b",
    evidence="published by others who fetched this commit (13,219,167 bytes); its size agrees with the texts",
)
#: re-arranged: a row a story
_REARRANGED = CorpusFile("stories.jsonl")

CARD = CorpusCard(
    name="hanna",
    title="HANNA: Human-ANnotated NArratives",
    summary="1,056 stories from WritingPrompts prompts, rated by three people on six criteria",
    paper="Chhun, Colombo, Suchanek, Clavel: Of Human Criteria and Automatic Metrics (COLING 2022)",
    licence="MIT (its repository); the prompts and human stories come from Reddit by way of WritingPrompts",
    holds={
        "stories": "1,056; the human story of the prompt is each story's reference (its own, for human stories)",
        "systems": "10 and Human",
        "prompts": "96",
        "raters": "3 a story, named by worker",
        "criteria": f"{', '.join(CRITERIA)}; 1 to 5",
        "ratings": "19,008",
    },
    files=(_ANNOTATIONS,),
    how_to_get="yarnstick data hanna --fetch, or hanna_stories_annotations.csv of "
    "github.com/dig-team/hanna-benchmark-asg",
    caveats=(
        "As published, scores of the human stories against themselves are perfect: leave Human out of comparisons.",
        "A re-arranged stories.jsonl (ratings: criterion -> three values) is read too; its raters are 1, 2, 3 in "
        "the order of the release, not three fixed people.",
    ),
)


def _find(folder: Path) -> list[Path]:
    for file in (_ANNOTATIONS, _REARRANGED):
        if path := find_file(folder, file):
            return [path]
    return []


def _load(folder: Path, _split: str | None, problems: Problems) -> tuple[StorySet, Ratings | None]:
    path = _find(folder)[0]
    opener = _open_annotations if path.name.startswith(_ANNOTATIONS.name) else _open_rearranged
    open_told = opener(path)
    return stories_of(open_told, str(path)), ratings_of(open_told, problems)


def _open_annotations(path: Path) -> OpenTold:
    source = locate(path, "csv")

    def open_told(problems: Problems) -> Iterator[Told]:
        rows = checked_rows(rows_of(source, problems), _COLUMNS, source.name)
        return tell_rows(rows, _annotation_teller(), problems, source.name)

    return open_told


def _annotation_teller() -> Callable[[int, dict[str, Any]], Told]:
    # Prompts have no ids in the release: they are numbered as they come, which is its own order.
    prompts: dict[tuple[str, str], str] = {}
    first_rows: dict[str, tuple[int, int]] = {}
    raters: dict[str, int] = {}

    def tell(line: int, row: dict[str, Any]) -> Told:
        prompt, human, id = text_of(row, "Prompt"), text_of(row, "Human"), text_of(row, "Story ID")
        if not id:
            raise InputError("the Story ID is empty", remedy="the file is not as released; get it again")
        values = [scale_value(row[criterion], f"{criterion} rating") for criterion in CRITERIA]
        content = hash((prompt, human, row["Story"], row["Model"]))
        known_content, known_line = first_rows.setdefault(id, (content, line))
        if known_content != content:
            raise InputError(
                f"the story {id!r} is not the one of line {known_line}",
                remedy="the file is not as released; get it again, or --on-error skip",
            )
        record = story(
            id,
            text_of(row, "Story"),
            prompt=prompt,
            prompt_id=prompts.setdefault((prompt, human), str(len(prompts))),
            system=text_of(row, "Model"),
            references=[human],
        )
        raters[id] = raters.get(id, 0) + 1
        rater = row.get("Worker ID") or str(raters[id])
        judged = tuple(judgement(record, name, rater, value) for name, value in zip(CRITERIA, values, strict=True))
        return Told(line, record if known_line == line else None, judged)

    return tell


def _open_rearranged(path: Path) -> OpenTold:
    source = locate(path, "jsonl")

    def open_told(problems: Problems) -> Iterator[Told]:
        humans = {
            str(row.get("prompt_id")): row["story"]
            for _, row in rows_of(source, Problems("skip"))
            if row.get("system") == "Human" and isinstance(row.get("story"), str)
        }

        def tell(line: int, row: dict[str, Any]) -> Told:
            if row.get("story_id") is None or row.get("prompt_id") is None:
                raise InputError("there is no story_id or prompt_id", remedy="see docs/corpora.md for the layout")
            prompt_id = str(row["prompt_id"])
            record = story(
                str(row["story_id"]),
                text_of(row, "story"),
                prompt=text_of(row, "prompt"),
                prompt_id=prompt_id,
                system=text_of(row, "system"),
                references=[humans[prompt_id]] if prompt_id in humans else [],
            )
            return Told(line, record, tuple(_rearranged_ratings(record, row)))

        return tell_rows(rows_of(source, problems), tell, problems, source.name)

    return open_told


def _rearranged_ratings(record: dict[str, Any], row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    ratings = row.get("ratings")
    if not isinstance(ratings, dict) or any(not isinstance(ratings.get(name), list) for name in CRITERIA):
        raise InputError(
            f"'ratings' does not hold a list for each of {', '.join(CRITERIA)}",
            remedy="see docs/corpora.md for the layout",
        )
    for criterion in CRITERIA:
        for place, value in enumerate(ratings[criterion], 1):
            yield judgement(record, criterion, str(place), scale_value(value, f"{criterion} rating"))


SHELF = Shelf(CARD, _find, _load)
