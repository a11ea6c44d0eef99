"""Llama as an inference graph that reads a whole text at once, from its weights in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from yarnstick.errors import InputError
from yarnstick.models.graph_parts import Heads, Parts, Precision, Weights
from yarnstick.models.onnx_file import Graph

#: positions whose angles the file carries
_POSITIONS = 4096


def llama_graph(
    config: Mapping[str, Any], weights: Weights, heads: Heads, pooling: str, precision: Precision = "weights16"
) -> Graph:
    """The graph of a bare ``LlamaModel`` of this configuration, with the heads of a story model.

    Activations stay in single precision unless asked otherwise: a few of a Llama's are a thousand times the rest, and
    eight bits a row lose the rest. On SmolLM2, under a head drawn at random, stories' logits then agree by .89 only;
    by .9986 with ``weights8``, by .999999 with ``weights16``.
    """
    _check(config)
    width, eps = int(config["hidden_size"]), float(config["rms_norm_eps"])
    parts = Parts(precision)
    graph = parts.graph
    angles = _angles(parts, config)
    hidden = parts.flat(parts.embedded(weights["embed_tokens.weight"], parts.ids), width)
    for layer in range(int(config["num_hidden_layers"])):
        name = f"layers.{layer}."
        normed = _normed(parts, weights[f"{name}input_layernorm.weight"], hidden, eps)
        # Sums, not additions: those onnxruntime would put into a fused operator that is slow on a CPU.
        hidden = graph.node("Sum", hidden, _attention(parts, config, weights, f"{name}self_attn.", angles, normed))
        normed = _normed(parts, weights[f"{name}post_attention_layernorm.weight"], hidden, eps)
        hidden = graph.node("Sum", hidden, _feed_forward(parts, weights, f"{name}mlp.", normed))
    hidden = _normed(parts, weights["norm.weight"], hidden, eps)
    return parts.finish(parts.stories(hidden, width), pooling, heads)


def _attention(
    parts: Parts,
    config: Mapping[str, Any],
    weights: Weights,
    name: str,
    angles: tuple[str, str],
    normed: str,
) -> str:
    """Every token reads itself and those before it; some heads share keys and values."""
    graph = parts.graph
    # One layer for all three: onnxruntime takes queries, keys and values packed side by side.
    packed = np.concatenate([weights[f"{name}{part}_proj.weight"] for part in "qkv"])
    asked = parts.stories(parts.linear(parts.rows(normed, packed.shape[1]), packed), packed.shape[0])
    longest = graph.node(
        "Cast", graph.node("Gather", graph.node("Shape", parts.ids), parts.graph.constant(1, np.int64)), to=6
    )
    before = graph.node("Sub", parts.lengths, graph.constant(1, np.int32))
    nothing = parts.no_past(int(config["num_key_value_heads"]), _head_size(config))
    read, *_ = graph.fused(
        "GroupQueryAttention",
        asked,
        "",
        "",
        nothing,
        nothing,
        before,
        longest,
        *angles,
        outputs=3,
        num_heads=int(config["num_attention_heads"]),
        kv_num_heads=int(config["num_key_value_heads"]),
        do_rotary=1,
    )
    out = weights[f"{name}o_proj.weight"]
    return parts.linear(parts.rows(read, out.shape[1]), out)


def _feed_forward(parts: Parts, weights: Weights, name: str, normed: str) -> str:
    graph = parts.graph
    down = weights[f"{name}down_proj.weight"]
    rows = parts.rows(normed, down.shape[0])
    # x sigmoid(x), which onnxruntime has as a special case of another function
    (gate,) = graph.fused("QuickGelu", parts.linear(rows, weights[f"{name}gate_proj.weight"]), alpha=1.0)
    inner = graph.node("Mul", gate, parts.linear(rows, weights[f"{name}up_proj.weight"]))
    return parts.linear(parts.rows(inner, down.shape[1]), down)


def _normed(parts: Parts, gamma: npt.NDArray[np.floating], hidden: str, eps: float) -> str:
    """Divided by the root of the mean square."""
    return parts.graph.node("SimplifiedLayerNormalization", hidden, parts.floats(gamma), axis=-1, epsilon=eps)


def _angles(parts: Parts, config: Mapping[str, Any]) -> tuple[str, str]:
    """Cosines and sines of every position's rotations."""
    size = _head_size(config)
    rates = float(config.get("rope_theta", 10_000.0)) ** -(np.arange(0, size, 2) / size)
    turned = np.arange(min(int(config["max_position_embeddings"]), _POSITIONS))[:, None] * rates
    return parts.floats(np.cos(turned)), parts.floats(np.sin(turned))


def _head_size(config: Mapping[str, Any]) -> int:
    return int(config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"])


def _check(config: Mapping[str, Any]) -> None:
    for key, wanted in (("hidden_act", "silu"), ("attention_bias", False), ("mlp_bias", False), ("rope_scaling", None)):
        if config.get(key, wanted) != wanted:
            raise InputError(f"a Llama with {key} = {config[key]!r} is not supported", remedy=f"only {wanted!r} is")
    if _head_size(config) % 16:
        raise InputError(
            f"a Llama with heads of size {_head_size(config)} is not supported", remedy="a multiple of 16 is"
        )
