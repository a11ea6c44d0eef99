"""What language models say of texts: how likely each token was, and what they would put into each gap.

On a CPU every window is read by itself: some hundred tokens keep it busy, nothing is padded, and a text comes out the
same to the last bit in whatever company. On a GPU windows of like length share a batch of so many tokens, and a batch
that does not fit into its memory is halved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from yarnstick.features.windows import Window, both_ways, from_left_to_right
from yarnstick.models.language_models import LanguageModel, open_language_model

if TYPE_CHECKING:
    import torch

Floats = npt.NDArray[np.float64]
Row = TypeVar("Row")

#: numbers a batch's logits may hold on a GPU (1 GiB), and those of one text's gaps on any device
_LOGITS = {"cuda": 2**28, "mps": 2**26, "cpu": 0}
_GAP_LOGITS = 2**26
#: rows of logits that are normalised at a time: their exponentials need not all be held
_ROWS = 256
#: what stands between a prompt and its story
BETWEEN = "\n\n"


def token_log_probabilities(texts: Sequence[str], *, model: str, window: int) -> list[Floats]:
    """Natural log-probability of every token of every text, given those before it.

    A model that puts nothing before a text has nothing to predict its first token from: that one is left out, as it
    is from transformers' own loss.
    """
    opened = open_language_model("causal", model)
    return _read(opened, [(opened.before, opened.encode(text)) for text in texts], window)


def token_log_probabilities_after(pairs: Sequence[tuple[str, ...]], *, model: str, window: int) -> list[Floats]:
    """The same for the second text of each pair, read after the first and an empty line."""
    opened = open_language_model("causal", model)
    sequences = []
    for before, text in pairs:
        lead = [*opened.before, *opened.encode(before + BETWEEN)]
        sequences.append((tuple(lead), opened.encode(text)))
    return _read(opened, sequences, window)


def likelihoods(pairs: Sequence[tuple[str, ...]], *, model: str) -> list[float]:
    """Mean log-probability of the tokens of the second text of each pair, its end included, given the first.

    This is minus the loss transformers gives. Source and target may be longer than the window: both are cut into
    overlapping ones, and every window of the longer list meets the one at the same place of the shorter, so that all
    of both is read. A target token that met several parts of the source counts with its mean.
    """
    opened = open_language_model("seq2seq", model)
    rows = []
    for number, (source, target) in enumerate(pairs):
        given, wanted = opened.encode(source), opened.encode(target)
        if not given or not wanted:
            continue
        parts = both_ways(len(given), opened.window - len(opened.before) - len(opened.after))
        whole = [*opened.before, *wanted, *opened.after]
        windows = from_left_to_right(len(whole), opened.window)
        count = max(len(parts), len(windows))
        for step in range(count):
            part, window = parts[step * len(parts) // count], windows[step * len(windows) // count]
            read = [*opened.before, *given[part.start : part.stop], *opened.after]
            rows.append(_Pair(number, read, whole[window.start : window.stop], window))
    answers = _in_batches(rows, opened, lambda row: (len(row.source), len(row.target)), _target_logs)
    met: list[dict[Window, list[Floats]]] = [{} for _ in pairs]
    for row, logs in zip(rows, answers, strict=True):
        met[row.text].setdefault(row.window, []).append(logs[row.window.first - row.window.start :])
    return [
        float(np.concatenate([np.mean(logs, axis=0) for logs in windows.values()]).mean()) if windows else np.nan
        for windows in met
    ]


def gap_distributions(texts: Sequence[str], *, model: str, temperature: float) -> list[Floats]:
    """What the model would put in place of a token, as one distribution: each token of the text is hidden in turn,
    and the answers are averaged. An empty array where the text has no token.
    """
    import torch

    opened = open_language_model("masked", model)
    with torch.inference_mode():
        return [_gaps(opened, opened.encode(text), temperature) for text in texts]


class _Pair(NamedTuple):
    text: int
    source: list[int]
    target: list[int]
    window: Window


class _Part(NamedTuple):
    text: int
    ids: list[int]
    #: how many tokens at the beginning are not asked for
    skipped: int


class _Hidden(NamedTuple):
    ids: list[int]
    place: int
    temperature: float


def _read(model: LanguageModel, sequences: Sequence[tuple[tuple[int, ...], list[int]]], window: int) -> list[Floats]:
    width = min(window, model.window)
    parts = []
    for number, (lead, ids) in enumerate(sequences):
        whole = [*lead, *ids]
        for span in from_left_to_right(len(whole), width):
            first = max(span.first, len(lead), 1)
            if first < span.last:
                parts.append(_Part(number, whole[span.start : span.stop], first - span.start))
    logs: list[list[Floats]] = [[np.zeros(0)] for _ in sequences]
    answers = _in_batches(parts, model, lambda part: (len(part.ids),), _next_logs)
    for part, answer in zip(parts, answers, strict=True):
        logs[part.text].append(answer[part.skipped - 1 :])
    return [np.concatenate(several) for several in logs]


def _next_logs(model: LanguageModel, parts: Sequence[_Part]) -> list[Floats]:
    ids, mask = _padded(model, [part.ids for part in parts])
    logits = model.network(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, :-1]
    return [_picked(logits[row, : len(part.ids) - 1], ids[row, 1 : len(part.ids)]) for row, part in enumerate(parts)]


def _target_logs(model: LanguageModel, pairs: Sequence[_Pair]) -> list[Floats]:
    source, source_mask = _padded(model, [pair.source for pair in pairs])
    target, _ = _padded(model, [pair.target for pair in pairs])
    # With labels, transformers shifts them to the right as this model was trained to have them.
    logits = model.network(input_ids=source, attention_mask=source_mask, labels=target, use_cache=False).logits
    return [_picked(logits[row, : len(pair.target)], target[row, : len(pair.target)]) for row, pair in enumerate(pairs)]


def _picked(logits: torch.Tensor, ids: torch.Tensor) -> Floats:
    """Log-probability of each id under its row of logits."""
    import torch

    logs = torch.empty(len(ids), dtype=torch.float64)
    for start in range(0, len(ids), _ROWS):
        rows = logits[start : start + _ROWS].float()
        own = rows.gather(1, ids[start : start + _ROWS, None])[:, 0]
        logs[start : start + _ROWS] = (own - rows.logsumexp(1)).cpu().double()
    return np.asarray(logs.numpy())


def _gaps(model: LanguageModel, ids: list[int], temperature: float) -> Floats:
    lead, width = len(model.before), model.window - len(model.before) - len(model.after)
    total = np.zeros(model.vocabulary if ids else 0)
    for window in both_ways(len(ids), width):
        whole = [*model.before, *ids[window.start : window.stop], *model.after]
        # Rows of one text only, and as many as its own width allows: nothing is padded, company changes nothing.
        most = max(1, _GAP_LOGITS // (len(whole) * model.vocabulary))
        rows = [_Hidden(whole, place - window.start + lead, temperature) for place in range(window.first, window.last)]
        for start in range(0, len(rows), most):
            for part in _halving(_gap_answers, model, rows[start : start + most]):
                total += part
    return total / max(1, len(ids))


def _gap_answers(model: LanguageModel, hidden: Sequence[_Hidden]) -> list[Floats]:
    """The distributions at the hidden places, summed up: the only use that is made of them."""
    import torch

    rows = torch.tensor([row.ids for row in hidden], device=model.device)
    at = torch.arange(len(rows), device=model.device), torch.tensor([row.place for row in hidden], device=model.device)
    rows[at] = model.gap
    logits = model.network(input_ids=rows, attention_mask=torch.ones_like(rows)).logits[at]
    if model.device.type == "mps":
        logits = logits.cpu()  # it has no double precision
    return [np.asarray(torch.softmax(logits.double() / hidden[0].temperature, -1).sum(0).cpu().numpy())]


def _in_batches(
    rows: Sequence[Row],
    model: LanguageModel,
    lengths: Callable[[Row], tuple[int, ...]],
    read: Callable[[LanguageModel, Sequence[Row]], list[Floats]],
) -> list[Floats]:
    """What reading gives for every row, in the order the rows came in; those of like length are read together."""
    import torch

    budget = _LOGITS[model.device.type] // model.vocabulary
    batches: list[list[int]] = []
    longest = 0
    for place in sorted(range(len(rows)), key=lambda place: lengths(rows[place])):
        longest = max(longest, *lengths(rows[place])) if batches else max(lengths(rows[place]))
        if not batches or (len(batches[-1]) + 1) * longest > budget:
            batches.append([])
            longest = max(lengths(rows[place]))
        batches[-1].append(place)
    answers: list[Floats] = [np.zeros(0)] * len(rows)
    with torch.inference_mode():
        for batch in batches:
            made = _halving(read, model, [rows[place] for place in batch])
            for place, answer in zip(batch, made, strict=True):
                answers[place] = answer
    return answers


def _halving(
    read: Callable[[LanguageModel, Sequence[Row]], list[Floats]], model: LanguageModel, rows: Sequence[Row]
) -> list[Floats]:
    """Read the rows; where they do not fit into a GPU's memory, one half and then the other."""
    import torch

    try:
        return read(model, rows)
    except torch.cuda.OutOfMemoryError:
        if len(rows) == 1:
            raise
    torch.cuda.empty_cache()
    middle = len(rows) // 2
    return [*_halving(read, model, rows[:middle]), *_halving(read, model, rows[middle:])]


def _padded(model: LanguageModel, rows: Sequence[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of tokens as one tensor, filled up at the right, and which of it is text."""
    import torch

    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows], device=model.device)
    lengths = torch.tensor([len(row) for row in rows], device=model.device)
    mask = torch.arange(longest, device=model.device) < lengths[:, None]
    return ids, mask.long()
