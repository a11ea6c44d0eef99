"""Writing an ONNX file with nothing but NumPy: a graph is put together node by node and written as protobuf.

The format is small once what inference needs is told apart from the rest: a model holds a graph, a graph holds nodes,
constants, inputs and outputs, and protobuf writes each as numbered fields. So a model can be assembled on the user's
machine without the `onnx` package, and opened by onnxruntime. Numbers of fields are those of onnx.proto3.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

#: read by onnxruntime 1.17 and newer
_IR_VERSION = 9
_OPSET = 18
_MICROSOFT = "com.microsoft"

_TYPES = {
    np.dtype(np.float32): 1,
    np.dtype(np.uint8): 2,
    np.dtype(np.int8): 3,
    np.dtype(np.int32): 6,
    np.dtype(np.int64): 7,
    np.dtype(np.float16): 10,
}

Attribute = int | float | str | Sequence[int]
Array = npt.NDArray[np.generic]


@dataclass(slots=True)
class Graph:
    """An ONNX graph in the making. Every method that adds something gives back the name of what it makes."""

    _nodes: list[bytes] = field(default_factory=list)
    _constants: dict[str, bytes] = field(default_factory=dict)
    _inputs: list[bytes] = field(default_factory=list)
    _outputs: list[bytes] = field(default_factory=list)
    _count: int = 0

    def input(self, name: str, kind: type[np.generic], shape: Sequence[int | str]) -> str:
        """An input; a dimension named by a text may have any size."""
        self._inputs.append(_value(name, kind, shape))
        return name

    def output(self, name: str, kind: type[np.generic], shape: Sequence[int | str], made: str) -> None:
        """Give ``made`` out under a name."""
        self._nodes.append(_node("Identity", [made], [name], f"give_{name}", {}, ""))
        self._outputs.append(_value(name, kind, shape))

    def constant(self, array: Array | float | int, kind: type[np.generic] | None = None) -> str:
        """An array the graph carries; the same small one is carried once."""
        array = np.asarray(array, kind)
        tensor = _tensor_body(array)
        name = f"c{len(self._constants)}"
        if array.size <= 8:
            for known, body in self._constants.items():
                if body == tensor:
                    return known
        self._constants[name] = tensor
        return name

    def node(self, op: str, *inputs: str, **attributes: Attribute) -> str:
        """An operator of ONNX itself with one output."""
        return self._add(op, inputs, attributes, "", 1)[0]

    def fused(self, op: str, *inputs: str, outputs: int = 1, **attributes: Attribute) -> list[str]:
        """An operator of onnxruntime's own (``com.microsoft``). An input left out is ""."""
        return self._add(op, inputs, attributes, _MICROSOFT, outputs)

    def to_bytes(self, about: Mapping[str, str]) -> bytes:
        """The file. ``about`` is kept as its metadata."""
        graph = b"".join(
            [
                *(_field(1, node) for node in self._nodes),
                _field(2, b"yarnstick"),
                *(_field(5, body + _field(8, name.encode())) for name, body in self._constants.items()),
                *(_field(11, value) for value in self._inputs),
                *(_field(12, value) for value in self._outputs),
            ]
        )
        return b"".join(
            [
                _number(1, _IR_VERSION),
                _field(2, b"yarnstick"),
                _field(7, graph),
                _field(8, _number(2, _OPSET)),
                _field(8, _field(1, _MICROSOFT.encode()) + _number(2, 1)),
                *(_field(14, _field(1, key.encode()) + _field(2, value.encode())) for key, value in about.items()),
            ]
        )

    def _add(
        self, op: str, inputs: Sequence[str], attributes: Mapping[str, Attribute], domain: str, outputs: int
    ) -> list[str]:
        self._count += 1
        made = [f"{op}_{self._count}" + (f"_{place}" if place else "") for place in range(outputs)]
        self._nodes.append(_node(op, inputs, made, f"{op}_{self._count}", attributes, domain))
        return made


def _node(
    op: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    name: str,
    attributes: Mapping[str, Attribute],
    domain: str,
) -> bytes:
    return b"".join(
        [
            *(_field(1, text.encode()) for text in inputs),
            *(_field(2, text.encode()) for text in outputs),
            _field(3, name.encode()),
            _field(4, op.encode()),
            *(_field(5, _attribute(key, value)) for key, value in attributes.items()),
            _field(7, domain.encode()) if domain else b"",
        ]
    )


def _attribute(name: str, value: Attribute) -> bytes:
    head = _field(1, name.encode())
    match value:
        case int():
            return head + _number(3, value) + _number(20, 2)
        case float():
            return head + _key(2, 5) + struct.pack("<f", value) + _number(20, 1)
        case str():
            return head + _field(4, value.encode()) + _number(20, 3)
        case _:
            return head + b"".join(_number(8, each) for each in value) + _number(20, 7)


def _tensor_body(array: Array) -> bytes:
    array = np.ascontiguousarray(array) if array.ndim else array
    dims = b"".join(_number(1, size) for size in array.shape)
    return dims + _number(2, _TYPES[array.dtype]) + _field(9, array.astype(array.dtype.newbyteorder("<")).tobytes())


def _value(name: str, kind: type[np.generic], shape: Sequence[int | str]) -> bytes:
    dims = b"".join(
        _field(1, _field(2, size.encode()) if isinstance(size, str) else _number(1, size)) for size in shape
    )
    tensor = _number(1, _TYPES[np.dtype(kind)]) + _field(2, dims)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))


def _field(number: int, body: bytes) -> bytes:
    return _key(number, 2) + _varint(len(body)) + body


def _number(number: int, value: int) -> bytes:
    return _key(number, 0) + _varint(value & (1 << 64) - 1)


def _key(number: int, wire: int) -> bytes:
    return _varint(number << 3 | wire)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
