"""What a score is a function of, as a key: same key and same signature, same score."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from yarnstick.metrics.card import Need

#: two 64-bit words a key; at a billion stories the chance of any clash is below 1e-20
Keys = NDArray[np.uint64]


def row_keys(rows: pa.RecordBatch, fields: Sequence[Need]) -> Keys:
    """A key a row, over the given fields only: a new prompt does not make a length stale."""
    columns = [
        rows.column("references" if field == "reference" else field).to_pylist()
        for field in ("story", "prompt", "reference", "system")
        if field in fields
    ]
    names = "".join(sorted(field[0] for field in fields)).encode()
    keys = bytearray()
    for values in zip(*columns, strict=True):
        hasher = blake2b(names, digest_size=16)
        for value in values:
            if isinstance(value, list):
                hasher.update(b"L%d:" % len(value))
                for part in value:
                    _add(hasher, part)
            else:
                _add(hasher, value)
        keys += hasher.digest()
    return np.frombuffer(bytes(keys), dtype="<u8").reshape(-1, 2)


def digest_of_keys(keys: Keys, start: int = 0) -> int:
    """A name for a whole set, the same in whatever order its rows come."""
    return (start + int(keys[:, 0].sum(dtype=np.uint64))) % 2**64


def _add(hasher: blake2b, text: str | None) -> None:
    # The length goes first, so that no two rows can be cut differently and read the same.
    if text is None:
        hasher.update(b"N")
        return
    raw = text.encode()
    hasher.update(b"%d:" % len(raw))
    hasher.update(raw)
