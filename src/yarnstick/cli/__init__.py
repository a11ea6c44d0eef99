"""The command line: thin. Each command parses, calls the library, prints; the work lives in the other rooms.

Commands are imported when they are run, so that ``yarnstick --help`` answers at once.
"""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module

import click

from yarnstick.errors import YarnstickError
from yarnstick.version import __version__

#: command -> (module that defines it, the line the overview shows)
COMMANDS = {
    "score": ("score", "Score a file of stories with metrics."),
    "metrics": ("metrics", "List the metrics, or show the card of one."),
    "explain": ("explain", "Which sentence and which words the model would change."),
    "agree": ("agree", "How far metrics agree with people."),
    "compare": ("compare", "Two systems: which differences are real."),
    "robustness": ("robustness", "Do metrics notice damage, and only damage?"),
    "judge": ("judge", "Let a language model rate stories."),
    "data": ("data", "List the corpora, or bring one in."),
    "convert": ("convert", "Turn a file of stories into another format."),
    "demo": ("demo", "Score the bundled sample and write a report."),
    "models": ("models", "List the models, or make one ready to score."),
    "train": ("train", "Train a story metric on stories of your own."),
    "generate": ("generate", "Write stories with a language model."),
    "perturb": ("perturb", "Damage stories on purpose, with what was done where."),
    "reproduce": ("reproduce", "Recompute published figures and compare."),
}

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


class _Commands(click.Group):
    """A group that knows its commands by name and imports one only to run it or to show its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"yarnstick.cli.{COMMANDS[name][0]}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # click would import every command for its help line; the lines are in the table above.
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"There is no command {args[0]!r}.{hint} Commands: {', '.join(COMMANDS)}.")
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="yarnstick")
def group() -> None:
    """The yardstick for yarns: score stories, and learn which story metrics deserve trust.

    \b
    yarnstick demo                                       see what it does, offline
    yarnstick score stories.jsonl -m chrf -o scores.parquet
    yarnstick metrics                                    what can be measured
    """


def main() -> None:
    """Run the command line; what the user can mend is one line on standard error and exit code 2."""
    _open_what_is_closed()
    try:
        group.main(prog_name="yarnstick", standalone_mode=False)
    except click.exceptions.Exit as leaving:
        sys.exit(leaving.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except YarnstickError as error:
        click.echo(f"yarnstick: {error}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("yarnstick: interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader (head, less) has seen enough; the interpreter must not complain while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        # Files are written through `stories.files`, which explains itself: this was a help text or a printed table.
        if error.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        click.echo("yarnstick: cannot write standard output: the disk is full (make room and run again)", err=True)
        sys.exit(2)


def _open_what_is_closed() -> None:
    # Started with `>&-`: without this a file opened later would take the number of standard output, and its place.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
