"""A judge's checks as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from yarnstick.agreement.text_table import aligned, number
from yarnstick.judging.bias import Checks


def report(found: Checks) -> str:
    """The table of criteria, the effect of places, and below them what the numbers mean."""
    return "\n".join(_lines(found))


def _lines(found: Checks) -> Iterator[str]:
    several = found.samples > 1
    heads = ["criterion", "mean", "length", *(["same", "apart", "repeats"] if several else [])]
    rows = [heads]
    for sway in found.criteria:
        repeats = [number(value, 2) for value in (sway.same, sway.apart, sway.repeats)] if several else []
        rows.append([sway.criterion, number(sway.mean, 2), number(sway.length, 2), *repeats])
    yield f"the judge on {found.stories} stories, {found.samples} {'samples' if several else 'sample'} of each"
    yield from aligned(rows)
    if found.positions:
        yield ""
        cells = [["asked at place", "shift", "±", "ratings"]]
        for place in found.positions:
            cells.append([str(place.place), f"{place.shift:+.2f}", number(place.margin, 2), str(place.ratings)])
        yield from aligned(cells)
    yield ""
    yield "length: Kendall's tau-b of the mean rating with the number of words (people reward length too: compare)"
    if several:
        yield (
            "same, apart: share of pairs of samples of a story that agree, and how far they are apart; repeats: their "
            "tau-b"
        )
    if found.positions:
        yield "shift: how far a criterion asked at this place is rated above its mean over places, ± 1.96 s.e."
    else:
        yield "the effect of the criteria's order shows with several --samples and --order rotated or shuffled"
