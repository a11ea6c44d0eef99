"""Groups of texts that can be compared: a human story and what was made of it, or what a machine wrote instead.

Every group is drawn by (seed, epoch, its piece) alone, so that a run can be repeated and resumed, and made by other
processes well before the trainer asks for it. Damage draws foreign sentences from the piece's own source: a sentence of
a fairy tale in an everyday story would be told by its words, not by its sense.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol

from yarnstick.errors import InputError
from yarnstick.text.sentences import sentence_spans
from yarnstick.union.corpus import Piece, Sampled
from yarnstick.union.perturb import CannotPerturb, Pool, Recipe, chain, read_recipe
from yarnstick.union.workers import in_order

#: groups made at a time by a worker
_CHUNK = 64
#: chunks kept ready: several thousand groups, since the trainer takes them by the thousand to sort them by length
_AHEAD = 128
#: so many characters of a source to draw sentences and keywords from, others each epoch: every worker indexes them
_POOL_CHARACTERS = 1_000_000


class GroupSettings(Protocol):
    """What groups need to know of a run's settings."""

    @property
    def task(self) -> str: ...
    @property
    def recipe(self) -> str: ...
    @property
    def degrees(self) -> int: ...
    @property
    def machine(self) -> int: ...
    @property
    def short(self) -> int: ...
    @property
    def short_recipe(self) -> str: ...
    @property
    def short_machine(self) -> int: ...


class Member(NamedTuple):
    text: str
    #: 1 for what a person wrote, 0 for the rest
    label: float
    #: how far from the human story: 0 is best. A machine's text stands one below it.
    degree: int
    #: "human", "damaged" or "machine"
    kind: str
    #: what was damaged, as characters of ``text``
    spans: tuple[tuple[int, int], ...]
    #: the undamaged story; "" for a machine's text, which has none
    original: str


class Group(NamedTuple):
    """``members[0]`` is human; only members of one group are compared."""

    members: tuple[Member, ...]


class _Ways(NamedTuple):
    """How pieces are damaged, and how many machine's stories they get; short ones may be treated otherwise.

    What spoils a story of five sentences (one of them from another story) is a trifle in one of forty.
    """

    recipe: Recipe
    machine: int
    short: int
    short_recipe: Recipe
    short_machine: int

    @classmethod
    def of(cls, settings: GroupSettings) -> _Ways:
        return cls(
            read_recipe(settings.recipe),
            settings.machine,
            settings.short,
            read_recipe(settings.short_recipe or settings.recipe),
            settings.machine if settings.short_machine < 0 else settings.short_machine,
        )

    def for_piece(self, piece: Piece) -> tuple[Recipe, int]:
        """The recipe, and the number of machine's stories."""
        if len(piece.text.split()) <= self.short:
            return self.short_recipe, self.short_machine
        return self.recipe, self.machine


class _Task(NamedTuple):
    """All that one group is made of."""

    key: str
    piece: Piece
    sampled: Sampled | None
    #: where RUBER's wrong continuation is from
    other: Piece | None


def groups(
    pieces: Sequence[Piece],
    sampled: Sequence[Sampled],
    settings: GroupSettings,
    *,
    seed: int,
    epoch: int,
    workers: int = 0,
    sources: Mapping[str, float] | None = None,
    on_skipped: Callable[[int], None] | None = None,
) -> Iterator[Group]:
    """One group for every piece, in an order of the epoch's own.

    ``sources``: how often the pieces of a source are taken in an epoch: 0.5 takes half of them, a new half each
    epoch, 2 takes each twice, damaged differently; 1 where nothing is said. ``on_skipped`` is told how many pieces
    could not be damaged, as it happens.
    """
    machines = {row.human: row for row in sampled if row.samples}
    if settings.task == "disscore" and not any(piece.text in machines for piece in pieces):
        raise InputError(
            "telling human from generated stories needs stories sampled from these very pieces",
            remedy="write them with `yarnstick generate` from the same data and --words, and name them with --sampled",
        )
    tasks = _tasks(pieces, machines, settings.task, f"{seed}/{epoch}", sources or {})
    work = partial(
        _make,
        task=settings.task,
        ways=_Ways.of(settings),
        degrees=settings.degrees,
        pools=_pools(pieces, f"{seed}/{epoch}") if settings.task == "union" else {},
    )
    for made in in_order(work, _chunks(tasks), workers, ahead=_AHEAD):
        yield from (group for group in made if group is not None)
        if on_skipped is not None and (skipped := made.count(None)):
            on_skipped(skipped)


def _tasks(
    pieces: Sequence[Piece], machines: Mapping[str, Sampled], task: str, key: str, sources: Mapping[str, float]
) -> Iterator[_Task]:
    rng = random.Random(key)
    drawn = [
        (place, turn)
        for place, piece in enumerate(pieces)
        for turn in range(_times(sources.get(piece.source, 1.0), rng))
        if task != "disscore" or piece.text in machines
    ]
    rng.shuffle(drawn)
    others = _others(pieces, rng) if task == "ruber" else {}
    for place, turn in drawn:
        piece = pieces[place]
        yield _Task(f"{key}/{place}/{turn}", piece, machines.get(piece.text), others.get(place))


def _others(pieces: Sequence[Piece], rng: random.Random) -> dict[int, Piece]:
    """Another piece of the same source for each, where there is one."""
    of_source: dict[str, list[int]] = {}
    for place, piece in enumerate(pieces):
        of_source.setdefault(piece.source, []).append(place)
    found: dict[int, Piece] = {}
    for places in of_source.values():
        for index, place in enumerate(places):
            if len(places) > 1:
                step = rng.randrange(1, len(places))
                found[place] = pieces[places[(index + step) % len(places)]]
    return found


def _times(weight: float, rng: random.Random) -> int:
    whole = int(weight)
    return whole + (rng.random() < weight - whole)


def _chunks(tasks: Iterator[_Task]) -> Iterator[list[_Task]]:
    chunk: list[_Task] = []
    for task in tasks:
        chunk.append(task)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _pools(pieces: Sequence[Piece], key: str) -> dict[str, Pool]:
    order = list(pieces)
    random.Random(key).shuffle(order)
    texts: dict[str, list[str]] = {}
    room: dict[str, int] = {}
    for piece in order:
        left = room.get(piece.source, _POOL_CHARACTERS)
        if left > 0:
            texts.setdefault(piece.source, []).append(piece.text)
            room[piece.source] = left - len(piece.text)
    return {source: Pool(stories) for source, stories in sorted(texts.items())}


def _make(
    tasks: Sequence[_Task],
    *,
    task: str,
    ways: _Ways,
    degrees: int,
    pools: Mapping[str, Pool],
) -> list[Group | None]:
    """The groups of some tasks; None where a piece could not be damaged."""
    made: list[Group | None] = []
    for one in tasks:
        rng = random.Random(one.key)
        recipe, machine = ways.for_piece(one.piece)
        members = [_human(one.piece)]
        if task == "ruber":
            members += _wrong_continuation(one)
        elif task == "union":
            members += _damaged(one.piece, recipe, rng, pools[one.piece.source], degrees)
        if one.sampled is not None and task != "ruber" and (task == "disscore" or len(members) > 1):
            members += _machine(one.sampled, rng, max(machine, 1) if task == "disscore" else machine)
        made.append(Group(tuple(members)) if len(members) > 1 else None)
    return made


def _human(piece: Piece) -> Member:
    return Member(piece.text, 1.0, 0, "human", (), piece.text)


def _damaged(piece: Piece, recipe: Recipe, rng: random.Random, pool: Pool, degrees: int) -> list[Member]:
    try:
        negatives = chain(piece.text, recipe, rng, pool, degrees, lead=len(piece.lead))
    except CannotPerturb:
        return []
    return [
        Member(
            negative.text, 0.0, degree, "damaged", tuple((edit.start, edit.end) for edit in negative.edits), piece.text
        )
        for degree, negative in enumerate(negatives, 1)
    ]


def _machine(sampled: Sampled, rng: random.Random, count: int) -> list[Member]:
    chosen = rng.sample(sampled.samples, min(count, len(sampled.samples)))
    return [Member(text, 0.0, 1, "machine", (), "") for text in chosen]


def _wrong_continuation(task: _Task) -> list[Member]:
    """RUBER's unreferenced part: the same beginning, and how another story goes on."""
    if task.other is None or task.other.text == task.piece.text:
        return []
    beginning = task.piece.text[: _beginning(task.piece)]
    foreign = task.other.text[_beginning(task.other) :].strip()
    if not foreign:
        return []
    text = f"{beginning} {foreign}"
    return [Member(text, 0.0, 1, "damaged", ((len(beginning) + 1, len(text)),), task.piece.text)]


def _beginning(piece: Piece) -> int:
    return len(piece.lead) or sentence_spans(piece.text)[0][1]
