"""``yarnstick reproduce``: published figures, computed again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from yarnstick.cli import CONTEXT

if TYPE_CHECKING:
    from yarnstick.reproduce.verdict import Outcome


@click.group(context_settings=CONTEXT)
def command() -> None:
    """Recompute published figures and set them beside the paper's.

    \b
    yarnstick reproduce hanna                            every table and figure, ours beside the paper's
    yarnstick reproduce union --only table5 -o union/
    yarnstick reproduce hanna-metrics --folder ../shared/data/hanna
    yarnstick reproduce union-models --model bundled:union-mini
    """


def _choices(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that both papers' commands have."""
    options = (
        click.option("-o", "--output", type=Path, help="Folder for all the numbers: CSV and JSON, also for plots."),
        click.option("--only", multiple=True, metavar="NAME", help="table4, fig7, ...; may be given several times."),
        click.option("--verdicts", is_flag=True, help="Print the verdicts only, a line each."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@command.command("hanna", context_settings=CONTEXT)
@click.option(
    "--folder",
    type=Path,
    help="HANNA's data: metric_scores.csv, stories.jsonl, rankings/. Default: $YARNSTICK_DATA/hanna, or "
    "../shared/data/hanna.",
)
@_choices
@click.option("--draws", type=click.IntRange(1), help="Resamples of Figs 7 and 26.  [default: 1000]")
@click.option("--seed", type=click.IntRange(0), help="Their seed.  [default: 13]")
def hanna(
    folder: Path | None, output: Path | None, only: tuple[str, ...], verdicts: bool, draws: int | None, seed: int | None
) -> None:
    """The tables and figures of HANNA that rest on its released figures (Chhun et al. 2022).

    Ours stands above the paper's, with ≠ where they are not the same. Where the release has a defect the table is as
    published, and the files have the right numbers as well.

    \b
    yarnstick reproduce hanna
    yarnstick reproduce hanna --only table6 --only fig7
    yarnstick reproduce hanna --verdicts -o hanna-again/
    """
    from yarnstick.reproduce.data import find_folder
    from yarnstick.reproduce.hanna import reproduce_hanna
    from yarnstick.reproduce.hanna_discrimination import DRAWS, SEED

    place = find_folder("hanna", folder, "metric_scores.csv")
    draws, seed = DRAWS if draws is None else draws, SEED if seed is None else seed
    _show(reproduce_hanna(place, only, draws=draws, seed=seed), output, verdicts)


@command.command("union", context_settings=CONTEXT)
@click.option(
    "--folder",
    type=Path,
    help="UNION's data: roc/ and wp/ with votes and metric_output/. Default: $YARNSTICK_DATA/union, or "
    "../shared/data/union.",
)
@_choices
@click.option("--draws", type=click.IntRange(2), help="Biased sets drawn for Fig 2.  [default: 500]")
@click.option("--seed", type=click.IntRange(0), help="Their seed.  [default: 0]")
@click.option("--train", is_flag=True, help="Train the paper's models again, and test them; needs the extra [torch].")
@click.option(
    "--size", help="With --train: smoke (minutes on a CPU), small (a GPU) or full (as the paper).  [default: smoke]"
)
@click.option(
    "--data",
    type=Path,
    help="With --train: the folder with rocstories.jsonl and writingprompts.jsonl, plain or packed. Default: "
    "$YARNSTICK_DATA/stories, or ../shared/data/stories.",
)
@click.option("--base", help="With --train: the model to start from; tiny is made on the spot.")
@click.option("--seeds", type=click.IntRange(1), help="With --train: models of each kind.")
@click.option("--stories", type=click.IntRange(1), help="With --train: stories of each corpus.")
@click.option(
    "--sampled",
    multiple=True,
    type=Path,
    help="With --train: stories by `yarnstick generate`, for DisScore; written on the spot where none are given.",
)
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="With --train: a setting of all models.")
def union(
    folder: Path | None,
    output: Path | None,
    only: tuple[str, ...],
    verdicts: bool,
    draws: int | None,
    seed: int | None,
    train: bool,
    size: str | None,
    data: Path | None,
    base: str | None,
    seeds: int | None,
    stories: int | None,
    sampled: tuple[Path, ...],
    changes: tuple[str, ...],
) -> None:
    """The tables and figures of UNION that rest on its released votes and scores (Guan & Huang 2020).

    With --train those that need models of its own, trained here: the metric without each of its parts and the
    baselines (tables 5 and 7), trained on one corpus and tested on another (table 6), on sets biased towards a quality
    (fig 2). Models are kept in the output folder; a run that was killed goes on with the same command, and a model
    that is complete is not trained again.

    \b
    yarnstick reproduce union
    yarnstick reproduce union --only table5
    yarnstick reproduce union --train --size smoke -o union-trained/
    """
    from yarnstick.reproduce.data import find_folder
    from yarnstick.reproduce.union import reproduce_union
    from yarnstick.reproduce.union_drift import DRAWS, SEED

    of_training = {
        "--size": size,
        "--data": data,
        "--base": base,
        "--seeds": seeds,
        "--stories": stories,
        "--sampled": sampled,
        "--set": changes,
    }
    given = [name for name, value in of_training.items() if value]
    if given and not train:
        raise click.UsageError(f"{given[0]} is for training: add --train.")
    place = find_folder("union", folder, "roc/ant_data.txt")
    draws, seed = DRAWS if draws is None else draws, SEED if seed is None else seed
    if not train:
        _show(reproduce_union(place, only, draws=draws, seed=seed), output, verdicts)
        return
    if output is None:
        raise click.UsageError("Training needs a folder for its models: add -o FOLDER.")
    from yarnstick.optional import require
    from yarnstick.reproduce.union_runs import Asked, find_stories
    from yarnstick.reproduce.union_training import train_union

    for library in ("torch", "transformers"):
        require(library, "training the paper's models")
    asked = Asked(
        size or "smoke", find_stories(data), place, output, base or "", seeds or 0, stories or 0, sampled, changes
    )
    outcome = train_union(
        asked, only, draws=draws, seed=seed, tell=lambda line: click.echo(f"yarnstick: {line}", err=True)
    )
    _show(outcome, output, verdicts)


@command.command("union-models", context_settings=CONTEXT)
@click.option(
    "--model", "models", multiple=True, metavar="NAME", help="bundled:NAME, union-base, path:FOLDER; repeatable."
)
@click.option(
    "--logits",
    "runs",
    multiple=True,
    type=Path,
    metavar="FOLDER",
    help="A run's folder with roc400.logits.csv and hanna.logits.csv (columns id, logit), or one of them; repeatable.",
)
@click.option(
    "--folder",
    type=Path,
    help="Holds hanna/stories.jsonl and union/roc/ant_data.txt. Default: $YARNSTICK_DATA, or ../shared/data.",
)
@click.option("--placeholders", is_flag=True, help="The models were trained with as_in_paper: names are placeholders.")
@click.option("-o", "--output", type=Path, help="Folder for all the numbers, with their intervals.")
def union_models(
    models: tuple[str, ...], runs: tuple[Path, ...], folder: Path | None, placeholders: bool, output: Path | None
) -> None:
    """How far story models agree with people: UNION's 400 ROC stories, and HANNA without its human stories.

    Each model, the mean of all, and their logits together; beside every figure what is left of it once length is
    taken out. Reading logits needs no model and no torch.

    \b
    yarnstick reproduce union-models --model bundled:union-mini
    yarnstick reproduce union-models --logits runs/base-0 --logits runs/base-1 --logits runs/base-2 -o figures/
    """
    from yarnstick.errors import InputError
    from yarnstick.reproduce.data import find_folder
    from yarnstick.reproduce.rendering import as_text, write_files
    from yarnstick.reproduce.union_models import logits_in, scored, short_names
    from yarnstick.reproduce.union_models import union_models as compute

    if not models and not runs:
        raise InputError("there is no model to judge", remedy="name one with --model or --logits")
    place = find_folder("", folder, "union/roc/ant_data.txt")
    found = [*(scored(name, place, placeholders) for name in models), *(logits_in(run, place) for run in runs)]
    names = short_names([*models, *map(str, runs)])
    outcome = compute(place, dict(zip(names, found, strict=True)))
    click.echo("\n".join(map(as_text, outcome.exhibits)), nl=False)
    if output:
        written = write_files(output, outcome.files, outcome.exhibits)
        click.echo(f"yarnstick: wrote {len(written)} files to {output}", err=True)


def _show(outcome: Outcome, output: Path | None, verdicts: bool) -> None:
    from yarnstick.reproduce.rendering import as_text, verdict_lines, write_files

    if not verdicts:
        click.echo("\n".join(map(as_text, outcome.exhibits)))
    click.echo("\n".join(verdict_lines(outcome.exhibits)))
    if output:
        names = write_files(output, outcome.files, outcome.exhibits)
        click.echo(f"yarnstick: wrote {len(names)} files to {output}", err=True)


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
