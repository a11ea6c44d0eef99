"""What a metric says of itself. Direction is data, not folklore: correlations, rankings and colours read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Direction: TypeAlias = Literal["higher", "lower", "neutral"]
Need: TypeAlias = Literal["story", "prompt", "reference", "system"]
Cost: TypeAlias = Literal["trivial", "cheap", "moderate", "heavy"]
OptionValue: TypeAlias = bool | int | float | str

NEEDS: tuple[Need, ...] = ("story", "prompt", "reference", "system")
COSTS: dict[Cost, str] = {
    "trivial": "one pass over the text",
    "cheap": "under a millisecond a story",
    "moderate": "some milliseconds a story",
    "heavy": "a model, or far more than some milliseconds a story",
}
ARROWS: dict[Direction, str] = {"higher": "↑", "lower": "↓", "neutral": "·"}
DIRECTION_WORDS: dict[Direction, str] = {
    "higher": "higher is better",
    "lower": "lower is better",
    "neutral": "describes, does not judge",
}


@dataclass(frozen=True, slots=True)
class Column:
    """One number a metric gives: its name, which way is better, its range, what it means in a sentence."""

    name: str
    direction: Direction = "higher"
    low: float | None = 0.0
    high: float | None = 1.0
    meaning: str = ""

    def __post_init__(self) -> None:
        if self.direction not in ARROWS:
            raise ValueError(f"column {self.name!r}: direction must be one of {', '.join(ARROWS)}")

    @property
    def arrow(self) -> str:
        """↑ higher is better, ↓ lower is better, · neither."""
        return ARROWS[self.direction]

    @property
    def range(self) -> str:
        """The range for a reader: ``0 to 1``, ``0 and up``."""
        if self.low is None and self.high is None:
            return "any number"
        if self.high is None:
            return f"{self.low:g} and up"
        if self.low is None:
            return f"up to {self.high:g}"
        return f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of a metric, read off its function's keyword arguments."""

    name: str
    default: OptionValue
    help: str = ""


#: the columns, or how they follow from the options (Novelty-1..n)
Columns: TypeAlias = tuple[Column, ...] | Callable[[Mapping[str, OptionValue]], tuple[Column, ...]]


@dataclass(frozen=True, slots=True)
class Card:
    """Everything a user should know before believing a number."""

    name: str
    family: str
    summary: str
    needs: tuple[Need, ...]
    columns: Columns
    cost: Cost = "cheap"
    paper: str = ""
    #: how several references of one story are used; empty where no reference is
    several_references: str = ""
    #: when the score is undefined and therefore missing (NaN)
    undefined: str = ""
    caveat: str = ""
    options: tuple[Option, ...] = ()
    presets: Mapping[str, Mapping[str, OptionValue]] = field(default_factory=dict)
    #: libraries whose version can change the number, named in the signature
    libraries: tuple[str, ...] = ()
    #: raised by one whenever the number changes, so that old scores are never mixed with new ones
    revision: int = 1
    #: what else the number is a function of, from the options: fields for the signature (which model's weights)
    stamp: Callable[..., Mapping[str, str]] | None = None

    @property
    def defaults(self) -> dict[str, OptionValue]:
        """The settings a plain request uses."""
        return {option.name: option.default for option in self.options}

    def columns_for(self, options: Mapping[str, OptionValue]) -> tuple[Column, ...]:
        """The columns these settings give."""
        return self.columns(options) if callable(self.columns) else self.columns
