"""Training the experiments' models one after another, each once: a run that is complete is only read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError, OutputError
from yarnstick.generate.writer import TINY
from yarnstick.reproduce.data import DATA_VARIABLE
from yarnstick.reproduce.experiments import SIZES, Experiment, Size, as_toml, recipe_without
from yarnstick.reproduce.logits_file import read_logits, write_logits
from yarnstick.stories.corpora import corpus as rated_corpus
from yarnstick.stories.files import atomic, explained
from yarnstick.text.delexicalise import delexicalise
from yarnstick.union.corpus import Corpus, Sampled, read_corpus, read_sampled
from yarnstick.union.perturb import read_recipe
from yarnstick.union.prose import prose
from yarnstick.union.settings import Settings, read_settings

#: the files of human stories in a data folder, each plain or compressed
FILES = {"roc": "rocstories.jsonl", "wp": "writingprompts.jsonl"}
#: what the logits of each evaluation set are called in a run's folder, as `reproduce union-models` calls them
_LOGITS = {"roc": "roc400.logits.csv", "wp": "wp200.logits.csv"}
_TEMPERATURES = (0.7, 0.9, 1.1)
#: what a run may have otherwise without being another run
_FREE = ("workers", "gpus", "checkpoint_minutes", "checkpoint_steps", "log_steps", "minutes")

Tell = Callable[[str], None]


class Asked(NamedTuple):
    """What the user asked for. ``data`` holds human stories to train on, ``rated`` UNION's sets to test on."""

    size: str
    data: Path
    rated: Path
    out: Path
    base: str = ""
    seeds: int = 0
    stories: int = 0
    sampled: Sequence[Path] = ()
    changes: Sequence[str] = ()


class Test(NamedTuple):
    """The stories of an evaluation set, as they were released."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]


def find_stories(given: Path | None) -> Path:
    """The folder with stories to train on: the one given, else ``$YARNSTICK_DATA/stories``, else the shared one."""
    home = os.environ.get(DATA_VARIABLE)
    places = [given] if given else [*([Path(home) / "stories"] if home else []), Path("../shared/data/stories")]
    for place in places:
        if _file_in(place, "roc"):
            return place
    raise InputError(
        f"found no {FILES['roc']} in {' or '.join(map(str, places))}",
        remedy="name the folder that has it with --data; it may be packed (.gz, .zst)",
    )


def _file_in(folder: Path, name: str) -> Path | None:
    paths = (folder / (FILES[name] + packed) for packed in ("", ".gz", ".zst"))
    return next((path for path in paths if path.is_file()), None)


class Runs:
    """The experiments of one output folder."""

    def __init__(self, asked: Asked, tell: Tell) -> None:
        if asked.size not in SIZES:
            raise InputError(f"there is no size {asked.size!r}", remedy=f"sizes: {', '.join(SIZES)}")
        self.asked, self.tell = asked, tell
        self.size: Size = SIZES[asked.size]
        self.seeds = range(asked.seeds or self.size.seeds)
        of_size = [f"{name}={value}" for name, value in {"as_in_paper": True, **self.size.changes}.items()]
        self.common: Settings = read_settings("paper", changes=[*of_size, *asked.changes])
        self._corpora: dict[str, Corpus] = {}

    @cached_property
    def tests(self) -> dict[str, Test]:
        """The evaluation sets whose texts are here, by corpus."""
        found = {}
        for name in FILES:
            stories = list(rated_corpus(f"union-{name}", self.asked.rated / name, fetch=False).stories)
            if stories:
                found[name] = Test(*zip(*((story.id, story.text) for story in stories), strict=True))
        return found

    def stories_of(self, name: str) -> Path | None:
        """The file of human stories of a corpus, where there is one."""
        return _file_in(self.asked.data, name)

    def logits(self, experiment: Experiment) -> dict[str, Floats]:
        """By evaluation set the logits of an experiment's models, (seeds, stories); they are trained where need be."""
        found = [self._one(experiment, seed) for seed in self.seeds]
        return {name: np.array([one[name] for one in found]) for name in self.tests}

    def _one(self, experiment: Experiment, seed: int) -> dict[str, Floats]:
        folder = self.asked.out / "runs" / f"{experiment.folder}-{seed}"
        settings = self._settings(experiment, seed)
        self._same_run(folder, experiment, settings)
        files = {name: folder / _LOGITS[name] for name in self.tests}
        trained = (folder / "union.json").is_file()
        if not (trained and all(path.is_file() for path in files.values())):
            if trained:
                self.tell(f"{folder.name}: trained before, now scored")
            else:
                self._train(folder, experiment, settings)
            self._score(folder, files)
        else:
            self.tell(f"{folder.name}: done before")
        return {name: read_logits(path, self.tests[name].ids) for name, path in files.items()}

    def _settings(self, experiment: Experiment, seed: int) -> Settings:
        recipe = "paper"
        if experiment.without:
            path = self.asked.out / "recipes" / f"without-{experiment.without}.toml"
            if not path.is_file():
                with explained(path):
                    path.parent.mkdir(parents=True, exist_ok=True)
                with atomic(path) as stream:
                    stream.write(as_toml(recipe_without(experiment.without)).encode())
            recipe = str(path)
            read_recipe(path)  # a file that somebody changed into nonsense is noticed before any training
        name = f"{experiment.folder}-{seed}"
        named = {"name": name, "seed": seed, "recipe": recipe, "base": self._base(), **experiment.changes}
        return self.common.asking(named)

    def _base(self) -> str:
        base = self.asked.base or self.size.base
        if base != TINY:
            return base
        from yarnstick.reproduce.tiny_base import tiny_base

        folder = self.asked.out / "tiny"
        return tiny_base(folder, [] if folder.is_dir() else [piece.text for piece in self._corpus("roc").train])

    def _same_run(self, folder: Path, experiment: Experiment, settings: Settings) -> None:
        """Note what the run is, or see that the folder holds this very run."""
        told = {name: value for name, value in settings.table().items() if name not in _FREE}
        about = {"data": str(self.stories_of(experiment.corpus)), "stories": self._limit(), **told}
        record = folder / "run.json"
        if not record.is_file():
            with explained(folder):
                folder.mkdir(parents=True, exist_ok=True)
            with atomic(record) as stream:
                stream.write(json.dumps(about, indent=1).encode())
            return
        held = json.loads(record.read_text("utf-8"))
        if changed := [name for name in about if held.get(name) != about[name]]:
            raise OutputError(
                f"{folder} is another run: {changed[0]} was {held.get(changed[0])!r} and is {about[changed[0]]!r}",
                remedy="give the same options to go on, or another folder with -o",
            )

    def _train(self, folder: Path, experiment: Experiment, settings: Settings) -> None:
        from yarnstick.union import checkpoint
        from yarnstick.union.training import train

        corpus = self._corpus(experiment.corpus)
        if settings.task == "disscore":
            corpus = corpus._replace(sampled=self._sampled(corpus, settings))
        path = self.stories_of(experiment.corpus)
        self.tell(f"{folder.name}: training on {len(corpus.train)} pieces")
        train(
            corpus,
            settings,
            folder,
            resume=(folder / checkpoint.NAME).is_file(),
            tell=lambda line: self.tell(f"{folder.name}: {line}"),
            data=[path.name] if path else [],
        )

    def _score(self, folder: Path, files: Mapping[str, Path]) -> None:
        from yarnstick.union.saving import load
        from yarnstick.union.torch_scoring import score_texts

        saved = load(folder)
        for name, path in files.items():
            ids, texts = self.tests[name]
            ready = [prose(text) for text in texts]
            logits = score_texts(saved, list(map(self._named, ready)))
            write_logits(path, ids, logits, saved.calibration.scores(logits))

    def _named(self, text: str) -> str:
        """Names as the models were trained with: placeholders as in the paper, or the names themselves."""
        return delexicalise(text) if self.common.as_in_paper else text

    def _limit(self) -> int | None:
        return self.asked.stories or self.size.stories

    def _corpus(self, name: str) -> Corpus:
        if name not in self._corpora:
            path = self.stories_of(name)
            if path is None:
                raise InputError(
                    f"there is no {FILES[name]} in {self.asked.data}", remedy="name the folder that has it with --data"
                )
            self._corpora[name] = self._read(path, self.common.as_in_paper)
        return self._corpora[name]

    def _read(self, path: Path, as_in_paper: bool) -> Corpus:
        settings = self.common
        return read_corpus(
            [path], words=settings.words, limit=self._limit(), as_in_paper=as_in_paper, workers=settings.workers
        )

    def _sampled(self, corpus: Corpus, settings: Settings) -> list[Sampled]:
        """What machines made of the corpus's stories, its names as the corpus has them."""
        paths = list(self.asked.sampled) or [self._written()]
        known = {piece.text for side in (corpus.train, corpus.validation) for piece in side}
        rows = [
            Sampled(self._named(row.human), tuple(map(self._named, row.samples)), row.temperatures)
            for row in _rows(paths)
        ]
        kept = [row for row in rows if row.human in known]
        if not kept:
            raise InputError(
                f"none of the {len(rows)} rows of {', '.join(map(str, paths))} is of a story in {self.asked.data}",
                remedy=f"yarnstick generate --data {self.stories_of('roc')} --words {settings.words} -o sampled.jsonl",
            )
        return kept

    def _written(self) -> Path:
        """Stories written for the purpose, once."""
        from yarnstick.generate.run import Request, write_samples
        from yarnstick.generate.writer import Lessons
        from yarnstick.optional import require

        output = self.asked.out / "sampled-roc.jsonl"
        path = self.stories_of("roc")
        if output.is_file() or path is None:
            return output
        cuda = bool(require("torch", "writing stories with a language model").cuda.is_available())
        base, openings, steps, minutes = self.size.writer
        self.tell(f"sampled-roc: {base} learns to write, then goes on from {openings} openings")
        lessons = Lessons(steps, minutes, 2e-3 if base == TINY else 2e-4, batch_tokens=16_384 if cuda else 2_048)
        room = 1_000_000 if cuda else 16_384
        request = Request(base, openings, 0, 1, _TEMPERATURES, 0.95, room, 0, lessons)
        write_samples(self._read(path, as_in_paper=False), request, output)
        return output


def _rows(paths: Sequence[Path]) -> Iterator[Sampled]:
    for path in paths:
        yield from read_sampled(path)
