"""``yarnstick perturb``: stories in, damaged stories out, with what was done where."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from yarnstick.cli import CONTEXT
from yarnstick.cli.reading_options import column_map, reading_options
from yarnstick.stories.problems import OnError

if TYPE_CHECKING:
    from yarnstick.cli.progress import Advance


@click.command(context_settings=CONTEXT)
@click.argument("source")
@click.option(
    "-o",
    "--output",
    type=Path,
    default="-",
    show_default=True,
    help="Write the negatives here: .jsonl, .parquet, .csv, .tsv (also .gz, .zst); - is standard output.",
)
@click.option("--to", help="Format of the output, where its name does not tell: jsonl, parquet, csv, tsv.")
@click.option(
    "--recipe",
    "recipe_name",
    default="paper",
    show_default=True,
    help="How stories are damaged: paper, released, wide, or a TOML file of your own.",
)
@click.option("--each", type=click.IntRange(1), default=1, show_default=True, help="Negatives of each story.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same negatives.")
@click.option(
    "--lead",
    type=click.IntRange(0),
    help="Never touch so many sentences at the start of each story. Default: as the recipe says.",
)
@click.option("--others", metavar="FILE", help="Draw sentences from these stories. Default: from the stories given.")
@click.option("--conceptnet", type=click.Path(exists=True, dir_okay=False), help="A file of ConceptNet's antonyms.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to use.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@reading_options
def command(
    source: str,
    output: Path,
    to: str | None,
    recipe_name: str,
    each: int,
    seed: int,
    lead: int | None,
    others: str | None,
    conceptnet: str | None,
    workers: int,
    quiet: bool,
    format: str | None,
    maps: tuple[str, ...],
    encoding: str,
    split: str,
    limit: int | None,
    on_error: OnError,
) -> None:
    """Damage stories on purpose, as UNION is trained: repeated, substituted, reordered, negated.

    \b
    yarnstick perturb stories.jsonl -o negatives.jsonl
    yarnstick perturb stories.jsonl -o negatives.jsonl --recipe wide --each 3 --seed 7 --workers 2
    yarnstick perturb stories.csv -o negatives.parquet --recipe mine.toml --lead 1

    Each row has the id of the story, the story, the negative, and its edits: the technique, where the edit stands in
    the negative, what stood there before, and where that stands in the story. See docs/perturbation.md.
    """
    from dataclasses import replace

    from yarnstick.cli.progress import progress
    from yarnstick.cli.score import check_writable, tell
    from yarnstick.errors import InputError
    from yarnstick.stories import read
    from yarnstick.stories.files import refuse_overwriting
    from yarnstick.stories.problems import Problems
    from yarnstick.stories.source import split_suffix
    from yarnstick.stories.tables import check_table_format, table_writer
    from yarnstick.union.perturb import Pool, read_recipe
    from yarnstick.union.perturb.lexicon import opposites_for
    from yarnstick.union.perturb.many import perturb
    from yarnstick.union.perturb.rows import ROWS, in_batches, lead_of, rows_of

    recipe = read_recipe(recipe_name)
    if lead is not None:
        recipe = replace(recipe, lead="given")
    if conceptnet:
        recipe = replace(recipe, conceptnet=conceptnet)
        opposites_for(recipe)  # a file that is none is told here, not when a word of it is first wanted
    refuse_overwriting(source, output)
    check_writable(output)
    check_table_format(output, to or ("jsonl" if str(output) == "-" else split_suffix(output)[1]))
    problems = Problems(on_error)
    stories = read(source, format=format, columns=column_map(maps), encoding=encoding, split=split, limit=limit)
    try:
        rows = [(row["id"], row["story"]) for row in stories.rows(problems)]
        pool_texts = (
            [row["story"] for row in read(others, encoding=encoding, split=split).rows(Problems(on_error))]
            if others
            else [story for _, story in rows]
        )
    finally:
        tell(problems.summary())
    if not rows:
        raise InputError("there are no stories", file=source, remedy="is it the right file?")
    texts = [story for _, story in rows]
    leads = [lead_of(story, lead) for story in texts] if lead else None
    failures: list[str] = []

    def damaged(advance: Advance) -> Iterator[dict[str, Any]]:
        pool = Pool(pool_texts, seed)
        for made in perturb(texts, recipe, pool, seed=seed, each=each, workers=workers, leads=leads):
            name, story = rows[made.number]
            if made.failure:
                failures.append(f"{name}: {made.failure}")
            yield from rows_of(name, story, made.negatives, recipe.name)
            advance(1, 0, 0)

    written = 0
    with table_writer(output, ROWS, to) as write, progress("perturbing", len(rows), quiet) as advance:
        for batch in in_batches(damaged(advance)):
            write(batch)
            written += batch.num_rows
        if not written:
            raise InputError(
                f"none of {len(rows)} stories could be perturbed; the first, {failures[0]}",
                file=source,
                remedy="stories need two sentences or more",
            )
    if failures:
        count = f"{len(failures)} stor{'ies' if len(failures) > 1 else 'y'}"
        tell([f"{count} could not be perturbed and {'are' if len(failures) > 1 else 'is'} left out:"])
        tell([f"  {failure}" for failure in failures[:5]])
        if len(failures) > 5:
            tell([f"  ... and {len(failures) - 5} more"])
    if not quiet:
        tell([f"wrote {written} negatives of {len(rows) - len(failures)} stories to {output} (recipe {recipe.name})"])
