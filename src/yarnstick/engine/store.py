"""The score store: a folder that remembers every score, so that a killed run resumes and a re-run adds what is new.

    store/
      manifest.jsonl     a line a shard, written after the shards of a flush are safely on disk
      <shard>.arrow      keys and values of one metric (one signature)
      lock               held while a run uses the folder

A shard is written under another name, synced and moved into place before its line is added; the lines of all the
metrics flushed together are added at once, so that a kill leaves stories with all of their scores or none. Whatever
it leaves behind (a draft, a shard without a line, half a line) is recognised and dropped when the store is opened.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from yarnstick.engine.keys import Keys
from yarnstick.engine.work import Values
from yarnstick.errors import InputError, OutputError, YarnstickError
from yarnstick.stories.files import atomic, explained

FORMAT = 1


class ScoreStore:
    """Scores by signature and key. Use it as a context manager; leaving it writes what is still held."""

    def __init__(self, folder: Path | str, flush_seconds: float = 2.0) -> None:
        self.folder = Path(folder)
        self._flush_seconds = flush_seconds
        self._shards: dict[str, list[str]] = {}
        self._held: dict[str, list[tuple[Keys, Values]]] = {}
        self._lock: BinaryIO | None = None
        self._started = self._flushed = time.monotonic()
        self._number = 0

    def __enter__(self) -> ScoreStore:
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / "lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise YarnstickError(
                f"another run is using the score store {self.folder}",
                remedy="wait for it, or name another --store",
            ) from error
        try:
            self._read_manifest()
            self._drop_leftovers()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.flush()
        finally:
            if self._lock is not None:
                self._lock.close()

    def known(self, signature: str) -> Known:
        """What is already known under a signature."""
        return Known([self.folder / name for name in self._shards.get(signature, [])])

    def add(self, signature: str, keys: Keys, values: Values) -> None:
        """Remember scores; they are on disk after the next flush."""
        self._held.setdefault(signature, []).append((keys, values))

    def flush_when_due(self) -> None:
        """Flush if the last time is a while ago. Call it when every metric's scores of some stories were added."""
        # Seldom enough that a long run does not drown in files, often enough that a kill costs little.
        patience = max(self._flush_seconds, 0.02 * (time.monotonic() - self._started))
        if time.monotonic() - self._flushed >= patience:
            self.flush()

    def flush(self) -> None:
        """Write what is held, a shard a signature."""
        written: list[dict[str, Any]] = []
        try:
            for signature, parts in self._held.items():
                keys = np.concatenate([keys for keys, _ in parts])
                values = np.concatenate([values for _, values in parts])
                name = self._write_shard(keys, values)
                written.append({"shard": name, "rows": len(keys), "signature": signature})
        finally:  # a disk that is full at the third shard keeps the first two
            self._list(written)
        self._flushed = time.monotonic()

    def _list(self, written: list[dict[str, Any]]) -> None:
        """Add the lines of shards. Where the disk has no room for them the last shard gives way, for the next flush."""
        while written:
            try:
                self._append(written)
            except OutputError:
                (self.folder / str(written.pop()["shard"])).unlink()
                if not written:
                    raise
            else:
                break
        for entry in written:
            self._shards.setdefault(entry["signature"], []).append(entry["shard"])
            del self._held[entry["signature"]]

    def _write_shard(self, keys: Keys, values: Values) -> str:
        self._number += 1
        name = f"{self._number:08d}.arrow"
        key_column = pa.Array.from_buffers(pa.binary(16), len(keys), [None, pa.py_buffer(keys.tobytes())])
        columns = {f"c{place}": pa.array(values[:, place]) for place in range(values.shape[1])}
        table = pa.table({"key": key_column, **columns})
        with atomic(self.folder / name) as stream, pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
        return name

    def _append(self, entries: list[dict[str, Any]]) -> None:
        if not entries:
            return
        path = self.folder / "manifest.jsonl"
        lines = b"".join(json.dumps({"format": FORMAT, **entry}).encode() + b"\n" for entry in entries)
        with explained(path), path.open("ab", buffering=0) as stream:
            end = stream.tell()
            try:
                if stream.write(lines) < len(lines):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(stream.fileno())
            except OSError:
                stream.truncate(end)  # half a line would spoil the one that is added after it
                raise

    def _read_manifest(self) -> None:
        path = self.folder / "manifest.jsonl"
        if not path.exists():
            return
        raw = path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        if len(whole) < len(raw):
            # Killed while writing the line: its shard is found below, without a line, and dropped.
            with atomic(path) as stream:
                stream.write(whole)
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                entry = json.loads(line)
                if entry["format"] != FORMAT:
                    raise ValueError("written by another version")
                name, signature = entry["shard"], entry["signature"]
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"is damaged: {error}",
                    file=str(path),
                    line=number,
                    remedy=f"delete {self.folder} to start afresh",
                ) from error
            if (self.folder / name).exists():
                self._shards.setdefault(signature, []).append(name)
            self._number = max(self._number, int(Path(name).stem))

    def _drop_leftovers(self) -> None:
        listed = {name for names in self._shards.values() for name in names}
        for path in self.folder.iterdir():
            if (path.suffix == ".arrow" and path.name not in listed) or path.suffix == ".tmp":
                path.unlink()


class Known:
    """Scores of one signature, found by key. The values stay on disk, mapped, until they are asked for."""

    def __init__(self, shards: list[Path]) -> None:
        self._values: list[list[Values]] = []
        keys, shard_of, row_of = (
            [np.empty((0, 2), np.uint64)],
            [np.empty(0, np.int32)],
            [np.empty(0, np.int32)],
        )
        for number, path in enumerate(shards):
            try:
                table = pa.ipc.open_file(pa.memory_map(str(path))).read_all().combine_chunks()
            except (pa.ArrowInvalid, OSError) as error:
                raise InputError(
                    f"is damaged: {str(error).splitlines()[0]}",
                    file=str(path),
                    remedy="delete it and run again",
                ) from error
            raw = b"".join(chunk.buffers()[1][: len(chunk) * 16] for chunk in table.column("key").chunks)
            keys.append(np.frombuffer(raw, dtype="<u8").reshape(-1, 2))
            shard_of.append(np.full(table.num_rows, number, np.int32))
            row_of.append(np.arange(table.num_rows, dtype=np.int32))
            self._values.append([table.column(place).to_numpy() for place in range(1, table.num_columns)])
        stacked = np.concatenate(keys)
        order = np.argsort(stacked[:, 0], kind="stable")
        self._high, self._low = stacked[order, 0], stacked[order, 1]
        self._shard, self._row = np.concatenate(shard_of)[order], np.concatenate(row_of)[order]

    def __len__(self) -> int:
        return len(self._high)

    def look_up(self, keys: Keys, columns: int) -> Values:
        """Values [keys, columns], and NaN-filled rows flagged by :meth:`has` where nothing is known."""
        values = np.full((len(keys), columns), np.nan)
        places = self._find(keys)
        found = np.flatnonzero(places >= 0)
        shard_of, row_of = self._shard[places[found]], self._row[places[found]]
        for shard in np.unique(shard_of):
            here = shard_of == shard
            for column, held in enumerate(self._values[shard]):
                values[found[here], column] = held[row_of[here]]
        return values

    def has(self, keys: Keys) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which keys are known."""
        return self._find(keys) >= 0

    def _find(self, keys: Keys) -> np.ndarray[Any, np.dtype[np.int64]]:
        if not len(self._high):
            return np.full(len(keys), -1, np.int64)
        start = np.searchsorted(self._high, keys[:, 0], side="left")
        places = np.minimum(start, len(self._high) - 1)
        same_high = self._high[places] == keys[:, 0]
        same = same_high & (self._low[places] == keys[:, 1])
        for row in np.flatnonzero(same_high & ~same):  # two keys that share their first half: look at the next ones
            later = places[row] + np.flatnonzero(self._high[places[row] :] == keys[row, 0])
            match = later[self._low[later] == keys[row, 1]]
            if len(match):
                places[row], same[row] = match[0], True
        return np.where(same, places, -1)
