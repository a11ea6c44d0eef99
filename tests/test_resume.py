"""Killed half-way, for real: a resumed run gives byte for byte the same table, and nothing is scored twice."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli

import yarnstick as ys
from yarnstick.engine.keys import row_keys
from yarnstick.engine.store import ScoreStore

SLOW_METRIC = """
import time
from yarnstick import Column, metric

@metric(name="slow", family="test", columns=[Column("Slow", "neutral", None, None)])
def slow(batch, *, milliseconds: int = 3):
    "The story's length, after a while."
    time.sleep(milliseconds / 1000 * len(batch))
    return [len(story) * 0.1 for story in batch.stories]
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    records = ({"id": str(n), "story": f"Goose {n} left. " * (n % 7 + 1), "system": f"s{n % 3}"} for n in range(2600))
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (tmp_path / "slow.py").write_text(SLOW_METRIC)
    return tmp_path


def start(work: Path, output: str, *more: str) -> subprocess.Popen[str]:
    command = ["score", "s.jsonl", "-m", "slow,length", "--plugin", "slow.py", "-o", output, *more]
    return subprocess.Popen(
        [sys.executable, "-m", "yarnstick", *command],
        cwd=work,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def shards(work: Path, output: str) -> list[dict[str, object]]:
    manifest = work / f"{output}.store" / "manifest.jsonl"
    return [json.loads(line) for line in manifest.read_text().splitlines()] if manifest.exists() else []


def wait_for_shards(work: Path, output: str, process: subprocess.Popen[str]) -> None:
    for _ in range(600):
        if shards(work, output):
            return
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        time.sleep(0.05)
    pytest.fail("no shard was written in 30 seconds")


def rows_scored(work: Path, output: str, metric: str) -> int:
    return sum(int(str(line["rows"])) for line in shards(work, output) if str(line["signature"]).startswith(metric))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_killed_run_resumes_to_the_same_bytes(work: Path, workers: str) -> None:
    whole = start(work, "whole.parquet", "--workers", workers)
    whole.communicate(timeout=120)
    assert whole.returncode == 0

    killed = start(work, "killed.parquet", "--workers", workers)
    wait_for_shards(work, "killed.parquet", killed)
    children = Path(f"/proc/{killed.pid}/task/{killed.pid}/children").read_text().split()
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=30)
    assert killed.returncode == -signal.SIGKILL
    assert not (work / "killed.parquet").exists()
    before = rows_scored(work, "killed.parquet", "slow")
    assert 0 < before < 2600
    for child in children:  # workers must not outlive the run they belong to
        for _ in range(100):
            if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split(") ")[1][:1]:
                break
            time.sleep(0.05)
        else:
            pytest.fail(f"worker {child} outlived its parent")

    # what a kill at the worst moments leaves behind: a draft, a shard without its line, half a line
    store = work / "killed.parquet.store"
    (store / ".00000099.arrow.1.tmp").write_bytes(b"half a shard")
    (store / "00000098.arrow").write_bytes(b"a shard nobody knows of")
    with (store / "manifest.jsonl").open("a") as stream:
        stream.write('{"format": 1, "shard": "000')

    resumed = start(work, "killed.parquet", "--workers", workers)
    _, said = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, said
    assert "stories known from killed.parquet.store" in said
    assert (work / "killed.parquet").read_bytes() == (work / "whole.parquet").read_bytes()
    assert rows_scored(work, "killed.parquet", "slow") == 2600
    assert not list(store.glob("*.tmp"))
    assert not list(store.glob(".*.tmp"))
    assert not (store / "00000098.arrow").exists()


def test_interrupted_run_keeps_what_it_scored(work: Path) -> None:
    process = start(work, "out.parquet", "--workers", "2")
    wait_for_shards(work, "out.parquet", process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert "interrupted" in said
    assert 0 < rows_scored(work, "out.parquet", "slow") <= 2600


def test_rerun_scores_only_what_is_new(work: Path, cli: Cli) -> None:
    def run(*more: str) -> str:
        done = cli("score", "s.jsonl", "--plugin", "slow.py", "-o", "out.parquet", *more, cwd=work)
        assert done.returncode == 0, done.stderr
        return done.stderr

    lines = (work / "s.jsonl").read_text().splitlines()[:100]
    (work / "s.jsonl").write_text("\n".join(lines) + "\n")
    run("-m", "slow")
    assert rows_scored(work, "out.parquet", "slow") == 100
    # reordered, one story changed, two added, and a second metric
    changed = json.dumps({"id": "0", "story": "Another goose.", "system": "s0"})
    added = [json.dumps({"id": f"new{n}", "story": f"New {n}."}) for n in range(2)]
    (work / "s.jsonl").write_text("\n".join([*added, *reversed(lines[1:]), changed]) + "\n")
    said = run("-m", "slow,length")
    assert rows_scored(work, "out.parquet", "slow") == 103
    assert rows_scored(work, "out.parquet", "length") == 102
    assert "known from" not in said
    assert "99 stories known in part from out.parquet.store" in said
    assert "102 stories known from out.parquet.store" in run("-m", "slow,length")
    run("-m", "slow:milliseconds=1")
    assert rows_scored(work, "out.parquet", "slow") == 205


def test_a_new_prompt_does_not_make_a_length_stale(tmp_path: Path) -> None:
    store = tmp_path / "store"
    ys.score([{"story": "A goose left.", "prompt": "Geese."}], ["length", "novelty"], store=store)
    ys.score([{"story": "A goose left.", "prompt": "Goose."}], ["length", "novelty"], store=store)
    rows = [json.loads(line) for line in (store / "manifest.jsonl").read_text().splitlines()]
    assert [str(line["signature"]).split("|")[0] for line in rows] == ["length", "novelty", "novelty"]


def test_corpus_metrics_are_scored_anew_when_the_set_grows(tmp_path: Path) -> None:
    records = [
        {"story": f"The {word} left the pond.", "reference": f"A {word} went."} for word in ("goose", "fox", "owl")
    ]
    small = ys.score(records[:2], "cider", store=tmp_path / "store")
    large = ys.score(records, "cider", store=tmp_path / "store")
    assert large["CIDEr"] == ys.score(records, "cider")["CIDEr"]
    assert small.signatures["CIDEr"] != large.signatures["CIDEr"]
    assert ys.score(records[::-1], "cider").signatures == large.signatures


def test_a_story_that_comes_twice_is_scored_once(tmp_path: Path) -> None:
    scores = ys.score(["A goose.", "A fox left.", "A goose."], "length", store=tmp_path / "store")
    assert scores["Text length"] == [3.0, 4.0, 3.0]
    assert json.loads((tmp_path / "store" / "manifest.jsonl").read_text())["rows"] == 2


def test_shared_features_are_computed_once_per_distinct_text(monkeypatch: pytest.MonkeyPatch) -> None:
    from yarnstick.engine import pool
    from yarnstick.features import Features

    made: list[Features] = []

    def noted() -> Features:
        made.append(Features())
        return made[-1]

    monkeypatch.setattr(pool, "Features", noted)
    prompts, references = ["A goose.", "A fox."], ["The goose left.", "The fox came."]
    records = [
        {"story": f"Story {n} of a goose.", "prompt": prompts[n % 2], "reference": references[n % 2], "id": str(n)}
        for n in range(20)
    ]
    ys.score(records, ["novelty", "fragments", "length", "repetition", "distinct", "chrf", "meteor"], batch_size=3)
    (features,) = made
    assert features.computed["yarnstick.text.words.words"] == 20 + 2
    assert features.computed["yarnstick.metrics.families.overlap.reference_for_chrf"] == 2
    assert features.computed["yarnstick.metrics.meteor_score.prepared.prepare"] == 20 + 2


def test_store_finds_keys_that_share_their_first_half(tmp_path: Path) -> None:
    keys = np.array([[7, 1], [7, 2], [9, 1], [7, 3]], dtype="<u8")
    with ScoreStore(tmp_path / "store") as store:
        store.add("sig", keys[:2], np.array([[0.1, 1.0], [0.2, 2.0]]))
        store.flush()
        store.add("sig", keys[2:3], np.array([[0.3, 3.0]]))
    with ScoreStore(tmp_path / "store") as store:
        known = store.known("sig")
        assert len(known) == 3
        assert known.has(keys).tolist() == [True, True, True, False]
        np.testing.assert_array_equal(known.look_up(keys, 2), [[0.1, 1.0], [0.2, 2.0], [0.3, 3.0], [np.nan, np.nan]])
        assert len(store.known("other")) == 0
        assert not store.known("other").has(keys).any()


def test_a_flush_lists_the_shards_of_all_metrics_at_once_or_what_the_disk_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill while shards are written must not leave stories with half of their scores; a full disk keeps what it has."""
    keys, manifest = np.array([[7, 1]], dtype="<u8"), tmp_path / "store" / "manifest.jsonl"
    real, full = ScoreStore._write_shard, True

    def write_shard(store: ScoreStore, keys: np.ndarray, values: np.ndarray) -> str:
        assert not manifest.exists() or not full
        if full and values[0, 0] == 0.3:
            raise ys.OutputError("the disk is full")
        return real(store, keys, values)

    monkeypatch.setattr(ScoreStore, "_write_shard", write_shard)
    store = ScoreStore(tmp_path / "store", flush_seconds=0).__enter__()
    for number, signature in enumerate(("a", "b", "c"), 1):
        store.add(signature, keys, np.array([[number / 10]]))
    assert not manifest.exists()
    with pytest.raises(ys.OutputError, match="the disk is full"):
        store.flush_when_due()
    assert [json.loads(line)["signature"] for line in manifest.read_text().splitlines()] == ["a", "b"]
    full = False
    store.__exit__(None, None, None)
    assert [json.loads(line)["signature"] for line in manifest.read_text().splitlines()] == ["a", "b", "c"]


@pytest.mark.parametrize("written", [0, 30])
def test_a_line_the_disk_has_no_room_for_does_not_spoil_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    """The disk fills up in the middle of the manifest's line, and there is room again when the run ends."""
    real, path, keys = os.fsync, tmp_path / "store" / "manifest.jsonl", np.array([[7, 1]], dtype="<u8")

    def full(descriptor: int) -> None:
        if os.readlink(f"/proc/self/fd/{descriptor}") == str(path):
            os.ftruncate(descriptor, written)
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    with ScoreStore(tmp_path / "store") as store:
        store.add("a", keys, np.array([[0.5]]))
        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(ys.OutputError, match=r"manifest\.jsonl: the disk is full"):
            store.flush()
        monkeypatch.setattr("os.fsync", real)
    with ScoreStore(tmp_path / "store") as store:
        assert store.known("a").look_up(keys, 1).tolist() == [[0.5]]
        assert len(list((tmp_path / "store").glob("*.arrow"))) == 1


def test_what_is_kept_of_a_story_is_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often is flushed, the shards of all metrics hold the same stories."""
    monkeypatch.setattr("yarnstick.engine.store.ScoreStore.__init__.__defaults__", (0.0,))
    # A second passes at every look at the clock: how soon is flushed again depends on what loading words took.
    clock = count()
    monkeypatch.setattr("yarnstick.engine.store.time.monotonic", lambda: float(next(clock)))
    ys.score([f"Goose {number}." for number in range(10)], ["length", "counts"], store=tmp_path / "s", batch_size=3)
    lines = [json.loads(line) for line in (tmp_path / "s" / "manifest.jsonl").read_text().splitlines()]
    assert [line["rows"] for line in lines] == [3, 3, 3, 3, 3, 3, 1, 1]
    assert [str(line["signature"]).split("|")[0] for line in lines] == ["length", "counts"] * 4


def test_keys_tell_fields_and_their_borders_apart() -> None:
    rows = [
        {"story": "ab", "prompt": "c"}, {"story": "a", "prompt": "bc"}, {"story": "ab"}, {"story": "ab", "prompt": ""},
        {"story": "ab", "references": ["c"]}, {"story": "ab", "references": ["c", ""]}, {"story": "ab", "references": ["", "c"]},
    ]  # fmt: skip
    batch = next(ys.read(rows).batches())
    keys = row_keys(batch, ("story", "prompt", "reference"))
    assert len({key.tobytes() for key in keys}) == len(rows)
    only_story = row_keys(batch, ("story",))
    assert len({key.tobytes() for key in only_story}) == 2
