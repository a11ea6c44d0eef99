"""A causal language model on this machine as a judge.

Its answers are held to the form while they are written: braces, keys and commas are given, and of the ratings' tokens
the model may only take one that is on the scale. So even a small model always answers with valid JSON, and what is
measured is its judgement and not its spelling.
"""

from __future__ import annotations

import json
import re
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

from yarnstick.errors import MetricError
from yarnstick.judging.designs import Messages
from yarnstick.judging.form import RATING, WHY, Form
from yarnstick.judging.models import CallFailedError, Reply
from yarnstick.models.language_models import LanguageModel, open_language_model
from yarnstick.models.naming import find_model
from yarnstick.optional import require

if TYPE_CHECKING:
    import torch

_PURPOSE = "a judge on this machine"
_PLACE = re.compile(r"\[\[(\d+)\]\]")


class LocalModel:
    """A causal model by its name (see :mod:`yarnstick.models.naming`). ``reason_tokens`` is the longest reason."""

    def __init__(self, model: str, *, temperature: float = 0.0, reason_tokens: int = 60) -> None:
        require("jinja2", _PURPOSE)
        self._model = open_language_model("causal", model)
        self._chat = _chat_tokenizer(self._model)
        self._temperature, self._reason_tokens = temperature, reason_tokens
        self._lock, self._stopped = threading.Lock(), False

    @property
    def name(self) -> str:
        """What ratings call it."""
        return self._model.name

    @property
    def identity(self) -> dict[str, Any]:
        """The weights and how answers are drawn."""
        return {"sha256": self._model.sha256, "temperature": self._temperature, "reason_tokens": self._reason_tokens}

    @property
    def at_once(self) -> int:
        """One question after the other: the processor is busy with it."""
        return 1

    def stop(self) -> None:
        """Answer no more."""
        self._stopped = True

    def ask(self, messages: Messages, form: Form, draw: int) -> Reply:
        """Fill in the form; the same ``draw`` gives the same answer."""
        import torch

        with self._lock, torch.inference_mode():
            if self._stopped:
                raise CallFailedError("the run was ended")
            prompt = self._prompt(messages)
            self._check_room(len(prompt), form)
            try:
                writing = _Writing(self._model, prompt, self._temperature, draw)
                filled = {name: self._fill(writing, form, place) for place, name in enumerate(form.criteria)}
            except torch.OutOfMemoryError:
                raise CallFailedError(
                    f"a question of {len(prompt)} tokens to {self.name} does not fit in the memory of the device",
                    remedy="choose a smaller model, or leave this story out",
                ) from None
        return Reply(json.dumps(filled, ensure_ascii=False), len(prompt), writing.read - len(prompt))

    def _check_room(self, prompt: int, form: Form) -> None:
        room = prompt + len(self._model.encode(form.example())) + 3 * len(form.criteria)
        room += self._reason_tokens * len(form.criteria) if form.explains else 0
        if room > self._model.window:
            raise CallFailedError(
                f"the question and its answer are {room} tokens, and {self.name} reads {self._model.window}",
                remedy="choose a model with a longer window, or leave this story out",
            )

    def _fill(self, writing: _Writing, form: Form, place: int) -> object:
        """One criterion's part of the answer."""
        name = form.criteria[place]
        opening = "{" if place == 0 else '"}, ' if form.explains else ", "
        value = f'{{"{RATING}": ' if form.explains else ""
        given, points = self._choices(f'{opening}"{name}": {value}', form)
        rating = form.points[writing.choose(given, points)]
        if not form.explains:
            return rating
        writing.give(self._model.encode(f', "{WHY}": "'))
        return {RATING: rating, WHY: self._reason(writing)}

    def _reason(self, writing: _Writing) -> str:
        ids: list[int] = []
        for _ in range(self._reason_tokens):
            token = writing.draw()
            if token in self._ends:
                break
            said = self._model.tokenizer.decode([*ids, token])
            if '"' in said or "\n" in said:
                return str(said).split('"')[0].split("\n")[0].strip()
            ids.append(token)
            writing.give([token])
        return str(self._model.tokenizer.decode(ids)).strip()

    def _choices(self, text: str, form: Form) -> tuple[list[int], list[int]]:
        """The tokens that lead up to a rating, and the token of each rating."""
        spelled = [self._model.encode(f"{text}{point}") for point in form.points]
        shared = 0
        while all(len(ids) > shared + 1 and ids[shared] == spelled[0][shared] for ids in spelled):
            shared += 1
        rest = [ids[shared:] for ids in spelled]
        if any(len(ids) != 1 for ids in rest) or len({ids[0] for ids in rest}) < len(rest):
            raise MetricError(
                f"{form.low} to {form.high} are not a token each to {self._model.name}",
                remedy="rate on a scale such as 1:5",
            )
        return spelled[0][:shared], [ids[0] for ids in rest]

    def _prompt(self, messages: Messages) -> list[int]:
        """The conversation as this model was taught to read one; what is in it counts as text, whatever it holds.

        Stories written by models often hold `<|endoftext|>` and its like, which would end the conversation.
        """
        if not self._chat.chat_template:
            text = "\n\n".join([*(message["content"] for message in messages), "Answer:\n"])
            return [*self._model.before, *self._plain(text)]
        from jinja2 import TemplateError

        try:
            laid_out = self._laid_out(messages)
        except TemplateError:  # some models know no system's part; what it says can stand before the question
            (system, question), rest = messages[:2], messages[2:]
            messages = [{"role": "user", "content": f"{system['content']}\n\n{question['content']}"}, *rest]
            laid_out = self._laid_out(messages)
        # The frame of the conversation alternates with numbers of messages.
        parts = _PLACE.split(laid_out)
        ids = self._model.encode(parts[0])
        for number, frame in zip(parts[1::2], parts[2::2], strict=True):
            ids += [*self._plain(messages[int(number)]["content"]), *self._model.encode(frame)]
        return ids

    def _plain(self, text: str) -> list[int]:
        tokenizer = self._model.tokenizer
        tokenizer.encode_special_tokens = True
        try:
            return self._model.encode(text)
        finally:
            tokenizer.encode_special_tokens = False

    def _laid_out(self, messages: Messages) -> str:
        """The frame around the messages, each of them as ``[[number]]``."""
        numbered = [{**message, "content": f"[[{at}]]"} for at, message in enumerate(messages)]
        return str(self._chat.apply_chat_template(numbered, tokenize=False, add_generation_prompt=True))

    @cached_property
    def _ends(self) -> set[int]:
        settings: Any = self._model.network.generation_config
        end = settings.eos_token_id
        ends = set(end) if isinstance(end, list) else {end}
        return {token for token in (*ends, self._chat.eos_token_id) if token is not None}


class _Writing:
    """An answer on its way: what was read is kept, so that each token is read once."""

    def __init__(self, model: LanguageModel, prompt: list[int], temperature: float, draw: int) -> None:
        import torch

        self._model, self._temperature = model, temperature
        self._generator = torch.Generator().manual_seed(draw)
        self._kept: Any = None
        self._next: torch.Tensor
        #: tokens read so far
        self.read = 0
        self.give(prompt)

    def give(self, ids: list[int]) -> None:
        """Read on."""
        import torch

        if not ids:
            return
        read = torch.tensor([ids], device=self._model.device)
        found = self._model.network(input_ids=read, past_key_values=self._kept, use_cache=True, logits_to_keep=1)
        self._kept, self._next = found.past_key_values, found.logits[0, -1].float().cpu()
        self.read += len(ids)

    def choose(self, given: list[int], options: list[int]) -> int:
        """Read ``given``, then take one of the tokens ``options``: its place among them."""
        import torch

        self.give(given)
        place = self._drawn(self._next[torch.tensor(options)])
        self.give([options[place]])
        return place

    def draw(self) -> int:
        """A next token, not yet read."""
        return self._drawn(self._next)

    def _drawn(self, logits: torch.Tensor) -> int:
        import torch

        if self._temperature == 0:
            return int(logits.argmax())
        chances = torch.softmax(logits / self._temperature, -1)
        return int(torch.multinomial(chances, 1, generator=self._generator))


def _chat_tokenizer(model: LanguageModel) -> Any:
    """A tokenizer of transformers that knows how this model's conversations are laid out."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    from yarnstick.models.gguf import read_gguf

    found = find_model(model.name)
    if found.weights.suffix != ".gguf":
        return AutoTokenizer.from_pretrained(found.folder, local_files_only=True)
    about = read_gguf(found.weights).metadata
    tokens = about["tokenizer.ggml.tokens"]
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=model.tokenizer, eos_token=tokens[about["tokenizer.ggml.eos_token_id"]]
    )
    tokenizer.chat_template = about.get("tokenizer.chat_template")
    return tokenizer
