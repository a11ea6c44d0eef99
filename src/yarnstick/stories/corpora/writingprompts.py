"""WritingPrompts as fairseq released it: a prompt a line and, in a parallel file, a story a line."""

from __future__ import annotations

import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

from yarnstick.errors import InputError
from yarnstick.stories.corpora.card import CorpusCard, CorpusFile, Shelf
from yarnstick.stories.corpora.finding import find_file
from yarnstick.stories.corpora.told import OpenTold, Told, lines_of, stories_of, story, tell_rows, text_of
from yarnstick.stories.problems import Problems
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.rows import rows_of
from yarnstick.stories.source import Source, locate
from yarnstick.stories.storyset import StorySet

_ARCHIVE = CorpusFile(
    "writingPrompts.tar.gz",
    url="https://dl.fbaipublicfiles.com/fairseq/data/writingPrompts.tar.gz",
    evidence="no checksum is published, so the first fetch is recorded",
)
#: opens the prompts and the stories of a split, and closes what they stand in
OpenPair: TypeAlias = Callable[[], AbstractContextManager[tuple[Source, Source]]]

_REARRANGED = CorpusFile("writingprompts.jsonl")
_SPLITS = ("train", "valid", "test")
#: what the release writes for a line break inside a story
_LINE_BREAK = re.compile(r" ?<newline> ?")

CARD = CorpusCard(
    name="writingprompts",
    title="WritingPrompts",
    summary="303,358 stories people wrote to prompts on Reddit",
    paper="Fan, Lewis, Dauphin: Hierarchical Neural Story Generation (ACL 2018)",
    licence="none stated for the texts, which are Reddit users'; fairseq, which released them, is MIT",
    holds={
        "stories": "303,358, tokenised; <newline> becomes a line break",
        "systems": "none: written by people",
        "prompts": "several stories may share one; equal prompts have equal prompt ids",
        "raters": "none",
    },
    splits={"train": "272,600 stories", "valid": "15,620 stories", "test": "15,138 stories"},
    files=(_ARCHIVE,),
    how_to_get="yarnstick data writingprompts --fetch (several hundred MB), or writingPrompts.tar.gz by the link in "
    "github.com/facebookresearch/fairseq, examples/stories; it may stay packed",
)


def _pair(folder: Path, split: str) -> tuple[Path | None, Path | None]:
    prompts, stories = (
        find_file(folder, CorpusFile(f"{split}.{side}", inside=f"writingPrompts/{split}.{side}"))
        for side in ("wp_source", "wp_target")
    )
    return prompts, stories


def _find(folder: Path) -> list[Path]:
    if folder.is_dir() and (pairs := [path for split in _SPLITS for path in _pair(folder, split) if path]):
        return pairs
    return [path for file in (_ARCHIVE, _REARRANGED) if (path := find_file(folder, file))][:1]


def _load(folder: Path, split: str | None, _problems: Problems) -> tuple[StorySet, Ratings | None]:
    first = _find(folder)[0]
    if first.name.startswith(_REARRANGED.name):
        if split is not None:
            raise InputError("has no splits", file=str(first), remedy="leave the split out, or use the released files")
        return stories_of(_open_rearranged(first), str(first)), None
    wanted = [split] if split else list(_SPLITS)
    packed = first.name.startswith(_ARCHIVE.name)
    pairs = {name: _packed_pair(first, name) if packed else _plain_pair(folder, name) for name in wanted}
    # Without a split, what is there is read; the halves of one that is there must both be.
    origin = str(first if packed else folder)
    openers = [_open(name, pair, origin) for name, pair in pairs.items() if pair is not None]
    if not openers:
        raise InputError(f"there is no {split}.wp_source and .wp_target", file=str(folder), remedy=CARD.how_to_get)

    def open_told(problems: Problems) -> Iterator[Told]:
        return chain.from_iterable(opener(problems) for opener in openers)

    return stories_of(open_told, origin), None


def _plain_pair(folder: Path, split: str) -> OpenPair | None:
    prompts, stories = _pair(folder, split)
    if prompts is None and stories is None:
        return None
    if prompts is None or stories is None:
        missing = f"{split}.{'wp_source' if prompts is None else 'wp_target'}"
        raise InputError(f"there is no {missing}", file=str(folder), remedy="put both files of the split there")
    pair = (locate(prompts, "text"), locate(stories, "text"))
    return lambda: nullcontext(pair)


def _packed_pair(archive: Path, split: str) -> OpenPair:
    @contextmanager
    def open_pair() -> Iterator[tuple[Source, Source]]:
        # Opened twice, so that the two members can be read side by side without unpacking either.
        with tarfile.open(archive, "r|*") as one, tarfile.open(archive, "r|*") as other:
            yield _member(archive, one, f"{split}.wp_source"), _member(archive, other, f"{split}.wp_target")

    return open_pair


def _member(archive: Path, packed: tarfile.TarFile, name: str) -> Source:
    # Forward only ("r|"): looking a member up at random would unpack the whole archive, then go back.
    for member in packed:
        if member.isfile() and Path(member.name).name == name:
            return Source(f"{archive}:{name}", "text", partial(_extracted, packed, member))
    raise InputError(f"holds no {name}", file=str(archive), remedy="it is not the released archive; get it again")


def _open(split: str, open_pair: OpenPair, origin: str) -> OpenTold:
    def open_told(_problems: Problems) -> Iterator[Told]:
        with _damage_told(origin), open_pair() as (prompts, stories):
            for prompt, text in zip_longest(lines_of(prompts), lines_of(stories)):
                if prompt is None or text is None:
                    # Never skipped: from a lost line on, every story would stand under another's prompt.
                    short, number = (prompts, text[0]) if prompt is None else (stories, prompt[0])
                    raise InputError(
                        f"ends before line {number}, which its parallel file has",
                        file=short.name,
                        line=number,
                        remedy="the file is cut short; get it again",
                    )
                number = text[0]
                yield Told(number, story(f"{split}-{number}", _LINE_BREAK.sub("\n", text[1]), prompt=prompt[1]))

    return open_told


def _extracted(packed: tarfile.TarFile, member: tarfile.TarInfo) -> BinaryIO:
    return cast(BinaryIO, packed.extractfile(member))


@contextmanager
def _damage_told(origin: str) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, zlib.error, EOFError) as error:
        raise InputError(
            f"cannot be read to its end: {error}",
            file=origin,
            remedy="the archive is damaged or cut short; get it again",
        ) from error


def _open_rearranged(path: Path) -> OpenTold:
    source = locate(path, "jsonl")

    def tell(line: int, row: dict[str, Any]) -> Told:
        kept = {name: row[name] for name in ("form",) if name in row}
        return Told(line, story(str(row.get("id", line)), text_of(row, "story"), prompt=row.get("prompt"), **kept))

    def open_told(problems: Problems) -> Iterator[Told]:
        return tell_rows(rows_of(source, problems), tell, problems, source.name)

    return open_told


SHELF = Shelf(CARD, _find, _load)
