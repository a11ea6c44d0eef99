"""Errors written for the person who will read them.

Every error a user can cause derives from :class:`YarnstickError`: one line that says what is wrong,
where, and what to do next. The command line prints that line and exits with code 2; in Python it is an
ordinary exception with the parts as attributes.
"""

from __future__ import annotations


class YarnstickError(Exception):
    """Something the user can mend. ``remedy`` says how."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(message)

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message

    def __reduce__(self) -> tuple[object, ...]:
        # Errors travel back from worker processes, and keyword-only arguments do not pickle by themselves.
        return _rebuild, (type(self), dict(self.__dict__))


def _rebuild(kind: type[YarnstickError], state: dict[str, object]) -> YarnstickError:
    error = kind.__new__(kind)
    error.__dict__.update(state)
    Exception.__init__(error, state.get("message", ""))
    return error


class InputError(YarnstickError):
    """Input that cannot be read, with the file and the line it was met on."""

    def __init__(self, message: str, *, file: str = "", line: int | None = None, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.file = file
        self.line = line

    def __str__(self) -> str:
        place = self.file
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        return f"{place}: {super().__str__()}" if place else super().__str__()


class OutputError(YarnstickError):
    """A result that cannot be written (no room, no permission, no such folder)."""


class MetricError(YarnstickError):
    """A metric that is unknown, misconfigured, or asked for what the stories do not have."""


class MissingExtraError(YarnstickError, ImportError):
    """A library that only some features need is not installed."""
