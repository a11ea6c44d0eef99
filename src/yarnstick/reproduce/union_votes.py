"""UNION's evaluation sets as arrays: seven people's votes, what they found wrong, and the released scores.

Stories stand in the order of the files, which is what ties the scores to the votes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from yarnstick.agreement.types import Floats
from yarnstick.errors import InputError
from yarnstick.stories.corpora import corpus
from yarnstick.stories.corpora.told import lines_of
from yarnstick.stories.corpora.union import ERROR_TYPES, REASONABLE, VOTES
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.source import locate

#: the paper's names of the metrics, in the order of its Table 5, and the files that hold their scores
METRIC_FILES: dict[str, str] = {
    "BLEU": "bleu.txt",
    "MoverScore": "moverscore.txt",
    "RUBER_r": "ruber_ref_score.txt",
    "Perplexity": "ppl.txt",
    "RUBER_u": "ruber_unref_score.txt",
    "DisScore": "dis.txt",
    "UNION": "union.txt",
    "-Recon": "union_recon.txt",
    "RUBER": "ruber_score.txt",
    "BLEURT": "bleurt.txt",
}
#: released as it is, the lower the better; turned here, as the paper's coefficients are of its negative
NEGATED = frozenset({"Perplexity"})
#: the paper's short names of the error types, in the order of their codes
TYPE_NAMES = ("Repe", "Cohe", "Conf", "Chao", "Others")


@dataclass(frozen=True, slots=True)
class UnionSet:
    """One evaluation set."""

    name: str
    ids: tuple[str, ...]
    #: (stories, 7): 1 where the annotator found the story reasonable
    votes: Floats
    #: (5, stories, 7): 1 where the annotator named this error type; no types (0, …) were collected for WP
    errors: Floats
    #: (10, stories) in the order of ``METRIC_FILES``, higher is better; (0, stories) where they were not asked for
    scores: Floats

    @property
    def reasonable(self) -> Floats:
        """How many of the seven found each story reasonable: the paper's human score, times seven."""
        return np.asarray(self.votes.sum(axis=1))


def read_union(folder: Path, name: Literal["roc", "wp"], *, metrics: bool = True) -> UnionSet:
    """The set in ``folder/name``: ant_data.txt and ant_data_all.txt (or, for WP, votes.txt), and metric_output/.

    Without ``metrics`` metric_output/ is not needed, and there are no scores.
    """
    place = folder / name
    ratings = corpus(f"union-{name}", place, fetch=False).ratings
    if ratings is None:
        raise InputError("holds stories without votes", file=str(place), remedy="ant_data.txt or votes.txt has them")
    ids, votes = _judged(ratings, REASONABLE)
    given = [kind for kind in ERROR_TYPES if kind in ratings.criteria]
    errors = np.array([_judged(ratings, kind)[1] for kind in given]).reshape(len(given), *votes.shape)
    if not metrics:
        return UnionSet(name, ids, votes, errors, np.empty((0, len(ids))))
    scores = [read_scores(place / "metric_output" / file, len(ids)) for file in METRIC_FILES.values()]
    signs = np.array([-1.0 if metric in NEGATED else 1.0 for metric in METRIC_FILES])
    return UnionSet(name, ids, votes, errors, signs[:, None] * np.array(scores))


def read_scores(path: Path, stories: int) -> Floats:
    """The scores of one metric: a number a line, as many as there are stories."""
    scores = []
    for line, text in _lines(path):
        try:
            score = float(text)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise InputError(f"holds {text[:40]!r}, not a number", file=str(path), line=line, remedy="get it again")
        scores.append(score)
    if len(scores) != stories:
        raise InputError(
            f"ends with {len(scores)} scores where {stories} stories were voted on",
            file=str(path),
            line=len(scores),
            remedy="the files are not of one release; get them again",
        )
    return np.array(scores)


def _lines(path: Path) -> list[tuple[int, str]]:
    if not path.is_file():
        raise InputError("is not there", file=str(path), remedy="get metric_output of github.com/thu-coai/UNION")
    return [(line, text) for line, text in lines_of(locate(path, "text")) if text.strip()]


def _judged(ratings: Ratings, criterion: str) -> tuple[tuple[str, ...], Floats]:
    """Of one criterion the stories in the order of the file, and (stories, 7)."""
    table = ratings.to_arrow().select(["story", "criterion", "value"])
    held = np.array(table.column("criterion").to_pylist()) == criterion
    values = table.column("value").to_numpy()[held].reshape(-1, VOTES)
    ids = np.array(table.column("story").to_pylist())[held][::VOTES]
    return tuple(ids.tolist()), values
