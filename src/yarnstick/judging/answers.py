"""Reading what a judge answered: JSON where it is JSON, mended where it is nearly so, refused where it says no rating.

Only the form is mended, never a rating: a number off the scale, a fraction or a missing criterion makes the answer
unusable, and the judge is asked again.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from yarnstick.judging.form import RATING, WHY, Form

#: what reasoning models think aloud before they answer
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FRACTION = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*(?:/|out of)\s*(\d+)\s*", re.IGNORECASE)
_LINE = r"^[\s>*#\-\d.)]*{name}[\s*_\"']*[:=–-][\s*_\"']*(?P<value>[+-]?\d+(?:\.\d+)?(?:\s*/\s*\d+)?)(?![\d.])"
_RATING_KEYS = (RATING, "score", "value")
_WHY_KEYS = (WHY, "reason", "explanation", "justification", "rationale")


#: where an object may begin, before a text is held to be no answer
_BEGINNINGS = 20


class Answer(NamedTuple):
    """Ratings and reasons by criterion; or, where ``problem`` is not empty, why the answer cannot be used."""

    ratings: dict[str, int]
    reasons: dict[str, str]
    problem: str = ""


def read_answer(text: str, form: Form) -> Answer:
    """The ratings in what a judge said.

    >>> read_answer('Sure! {"surprise": "4/5",}', Form(("Surprise",), 1, 5, False)).ratings
    {'Surprise': 4}
    >>> read_answer('{"Surprise": 7}', Form(("Surprise",), 1, 5, False)).problem
    'Surprise is 7, which is not on the scale 1 to 5'
    """
    said = _THOUGHT.sub("", text)
    if not said.strip():
        return Answer({}, {}, "the answer is empty")
    problem = "it holds no JSON object"
    for given in _objects(said):
        answer = _filled(given, form)
        if not answer.problem:
            return answer
        problem = answer.problem
    if problem == "it holds no JSON object":
        listed = _listed(said, form)
        return _filled(listed, form) if listed else Answer({}, {}, problem)
    return Answer({}, {}, problem)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every object in the text, outermost first; the last one may lack its end."""
    at = text.find("{")
    for _ in range(_BEGINNINGS):
        if at < 0:
            return
        end = _closing(text, at)
        found = _mended(text[at:end])
        if isinstance(found, dict):
            yield found
            at = text.find("{", end)
        else:
            at = text.find("{", at + 1)


def _closing(text: str, start: int) -> int:
    """Just behind the brace that closes the one at ``start``; the end of the text where none does."""
    depth, quoted, escaped = 0, False, False
    for place in range(start, len(text)):
        letter = text[place]
        if quoted:
            quoted = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter in "{}":
            depth += 1 if letter == "{" else -1
            if depth == 0:
                return place + 1
    return len(text)


def _mended(text: str) -> object:
    without_commas = re.sub(r",\s*([}\]])", r"\1", text)
    closed = without_commas.rstrip().rstrip(",") + "}" * (text.count("{") - text.count("}"))
    for attempt in (text, without_commas, closed):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    try:
        return ast.literal_eval(without_commas)  # single quotes, as Python writes a dict
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _filled(given: dict[str, Any], form: Form) -> Answer:
    by_name = {str(key).strip().lower(): value for key, value in given.items()}
    if len(by_name) == 1 and isinstance(inner := next(iter(by_name.values())), dict) and not _known(by_name, form):
        by_name = {str(key).strip().lower(): value for key, value in inner.items()}  # {"ratings": {…}}
    ratings: dict[str, int] = {}
    reasons: dict[str, str] = {}
    for name in form.criteria:
        if name.lower() not in by_name:
            return Answer({}, {}, f"it has no {name}")
        value = by_name[name.lower()]
        if isinstance(value, dict):
            parts = {str(key).lower(): part for key, part in value.items()}
            reasons[name] = next((str(parts[key]) for key in _WHY_KEYS if key in parts), "")
            value = next((parts[key] for key in _RATING_KEYS if key in parts), None)
        number = _number(value, form.high)
        if number is None:
            return Answer({}, {}, f"{name} is {_short(value)}, not a number")
        if not number.is_integer() or not form.low <= number <= form.high:
            return Answer({}, {}, f"{name} is {number:g}, which is not on the scale {form.low} to {form.high}")
        ratings[name] = int(number)
    return Answer(ratings, reasons)


def _known(by_name: dict[str, Any], form: Form) -> bool:
    return any(name.lower() in by_name for name in form.criteria)


def _number(value: object, high: int) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and (fraction := _FRACTION.fullmatch(value)):
        # "8/10" on a scale of five is another scale, not a rating to be converted.
        value = fraction[1] if int(fraction[2]) == high else "nan"
    try:
        number = float(value)
    except ValueError:
        return None
    return number if abs(number) < 1e9 else None


def _listed(text: str, form: Form) -> dict[str, Any]:
    """``Coherence: 4`` on a line of its own for a criterion, where there is no JSON at all."""
    found = {}
    for name in form.criteria:
        pattern = re.compile(_LINE.format(name=re.escape(name)), re.IGNORECASE | re.MULTILINE)
        values = {match["value"] for match in pattern.finditer(text)}
        if len(values) == 1:
            found[name] = values.pop()
    return found


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
