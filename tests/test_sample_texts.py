"""The bundled sample is what the demo and the docs show: hold it to what its card promises."""

import json
import re
from collections import defaultdict
from importlib.resources import files
from statistics import mean
from typing import Any

import pytest

SYSTEMS = ("good", "repetitive", "incoherent", "contradictory", "off-prompt")
KEYS = ["id", "prompt_id", "prompt", "system", "story", "references"]
FEWEST_WORDS, MOST_WORDS = 60, 200

Row = dict[str, Any]


def read_sample(name: str) -> str:
    return (files("yarnstick") / f"stories/sample/{name}").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    # split on "\n" alone: splitlines() would also cut at U+2028 inside a story
    return [json.loads(line) for line in read_sample("stories.jsonl").split("\n") if line]


@pytest.fixture(scope="module")
def by_prompt(rows: list[Row]) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["prompt_id"]].append(row)
    return grouped


def word_count(text: str) -> int:
    return len(text.split())


def repeated_trigram_share(text: str) -> float:
    words = text.lower().split()
    trigrams = list(zip(words, words[1:], words[2:], strict=False))
    return 1 - len(set(trigrams)) / len(trigrams)


def test_every_row_has_the_keys_in_order_and_no_stray_white_space(rows: list[Row]) -> None:
    for row in rows:
        assert list(row) == KEYS
        for text in (row["prompt"], row["story"], *row["references"]):
            assert text == " ".join(text.split()), row["id"]


def test_at_least_twelve_prompts_each_told_once_by_every_system(by_prompt: dict[str, list[Row]]) -> None:
    assert len(by_prompt) >= 12
    for prompt_id, told in by_prompt.items():
        assert sorted(row["system"] for row in told) == sorted(SYSTEMS), prompt_id
        assert len({row["prompt"] for row in told}) == 1, prompt_id
    assert len({told[0]["prompt"] for told in by_prompt.values()}) == len(by_prompt)


def test_ids_are_unique_and_say_prompt_and_system(rows: list[Row]) -> None:
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert row["id"] == f"{row['prompt_id']}-{row['system']}"


def test_texts_keep_to_the_word_limits(rows: list[Row]) -> None:
    for row in rows:
        for text in (row["story"], *row["references"]):
            assert FEWEST_WORDS <= word_count(text) <= MOST_WORDS, row["id"]


def test_two_references_a_prompt_shared_by_its_rows_and_distinct(by_prompt: dict[str, list[Row]]) -> None:
    references_seen: list[str] = []
    for prompt_id, told in by_prompt.items():
        assert all(row["references"] == told[0]["references"] for row in told), prompt_id
        assert len(told[0]["references"]) == 2, prompt_id
        references_seen += told[0]["references"]
    stories = [row["story"] for told in by_prompt.values() for row in told]
    texts = stories + references_seen
    assert len(set(texts)) == len(texts)


def test_length_does_not_betray_the_system(rows: list[Row]) -> None:
    means = {s: mean(word_count(row["story"]) for row in rows if row["system"] == s) for s in SYSTEMS}
    assert max(means.values()) - min(means.values()) <= 10, means


def test_repetitive_stories_repeat_and_the_others_do_not(rows: list[Row]) -> None:
    for row in rows:
        share = repeated_trigram_share(row["story"])
        assert (share > 0.1) == (row["system"] == "repetitive"), (row["id"], share)


def test_card_states_the_lengths_of_the_file(rows: list[Row]) -> None:
    card = read_sample("CARD.md")
    for system in SYSTEMS:
        lengths = [word_count(row["story"]) for row in rows if row["system"] == system]
        stated = f"| {system} | {len(lengths)} | {mean(lengths):.1f} | {min(lengths)} | {max(lengths)} |"
        assert stated in card, stated
    references = {text for row in rows for text in row["references"]}
    lengths = [word_count(text) for text in references]
    stated = f"| (references) | {len(lengths)} | {mean(lengths):.1f} | {min(lengths)} | {max(lengths)} |"
    assert stated in card, stated
    assert re.search(r"no human ratings", card, re.IGNORECASE)
