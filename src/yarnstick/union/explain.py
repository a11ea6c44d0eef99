"""What in a story the model would change: which sentences, and which words.

Two ways of asking that know nothing of each other. *Leaving out*: the story is scored again without each of its
sentences; a sentence without which the score rises is one the model holds against the story. A story of several
windows is read again in the window the sentence stands in, and the others stay as they are. *Places*: the model was
taught to say of every token how likely it was damaged; words it doubts are marked.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from yarnstick.text.sentences import sentence_spans
from yarnstick.union.prose import prose
from yarnstick.union.runtime import Floats, Judged, Runtime, probability

_WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
#: a story of more sentences is scored without those only whose words are doubted most (without the first ones, where
#: the model has no doubts to tell): each costs a reading of its window
MOST_LEFT_OUT = 40


class Sentence(NamedTuple):
    """A sentence and what the two ways say of it."""

    start: int
    end: int
    #: by how much the log-odds of the story rise when it is left out; None where that was not tried
    gain: float | None
    #: mean log-odds that its tokens were damaged; None where the model was not taught to say
    doubt: float | None


class Span(NamedTuple):
    """Something to mark: ``kind`` is "sentence" (``weight``: its gain) or "words" (``weight``: how likely damaged)."""

    start: int
    end: int
    kind: str
    weight: float


class Explanation(NamedTuple):
    """What the model makes of a story. All places are characters of ``text``, the story as the model reads it."""

    text: str
    #: the score, NaN where there is nothing to read
    score: float
    log_odds: float
    #: in the order of the story
    sentences: list[Sentence]
    #: what to mark, the gravest first within each kind
    spans: list[Span]

    def ranked(self) -> list[Sentence]:
        """The sentences, those the story is better without first; where that is not known, the most doubted."""
        return sorted(self.sentences, key=lambda each: (-(each.gain or 0.0), -(each.doubt or 0.0)))


class _Rest(NamedTuple):
    """A window without a sentence: the text to read again, or its logit where the sentence is not in it."""

    text: str
    logit: float
    tokens: int


def explain(runtime: Runtime, story: str, *, natural: bool = True, least: float = 0.5) -> Explanation:
    """Ask the model both ways. Words count as doubted from a probability of ``least`` on."""
    text = prose(story) if natural else story
    (judged,) = runtime.judge([text])
    calibration = runtime.packed.calibration
    log_odds = calibration.slope * judged.logit + calibration.intercept
    spans = sentence_spans(text)
    taught = bool(runtime.packed.about.get("places", True))
    doubts = [_doubt(judged, start, end) if taught else None for start, end in spans]
    gains = _gains(runtime, text, spans, doubts, judged)
    sentences = [Sentence(*span, gain, doubt) for span, gain, doubt in zip(spans, gains, doubts, strict=True)]
    marked = [Span(each.start, each.end, "sentence", each.gain) for each in sentences if each.gain and each.gain > 0]
    marked.sort(key=lambda span: -span.weight)
    score = float(probability(np.array(log_odds)))
    words = _doubted_words(text, judged, spans, least) if taught else []
    return Explanation(text, score, log_odds, sentences, [*marked, *words])


def _gains(
    runtime: Runtime, text: str, spans: Sequence[tuple[int, int]], doubts: Sequence[float | None], judged: Judged
) -> list[float | None]:
    """What leaving each sentence out adds to the log-odds; the space after it goes with it."""
    gains: list[float | None] = [None] * len(spans)
    if len(spans) < 2:
        return gains  # nothing would be left
    tried = sorted(sorted(range(len(spans)), key=lambda place: -(doubts[place] or 0.0))[:MOST_LEFT_OUT])
    starts = [start for start, _ in spans] + [len(text)]
    stops = [stop for _, stop in judged.offsets]
    cut: list[tuple[int, _Rest]] = []
    for place in tried:
        start, end = spans[place]
        tokens = bisect_right(stops, start), bisect_right(stops, end)
        cut += [(place, rest) for rest in _rests(text, judged, (start, starts[place + 1]), tokens)]
    logits = iter(runtime.logits([rest.text for _, rest in cut if rest.text]).tolist())
    summed = {place: (0.0, 0) for place in tried}
    for place, rest in cut:
        logit = next(logits) if rest.text else rest.logit
        total, tokens_left = summed[place]
        summed[place] = total + rest.tokens * logit, tokens_left + rest.tokens
    for place, (total, tokens_left) in summed.items():
        if tokens_left and not np.isnan(total):
            gains[place] = runtime.packed.calibration.slope * (total / tokens_left - judged.logit)
    return gains


def _rests(text: str, judged: Judged, hole: tuple[int, int], tokens: tuple[int, int]) -> Iterator[_Rest]:
    """What every window holds without the characters of ``hole``, which are these tokens."""
    for first, stop, logit in judged.windows:
        lost = max(0, min(stop, tokens[1]) - max(first, tokens[0]))
        if not lost:
            yield _Rest("", logit, stop - first)
        elif lost < stop - first:
            begin = judged.offsets[first][0] if first else 0
            end = judged.offsets[stop - 1][1] if stop < len(judged.offsets) else len(text)
            rest = text[begin : max(begin, hole[0])] + text[min(hole[1], end) : end]
            yield _Rest(rest, math.nan, stop - first - lost)


def _doubt(judged: Judged, start: int, end: int) -> float:
    inside = [odds for odds, (_, stop) in zip(judged.tokens, judged.offsets, strict=True) if start < stop <= end]
    return float(np.mean(inside)) if inside else 0.0


def _doubted_words(text: str, judged: Judged, sentences: Sequence[tuple[int, int]], least: float) -> list[Span]:
    """Words with a doubted token, neighbours joined; a span never leaves its sentence."""
    likely: Floats = probability(judged.tokens)
    weights: dict[tuple[int, int], float] = {}
    words = iter(match.span() for match in _WORD.finditer(text))
    word = next(words, None)
    for weight, (start, stop) in zip(likely.tolist(), judged.offsets, strict=True):
        while word is not None and word[1] <= start:
            word = next(words, None)
        if word is not None and word[0] < stop:
            weights[word] = max(weight, weights.get(word, 0.0))
    begins = {start for start, _ in sentences}
    spans: list[Span] = []
    for (start, end), weight in weights.items():
        if weight < least:
            continue
        last = spans[-1] if spans else None
        if last is not None and not text[last.end : start].strip() and start not in begins:
            spans[-1] = Span(last.start, end, "words", max(last.weight, weight))
        else:
            spans.append(Span(start, end, "words", weight))
    return sorted(spans, key=lambda span: -span.weight)
