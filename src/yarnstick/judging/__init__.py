"""A language model as a judge of stories: it is asked what people were asked, and answers as a rater among raters."""

from yarnstick.judging.judged import Judged
from yarnstick.judging.run import judge

__all__ = ["Judged", "judge"]
