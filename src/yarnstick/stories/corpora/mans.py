"""MANS, the manually annotated stories of OpenMEVA: five systems on ROCStories and on WritingPrompts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from yarnstick.errors import InputError
from yarnstick.stories.corpora.card import CorpusCard, CorpusFile, Shelf
from yarnstick.stories.corpora.finding import find_files
from yarnstick.stories.corpora.told import OpenTold, Told, judgement, ratings_of, scale_value, stories_of, story
from yarnstick.stories.problems import Problems
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.source import locate, reading
from yarnstick.stories.storyset import StorySet

#: raters gave one number for the whole story
CRITERION = "overall"
# The authors' own copy; their repository names only shared folders, which cannot be fetched by a program.
_ROOT = "https://huggingface.co/datasets/Jiann/OpenMEVA/resolve/099007b352c055b268f2d5b5f13c7703140e0926/data"


def _shelf(which: str, corpus: str, prompts: str) -> Shelf:
    file = CorpusFile(
        f"mans_{which}.json",
        url=f"{_ROOT}/mans_data/mans_{which}.json",
        inside=f"data/mans_data/mans_{which}.json",
        evidence="the address names a fixed revision; no checksum is published, so the first fetch is recorded",
    )
    # What the first release of OpenMEVA called the same file.
    early = CorpusFile(f"mags_{which}.json", inside=f"data/mags_data/mags_{which}.json")
    card = CorpusCard(
        name=f"mans-{which}",
        title=f"MANS, the {corpus} half (OpenMEVA)",
        summary=f"stories of five systems for {corpus} prompts, with overall ratings by several people",
        paper="Guan et al.: OpenMEVA: A Benchmark for Evaluating Open-ended Story Generation Metrics (ACL 2021)",
        licence="none stated, neither in the repository nor with the data",
        holds={
            "stories": "1,000 by the paper; the text leaves out the prompt it continues",
            "systems": "5: s2s, plan_write, fusion, gpt, gpt_kg",
            "prompts": f"200 by the paper: {prompts}; the human story is the reference",
            "raters": "5 a story by the paper, unnamed: 1, 2, ... in the order of the file",
            "criteria": f"{CRITERION}; 1 to 5",
        },
        files=(file,),
        how_to_get=f"yarnstick data mans-{which} --fetch, or {file.name} by the links in github.com/thu-coai/OpenMEVA",
    )

    def find(folder: Path) -> list[Path]:
        return find_files(folder, file, early)[:1]

    def load(folder: Path, _split: str | None, problems: Problems) -> tuple[StorySet, Ratings | None]:
        path = find(folder)[0]
        open_told = _open(path)
        return stories_of(open_told, str(path)), ratings_of(open_told, problems)

    return Shelf(card, find, load)


def _open(path: Path) -> OpenTold:
    def open_told(problems: Problems) -> Iterator[Told]:
        number = 0
        for key, entry in _entries(path):
            try:
                prompt, gold, systems = _parts(entry)
            except InputError as problem:
                problems.meet(_placed(problem, path, f"prompt {key!r}"))
                continue
            for system, made in systems.items():
                number += 1
                try:
                    told = _tell(number, key, prompt, gold, system, made)
                except InputError as problem:
                    problems.meet(_placed(problem, path, f"prompt {key!r}, system {system!r}"))
                    continue
                yield told

    return open_told


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    source = locate(path, "json")
    with reading(source) as stream:
        try:
            entries = json.loads(stream.read().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise InputError("is not UTF-8", file=source.name, remedy="get the file again") from error
        except json.JSONDecodeError as error:
            raise InputError(
                f"is not JSON: {error.msg} at column {error.colno}",
                file=source.name,
                line=error.lineno,
                remedy="the file is cut short or was changed; get it again",
            ) from error
    if not isinstance(entries, dict):
        raise InputError(
            f"holds a JSON {type(entries).__name__} where prompts by id belong",
            file=source.name,
            remedy="get the file again",
        )
    yield from entries.items()


def _parts(entry: Any) -> tuple[str, str, dict[str, Any]]:
    kinds = {"prompt": str, "gold_response": str, "gen": dict}
    for key, kind in kinds.items():
        if not isinstance(entry, dict) or not isinstance(entry.get(key), kind):
            raise InputError(f"there is no {key!r}", remedy="the file is not as released; get it again")
    return entry["prompt"], entry["gold_response"], entry["gen"]


def _tell(number: int, key: str, prompt: str, gold: str, system: str, made: Any) -> Told:
    if not isinstance(made, dict) or not isinstance(made.get("text"), str):
        raise InputError("there is no 'text'", remedy="the file is not as released; get it again")
    record = story(f"{key}-{system}", made["text"], prompt=prompt, prompt_id=key, system=system, references=[gold])
    # A story without a score is legitimate: the benchmark lets a system be added before it is rated.
    scores = made.get("score", [])
    if not isinstance(scores, list):
        raise InputError("'score' is not a list", remedy="the file is not as released; get it again")
    judged = [
        judgement(record, CRITERION, str(rater), scale_value(score, "score")) for rater, score in enumerate(scores, 1)
    ]
    return Told(number, record, tuple(judged))


def _placed(problem: InputError, path: Path, where: str) -> InputError:
    # The whole file may be one line of JSON: the keys say more than a line number would.
    return InputError(f"{where}: {problem.message}", file=str(path), remedy=problem.remedy)


ROC = _shelf("roc", "ROCStories", "the first sentence")
WP = _shelf("wp", "WritingPrompts", "the writing prompt")
