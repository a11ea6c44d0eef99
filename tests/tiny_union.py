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
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    words = tokenizer()
    size = words.get_vocab_size()
    own = heads(seed)
    tensors = {
        **weights(seed, size),
        "story_head.weight": own.story_weight,
        "story_head.bias": own.story_bias,
        "token_head.weight": own.token_weight,
        "token_head.bias": own.token_bias,
    }
    save_file({key: value.astype(np.float16) for key, value in tensors.items()}, folder / "weights.safetensors")
    (folder / "tokenizer.json").write_text(words.to_str())
    (folder / "README.md").write_text(f"# {name}\n\nA model for tests.\n")
    files = ("weights.safetensors", "tokenizer.json", "README.md")
    digests = {file: hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in files}
    (folder / "union.json").write_text(json.dumps({**about(name, size), "files": digests}))
    return folder
