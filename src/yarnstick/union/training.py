"""Training a story metric: stories in, a folder with a calibrated model out.

The run is a function of its settings, its data and its seed. On a CPU two runs agree to the last bit, and a run that
was killed and resumed agrees with one that was not; on a GPU both agree as far as its kernels do.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from yarnstick.errors import InputError, OutputError, YarnstickError
from yarnstick.union import checkpoint, losses
from yarnstick.union.bases import Base, load_base
from yarnstick.union.batches import Batch, Feed, Pairs, Source
from yarnstick.union.calibration import Calibration
from yarnstick.union.card import write_card
from yarnstick.union.corpus import Corpus
from yarnstick.union.curve import Curve
from yarnstick.union.encoding import Reader
from yarnstick.union.feeding import feeding
from yarnstick.union.groups import groups
from yarnstick.union.model import StoryModel, build, freeze_in
from yarnstick.union.optimiser import make_optimiser, set_rate
from yarnstick.union.saving import NUMBERS, save
from yarnstick.union.settings import Settings
from yarnstick.union.teaching import Teachers
from yarnstick.union.team import Team
from yarnstick.union.torch_scoring import autocast, text_logits, to
from yarnstick.union.validation import Exam, Figures, make_exam, take

Tell = Callable[[str], None]
#: shows (share of the run that is done, a line about it)
Show = Callable[[float, str], None]

#: settings that do not change what is learned, so that a resumed run may have others
_FREE = ("workers", "gpus", "checkpoint_minutes", "checkpoint_steps", "log_steps", "minutes")


class Trained(NamedTuple):
    """What a run leaves behind."""

    folder: Path
    figures: Figures
    steps: int
    minutes: float
    #: the share of the training time in which the model waited for batches
    waited: float


@dataclass
class _Run:
    """Where a run stands; all of it is kept in checkpoints."""

    step: int = 0
    epoch: int = 0
    #: batches of this epoch that are done
    number: int = 0
    #: groups of this epoch that are done
    seen: int = 0
    groups_an_epoch: int = 1
    validations: int = 0
    without_better: int = 0
    seconds: float = 0.0
    best: dict[str, Any] = field(default_factory=dict)
    curve: list[dict[str, float]] = field(default_factory=list)
    #: the losses summed since the last validation
    summed: dict[str, Any] = field(default_factory=dict)


def train(
    corpus: Corpus,
    settings: Settings,
    out: Path,
    *,
    teachers: Sequence[Path] = (),
    lessons: Path | None = None,
    sources: Mapping[str, float] | None = None,
    resume: bool = False,
    tell: Tell = print,
    show: Show = lambda share, line: None,
    data: Sequence[str] = (),
    source: Source = groups,
) -> Trained | None:
    """Train a model on ``corpus`` and save it in ``out``; None where another process saves it.

    ``teachers``: folders of trained models to learn from; ``lessons``: a file that keeps what they said. ``sources``:
    how often the pieces of each source are taken.
    ``resume``: go on with the run whose checkpoint is in ``out``. ``data`` names the files in the model's card.
    """
    return _Trainer(corpus, settings, out, teachers, lessons, sources or {}, resume, tell, show, data, source).go()


class _Trainer:
    def __init__(
        self,
        corpus: Corpus,
        settings: Settings,
        out: Path,
        teachers: Sequence[Path],
        lessons: Path | None,
        sources: Mapping[str, float],
        resume: bool,
        tell: Tell,
        show: Show,
        data: Sequence[str],
        source: Source,
    ) -> None:
        taught = bool(teachers) or (lessons is not None and lessons.exists())
        _check(corpus, settings, out, taught, resume, sources)
        self.corpus, self.settings, self.out, self.data, self.sources = corpus, settings, out, data, sources
        self.team = Team(settings.gpus)
        quiet = not self.team.leads
        self.tell: Tell = (lambda line: None) if quiet else tell
        self.show: Show = (lambda share, line: None) if quiet else show
        device = self.team.device
        torch.manual_seed(settings.seed)
        self.base: Base = load_base(settings.base, settings.dropout)
        limit = self.base.config.get("max_position_embeddings") or settings.window
        self.reader = Reader(
            self.base.tokenizer.to_str(), self.base.before, self.base.after, min(settings.window, int(limit))
        )
        self.model: StoryModel = build(self.base, settings)
        if device.type == "cuda" and settings.precision != "fp32":
            freeze_in(self.model, torch.bfloat16)
        self.model.to(device)
        if settings.compile:
            _compile_layers(self.model.backbone)
        self.teachers = Teachers(teachers, device, lessons)
        reconstruct = ("next" if self.base.decoder else "original") if settings.reconstruction > 0 else ""
        self.feed = Feed(
            corpus.train, corpus.sampled, settings, self.reader, reconstruct, self.teachers.readers, sources, source
        )
        self.exam: Exam = make_exam(
            Feed(corpus.validation, corpus.sampled, settings, self.reader, "", self.teachers.readers, {}, source)
        )
        self.teachers.standardise(self.exam.batches)
        torch.manual_seed(settings.seed)  # loading teachers draws numbers too, and the pupil's must not depend on it
        self.optimiser = make_optimiser(self.model, settings)
        self.run = _Run(groups_an_epoch=max(1, _expected(corpus, settings, sources)))
        self.best_weights: dict[str, Tensor] = {}
        self.identity = {
            **{f"setting {name}": value for name, value in settings.table().items() if name not in _FREE},
            "data": _digest(corpus),
            "sources": dict(sorted(sources.items())),
            "teachers": [str(Path(folder).name) for folder in teachers],
            "base weights": self.base.sha256,
        }
        if resume:
            self._take_up()

    def go(self) -> Trained | None:
        run, settings = self.run, self.settings
        self.tell(self._opening())
        joined = self.team.joined(self.model)
        curve = Curve(losses.NAMES)
        if run.summed:
            curve.take_up(run.summed)
        self.started = time.monotonic() - run.seconds
        checkpointed = logged = time.monotonic()
        began, aside, tokens, groups_done = time.monotonic(), 0.0, 0, 0
        self.model.train()
        waited, stopped = 0.0, False
        with feeding(
            self.feed, math.ceil(settings.epochs), run.epoch, run.number, self.team.rank, self.team.world
        ) as batches:
            for batch in batches:
                share = self.team.agreed(self._share())
                if share >= 1.0:
                    break
                set_rate(self.optimiser, settings, share)
                curve.add(self._step(joined, batch))
                self._advance(batch)
                tokens += int(batch.rows.lengths.sum())
                groups_done += batch.groups
                if run.step % settings.log_steps == 0:
                    now = time.monotonic()
                    waited = batches.waited / max(now - began - aside, 1e-9)
                    line = self._line(share, curve, groups_done / (now - logged), tokens / (now - logged), waited)
                    self.show(share, line)
                    logged, tokens, groups_done = now, 0, 0
                pause = time.monotonic()
                share = self.team.agreed(self._share())
                if share < 1.0 and self._due(share):
                    stop = self._validate(share, curve)
                    stopped = bool(self.team.agreed(float(stop)))
                    if stopped:
                        self.tell(f"stopped: {settings.patience} validations without a better one")
                        break
                often = settings.checkpoint_steps and run.step % settings.checkpoint_steps == 0
                if often or pause - checkpointed > settings.checkpoint_minutes * 60:
                    run.summed = curve.state()
                    self._checkpoint()
                    checkpointed = time.monotonic()
                took = time.monotonic() - pause
                aside += took
                logged += took
            waited = batches.waited / max(time.monotonic() - began - aside, 1e-9)
        if not run.step:
            raise InputError("no training story could be made into a group", remedy="give more stories")
        if not stopped:  # else it has just been looked at, and that was not at the end
            self._validate(1.0, curve)
        if not self.team.leads:
            return None
        return self._finish(waited)

    def _step(self, joined: Any, batch: Batch) -> dict[str, Tensor]:
        settings, device = self.settings, self.team.device
        rows, texts = batch.rows, len(batch.label)
        text, share = to(rows.text, device), to(rows.share, device)
        asked = (to(batch.asked, device), to(batch.answers, device)) if settings.reconstruction > 0 else (None, None)
        with autocast(device, settings.precision):
            output = joined(to(rows.ids, device), to(rows.lengths, device), *asked)
        logits = losses.story_logits(output.stories, text, share, texts)
        parts = {
            "classification": losses.classification(logits, to(batch.label, device), to(batch.weight, device)),
            "ranking": losses.ranking(logits, _paired(batch.order, device)),
            "machine_ranking": losses.ranking(logits, _paired(batch.machine, device), settings.machine_margin),
            "places": losses.places(output.tokens, to(batch.places, device)),
            "reconstruction": output.reconstruction,
        }
        if settings.distillation > 0:
            pupil = losses.story_logits(output.pupil, text, share, texts)
            parts["distillation"] = losses.distillation(pupil, self.teachers(batch))
        parts = {name: part for name, part in parts.items() if getattr(settings, name) > 0}
        self.optimiser.zero_grad(set_to_none=True)
        losses.total(parts, settings).backward()  # type: ignore[no-untyped-call]
        trained = [weight for weight in self.model.parameters() if weight.requires_grad]
        if settings.clip > 0:
            nn.utils.clip_grad_norm_(trained, settings.clip)
        self.optimiser.step()
        return {name: part.detach() for name, part in parts.items()}

    def _advance(self, batch: Batch) -> None:
        run = self.run
        run.step += 1
        run.epoch, run.number, run.seen = batch.epoch, batch.number, batch.seen
        if batch.last:
            run.groups_an_epoch = batch.seen  # some stories cannot be damaged: now it is known how many
            run.epoch, run.number, run.seen = batch.epoch + 1, 0, 0

    def _share(self) -> float:
        """How much of the run is done, by stories or by the clock, whichever is further."""
        run, settings = self.run, self.settings
        run.seconds = time.monotonic() - self.started
        stories = (run.epoch + run.seen / run.groups_an_epoch) / settings.epochs
        clock = run.seconds / 60 / settings.minutes if settings.minutes > 0 else 0.0
        return min(max(stories, clock), 1.0)

    def _due(self, share: float) -> bool:
        # The last validation is the one after the loop.
        marks = max(1, round(self.settings.validations * self.settings.epochs))
        return int(share * marks + 1e-9) > self.run.validations

    def _validate(self, share: float, curve: Curve) -> bool:
        """Judge the model as it is, keep it if it is the best yet; gives whether to stop early."""
        run, settings = self.run, self.settings
        marks = max(1, round(settings.validations * settings.epochs))
        run.validations = int(share * marks + 1e-9)
        if not self.team.leads:
            return False
        self.teachers.keep()
        figures = self._figures()
        means = curve.means()
        if not all(map(math.isfinite, means.values())):
            raise YarnstickError(
                f"the loss is no number any more at step {run.step}", remedy="lower learning_rate, or set clip"
            )
        better = not run.best or figures.criterion > run.best["criterion"]
        run.without_better = 0 if better else run.without_better + 1
        if better:
            run.best = _plain(figures, run.step)
            self.best_weights = {
                name: weight.detach().cpu().clone()
                for name, weight in self.model.named_parameters()
                if weight.requires_grad
            }
        run.curve.append(
            {
                "step": run.step,
                "share": round(share, 6),
                "minutes": round(run.seconds / 60, 3),
                **{f"loss_{name}": round(value, 6) for name, value in means.items()},
                "criterion": figures.criterion,
                "ordering": figures.ordering,
                "auc": figures.auc,
                "machine": figures.machine,
                **{f"source {name}": value for name, value in figures.sources.items()},
                **{f"technique {name}": value for name, value in figures.techniques.items()},
            }
        )
        Curve.write(self.out / "curve.csv", run.curve)
        self.tell(_told(figures, run.step, share, better))
        return 0 < settings.patience <= run.without_better

    def _figures(self) -> Figures:
        self.model.eval()

        def judge(batch: Batch) -> npt.NDArray[np.float64]:
            with torch.no_grad(), autocast(self.team.device, self.settings.precision):
                logits = text_logits(self.model, batch.rows, len(batch.label), self.team.device)
            return np.asarray(logits.double().cpu())

        figures = take(self.exam, judge)
        self.model.train()
        return figures

    def _checkpoint(self) -> None:
        if self.team.leads:
            state = {"run": self.identity, "progress": self.run.__dict__}
            checkpoint.write(self.out, self.model, self.optimiser, self.best_weights, state)

    def _take_up(self) -> None:
        state, self.best_weights = checkpoint.read(self.out, self.model, self.optimiser)
        checkpoint.check_same(self.out, state, self.identity)
        self.run = _Run(**state["progress"])

    def _finish(self, waited: float) -> Trained:
        run = self.run
        weights = dict(self.model.named_parameters())
        with torch.no_grad():
            for name, weight in self.best_weights.items():
                weights[name].copy_(weight)
        found = {name: run.best[name] for name in Figures._fields}
        figures = Figures(**{**found, "calibration": Calibration(*found["calibration"])})
        if figures.calibration.slope <= 0:
            self.tell(
                f"note: on validation stories the model tells nothing apart (AUC {figures.auc:.3f}), so that its "
                "scores mean nothing: train it longer, or on more stories"
            )
        minutes = run.seconds / 60
        card = write_card(
            self.settings,
            self.base.name,
            self.data,
            self.corpus,
            self.sources,
            run.best,
            run.curve,
            minutes,
            self.teachers.told(),
        )
        save(self.out, self.model, self.base, self.reader, self.settings, figures.calibration, card)
        (self.out / checkpoint.NAME).unlink(missing_ok=True)
        return Trained(self.out, figures, run.step, minutes, waited)

    def _opening(self) -> str:
        trained = sum(weight.numel() for weight in self.model.parameters() if weight.requires_grad)
        every = sum(weight.numel() for weight in self.model.parameters())
        texts = sum(len(group.members) for section in self.exam.sections for group in section.groups)
        on = torch.cuda.get_device_name() if self.team.device.type == "cuda" else "CPU"
        again = f", going on at step {self.run.step}" if self.run.step else ""
        return (
            f"{self.base.name}: {trained:,} of {every:,} weights are trained on {on}; "
            f"{len(self.corpus.train):,} pieces, {texts:,} validation texts, "
            f"{len(self.corpus.sampled):,} with machine samples{again}"
        )

    def _line(self, share: float, curve: Curve, groups_a_second: float, tokens_a_second: float, waited: float) -> str:
        left = self.run.seconds * (1 - share) / max(share, 1e-6)
        parts = " ".join(f"{name} {value:.3f}" for name, value in curve.recent().items())
        return (
            f"step {self.run.step}, {share:.1%}, {parts}, {groups_a_second:,.0f} stories/s, "
            f"{tokens_a_second:,.0f} tokens/s, waiting for data {waited:.1%}, {left / 60:.1f} min left"
        )


def _check(
    corpus: Corpus, settings: Settings, out: Path, taught: bool, resume: bool, sources: Mapping[str, float]
) -> None:
    if (out / NUMBERS).exists():
        raise OutputError(f"{out} holds a finished model", remedy="train into another folder, or remove it")
    there = (out / checkpoint.NAME).exists()
    if there and not resume:
        raise OutputError(f"{out} holds an unfinished run", remedy="go on with --resume, or remove the folder")
    if resume and not there:
        raise InputError(f"there is no checkpoint in {out}", remedy="leave --resume out to start anew")
    if settings.distillation > 0 and not taught:
        raise InputError("distillation has a weight, but there is no teacher", remedy="--teacher, or distillation=0")
    if settings.task == "disscore" and not corpus.sampled:
        raise InputError(
            "telling people's stories from a machine's needs stories by a machine",
            remedy="write them with `yarnstick generate` from the same data and --words, and name them with --sampled",
        )
    if not corpus.train or not corpus.validation:
        raise InputError(
            f"{len(corpus.train)} pieces to train on and {len(corpus.validation)} to validate on are too few",
            remedy="give more stories: 5% are kept for validation",
        )
    known = {piece.source for piece in corpus.train}
    if lacking := sorted(set(sources) - known):
        raise InputError(f"no story is from a source {lacking[0]!r}", remedy=f"the sources: {', '.join(sorted(known))}")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make {out}: {error.strerror}", remedy="name another folder with -o") from error


def _compile_layers(backbone: nn.Module) -> None:
    """Compile layer by layer: the layers share their code, so one is compiled and the others take it as it is."""
    for module in backbone.modules():
        if isinstance(module, nn.ModuleList):
            for layer in module:
                layer.compile(dynamic=True)


def _expected(corpus: Corpus, settings: Settings, sources: Mapping[str, float]) -> int:
    pieces = corpus.train
    if settings.task == "disscore":
        humans = {row.human for row in corpus.sampled}
        pieces = [piece for piece in pieces if piece.text in humans]
    return round(sum(sources.get(piece.source, 1.0) for piece in pieces))


def _digest(corpus: Corpus) -> str:
    digest = hashlib.sha256()
    for side in (corpus.train, corpus.validation):
        for piece in side:
            digest.update(f"{piece.source}\0{piece.text}\0".encode())
    for row in corpus.sampled:
        digest.update("\0".join((row.human, *row.samples)).encode())
    return digest.hexdigest()[:16]


def _paired(pairs: Pairs, device: torch.device) -> losses.Paired:
    return losses.Paired(*(to(array, device) for array in pairs))


def _plain(figures: Figures, step: int) -> dict[str, Any]:
    return {**figures._asdict(), "calibration": list(figures.calibration), "step": step}


def _told(figures: Figures, step: int, share: float, better: bool) -> str:
    by = ", ".join(f"{name} {value:.3f}" for name, value in {**figures.sources, **figures.techniques}.items())
    machine = "" if math.isnan(figures.machine) else f", above machines {figures.machine:.3f}"
    return (
        f"validation at step {step} ({share:.0%}): ordering {figures.ordering:.3f}, AUC {figures.auc:.3f}{machine}"
        f" ({by}){', best so far' if better else ''}"
    )
