"""What a judge is to the rest of the room: something that has a name and fills in a form."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from yarnstick.errors import YarnstickError
from yarnstick.judging.designs import Messages
from yarnstick.judging.form import Form


class Reply(NamedTuple):
    """What came back, with the tokens that were counted for it."""

    text: str
    tokens_in: int
    tokens_out: int
    #: the answer reached the limit of tokens and was cut there
    cut: bool = False


class JudgeModel(Protocol):
    """A model that can be asked."""

    @property
    def name(self) -> str:
        """What ratings call it."""
        ...

    @property
    def identity(self) -> dict[str, Any]:
        """Everything of the model and its settings that an answer depends on; part of the cache's key."""
        ...

    @property
    def at_once(self) -> int:
        """How many questions it may be asked at the same time at most."""
        ...

    def ask(self, messages: Messages, form: Form, draw: int) -> Reply:
        """The answer; ``draw`` is a number to sample from, the same for the same question."""
        ...

    def stop(self) -> None:
        """Give up what is being waited for: the run is over."""
        ...


class CallFailedError(YarnstickError):
    """One question got no answer; others may."""


class JudgeGoneError(CallFailedError):
    """One question got no answer because the judge could not be reached or was too busy, however often it was tried."""


class JudgeRefusedError(YarnstickError):
    """The judge will answer no question: wrong key, wrong model, wrong address. The run ends."""
