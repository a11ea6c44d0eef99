"""Work done by other processes, in order, and ahead of whoever waits for it.

Processes are spawned, not forked: the trainer has CUDA and threads, and a fork in their midst can hang. Every worker
has a connection of its own, so that its death is noticed, and tasks go round in turn, so that results come in the
order of the tasks however many workers there are.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from yarnstick.errors import YarnstickError

Task = TypeVar("Task")
Result = TypeVar("Result")

#: tasks a worker may hold, so that it never waits for the next
_HELD = 3
#: how often, in seconds, the pump looks whether anybody still wants results
_PATIENCE = 0.2


def in_order(work: Callable[[Task], Result], tasks: Iterable[Task], workers: int, ahead: int = 64) -> Iterator[Result]:
    """``work`` on every task; at most ``ahead`` results are kept ready. Without workers it is done right here.

    ``work`` must be importable by another process (a function of a module, or a ``partial`` of one).
    """
    if workers < 1:
        yield from map(work, tasks)
        return
    context = multiprocessing.get_context("spawn")
    connections, processes = [], []
    ready: queue.Queue[tuple[str, Any]] = queue.Queue(maxsize=ahead)
    stop = threading.Event()
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()  # so that a worker's end is closed when it dies, and only then
            connections.append(ours)
            processes.append(process)
        pump = threading.Thread(target=_pump, args=(work, tasks, connections, ready, stop), daemon=True)
        pump.start()
        while True:
            kind, what = ready.get()
            if kind == "end":
                return
            if kind == "error":
                raise what
            yield what
    finally:
        stop.set()
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        if processes:
            pump.join()
        for connection in connections:
            connection.close()


def _pump(
    work: Callable[[Any], Any],
    tasks: Iterable[Any],
    connections: list[Connection],
    ready: queue.Queue[tuple[str, Any]],
    stop: threading.Event,
) -> None:
    """Hand out tasks and take in results, in turn, until there are no more or nobody wants them."""
    held: deque[Connection] = deque()
    try:
        packed = pickle.dumps(work)
        for connection in connections:
            connection.send_bytes(packed)
        for number, task in enumerate(tasks):
            connection = connections[number % len(connections)]
            connection.send(task)
            held.append(connection)
            if len(held) >= _HELD * len(connections) and not _put(held.popleft().recv(), ready, stop):
                return
        while held:
            if not _put(held.popleft().recv(), ready, stop):
                return
        _put(("end", None), ready, stop)
    except (EOFError, OSError):
        _put(
            (
                "error",
                YarnstickError(
                    "a worker process died: out of memory, killed, or it could not import the caller's script",
                    remedy="use fewer workers; in a script, put the call under `if __name__ == '__main__':`",
                ),
            ),
            ready,
            stop,
        )
    except Exception as error:  # told to whoever waits, who would wait for ever otherwise
        _put(("error", error), ready, stop)


def _put(what: tuple[str, Any], ready: queue.Queue[tuple[str, Any]], stop: threading.Event) -> bool:
    while not stop.is_set():
        try:
            ready.put(what, timeout=_PATIENCE)
            return True
        except queue.Full:
            continue
    return False


def _serve(connection: Connection) -> None:
    """A worker's life: get the work, then do tasks until the connection ends."""
    # Ctrl-C goes to every process of the terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    received: queue.SimpleQueue[Any] = queue.SimpleQueue()
    work = pickle.loads(connection.recv_bytes())
    threading.Thread(target=_receive, args=(connection, received), daemon=True).start()
    while True:
        try:
            answer = ("result", work(received.get()))
        except YarnstickError as error:
            answer = ("error", error)
        except Exception as error:
            answer = ("error", YarnstickError(f"a worker failed: {type(error).__name__}: {error}"))
        connection.send(answer)


def _receive(connection: Connection, received: queue.SimpleQueue[Any]) -> None:
    """Take in tasks at once, so that the parent never waits; end with the parent, however it ends."""
    while True:
        try:
            received.put(connection.recv())
        except (EOFError, OSError):
            os._exit(1)
