"""``yarnstick data``, run as users run it."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from corpora_in_small import HANNA_ROWS, MANS, ROC_CLOZE, ROC_TRAIN, write_hanna, write_union

from yarnstick.cli.data import command
from yarnstick.errors import InputError
from yarnstick.stories import read, read_ratings
from yarnstick.stories.corpora import CorpusFile, registry


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, so that what is in the tester's own does not matter."""
    monkeypatch.setenv("YARNSTICK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=True)


def refused(*arguments: object) -> str:
    result = run(*arguments)
    assert isinstance(result.exception, InputError), result.output
    return str(result.exception)


def test_without_a_name_it_lists_every_corpus_and_where_it_is(cache: Path) -> None:
    (cache / "corpora" / "mans-roc").mkdir(parents=True)
    (cache / "corpora" / "mans-roc" / "mans_roc.json").write_text("{}", "utf-8")
    lines = run().stdout.splitlines()
    where = {line.split()[0]: " ".join(line.split()[1:3]) for line in lines[:8]}
    assert where == {
        "sample": "bundled 16",
        "hanna": "to fetch",
        "union-roc": "to fetch",
        "union-wp": "to fetch",
        "mans-roc": "in cache",
        "mans-wp": "to fetch",
        "rocstories": "on request",
        "writingprompts": "to fetch",
    }


def test_the_list_knows_a_folder_too(tmp_path: Path) -> None:
    write_hanna(tmp_path, HANNA_ROWS)
    assert "hanna           in folder" in run("--folder", tmp_path).stdout


@pytest.mark.parametrize("name", registry.SHELVES)
def test_a_card_says_what_it_holds_whose_it_is_and_how_it_is_checked(name: str) -> None:
    result = run(name)
    assert result.exit_code == 0
    card = registry.SHELVES[name].card
    for part in (card.summary, card.paper, card.licence, card.how_to_get, *card.holds.values(), *card.caveats):
        assert part in result.stdout
    for file in card.files:
        assert file.name in result.stdout
        assert not file.url or (file.sha256 or "recorded at the first fetch") in result.stdout


def test_stories_and_ratings_are_written_and_read_back(tmp_path: Path) -> None:
    write_hanna(tmp_path, HANNA_ROWS)
    stories, ratings = tmp_path / "out.jsonl", tmp_path / "ratings.csv"
    result = run("hanna", "--folder", tmp_path, "-o", stories, "--ratings", ratings)
    assert result.exit_code == 0, result.output
    assert result.stderr == f"wrote 3 stories to {stories}\nwrote 30 ratings to {ratings}\n"
    back = list(read(stories))
    assert [(s.id, s.system, s.prompt_id, s.references) for s in back] == [
        ("0", "Human", "0", ("It was\n\nlost.",)),
        ("1", "Human", "1", ("It shut.",)),
        ("2", "HINT", "0", ("It was\n\nlost.",)),
    ]
    with ratings.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0].values()) == ["0", "Relevance", "W1", "5.0", "Human", "0"]
    again = read_ratings(ratings)
    assert again.to_arrow().equals(registry.corpus("hanna", tmp_path).ratings.to_arrow())  # type: ignore[union-attr]


def test_one_output_to_standard_output(tmp_path: Path) -> None:
    (tmp_path / "mans_roc.json").write_text(json.dumps(MANS), "utf-8")
    result = run("mans-roc", "--folder", tmp_path, "-o", "-")
    assert result.exit_code == 0, result.output
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ["12-gpt", "12-fusion", "12-new", "3-gpt"]
    result = run("mans-roc", "--folder", tmp_path, "--ratings", "-", "--to", "csv")
    assert result.stdout.splitlines()[1] == "12-gpt,overall,1,5.0,gpt,12"


def test_a_split_with_its_extra_column(tmp_path: Path) -> None:
    (tmp_path / "ROCStories_winter2017.csv").write_text(ROC_TRAIN, "utf-8")
    (tmp_path / "cloze_test_val.csv").write_text(ROC_CLOZE, "utf-8")
    target = tmp_path / "cloze.tsv"
    assert run("rocstories", "--folder", tmp_path, "--split", "valid", "-o", target).exit_code == 0
    assert target.read_text("utf-8") == "id\tstory\twrong_ending\nc-1\tOne. Two. Three. Four. Right.\tWrong.\n"
    assert "has no ratings" in refused("rocstories", "--folder", tmp_path, "--ratings", tmp_path / "r.csv")


def test_a_bad_row_stops_it_or_is_skipped_and_told_once(tmp_path: Path) -> None:
    write_union(tmp_path)
    with (tmp_path / "ant_data.txt").open("a", encoding="utf-8") as stream:
        stream.write("1 ||| cut\n")
    target, ratings = tmp_path / "out.csv", tmp_path / "r.csv"
    outputs = ("-o", target, "--ratings", ratings)
    message = f"{tmp_path / 'ant_data.txt'}:3: is not 'id ||| story ||| votes'"
    assert refused("union-roc", "--folder", tmp_path, *outputs).startswith(message)
    assert not target.exists()
    assert not ratings.exists()
    result = run("union-roc", "--folder", tmp_path, *outputs, "--on-error", "skip")
    assert result.exit_code == 0, result.output
    assert "wrote 2 stories" in result.stderr
    assert "skipped 1 row that could not be used:" in result.stderr
    assert result.stderr.count(message) == 1


def test_votes_without_texts_give_ratings_and_say_that_there_are_no_stories(tmp_path: Path) -> None:
    (tmp_path / "votes.txt").write_text("76 ||| 0 1 1 0 1 1 1\n", "utf-8")
    assert run("union-wp", "--folder", tmp_path, "--ratings", tmp_path / "r.csv").exit_code == 0
    assert len(read_ratings(tmp_path / "r.csv")) == 7
    problem = refused("union-wp", "--folder", tmp_path, "-o", tmp_path / "s.csv")
    assert "votes.txt: holds no stories" in problem
    assert "yarnstick data union-wp --fetch" in problem


def test_what_is_not_here_is_not_fetched_unasked(tmp_path: Path) -> None:
    problem = refused("hanna", "-o", tmp_path / "s.jsonl")
    assert "hanna is not there" in problem
    assert "yarnstick data hanna --fetch" in problem
    problem = refused("rocstories", "--fetch")
    assert problem.startswith("rocstories cannot be fetched by a program (fill in the form at https://")


def test_fetch_brings_it_in_and_says_where(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = registry.SHELVES["hanna"]
    file = CorpusFile("hanna_stories_annotations.csv", url=write_hanna(tmp_path, HANNA_ROWS).as_uri(), evidence="none")
    monkeypatch.setitem(registry.SHELVES, "hanna", replace(shelf, card=replace(shelf.card, files=(file,))))
    place = cache / "corpora" / "hanna"
    assert run("hanna", "--fetch").stderr == f"fetched {file.name} into {place}\n"
    assert run("hanna", "--fetch").stderr == f"hanna is in {place} already\n"
    assert run("hanna", "-o", tmp_path / "s.jsonl").exit_code == 0
    elsewhere = tmp_path / "elsewhere"
    assert run("hanna", "--fetch", "--cache", elsewhere, "-o", tmp_path / "t.jsonl").exit_code == 0
    assert (elsewhere / "corpora" / "hanna" / file.name).is_file()
    assert (tmp_path / "s.jsonl").read_bytes() == (tmp_path / "t.jsonl").read_bytes()


@pytest.mark.parametrize("arguments", [("hanna", "--fetch", "--folder", "x"), ("-o", "x.csv"), ("--fetch",)])
def test_options_that_do_not_go_together_are_explained(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Usage:" in result.stderr


def test_the_command_line_prints_one_line_and_leaves_with_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from yarnstick.cli import main

    monkeypatch.setattr("sys.argv", ["yarnstick", "data", "hana"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("yarnstick: there is no corpus 'hana' (did you mean 'hanna'?")


def test_help_has_examples() -> None:
    text = click.unstyle(run("--help").stdout)
    assert "yarnstick data hanna --fetch -o stories.jsonl --ratings ratings.csv" in text
    assert text.count("yarnstick data ") >= 4


def test_the_documentation_names_every_corpus_and_every_file() -> None:
    page = (Path(__file__).parents[1] / "docs" / "corpora.md").read_text("utf-8")
    for name, shelf in registry.SHELVES.items():
        assert f"## {name}\n" in page
        for file in shelf.card.files:
            assert file.name in page, (name, file.name)
