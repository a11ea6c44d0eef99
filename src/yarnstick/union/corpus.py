"""Human stories to train on: read, made natural, cut to size, and divided into training, validation and test.

A story's side is drawn by a hash of its first sentence, names aside, so that a story that stands in two files, or
once with its names and once without, is never trained on and tested with. All pieces of a story are on its side.
"""

from __future__ import annotations

import os
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from yarnstick.errors import InputError
from yarnstick.stories import read
from yarnstick.stories.problems import Problems
from yarnstick.stories.rows import rows_of
from yarnstick.stories.source import locate
from yarnstick.text.delexicalise import delexicalise
from yarnstick.text.sentences import sentence_spans
from yarnstick.union.prose import prose, readable
from yarnstick.union.workers import in_order

#: shares of the sides, in twentieths: 90% training, 5% validation, 5% test
_TWENTIETHS = ("validation", "test", *["train"] * 18)
#: pieces are not shorter than this, whole stories aside
_FEWEST_WORDS = 60
_NOT_A_WORD = re.compile(r"\[[A-Z]+\]|[\W_]+")


class Piece(NamedTuple):
    """A story, or so much of a long one as is taken at a time."""

    text: str
    #: the leading context, which no damage may touch; "" in a piece from a story's middle
    lead: str
    #: the file it is from, by name
    source: str


class Sampled(NamedTuple):
    """A human piece and how machines went on from its beginning."""

    human: str
    samples: tuple[str, ...]
    temperatures: tuple[float, ...]


class Corpus(NamedTuple):
    train: list[Piece]
    validation: list[Piece]
    test: list[Piece]
    sampled: list[Sampled]
    #: what was left out, by reason
    left_out: Mapping[str, int] = MappingProxyType({})


def read_corpus(
    paths: Sequence[str | os.PathLike[str]],
    *,
    words: int = 400,
    limit: int | None = None,
    sampled: Sequence[str | os.PathLike[str]] = (),
    as_in_paper: bool = False,
    workers: int = 0,
    columns: Mapping[str, str] | None = None,
) -> Corpus:
    """Read stories for training.

    ``paths``: whatever :func:`yarnstick.read` takes, and JSONL with a list of ``sentences`` or ``sections``.
    ``words``: longer stories are cut at sentence ends into pieces of at most that many, of many lengths, so that the
    length of a text says nothing about its quality. ``limit``: so many stories of each file. ``sampled``: what
    ``yarnstick generate`` wrote. ``as_in_paper``: UNION's own preparation: placeholders for names, and of a long
    story only its beginning (``words=200`` for WritingPrompts). ``workers``: processes to prepare the text in.
    ``columns``: which column is what, where the guess is wrong, as :func:`yarnstick.read` takes it.
    """
    sides: dict[str, list[Piece]] = {"train": [], "validation": [], "test": []}
    left_out: Counter[str] = Counter()
    seen: set[bytes] = set()
    for path in paths:
        if str(path) == "-":
            raise InputError("stories to learn from are read from files", remedy="put standard input into a file first")
        name = Path(path).name.split(".")[0]
        prepare = partial(_prepared, words=words, as_in_paper=as_in_paper)
        raw = islice(_raw(path, columns or {}), limit)
        for outcome in chain.from_iterable(in_order(prepare, _chunks(raw), workers)):
            if isinstance(outcome, str):
                left_out[outcome] += 1
            elif outcome.mark in seen:
                left_out["told twice"] += 1
            else:
                seen.add(outcome.mark)
                sides[outcome.side] += [Piece(*cut, name) for cut in outcome.pieces]
    if not sides["train"]:
        raise InputError(
            "no story to train on is left", file=", ".join(map(str, paths)), remedy=f"left out: {dict(left_out)}"
        )
    known = {piece.text for side in sides.values() for piece in side}
    kept = [row for path in sampled for row in read_sampled(path) if row.human in known or _missed(left_out)]
    return Corpus(sides["train"], sides["validation"], sides["test"], kept, dict(left_out))


def cut_story(text: str, words: int, spans: Sequence[tuple[int, int]]) -> list[tuple[str, str]]:
    """Pieces of the story, each with its leading context: its first sentence where the story begins, else nothing.

    The lengths are drawn between 60 and ``words`` words by the text itself: the same story is always cut alike.
    """
    if text.count(" ") < words:
        return [(text, text[spans[0][0] : spans[0][1]])]
    rng = random.Random(zlib.crc32(text.encode()))
    pieces: list[tuple[str, str]] = []
    begin, counted, wanted = 0, 0, rng.randint(min(_FEWEST_WORDS, words), words)
    for place, (start, end) in enumerate(spans):
        here = text.count(" ", start, end) + 1
        if counted + here > wanted:
            _keep(text, spans[begin:place], counted, pieces)
            begin, counted, wanted = place, 0, rng.randint(min(_FEWEST_WORDS, words), words)
        # A "sentence" longer than a piece may be is no sentence but a list or a wall of text: left out.
        begin, counted = (place + 1, 0) if here > words else (begin, counted + here)
    _keep(text, spans[begin:], counted, pieces)
    return pieces


def read_sampled(path: str | os.PathLike[str]) -> Iterator[Sampled]:
    """The rows ``yarnstick generate`` wrote."""
    source = locate(path, "jsonl")
    for line, row in rows_of(source, Problems("raise")):
        try:
            human, samples, temperatures = row["human"], row["samples"], row["temperatures"]
        except KeyError as missing:
            raise InputError(
                f"there is no {missing}", file=source.name, line=line, remedy="write it with `yarnstick generate`"
            ) from missing
        if len(samples) != len(temperatures):
            raise InputError(
                f"{len(samples)} samples but {len(temperatures)} temperatures",
                file=source.name,
                line=line,
                remedy="write it with `yarnstick generate`",
            )
        yield Sampled(human, tuple(samples), tuple(map(float, temperatures)))


def _keep(text: str, spans: Sequence[tuple[int, int]], counted: int, pieces: list[tuple[str, str]]) -> None:
    if len(spans) < 2 or (counted < _FEWEST_WORDS and pieces):
        return  # what is left over at a story's end
    start, end = spans[0][0], spans[-1][1]
    pieces.append((text[start:end], text[slice(*spans[0])] if start == 0 else ""))


class _Prepared(NamedTuple):
    side: str
    mark: bytes
    pieces: list[tuple[str, str]]


def _chunks(raw: Iterator[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    while chunk := list(islice(raw, 256)):
        yield chunk


def _prepared(chunk: list[tuple[str, str]], words: int, as_in_paper: bool) -> list[_Prepared | str]:
    """Each story ready to be used, or the reason why it is not."""
    return [_prepare(raw, form, words, as_in_paper) for raw, form in chunk]


def _prepare(raw: str, form: str, words: int, as_in_paper: bool) -> _Prepared | str:
    if "nopunct" in form:
        return "without punctuation"
    if not readable(raw):
        return "unknown words or markup"
    text = prose(raw)
    spans = sentence_spans(text)
    if len(spans) < 2:
        return "a single sentence"
    first = delexicalise(text[slice(*spans[0])])
    pieces = cut_story(text, words, spans)
    if as_in_paper:
        pieces = [(delexicalise(text), delexicalise(lead)) for text, lead in pieces[:1]]
    return _Prepared(_TWENTIETHS[_hash(first)[0] % 20], _hash(text), pieces)


def _raw(path: str | os.PathLike[str], columns: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Every text of the file, with how the file says it is written ("" where it does not say)."""
    source = locate(path)
    if source.format == "jsonl" and "story" not in columns:
        first = next(rows_of(source, Problems("raise")), None)
        column = next((name for name in ("sentences", "sections") if first and name in first[1]), None)
        if column:
            for line, row in rows_of(source, Problems("raise")):
                yield _joined(row, column, source.name, line), str(row.get("form", ""))
            return
    for story in read(path, columns=columns):
        yield story.text, str(story.extra.get("form", ""))


def _joined(row: Mapping[str, Any], column: str, file: str, line: int) -> str:
    parts = row.get(column)
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise InputError(f"{column!r} is not a list of texts", file=file, line=line, remedy="one list a story")
    return " ".join(part.strip() for part in parts)


def _missed(left_out: Counter[str]) -> bool:
    left_out["sampled from a story that is not here"] += 1
    return False


def _hash(text: str) -> bytes:
    # Letters and digits alone: the same story in another case, tokenised or with other quotes is the same story.
    return blake2b(_NOT_A_WORD.sub("", text.replace("[", " [")).lower().encode(), digest_size=8).digest()
