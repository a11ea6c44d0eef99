"""The model: a language model, a head that judges the story, a head that finds the places, and reconstruction."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from yarnstick.union.adapter import attach
from yarnstick.union.bases import Base
from yarnstick.union.settings import Settings


class Output(NamedTuple):
    """What the model says of a batch of windows."""

    #: one logit a window: how likely people wrote it so (eq. 2 before the sigmoid)
    stories: Tensor
    #: one logit a token: how likely it was damaged
    tokens: Tensor
    #: the reconstruction loss (eq. 5), zero where it was not asked for
    reconstruction: Tensor
    #: ``stories`` on the teachers' scale, which is learned; the same as ``stories`` where there is no teacher
    pupil: Tensor


class GapHead(nn.Module):
    """From a hidden state to a distribution over the vocabulary (eq. 4), tied to the embeddings as BERT's is."""

    def __init__(self, size: int, vocabulary: int) -> None:
        super().__init__()
        self.dense = nn.Linear(size, size)
        self.norm = nn.LayerNorm(size, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, hidden: Tensor, embeddings: Tensor) -> Tensor:
        shaped = self.norm(functional.gelu(self.dense(hidden)))
        return functional.linear(shaped, embeddings, self.bias)


class StoryModel(nn.Module):
    """``backbone`` with its heads. Forward takes windows of token ids, padded on the right, and their lengths."""

    def __init__(
        self,
        backbone: nn.Module,
        *,
        decoder: bool,
        pooling: str,
        gaps: bool = False,
        taught: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.backbone = backbone
        self.decoder = decoder
        self.pooling = pooling
        config: Any = backbone.config
        size = int(config.hidden_size)
        self.story_head = nn.Linear(size, 1)
        self.token_head = nn.Linear(size, 1)
        for head in (self.story_head, self.token_head):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)
        self.gap_head = GapHead(size, int(config.vocab_size)) if gaps and not decoder else None
        self.teacher_scale = nn.Parameter(torch.tensor([1.0, 0.0])) if taught else None
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, ids: Tensor, lengths: Tensor, asked: Tensor | None = None, answers: Tensor | None = None
    ) -> Output:
        inside = torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]
        # A decoder never looks right, where the padding is: without a mask the fastest attention kernel is used.
        mask = None if self.decoder else inside.long()
        more = {"use_cache": False} if self.decoder else {}
        hidden = self.backbone(input_ids=ids, attention_mask=mask, **more).last_hidden_state
        with torch.autocast(ids.device.type, enabled=False):  # a score's last step is worth single precision
            pooled = self.dropout(pool(hidden, lengths, inside, self.pooling).float())
            stories = self.story_head(pooled).squeeze(-1)
            tokens = self.token_head(hidden.float()).squeeze(-1)
        scale = self.teacher_scale
        pupil = stories if scale is None else scale[0] * stories + scale[1]
        return Output(stories, tokens, self._reconstruction(hidden, asked, answers), pupil)

    def _reconstruction(self, hidden: Tensor, asked: Tensor | None, answers: Tensor | None) -> Tensor:
        """Eq. 5: the mean negative log-probability of the tokens that belong there; a decoder is asked for the next."""
        if asked is None or answers is None or not len(asked):
            return hidden.new_zeros((), dtype=torch.float32)
        embeddings = self._embeddings()
        states = hidden.flatten(0, 1)[asked]
        if self.gap_head is not None:
            logits = self.gap_head(states, embeddings)
        else:
            logits = functional.linear(states, embeddings.to(states.dtype))
        return functional.cross_entropy(logits.float(), answers)

    def _embeddings(self) -> Tensor:
        lookup: Any = self.backbone.get_input_embeddings
        return lookup().weight  # type: ignore[no-any-return]


def pool(hidden: Tensor, lengths: Tensor, inside: Tensor, how: str) -> Tensor:
    """One vector a window: its first token's, its last token's, or the mean of all."""
    if how == "first":
        return hidden[:, 0]
    if how == "last":
        return hidden[torch.arange(hidden.shape[0], device=hidden.device), lengths.long() - 1]
    kept = inside.unsqueeze(-1).to(hidden.dtype)
    return (hidden * kept).sum(1, dtype=torch.float32) / lengths.unsqueeze(-1).float()


def build(base: Base, settings: Settings) -> StoryModel:
    """A model that is ready to train, its new weights drawn from torch's generator."""
    if settings.rank:
        attach(base.backbone, settings.rank, settings.alpha)
    model = StoryModel(
        base.backbone,
        decoder=base.decoder,
        pooling=settings.pooling or default_pooling(base.decoder),
        gaps=settings.reconstruction > 0,
        taught=settings.distillation > 0,
        dropout=max(settings.dropout, 0.0),
    )
    if model.gap_head is not None and base.gap_head:
        model.gap_head.load_state_dict(base.gap_head)
    return model


def default_pooling(decoder: bool) -> str:
    """Where each kind of model gathers what it read: [CLS], or the last token."""
    return "last" if decoder else "first"


def freeze_in(model: StoryModel, dtype: torch.dtype) -> None:
    """Keep weights that are not trained in ``dtype``: half the memory, and no conversion at every step."""
    for parameter in model.backbone.parameters():
        if not parameter.requires_grad:
            parameter.data = parameter.data.to(dtype)
