"""One question until it has a usable answer: out of the cache, from the judge, and again where the answer is broken."""

from __future__ import annotations

from dataclasses import dataclass

from yarnstick.judging.answers import Answer, read_answer
from yarnstick.judging.cache import AnswerCache, question_key
from yarnstick.judging.designs import Messages
from yarnstick.judging.form import Form
from yarnstick.judging.models import JudgeModel, Reply

#: of a broken answer, what is shown to the judge again
_SHOWN = 2000


@dataclass(frozen=True, slots=True)
class Question:
    """A conversation that a form belongs to; ``sample`` tells apart the times it is asked."""

    messages: Messages
    form: Form
    sample: int


@dataclass(slots=True)
class Spent:
    """What an answer cost: calls, tokens."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, other: Spent) -> None:
        """Count another answer's cost in."""
        self.calls += other.calls
        self.tokens_in += other.tokens_in
        self.tokens_out += other.tokens_out


def key_of(model: JudgeModel, question: Question) -> str:
    """The cache's key of a question as it is first put."""
    return question_key(model.identity, question.messages, question.form, question.sample)


def ask(
    model: JudgeModel, question: Question, cache: AnswerCache, *, repairs: int, again: bool, spent: Spent
) -> Answer:
    """The answer, usable or with its problem; each call is counted in ``spent`` as it is made.

    A broken answer is shown to the judge with what is wrong with it, ``repairs`` times at most. ``again`` puts
    questions anew whose kept answers are broken.
    """
    messages, form = question.messages, question.form
    answer = Answer({}, {}, "it was not asked")
    for _ in range(repairs + 1):
        key = question_key(model.identity, messages, form, question.sample)
        reply = cache.get(key)
        if reply is not None:
            answer = read_answer(reply.text, form)
        if reply is None or (answer.problem and again):
            reply = model.ask(messages, form, int(key[:12], 16))
            cache.put(key, reply)
            spent.add(Spent(1, reply.tokens_in, reply.tokens_out))
            answer = read_answer(reply.text, form)
        if not answer.problem:
            return answer
        if reply.cut:
            return Answer({}, {}, f"{answer.problem}: it was cut off, raise --max-tokens")
        messages = [*question.messages, *_repair(reply, answer.problem, form)]
    return answer


def _repair(reply: Reply, problem: str, form: Form) -> Messages:
    wanted = (
        f"Your answer cannot be used: {problem}. Rate the same story again. Answer with this JSON object alone, each "
        f"rating a whole number from {form.low} to {form.high}: {form.example()}"
    )
    return [{"role": "assistant", "content": reply.text[:_SHOWN] or "(nothing)"}, {"role": "user", "content": wanted}]
