"""Sentence splitting: hand-checked cases, properties, and agreement with pysbd on narrative prose."""

import gzip
import json
import os
import time
from pathlib import Path

import pytest

from yarnstick.text.sentences import sentence_spans, sentences

# "|" marks where the sentences part.
CASES = [
    "The fox ran.| The hen hid.",
    "Where is she?| I don't know.",
    "Run!| They are here.",
    "Mr. Fox met Mrs. Hen.| They spoke.",
    "Dr. Strange and Prof. X left St. Ives.| It rained.",
    "Sgt. Pepper saluted Gen. Lee.",
    "J. K. Rowling wrote it.| He read it.",
    "John F. Kennedy spoke.| We listened.",
    "It was I. He knew it.".replace("I. He", "I.| He"),
    "He chose plan B.| Then he ran.",
    "It cost 3.50 dollars.| She paid.",
    "Version 2.0.1 failed.| We fixed it.",
    "She woke at 5 a.m. on Monday.| It was dark.",
    "She woke at 5 a.m.| The house slept.",
    "He joined the U.S. Army.| He was ten.",
    "He left the U.S.| She stayed.",
    "Bring rope, food, etc. to the camp.",
    "They took ropes, food, etc.| Then they left.",
    "Some birds, e.g. Robins, stay.| Others go.",
    "It was hot, i.e. unbearable.",
    "Smith vs. Jones was long.| It ended.",
    "He waited... and waited.| Nothing came.",
    "He waited...| The door opened.",
    "I... I can't.| Please.",
    "W... Wait for me!| Please.",
    "But... I love you.",
    "He paused…| She turned.",
    "He paused… then went on.",
    '"Stop!" he said.| She stopped.',
    '"Stop!" John said.| She stopped.',
    '"Who is it?" asked Anna.| "Me."',
    '"Stop!"| The bus braked.',
    "“I am here.”| She smiled.",
    "“Go home. ”| He went.".replace(". ”", ".”"),
    "“Wait.| I am coming.”| He waited.",
    "‘Why not?’ he asked.| ‘Because.’",
    "(He lied.)| She knew.",
    "She (the queen!) laughed.| He bowed.",
    "Oh! how lovely it was.| They danced.",
    "What?!| No way!!!| Yes.",
    "No way!!| 7 wolves came.",
    "He left.The door shut.".replace(".The", ".|The"),
    "Visit example.com today.| Bye.",
    "the dog ran .| it was late .| she slept .",
    "she cried .| `` go away ! '' he said .",
    '"go away!" she said.| he went!| ok.',
    "he was tired. so he slept.".replace(". so", ".| so"),
    "First paragraph without an end|\n\nSecond one",
    "A line that is\nwrapped here.| Next.",
    "Wait -- what?| -- Nothing.",
    "He earned a Ph.D. in Rome.| It was old.",
    "1. Go home.| 2. Sleep.",
    "我来了。|你好吗？|好。",
    "Привет!| Как дела?| Хорошо.",
    "She said *stop.*| He did.",
    "Acme Inc. bought it.| They closed.",
    "No. 5 was alive.",
    "He said no.| Nobody cared.",
    "He said no.| Wolves came.",
    "I saw Ed.| Foxes fled.",
    "We read vol. 7 of it.| Good.",
    "Foxes et al. Were wrong.",
    "It was over.",
    "no end at all",
]


@pytest.mark.parametrize("marked", CASES)
def test_hand_checked(marked: str) -> None:
    text = marked.replace("|", "")
    assert sentences(text) == [part.strip() for part in marked.split("|")]


def test_there_are_enough_cases() -> None:
    assert len(set(CASES)) >= 40


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\t \n"])
def test_nothing_has_no_sentences(text: str) -> None:
    assert sentences(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'A b. C d! "E f?" G.\n\nH i... J',
        "...",
        '"""',
        ". . . . A",
        "x.\x00Y z. 😀 A. \u202eשלום. עולם",
        "?!" * 50 + " A",
    ],
)
def test_spans_cover_everything_but_white_space(text: str) -> None:
    spans = sentence_spans(text)
    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@pytest.mark.parametrize("unit", ["a", ".", '."', "A. ", '"', "\n", "。", "... ", "(", "a.B", "I. ", "! '' "])
def test_a_megabyte_is_quick(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    begin = time.perf_counter()
    sentences(text)
    assert time.perf_counter() - begin < 30


def _boundaries(parts: list[str], text: str) -> set[int]:
    """Ends of the parts, counted in characters other than white space."""
    found: set[int] = set()
    at = 0
    for part in map(str.strip, parts):
        place = text.find(part, at) if part else -1
        if place >= 0:
            at = place + len(part)
            found.add(len("".join(text[:at].split())))
    return found


def test_agrees_with_pysbd_on_narrative() -> None:
    """Paragraphs without dialogue only: pysbd keeps a quotation whole, we count the sentences in it."""
    pysbd = pytest.importorskip("pysbd")
    path = _data() / "stories" / "short-fiction.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    segmenter = pysbd.Segmenter(language="en", clean=False)
    both = ours_only = theirs_only = 0
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for _, line in zip(range(60), lines, strict=False):
            record = json.loads(line)
            text = max((value for value in record.values() if isinstance(value, str)), key=len)[:6000]
            for paragraph in text.split("\n"):
                if len(paragraph) < 60 or any(mark in paragraph for mark in '"“”‘…') or " '" in paragraph:
                    continue
                ours = _boundaries(sentences(paragraph), paragraph)
                theirs = _boundaries(segmenter.segment(paragraph), paragraph)
                both += len(ours & theirs)
                ours_only += len(ours - theirs)
                theirs_only += len(theirs - ours)
    f1 = 2 * both / (2 * both + ours_only + theirs_only)
    print(f"boundaries shared {both}, ours only {ours_only}, pysbd only {theirs_only}, F1 {f1:.4f}")
    assert both > 200
    assert f1 >= 0.97


def _data() -> Path:
    return Path(os.environ.get("YARNSTICK_DATA", Path(__file__).parents[2] / "shared" / "data"))
