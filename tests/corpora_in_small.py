"""Each corpus in its released layout, in a few made-up rows, for the tests of the corpora and of the command."""

from __future__ import annotations

import csv
import tarfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from yarnstick.stories.corpora.hanna import CRITERIA


def values(ratings: Any, criterion: str) -> dict[str, list[float]]:
    """Story -> its raters' values, in order."""
    found = defaultdict(list)
    for row in ratings.to_arrow().to_pylist():
        if row["criterion"] == criterion:
            found[row["story"]].append(row["value"])
    return dict(found)


HANNA_COLUMNS = [
    "Story ID", "Prompt", "Human", "Story", "Model", *CRITERIA,
    "Worker ID", "Assignment ID", "Work time in seconds", "Name",
]  # fmt: skip


def hanna_row(id: int, model: str, prompt: str, human: str, text: str, scores: str, worker: str) -> list[Any]:
    return [id, prompt, human, text, model, *scores.split(), worker, "A1", 60, "Ann"]


HANNA_ROWS = [
    hanna_row(0, "Human", "A goose, lost", "It was\n\nlost.", "It was\n\nlost.", "5 4 3 2 1 5", "W1"),
    hanna_row(0, "Human", "A goose, lost", "It was\n\nlost.", "It was\n\nlost.", "4 4 4 4 4 4", "W2"),
    hanna_row(1, "Human", "A door", "It shut.", "It shut.", "1 1 1 1 1 1", "W1"),
    hanna_row(1, "Human", "A door", "It shut.", "It shut.", "2 2 2 2 2 2", ""),
    hanna_row(2, "HINT", "A goose, lost", "It was\n\nlost.", 'It "sang".', "3 3 3 3 3 3", "W3"),
]


def write_hanna(folder: Path, rows: list[list[Any]], columns: list[str] = HANNA_COLUMNS) -> Path:
    path = folder / "hanna_stories_annotations.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([columns, *rows])
    return path


def write_union(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ant_data.txt").write_text(
        "1 ||| it rained . he left . ||| 0 1 1 0 1 1 1\n0 ||| she sang . it rained . ||| 1 1 1 1 1 1 1\n", "utf-8"
    )
    (folder / "ant_data_all.txt").write_text(
        "1 ||| it rained . he left . ||| 4 0 0 2 0 0 0\n0 ||| she sang . it rained . ||| 0 0 0 0 0 0 0\n", "utf-8"
    )
    (folder / "reference.txt").write_text("she sang . all cheered . \nit rained . she ran . \n", "utf-8")
    (folder / "reference_ipt.txt").write_text("she sang .\nit rained .\n", "utf-8")


MANS = {
    "12": {
        "prompt": "[MALE] ran .",
        "gold_response": "he fell . he rose .",
        "gen": {
            "gpt": {"text": "he won .", "score": [5, 4, 3, 4, 5]},
            "fusion": {"text": "he ran . he ran .", "score": ["1", "2", "1", "1", "2"]},
            "new": {"text": "not rated yet ."},
        },
    },
    "3": {"prompt": "It snowed .", "gold_response": "We skied .", "gen": {"gpt": {"text": "", "score": [1]}}},
}


ROC_TRAIN = (
    "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\n"
    'a-1,The Test,"Jo had a test, again.",She read.,She slept.,She wrote it.,She passed.\n'
    "a-2,,It rained.,It poured.,It stopped.,Sun came.,We left.\n"
)
ROC_CLOZE = (
    "InputStoryid,InputSentence1,InputSentence2,InputSentence3,InputSentence4,"
    "RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2,AnswerRightEnding\n"
    "c-1,One.,Two.,Three.,Four.,Wrong.,Right.,2\n"
)


def write_prompts(folder: Path, split: str, prompts: bytes, stories: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{split}.wp_source").write_bytes(prompts)
    (folder / f"{split}.wp_target").write_bytes(stories)


PROMPTS = "[ WP ] A door\u2028opens .\n\n[ WP ] A door\u2028opens .\n".encode()
STORIES = b"It did . <newline> <newline> Then it `` shut '' . \nx\n\n"


def pack(folder: Path, archive: Path) -> None:
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(folder, "writingPrompts")
