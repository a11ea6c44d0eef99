"""METEOR 1.5, written anew: equal to the jar where its data is at hand, and fast."""

from yarnstick.metrics.meteor_score.prepared import PreparedText, prepare
from yarnstick.metrics.meteor_score.resources import (
    MeteorResources,
    MissingMeteorDataError,
    find_resources,
)
from yarnstick.metrics.meteor_score.score import (
    ENGLISH,
    OWN_STAGES,
    FunctionWords,
    Parameters,
    Synonyms,
    meteor,
    needs_data,
)
from yarnstick.metrics.meteor_score.stages import STAGES, Stage

__all__ = [
    "ENGLISH",
    "OWN_STAGES",
    "STAGES",
    "FunctionWords",
    "MeteorResources",
    "MissingMeteorDataError",
    "Parameters",
    "PreparedText",
    "Stage",
    "Synonyms",
    "find_resources",
    "meteor",
    "needs_data",
    "prepare",
]
