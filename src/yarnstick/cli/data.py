"""``yarnstick data``: which corpora there are, what each is, and bringing one in."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from yarnstick.cli import CONTEXT
from yarnstick.stories.problems import OnError


@click.command(context_settings=CONTEXT)
@click.argument("name", required=False)
@click.option("--folder", type=Path, help="Read it from this folder (or file) of yours instead of the cache.")
@click.option(
    "-o",
    "--output",
    help="Write its stories here (.jsonl, .csv, .tsv, .parquet, also .gz, .zst; - is standard output).",
)
@click.option("--ratings", "ratings_output", help="Write its ratings here, a row a judgement.")
@click.option("--to", help="Format of both outputs, where their names do not tell: jsonl, csv, tsv, parquet.")
@click.option("--split", help="Only this split, where there are splits: train, valid, test.")
@click.option("--fetch", is_flag=True, help="Download what the cache does not have yet.")
@click.option("--cache", type=Path, help="The cache folder.  [default: $YARNSTICK_CACHE or ~/.cache/yarnstick]")
@click.option(
    "--on-error",
    type=click.Choice(["raise", "skip"]),
    default="raise",
    show_default=True,
    help="A row that cannot be used: stop there, or go on and report how many and which.",
)
def command(
    name: str | None,
    folder: Path | None,
    output: str | None,
    ratings_output: str | None,
    to: str | None,
    split: str | None,
    fetch: bool,
    cache: Path | None,
    on_error: OnError,
) -> None:
    """List the corpora, or bring one in.

    \b
    yarnstick data                                       a line a corpus, and whether it is here
    yarnstick data hanna                                 its card: what it holds, its paper, its licence
    yarnstick data hanna --fetch -o stories.jsonl --ratings ratings.csv
    yarnstick data union-roc --folder UNION/Data/ROCStories/ant_data -o stories.jsonl
    yarnstick data rocstories --folder roc --split valid -o cloze.parquet
    """
    if fetch and folder is not None:
        raise click.UsageError(
            "--fetch fills the cache and --folder reads your own: use one. --cache DIR moves the cache."
        )
    if name is None:
        if fetch or output or ratings_output or split:
            raise click.UsageError("Which corpus? `yarnstick data` lists them.")
        _overview(folder, cache)
        return
    from yarnstick.stories.corpora.registry import shelf_of

    shelf = shelf_of(name)
    if fetch:
        _fetch(name, cache)
    if output or ratings_output:
        _write(name, folder, cache, split, output, ratings_output, to, on_error)
    elif not fetch:
        click.echo(card_text(shelf.card.name, folder, cache))


def _overview(folder: Path | None, cache: Path | None) -> None:
    from yarnstick.stories.corpora.registry import SHELVES

    width = max(map(len, SHELVES))
    for name, shelf in SHELVES.items():
        click.echo(f"{name:{width}}  {_whereabouts(name, folder, cache):12}  {shelf.card.summary}")
    click.echo("\n`yarnstick data NAME` shows a card, `yarnstick data NAME --fetch` downloads.")


def _whereabouts(name: str, folder: Path | None, cache: Path | None) -> str:
    from yarnstick.stories.corpora.cache import corpus_folder
    from yarnstick.stories.corpora.registry import shelf_of

    shelf = shelf_of(name)
    if name == "sample":
        return "bundled"
    if folder is not None and shelf.find(folder):
        return "in folder"
    if shelf.find(corpus_folder(name, cache)):
        return "in cache"
    return "to fetch" if shelf.card.can_be_fetched else "on request"


def card_text(name: str, folder: Path | None = None, cache: Path | None = None) -> str:
    """The card of a corpus as text, and where it is on this machine."""
    from yarnstick.stories.corpora.cache import corpus_folder
    from yarnstick.stories.corpora.registry import shelf_of

    card = shelf_of(name).card
    lines = [f"{card.name}: {card.summary}", "", f"{'title':<11} {card.title}"]
    lines += [f"{'paper':<11} {card.paper}", f"{'licence':<11} {card.licence}"]
    lines += [f"{label:<11} {text}" for label, text in card.holds.items()]
    for label, text in card.splits.items():
        lines.append(f"{'split':<11} {label}: {text}")
    lines += [f"{'caveat':<11} {text}" for text in card.caveats]
    lines += ["", "files"]
    for file in card.files:
        lines.append(f"  {file.name}" + (f"  {file.url}" if file.url else ""))
        if file.url:
            lines.append(f"      sha256 {file.sha256 or 'recorded at the first fetch, held to it ever after'}")
            lines.append(f"      {file.evidence}")
    lines += ["", f"{'here':<11} {_whereabouts(name, folder, cache)}", f"{'to get it':<11} {card.how_to_get}"]
    if name != "sample":
        lines.append(f"{'cache':<11} {corpus_folder(name, cache)}")
    return "\n".join(lines)


def _fetch(name: str, cache: Path | None) -> None:
    from yarnstick.errors import InputError
    from yarnstick.stories.corpora.cache import corpus_folder, verify
    from yarnstick.stories.corpora.fetching import fetch_missing
    from yarnstick.stories.corpora.registry import shelf_of

    shelf, place = shelf_of(name), corpus_folder(name, cache)
    if name == "sample":
        click.echo("sample comes with yarnstick: nothing to fetch", err=True)
        return
    if not shelf.card.can_be_fetched and not shelf.find(place):
        raise InputError(f"{name} cannot be fetched by a program", remedy=shelf.card.how_to_get)
    verify(shelf.card, place)
    fetched = fetch_missing(shelf.card, place, _progress if sys.stderr.isatty() else None)
    what = ", ".join(path.name for path in fetched)
    click.echo(f"fetched {what} into {place}" if fetched else f"{name} is in {place} already", err=True)


def _progress(name: str, size: int, total: int | None) -> None:
    of = f" of {total / 1e6:.1f}" if total else ""
    click.echo(f"\r{name}: {size / 1e6:.1f}{of} MB", err=True, nl=size == total)


def _write(
    name: str,
    folder: Path | None,
    cache: Path | None,
    split: str | None,
    output: str | None,
    ratings_output: str | None,
    to: str | None,
    on_error: OnError,
) -> None:
    from yarnstick.cli.tables import counted
    from yarnstick.errors import InputError
    from yarnstick.stories import write_stories
    from yarnstick.stories.corpora.registry import corpus
    from yarnstick.stories.problems import Problems
    from yarnstick.stories.tables import table_writer

    problems = Problems(on_error)
    opened = corpus(name, folder, split=split, fetch=False, cache=cache, problems=problems)
    ratings = opened.ratings
    if ratings_output and ratings is None:
        raise InputError(f"{name} has no ratings", remedy="leave --ratings out")
    if output and next(opened.stories.rows(Problems(on_error)), None) is None:
        raise InputError(
            "holds no stories that can be used",
            file=opened.stories.origin,
            remedy=f"to get them: {opened.card.how_to_get}",
        )
    if output:
        # Reading the ratings has already met, and counted, every row that cannot be used.
        unmet = problems if ratings is None else Problems(on_error)
        count = write_stories(opened.stories, output, to, unmet)
        if output != "-":
            click.echo(f"wrote {counted(count, 'story', 'stories')} to {output}", err=True)
    if ratings_output and ratings is not None:
        table = ratings.to_arrow()
        with table_writer(ratings_output, table.schema, to) as write:
            for batch in table.to_batches():
                write(batch)
        if ratings_output != "-":
            click.echo(f"wrote {len(ratings)} ratings to {ratings_output}", err=True)
    for line in problems.summary():
        click.echo(line, err=True)
