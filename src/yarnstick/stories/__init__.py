"""Stories, ratings and score tables: what they are, and getting them in and out.

In reading order: ``story``, ``columns``, ``source``, ``rows``, ``normalise``, ``storyset``, ``reading``,
``tables``, ``writing``, ``scores``, ``ratings``, then ``corpora``.
"""

from yarnstick.stories.ratings import Ratings, read_ratings
from yarnstick.stories.reading import read
from yarnstick.stories.scores import ScoreColumn, Scores
from yarnstick.stories.story import Story
from yarnstick.stories.storyset import StorySet
from yarnstick.stories.writing import write_stories

__all__ = ["Ratings", "ScoreColumn", "Scores", "Story", "StorySet", "read", "read_ratings", "write_stories"]
