"""yarnstick: the yardstick for yarns. Stories in, scores out, and which scores to trust.

    import yarnstick as ys

    stories = ys.read("stories.jsonl")              # or a list of texts or dicts, a data frame, a dataset
    scores = ys.score(stories, ["chrf", "rouge-l"])
    scores.to_pandas()
    print(ys.agree(scores, "ratings.csv").table())  # how far each metric agrees with people
    ys.compare(scores, "gpt2", "mine").summary()    # and whether two systems really differ
    print(ys.robustness(stories, ["chrf"]).table()) # does the score fall when a story is damaged, and only then?

Names are imported when first used, so that ``import yarnstick`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from yarnstick.version import __version__

if TYPE_CHECKING:
    from yarnstick.agreement.agree import agree
    from yarnstick.agreement.compare import compare
    from yarnstick.engine import ScoreStore, score
    from yarnstick.errors import InputError, MetricError, MissingExtraError, OutputError, YarnstickError
    from yarnstick.features import Batch
    from yarnstick.judging import Judged, judge
    from yarnstick.metrics import Card, Column, all_metrics, metric
    from yarnstick.robust.suite import robustness
    from yarnstick.stories import Ratings, Scores, Story, StorySet, read, read_ratings, write_stories
    from yarnstick.stories.corpora import corpus, sample

_HOMES = {
    "Batch": "features",
    "Card": "metrics",
    "Column": "metrics",
    "InputError": "errors",
    "Judged": "judging",
    "MetricError": "errors",
    "MissingExtraError": "errors",
    "OutputError": "errors",
    "Ratings": "stories",
    "ScoreStore": "engine",
    "Scores": "stories",
    "Story": "stories",
    "StorySet": "stories",
    "YarnstickError": "errors",
    "agree": "agreement.agree",
    "all_metrics": "metrics",
    "compare": "agreement.compare",
    "corpus": "stories.corpora",
    "judge": "judging",
    "metric": "metrics",
    "read": "stories",
    "read_ratings": "stories",
    "robustness": "robust.suite",
    "sample": "stories.corpora",
    "score": "engine",
    "write_stories": "stories",
}

__all__ = [
    "Batch",
    "Card",
    "Column",
    "InputError",
    "Judged",
    "MetricError",
    "MissingExtraError",
    "OutputError",
    "Ratings",
    "ScoreStore",
    "Scores",
    "Story",
    "StorySet",
    "YarnstickError",
    "__version__",
    "agree",
    "all_metrics",
    "compare",
    "corpus",
    "judge",
    "metric",
    "read",
    "read_ratings",
    "robustness",
    "sample",
    "score",
    "write_stories",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'yarnstick' has no attribute {name!r}")
    value = getattr(import_module(f"yarnstick.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
