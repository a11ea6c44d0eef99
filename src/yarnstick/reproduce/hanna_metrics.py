"""HANNA's 38 string-based columns, story by story: ours beside the published ones (Chhun et al. 2022)."""

from __future__ import annotations

import csv
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yarnstick.engine.scoring import score
from yarnstick.errors import InputError
from yarnstick.metrics.groups import GROUPS
from yarnstick.metrics.meteor_score import MissingMeteorDataError
from yarnstick.stories.corpora import corpus
from yarnstick.stories.scores import Scores

#: two scores are taken as equal within this: the published ROUGE columns have five decimals
EQUAL = 1e-5
#: half a unit of the fifth decimal more than floating point can be off by
_SLACK = 1e-12
GOAL_PEARSON = 0.999

#: METEOR as HANNA ran it, which needs data that yarnstick does not carry
EXACT_METEOR = "METEOR (preset hanna-exact)"
#: why a column falls short of equality for some stories; the numbers beside it are measured
REASONS: dict[str, str] = {
    "METEOR": (
        "HANNA ran METEOR 1.5 with its own synonyms (WordNet), paraphrases and function words, which are not ours to "
        "ship. The preset `hanna` matches words, stems and the synonyms of our own lexicon, and works anywhere; with "
        "METEOR's data (`pip install 'yarnstick[meteor]'`) `meteor:preset=hanna-exact` equals the published column."
    ),
}


@dataclass(frozen=True, slots=True)
class ColumnParity:
    """How one column compares over all stories."""

    name: str
    signature: str
    stories: int
    equal: int
    median_difference: float
    largest_difference: float
    pearson: float
    #: without the human stories, which most columns compare with themselves
    pearson_without_human: float

    @property
    def verdict(self) -> str:
        """``exact``, ``exact but for n``, ``close`` (Pearson reaches the goal) or ``short``."""
        if self.equal == self.stories:
            return "exact"
        if self.pearson < GOAL_PEARSON:
            return "short"
        return f"exact but for {self.stories - self.equal}" if self.equal >= 0.9 * self.stories else "close"


def hanna_metrics(folder: Path, workers: int = 1, store: Path | None = None) -> list[ColumnParity]:
    """Score HANNA's stories with ``hanna-string`` and compare every column with the published one.

    Where METEOR's data is installed, METEOR is also compared as HANNA ran it.
    """
    published, systems = read_published(folder / "metric_scores.csv")
    stories = corpus("hanna", folder).stories
    scores = score(stories, "hanna-string", workers=workers, store=store)
    table = scores.to_arrow()
    keys = list(zip(table.column("system").to_pylist(), table.column("prompt_id").to_pylist(), strict=True))
    human = np.array([system == "Human" for system, _ in keys])
    # The published lists follow the prompts' order, which is the order of the stories within a system.
    position: dict[str, int] = {}
    for _, prompt in keys:
        position.setdefault(prompt, len(position))

    def parity(label: str, column: str, of: Scores) -> ColumnParity:
        if column not in published:
            raise InputError(f"has no column {column!r}", file=str(folder / "metric_scores.csv"))
        ours = np.array(of[column], dtype=np.float64)
        theirs = np.array([published[column][systems.index(system)][position[prompt]] for system, prompt in keys])
        return compare(label, of.signatures[column], ours, theirs, human)

    found = [parity(name, name, scores) for name in scores.columns]
    with suppress(MissingMeteorDataError):
        exact = score(stories, "meteor:preset=hanna-exact", workers=workers, store=store)
        found.append(parity(EXACT_METEOR, "METEOR", exact))
    return found


def compare(
    name: str,
    signature: str,
    ours: NDArray[np.float64],
    theirs: NDArray[np.float64],
    human: NDArray[np.bool_],
) -> ColumnParity:
    """The figures of one column."""
    difference = np.abs(ours - theirs)
    return ColumnParity(
        name=name,
        signature=signature,
        stories=len(ours),
        equal=int((difference <= EQUAL + _SLACK).sum()),
        median_difference=float(np.median(difference)),
        largest_difference=float(difference.max()),
        pearson=pearson(ours, theirs),
        pearson_without_human=pearson(ours[~human], theirs[~human]),
    )


def pearson(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Pearson's r, each side scaled by its largest deviation first: squares of 1e-300 would vanish."""
    sides = []
    for side in (one, other):
        centred = side - side.mean()
        scale = np.abs(centred).max()
        if scale == 0:
            return float("nan")
        sides.append(centred / scale)
    return float((sides[0] * sides[1]).sum() / np.sqrt((sides[0] ** 2).sum() * (sides[1] ** 2).sum()))


def read_published(path: Path) -> tuple[dict[str, list[list[float]]], list[str]]:
    """Columns of metric_scores.csv without the family signs, each a list of 96 values a system; the systems."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    names = [heading.rsplit(" ", 1)[0] if " " in heading else heading for heading in rows[0]]
    columns = {name: [json.loads(row[place]) for row in rows[1:]] for place, name in enumerate(names) if place > 0}
    return columns, [row[0] for row in rows[1:]]


def as_markdown(found: list[ColumnParity], command: str) -> str:
    """The page docs/parity.md."""
    columns = [one for one in found if one.name != EXACT_METEOR]
    exact = sum(one.equal == one.stories for one in columns)
    reached = sum(one.pearson >= GOAL_PEARSON for one in columns)
    lines = [
        "# Parity with HANNA's published string metrics",
        "",
        f"Written by `{command}`; do not edit. {found[0].stories} stories, {len(columns)} columns: {exact} equal to "
        f"the published value for every story, {reached} at Pearson {GOAL_PEARSON} or more. Equal: within {EQUAL:g}.",
        "",
        "| column | verdict | equal | median difference | largest | Pearson | without human stories |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in found:
        lines.append(
            f"| {one.name} | {one.verdict} | {one.equal} / {one.stories} | {one.median_difference:.1e} | "
            f"{one.largest_difference:.1e} | {one.pearson:.6f} | {one.pearson_without_human:.6f} |"
        )
    lines += ["", "## Why some fall short", ""]
    for one in found:
        if one.equal < one.stories:
            lines.append(f"- **{one.name}** ({one.stories - one.equal} stories differ). {_reason(one.name)}")
    lines += [
        "",
        "## Settings",
        "",
        f"The group `hanna-string`: {', '.join(f'`{m}`' for m in GROUPS['hanna-string'].members)}.",
        "",
    ]
    signatures = dict.fromkeys(_without_column(one.signature) for one in found)
    lines += [f"- `{signature}`" for signature in signatures]
    return "\n".join(lines) + "\n"


def _reason(column: str) -> str:
    for prefix, reason in REASONS.items():
        if column.startswith(prefix):
            return reason
    return "Not explained yet."


def _without_column(signature: str) -> str:
    return "|".join(part for part in signature.split("|") if not part.startswith("column:"))
