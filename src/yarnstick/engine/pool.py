"""Where tasks are done: in this process, or in as many others as asked for."""

from __future__ import annotations

import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from yarnstick.engine.plan import Plan
from yarnstick.engine.work import Done, Task, do_task
from yarnstick.errors import MetricError, YarnstickError
from yarnstick.features import Features

#: hand in a task, get a function that waits for its result
Submit: TypeAlias = Callable[[Task], Callable[[], Done]]

_PLUGIN_MODULE = "yarnstick_plugin_"
_plan: Plan | None = None
_features: Features | None = None


@contextmanager
def pool(plan: Plan, workers: int = 1) -> Iterator[Submit]:
    """A way to hand in tasks. One worker means this very process, with nothing started and nothing copied."""
    if workers < 1:
        raise YarnstickError(f"{workers} workers cannot do any work", remedy="ask for 1 or more")
    if workers == 1:
        features = Features()
        yield lambda task: lambda: do_task(plan, task, features)
        return
    # Spawned, not forked: Arrow and BLAS have threads, and a fork in their midst can hang.
    executor = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), _start_worker, (_plugins(), _pickled(plan))
    )
    try:
        yield lambda task: _result_of(executor.submit(_in_worker, task))
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def load_plugin(path: str | Path) -> ModuleType:
    """Import a Python file that registers metrics, under a name worker processes use too."""
    path = Path(path).resolve()
    if not path.is_file():
        raise MetricError(f"there is no metric file {path}", remedy="name a .py file")
    name = f"{_PLUGIN_MODULE}{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise MetricError(f"{path} is not a Python file", remedy="name a .py file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except YarnstickError:
        raise
    except Exception as error:
        raise MetricError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def _plugins() -> list[str]:
    return [str(module.__file__) for name, module in sys.modules.items() if name.startswith(_PLUGIN_MODULE)]


def _pickled(plan: Plan) -> bytes:
    try:
        for metric in plan.metrics:
            pickle.dumps(metric.chosen.metric.function)  # defined where another process can import it from?
        return pickle.dumps(plan)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise MetricError(
            f"a metric cannot be sent to another process: {error}",
            remedy="define it at the top level of a module, or use one worker",
        ) from error


def _start_worker(plugins: Sequence[str], plan: bytes) -> None:
    global _plan, _features
    # Ctrl-C goes to every process of the terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for path in plugins:
        load_plugin(path)
    _plan, _features = pickle.loads(plan), Features()


def _end_with_parent() -> None:
    # A parent that is killed outright cannot tell its workers, and they would wait for tasks for ever.
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _in_worker(task: Task) -> Done:
    if _plan is None or _features is None:
        raise RuntimeError("worker was not started properly")
    return do_task(_plan, task, _features)


def _result_of(future: Future[Done]) -> Callable[[], Done]:
    def wait() -> Done:
        try:
            return future.result()
        except BrokenProcessPool as error:
            raise YarnstickError(
                "a worker process died (out of memory, killed, or it could not import the caller's script)",
                remedy="use fewer workers; in a script, put the call under `if __name__ == '__main__':`",
            ) from error

    return wait
