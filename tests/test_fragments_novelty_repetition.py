"""Extractive fragments, novelty and repetition: by hand, by brute force, and HANNA's published columns."""

import csv
import json
import os
import random
import time
from pathlib import Path

import pytest

from yarnstick.metrics.extractive_fragments import Fragment, extractive_fragments, fragment_statistics
from yarnstick.metrics.novelty_repetition import distinct_ngrams, novelty, repetition
from yarnstick.text.words import words


def _tokens(text: str) -> list[str]:
    return text.split()


def _longest_by_brute_force(tokens: list[str], source: list[str]) -> list[Fragment]:
    found: list[Fragment] = []
    at = 0
    while at < len(tokens):
        best = 0
        for place in range(len(source)):
            length = 0
            while (
                at + length < len(tokens)
                and place + length < len(source)
                and tokens[at + length] == source[place + length]
            ):
                length += 1
            best = max(best, length)
        if best:
            found.append(Fragment(at, best))
        at += max(best, 1)
    return found


def test_worked_by_hand() -> None:
    source = _tokens("the old fox lived in the old wood")
    story = _tokens("The old fox sang in the wood")
    # the old fox (3) | sang: not in the source | in the (2) | wood (1)
    assert extractive_fragments([token.lower() for token in story], source) == [(0, 3), (4, 2), (6, 1)]
    coverage, density, compression = fragment_statistics(story, source)
    assert coverage == (3 + 2 + 1) / 7
    assert density == (9 + 4 + 1) / 7
    assert compression == 8 / 7
    # With case "The" is not "the": old fox (2), in the (2), wood (1).
    assert fragment_statistics(story, source, lowercase=False).coverage == 5 / 7


def test_longest_run_is_found_where_the_source_overlaps_itself() -> None:
    assert extractive_fragments(_tokens("a b a b a c"), _tokens("a b a b a b a c")) == [(0, 6)]


@pytest.mark.parametrize("letters", ["a", "ab", "abc", "abcdefgh"])
def test_equals_brute_force(letters: str) -> None:
    rng = random.Random(letters)
    for _ in range(300):
        story = rng.choices(letters, k=rng.randint(0, 25))
        source = rng.choices(letters, k=rng.randint(0, 25))
        assert extractive_fragments(story, source) == _longest_by_brute_force(story, source)


def test_empty_sides() -> None:
    assert extractive_fragments([], ["a"]) == []
    assert extractive_fragments(["a"], []) == []
    assert fragment_statistics([], ["a"]) == (0.0, 0.0, 0.0)
    assert fragment_statistics(["a"], []) == (0.0, 0.0, 0.0)
    assert fragment_statistics(["a"], ["a"]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("letters", [["ha"], ["a", "b"], ["a", "b", "c", "d", "e"], [str(i) for i in range(5000)]])
def test_twenty_thousand_words_are_quick(letters: list[str]) -> None:
    rng = random.Random(1)
    story, source = rng.choices(letters, k=20_000), rng.choices(letters, k=20_000)
    begin = time.perf_counter()
    assert 0 < fragment_statistics(story, source).coverage <= 1
    assert time.perf_counter() - begin < 5


def test_novelty_worked_by_hand() -> None:
    prompt = _tokens("the fox ran")
    story = _tokens("the fox sat and the fox ran")
    # distinct words: the fox sat and ran; not in the prompt: sat, and
    assert novelty(story, prompt, 1) == 2 / 5
    # distinct pairs: the-fox fox-sat sat-and and-the fox-ran; in the prompt: the-fox, fox-ran
    assert novelty(story, prompt, 2) == 3 / 5
    assert novelty(story, distinct_ngrams(prompt, 2), 2) == 3 / 5
    # triples: 5, all distinct; in the prompt: the-fox-ran
    assert novelty(story, prompt, 3) == 4 / 5
    assert novelty(["The"], prompt, 1) == 1.0


def test_repetition_worked_by_hand() -> None:
    story = _tokens("the fox sat and the fox ran")
    assert repetition(story, 1) == 2 / 5  # the, fox
    assert repetition(story, 2) == 1 / 5  # the-fox
    assert repetition(story, 3) == 0.0
    assert repetition(_tokens("ha ha ha"), 1) == 1.0


@pytest.mark.parametrize("n", [1, 2, 3])
def test_too_short_scores_zero(n: int) -> None:
    assert novelty([], ["a"], n) == 0.0
    assert repetition([], n) == 0.0
    assert novelty(["a"], [], 2) == 0.0


@pytest.fixture(scope="module")
def hanna() -> tuple[list[dict[str, object]], dict[str, dict[tuple[str, int], float]]]:
    folder = Path(os.environ.get("YARNSTICK_DATA", Path(__file__).parents[2] / "shared" / "data")) / "hanna"
    if not (folder / "metric_scores.csv").exists():
        pytest.skip(f"no HANNA scores in {folder}")
    lines = (folder / "stories.jsonl").read_text(encoding="utf-8").splitlines()
    csv.field_size_limit(10**8)
    with (folder / "metric_scores.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    published = {
        column.rsplit(" ", 1)[0]: {
            (row["Model"], prompt): value for row in rows for prompt, value in enumerate(json.loads(row[column]))
        }
        for column in rows[0]
        if " " in column
    }
    return [json.loads(line) for line in lines], published


def test_every_published_figure_of_hanna(
    hanna: tuple[list[dict[str, object]], dict[str, dict[tuple[str, int], float]]],
) -> None:
    stories, published = hanna
    assert len(stories) == 1056
    for story in stories:
        key = (str(story["system"]), int(str(story["prompt_id"])))
        # The scored files had one text a line, and the newline was counted with it.
        tokens = words(f"{story['story']}\n", rules="spacy-3.2")
        prompt = words(f"{story['prompt']}\n", rules="spacy-3.2")
        coverage, density, compression = fragment_statistics(tokens, prompt)
        expected = {
            "Text length": len(tokens),
            "Coverage": coverage,
            "Density": density,
            "Compression": compression,
            **{f"Novelty-{n}": novelty(tokens, prompt, n) for n in (1, 2, 3)},
            **{f"Repetition-{n}": repetition(tokens, n) for n in (1, 2, 3)},
        }
        for column, value in expected.items():
            assert value == pytest.approx(published[column][key], abs=1e-9), (column, key)
