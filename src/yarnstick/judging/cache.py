"""Answers on disk, so that no question is paid for twice: not after a kill, not by two runs beside each other."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any

from yarnstick.errors import OutputError
from yarnstick.judging.designs import Messages
from yarnstick.judging.form import Form
from yarnstick.judging.models import Reply

_TABLE = """CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, text TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
    cut INTEGER NOT NULL
) WITHOUT ROWID"""


def question_key(identity: Mapping[str, Any], messages: Messages, form: Form, sample: int) -> str:
    """What an answer is a function of: the model and its settings, every word it is sent, the form, which sample."""
    whole = json.dumps([dict(identity), messages, list(form), sample], sort_keys=True, default=str)
    return blake2b(whole.encode(), digest_size=20).hexdigest()


class AnswerCache:
    """Answers by key; each is on disk before the next is asked. Without a path it lasts as long as the run."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        with self._explained():
            self._connection = sqlite3.connect(path or ":memory:", timeout=30, check_same_thread=False)
        try:
            with self._explained():
                self._connection.execute("PRAGMA journal_mode=WAL")
                self._connection.execute(_TABLE)
                self._connection.commit()
        except OutputError:
            self._connection.close()
            raise

    def get(self, key: str) -> Reply | None:
        """The answer kept under a key."""
        with self._lock, self._explained():
            row = self._connection.execute(
                "SELECT text, tokens_in, tokens_out, cut FROM answers WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else Reply(row[0], row[1], row[2], bool(row[3]))

    def put(self, key: str, reply: Reply) -> None:
        """Keep an answer."""
        with self._lock, self._explained():
            # A lone surrogate cannot be stored as text; it says nothing of a rating either.
            text = reply.text.encode("utf-8", "replace").decode()
            self._connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)",
                (key, text, reply.tokens_in, reply.tokens_out, reply.cut),
            )
            self._connection.commit()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> AnswerCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _explained(self) -> _Explained:
        return _Explained(self._path)


class _Explained:
    """What SQLite says, as a line with a remedy."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.Error):
            remedy = "name another file with --cache, or delete this one (its answers are then asked again)"
            raise OutputError(f"cannot keep answers in {self._path}: {error}", remedy=remedy) from error
