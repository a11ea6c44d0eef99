"""``yarnstick demo``: the main job on the bundled sample, offline."""

from __future__ import annotations

from pathlib import Path

import click

from yarnstick.cli import CONTEXT

METRICS = ("union", "hanna-string", "distinct", "lexical-diversity", "counts", "readability", "self-bleu", "chrf++")
PLOTTED = (
    "UNION", "BLEU", "ROUGE-L F-Score", "METEOR",
    "chrF", "Repetition-3", "Distinct-2", "MTLD",
)  # fmt: skip
NOTE = (
    "Sixteen prompts; for each a good story and four that are broken on purpose (written for this project, see the "
    "sample's card). Overlap with a reference hardly tells the good ones from the broken ones. UNION, which reads no "
    "reference, sees that stories repeat themselves or do not cohere, and not that they contradict themselves; whether "
    "a story fits its prompt it is not asked. That is why yarnstick measures metrics, too."
)


@click.command(context_settings=CONTEXT)
@click.option(
    "-o", "--output", type=Path, default=Path("yarnstick-demo"), show_default=True, help="Folder to write to."
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to use.")
@click.option("--quiet", "-q", is_flag=True, help="No table in the terminal.")
def command(output: Path, workers: int, quiet: bool) -> None:
    """Score the bundled sample of 80 stories and write a table, a picture and a report.

    \b
    yarnstick demo
    yarnstick demo -o /tmp/demo
    """
    from yarnstick.cli.tables import print_summary
    from yarnstick.engine.scoring import score
    from yarnstick.engine.summary import Summary
    from yarnstick.report import dot_plot, score_page
    from yarnstick.stories.corpora import sample
    from yarnstick.stories.files import atomic, explained

    with explained(output):
        output.mkdir(parents=True, exist_ok=True)
    scores = score(sample(), list(METRICS), workers=workers)
    summary = Summary(list(scores.columns.values()))
    for batch in scores.to_arrow().to_batches():
        summary.add(batch)
    scores.write(output / "scores.parquet")
    title = "Five kinds of stories, told apart or not"
    page = score_page(summary, title, command=f"yarnstick demo -o {output}", plotted=PLOTTED, note=NOTE)
    for name, text in (("report.html", page), ("scores.svg", dot_plot(summary, PLOTTED, title))):
        with atomic(output / name) as stream:
            stream.write(text.encode())
    if not quiet:
        print_summary(summary)
    click.echo(f"yarnstick: wrote {output}/report.html, scores.svg and scores.parquet", err=True)
