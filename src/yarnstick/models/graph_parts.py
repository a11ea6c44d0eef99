"""What graphs of story models are made of: embeddings, linear layers in eight bits, pooling and heads.

A story's score must not depend on what it is batched with. ONNX's usual eight-bit layer measures one range for all
the activations of a batch, so a story next to an unusual one is read more coarsely. Here each token's row has a range
of its own (its largest value), the products are sums of integers, and so a row comes out the same in any company.
Weights have a range for each output column. Nothing needs calibrating.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from yarnstick.models.onnx_file import Graph

#: ``int8``: weights and activations in eight bits, the quickest. ``weights8``: weights in eight bits, each thirty-two
#: with a scale of their own; onnxruntime unpacks them at loading and counts in single precision. ``weights16``:
#: likewise in half precision. ``fp32``: everything in single precision.
Precision = Literal["int8", "weights8", "weights16", "fp32"]
Weights = Mapping[str, npt.NDArray[np.floating]]

_LIMIT = 127.0
_ZERO = 128
#: a row of zeros has a range too
_SMALLEST = 1e-9
_ROWS_OF_WIDTH = -1
_BLOCK = 32


class Rows(NamedTuple):
    """Tokens' vectors ready for linear layers: (tokens, width), in eight bits with a scale a row, or as they are."""

    values: str
    scales: str


class Heads(NamedTuple):
    """The two heads of a story model."""

    story_weight: npt.NDArray[np.floating]
    story_bias: npt.NDArray[np.floating]
    token_weight: npt.NDArray[np.floating]
    token_bias: npt.NDArray[np.floating]


class Parts:
    """A graph and how precisely it counts."""

    def __init__(self, precision: Precision) -> None:
        self.graph = Graph()
        self.precision = precision
        self.ids = self.graph.input("input_ids", np.int64, ["batch", "tokens"])
        self.mask = self.graph.input("attention_mask", np.int64, ["batch", "tokens"])
        lengths = self.graph.node("ReduceSum", self.mask, self.shape(1), keepdims=0)
        #: tokens of each story, (batch,)
        self.lengths = self.graph.node("Cast", lengths, to=6)

    def floats(self, array: npt.ArrayLike) -> str:
        """A constant in single precision."""
        return self.graph.constant(np.asarray(array, np.float32))

    def shape(self, *sizes: int) -> str:
        """A constant shape, or axes."""
        return self.graph.constant(np.array(sizes, np.int64))

    def embedded(self, table: npt.NDArray[np.floating], ids: str) -> str:
        """Rows of an embedding table; in eight bits each has a scale of its own."""
        if self.precision == "fp32":
            return self.graph.node("Gather", self.floats(table), ids)
        if self.precision == "weights16":
            return self.graph.node("Cast", self.graph.node("Gather", self._halves(table), ids), to=1)
        scales = np.maximum(np.abs(table).max(1, keepdims=True).astype(np.float32) / _LIMIT, _SMALLEST)
        whole = self.graph.node("Gather", self.graph.constant(_rounded(table / scales)), ids)
        return self.graph.node(
            "Mul", self.graph.node("Cast", whole, to=1), self.graph.node("Gather", self.floats(scales), ids)
        )

    def rows(self, hidden: str, width: int) -> Rows:
        """Make ``hidden`` ready for linear layers of that many inputs."""
        flat = self.flat(hidden, width)
        if self.precision != "int8":
            return Rows(flat, "")
        largest = self.graph.node("ReduceMax", self.graph.node("Abs", flat), self.shape(1), keepdims=0)
        scales = self.graph.node(
            "Max", self.graph.node("Mul", largest, self.floats(1 / _LIMIT)), self.floats(_SMALLEST)
        )
        zeros = self.graph.node("Expand", self.graph.constant(_ZERO, np.uint8), self.graph.node("Shape", scales))
        values = self.graph.node("QuantizeLinear", flat, scales, zeros, axis=0)
        return Rows(values, self.graph.node("Unsqueeze", scales, self.shape(1)))

    def linear(self, rows: Rows, weight: npt.NDArray[np.floating], bias: npt.NDArray[np.floating] | None = None) -> str:
        """``x W' + b`` for every row; ``weight`` is (outputs, inputs), as torch has it."""
        if self.precision == "fp32":
            made = self.graph.node("MatMul", rows.values, self.floats(weight.T))
        elif self.precision == "weights16":
            made = self.graph.node("MatMul", rows.values, self.graph.node("Cast", self._halves(weight.T), to=1))
        elif self.precision == "weights8":
            made = self.graph.node("MatMul", rows.values, self._unpacked(weight))
        else:
            scales = np.maximum(np.abs(weight).max(1).astype(np.float32) / _LIMIT, _SMALLEST)
            whole = self.graph.constant(np.ascontiguousarray(_rounded(weight / scales[:, None]).T))
            (made,) = self.graph.fused(
                "MatMulIntegerToFloat",
                rows.values,
                whole,
                self.floats(1.0),
                self.floats(scales),
                self.graph.constant(_ZERO, np.uint8),
            )
            made = self.graph.node("Mul", made, rows.scales)
        return made if bias is None else self.graph.node("Add", made, self.floats(bias))

    def _halves(self, array: npt.NDArray[np.floating]) -> str:
        return self.graph.constant(np.asarray(array, np.float16))

    def _unpacked(self, weight: npt.NDArray[np.floating]) -> str:
        """A weight that is carried in eight bits; what depends on constants alone is worked out at loading."""
        outputs, inputs = weight.shape
        block = _BLOCK if inputs % _BLOCK == 0 else inputs
        blocks = weight.T.astype(np.float32).reshape(inputs // block, block, outputs)
        scales = np.maximum(np.abs(blocks).max(1, keepdims=True) / _LIMIT, _SMALLEST)
        whole = self.graph.node("Cast", self.graph.constant(_rounded(blocks / scales)), to=1)
        return self.graph.node(
            "Reshape", self.graph.node("Mul", whole, self.floats(scales)), self.shape(inputs, outputs)
        )

    def flat(self, hidden: str, width: int) -> str:
        """(batch, tokens, width) as rows of that width: linear layers and norms care for nothing else."""
        return self.graph.node("Reshape", hidden, self.shape(_ROWS_OF_WIDTH, width))

    def stories(self, flat: str, width: int) -> str:
        """Rows laid out as stories again, (batch, tokens, width)."""
        sizes = self.graph.node("Concat", self.graph.node("Shape", self.ids), self.shape(width), axis=0)
        return self.graph.node("Reshape", flat, sizes)

    def no_past(self, heads: int, size: int) -> str:
        """Keys or values of what was read before: nothing, (batch, heads, 0, size)."""
        batch = self.graph.node("Slice", self.graph.node("Shape", self.ids), self.shape(0), self.shape(1))
        sizes = self.graph.node("Concat", batch, self.shape(heads, 0, size), axis=0)
        return self.graph.node("Expand", self.floats(np.zeros((1, 1, 1, 1))), sizes)

    def finish(self, hidden: str, pooling: str, heads: Heads) -> Graph:
        """From the final hidden states, (batch, tokens, width), to the logits of stories and of tokens."""
        graph = self.graph
        story = graph.node("MatMul", self._pooled(hidden, pooling), self.floats(heads.story_weight.T))
        story = graph.node("Add", story, self.floats(heads.story_bias))
        graph.output("story_logit", np.float32, ["batch"], graph.node("Squeeze", story, self.shape(1)))
        tokens = graph.node("MatMul", hidden, self.floats(heads.token_weight.T))
        tokens = graph.node("Add", tokens, self.floats(heads.token_bias))
        graph.output("token_logits", np.float32, ["batch", "tokens"], graph.node("Squeeze", tokens, self.shape(2)))
        return graph

    def _pooled(self, hidden: str, pooling: str) -> str:
        graph = self.graph
        if pooling == "first":
            return graph.node("Gather", hidden, graph.constant(0, np.int64), axis=1)
        if pooling == "last":
            last = graph.node("Sub", graph.node("Cast", self.lengths, to=7), graph.constant(1, np.int64))
            return graph.node("GatherND", hidden, graph.node("Unsqueeze", last, self.shape(1)), batch_dims=1)
        # The mean as a product with the mask: a row of weights for each story.
        mask = graph.node("Unsqueeze", graph.node("Cast", self.mask, to=1), self.shape(1))
        summed = graph.node("Squeeze", graph.node("MatMul", mask, hidden), self.shape(1))
        count = graph.node("Unsqueeze", graph.node("Cast", self.lengths, to=1), self.shape(1))
        return graph.node("Div", summed, count)


def _rounded(array: npt.NDArray[np.floating]) -> npt.NDArray[np.int8]:
    whole: npt.NDArray[np.int8] = np.clip(np.rint(array), -_LIMIT, _LIMIT).astype(np.int8)
    return whole
