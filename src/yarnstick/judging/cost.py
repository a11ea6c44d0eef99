"""What a run will cost, before it is begun: calls, tokens counted roughly, and money where the prices are said."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from yarnstick.judging.asking import Question, Spent
from yarnstick.judging.form import Form

#: a token of English is about four characters long; of other scripts, about one and a half
_ASCII, _OTHER = 4.0, 1.5
#: what a chat's frame adds to each of its messages
_FRAME = 4
#: tokens of a key with its rating, and of a reason of one sentence with its key
_RATING, _REASON = 6, 35


class Prices(NamedTuple):
    """Per million tokens, in whatever currency; ``None`` where it is not known."""

    tokens_in: float | None = None
    tokens_out: float | None = None

    def of(self, spent: Spent) -> float | None:
        """The price of so many tokens, where both prices are known."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        return (spent.tokens_in * self.tokens_in + spent.tokens_out * self.tokens_out) / 1e6


class Estimate(NamedTuple):
    """What there is to be asked: ``spent`` foresees the calls that no kept answer saves."""

    questions: int
    known: int
    spent: Spent
    price: float | None

    def text(self) -> str:
        """A line that says it."""
        known = f", {self.known} of them known already" if self.known else ""
        price = "" if self.price is None else f", about {self.price:.2f} at the prices given"
        tokens = f"about {self.spent.tokens_in} tokens in and {self.spent.tokens_out} out"
        return f"{self.questions} questions{known}; {self.spent.calls} calls, {tokens}{price}"


def estimate(asked: Iterable[tuple[Question, bool]], prices: Prices) -> Estimate:
    """Foresee the cost of questions, each with whether its answer is known already."""
    questions = known = 0
    spent = Spent()
    for question, is_known in asked:
        questions += 1
        if is_known:
            known += 1
            continue
        tokens_in = sum(approximate_tokens(message["content"]) + _FRAME for message in question.messages)
        spent.add(Spent(1, tokens_in, answer_tokens(question.form)))
    return Estimate(questions, known, spent, prices.of(spent))


def approximate_tokens(text: str) -> int:
    """Roughly how many tokens a text is to a language model.

    >>> approximate_tokens("Once there was a goose.")
    6
    """
    ascii_letters = sum(map(str.isascii, text))
    return math.ceil(ascii_letters / _ASCII + (len(text) - ascii_letters) / _OTHER)


def answer_tokens(form: Form) -> int:
    """Roughly how many tokens a filled-in form is."""
    return len(form.criteria) * (_RATING + (_REASON if form.explains else 0)) + _FRAME
