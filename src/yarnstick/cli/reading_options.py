"""The options every command that reads stories shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from yarnstick.errors import InputError
from yarnstick.stories.source import FORMATS

Function = TypeVar("Function", bound=Callable[..., Any])


def reading_options(function: Function) -> Function:
    """Add --format, --map, --encoding, --split, --limit, --on-error to a command."""
    for option in reversed(
        [
            click.option(
                "--format",
                type=click.Choice(FORMATS),
                help="Format of the input, where its name does not tell.",
            ),
            click.option(
                "--map",
                "maps",
                multiple=True,
                metavar="FIELD=COLUMN",
                help="Which column is what, where the guess is wrong: --map story=completion. Fields: story, prompt, "
                "reference, system, id, prompt_id.",
            ),
            click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text formats."),
            click.option(
                "--split",
                type=click.Choice(["line", "blank", "whole"]),
                default="line",
                show_default=True,
                help="Plain text: a story a line, stories between blank lines, or the whole file as one.",
            ),
            click.option("--limit", type=click.IntRange(1), help="Read only the first so many stories."),
            click.option(
                "--on-error",
                type=click.Choice(["raise", "skip"]),
                default="raise",
                show_default=True,
                help="A row that cannot be used: stop there, or go on and report how many and which.",
            ),
        ]
    ):
        function = option(function)
    return function


def column_map(maps: tuple[str, ...]) -> dict[str, str]:
    """``("story=completion",)`` as a dict."""
    columns = {}
    for text in maps:
        field, equals, column = text.partition("=")
        if not equals or not field or not column:
            raise InputError(f"--map {text!r} is not FIELD=COLUMN", remedy="for example --map story=completion")
        columns[field] = column
    return columns
