"""Metrics: a card and a function each.

In reading order: ``card`` (what a metric says of itself), ``registry`` (how it becomes known), ``request``
(how a user names it), ``signature`` (what its number is called), ``groups`` (names for several at once),
``families/`` (the metrics).
"""

from yarnstick.metrics.card import Card, Column
from yarnstick.metrics.registry import all_metrics, get_metric, metric

__all__ = ["Card", "Column", "all_metrics", "get_metric", "metric"]
