"""How well a model orders stories it was not trained on: in all, by source, and by what was done to them."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from yarnstick.errors import InputError
from yarnstick.union.batches import Batch, Feed, make_batch, pack
from yarnstick.union.calibration import Calibration, fit
from yarnstick.union.groups import Group, Member

#: the validation stories and their damage are the same for every seed, so that seeds can be compared
_SEED = 20_200_546
_TEXTS_A_BATCH = 64
_TECHNIQUE_GROUPS = 80

#: a model's logit for every text of a batch
Judge = Callable[[Batch], npt.NDArray[np.float64]]


class Section(NamedTuple):
    """Groups that are reported together; the sources count in the criterion, the techniques are for reading."""

    kind: str
    name: str
    groups: list[Group]


class Exam(NamedTuple):
    """The validation groups, and all of them as batches."""

    sections: list[Section]
    batches: list[Batch]
    #: where each batch's texts stand among those of all sections, one after another
    places: list[npt.NDArray[np.int64]]


class Figures(NamedTuple):
    """What a validation found. ``criterion`` is what the best checkpoint is chosen by."""

    criterion: float
    #: share of pairs in order: human above damaged, less damaged above more
    ordering: float
    #: area under the curve of human against damaged, across stories
    auc: float
    #: share of people's stories above a machine's; NaN where there is none
    machine: float
    sources: dict[str, float]
    techniques: dict[str, float]
    calibration: Calibration


def make_exam(feed: Feed) -> Exam:
    """Validation groups for ``feed``, whose pieces are those of the validation split."""
    settings = dataclasses.replace(feed.settings, seed=_SEED)
    by_source: dict[str, list[Any]] = {}
    for piece in feed.pieces:
        by_source.setdefault(piece.source, []).append(piece)
    sections = []
    share = max(1, settings.validation_groups // max(len(by_source), 1))
    for source, pieces in sorted(by_source.items()):
        some = random.Random(_SEED).sample(pieces, min(share, len(pieces)))
        try:
            made = list(feed.source(some, feed.sampled, settings, seed=_SEED, epoch=0, workers=0))
        except InputError:
            if settings.task != "disscore":  # there, a source may have nothing a machine wrote
                raise
            made = []
        if made:
            sections.append(Section("source", source, made))
    if not sections:
        raise InputError(
            "no validation story could be made into a group", remedy="give more stories: 5% are kept for validation"
        )
    if settings.task == "union":
        sections += _by_technique(
            feed.pieces, settings.recipe, max(1, min(_TECHNIQUE_GROUPS, settings.validation_groups))
        )
    return _batched(sections, feed)


def take(exam: Exam, judge: Judge) -> Figures:
    """Have ``judge`` give every text its logit, and see how they are ordered."""
    logits = np.zeros(sum(len(group.members) for section in exam.sections for group in section.groups))
    for batch, places in zip(exam.batches, exam.places, strict=True):
        logits[places] = judge(batch)
    sources: dict[str, float] = {}
    techniques: dict[str, float] = {}
    machine: list[float] = []
    human_logits: list[float] = []
    damaged_logits: list[float] = []
    weights: list[float] = []
    at = 0
    for section in exam.sections:
        shares = []
        for group in section.groups:
            own = logits[at : at + len(group.members)]
            at += len(group.members)
            shares.append(in_order(group.members, own))
            if section.kind != "source":
                continue
            machine += in_order_of_machine(group.members, own)
            worse = [float(value) for member, value in zip(group.members, own, strict=True) if member.kind == "damaged"]
            if not worse:  # people's stories against a machine's are then what is told apart
                worse = [float(value) for value in own[1:]]
            human_logits.append(float(own[0]))
            damaged_logits += worse
            weights += [1.0 / max(len(worse), 1)] * len(worse)
        known = [share for share in shares if share is not None]
        if known:
            (sources if section.kind == "source" else techniques)[section.name] = float(np.mean(known))
    ordering = float(np.mean(list(sources.values()))) if sources else float(np.mean(machine))
    area = auc(np.array(human_logits), np.array(damaged_logits))
    calibration = fit(
        np.array(human_logits + damaged_logits),
        np.arange(len(human_logits) + len(damaged_logits)) < len(human_logits),
        np.array([1.0] * len(human_logits) + weights),
    )
    found = float(np.mean(machine)) if machine else float("nan")
    return Figures((ordering + area) / 2, ordering, area, found, sources, techniques, calibration)


def in_order(members: Sequence[Member], logits: npt.NDArray[np.float64]) -> float | None:
    """The share of a group's pairs that stand as their degrees do, ties counting half; machines' texts aside.

    >>> from yarnstick.union.groups import Member
    >>> made = [Member("", 1.0 - d, d, "human" if d == 0 else "damaged", (), "") for d in (0, 1, 2)]
    >>> in_order(made, np.array([3.0, 1.0, 2.0]))
    0.6666666666666666
    """
    return _share(
        (float(logits[i] - logits[j]))
        for i, one in enumerate(members)
        for j, other in enumerate(members)
        if one.degree < other.degree and "machine" not in (one.kind, other.kind)
    )


def in_order_of_machine(members: Sequence[Member], logits: npt.NDArray[np.float64]) -> list[float]:
    """Whether the human text stands above each of the machines'; one number a group that has any."""
    share = _share(float(logits[0] - logits[i]) for i, one in enumerate(members) if one.kind == "machine")
    return [] if share is None else [share]


def auc(above: npt.NDArray[np.float64], below: npt.NDArray[np.float64]) -> float:
    """The chance that a random one of ``above`` is higher than a random one of ``below``, ties counting half."""
    if not len(above) or not len(below):
        return float("nan")
    ordered = np.sort(below)
    wins = np.searchsorted(ordered, above, "left") + np.searchsorted(ordered, above, "right")
    return float(wins.mean() / 2 / len(below))


def _share(differences: Iterable[float]) -> float | None:
    points = [1.0 if d > 0 else 0.5 if d == 0 else 0.0 for d in differences]
    return sum(points) / len(points) if points else None


def _by_technique(pieces: Sequence[Any], name: str, count: int) -> list[Section]:
    from yarnstick.union.perturb import CannotPerturb, Pool, damage, read_recipe

    recipe = read_recipe(name)
    some = random.Random(_SEED).sample(list(pieces), min(count, len(pieces)))
    pool = Pool([piece.text for piece in pieces], _SEED)
    sections = []
    for technique in recipe.weight_of:
        only = dataclasses.replace(recipe, counts=(1.0,), weights=((technique, 1.0),))
        made = []
        for number, piece in enumerate(some):
            try:
                negative = damage(piece.text, only, random.Random(f"{technique}/{number}"), pool, lead=len(piece.lead))
            except CannotPerturb:
                continue
            human = Member(piece.text, 1.0, 0, "human", (), piece.text)
            spans = tuple((edit.start, edit.end) for edit in negative.edits)
            made.append(Group((human, Member(negative.text, 0.0, 1, "damaged", spans, piece.text))))
        if made:
            sections.append(Section("technique", technique, made))
    return sections


def _batched(sections: list[Section], feed: Feed) -> Exam:
    several = [group for section in sections for group in section.groups]
    starts = np.cumsum([0, *(len(group.members) for group in several)])
    lengths = [[len(member.text) for member in group.members] for group in several]
    batches, places = [], []
    for chosen in pack(lengths, 0, _TEXTS_A_BATCH):
        batches.append(make_batch([several[place] for place in chosen], feed.reader, "", feed.teachers))
        places.append(np.concatenate([np.arange(starts[place], starts[place + 1]) for place in chosen]))
    return Exam(sections, batches, places)
