"""What to do about a row that cannot be used: stop at it, or go on and say how many and which."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from yarnstick.errors import InputError

OnError: TypeAlias = Literal["raise", "skip"]


@dataclass(slots=True)
class Problems:
    """Collects what was wrong. With ``on_error="raise"`` the first problem is raised where it is met."""

    on_error: OnError = "raise"
    keep: int = 20
    count: int = 0
    first: list[InputError] = field(default_factory=list)

    def meet(self, problem: InputError) -> None:
        """Raise ``problem``, or count it and go on."""
        if self.on_error == "raise":
            raise problem
        self.count += 1
        if len(self.first) < self.keep:
            self.first.append(problem)

    def summary(self) -> list[str]:
        """Lines for the user: how many rows were left out, and which."""
        if not self.count:
            return []
        lines = [f"skipped {self.count} row{'s' if self.count > 1 else ''} that could not be used:"]
        lines += [f"  {problem}" for problem in self.first]
        if self.count > len(self.first):
            lines.append(f"  ... and {self.count - len(self.first)} more")
        return lines
