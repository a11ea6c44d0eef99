"""The two rated sets that story models are held against: UNION's 400 ROC stories, and HANNA without its human stories.

Each is a cube, as the agreement room wants it: the ROC stories are of one unnamed system, HANNA's of ten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yarnstick.agreement.cube import cube_of_ratings
from yarnstick.agreement.types import Floats, Kind, Level
from yarnstick.errors import InputError
from yarnstick.reproduce.hanna_data import HUMAN
from yarnstick.reproduce.union_votes import METRIC_FILES, read_scores
from yarnstick.stories.corpora import corpus
from yarnstick.stories.corpora.union import REASONABLE
from yarnstick.stories.story import Story
from yarnstick.text.words import words

#: how agreement is told in each set, the paper's way: symbol, coefficient and level
Asked = tuple[tuple[str, Kind, Level], ...]
_POOLED: Asked = (("r", "pearson", "pooled"), ("ρ", "spearman", "pooled"), ("τ", "kendall", "pooled"))
_LEVELS: Asked = (("story τ", "kendall", "story"), ("system τ", "kendall", "system"))


@dataclass(frozen=True, slots=True)
class RatedSet:
    """Stories with what people think of them. Scores of its stories come in the order of ``ids``."""

    name: str
    title: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    criteria: tuple[str, ...]
    #: (criteria, systems, prompts)
    human: Floats
    #: (systems, prompts): tokens, what any figure must be compared with first
    length: Floats
    #: (2, stories): the system and the prompt of each story
    places: NDArray[np.intp]
    asked: Asked
    #: scores that were released with the set, by whose they are, in the order of ``ids``
    released: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """What `yarnstick train union --score` calls the logits of this set."""
        return f"{self.name}.logits.csv"

    def cube(self, scores: Floats) -> Floats:
        """Scores of the stories, (models, stories), where their stories stand: (models, systems, prompts)."""
        return _placed(scores, self.places, self.length.shape)


def rated_roc(folder: Path) -> RatedSet:
    """UNION's 400 ROC stories with the mean of seven votes; ``folder`` holds ant_data.txt, and may hold the published
    model's scores in metric_output/."""
    title = "UNION's 400 ROC stories, pooled"
    rated = _rated("roc400", title, "union-roc", folder, None, (REASONABLE,), _POOLED, str.split)
    scores = folder / "metric_output" / METRIC_FILES["UNION"]
    if not scores.is_file():
        return rated
    return replace(rated, released={"UNION as released": read_scores(scores, len(rated.ids))})


def rated_hanna(folder: Path) -> RatedSet:
    """HANNA's 960 stories of ten systems with the means of three ratings on six criteria."""
    title = "HANNA's 960 stories of ten systems, mean of six criteria"
    return _rated("hanna", title, "hanna", folder, HUMAN, None, _LEVELS, words)


def _rated(
    name: str,
    title: str,
    source: str,
    folder: Path,
    without: str | None,
    criteria: tuple[str, ...] | None,
    asked: Asked,
    tokens: Callable[[str], list[str]],
) -> RatedSet:
    found = corpus(source, folder, fetch=False)
    if found.ratings is None:
        raise InputError(f"{source} has no ratings", file=str(folder), remedy="get its files again")
    people = cube_of_ratings(found.ratings)
    people = people if without is None else people.without(without)
    people = people if criteria is None else people.select(criteria)
    stories = [story for story in found.stories if without is None or story.system != without]
    places = _places_of(stories, people.systems, people.prompts)
    counts = np.array([[len(tokens(story.text)) for story in stories]], dtype=np.float64)
    length = _placed(counts, places, people.values.shape[1:])[0]
    ids, texts = (tuple(column) for column in zip(*((story.id, story.text) for story in stories), strict=True))
    return RatedSet(name, title, ids, texts, people.columns, people.values, length, places, asked)


def _places_of(stories: list[Story], systems: tuple[str, ...], prompts: tuple[str, ...]) -> NDArray[np.intp]:
    system, prompt = ({name: place for place, name in enumerate(names)} for names in (systems, prompts))
    rows = [(system[story.system or ""], prompt[str(story.prompt_id)]) for story in stories]
    return np.array(rows, dtype=np.intp).T


def _placed(scores: Floats, places: NDArray[np.intp], shape: tuple[int, ...]) -> Floats:
    cube = np.full((len(scores), *shape), np.nan)
    cube[:, places[0], places[1]] = scores
    return cube
