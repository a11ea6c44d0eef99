"""The metric `union` with a tiny packed model: its numbers, what they do not depend on, and what is refused."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_every_metric import ODD, OTHER, PLAIN, crowd, table
from tiny_union import packed, trained

import yarnstick as ys
from yarnstick.errors import YarnstickError
from yarnstick.union.packed import check_model, read_packed
from yarnstick.union.runtime import open_runtime, threads

LONG = " ".join(f"The goose swam {number} times. The fox waited, and the moon set!" for number in range(40))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("packed") / "tiny")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YARNSTICK_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


def request(model: Path, more: str = "") -> str:
    return f"union:model=path:{model}{more}"


def test_logits_are_those_of_torch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from yarnstick.union.torch_scoring import score_texts

    texts = [PLAIN, OTHER, "Goose", LONG, f"{'fox ' * 300}. {PLAIN}", *(ODD[kind] for kind in ("emoji", "chinese"))]
    wanted = score_texts(trained(tmp_path / "trained"), texts, device="cpu")
    exact = open_runtime(packed(tmp_path / "fp32", precision="fp32")).logits(texts)
    np.testing.assert_allclose(exact, wanted, atol=2e-4)
    eight_bits = open_runtime(packed(tmp_path / "int8")).logits(texts)
    assert np.corrcoef(eight_bits, wanted)[0, 1] > 0.99
    assert np.ptp(wanted) > 0.5


def test_columns_are_a_probability_and_its_log_odds(model: Path) -> None:
    scores = ys.score([PLAIN, OTHER, LONG], request(model))
    logits = open_runtime(model).logits([PLAIN, OTHER, LONG])
    for probability, odds, logit in zip(scores["UNION"], scores["UNION logit"], logits, strict=True):
        assert odds == pytest.approx(0.5 * logit + 0.1, abs=1e-12)
        assert probability == pytest.approx(1 / (1 + math.exp(-odds)), abs=1e-12)
    assert scores.columns["UNION"].direction == scores.columns["UNION logit"].direction == "higher"


def test_windows_count_by_their_tokens(model: Path) -> None:
    runtime = open_runtime(model)
    reader = read_packed(model).reader()
    (read,) = reader.read([LONG])
    assert len(read.windows) > 10
    parts = [LONG[read.encoding.offsets[a][0] : read.encoding.offsets[b - 1][1]] for a, b in read.windows]
    weights = np.array([b - a for a, b in read.windows]) / len(read.ids)
    assert runtime.logits([LONG])[0] == pytest.approx(float(weights @ runtime.logits(parts)), abs=1e-6)


def test_company_order_batches_threads_and_workers_change_not_a_bit(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [dict(one, id=str(place)) for place, one in enumerate([*crowd(), {"story": LONG}, *crowd()])]
    whole = table(ys.score(records, request(model)))
    assert np.isfinite(whole).sum() > len(whole)
    for size in (1, 3, 5):
        np.testing.assert_array_equal(whole, table(ys.score(records, request(model), batch_size=size)))
    order = np.random.default_rng(3).permutation(len(records))
    np.testing.assert_array_equal(whole[order], table(ys.score([records[at] for at in order], request(model))))
    np.testing.assert_array_equal(whole, table(ys.score(records, request(model), workers=2, batch_size=4)))
    for count in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", count)
        assert threads() == int(count)
        np.testing.assert_array_equal(whole, table(ys.score(records, request(model))))


@pytest.mark.parametrize("kind", ODD)
def test_odd_texts_give_numbers_in_range_or_nothing(model: Path, kind: str) -> None:
    scores = ys.score([ODD[kind]], request(model))
    if kind in ("empty", "white space"):
        assert scores["UNION"] == scores["UNION logit"] == [None]
    else:
        assert 0 <= scores["UNION"][0] <= 1


def test_twenty_thousand_words_are_read_whole(model: Path) -> None:
    sentences = [f"The {number} geese of farm {number % 97} swam to pond {number % 31}." for number in range(2000)]
    story = " ".join(sentences)
    same_but_for_its_end = story + " The fox ate them."
    scores = ys.score([story, same_but_for_its_end], request(model))["UNION logit"]
    assert scores[0] != scores[1]


def test_text_a_corpus_prepared_is_made_natural_first(model: Path) -> None:
    prepared, typed = "i did n't swim . the fox was “ sad ” .", 'I didn\'t swim. The fox was "sad".'
    scores = ys.score([prepared, typed], request(model))["UNION logit"]
    assert scores[0] == scores[1]
    raw = ys.score([prepared, typed], request(model, ",natural=no"))["UNION logit"]
    assert raw[0] != raw[1]
    assert raw[1] == scores[1]


def test_the_signature_names_the_model_by_its_digest(model: Path, tmp_path: Path) -> None:
    def signature(folder: Path) -> str:
        made: str = ys.score([PLAIN], request(folder)).columns["UNION"].signature
        return made.split("|weights:")[1].split("|")[0]

    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    assert signature(copy) == signature(model)
    assert signature(model).startswith("tiny@")
    numbers = json.loads((copy / "union.json").read_text())
    (copy / "union.json").write_text(json.dumps({**numbers, "seed": 7}))
    assert signature(copy) == signature(model)
    (copy / "union.json").write_text(json.dumps({**numbers, "calibration": {"slope": 0.6, "intercept": 0.1}}))
    assert signature(copy) != signature(model)
    assert signature(packed(tmp_path / "other", seed=1)) != signature(model)


def _without(name: str):
    return lambda folder: (folder / name).unlink()


def _cut(name: str):
    def cut(folder: Path) -> None:
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: len(whole) // 2])

    return cut


def _numbers(**changes: object):
    def change(folder: Path) -> None:
        numbers = json.loads((folder / "union.json").read_text())
        (folder / "union.json").write_text(json.dumps({**numbers, **changes}))

    return change


def _only_a_pickle(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04.")


def _another_network(folder: Path) -> None:
    import hashlib

    from yarnstick.models.onnx_file import Graph

    graph = Graph()
    graph.output("y", np.float32, ["n"], graph.input("x", np.float32, ["n"]))
    (folder / "model.onnx").write_bytes(graph.to_bytes({}))
    numbers = json.loads((folder / "union.json").read_text())
    numbers["files"]["model.onnx"] = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    (folder / "union.json").write_text(json.dumps(numbers))


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (_without("union.json"), "holds no story model"),
        (_only_a_pickle, "pytorch_model.bin is a pickle, which is never opened"),
        (_cut("union.json"), "union.json cannot be read"),
        (_numbers(format="other/2"), "a model in the format 'other/2'"),
        (_numbers(calibration={}), "there is no 'slope'"),
        (_numbers(files={}), "there is no 'model.onnx'"),
        (_numbers(window=2), "its window has no room for text"),
        (_without("model.onnx"), "is incomplete: there is no model.onnx"),
        (_without("tokenizer.json"), "is incomplete: there is no tokenizer.json"),
        (_cut("model.onnx"), "model.onnx is not the file that was packed"),
        (_cut("tokenizer.json"), "tokenizer.json is not the file that was packed"),
        (_another_network, "is no packed story model"),
    ],
)
def test_a_wrong_or_half_written_model_is_refused(model: Path, tmp_path: Path, harm, says: str) -> None:
    folder = tmp_path / "harmed"
    shutil.copytree(model, folder)
    harm(folder)
    with pytest.raises(YarnstickError) as caught:
        ys.score([PLAIN], request(folder))
    assert says in str(caught.value)
    assert str(caught.value).count("\n") == 0


def test_a_trained_folder_is_told_how_to_be_packed(tmp_path: Path) -> None:
    folder = trained(tmp_path / "mine")
    with pytest.raises(YarnstickError, match=f"yarnstick models pack {folder} -o {folder}-packed"):
        ys.score([PLAIN], request(folder))


def test_unknown_and_missing_models_are_refused_before_any_story_is_read(tmp_path: Path) -> None:
    with pytest.raises(YarnstickError, match="names no story model"):
        ys.score(str(tmp_path / "no-such-file.jsonl"), "union:model=gpt")
    with pytest.raises(YarnstickError, match="no model 'union-huge' comes with this copy of yarnstick"):
        ys.score(str(tmp_path / "no-such-file.jsonl"), "union:model=bundled:union-huge")
    with pytest.raises(YarnstickError, match="'' names no story model"):
        ys.score([PLAIN], "union:model=")
    with pytest.raises(YarnstickError, match="there is no folder"):
        ys.score([PLAIN], "union:model=path:/no/such/folder")


def test_the_digest_of_the_network_is_taken_once(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YARNSTICK_CACHE", str(tmp_path / "cache"))
    taken = []
    from yarnstick.union import packed as packing

    real = packing.sha256_of
    monkeypatch.setattr(packing, "sha256_of", lambda path: taken.append(path) or real(path))
    opened = read_packed(model)
    check_model(opened)
    check_model(opened)
    assert len(taken) == 1
    os.utime(opened.model)
    check_model(opened)
    assert len(taken) == 2
    (tmp_path / "file").touch()
    monkeypatch.setenv("YARNSTICK_CACHE", str(tmp_path / "file"))  # a cache that cannot be written to is no obstacle
    check_model(opened)
    assert len(taken) == 3


def test_nothing_heavy_is_imported_before_it_is_needed_and_torch_never(model: Path) -> None:
    program = (
        "import sys, yarnstick as ys, yarnstick.cli\n"
        "ys.all_metrics()\n"
        "print(sorted({'onnxruntime', 'tokenizers', 'torch', 'transformers'} & set(sys.modules)))\n"
        "ys.score(['The goose swam.'], sys.argv[1])\n"
        "print(sorted({'onnxruntime', 'tokenizers', 'torch', 'transformers'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, request(model)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "['onnxruntime', 'tokenizers']"]
