"""Llama as an inference graph that reads a whole text at once, from its weights in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from yarnstick.errors import InputError
from yarnstick.models.graph_parts import Heads, Parts, Precision, Weights
from yarnstick.models.onnx_file import Graph

#: positions whose angles the file carries
_POSITIONS = 4096


def llama_graph(
    config: Mapping[str, Any], weights: Weights, heads: Heads, pooling: str, precision: Precision = "weights8"
) -> Graph:
    """The graph of a bare ``LlamaModel`` of this configuration, with the heads of a story model.

    Activations stay in single precision unless asked otherwise: a few of a Llama's are a thousand times the rest, and
    eight bits a row lose the rest (on SmolLM2 the logits then agree by .89 only; with ``weights8`` by .998).
    """
    _check(config)
    width, eps = int(config["hidden_size"]), float(config["rms_norm_eps"])
    parts = Parts(precision)
    graph = parts.graph
    angles = _angles(parts, config)
    hidden = parts.embedded(weights["embed_tokens.weight"], parts.ids)
    normed = graph.node(
        "SimplifiedLayerNormalization",
        hidden,
        parts.floats(weights["layers.0.input_layernorm.weight"]),
        axis=-1,
        epsilon=eps,
    )
    last = int(config["num_hidden_layers"]) - 1
    for layer in range(last + 1):
        name = f"layers.{layer}."
        read = _attention(parts, config, weights, f"{name}self_attn.", width, angles, normed)
        normed, hidden = _added(parts, weights[f"{name}post_attention_layernorm.weight"], read, hidden, eps)
        inner = _feed_forward(parts, weights, f"{name}mlp.", width, normed)
        next_norm = "norm.weight" if layer == last else f"layers.{layer + 1}.input_layernorm.weight"
        normed, hidden = _added(parts, weights[next_norm], inner, hidden, eps)
    return parts.finish(normed, pooling, heads)


def _attention(
    parts: Parts,
    config: Mapping[str, Any],
    weights: Weights,
    name: str,
    width: int,
    angles: tuple[str, str],
    normed: str,
) -> str:
    """Every token reads itself and those before it; some heads share keys and values."""
    graph = parts.graph
    # One layer for all three: onnxruntime takes queries, keys and values packed side by side.
    packed = np.concatenate([weights[f"{name}{part}_proj.weight"] for part in "qkv"])
    asked = parts.like(parts.linear(parts.rows(normed, width), packed), normed, packed.shape[0])
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
    return parts.like(parts.linear(parts.rows(read, out.shape[1]), out), normed, width)


def _feed_forward(parts: Parts, weights: Weights, name: str, width: int, normed: str) -> str:
    graph = parts.graph
    rows = parts.rows(normed, width)
    # x sigmoid(x), which onnxruntime has as a special case of another function
    (gate,) = graph.fused("QuickGelu", parts.linear(rows, weights[f"{name}gate_proj.weight"]), alpha=1.0)
    inner = graph.node("Mul", gate, parts.linear(rows, weights[f"{name}up_proj.weight"]))
    down = weights[f"{name}down_proj.weight"]
    return parts.like(parts.linear(parts.rows(inner, down.shape[1]), down), normed, width)


def _added(parts: Parts, gamma: Any, change: str, hidden: str, eps: float) -> tuple[str, str]:
    """The residual sum, normalised and as it is."""
    normed, _, _, summed = parts.graph.fused(
        "SkipSimplifiedLayerNormalization", change, hidden, parts.floats(gamma), outputs=4, epsilon=eps
    )
    return normed, summed


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
