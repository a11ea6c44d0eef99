"""``yarnstick reproduce hanna-metrics``: what the goal says must hold, held; and the figures behind it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Cli

from yarnstick.reproduce.hanna_metrics import EXACT_METEOR, ColumnParity, compare, hanna_metrics, pearson

ROUGES = 24


@pytest.fixture(scope="module")
def parity(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, ColumnParity]:
    store = tmp_path_factory.mktemp("parity") / "store"
    return {one.name: one for one in hanna_metrics(data_folder / "hanna", store=store)}


def test_bleu_and_every_rouge_column_equal_the_published_value_for_every_story(parity: dict[str, ColumnParity]) -> None:
    named = [one for name, one in parity.items() if name == "BLEU" or name.startswith("ROUGE-")]
    assert len(named) == 1 + ROUGES
    for one in named:
        assert one.stories == 1056
        assert one.equal == 1056, one
        assert one.largest_difference <= 1e-5 + 1e-12


def test_all_other_columns_but_meteor_are_equal_too(parity: dict[str, ColumnParity]) -> None:
    for name, one in parity.items():
        if not name.startswith("METEOR"):
            assert one.equal == 1056, one


def test_all_38_columns_reach_pearson_of_999(parity: dict[str, ColumnParity]) -> None:
    columns = {name: one for name, one in parity.items() if name != EXACT_METEOR}
    assert len(columns) == 38
    for one in columns.values():
        assert one.pearson >= 0.999, one


def test_meteor_as_hanna_ran_it_is_equal_where_its_data_is(parity: dict[str, ColumnParity]) -> None:
    if EXACT_METEOR not in parity:
        pytest.skip("METEOR's own data (pycocoevalcap) is not installed")
    assert parity[EXACT_METEOR].equal == 1056
    assert parity[EXACT_METEOR].largest_difference < 1e-9


def test_the_parity_page_says_what_was_measured(parity: dict[str, ColumnParity]) -> None:
    page = (ROOT / "docs" / "parity.md").read_text("utf-8")
    for one in parity.values():
        assert f"| {one.name} | {one.verdict} | {one.equal} / {one.stories} |" in page, f"run `make docs`: {one.name}"


def test_compare_counts_and_measures() -> None:
    ours, theirs = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.000009, 3.1, 4.0])
    one = compare("X", "x|", ours, theirs, np.array([True, False, False, False]))
    assert one.equal == 3
    assert one.verdict == "close"
    assert one.median_difference == pytest.approx(4.5e-6)
    assert one.largest_difference == pytest.approx(0.1)
    assert one.pearson == pytest.approx(np.corrcoef(ours, theirs)[0, 1])
    assert one.pearson_without_human == pytest.approx(np.corrcoef(ours[1:], theirs[1:])[0, 1])


def test_pearson_of_denormal_numbers_and_of_constants() -> None:
    tiny = np.array([1e-310, 2e-310, 4e-310])
    assert pearson(tiny, np.array([1.0, 2.0, 4.0])) == pytest.approx(1.0)
    assert np.isnan(pearson(np.ones(3), tiny))


def test_without_the_data_the_error_says_where_it_was_looked_for(cli: Cli, tmp_path: Path) -> None:
    done = cli("reproduce", "hanna-metrics", "--folder", tmp_path)
    assert done.returncode == 2
    assert f"found no metric_scores.csv in {tmp_path} (name the folder with --folder" in done.stderr


def test_command_prints_and_writes(cli: Cli, tmp_path: Path) -> None:
    """On a small set in HANNA's layout, so that the printing is tested without the released data."""
    folder = tmp_path / "hanna"
    folder.mkdir()
    texts = {"Human": ["The goose left the pond.", "A fox slept."], "Bot": ["The goose ate the fox.", "A fox, a fox!"]}
    with (folder / "stories.jsonl").open("w") as stream:
        for number, (system, stories) in enumerate(texts.items()):
            for prompt, story in enumerate(stories):
                ratings = {
                    name: [1, 2, 3]
                    for name in ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")
                }
                record = {
                    "story_id": number * 2 + prompt,
                    "prompt_id": prompt,
                    "system": system,
                    "prompt": f"P{prompt}",
                }
                stream.write(json.dumps({**record, "story": story, "ratings": ratings}) + "\n")
    from yarnstick.metrics.request import choose

    names = [name for one in choose("hanna-string") for name in one.names]
    lengths = {"Human": [7, 5], "Bot": [7, 7]}  # with the line end
    rows = [["Model", *(f"{name} x" for name in names)]]
    rows += [
        [system, *(json.dumps(lengths[system] if name == "Text length" else [0, 1]) for name in names)]
        for system in texts
    ]
    import csv

    with (folder / "metric_scores.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    done = cli("reproduce", "hanna-metrics", "--folder", folder, "-o", tmp_path / "parity.md")
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("Text length")]
    assert line.split()[2:5] == ["4", "of", "4"]
    assert line.endswith("exact")
    page = (tmp_path / "parity.md").read_text()
    assert "| Text length | exact | 4 / 4 |" in page
    assert "`rouge|" in page
