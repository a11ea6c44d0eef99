"""Where tasks are done: in this process, or in as many others as asked for.

The standard library's process pool is not used: before Python 3.12 it hangs for ever when a worker dies while a
task is being sent to it. Here every worker has a connection of its own, so that its death is always noticed.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from multiprocessing.process import BaseProcess
from types import TracebackType

from yarnstick.engine.plan import Plan
from yarnstick.engine.plugins import load_plugin, loaded_plugins
from yarnstick.engine.work import Done, Task, do_task
from yarnstick.errors import MetricError, YarnstickError
from yarnstick.features import Features

#: tasks a worker may hold: the one it does, and one so that it never waits for the next
_HELD = 2


@dataclass(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    connection: Connection
    tasks: deque[int]


class Pool:
    """Takes tasks, gives results. Entering it starts the workers, which get ready while the stories are surveyed."""

    def __init__(self, workers: int = 1) -> None:
        if workers < 1:
            raise YarnstickError(f"{workers} workers cannot do any work", remedy="ask for 1 or more")
        self._count = workers
        self._workers: list[_Worker] = []
        self._waiting: deque[tuple[int, Task]] = deque()
        self._results: dict[int, Done | BaseException] = {}
        self._number = 0
        self._plan: Plan | None = None
        self._features = Features()

    def __enter__(self) -> Pool:
        # One worker means this very process, with nothing started and nothing copied. Otherwise processes are
        # spawned, not forked: Arrow and BLAS have threads, and a fork in their midst can hang.
        context = multiprocessing.get_context("spawn")
        for _ in range(self._count if self._count > 1 else 0):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, loaded_plugins()), daemon=True)
            process.start()
            theirs.close()  # so that a worker's end is closed when it dies, and only then
            self._workers.append(_Worker(process, ours, deque()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.connection.close()  # a worker ends when its connection does
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()

    def use(self, plan: Plan) -> None:
        """Say what the tasks are about, before the first."""
        self._plan = plan
        if not self._workers:
            return
        try:
            for metric in plan.metrics:
                pickle.dumps(metric.chosen.metric.function)  # defined where another process can import it from?
            packed = pickle.dumps(plan)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise MetricError(
                f"a metric cannot be sent to another process: {error}",
                remedy="define it at the top level of a module, or use one worker",
            ) from error
        for worker in self._workers:
            self._send(worker, packed)

    def submit(self, task: Task) -> Callable[[], Done]:
        """Hand in a task; the function returned waits for its result."""
        if not self._workers:
            plan = self._plan
            assert plan is not None
            return lambda: do_task(plan, task, self._features)
        self._number += 1
        number = self._number
        self._waiting.append((number, task))
        self._hand_out()
        return lambda: self._wait(number)

    def _wait(self, number: int) -> Done:
        while number not in self._results:
            self._hand_out()
            self._collect()
        result = self._results.pop(number)
        if isinstance(result, BaseException):
            raise result
        return result

    def _hand_out(self) -> None:
        for worker in sorted(self._workers, key=lambda worker: len(worker.tasks)):
            while self._waiting and len(worker.tasks) < _HELD:
                number, task = self._waiting.popleft()
                self._send(worker, task)
                worker.tasks.append(number)

    def _send(self, worker: _Worker, what: bytes | Task) -> None:
        try:
            worker.connection.send(what)
        except OSError as error:
            raise self._died(worker) from error

    def _collect(self) -> None:
        ready = wait_for([worker.connection for worker in self._workers])
        for worker in self._workers:
            if worker.connection not in ready:
                continue
            try:
                self._results[worker.tasks[0]] = worker.connection.recv()
            except (EOFError, OSError, IndexError) as error:
                raise self._died(worker) from error
            worker.tasks.popleft()

    def _died(self, worker: _Worker) -> YarnstickError:
        worker.process.join(5)
        return YarnstickError(
            f"a worker process died (exit code {worker.process.exitcode}): out of memory, killed, or it could not "
            "import the caller's script",
            remedy="use fewer workers; in a script, put the call under `if __name__ == '__main__':`",
        )


def _serve(connection: Connection, plugins: Sequence[str]) -> None:
    """A worker's life: get the plan, then do tasks until the connection ends."""
    # Ctrl-C goes to every process of the terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    received: queue.SimpleQueue[bytes | Task] = queue.SimpleQueue()
    failed: BaseException | None = None
    threading.Thread(target=_receive, args=(connection, received), daemon=True).start()
    plan, features = Plan(()), Features()
    while True:
        got = received.get()
        try:
            if isinstance(got, bytes):
                for path in plugins:
                    load_plugin(path)
                plan = pickle.loads(got)
                continue
            if failed is not None:
                raise failed
            connection.send(do_task(plan, got, features))
        except YarnstickError as error:
            failed = _tell(connection, got, error)
        except Exception as error:
            failed = _tell(connection, got, MetricError(f"a worker failed: {type(error).__name__}: {error}"))


def _tell(connection: Connection, got: bytes | Task, error: YarnstickError) -> YarnstickError | None:
    # What went wrong with the plan is told in answer to the first task: the parent reads answers to tasks only.
    if isinstance(got, bytes):
        return error
    connection.send(error)
    return None


def _receive(connection: Connection, received: queue.SimpleQueue[bytes | Task]) -> None:
    """Take in what is sent at once, so that the parent never waits; end with the parent, however it ends."""
    while True:
        try:
            received.put(connection.recv())
        except (EOFError, OSError):
            os._exit(1)
