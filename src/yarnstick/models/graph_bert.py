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
    for key, wanted in (("hidden_act", "gelu"), ("position_embedding_type", "absolute")):
        if config.get(key, wanted) != wanted:
            raise InputError(f"a BERT with {key} = {config[key]!r} is not supported", remedy=f"only {wanted!r} is")
    width, eps = int(config["hidden_size"]), float(config.get("layer_norm_eps", 1e-12))
    parts = Parts(precision)
    hidden = _embeddings(parts, weights, width, eps)
    for layer in range(int(config["num_hidden_layers"])):
        name = f"encoder.layer.{layer}."
        read = _attention(parts, weights, name + "attention.self.", int(config["num_attention_heads"]), hidden)
        hidden = _added(parts, weights, name + "attention.output", read, hidden, eps)
        inner = parts.linear(parts.rows(hidden, width), weights[name + "intermediate.dense.weight"])
        (inner,) = parts.graph.fused("BiasGelu", inner, parts.floats(weights[name + "intermediate.dense.bias"]))
        hidden = _added(parts, weights, name + "output", inner, hidden, eps)
    return parts.finish(parts.stories(hidden, width), pooling, heads)


def _embeddings(parts: Parts, weights: Weights, width: int, eps: float) -> str:
    graph, name = parts.graph, "embeddings."
    # A story is one segment throughout, so the segment's vector goes with the positions.
    places = weights[name + "position_embeddings.weight"] + weights[name + "token_type_embeddings.weight"][0]
    tokens = graph.node("Gather", graph.node("Shape", parts.ids), parts.shape(1))
    here = graph.node("Slice", parts.floats(places), parts.shape(0), tokens, parts.shape(0))
    words = graph.node("Add", parts.embedded(weights[name + "word_embeddings.weight"], parts.ids), here)
    return parts.flat(_normed(parts, weights, name + "LayerNorm", words, eps), width)


def _attention(parts: Parts, weights: Weights, name: str, heads: int, hidden: str) -> str:
    """Every token reads every other of its story; padding is not read."""
    width = weights[name + "query.weight"].shape[1]
    rows = parts.rows(hidden, width)
    queries, keys, values = (
        parts.stories(parts.linear(rows, weights[f"{name}{part}.weight"]), width) for part in ("query", "key", "value")
    )
    bias = np.concatenate([weights[f"{name}{part}.bias"] for part in ("query", "key", "value")])
    (read,) = parts.graph.fused(
        "MultiHeadAttention", queries, keys, values, parts.floats(bias), parts.lengths, num_heads=heads
    )
    return read


def _added(parts: Parts, weights: Weights, name: str, inner: str, hidden: str, eps: float) -> str:
    """A linear layer, added to what went before it, normalised."""
    weight = weights[name + ".dense.weight"]
    change = parts.linear(parts.rows(inner, weight.shape[1]), weight)
    # A sum of three rather than two additions: onnxruntime would turn the second, with the norm, into a fused operator
    # that takes five times as long on a CPU.
    summed = parts.graph.node("Sum", change, parts.floats(weights[name + ".dense.bias"]), hidden)
    return _normed(parts, weights, name + ".LayerNorm", summed, eps)


def _normed(parts: Parts, weights: Weights, name: str, hidden: str, eps: float) -> str:
    gamma, beta = parts.floats(weights[name + ".weight"]), parts.floats(weights[name + ".bias"])
    return parts.graph.node("LayerNormalization", hidden, gamma, beta, axis=-1, epsilon=eps)
