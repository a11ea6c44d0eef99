"""A packed story model of a few thousand numbers, made with NumPy: what scoring needs, at no cost."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from yarnstick.models.graph_bert import bert_graph
from yarnstick.models.graph_parts import Heads

WIDTH, INNER, LAYERS, WINDOW = 32, 64, 2, 48
TEXT = (
    "the a goose fox pond twice swam walked slept under willow island around it to and then came down at night but had "
    "gone waited until moon set dog cat ran home was sad happy he she they i my me you of in on with for"
)
WORDS = TEXT.split(" ")
SIGNS = tuple(".,!?\"'")


def tokenizer() -> Tokenizer:
    """WordPiece over letters, some words and signs: nothing is unknown that is plain English."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, *SIGNS, *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {piece: place for place, piece in enumerate(dict.fromkeys(pieces))}
    made = Tokenizer(models.WordPiece(vocab=vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def weights(seed: int, vocabulary: int) -> dict[str, np.ndarray]:
    """A bare BertModel's weights by their names in transformers."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.3, shape)

    made = {
        "embeddings.word_embeddings.weight": draw(vocabulary, WIDTH),
        "embeddings.position_embeddings.weight": draw(WINDOW, WIDTH),
        "embeddings.token_type_embeddings.weight": draw(2, WIDTH),
    }
    sizes = {
        "attention.self.query": (WIDTH, WIDTH),
        "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH),
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (INNER, WIDTH),
        "output.dense": (WIDTH, INNER),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        home = f"encoder.layer.{layer}."
        for name, shape in sizes.items():
            made[f"{home}{name}.weight"], made[f"{home}{name}.bias"] = draw(*shape), draw(shape[0])
        norms += [f"{home}attention.output.LayerNorm", f"{home}output.LayerNorm"]
    for name in norms:
        made[f"{name}.weight"], made[f"{name}.bias"] = 1 + draw(WIDTH), draw(WIDTH)
    # What half precision holds, so that a saved model is the very same.
    return {name: array.astype(np.float16).astype(np.float32) for name, array in made.items()}


def heads(seed: int) -> Heads:
    """The two heads."""
    rng = np.random.default_rng(seed + 1)
    story, token = rng.normal(0, 0.5, (2, 1, WIDTH)).astype(np.float16).astype(np.float32)
    return Heads(story, np.full(1, 0.25, np.float32), token, np.full(1, -0.5, np.float32))


def config(vocabulary: int) -> dict[str, object]:
    """The numbers of its BertConfig."""
    return {
        "model_type": "bert",
        "vocab_size": vocabulary,
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "max_position_embeddings": WINDOW,
        "type_vocab_size": 2,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
    }


def about(name: str, vocabulary: int) -> dict[str, object]:
    """``union.json``, the digests aside."""
    return {
        "format": "yarnstick-union/1",
        "name": name,
        "architecture": "bert",
        "config": config(vocabulary),
        "base": None,
        "adapter": None,
        "pooling": "mean",
        "window": WINDOW,
        "before": [2],
        "after": [3],
        "calibration": {"slope": 0.5, "intercept": 0.1},
        "recipe": "paper",
        "task": "union",
        "seed": 0,
        "yarnstick": "0",
    }


def packed(folder: Path, name: str = "tiny", seed: int = 0, precision: str = "int8") -> Path:
    """A folder that scores."""
    folder.mkdir(parents=True, exist_ok=True)
    words = tokenizer()
    size = words.get_vocab_size()
    graph = bert_graph(config(size), weights(seed, size), heads(seed), "mean", precision)  # type: ignore[arg-type]
    files = {
        "model.onnx": graph.to_bytes({}),
        "tokenizer.json": words.to_str().encode(),
        "README.md": f"# {name}\n\nA model for tests.\n".encode(),
    }
    for file, content in files.items():
        (folder / file).write_bytes(content)
    digests = {file: hashlib.sha256(content).hexdigest() for file, content in files.items()}
    (folder / "union.json").write_text(json.dumps({**about(name, size), "files": digests}))
    return folder


def trained(folder: Path, name: str = "tiny", seed: int = 0) -> Path:
    """The same model as training saves it, weights in half precision."""
    size = tokenizer().get_vocab_size()
    tensors = {**weights(seed, size), **_head_weights(heads(seed))}
    _written(folder, {key: value.astype(np.float16) for key, value in tensors.items()}, about(name, size))
    return folder


def base_model(folder: Path, seed: int = 0) -> Path:
    """The bare model alone, as transformers saves it."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    size = tokenizer().get_vocab_size()
    save_file(weights(seed, size), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config(size)))
    (folder / "tokenizer.json").write_text(tokenizer().to_str())
    return folder


def adapted(folder: Path, base: Path, name: str, rank: int = 2, alpha: float = 4.0, merged: Path | None = None) -> Path:
    """An adapter of a base; ``merged``: write there the whole model it stands for, joined by hand."""
    from safetensors.numpy import load_file

    whole = load_file(base / "model.safetensors")
    size = tokenizer().get_vocab_size()
    rng = np.random.default_rng(11)
    head_weights = _head_weights(heads(3))
    tensors = {key: value.astype(np.float16) for key, value in head_weights.items()}
    for key in [key for key in whole if key.endswith("dense.weight") or (".self." in key and key.endswith("weight"))]:
        outputs, inputs = whole[key].shape
        down = rng.normal(0, 0.2, (rank, inputs)).astype(np.float16)
        up = rng.normal(0, 0.2, (outputs, rank)).astype(np.float16)
        module = key.removesuffix(".weight")
        tensors |= {f"{module}.lora_a": down, f"{module}.lora_b": up}
        whole[key] = whole[key] + alpha / rank * (up.astype(np.float32) @ down.astype(np.float32))
    numbers = {
        **about(name, size),
        "base": {
            "name": f"path:{base}",
            "sha256": hashlib.sha256((base / "model.safetensors").read_bytes()).hexdigest(),
        },
        "adapter": {"rank": rank, "alpha": alpha},
    }
    _written(folder, tensors, numbers)
    if merged is not None:
        _written(merged, {**whole, **head_weights}, about(name, size))
    return folder


def _head_weights(own: Heads) -> dict[str, np.ndarray]:
    return {
        "story_head.weight": own.story_weight,
        "story_head.bias": own.story_bias,
        "token_head.weight": own.token_weight,
        "token_head.bias": own.token_bias,
    }


def _written(folder: Path, tensors: dict[str, np.ndarray], numbers: dict[str, object]) -> None:
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "weights.safetensors")
    (folder / "tokenizer.json").write_text(tokenizer().to_str())
    (folder / "README.md").write_text(f"# {numbers['name']}\n\nA model for tests.\n")
    files = ("weights.safetensors", "tokenizer.json", "README.md")
    digests = {file: hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in files}
    (folder / "union.json").write_text(json.dumps({**numbers, "files": digests}))
