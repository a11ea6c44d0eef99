"""A few processes that do the same to chunk after chunk; results come in the order of the chunks.

The standard library's pools wait for ever for a worker that was killed; here each worker has a connection of its own,
and its death is an error that says so.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Generic, TypeVar

from yarnstick.errors import YarnstickError

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")

#: chunks a worker may hold: the one it works on, and one so that it never waits for the next
_HELD = 2
#: objects made before a worker looks for garbage
_GARBAGE_AFTER = 100_000


class Crew(Generic[Chunk, Result]):
    """Processes that each hold a copy of ``function``."""

    def __init__(self, function: Callable[[Chunk], Result], workers: int) -> None:
        self._function = function
        self._count = workers
        self._processes: list[BaseProcess] = []
        self._held: dict[Connection, int] = {}

    def __enter__(self) -> Crew[Chunk, Result]:
        context = multiprocessing.get_context("spawn")
        for _ in range(self._count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()  # so that the worker's end closes when it dies, and only then
            self._processes.append(process)
            self._held[ours] = 0
        for connection in self._held:
            connection.send(self._function)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection in self._held:
            connection.close()  # a worker ends when its connection does
        for process in self._processes:
            process.terminate()
            process.join()

    def work(self, chunks: Iterator[Chunk]) -> Iterator[Result]:
        """The results of the chunks, in their order; no more of them are held than the workers can hold."""
        done: dict[int, Result] = {}
        handed_out = given_back = 0
        exhausted = False
        while True:
            while not exhausted and handed_out - given_back < self._count * _HELD * 2:
                free = min(self._held, key=self._held.__getitem__)
                if self._held[free] >= _HELD:
                    break
                chunk = next(chunks, None)
                if chunk is None:
                    exhausted = True
                    break
                self._send(free, (handed_out, chunk))
                self._held[free] += 1
                handed_out += 1
            while given_back in done:
                yield done.pop(given_back)
                given_back += 1
            if given_back == handed_out and exhausted:
                return
            if any(self._held.values()):
                for connection in wait([one for one, held in self._held.items() if held]):
                    number, result = self._received(connection)  # type: ignore[arg-type]
                    done[number] = result

    def _send(self, connection: Connection, message: Any) -> None:
        try:
            connection.send(message)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise _died() from error

    def _received(self, connection: Connection) -> tuple[int, Result]:
        try:
            number, result = connection.recv()
        except (EOFError, ConnectionResetError) as error:
            raise _died() from error
        if isinstance(result, BaseException):
            raise result
        self._held[connection] -= 1
        return number, result


def _died() -> YarnstickError:
    return YarnstickError("a worker process died", remedy="is there memory enough? use fewer --workers")


def _serve(connection: Connection) -> None:
    # An interrupt is for the process that was started by hand; it closes the connections, and the workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        function = connection.recv()
        # What is there now stays; without this it is searched for garbage again and again, for half of the time.
        gc.freeze()
        gc.set_threshold(_GARBAGE_AFTER)
        while True:
            number, chunk = connection.recv()
            try:
                result = function(chunk)
            except Exception as error:
                result = error
            connection.send((number, result))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
