"""Going on from the beginnings of stories: many at once, each at its own temperature, to its own length.

All rows of a batch take a step together, with the keys and values of what was read so far kept; rows that have come
to their end are dropped from the batch now and then. Nothing is done row by row before the text is put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from yarnstick.generate.writer import Writer, encode
from yarnstick.text.sentences import sentence_spans

if TYPE_CHECKING:
    from torch import Generator, Tensor

#: the likeliest words, among which top-p chooses; sorting all of a vocabulary costs more than the model's step
_LIKELIEST = 256
#: steps between looks at which rows have ended (a look waits for the GPU), and the share worth dropping them for
_LOOK = 8
_DROP = 0.25
_ENDS = (".", "!", "?", "…", '."', '!"', '?"', ".'", "!'", "?'", '…"', ".)")


class Beginning(NamedTuple):
    """What to go on from, how long at most (in tokens), and how boldly."""

    text: str
    limit: int
    temperature: float


def continue_stories(writer: Writer, beginnings: Sequence[Beginning], *, top_p: float, seed: int) -> list[str]:
    """Whole stories, beginnings included, in order; "" where nothing that ends in a sentence came of it."""
    prompts = encode(writer, [beginning.text for beginning in beginnings])
    written = _written(
        writer,
        prompts,
        [beginning.temperature for beginning in beginnings],
        [beginning.limit for beginning in beginnings],
        top_p,
        seed,
    )
    texts = writer.tokenizer.decode_batch(written, skip_special_tokens=True)
    return [_joined(beginning.text, text) for beginning, text in zip(beginnings, texts, strict=True)]


def whole_sentences(text: str) -> str:
    """The text up to its last sentence that ends as sentences do; a word may have been cut off in the middle."""
    for _, end in reversed(sentence_spans(text)):
        if text[:end].endswith(_ENDS):
            return text[:end]
    return ""


def _joined(beginning: str, continuation: str) -> str:
    written = " ".join(whole_sentences(" ".join(continuation.split())).split())
    return f"{beginning} {written}" if written else ""


def _written(
    writer: Writer,
    prompts: Sequence[list[int]],
    temperatures: Sequence[float],
    limits: Sequence[int],
    top_p: float,
    seed: int,
) -> list[list[int]]:
    """What follows each prompt, up to its end token (left out) or its limit."""
    import torch
    from transformers import DynamicCache

    backbone, device, end = writer.backbone, writer.device, writer.end
    head = backbone.get_input_embeddings().weight  # type: ignore[operator]
    generator = torch.Generator(device).manual_seed(seed)
    width, longest = max(map(len, prompts)), max(limits)
    ids = torch.full((len(prompts), width), end)
    mask = torch.zeros((len(prompts), width), dtype=torch.long)
    for row, prompt in enumerate(prompts):  # padded on the left, so that all go on in the same column
        ids[row, width - len(prompt) :] = torch.tensor(prompt)
        mask[row, width - len(prompt) :] = 1
    ids, mask = ids.to(device), mask.to(device)
    heat = torch.tensor(temperatures, device=device)[:, None]
    limit = torch.tensor(limits, device=device)
    result = torch.full((len(prompts), longest), end, device=device)
    rows = torch.arange(len(prompts), device=device)
    ended = torch.zeros(len(prompts), dtype=torch.bool, device=device)
    position = (mask.cumsum(-1) - 1).clamp(min=0)
    cache = DynamicCache()
    with torch.inference_mode():
        for step in range(longest):
            hidden = backbone(
                input_ids=ids, attention_mask=mask, position_ids=position, past_key_values=cache, use_cache=True
            ).last_hidden_state[:, -1]
            token = _drawn(torch.nn.functional.linear(hidden, head).float() / heat, top_p, generator)
            token = torch.where(ended, end, token)
            result[rows, step] = token
            ended |= (token == end) | (step + 1 >= limit)
            if step % _LOOK == _LOOK - 1 and (share := ended.float().mean().item()) > _DROP:
                if share == 1.0:
                    break
                kept = (~ended).nonzero()[:, 0]
                cache.batch_select_indices(kept)
                rows, heat, limit, mask, token = rows[kept], heat[kept], limit[kept], mask[kept], token[kept]
                position, ended = position[kept], ended[kept]
            ids, position = token[:, None], position[:, -1:] + 1
            mask = torch.cat([mask, mask.new_ones((len(mask), 1))], 1)
    return [[token for token in row if token != end] for row in result.tolist()]


def _drawn(logits: Tensor, top_p: float, generator: Generator) -> Tensor:
    """One word a row out of the likeliest that together have ``top_p`` of the probability."""
    import torch

    total = torch.logsumexp(logits, -1, keepdim=True)
    likeliest, words = torch.topk(logits, min(_LIKELIEST, logits.shape[-1]))
    chance = torch.exp(likeliest - total)
    # A word is in while those before it have less than top_p: the first always is.
    chance = torch.where(chance.cumsum(-1) - chance < top_p, chance, 0.0)
    chosen = torch.multinomial(chance, 1, generator=generator)
    return torch.gather(words, 1, chosen)[:, 0]
