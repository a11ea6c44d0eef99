"""A run of ``yarnstick generate``: which stories to go on from, in what batches, and how a killed run goes on.

What is done lies in a folder beside the output: the writer once it is taught, then one file a batch, each complete.
The same request makes the same batches, so a second run does only what is missing.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from yarnstick.errors import OutputError
from yarnstick.generate.sampling import Beginning, continue_stories
from yarnstick.generate.writer import Lessons, Writer, encode, load_writer, save_writer, teach
from yarnstick.stories.files import atomic, explained
from yarnstick.stories.source import split_suffix
from yarnstick.text.sentences import sentence_spans
from yarnstick.union.corpus import Corpus, Piece

#: pieces of more words are long ones
SHORT_WORDS = 100
#: rows of a batch whatever their length: more no longer pays on any GPU
_MOST_ROWS = 4096


class Request(NamedTuple):
    """What is asked for. ``openings`` of short pieces and ``long_openings`` of others, as far as there are any."""

    base: str
    openings: int
    long_openings: int
    samples: int
    temperatures: tuple[float, ...]
    top_p: float
    batch_tokens: int
    seed: int
    lessons: Lessons


class _Job(NamedTuple):
    piece: Piece
    beginning: str
    temperatures: tuple[float, ...]
    #: tokens a continuation may have: a little more than the human one
    limit: int
    tokens: int


def write_samples(
    corpus: Corpus,
    request: Request,
    output: Path,
    *,
    on_step: Callable[[int, float, float], None] | None = None,
    on_rows: Callable[[int, bool], None] | None = None,
) -> int:
    """Teach a writer, let it write, and put the rows into ``output``; gives their number.

    ``on_rows`` is told how many openings are done, and whether they were done by an earlier run.
    """
    folder = output.with_name(f"{output.name}.part")
    _same_request(folder, request, corpus)
    writer = _taught(corpus, request, folder, on_step)
    chosen = choose_pieces(corpus, request.openings, request.long_openings, request.seed)
    batches = list(_batches(_jobs(chosen, writer, request), request.batch_tokens))
    ready = False
    for number, jobs in enumerate(batches):
        shard = folder / f"{number:05}.jsonl"
        known = shard.is_file()
        if not known:
            if not ready:
                _for_sampling(writer)
                ready = True
            _write_shard(shard, _rows(writer, jobs, request.top_p, seed=request.seed * 100_003 + number))
        if on_rows is not None:
            on_rows(len(jobs), known)
    return _gathered([folder / f"{number:05}.jsonl" for number in range(len(batches))], output, folder)


def choose_pieces(corpus: Corpus, short: int, long: int, seed: int) -> list[Piece]:
    """So many short pieces and so many others, from all three sides of the corpus alike."""
    pieces = [*corpus.train, *corpus.validation, *corpus.test]
    random.Random(seed).shuffle(pieces)
    are_short = [piece.text.count(" ") < SHORT_WORDS for piece in pieces]
    return [
        *[piece for piece, is_short in zip(pieces, are_short, strict=True) if is_short][:short],
        *[piece for piece, is_short in zip(pieces, are_short, strict=True) if not is_short][:long],
    ]


def beginning_of(piece: Piece, rng: random.Random) -> str:
    """The first sentence of a short piece, the first one to three of others; never all of it."""
    spans = sentence_spans(piece.text)
    wanted = 1 if piece.text.count(" ") < SHORT_WORDS else rng.randint(1, 3)
    return piece.text[: spans[min(wanted, len(spans) - 1) - 1][1]]


def _taught(
    corpus: Corpus, request: Request, folder: Path, on_step: Callable[[int, float, float], None] | None
) -> Writer:
    kept, draft = folder / "writer", folder / "writer.draft"
    if kept.is_dir():
        return load_writer(f"path:{kept}", [])
    stories = [piece.text for piece in corpus.train]
    writer = load_writer(request.base, stories, request.seed)
    teach(writer, stories, request.lessons, on_step)
    with explained(kept):
        shutil.rmtree(draft, ignore_errors=True)
        save_writer(writer, draft)
        draft.rename(kept)
    return writer


def _for_sampling(writer: Writer) -> None:
    import torch

    writer.backbone.eval()
    if writer.device.type == "cuda":
        # The weights alone: the angles of positions, which are no weights, would lose their far digits.
        for weight in writer.backbone.parameters():
            weight.data = weight.data.to(torch.bfloat16)


def _jobs(pieces: Sequence[Piece], writer: Writer, request: Request) -> list[_Job]:
    beginnings, temperatures = [], []
    for place, piece in enumerate(pieces):
        rng = random.Random(f"{request.seed}/{place}")
        beginnings.append(beginning_of(piece, rng))
        # Each temperature as often as any other, and different ones for one opening as long as there are some.
        cycle = [*request.temperatures] * (request.samples // len(request.temperatures))
        rest = rng.sample(request.temperatures, request.samples - len(cycle))
        temperatures.append((*cycle, *rest))
    whole = [len(ids) for ids in encode(writer, [piece.text for piece in pieces])]
    read = [len(ids) for ids in encode(writer, beginnings)]
    jobs = [
        _Job(piece, beginning, heats, limit := round(1.25 * (all_ - before)) + 16, before + limit)
        for piece, beginning, heats, all_, before in zip(pieces, beginnings, temperatures, whole, read, strict=True)
    ]
    # The longest first: what does not fit into memory is known at once.
    return sorted(jobs, key=lambda job: -job.tokens)


def _batches(jobs: Sequence[_Job], batch_tokens: int) -> Iterator[list[_Job]]:
    batch: list[_Job] = []
    rows = 0
    for job in jobs:
        here = len(job.temperatures)
        if batch and (rows + here > _MOST_ROWS or (rows + here) * batch[0].tokens > batch_tokens):
            yield batch
            batch, rows = [], 0
        batch.append(job)
        rows += here
    if batch:
        yield batch


def _rows(writer: Writer, jobs: Sequence[_Job], top_p: float, seed: int) -> Iterator[dict[str, object]]:
    beginnings = [Beginning(job.beginning, job.limit, heat) for job in jobs for heat in job.temperatures]
    stories = iter(continue_stories(writer, beginnings, top_p=top_p, seed=seed))
    for job in jobs:
        told = [(next(stories), heat) for heat in job.temperatures]
        kept = [(story, heat) for story, heat in told if story and story != job.piece.text]
        yield {
            "human": job.piece.text,
            "samples": [story for story, _ in kept],
            "temperatures": [heat for _, heat in kept],
        }


def _same_request(folder: Path, request: Request, corpus: Corpus) -> None:
    """Make the folder, or see that it holds the beginnings of this very run."""
    about = json.dumps({"request": request, "pieces": [len(side) for side in corpus[:3]]}, sort_keys=True)
    record = folder / "run.json"
    # A run that failed before anything was taught or written, for a base that is not there, stands in nobody's way.
    begun = folder.is_dir() and any(path != record for path in folder.iterdir())
    if begun and record.is_file() and record.read_text("utf-8") != about:
        raise OutputError(
            f"{folder} holds what another run has done, with other data or settings",
            remedy="give the same command again to go on, or remove that folder",
        )
    with explained(folder):
        folder.mkdir(exist_ok=True)
    with atomic(record) as stream:
        stream.write(about.encode())


def _write_shard(path: Path, rows: Iterator[dict[str, object]]) -> None:
    with atomic(path) as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def _gathered(shards: Sequence[Path], output: Path, folder: Path) -> int:
    count = 0
    with atomic(output, split_suffix(output)[0]) as stream:
        for shard in shards:
            for line in shard.read_bytes().splitlines(keepends=True):
                if json.loads(line)["samples"]:
                    stream.write(line)
                    count += 1
    shutil.rmtree(folder)
    return count
