"""``yarnstick explain``: what in a story the model would change."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from yarnstick.cli import CONTEXT
from yarnstick.cli.reading_options import column_map, reading_options
from yarnstick.stories.problems import OnError

if TYPE_CHECKING:
    from yarnstick.union.explain import Explanation

#: sentences named below a story in the terminal
_NAMED = 3
#: what would steer the terminal instead of being read; one sign for one, so that places stay right
_STEERING = {code: "\ufffd" for code in (*range(9), *range(11, 32), *range(127, 160))}


@click.command(context_settings=CONTEXT)
@click.argument("source")
@click.option(
    "-m", "--model", help="bundled:union-mini, union-base, or path:FOLDER.  [default: the metric `union`'s own]"
)
@click.option("-o", "--output", type=Path, help="Write JSON lines here, a story each; - is standard output.")
@click.option(
    "--least",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Mark words from this probability of damage on.",
)
@click.option("--raw", is_flag=True, help="Read the text as it stands: joined tokens and capitals are not given back.")
@reading_options
def command(
    source: str,
    model: str | None,
    output: Path | None,
    least: float,
    raw: bool,
    format: str | None,
    maps: tuple[str, ...],
    encoding: str,
    split: str,
    limit: int | None,
    on_error: OnError,
) -> None:
    """Show what in each story the model of `union` would change: which sentence, and which words.

    \b
    yarnstick explain stories.jsonl --limit 3
    yarnstick explain story.txt --split whole
    yarnstick explain stories.jsonl -o explained.jsonl

    A sentence is held against the story as far as the score rises when it is left out. A word is marked where the
    model thinks it was damaged. Neither is proof: see `yarnstick metrics union`.
    """
    from yarnstick.cli.score import check_writable, tell
    from yarnstick.errors import OutputError
    from yarnstick.metrics.families.union import DEFAULT_MODEL
    from yarnstick.stories import read
    from yarnstick.stories.files import atomic, refuse_overwriting
    from yarnstick.stories.problems import Problems
    from yarnstick.union.explain import explain
    from yarnstick.union.packed import read_for
    from yarnstick.union.runtime import open_runtime
    from yarnstick.union.shelf import find_packed

    runtime = open_runtime(read_for(find_packed(model or DEFAULT_MODEL), "union").folder)
    if output is not None:
        refuse_overwriting(source, output)
        check_writable(output)
        if (
            str(output) != "-"
            and (output.is_file() or not output.exists())
            and output.suffix not in (".jsonl", ".json")
        ):
            raise OutputError(f"cannot write {output}: the output is JSON lines", remedy="end the name in .jsonl")
    stories = read(source, format=format, columns=column_map(maps), encoding=encoding, split=split, limit=limit)
    problems, count = Problems(on_error), 0
    with ExitStack() as stack:
        to_file = output is not None and str(output) != "-"
        stream = stack.enter_context(atomic(output)) if output is not None and to_file else None
        for row in stories.rows(problems):
            explained = explain(runtime, row["story"], natural=not raw, least=least)
            count += 1
            if stream is not None:
                stream.write(_line(row, explained).encode() + b"\n")
            elif output is not None:
                click.echo(_line(row, explained))
            else:
                click.echo(("\n" if count > 1 else "") + shown(row, explained))
    what = "1 story" if count == 1 else f"{count} stories"
    tell([*problems.summary(), *([f"explained {what} in {output}"] if stream is not None else [])])


def shown(row: Mapping[str, Any], explained: Explanation) -> str:
    """A story for the terminal: doubted words red, the sentence it is better without underlined, figures below."""
    head = str(row["id"]) + (f" ({row['system']})" if row["system"] else "")
    if math.isnan(explained.score):
        return f"{click.style(head, bold=True)}  undefined: there is nothing to read"
    lines = [f"{click.style(head, bold=True)}  UNION {explained.score:.3f}  (log-odds {explained.log_odds:+.2f})"]
    lines.append(_coloured(explained))
    for place, sentence in enumerate(explained.ranked()[:_NAMED]):
        if sentence.gain is None or sentence.gain <= 0:
            break
        text = explained.text[sentence.start : sentence.end].translate(_STEERING)
        lines.append(click.style(f"  {place + 1}. without it {sentence.gain:+.2f}: {text}", dim=True))
    words = [
        explained.text[span.start : span.end].translate(_STEERING) for span in explained.spans if span.kind == "words"
    ]
    if words:
        lines.append(click.style(f"  doubted words: {', '.join(words)}", dim=True))
    return "\n".join(lines)


def _coloured(explained: Explanation) -> str:
    text = explained.text.translate(_STEERING)
    worst = next((span for span in explained.spans if span.kind == "sentence"), None)
    words = sorted((span for span in explained.spans if span.kind == "words"), key=lambda span: span.start)
    edges = {0, len(text)} | {edge for span in [*words, *([worst] if worst else [])] for edge in (span.start, span.end)}
    parts, places = [], sorted(edges)
    for start, end in pairwise(places):
        doubted = any(span.start <= start < span.end for span in words)
        underlined = worst is not None and worst.start <= start < worst.end
        style: dict[str, Any] = {"underline": True} if underlined else {}
        parts.append(click.style(text[start:end], fg="red" if doubted else None, bold=doubted or None, **style))
    return "".join(parts)


def _line(row: Mapping[str, Any], explained: Explanation) -> str:
    known = not math.isnan(explained.score)
    return json.dumps(
        {
            "id": row["id"],
            "system": row["system"],
            "score": explained.score if known else None,
            "log_odds": explained.log_odds if known else None,
            "text": explained.text,
            "spans": [span._asdict() for span in explained.spans],
            "sentences": [sentence._asdict() for sentence in explained.sentences],
        },
        ensure_ascii=False,
    )
