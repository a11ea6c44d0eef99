"""Scoring with a packed model: onnxruntime and `tokenizers`, no torch.

A story comes out the same to the last bit whatever it is scored with: windows are padded to a width that follows from
their own length alone, only windows of one width share a batch, and the packed graphs treat each row by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from yarnstick.errors import InputError
from yarnstick.optional import require
from yarnstick.union.encoding import Read, Reader, padded, width_of
from yarnstick.union.packed import Packed, check_model, read_packed

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

#: tokens a batch, padding included: enough to keep a core busy, few enough to stay in its cache
_BATCH_TOKENS = 1024
_INPUTS = {"input_ids", "attention_mask"}
_STORY, _TOKENS = "story_logit", "token_logits"
#: more threads than this gain little on texts of a few hundred tokens
_MOST_THREADS = 16

Floats = npt.NDArray[np.float64]


class Judged(NamedTuple):
    """What the model says of a text: of the whole, and of each token with the characters it covers."""

    logit: float
    tokens: Floats
    offsets: list[tuple[int, int]]
    #: each window: the tokens [first, stop) it holds, and its own logit
    windows: list[tuple[int, int, float]]


class _Window(NamedTuple):
    text: int
    first: int
    stop: int


class Runtime:
    """A packed model, loaded. Safe to use from several threads."""

    def __init__(self, packed: Packed) -> None:
        self.packed = packed
        self._reader = packed.reader()
        _check_tokenizer(self._reader, packed)
        check_model(packed)
        self._session = _session(packed)

    def logits(self, texts: Sequence[str]) -> Floats:
        """A logit a text, NaN where the model finds no token to read; windows count by their tokens."""
        distinct = list(dict.fromkeys(texts))
        logits = np.full(len(distinct), np.nan)
        reads = self._reader.read(distinct)
        windows, outcomes = self._run(reads, [_STORY])
        for window, (story,) in zip(windows, outcomes, strict=True):
            before = logits[window.text]
            logits[window.text] = (0.0 if np.isnan(before) else before) + _share(window, reads) * float(story)
        place = {text: number for number, text in enumerate(distinct)}
        return logits[[place[text] for text in texts]]

    def log_odds(self, texts: Sequence[str]) -> Floats:
        """The logits, calibrated: those of a probability."""
        return self.packed.calibration.slope * self.logits(texts) + self.packed.calibration.intercept

    def judge(self, texts: Sequence[str]) -> list[Judged]:
        """The logits of the texts and of their tokens: how likely each token does not belong there."""
        reads = self._reader.read(texts)
        logits = np.full(len(texts), np.nan)
        tokens = [np.zeros(len(read.ids)) for read in reads]
        windows, outcomes = self._run(reads, [_STORY, _TOKENS])
        parts: list[list[tuple[int, int, float]]] = [[] for _ in texts]
        before = len(self._reader.before)
        for window, (story, places) in zip(windows, outcomes, strict=True):
            held = logits[window.text]
            logits[window.text] = (0.0 if np.isnan(held) else held) + _share(window, reads) * float(story)
            parts[window.text].append((window.first, window.stop, float(story)))
            tokens[window.text][window.first : window.stop] = places[before : before + window.stop - window.first]
        return [
            Judged(float(logit), own, list(read.encoding.offsets), held)
            for logit, own, read, held in zip(logits, tokens, reads, parts, strict=True)
        ]

    def _run(self, reads: Sequence[Read], wanted: list[str]) -> tuple[list[_Window], list[tuple[Any, ...]]]:
        """Every window of the texts with what the network gives out for it, in the order of the texts."""
        windows = [
            _Window(text, *each) for text, read in enumerate(reads) for each in read.windows if each[1] > each[0]
        ]
        rows = [self._reader.row(reads[window.text], (window.first, window.stop)) for window in windows]
        outcomes: list[tuple[Any, ...]] = [()] * len(rows)

        def run(batch: list[int]) -> None:
            ids = padded([rows[place] for place in batch], np.int64, 0)
            lengths = np.array([len(rows[place]) for place in batch])
            mask = (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)
            made = self._session.run(wanted, {"input_ids": ids, "attention_mask": mask})
            for row, place in enumerate(batch):
                outcomes[place] = tuple(array[row] for array in made)

        batches = list(_batches([len(row) for row in rows]))
        count = min(threads(), len(batches))
        if count <= 1:
            for batch in batches:
                run(batch)
        else:
            with ThreadPoolExecutor(count) as pool:
                list(pool.map(run, batches))
        return windows, outcomes


def open_runtime(folder: Path) -> Runtime:
    """The model in a folder, loaded once a process for as long as it is the same model."""
    packed = read_packed(folder)
    return _opened(str(folder.resolve()), packed.identity)


def probability(log_odds: Floats) -> Floats:
    """What odds are as a probability; every last digit of great odds is kept until they round to one."""
    return 0.5 * (1.0 + np.tanh(0.5 * log_odds))


def threads() -> int:
    """How many batches are read at a time: one in an engine's worker process, else one a core that may be used."""
    if parent_process() is not None:
        return 1
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST_THREADS)


@lru_cache(maxsize=2)
def _opened(folder: str, identity: str) -> Runtime:
    return Runtime(read_packed(Path(folder)))


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of windows that share a width, longest first, so that no thread is left with the longest at the end."""
    by_width: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        by_width.setdefault(width_of(length), []).append(place)
    for width, places in sorted(by_width.items(), reverse=True):
        most = max(1, _BATCH_TOKENS // width)
        for start in range(0, len(places), most):
            yield places[start : start + most]


def _share(window: _Window, reads: Sequence[Read]) -> float:
    return (window.stop - window.first) / len(reads[window.text].ids)


def _check_tokenizer(reader: Reader, packed: Packed) -> None:
    require("tokenizers", "scoring with a story model")
    try:
        _ = reader.tokenizer
    except Exception as error:  # `tokenizers` raises the plainest of exceptions
        raise InputError(
            f"the tokenizer in {packed.folder} cannot be read: {str(error).splitlines()[0]}",
            remedy="update the library tokenizers, or pack the model again",
        ) from error


def _session(packed: Packed) -> InferenceSession:
    library = require("onnxruntime", "scoring with a story model")
    options = library.SessionOptions()
    # Batches run side by side, each on one thread: threads inside an operator would wait for each other at every one.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # shapes change with every batch
    try:
        session = library.InferenceSession(str(packed.model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions have no common class of their own
        raise InputError(
            f"{packed.model} cannot be loaded: {str(error).splitlines()[0]}",
            remedy="update the library onnxruntime, or pack the model again",
        ) from error
    if {given.name for given in session.get_inputs()} != _INPUTS or not {_STORY, _TOKENS} <= {
        made.name for made in session.get_outputs()
    }:
        raise InputError(f"{packed.model} is no packed story model", remedy="pack it with `yarnstick models pack`")
    return session
