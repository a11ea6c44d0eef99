"""From groups of texts to arrays a model can be trained on. Needs no torch, so that it can run in its own process.

Groups stay together, since only members of one group are compared. Groups of like length share a batch, so that
little of it is padding. The weights with which members and pairs count are worked out here, in NumPy, so that the
losses are plain weighted sums and the GPU is never waited for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from yarnstick.union.encoding import Read, Reader, Rows, damaged_tokens, padded, rows_of, width_of
from yarnstick.union.groups import Group, Member, groups
from yarnstick.union.settings import Settings

#: makes the groups of an epoch; :func:`yarnstick.union.groups.groups`, or another of its kind
Source = Callable[..., Iterator[Group]]


class Pairs(NamedTuple):
    """Texts of which the first should stand higher, by their place in the batch; the weights sum to one."""

    better: npt.NDArray[np.int64]
    worse: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float32]


class Batch(NamedTuple):
    """Some groups, ready for the model."""

    rows: Rows
    #: 1 for damaged tokens, 0 for sound ones, -1 where nobody knows; one a token of ``rows``
    places: npt.NDArray[np.int8]
    #: what reconstruction is asked for: places in the flattened rows, and the tokens that belong there
    asked: npt.NDArray[np.int64]
    answers: npt.NDArray[np.int64]
    label: npt.NDArray[np.float32]
    #: how much each text counts in classification; a group's human and damaged halves count alike
    weight: npt.NDArray[np.float32]
    order: Pairs
    machine: Pairs
    #: the same texts as each teacher reads them
    teachers: tuple[Rows, ...]
    #: a name for each text, by which what teachers said of it is remembered
    keys: npt.NDArray[np.uint64]
    groups: int
    epoch: int
    #: which batch of its epoch this is, and how many groups the epoch has given with it
    number: int = 0
    seen: int = 0
    #: whether it closes its epoch
    last: bool = False


@dataclass(frozen=True)
class Feed:
    """Everything batches are made of, in a form that travels to another process."""

    pieces: Sequence[Any]
    sampled: Sequence[Any]
    settings: Settings
    reader: Reader
    #: what is reconstructed: "original" tokens (an encoder), the "next" one (a decoder), or "" for nothing
    reconstruct: str = ""
    teachers: tuple[Reader, ...] = ()
    sources: Mapping[str, float] = field(default_factory=dict)
    source: Source = groups
    #: the batches that come again, by epoch
    _kept: dict[int, list[Batch]] = field(default_factory=dict, repr=False, compare=False)

    def epoch(self, epoch: int, skip: int = 0) -> Iterator[Batch]:
        """The batches of one epoch, without the first ``skip``; the same ones whenever it is asked."""
        rounds = self.settings.rounds
        if not rounds:
            yield from self._made(epoch, skip)
        elif epoch < rounds:
            kept = []
            for batch in self._made(epoch):
                kept.append(batch)
                if batch.number > skip:
                    yield batch
            self._kept[epoch] = kept
        else:
            yield from self._again(epoch, skip)

    def _again(self, epoch: int, skip: int) -> Iterator[Batch]:
        """The batches of an earlier epoch in a new order."""
        earlier = epoch % self.settings.rounds
        if earlier not in self._kept:  # a resumed run has not seen them
            self._kept[earlier] = list(self._made(earlier))
        kept = list(self._kept[earlier])
        random.Random(f"{self.settings.seed}/{epoch}").shuffle(kept)
        seen = 0
        for number, batch in enumerate(kept, 1):
            seen += batch.groups
            if number > skip:
                yield batch._replace(epoch=epoch, number=number, seen=seen, last=number == len(kept))

    def _made(self, epoch: int, skip: int = 0) -> Iterator[Batch]:
        settings = self.settings
        seed = settings.seed if settings.drawn < 0 else settings.drawn
        more = {"sources": self.sources} if self.sources else {}
        made = self.source(
            self.pieces, self.sampled, settings, seed=seed, epoch=epoch, workers=settings.workers, **more
        )
        waiting: Batch | None = None
        seen = number = 0
        for bucket, several in enumerate(_chunks(made, settings.bucket)):
            packs = pack(self._lengths(several), settings.batch_tokens, settings.batch_texts)
            random.Random(f"{seed}/{epoch}/{bucket}").shuffle(packs)
            for places in packs:
                number += 1
                seen += len(places)
                if number <= skip:
                    continue
                if waiting is not None:
                    yield waiting
                batch = make_batch([several[place] for place in places], self.reader, self.reconstruct, self.teachers)
                waiting = batch._replace(epoch=epoch, number=number, seen=seen)
        if waiting is not None:
            yield waiting._replace(last=True)

    def _lengths(self, several: Sequence[Group]) -> list[list[int]]:
        # Characters tell which texts are of like length well enough, without tokenising everything twice; the
        # budget is counted in tokens all the same, by the longest ratio seen in English prose.
        room = self.reader.window
        return [
            [min(len(member.text) * 10 // 38 + self.reader.specials + 1, room) for member in group.members]
            + [room] * sum(len(member.text) * 10 // 38 // room for member in group.members)
            for group in several
        ]


def pack(lengths: Sequence[Sequence[int]], tokens: int, texts: int) -> list[list[int]]:
    """Which groups share a batch: ``tokens`` bounds the rectangle, padding included, ``texts`` the rows.

    >>> pack([[10, 9], [30, 31], [8, 8], [30, 30]], tokens=64, texts=0)
    [[2, 0], [3], [1]]
    """
    packs: list[list[int]] = []
    rows = 0
    for place in sorted(range(len(lengths)), key=lambda place: (max(lengths[place]), place)):
        more, width = len(lengths[place]), width_of(max(lengths[place]))
        over = (tokens and (rows + more) * width > tokens) or (texts and rows + more > texts)
        if not packs or over:
            packs.append([])
            rows = 0
        packs[-1].append(place)
        rows += more
    return packs


def make_batch(
    several: Sequence[Group], reader: Reader, reconstruct: str = "", teachers: Sequence[Reader] = ()
) -> Batch:
    """Some groups as arrays."""
    members = [member for group in several for member in group.members]
    texts = [member.text for member in members]
    reads = reader.read(texts)
    group_of = np.repeat(np.arange(len(several)), [len(group.members) for group in several])
    asked, answers = _reconstruction(members, reads, reader, reconstruct)
    rows = rows_of(reader, reads)
    width = rows.ids.shape[1]
    return Batch(
        rows=rows,
        places=padded(_places(members, reads, reader), np.int8, -1),
        asked=np.array([row * width + place for row, place in asked], np.int64),
        answers=np.array(answers, np.int64),
        label=np.array([member.label for member in members], np.float32),
        weight=_weights(members, group_of),
        order=_pairs(several, _damage_apart),
        machine=_pairs(several, lambda better, worse: better.kind == "human" and worse.kind == "machine"),
        teachers=tuple(rows_of(teacher, teacher.read(texts)) for teacher in teachers),
        keys=np.array([int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) for text in texts], np.uint64),
        groups=len(several),
        epoch=0,
    )


def _places(members: Sequence[Member], reads: Sequence[Read], reader: Reader) -> list[list[int]]:
    rows = []
    for member, read in zip(members, reads, strict=True):
        if member.kind == "machine":
            known = [-1] * len(read.ids)
        else:
            damaged = damaged_tokens(read.encoding, member.spans, len(read.ids)) if member.spans else frozenset()
            known = [int(place in damaged) for place in range(len(read.ids))]
        before, after = [-1] * len(reader.before), [-1] * len(reader.after)
        rows += [before + known[first:stop] + after for first, stop in read.windows]
    return rows


def _reconstruction(
    members: Sequence[Member], reads: Sequence[Read], reader: Reader, what: str
) -> tuple[list[tuple[int, int]], list[int]]:
    """Rows and places that are asked, and their answers."""
    if not what:
        return [], []
    originals = {member.text: read for member, read in zip(members, reads, strict=True) if member.kind == "human"}
    missing = list({member.original for member in members if member.original and member.original not in originals})
    if missing and what == "original":
        originals.update(zip(missing, reader.read(missing), strict=True))
    asked: list[tuple[int, int]] = []
    answers: list[int] = []
    row = 0
    for member, read in zip(members, reads, strict=True):
        start = len(reader.before)
        if what == "next" and member.kind == "human":
            for number, window in enumerate(read.windows):
                ids = reader.row(read, window)
                asked += [(row + number, place) for place in range(len(ids) - 1)]
                answers += ids[1:]
        elif what == "original" and member.original and len(read.windows) == 1:
            # Eq. 5 asks for the n-th token of the original at the n-th place of what is read.
            wanted = originals[member.original].ids[: len(read.ids)]
            asked += [(row, start + place) for place in range(len(wanted))]
            answers += wanted
        row += len(read.windows)
    return asked, answers


def _weights(members: Sequence[Member], group_of: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """A group's human and damaged members weigh a half each; what a machine wrote is not classified.

    People do not find every machine's story worse than a person's, so a machine's is only ranked.
    """
    weights = np.zeros(len(members), np.float64)
    kinds = np.array([member.kind for member in members])
    for kind in ("human", "damaged"):
        of_kind = kinds == kind
        if of_kind.any():
            weights[of_kind] = 1.0 / np.bincount(group_of, of_kind)[group_of[of_kind]]
    if not (kinds == "damaged").any():  # telling people from machines is then the task itself
        weights = np.array([1.0 / np.sum((group_of == group_of[n]) & (kinds == kinds[n])) for n in range(len(members))])
    shares: npt.NDArray[np.float32] = (weights / max(weights.sum(), 1e-9)).astype(np.float32)
    return shares


def _damage_apart(better: Member, worse: Member) -> bool:
    return better.degree < worse.degree and "machine" not in (better.kind, worse.kind)


def _pairs(several: Sequence[Group], wanted: Callable[[Member, Member], bool]) -> Pairs:
    """Every wanted pair inside a group; groups count alike, however many pairs they have."""
    better: list[int] = []
    worse: list[int] = []
    weights: list[float] = []
    start = 0
    for group in several:
        numbered = list(enumerate(group.members, start))
        start += len(numbered)
        found = [(i, j) for i, one in numbered for j, other in numbered if i != j and wanted(one, other)]
        better += [i for i, _ in found]
        worse += [j for _, j in found]
        weights += [1.0 / len(found) for _ in found]
    total = sum(weights)
    return Pairs(
        np.array(better, np.int64),
        np.array(worse, np.int64),
        np.array(weights, np.float32) / np.float32(total or 1.0),
    )


def _chunks(made: Iterable[Group], size: int) -> Iterator[list[Group]]:
    iterator = iter(made)
    while several := list(islice(iterator, size)):
        yield several
