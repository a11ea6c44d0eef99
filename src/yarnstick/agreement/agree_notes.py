"""What to know before believing an agreement: what was left out, what is undefined, what is missing."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from yarnstick.agreement.cube import Cube, HumanCube, Joined
from yarnstick.agreement.honesty import rated_twice
from yarnstick.errors import InputError

_INFINITE = "gives infinite values, which no correlation can use"


def unmatched(joined: Joined) -> list[str]:
    """Stories that only one side has."""
    notes = []
    if joined.only_scored:
        notes.append(f"{joined.only_scored} scored stories have no rating and are left out")
    if joined.only_rated:
        notes.append(f"{joined.only_rated} rated stories have no score and are left out")
    return notes


def about_columns(metrics: Cube, plain: Collection[str]) -> list[str]:
    """A table that does not say which way is better; one without any scores is an error. ``plain`` are not judged."""
    if not metrics.columns:
        raise InputError("the score table has no scores", remedy="write it with `yarnstick score -m … -o`")
    if len(set(metrics.columns) - set(plain)) > 1 and all(way == "neutral" for way in metrics.directions):
        return [
            "no column says which way is better (the .signatures.json of a CSV is not beside it?): each is taken as it "
            "is, so a good metric of which lower is better agrees below 0; name such columns with --lower"
        ]
    return []


def of_one_value(metrics: Cube) -> list[str]:
    """Metrics without a value, or with one for all; an infinite one is an error."""
    notes = []
    for name, values in zip(metrics.columns, metrics.values, strict=True):
        held = values[~np.isnan(values)]
        if np.isinf(held).any():
            others = [other for other in metrics.columns if other != name]
            named = ",".join([*others[:2], "…"] if len(others) > 2 else others) or "OTHERS"
            raise InputError(f"the metric {name!r} {_INFINITE}", remedy=f"leave it out (-m {named}), or cap it")
        if held.size == 0:
            notes.append(f"{name} has no value for any rated story: its agreement is undefined")
        elif held.min() == held.max():
            notes.append(f"{name} gives every story {held[0]:g}: its agreement is undefined")
    return notes


def of_one_rating(humans: HumanCube) -> list[str]:
    """Criteria that everything was rated the same on."""
    notes = []
    for name, values in zip(humans.columns, humans.values, strict=True):
        held = values[~np.isnan(values)]
        if held.size and held.min() == held.max():
            notes.append(f"every story's mean {name} is {held[0]:g}: no agreement with it is defined")
    return notes


def few_raters(humans: HumanCube) -> list[str]:
    """Ratings by one person each."""
    if rated_twice(humans):
        return []
    return [
        "there is one rating a story: neither 'one rater' nor the ceiling can be known (rate stories twice or more)"
    ]
