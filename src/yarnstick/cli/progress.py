"""How far a long run has come: a bar on a terminal, a line now and then in a log, nothing when asked for quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import click

#: shows (stories done so far, of which were known already)
Show: TypeAlias = Callable[[int, int], None]

#: seconds between lines where there is no terminal to draw on
_LOG_EVERY = 30.0


@dataclass(slots=True)
class Advance:
    """Call it with (stories done, of which known already, of which known in part); it keeps count and shows."""

    show: Show
    done: int = 0
    known: int = 0
    partly: int = 0

    def __call__(self, done: int, known: int, partly: int) -> None:
        self.done += done
        self.known += known
        self.partly += partly
        self.show(self.done, self.known)


@contextmanager
def progress(verb: str, total: int, quiet: bool = False, what: str = "stories") -> Iterator[Advance]:
    """Show the progress of a run over ``total`` stories, or ``what`` else there is to be done."""
    if quiet:
        yield Advance(lambda done, known: None)
    elif sys.stderr.isatty():
        with _bar(verb, total) as show:
            yield Advance(show)
    else:
        yield Advance(_log(verb, total, what))


@contextmanager
def _bar(verb: str, total: int) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(verb, total=total)

        def show(done: int, known: int) -> None:
            bar.update(task, completed=done, description=f"{verb} ({known} known already)" if known else verb)

        yield show


def _log(verb: str, total: int, what: str) -> Show:
    start = last = time.monotonic()

    def show(done: int, known: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _LOG_EVERY:
            last = now
            left = (now - start) / max(done, 1) * (total - done)
            click.echo(f"yarnstick: {verb}: {done} of {total} {what}, about {left:.0f} s left", err=True)

    return show
