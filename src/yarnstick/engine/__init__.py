"""From stories to scores: plan, survey, tasks, processes, the store.

In reading order: ``plan``, ``survey``, ``keys``, ``work``, ``pool``, ``store``, ``run``, ``summary``, ``scoring``.
"""

from yarnstick.engine.scoring import score
from yarnstick.engine.store import ScoreStore

__all__ = ["ScoreStore", "score"]
