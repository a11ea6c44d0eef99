"""What a user gets wrong first, and what they see: one line with file, line and remedy, exit code 2, nothing lost."""

from __future__ import annotations

import gzip
import json
import math
import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import Cli

import yarnstick as ys
from yarnstick.errors import InputError
from yarnstick.stories.problems import Problems

GOOD = '{"id": "1", "story": "The goose left."}\n{"id": "2", "story": "The fox came."}\n'

# name, content, what the message must hold
BAD_FILES: dict[str, tuple[str, bytes, list[str]]] = {
    "truncated jsonl": (
        "s.jsonl", (GOOD + '{"id": "3", "story": "It was la').encode(),
        ["s.jsonl:3: the JSON stops in the middle of the line", "--on-error skip"],
    ),
    "broken jsonl": ("s.jsonl", (GOOD + "{id: 3}\n").encode(), ["s.jsonl:3: is not JSON", "column 2", "mend the line"]),
    "jsonl of strings": ("s.jsonl", b'"just a text"\n', ["s.jsonl:1: holds a JSON str where an object belongs"]),
    "ragged csv": (
        "s.csv", b'id,story\n1,"The goose, it left."\n2,The fox, it came.\n',
        ["s.csv:3: has 3 fields where the header has 2", "quote fields that hold commas"],
    ),
    "ragged csv after a line break in quotes": (
        "s.csv", b'id,story\n1,"two\nlines"\n2\n', ["s.csv:4: has 1 field where the header has 2"],
    ),
    "unclosed quote": ("s.csv", b'id,story\n1,ok\n2,"never closed\nand on\n', ["s.csv:3: is not CSV", "quote"]),
    "unclosed quote in the header": ("s.csv", b'id,"story\n1,ok\n', ["s.csv:1: is not CSV", "never closed"]),
    "text after a quote": ("s.csv", b'id,story\n1,"The "fox" came."\n', ["s.csv:2: is not CSV", "written twice"]),
    "semicolons": ("s.csv", b"id;story\n1;The goose, it left.\n", ["s.csv:1: has a single column, 'id;story'", "commas"]),
    "tabs in csv": ("s.csv", b"id\tstory\n1\tThe goose left.\n", ["s.csv:1: has a single column", "--format tsv"]),
    "commas in tsv": ("s.tsv", b"id,story\n1,The goose left.\n", ["s.tsv:1: has a single column", "--format csv"]),
    "column twice": ("s.csv", b"story,story\na,b\n", ["s.csv:1: two columns are called 'story'"]),
    "ragged tsv": ("s.tsv", b"id\tstory\n1\ta\tb\n", ["s.tsv:2: has 3 fields where the header has 2", "tabs"]),
    "wrong encoding": (
        "s.jsonl", GOOD.encode() + '{"story": "café"}\n'.encode("latin-1"),
        ["s.jsonl:3: is not utf-8 (byte 0xe9 at column 15)", "--encoding latin-1"],
    ),
    "wrong encoding in csv": ("s.csv", "story\ncafé\n".encode("latin-1"), ["s.csv:2: is not utf-8", "--encoding"]),
    "utf-16": ("s.csv", "story\nhello\n".encode("utf-16"), ["s.csv:1: is UTF-16", "--encoding utf-16"]),
    "duplicate ids": (
        "s.jsonl", (GOOD + '{"id": "1", "story": "Again."}\n').encode(),
        ["s.jsonl:3: the id '1' was used before, at line 1", "--map id=COLUMN"],
    ),
    "missing column": (
        "s.csv", b"id,words,mood\n1,The goose left.,sad\n",
        ["s.csv:2: no column looks like the story", "--map story=COLUMN", "the columns are: id, words, mood"],
    ),
    "null story": ("s.jsonl", b'{"story": "a"}\n{"story": null}\n', ["s.jsonl:2: the story (column 'story') is missing"]),
    "nan story": ("s.jsonl", b'{"story": NaN}\n', ["s.jsonl:1: the story (column 'story') is missing (null or NaN)"]),
    "nan written in csv": ("s.csv", b"id,story\n1,NaN\n", ["s.csv:2: the story (column 'story') is missing"]),
    "number for a story": ("s.jsonl", b'{"story": 7}\n', ["s.jsonl:1: the story (column 'story') is not text but of type int"]),
    "half a character": ("s.jsonl", b'{"story": "\\ud800"}\n', ["s.jsonl:1: a text holds half of a character"]),
    "empty file": ("s.jsonl", b"", ["s.jsonl: is empty"]),
    "only a header": ("s.csv", b"id,story\n", ["s.csv: holds no story that can be scored"]),
    "only blank lines": ("s.jsonl", b"\n\n", ["s.jsonl: holds no story"]),
    "unknown format": ("s.docx", b"x", ["s.docx: cannot tell the format from the name", "--format"]),
    "not parquet": ("s.parquet", b"not a parquet file at all", ["s.parquet: cannot be read", "fetch or write it again"]),
    "cut gzip": ("s.jsonl.gz", gzip.compress(GOOD.encode() * 2000)[:60], ["s.jsonl.gz: cannot be read to its end"]),
    "not gzip": ("s.jsonl.gz", GOOD.encode(), ["s.jsonl.gz: cannot be read to its end"]),
    "cut zstd": ("s.jsonl.zst", b"\x28\xb5\x2f\xfd\x24\x00", ["s.jsonl.zst: cannot be read"]),
    "json object": ("s.json", b'{"a": 1}', ["s.json: does not hold a list of objects"]),
    "broken json": ("s.json", b'[{"story": "a"},\n oops]', ["s.json:2: is not JSON"]),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_file_gives_one_line_and_exit_code_2(cli: Cli, tmp_path: Path, name: str) -> None:
    file, content, says = BAD_FILES[name]
    (tmp_path / file).write_bytes(content)
    done = cli("score", file, "-m", "length", "-o", "out.parquet", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("yarnstick: ")
    for part in says:
        assert part in done.stderr
    assert not (tmp_path / "out.parquet").exists()


def test_directory_missing_file_and_missing_folder(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(GOOD)
    for arguments, says in (
        (["."], ".: is a directory"),
        (["none.jsonl"], "none.jsonl: no such file"),
        (["s.jsonl", "-o", "nowhere/out.csv"], "cannot write nowhere/out.csv: there is no folder nowhere"),
        (["s.jsonl", "-o", "."], "it is a directory"),
        (["s.jsonl", "-o", "out.docx"], "cannot write out.docx in a format its name does not tell (end the name in"),
        (["s.jsonl", "--map", "story"], "--map 'story' is not FIELD=COLUMN"),
        (["s.jsonl", "--map", "tale=story"], "--map names an unknown field 'tale'"),
        (["s.jsonl", "--map", "story=stroy"], "there is no column 'stroy' (did you mean 'story'?"),
        (["s.jsonl", "--encoding", "utf-99"], "unknown encoding 'utf-99'"),
        (["s.jsonl", "-m", "bleu"], "s.jsonl:1: story '1' has no reference, which bleu needs"),
        (["s.jsonl", "-m", "bleu,chrf,novelty"], "has no prompt, which novelty needs"),
        (["s.jsonl", "--plugin", "none.py"], "there is no metric file"),
    ):
        done = cli("score", *arguments, cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert says in done.stderr
        assert done.stderr.count("\n") == 1


def test_unwritable_output(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(GOOD)
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o555)
    # Root may write anywhere; a file system that takes no files stops root, too.
    target = Path("/proc/out.csv") if os.access(locked, os.W_OK) else locked / "out.csv"
    done = cli("score", "s.jsonl", "-m", "length", "-o", target, cwd=tmp_path)
    assert done.returncode == 2
    assert f"cannot write {target}" in done.stderr
    assert "Traceback" not in done.stderr


def test_full_device_as_output(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(GOOD)
    done = cli("score", "s.jsonl", "-m", "length", "-o", "/dev/full", "--to", "csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot write /dev/full: the disk is full (make room and run the same command again)" in done.stderr
    assert "Traceback" not in done.stderr


def test_full_disk_loses_nothing_already_scored(cli: Cli, tmp_path: Path) -> None:
    """A real file system of 256 kB: the store fills it, the run stops; with room made, the same command goes on."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("may not mount a small file system here")
    try:
        stories = tmp_path / "s.jsonl"
        stories.write_text("".join(json.dumps({"story": f"Goose number {n} left."}) + "\n" for n in range(4000)))
        command = ("score", stories, "-m", "length,counts,distinct,repetition", "-o", disk / "out.parquet", "-q")
        done = cli(*command)
        assert done.returncode == 2
        assert "the disk is full (make room and run the same command again)" in done.stderr
        assert not (disk / "out.parquet").exists()
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        manifest = disk / "out.parquet.store" / "manifest.jsonl"
        assert 0 < len(manifest.read_text().splitlines()) < 4
        done = cli(*command[:-1])
        assert done.returncode == 0, done.stderr
        # Every metric was scored once for every story: what was kept was not scored again.
        assert [json.loads(line)["rows"] for line in manifest.read_text().splitlines()] == [4000] * 4
        plain = tmp_path / "plain.parquet"
        assert cli(*command[:4], "-o", plain, "-q").returncode == 0
        assert plain.read_bytes() == (disk / "out.parquet").read_bytes()
    finally:
        subprocess.run(["umount", disk], check=False)


def test_skip_goes_on_and_says_how_many_and_which(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(
        GOOD
        + '{"id": "3", "story": null}\n{"id": "4", "story": "Late."}\n{"id": "1", "story": "Again."}\n{"id": "5", "sto'
    )
    done = cli("score", "s.jsonl", "-m", "length", "--on-error", "skip", "-o", "out.csv", cwd=tmp_path)
    assert done.returncode == 0
    assert [line.split(",")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]] == ["1", "2", "4"]
    assert "skipped 3 rows that could not be used" in done.stderr
    for place in ("s.jsonl:3:", "s.jsonl:5:", "s.jsonl:6:"):
        assert done.stderr.count(place) == 1


@pytest.mark.parametrize(
    ("file", "content", "kept", "says"),
    [
        ("s.jsonl", b'{"story": "a"}\n{"story": "caf\xe9"}\n{"story": "b"}\n', ["a", "b"], "s.jsonl:2: is not utf-8"),
        ("s.csv", b'story\na\n"two\nlines, caf\xe9"\nb\n', ["a", "b"], "s.csv:4: is not utf-8"),
        (
            "s.csv",
            b'story\na\nThe "fox" came.\n"The "fox" came."\nb\n',
            ["a", 'The "fox" came.', "b"],
            "s.csv:4: is not CSV",
        ),
        (
            "s.csv",
            b'story\na\n"cut in the mid',
            ["a"],
            "s.csv:3: is not CSV: a quote that opens in this row is never closed",
        ),
        ("s.txt", b"a\ncaf\xe9\nb\n", ["a", "b"], "s.txt:2: is not utf-8"),
    ],
)
def test_skip_leaves_out_the_row_that_cannot_be_decoded_or_parsed(
    tmp_path: Path, file: str, content: bytes, kept: list[str], says: str
) -> None:
    (tmp_path / file).write_bytes(content)
    problems = Problems("skip")
    assert [row["story"] for row in ys.read(tmp_path / file).rows(problems)] == kept
    assert problems.count == 1
    assert says in str(problems.first[0])
    with pytest.raises(InputError, match=re.escape(says)):
        list(ys.read(tmp_path / file))


def test_skip_leaves_out_the_story_a_spoilt_line_is_in(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_bytes(b"a\nb\n\nc\ncaf\xe9\n\nd\n")
    problems = Problems("skip")
    assert [row["story"] for row in ys.read(tmp_path / "s.txt", split="blank").rows(problems)] == ["a\nb", "d"]
    assert str(problems.first[0]).startswith(f"{tmp_path / 's.txt'}:5: is not utf-8")


def test_skip_leaves_scores_without_their_need_missing(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"story": "A goose.", "reference": "A goose."}\n{"story": "A fox."}\n')
    done = cli("score", "s.jsonl", "-m", "chrf,length", "--on-error", "skip", "-o", "-", cwd=tmp_path)
    assert done.returncode == 0
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["chrF"] for row in rows] == [100.0, None]
    assert [row["Text length"] for row in rows] == [3.0, 3.0]
    assert "1 story is without a reference: scores that need one are missing there" in done.stderr


def test_a_metric_that_fails_names_the_story(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(GOOD)
    (tmp_path / "mine.py").write_text(
        "from yarnstick import metric, Column\n"
        "@metric(name='touchy', family='mine', columns=[Column('Touchy')])\n"
        "def touchy(batch):\n"
        "    'Cannot stand foxes.'\n"
        "    if any('fox' in story for story in batch.stories):\n"
        "        raise ValueError('a fox!')\n"
        "    return [1.0] * len(batch)\n"
    )
    done = cli("score", "s.jsonl", "-m", "touchy", "--plugin", "mine.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "touchy failed on story '2': ValueError: a fox!" in done.stderr
    for workers in (1, 2):
        done = cli(
            "score", "s.jsonl", "-m", "touchy", "--plugin", "mine.py", "--on-error", "skip", "-o", "-",
            "--workers", workers, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0
        assert [json.loads(line)["Touchy"] for line in done.stdout.splitlines()] == [1.0, None]
        assert "touchy failed on story '2'" in done.stderr


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("The goose left.\nThe fox came.", "put the text into a list"),
        ({"story": "a"}, "put it into a list"),
        (7, "cannot read stories from what is of type int"),
        ([None], "list:1: the story (column 'story') is missing"),
        ([math.nan], "list:1: the story (column 'story') is missing"),
        ([["a"]], "list:1: is of type list"),
        ([{"story": "a"}, {"tale": "b"}], "list:2: no column looks like the story"),
        ([], "holds no story"),
    ],
)
def test_bad_python_input(given: object, says: str) -> None:
    with pytest.raises(InputError) as caught:
        ys.score(given, "length")
    assert says in str(caught.value)


def test_skipping_in_python_warns() -> None:
    with pytest.warns(UserWarning, match=r"skipped 1 row .*list:2: the story"):
        scores = ys.score([{"story": "a"}, {"story": None}], "length", on_error="skip")
    assert scores["Text length"] == [1.0]


def test_a_store_in_use_or_damaged_is_said_so(tmp_path: Path) -> None:
    with ys.ScoreStore(tmp_path / "store"), pytest.raises(ys.YarnstickError, match="another run is using"):
        ys.score(["a"], "length", store=tmp_path / "store")
    ys.score(["a"], "length", store=tmp_path / "store")
    shard = next((tmp_path / "store").glob("*.arrow"))
    shard.write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"00000001.arrow: is damaged.*delete it and run again"):
        ys.score(["a"], "length", store=tmp_path / "store")
    shard.unlink()
    assert ys.score(["a"], "length", store=tmp_path / "store")["Text length"] == [1.0]
    (tmp_path / "store" / "manifest.jsonl").write_text("nonsense\n")
    with pytest.raises(InputError, match=r"manifest.jsonl:1: is damaged"):
        ys.score(["a"], "length", store=tmp_path / "store")
