"""Stories from every source, to the same set; and out again."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Cli

import yarnstick as ys
from yarnstick.stories.columns import RATING_HABITS, STORY_HABITS, guess_columns
from yarnstick.stories.problems import Problems

RECORDS = [
    {"id": "1", "model": "a", "prompt": "A goose.", "text": "The goose left, \"quickly\".", "reference": "It flew.", "mood": "sad"},
    {"id": "2", "model": "b", "prompt": "A fox.", "text": "Zwei Füchse.\nEnde.", "reference": "It ran.", "mood": "glad"},
]  # fmt: skip
EXPECTED = [
    ys.Story("1", 'The goose left, "quickly".', "A goose.", ("It flew.",), "a", None, {"mood": "sad"}),
    ys.Story("2", "Zwei Füchse.\nEnde.", "A fox.", ("It ran.",), "b", None, {"mood": "glad"}),
]


def stories_of(given: object, **options: object) -> list[ys.Story]:
    return [
        ys.Story(story.id, story.text, story.prompt, story.references, story.system, None, dict(story.extra))
        for story in ys.read(given, **options)
    ]


def csv_text(separator: str = ",") -> str:
    frame = pd.DataFrame(RECORDS)
    return frame.to_csv(index=False, sep=separator)


def write_files(folder: Path) -> dict[str, Path]:
    jsonl = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in RECORDS)
    contents = {
        "s.jsonl": jsonl.encode(), "s.ndjson": jsonl.replace("\n", "\r\n").encode(), "s.json": json.dumps(RECORDS).encode(),
        "s.csv": csv_text().encode(), "s.tsv": csv_text("\t").encode(), "bom.csv": csv_text().encode("utf-8-sig"),
    }  # fmt: skip
    paths = {}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
        (folder / f"{name}.gz").write_bytes(gzip.compress(content))
        with pa.CompressedOutputStream(str(folder / f"{name}.zst"), "zstd") as stream:
            stream.write(content)
        paths |= {ending: folder / ending for ending in (name, f"{name}.gz", f"{name}.zst")}
    pq.write_table(pa.Table.from_pylist(RECORDS), folder / "s.parquet")
    paths["s.parquet"] = folder / "s.parquet"
    (folder / "s.parquet.gz").write_bytes(gzip.compress((folder / "s.parquet").read_bytes()))
    paths["s.parquet.gz"] = folder / "s.parquet.gz"
    return paths


def test_every_format_plain_and_compressed_gives_the_same_stories(tmp_path: Path) -> None:
    for name, path in write_files(tmp_path).items():
        assert stories_of(path) == EXPECTED, name
        assert len(ys.read(str(path))) == 2


def test_python_objects_give_the_same_stories() -> None:
    table = pa.Table.from_pylist(RECORDS)
    for given in (
        RECORDS, tuple(RECORDS), (record for record in RECORDS), pd.DataFrame(RECORDS), pl.DataFrame(RECORDS),
        pl.DataFrame(RECORDS).lazy(), table, table.to_batches()[0], table.to_reader(), EXPECTED, ys.read(RECORDS),
    ):  # fmt: skip
        assert stories_of(given) == EXPECTED, type(given)


def test_hugging_face_datasets() -> None:
    datasets = pytest.importorskip("datasets", reason="datasets (the [hub] extra) is not installed")
    dataset = datasets.Dataset.from_list(RECORDS)
    assert stories_of(dataset) == EXPECTED
    assert [story.id for story in ys.read(dataset.select([1]))] == ["2"]
    assert stories_of(dataset.to_iterable_dataset()) == EXPECTED
    with pytest.raises(ys.InputError, match=r"pick one: dataset\['train'\]"):
        ys.read(datasets.DatasetDict({"train": dataset}))


def test_strings_and_references_in_many_shapes() -> None:
    assert [story.text for story in ys.read(["one", "two"])] == ["one", "two"]
    assert [story.id for story in ys.read(["one", "two"])] == ["1", "2"]
    assert next(iter(ys.read([{"story": "a", "references": ["b", "c"]}]))).references == ("b", "c")
    assert next(iter(ys.read([{"story": "a", "reference_1": "b", "reference_2": "c"}]))).references == ("b", "c")
    assert next(iter(ys.read([{"story": "a", "ref": None}]))).references == ()
    assert next(iter(ys.read([{"story": ["Sentence one.", "Two."]}]))).text == "Sentence one. Two."
    frame = pd.DataFrame({"story": ["a"], "references": [["b", "c"]]})
    assert next(iter(ys.read(frame))).references == ("b", "c")
    assert next(iter(ys.read(pa.table({"story": ["a"], "references": [["b"]]})))).references == ("b",)


def test_csv_holds_lists_of_references_and_empty_cells(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text('story,references,prompt\n"a","[""b"", ""c""]",\n"","[not json","p"\n')
    first, second = ys.read(path)
    assert first.references == ("b", "c")
    assert first.prompt is None
    assert second.text == ""
    assert second.references == ("[not json",)


def test_plain_text_by_lines_blank_lines_or_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text("One.\nStill one.\n\nTwo.\n")
    assert [(story.id, story.text) for story in ys.read(path)] == [("1", "One."), ("2", "Still one."), ("3", "Two.")]
    assert [story.text for story in ys.read(path, split="blank")] == ["One.\nStill one.", "Two."]
    assert [story.text for story in ys.read(path, split="whole")] == ["One.\nStill one.\n\nTwo."]
    with pytest.raises(ys.InputError, match="unknown split"):
        ys.read(path, split="page")


def test_other_encodings(tmp_path: Path) -> None:
    for encoding in ("latin-1", "cp1252", "utf-16", "utf-16-le", "shift_jis"):
        text = "story\nDie Füchse – äöü.\n" if encoding != "shift_jis" else "story\n狐と鵞鳥\n"
        text = text.replace("–", "-")
        path = tmp_path / "s.csv"
        path.write_bytes(text.encode(encoding))
        assert next(iter(ys.read(path, encoding=encoding))).text == text.split("\n")[1]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["Completion", "Model Name"], {"story": "Completion", "system": "Model Name"}),
        (["generated_text", "context", "gold"], {"story": "generated_text", "prompt": "context", "references": "gold"}),
        (["storyId", "title", "story"], {"story": "story", "prompt": "title", "id": "storyId"}),
        (["text", "story"], {"story": "story"}),
        (["generation", "input", "target", "system", "uid"],
         {"story": "generation", "prompt": "input", "references": "target", "system": "system", "id": "uid"}),
        (["Story ID", "Prompt", "Human", "Story", "Model"],
         {"story": "Story", "prompt": "Prompt", "references": "Human", "system": "Model", "id": "Story ID"}),
    ],
)  # fmt: skip
def test_columns_are_guessed_from_habit(names: list[str], found: dict[str, str]) -> None:
    assert guess_columns(names, STORY_HABITS) == found


def test_overrides_beat_habits() -> None:
    assert guess_columns(["story", "mine"], STORY_HABITS, {"story": "mine"}) == {"story": "mine"}
    assert guess_columns(["story", "a"], STORY_HABITS, {"reference": "a"}) == {"references": "a", "story": "story"}


def test_prompts_without_ids_share_one(tmp_path: Path) -> None:
    rows = list(ys.read([{"story": "a", "prompt": "P"}, {"story": "b", "prompt": "Q"}, {"story": "c", "prompt": "P"}]))
    assert rows[0].prompt_id == rows[2].prompt_id != rows[1].prompt_id
    assert next(iter(ys.read([{"story": "a", "prompt": "P", "prompt_id": 3.0}]))).prompt_id == "3"


def test_ids_may_repeat_between_systems_only() -> None:
    rows = [{"story": "a", "id": 1, "system": "x"}, {"story": "b", "id": 1, "system": "y"}]
    assert len(ys.read(rows)) == 2
    with pytest.raises(ys.InputError, match="list:3: the id '1' was used before, at line 1, for the same system 'x'"):
        list(ys.read([*rows, {"story": "c", "id": 1, "system": "x"}]))


def test_sets_stream_and_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps({"story": f"Story {n}."}) + "\n" for n in range(2500)))
    stories = ys.read(path)
    assert [batch.num_rows for batch in stories.batches(1000)] == [1000, 1000, 500]
    assert len(stories) == len(stories) == 2500
    assert stories.to_pandas().story[2499] == "Story 2499."
    assert stories.to_polars().height == 2500
    assert len(ys.read(path, limit=7)) == 7


def test_huge_texts_are_cut_into_smaller_batches() -> None:
    stories = ys.read(["x" * 5_000_000] * 4)
    assert [batch.num_rows for batch in stories.batches()] == [2, 2]


@pytest.mark.parametrize("name", ["t.jsonl", "t.csv", "t.tsv", "t.parquet", "t.jsonl.gz", "t.csv.zst"])
def test_written_stories_read_back_the_same(tmp_path: Path, name: str) -> None:
    records = [
        {"id": "1", "story": "a\tb\n\"c\", d", "references": ["x", "y, z"], "system": "s", "note": "n", "year": 1980},
        {"id": "2", "story": "ünï", "references": ["q"], "system": "s", "note": None, "year": 1981},
    ]  # fmt: skip
    assert ys.write_stories(ys.read(records), tmp_path / name) == 2
    again = list(ys.read(tmp_path / name))
    assert [story.text for story in again] == [record["story"] for record in records]
    assert [list(story.references) for story in again] == [["x", "y, z"], ["q"]]
    assert [str(story.extra["year"]) for story in again] == ["1980", "1981"]
    if "csv" not in name and "tsv" not in name:
        assert again[0].extra == {"note": "n", "year": 1980}


def test_convert_command(cli: Cli, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("completion,model,score\nThe goose left.,a,1.5\nThe fox came.,b,2\n")
    done = cli("convert", source, tmp_path / "out.parquet")
    assert done.returncode == 0, done.stderr
    assert "wrote 2 stories" in done.stderr
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.column_names == ["id", "system", "story", "score"]
    assert table.column("story").to_pylist() == ["The goose left.", "The fox came."]
    done = cli("convert", "-", "-", "--format", "text", "--to", "jsonl", stdin="One.\nTwo.\n")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"id": "1", "story": "One."}, {"id": "2", "story": "Two."},
    ]  # fmt: skip
    done = cli("convert", tmp_path / "out.parquet", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "The goose left.\nThe fox came.\n"
    (tmp_path / "lines.jsonl").write_text('{"story": "two\\nlines"}\n')
    done = cli("convert", tmp_path / "lines.jsonl", tmp_path / "bad.txt")
    assert done.returncode == 2
    assert "line breaks" in done.stderr
    assert not (tmp_path / "bad.txt").exists()


def test_an_extra_with_a_name_of_ours_is_kept(tmp_path: Path) -> None:
    stories = ys.read([{"story": "not this", "mine": "this"}], columns={"story": "mine"})
    ys.write_stories(stories, tmp_path / "t.jsonl")
    assert json.loads((tmp_path / "t.jsonl").read_text()) == {"id": "1", "story": "this", "extra_story": "not this"}


def test_gzip_damaged_in_the_middle_is_said_so(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"".join(b'{"story": "%d"}\n' % n for n in range(50_000))))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = b"\xff" * 40
    (tmp_path / "s.jsonl.gz").write_bytes(packed)
    with pytest.raises(ys.InputError, match=r"s\.jsonl\.gz"):
        len(ys.read(tmp_path / "s.jsonl.gz"))


def test_convert_skips_and_counts_once(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"story": "a"}\n{"story": null}\n')
    done = cli("convert", tmp_path / "s.jsonl", tmp_path / "t.jsonl", "--on-error", "skip")
    assert "skipped 1 row that could not be used" in done.stderr
    assert (tmp_path / "t.jsonl").read_text() == '{"id": "1", "story": "a"}\n'


def test_problems_keep_the_first_and_count_all() -> None:
    problems = Problems("skip", keep=2)
    assert len(list(ys.read([{"story": None}] * 5 + [{"story": "a"}]).rows(problems))) == 1
    assert problems.count == 5
    assert problems.summary()[0] == "skipped 5 rows that could not be used:"
    assert problems.summary()[-1] == "  ... and 3 more"


def test_ratings_long_and_wide(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("story_id,aspect,annotator,score\n1,coherence,ann,4\n1,coherence,bob,2\n2,coherence,ann,5\n")
    ratings = ys.read_ratings(path)
    assert ratings.criteria == ["coherence"]
    assert ratings.raters == ["ann", "bob"]
    assert ratings.to_arrow().column("value").to_pylist() == [4.0, 2.0, 5.0]
    wide = ys.read_ratings([{"id": "1", "Coherence": 4, "Surprise": 1}, {"id": "1", "Coherence": 3, "Surprise": 2}],
                           criteria=["Coherence", "Surprise"])  # fmt: skip
    assert len(wide) == 4
    assert wide.raters == ["1", "2"]
    assert wide.to_pandas().value.tolist() == [4.0, 1.0, 3.0, 2.0]
    assert wide.to_polars().height == 4
    path.write_text("story_id,aspect,score\n1,coherence,good\n")
    with pytest.raises(ys.InputError, match=r"r.csv:2: the rating is 'good', not a number"):
        ys.read_ratings(path)
    with pytest.raises(ys.InputError, match="ratings:1: a rating has no rater"):
        ys.Ratings.of([{"story": "1", "criterion": "c", "value": 1.0}])
    with pytest.raises(ys.InputError, match="no column looks like the criterion"):
        ys.read_ratings([{"story": "1", "value": 3}])
    assert guess_columns(["item", "question", "worker", "rating"], RATING_HABITS)["rater"] == "worker"


def test_missing_extra_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    real = builtins.__import__

    def without_polars(name: str, *rest: object, **more: object) -> object:
        if name.split(".")[0] == "polars":
            raise ModuleNotFoundError("No module named 'polars'", name="polars")
        return real(name, *rest, **more)

    monkeypatch.setattr("importlib.import_module", without_polars)
    with pytest.raises(ys.MissingExtraError, match=r"polars.*pip install 'yarnstick\[frames\]'"):
        ys.read(["a"]).to_polars()


def test_text_from_a_binary_stream_of_standard_input(cli: Cli) -> None:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"story": ["a b c"]}), buffer)
    done = cli("score", "-", "-m", "length", "-o", "-", stdin=buffer.getvalue())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["Text length"] == 3.0
    assert "cannot tell the format" in cli("score", "-", stdin="a,b\n").stderr
    assert "standard input: is empty" in cli("score", "-", stdin="").stderr
