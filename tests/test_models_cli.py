"""`yarnstick models`: what is listed, what is put together, and that nothing half-made is ever taken for a model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from test_every_metric import OTHER, PLAIN
from tiny_union import adapted, base_model, packed, trained

import yarnstick as ys
from yarnstick.cli.models import command
from yarnstick.errors import YarnstickError
from yarnstick.union import assembling, shelf
from yarnstick.union.runtime import open_runtime

TEXTS = [PLAIN, OTHER, "Goose"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of yarnstick with two models of its own, `whole` and the adapter `joined`, and an empty cache."""
    bundled = tmp_path / "bundled"
    packed(bundled / "whole", "whole")
    adapted(bundled / "joined", base_model(tmp_path / "base"), "joined", merged=tmp_path / "merged")
    for module in ("yarnstick.models.naming", "yarnstick.union.shelf", "yarnstick.union.assembling"):
        monkeypatch.setattr(f"{module}.bundled_folder", lambda name: bundled / name)
    monkeypatch.setenv("YARNSTICK_CACHE", str(tmp_path / "cache"))
    return tmp_path


def models(*arguments: object) -> Result:
    done = CliRunner().invoke(command, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def scores(model: str) -> list[float]:
    return ys.score(TEXTS, f"union:model={model}")["UNION logit"]


def test_list_says_what_is_ready_and_what_to_type(home: Path) -> None:
    lines = models().stdout.splitlines()
    assert lines == models("list").stdout.splitlines()
    rows = {line.split()[0]: line for line in lines if line}
    assert "ready" in rows["whole"]
    assert "bundled" in rows["whole"]
    assert "not yet" in rows["joined"]
    assert "yarnstick models get joined" in rows["joined"]


def test_show_prints_the_card_and_the_state(home: Path) -> None:
    shown = models("show", "whole").stdout
    assert "# whole" in shown
    assert "yes; digest" in shown
    assert "48 tokens" in shown
    assert "no; once: yarnstick models get joined" in models("show", "bundled:joined").stdout
    mine = trained(home / "mine")
    assert f"yarnstick models pack {mine} -o {mine}-packed" in models("show", f"path:{mine}").stdout
    with pytest.raises(YarnstickError, match="bundled: joined, whole"):
        models("show", "nothing")


def test_a_bundled_model_that_is_whole_scores_by_either_name(home: Path) -> None:
    assert scores("bundled:whole") == scores("whole") == scores(f"path:{home / 'bundled' / 'whole'}")


def test_an_adapter_is_joined_once_with_its_base_and_scores_as_the_whole_model(home: Path) -> None:
    with pytest.raises(YarnstickError, match="once: yarnstick models get joined; then it works offline"):
        scores("joined")
    said = models("get", "joined").stderr
    assert "taking the base from path:" in said
    assert "note:" not in said
    by_hand = assembling.pack_folder(home / "merged", home / "merged-packed")
    np.testing.assert_allclose(
        open_runtime(shelf.find_packed("joined")).logits(TEXTS), open_runtime(by_hand.folder).logits(TEXTS), atol=0.05
    )
    assert "in the cache" in next(line for line in models().stdout.splitlines() if line.startswith("joined"))
    before = scores("joined")
    written = (shelf.find_packed("joined") / "model.onnx").stat().st_mtime_ns
    assert "already" in models("get", "joined").stderr
    assert (shelf.find_packed("joined") / "model.onnx").stat().st_mtime_ns == written
    for path in (home / "base").iterdir():  # what was put together needs its parts no more
        path.unlink()
    assert scores("joined") == before


def test_another_base_is_noted_and_a_missing_one_says_what_to_do(home: Path) -> None:
    other = base_model(home / "other", seed=5)
    said = models("get", "joined", "--from", f"path:{other}").stderr
    assert "note: " in said
    assert "scores will differ a little" in said
    assert f"base        path:{other}" in models("show", "joined").stdout
    models("get", "joined", "--from", f"path:{home / 'base'}", "-q")
    with pytest.raises(YarnstickError, match="there is no model at"):
        models("get", "joined", "--from", f"path:{home / 'nowhere'}")
    with pytest.raises(YarnstickError, match="it takes no base"):
        models("pack", trained(home / "mine"), "-o", home / "out", "--from", f"path:{other}")


def test_rm_deletes_what_the_cache_holds_and_nothing_else(home: Path) -> None:
    models("get", "joined", "-q")
    folder = shelf.find_packed("joined")
    assert str(folder) in models("rm", "joined").stderr
    assert not folder.exists()
    assert (home / "bundled" / "joined" / "union.json").is_file()
    with pytest.raises(YarnstickError, match="the cache holds nothing of joined"):
        models("rm", "joined")
    with pytest.raises(YarnstickError, match="the cache holds nothing of whole"):
        models("rm", "whole")


def test_another_releases_adapter_is_not_taken_for_this_one(home: Path) -> None:
    models("get", "joined", "-q")
    old = shelf.find_packed("joined")
    adapted(home / "bundled" / "joined", home / "base", "joined", rank=3)
    with pytest.raises(YarnstickError, match="not put together yet"):
        scores("joined")
    assert "left over" in models().stdout
    models("get", "joined", "-q")
    assert not old.exists()
    assert "left over" not in models().stdout


def test_pack_makes_a_trained_folder_score(home: Path) -> None:
    mine, out = trained(home / "mine"), home / "mine-packed"
    assert (
        f"use         yarnstick score stories.jsonl -m union:model=path:{out}" in models("show", f"path:{mine}").stdout
    )
    said = models("pack", mine, "-o", out).stderr
    assert f"-m union:model=path:{out}" in said
    # The same weights, drawn into a graph by the test itself; a saved model's are in half precision.
    np.testing.assert_array_equal(open_runtime(out).logits(TEXTS), open_runtime(packed(home / "same")).logits(TEXTS))
    models("pack", mine, "-o", out, "-q")
    with pytest.raises(YarnstickError, match="is packed already"):
        models("pack", out, "-o", home / "again")
    assert (
        f"use         yarnstick score stories.jsonl -m union:model=path:{out}" in models("show", f"path:{out}").stdout
    )
    (home / "letters").mkdir()
    (home / "letters" / "letter.txt").write_text("dear reader")
    with pytest.raises(YarnstickError, match="is there and holds no model"):
        models("pack", mine, "-o", home / "letters")
    assert (home / "letters" / "letter.txt").is_file()
    with pytest.raises(YarnstickError, match="there is no folder"):
        models("pack", home / "nowhere", "-o", home / "again")
    assert not (home / "again").exists()


def test_a_model_of_another_task_is_told_to_be_used_in_its_own_metric(home: Path) -> None:
    mine, out = trained(home / "mine"), home / "mine-packed"
    numbers = mine / "union.json"
    numbers.write_text(json.dumps({**json.loads(numbers.read_text("utf-8")), "task": "ruber"}))
    said = models("pack", mine, "-o", out).stderr
    assert f"-m ruber-u:model=path:{out}" in said
    assert f"-m ruber-u:model=path:{out}" in models("show", f"path:{out}").stdout
    with pytest.raises(YarnstickError, match="is packed already") as refused:
        models("pack", out, "-o", home / "again")
    assert f"-m ruber-u:model=path:{out}" in str(refused.value)


def test_what_was_cut_short_leaves_nothing_behind(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = trained(home / "mine")

    def half(source: Path, draft: Path, **more: object) -> None:
        (draft / "model.onnx").write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr("yarnstick.union.pack.pack", half)
    before = sorted(home.iterdir())
    with pytest.raises(KeyboardInterrupt):
        assembling.pack_folder(mine, home / "out")
    assert sorted(home.iterdir()) == before
    # One that was killed outright: its draft is cleared away when it is old.
    draft = home / ".out.1.tmp"
    draft.mkdir()
    with pytest.raises(KeyboardInterrupt):
        assembling.pack_folder(mine, home / "out")
    assert draft.is_dir()
    os.utime(draft, (time.time() - 7200,) * 2)
    with pytest.raises(KeyboardInterrupt):
        assembling.pack_folder(mine, home / "out")
    assert not draft.exists()


def test_putting_together_needs_no_torch(home: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom yarnstick.union.assembling import pack_folder\n"
        "pack_folder(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "print(sorted({'torch', 'transformers', 'safetensors', 'onnx'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(home / "bundled" / "joined"), str(home / "out")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
