"""``yarnstick score`` as a user meets it: formats in and out, the table, settings, plugins, columns."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Cli

import yarnstick as ys
from yarnstick.cli.score import split_requests
from yarnstick.metrics.signature import Signature

RECORDS = [
    {
        "id": "a1",
        "model": "a",
        "prompt": "A goose.",
        "completion": "The goose left. It left.",
        "gold": "The goose flew.",
    },
    {"id": "b1", "model": "b", "prompt": "A goose.", "completion": "A fox came by.", "gold": "The goose flew."},
    {"id": "a2", "model": "a", "prompt": "A fox.", "completion": "The fox, the fox, the fox.", "gold": "A fox ran."},
]
HANNA_STRING_COLUMNS = [
    "BLEU",
    *(
        f"ROUGE-{variant} {measure}"
        for variant in ("1", "2", "3", "4", "L", "W-1.2", "S*", "SU*")
        for measure in ("Recall", "Precision", "F-Score")
    ),
    "METEOR", "chrF", "CIDEr", "Coverage", "Density", "Compression", "Text length",
    "Novelty-1", "Novelty-2", "Novelty-3", "Repetition-1", "Repetition-2", "Repetition-3",
]  # fmt: skip


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    path = tmp_path / "stories.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return path


def as_rows(path: Path) -> list[dict[str, object]]:
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as stream:
        if ".jsonl" in path.name:
            return [json.loads(line) for line in stream]
        rows = csv.DictReader(stream, delimiter="\t" if ".tsv" in path.name else ",")
        keys = ("id", "system", "prompt_id")
        return [{k: v if k in keys else float(v) for k, v in row.items()} for row in rows]


def test_every_output_format_holds_the_same_table(cli: Cli, stories: Path, tmp_path: Path) -> None:
    tables = []
    for name in ("s.parquet", "s.csv", "s.tsv", "s.jsonl", "s.csv.gz"):
        done = cli("score", stories, "-m", "chrf,length", "-o", tmp_path / name)
        assert done.returncode == 0, done.stderr
        tables.append(as_rows(tmp_path / name))
    assert all(table == tables[0] for table in tables)
    assert [row["id"] for row in tables[0]] == ["a1", "b1", "a2"]
    assert [row["system"] for row in tables[0]] == ["a", "b", "a"]
    assert [row["Text length"] for row in tables[0]] == [7.0, 5.0, 9.0]
    assert tables[0][0]["prompt_id"] == tables[0][1]["prompt_id"] != tables[0][2]["prompt_id"]


def test_terminal_table_shows_mean_interval_and_direction(cli: Cli, stories: Path) -> None:
    done = cli("score", stories, "-m", "length,repetition,bleu")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["metric", "a", "b"]
    # a: 7 and 9 tokens: mean 8, t(.975, 1 degree of freedom) = 12.706, sd sqrt 2: half-width 12.706
    assert lines[1].split() == ["Text", "length", "·", "8", "±13", "5"]
    assert any(line.startswith("Repetition-1") and "↓" in line for line in lines)
    assert any(line.startswith("BLEU") and "↑" in line for line in lines)
    assert "a 2, b 1" in lines[-1]
    assert "story = 'completion'" in done.stderr
    assert "system = 'model'" in done.stderr
    assert "references = 'gold'" in done.stderr


def test_standard_input_and_output(cli: Cli, stories: Path) -> None:
    done = cli("score", "-", "-m", "length", "-o", "-", "--to", "csv", stdin=stories.read_text())
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "id,system,prompt_id,Text length"
    assert done.stdout.splitlines()[1].startswith("a1,a,")


def test_compressed_standard_input(cli: Cli, stories: Path) -> None:
    done = cli("score", "-", "-m", "length", "-o", "-", "--format", "jsonl", stdin=gzip.compress(stories.read_bytes()))
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["Text length"] for line in done.stdout.splitlines()] == [7.0, 5.0, 9.0]


def test_map_overrides_the_guess(cli: Cli, stories: Path) -> None:
    done = cli("score", stories, "-m", "length", "--map", "story=gold", "-o", "-")
    assert [json.loads(line)["Text length"] for line in done.stdout.splitlines()] == [4.0, 4.0, 4.0]


def test_hanna_string_gives_all_38_columns(cli: Cli, stories: Path, tmp_path: Path) -> None:
    assert len(HANNA_STRING_COLUMNS) == 38
    done = cli("score", stories, "-m", "hanna-string", "-o", tmp_path / "s.parquet", "-q")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert pq.read_schema(tmp_path / "s.parquet").names[3:] == HANNA_STRING_COLUMNS
    scores = ys.score(RECORDS, ["hanna-string"])
    assert list(scores.columns) == HANNA_STRING_COLUMNS
    assert cli("metrics", "hanna-string", "--columns").stdout.splitlines() == HANNA_STRING_COLUMNS


def test_result_as_pandas_polars_arrow() -> None:
    scores = ys.score(RECORDS, ["hanna-string"])
    assert isinstance(scores.to_arrow(), pa.Table)
    assert scores.to_pandas()["Text length"].tolist() == [8.0, 6.0, 10.0]
    assert scores.to_polars()["Text length"].to_list() == [8.0, 6.0, 10.0]


def test_signatures_travel_with_every_format(tmp_path: Path) -> None:
    scores = ys.score(RECORDS, ["chrf:beta=3", "length"])
    signature = Signature.parse(scores.signatures["chrF"])
    assert signature.metric == "chrf"
    assert signature.fields["beta"] == "3"
    assert signature.fields["column"] == "chrF"
    assert signature.fields["yarnstick"] == ys.__version__
    for name in ("s.parquet", "s.csv", "s.jsonl.gz", "s.tsv"):
        scores.write(tmp_path / name)
        again = ys.Scores.read(tmp_path / name)
        assert again.columns == scores.columns
        assert again["chrF"] == scores["chrF"]
        assert again.to_arrow().column("id").to_pylist() == ["a1", "b1", "a2"]


def test_same_metric_twice_is_told_apart_by_its_settings() -> None:
    scores = ys.score(RECORDS, ["chrf", "chrf:beta=3,lowercase=yes", ("chrf", {"beta": 1})])
    assert list(scores.columns) == [
        "chrF [beta=2.0,lowercase=no]", "chrF [beta=3.0,lowercase=yes]", "chrF [beta=1.0,lowercase=no]",
    ]  # fmt: skip


def test_preset_applies_where_it_exists() -> None:
    scores = ys.score(RECORDS, ["chrf", "counts"], preset="hanna")
    assert "beta:3" in scores.signatures["chrF"]
    with pytest.raises(ys.MetricError, match="has a preset 'hannah'"):
        ys.score(RECORDS, "chrf", preset="hannah")


def test_commas_separate_metrics_and_settings() -> None:
    assert split_requests(("chrf:beta=3,lowercase=yes,rouge-l", "bleu")) == [
        "chrf:beta=3,lowercase=yes", "rouge-l", "bleu",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ("chrff", "no metric is called 'chrff' (did you mean chrf"),
        ("chrf:gamma=1", "chrf has no option 'gamma' (its options: char_order, beta,"),
        ("chrf:beta=high", "chrf: option beta must be a number, not 'high'"),
        ("chrf:beta", "'beta' in 'chrf:beta' is not a setting"),
        ("bleu:smoothing=much", "option smoothing cannot be 'much' (one of exp, floor, add-k, none)"),
        ("rouge:variants=9L", "there is no ROUGE variant 'ROUGE-9L'"),
        ("hanna-string:beta=2", "'hanna-string' is a group of metrics and takes no settings"),
        ("chrf:preset=x", "chrf has no preset 'x' (its presets: hanna)"),
        ("meteor:data=/nowhere,stages=exact+synonym", "/nowhere"),
    ],
)
def test_bad_requests_are_refused_in_one_line(cli: Cli, stories: Path, metric: str, says: str) -> None:
    done = cli("score", stories, "-m", metric)
    assert done.returncode == 2
    assert done.stderr.startswith("yarnstick: ")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_undefined_scores_are_missing_everywhere(tmp_path: Path) -> None:
    scores = ys.score([""], "counts")
    assert scores["Words per sentence"] == [None]
    assert np.isnan(scores.to_pandas()["Words per sentence"][0])
    scores.write(tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text() == "id,system,prompt_id,Words,Sentences,Words per sentence\n1,,,0.0,0.0,\n"
    scores.write(tmp_path / "s.jsonl")
    assert json.loads((tmp_path / "s.jsonl").read_text())["Words per sentence"] is None


def test_metrics_command_lists_shows_and_prints_columns(cli: Cli) -> None:
    overview = cli("metrics").stdout
    assert all(name in overview for name in ys.all_metrics())
    card = cli("metrics", "chrf").stdout
    assert "↑ chrF  (0 to 100; higher is better)" in card
    assert "Popović 2015" in card
    assert "beta=2.0" in card
    assert "hanna: beta=3.0, whitespace=yes, line_end=yes" in card
    columns = cli("metrics", "--columns").stdout.splitlines()
    assert set(HANNA_STRING_COLUMNS) <= set(columns)
    assert {"chrF++", "TER", "Self-BLEU", "Distinct-2", "MTLD", "Sentences", "Flesch-Kincaid grade"} <= set(columns)


def test_every_command_has_help_with_an_example(cli: Cli) -> None:
    from yarnstick.cli import COMMANDS

    for name in COMMANDS:
        done = cli(name, "--help")
        assert done.returncode == 0
        assert f"yarnstick {name}" in done.stdout.split("Options:")[0].split("\n", 1)[1]
    assert "Did you mean 'score'?" in cli("scroe").stderr
