"""``yarnstick reproduce``: published figures, computed again."""

from __future__ import annotations

from pathlib import Path

import click

from yarnstick.cli import CONTEXT


@click.group(context_settings=CONTEXT)
def command() -> None:
    """Recompute published figures and set them beside the paper's.

    \b
    yarnstick reproduce hanna-metrics --folder ../shared/data/hanna
    """


@command.command("hanna-metrics", context_settings=CONTEXT)
@click.option(
    "--folder",
    type=Path,
    help="HANNA's data: its stories and metric_scores.csv. Default: $YARNSTICK_DATA/hanna, or ../shared/data/hanna.",
)
@click.option("-o", "--output", type=Path, help="Also write the table as a Markdown page (docs/parity.md).")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to use.")
@click.option("--store", type=Path, help="Folder that remembers the scores between runs.")
def hanna_metrics(folder: Path | None, output: Path | None, workers: int, store: Path | None) -> None:
    """The 38 string-based columns of HANNA for its 1,056 stories, compared with the published ones.

    \b
    yarnstick reproduce hanna-metrics
    yarnstick reproduce hanna-metrics --folder hanna/ --workers 2 -o parity.md
    """
    from yarnstick.reproduce.data import find_folder
    from yarnstick.reproduce.hanna_metrics import EQUAL, as_markdown
    from yarnstick.reproduce.hanna_metrics import hanna_metrics as compute
    from yarnstick.stories.files import atomic

    place = find_folder("hanna", folder, "metric_scores.csv")
    found = compute(place, workers, store)
    width = max(len(one.name) for one in found)
    click.echo(f"{'column':{width}}  equal         median      largest     Pearson   no human  verdict")
    for one in found:
        click.echo(
            f"{one.name:{width}}  {one.equal:4} of {one.stories:4}  {one.median_difference:8.1e}  "
            f"{one.largest_difference:9.1e}  {one.pearson:9.6f}  {one.pearson_without_human:9.6f}  {one.verdict}"
        )
    click.echo(
        f"equal: within {EQUAL:g}; median and largest difference; Pearson over the stories, with and without human ones"
    )
    if output:
        with atomic(output) as stream:
            stream.write(as_markdown(found, "yarnstick reproduce hanna-metrics -o docs/parity.md").encode())
        click.echo(f"yarnstick: wrote {output}", err=True)
