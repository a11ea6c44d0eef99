"""BERT as an inference graph, from its weights in NumPy: fused operators of onnxruntime, eight bits where it pays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from yarnstick.errors import InputError
from yarnstick.models.graph_parts import Heads, Parts, Precision, Weights
from yarnstick.models.onnx_file import Graph


def bert_graph(
    config: Mapping[str, Any], weights: Weights, heads: Heads, pooling: str, precision: Precision = "int8"
) -> Graph:
    """The graph of a bare ``BertModel`` of this configuration, with the heads of a story model."""
    if config.get("hidden_act", "gelu") != "gelu":
        raise InputError(f"a BERT with {config['hidden_act']!r} is not supported", remedy="only gelu is")
    width, eps = int(config["hidden_size"]), float(config.get("layer_norm_eps", 1e-12))
    parts = Parts(precision)
    hidden = _embeddings(parts, weights, width, eps)
    for layer in range(int(config["num_hidden_layers"])):
        hidden = _layer(
            parts, weights, f"encoder.layer.{layer}.", int(config["num_attention_heads"]), width, eps, hidden
        )
    return parts.finish(hidden, pooling, heads)


def _embeddings(parts: Parts, weights: Weights, width: int, eps: float) -> str:
    graph, name = parts.graph, "embeddings."
    # A story is one segment throughout, so the segment's vector goes with the positions.
    places = weights[name + "position_embeddings.weight"] + weights[name + "token_type_embeddings.weight"][0]
    tokens = graph.node("Gather", graph.node("Shape", parts.ids), parts.shape(1))
    here = graph.node("Slice", parts.floats(places), parts.shape(0), tokens, parts.shape(0))
    words = graph.node("Add", parts.embedded(weights[name + "word_embeddings.weight"], parts.ids), here)
    gamma, beta = _norm(parts, weights, name + "LayerNorm")
    return graph.node("LayerNormalization", words, gamma, beta, axis=-1, epsilon=eps)


def _layer(parts: Parts, weights: Weights, name: str, heads: int, width: int, eps: float, hidden: str) -> str:
    graph = parts.graph
    rows = parts.rows(hidden, width)
    asked = [f"{name}attention.self.{part}" for part in ("query", "key", "value")]
    bias = np.concatenate([weights[part + ".bias"] for part in asked])
    queries, keys, values = (_like(parts, parts.linear(rows, weights[part + ".weight"]), hidden) for part in asked)
    (read,) = graph.fused(
        "MultiHeadAttention", queries, keys, values, parts.floats(bias), parts.lengths, num_heads=heads
    )
    hidden = _added(
        parts,
        weights,
        name + "attention.output",
        parts.linear(parts.rows(read, width), weights[name + "attention.output.dense.weight"]),
        hidden,
        eps,
    )
    inner = parts.linear(parts.rows(hidden, width), weights[name + "intermediate.dense.weight"])
    (inner,) = graph.fused("BiasGelu", inner, parts.floats(weights[name + "intermediate.dense.bias"]))
    outer = weights[name + "output.dense.weight"]
    return _added(parts, weights, name + "output", parts.linear(parts.rows(inner, outer.shape[1]), outer), hidden, eps)


def _added(parts: Parts, weights: Weights, name: str, flat: str, hidden: str, eps: float) -> str:
    """The residual sum with the layer's bias, normalised."""
    gamma, beta = _norm(parts, weights, name + ".LayerNorm")
    bias = parts.floats(weights[name + ".dense.bias"])
    (normed, *_) = parts.graph.fused(
        "SkipLayerNormalization", _like(parts, flat, hidden), hidden, gamma, beta, bias, epsilon=eps
    )
    return normed


def _like(parts: Parts, flat: str, hidden: str) -> str:
    """(tokens, width) back to (batch, tokens, width)."""
    return parts.graph.node("Reshape", flat, parts.graph.node("Shape", hidden))


def _norm(parts: Parts, weights: Weights, name: str) -> tuple[str, str]:
    return parts.floats(weights[name + ".weight"]), parts.floats(weights[name + ".bias"])
