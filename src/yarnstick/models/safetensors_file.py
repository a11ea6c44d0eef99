"""Reading a safetensors file with NumPy alone: a length, a JSON table of tensors, and their bytes."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt

from yarnstick.errors import InputError

_TYPES: dict[str, str] = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U8": "u1",
    "BOOL": "?",
}
_REMEDY = "the file is cut short or no safetensors file; fetch or save it again"


def read_safetensors(path: Path) -> dict[str, npt.NDArray[np.generic]]:
    """Every tensor of the file by name, as views of the file where the type allows (bfloat16 becomes float32)."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > size - 8:
                raise ValueError(f"its table of {length} bytes does not fit into {size} bytes")
            table = json.loads(stream.read(length))
        data = np.memmap(path, np.uint8, "r", offset=8 + length) if size > 8 + length else np.empty(0, np.uint8)
        return {name: _tensor(data, **entry) for name, entry in table.items() if name != "__metadata__"}
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise InputError(f"cannot be read as safetensors: {error}", file=str(path), remedy=_REMEDY) from error


def _tensor(
    data: npt.NDArray[np.uint8], dtype: str, shape: list[int], data_offsets: tuple[int, int]
) -> npt.NDArray[np.generic]:
    begin, end = data_offsets
    if not 0 <= begin <= end <= len(data):
        raise ValueError(f"a tensor ends at byte {end} of {len(data)}")
    raw = data[begin:end]
    if dtype == "BF16":  # the upper half of a float32
        return (raw.view("<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)
    return raw.view(_TYPES[dtype]).reshape(shape)
