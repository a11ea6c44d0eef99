"""From the rows of a release to stories and ratings, so that both always come from the same rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from yarnstick.errors import InputError
from yarnstick.stories.normalise import normalise
from yarnstick.stories.problems import Problems
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.rows import Row
from yarnstick.stories.source import Source, reading
from yarnstick.stories.storyset import StorySet


class Told(NamedTuple):
    """What one row of a release tells: a story, or judgements of one, or both."""

    line: int
    story: dict[str, Any] | None
    judgements: tuple[dict[str, Any], ...] = ()


#: reads the release from its start, each time it is called
OpenTold: TypeAlias = Callable[[Problems], Iterator[Told]]


def story(
    id: str,
    text: str,
    *,
    prompt: str | None = None,
    prompt_id: str | None = None,
    system: str | None = None,
    references: Iterable[str] = (),
    **extra: Any,
) -> dict[str, Any]:
    """A story's record. Every field is named even when empty, so that no extra is taken for one of them."""
    return {
        "id": id,
        "system": system,
        "prompt_id": prompt_id,
        "prompt": prompt,
        "story": text,
        "references": list(references),
        **extra,
    }


def judgement(of: Mapping[str, Any], criterion: str, rater: str, value: float) -> dict[str, Any]:
    """One rater's value for one criterion of a story's record."""
    return {
        "story": of["id"],
        "criterion": criterion,
        "rater": rater,
        "value": value,
        "system": of["system"],
        "prompt_id": of["prompt_id"],
    }


def tell_rows(
    rows: Iterator[Row], tell: Callable[[int, dict[str, Any]], Told], problems: Problems, origin: str
) -> Iterator[Told]:
    """``tell`` each row; what it refuses goes to the collector with the file and the line."""
    for line, row in rows:
        try:
            told = tell(line, row)
        except InputError as problem:
            problem.file, problem.line = problem.file or origin, problem.line or line
            problems.meet(problem)
            continue
        yield told


def stories_of(open_told: OpenTold, origin: str) -> StorySet:
    """The stories, streamed anew from the release each time."""

    def rows(problems: Problems) -> Iterator[dict[str, Any]]:
        records = ((told.line, told.story) for told in open_told(problems) if told.story is not None)
        return normalise(records, problems, origin, {}, cells_are_text=False)

    return StorySet(rows, origin)


def ratings_of(open_told: OpenTold, problems: Problems) -> Ratings:
    """The ratings, in the order of the release."""
    return Ratings.of(judgement for told in open_told(problems) for judgement in told.judgements)


def checked_rows(rows: Iterator[Row], columns: Iterable[str], origin: str) -> Iterator[Row]:
    """The rows, once the first shows that this is the released file at all: refused as a whole, not row by row."""
    first = next(rows, None)
    if first is None:
        raise InputError("has no rows", file=origin, remedy="the file is cut short; get it again")
    if missing := [name for name in columns if name not in first[1]]:
        raise InputError(
            f"there is no column {missing[0]!r}",
            file=origin,
            line=1,
            remedy=f"this is not the released file; its columns are: {', '.join(map(str, first[1]))}",
        )
    yield first
    yield from rows


def text_of(row: Mapping[str, Any], name: str) -> str:
    """A text of the row that must be there."""
    value = row.get(name)
    if not isinstance(value, str):
        kind = "missing" if value is None else f"a {type(value).__name__}, not text"
        raise InputError(f"{name!r} is {kind}", remedy="the file is not as released; get it again, or --on-error skip")
    return value


def scale_value(value: Any, what: str, low: int = 1, high: int = 5) -> float:
    """A rating on a scale; anything else means that the columns have shifted or the row is cut."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not low <= number <= high:
        raise InputError(
            f"the {what} is {value!r}, not a number from {low} to {high}",
            remedy="the file is not as released; get it again, or --on-error skip",
        )
    return number


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Every line, empty ones too, for files that run in parallel. Cut at the byte \\n alone: stories hold U+2028."""
    with reading(source) as stream:
        for number, raw in enumerate(stream, 1):
            try:
                yield number, raw.decode().rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"is not UTF-8 (byte {raw[error.start]:#04x} at column {error.start + 1})",
                    file=source.name,
                    line=number,
                    remedy="the release is UTF-8; get the file again",
                ) from error
