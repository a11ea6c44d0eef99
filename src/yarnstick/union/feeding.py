"""Batches made ahead of the trainer by a process of their own, which has processes of its own for the damage.

Tokenising in a thread would share Python's lock with the loop that launches kernels, and the GPU would wait.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from yarnstick.errors import YarnstickError
from yarnstick.union.batches import Batch, Feed

#: batches kept ready
_AHEAD = 16


class Feeding:
    """An iterator over batches that remembers how long it was waited for."""

    def __init__(self, batches: Iterator[Batch]) -> None:
        self._batches = batches
        #: seconds the trainer spent waiting
        self.waited = 0.0

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        start = time.perf_counter()
        try:
            return next(self._batches)
        finally:
            self.waited += time.perf_counter() - start


@contextmanager
def feeding(feed: Feed, epochs: int, epoch: int = 0, skip: int = 0, rank: int = 0, world: int = 1) -> Iterator[Feeding]:
    """The batches from ``epoch`` on, without its first ``skip``; every ``world``-th, from ``rank``.

    With ``workers=0`` they are made in this very process, as they are asked for.
    """
    if not feed.settings.workers:
        yield Feeding(_every(feed, epochs, epoch, skip, rank, world))
        return
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    # Not a daemon: it has children. It ends when its connection does, and so when this process does.
    process = context.Process(target=_serve, args=(theirs, feed, epochs, epoch, skip, rank, world), daemon=False)
    process.start()
    theirs.close()
    ready: queue.Queue[Any] = queue.Queue(_AHEAD)
    stop = threading.Event()
    taker = threading.Thread(target=_take, args=(ours, ready, stop), daemon=True)
    taker.start()
    try:
        yield Feeding(_taken(ready))
    finally:
        stop.set()
        process.terminate()
        process.join()
        taker.join()
        ours.close()


def _every(feed: Feed, epochs: int, epoch: int, skip: int, rank: int, world: int) -> Iterator[Batch]:
    for number in range(epoch, epochs):
        waiting: Batch | None = None
        for batch in feed.epoch(number, skip if number == epoch else 0):
            if (batch.number - 1) % world == rank:
                waiting = batch
            # A round is given only when every process has a batch of it: they step together or not at all.
            if waiting is not None and batch.number % world == 0:
                yield waiting._replace(last=batch.last, seen=batch.seen, number=batch.number)
                waiting = None


def _serve(
    connection: Connection, feed: Feed, epochs: int, epoch: int, skip: int, rank: int, world: int
) -> None:  # pragma: no cover - runs in another process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        for batch in _every(feed, epochs, epoch, skip, rank, world):
            connection.send(batch)
        connection.send(None)
    except (BrokenPipeError, ConnectionResetError):
        os._exit(0)
    except YarnstickError as error:
        connection.send(error)
    except Exception as error:
        connection.send(YarnstickError(f"making batches failed: {type(error).__name__}: {error}"))


def _end_with_parent() -> None:  # pragma: no cover - runs in another process
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def _take(connection: Connection, ready: queue.Queue[Any], stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            got = connection.recv()
        except (EOFError, OSError):
            got = YarnstickError(
                "the process that makes batches died: out of memory, or killed", remedy="use fewer workers"
            )
        while not stop.is_set():
            try:
                ready.put(got, timeout=0.2)
                break
            except queue.Full:
                continue
        if not isinstance(got, Batch):
            return


def _taken(ready: queue.Queue[Any]) -> Iterator[Batch]:
    while True:
        got = ready.get()
        if got is None:
            return
        if isinstance(got, Exception):
            raise got
        yield got
