"""Pages and pictures of results: one self-contained file each, nothing fetched, story text escaped."""

from yarnstick.report.dotplot import dot_plot
from yarnstick.report.page import score_page

__all__ = ["dot_plot", "score_page"]
