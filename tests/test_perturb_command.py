"""``yarnstick perturb`` as a user meets it, and recipes from a file."""

from __future__ import annotations

import csv
import json
from dataclasses import fields
from pathlib import Path

import pytest
from conftest import ROOT, Cli
from stories_to_perturb import STORIES

from yarnstick.errors import InputError
from yarnstick.union.perturb import RECIPES, TECHNIQUES, Edit, Negative, Recipe, read_recipe, restored


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    path = tmp_path / "stories.jsonl"
    path.write_text("".join(json.dumps({"id": f"s{at}", "story": story}) + "\n" for at, story in enumerate(STORIES)))
    return path


def rows_in(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_stories_in_negatives_out(cli: Cli, stories: Path, tmp_path: Path) -> None:
    done = cli("perturb", stories, "-o", tmp_path / "out.jsonl", "--recipe", "wide", "--each", 2, "--seed", 3)
    assert done.returncode == 0, done.stderr
    assert "wrote 24 negatives of 12 stories" in done.stderr
    rows = rows_in(tmp_path / "out.jsonl")
    assert [row["id"] for row in rows] == [f"s{at}" for at in range(12) for _ in range(2)]
    for row in rows:
        assert row["story"] == STORIES[int(row["id"][1:])]
        assert row["recipe"] == "wide"
        edits = tuple(Edit(**edit) for edit in row["edits"])
        assert restored(Negative(row["negative"], edits)) == row["story"]
    again = cli(
        "perturb", stories, "-o", tmp_path / "two.jsonl", "--recipe", "wide", "--each", 2, "--seed", 3, "--workers", 2
    )
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()


def test_what_could_not_be_perturbed_is_counted_and_said(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_text("Hm!\nHe went home. She slept.\n???\n")
    done = cli("perturb", path, "-o", tmp_path / "out.csv", "--lead", 1)
    assert done.returncode == 0, done.stderr
    assert "2 stories could not be perturbed and are left out:" in done.stderr
    assert "1: a story of 1 sentence, all of it leading context, cannot be perturbed: 'Hm!'" in done.stderr
    with (tmp_path / "out.csv").open() as lines:
        (row,) = csv.DictReader(lines)
    assert row["id"] == "2"
    assert json.loads(row["edits"])[0]["technique"]


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("Hm!\n???\n", ["--recipe", "released"], "none of 2 stories could be perturbed"),
        ("He left. She slept.\n", ["--recipe", "hard"], "there is no recipe 'hard' (recipes: paper, released, wide"),
        ("He left. She slept.\n", ["--recipe", "no.toml"], "no.toml: cannot be read as a recipe"),
        ("He left. She slept.\n", ["-o", "out.doc"], "end the name in .parquet"),
    ],
)
def test_errors_are_one_line(cli: Cli, tmp_path: Path, text: str, options: list[str], said: str) -> None:
    path = tmp_path / "stories.txt"
    path.write_text(text)
    done = cli("perturb", path, *options, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_lead_is_kept(cli: Cli, stories: Path, tmp_path: Path) -> None:
    done = cli("perturb", stories, "-o", tmp_path / "out.jsonl", "--lead", 2, "--each", 5, "-q")
    assert (done.returncode, done.stderr) == (0, "")
    for row in rows_in(tmp_path / "out.jsonl"):
        second = row["story"].index(". ", row["story"].index(". ") + 1) + 1
        assert row["negative"][:second] == row["story"][:second]


def test_standard_output_and_others(cli: Cli, stories: Path, tmp_path: Path) -> None:
    others, recipe = tmp_path / "others.txt", tmp_path / "foreign.toml"
    others.write_text("The goose left.\n")
    recipe.write_text("counts = [1.0]\nsubstitute_words = 0.0\n[weights]\nsubstitution = 1\n")
    done = cli("perturb", stories, "--others", others, "--recipe", recipe)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 12
    assert all("The goose left." in row["negative"] for row in rows)
    assert {row["recipe"] for row in rows} == {"foreign"}


def test_a_recipe_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'base = "wide"\ncounts = [0.5, 0.5]\nword_share = [0.1, 0.3]\nconceptnet = "words.txt"\nwordnet = false\n'
        "[weights]\nnegation = 3\nreordering = 1\n"
    )
    recipe = read_recipe(path)
    assert recipe.name == "mine"
    assert recipe.counts == (0.5, 0.5)
    assert recipe.weight_of == {"negation": 3, "reordering": 1}
    assert recipe.word_share == (0.1, 0.3)
    assert recipe.conceptnet == str(tmp_path / "words.txt")
    assert recipe.varied == RECIPES["wide"].varied
    assert read_recipe("paper") is RECIPES["paper"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("counts = [", "is no TOML"),
        ('base = "none"', "base = 'none' is no recipe"),
        ("speed = 3", "has no meaning for speed"),
        ("counts = [0.5, 0.4]", "counts are (0.5, 0.4)"),
        ("counts = [0.2, 0.2, 0.2, 0.2, 0.2]", "counts speak of 5 techniques"),
        ("[weights]\nmagic = 1", "there is no technique magic"),
        ("[weights]\nnegation = -1", "the weight of negation is -1"),
        ("[weights]\nnegation = 0", "no technique has any weight"),
        ('lead = "last"', "lead is 'last'"),
        ("word_share = [0.5, 0.1]", "word_share is (0.5, 0.1)"),
        ("varied = 1.5", "varied is 1.5"),
        ("longest_repeat = 0", "longest_repeat and most_copies start at 1"),
        ('counts = "many"', "counts is 'many'"),
        ("word_share = 0.1", "word_share is 0.1"),
        ('varied = "often"', "varied is 'often'"),
        ("weights = 3", "weights is 3"),
        ("conceptnet = 3", "conceptnet is 3"),
        ('wordnet = "yes"', "wordnet is 'yes'"),
        ("longest_repeat = 2.5", "longest_repeat is 2.5"),
    ],
)
def test_a_recipe_that_cannot_be_meant(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_recipe(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_the_page_names_every_field_and_its_recipe_can_be_read(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "perturbation.md").read_text("utf-8")
    block = page.split("```toml\n")[1].split("```")[0]
    (tmp_path / "mine.toml").write_text(block)
    assert read_recipe(tmp_path / "mine.toml").weight_of == {"negation": 3, "reordering": 1}
    named = [each.name for each in fields(Recipe) if f"`{each.name}`" not in page]
    assert named == ["name"]
    assert all(f"`{technique}`" in page for technique in TECHNIQUES)
