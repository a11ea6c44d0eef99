"""What an answer must look like: the criteria in the order they are asked, the scale, and whether reasons are given."""

from __future__ import annotations

from typing import Any, NamedTuple

#: the keys of an answer that gives reasons
RATING, WHY = "rating", "why"


class Form(NamedTuple):
    """The form a judge fills in."""

    criteria: tuple[str, ...]
    low: int
    high: int
    explains: bool

    @property
    def points(self) -> list[int]:
        """The ratings that are allowed."""
        return list(range(self.low, self.high + 1))

    def example(self) -> str:
        """An answer of this form with its values left open, to be shown to the judge.

        >>> Form(("Coherence", "Surprise"), 1, 5, False).example()
        '{"Coherence": …, "Surprise": …}'
        """
        value = f'{{"{RATING}": …, "{WHY}": "…"}}' if self.explains else "…"
        return "{" + ", ".join(f'"{name}": {value}' for name in self.criteria) + "}"

    def schema(self) -> dict[str, Any]:
        """The form as a JSON schema, for endpoints that hold a model to one."""
        point: dict[str, Any] = {"type": "integer", "enum": self.points}
        value = point if not self.explains else _object({RATING: point, WHY: {"type": "string"}})
        return _object(dict.fromkeys(self.criteria, value))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
