"""Rows of a file as (line, dict), a format a function. Nothing here knows what a story is."""

from __future__ import annotations

import codecs
import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from yarnstick.errors import InputError
from yarnstick.stories.problems import Problems
from yarnstick.stories.source import Source, reading

Row = tuple[int, dict[str, Any]]
#: number, text, and what is wrong with it: whoever knows what a row is decides what is lost with a line
Line = tuple[int, str, InputError | None]

#: encodings whose line ends are the byte \n, so that lines can be cut before they are decoded
_CUT_BY_BYTE = {"utf-8", "ascii", "iso8859-1", "cp1252", "iso8859-15", "cp1250", "cp1251", "koi8-r"}


def rows_of(source: Source, problems: Problems, encoding: str = "utf-8", split: str = "line") -> Iterator[Row]:
    """The rows of a source in its format."""
    readers: dict[str, Callable[[], Iterator[Row]]] = {
        "jsonl": lambda: _jsonl(source, problems, encoding),
        "json": lambda: _json(source, encoding),
        "csv": lambda: _separated(source, problems, encoding, ","),
        "tsv": lambda: _separated(source, problems, encoding, "\t"),
        "parquet": lambda: _parquet(source),
        "text": lambda: _text(source, problems, encoding, split),
    }
    return readers[source.format]()


def _lines(source: Source, stream: BinaryIO, encoding: str) -> Iterator[Line]:
    try:
        codec = codecs.lookup(encoding).name
    except LookupError:
        raise InputError(
            f"unknown encoding {encoding!r}", file=source.name, remedy="try utf-8, latin-1, cp1252 or utf-16"
        ) from None
    if codec not in _CUT_BY_BYTE:
        yield from _lines_of_text(source, stream, codec)
        return
    for number, raw in enumerate(stream, 1):
        if number == 1:
            raw = _without_mark(source, raw, codec)
        try:
            yield number, raw.decode(codec), None
        except UnicodeDecodeError as error:
            problem = InputError(
                f"is not {encoding} (byte {raw[error.start]:#04x} at column {error.start + 1})",
                file=source.name,
                line=number,
                remedy="name its encoding, for example --encoding latin-1 or cp1252",
            )
            yield number, raw.decode(codec, "surrogateescape"), problem


def _lines_of_text(source: Source, stream: BinaryIO, codec: str) -> Iterator[Line]:
    number = 0
    try:
        for number, line in enumerate(io.TextIOWrapper(stream, codec, newline=""), 1):
            yield number, line, None
    except UnicodeError as error:
        raise InputError(
            f"is not {codec}", file=source.name, line=number + 1, remedy="name its encoding with --encoding"
        ) from error


def _without_mark(source: Source, raw: bytes, codec: str) -> bytes:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and codec == "utf-8":
        raise InputError("is UTF-16", file=source.name, line=1, remedy="say --encoding utf-16")
    return raw.removeprefix(codecs.BOM_UTF8) if codec == "utf-8" else raw


def _jsonl(source: Source, problems: Problems, encoding: str) -> Iterator[Row]:
    with reading(source) as stream:
        for number, line, problem in _lines(source, stream, encoding):
            if problem:
                problems.meet(problem)
                continue
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (json.JSONDecodeError, RecursionError) as error:
                problems.meet(_bad_json(source.name, number, line, error))
                continue
            if not isinstance(record, dict):
                problems.meet(
                    InputError(
                        f"holds a JSON {type(record).__name__} where an object belongs",
                        file=source.name,
                        line=number,
                        remedy='write {"story": "..."} on each line, or use plain text (--format text)',
                    )
                )
                continue
            yield number, record


def _bad_json(name: str, number: int, line: str, error: json.JSONDecodeError | RecursionError) -> InputError:
    if isinstance(error, RecursionError):
        return InputError("is nested too deeply", file=name, line=number, remedy="flatten it")
    cut = error.pos >= len(line.rstrip()) or error.msg.startswith("Unterminated string")
    return InputError(
        "the JSON stops in the middle of the line" if cut else f"is not JSON: {error.msg} at column {error.colno}",
        file=name,
        line=number,
        remedy=("the file was cut short; write it again, " if cut else "mend the line, ")
        + "or go on without it: --on-error skip",
    )


def _json(source: Source, encoding: str) -> Iterator[Row]:
    with reading(source) as stream:
        try:
            records = json.loads(stream.read().decode("utf-8-sig" if encoding == "utf-8" else encoding))
        except UnicodeDecodeError as error:
            raise InputError(f"is not {encoding}", file=source.name, remedy="name its encoding: --encoding") from error
        except json.JSONDecodeError as error:
            raise InputError(
                f"is not JSON: {error.msg} at column {error.colno}",
                file=source.name,
                line=error.lineno,
                remedy="mend it, or name the file .jsonl if each line is a JSON object",
            ) from error
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise InputError(
            "does not hold a list of objects",
            file=source.name,
            remedy='write [{"story": "..."}, ...]; corpora in formats of their own: `yarnstick data`',
        )
    yield from enumerate(records, 1)


def _separated(source: Source, problems: Problems, encoding: str, separator: str) -> Iterator[Row]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with reading(source) as stream:
        spoilt: list[InputError] = []

        def texts() -> Iterator[str]:
            for _, line, problem in _lines(source, stream, encoding):
                if problem:
                    spoilt.append(problem)
                yield line

        reader = csv.reader(texts(), delimiter=separator, strict=True)
        header: list[str] | None = None
        start = 1
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                spoilt.insert(0, _bad_quotes(source, start, error))
                cells = []
            line, start = start, reader.line_num + 1
            if spoilt:
                if header is None:
                    raise spoilt[0]  # without the header no row can be told
                problems.meet(spoilt[0])
                spoilt.clear()
                continue
            if not cells:
                continue
            if header is None:
                header = _header(source, cells, separator)
                continue
            if len(cells) != len(header):
                problems.meet(
                    InputError(
                        f"has {len(cells)} field{'s' * (len(cells) != 1)} where the header has {len(header)}",
                        file=source.name,
                        line=line,
                        remedy=f"quote fields that hold {'tabs' if separator == chr(9) else 'commas'} or line "
                        "breaks, or go on without the row: --on-error skip",
                    )
                )
                continue
            yield line, dict(zip(header, cells, strict=True))


def _bad_quotes(source: Source, line: int, error: csv.Error) -> InputError:
    endless = "end of data" in str(error)
    return InputError(
        "is not CSV: a quote that opens in this row is never closed, so the rest of the file is in it"
        if endless
        else f"is not CSV: {error}",
        file=source.name,
        line=line,
        remedy=("close it; " if endless else "") + "a quote inside a quoted field is written twice; "
        "or go on without the row: --on-error skip",
    )


def _header(source: Source, cells: list[str], separator: str) -> list[str]:
    header = [cell.strip() for cell in cells]
    if repeated := [name for name in header if header.count(name) > 1]:
        raise InputError(f"two columns are called {repeated[0]!r}", file=source.name, line=1, remedy="rename one")
    # The wrong separator gives a single column, whose rows then seem to be ragged.
    for sign, remedy in (("\t", "say --format tsv"), (";", "write it with commas"), (",", "say --format csv")):
        if len(header) == 1 and sign in header[0] and sign != separator:
            raise InputError(
                f"has a single column, {header[0]!r}: {sign!r} seems to part its fields",
                file=source.name,
                line=1,
                remedy=remedy,
            )
    return header


def _parquet(source: Source) -> Iterator[Row]:
    import pyarrow.parquet as pq

    with reading(source) as stream:
        file = pq.ParquetFile(source.path if source.path is not None else pa.BufferReader(stream.read()))
        number = 0
        for batch in file.iter_batches(batch_size=512):
            for record in batch.to_pylist():
                number += 1
                yield number, record


def _text(source: Source, problems: Problems, encoding: str, split: str) -> Iterator[Row]:
    with reading(source) as stream:
        for number, text, problem in _cut(_lines(source, stream, encoding), split):
            if problem:
                problems.meet(problem)
            elif text.strip():
                yield number, {"story": text.strip("\r\n")}


def _cut(lines: Iterator[Line], split: str) -> Iterator[Line]:
    """Lines put together to stories, each with the number of its first line and the first thing wrong with it."""
    if split == "line":
        yield from lines
        return
    start, held, spoilt = 1, list[str](), None
    for number, line, problem in lines:
        if split == "blank" and not line.strip():
            if held:
                yield start, "".join(held), spoilt
            held, spoilt = [], None
            continue
        start = start if held else number
        held.append(line)
        spoilt = spoilt or problem
    if held:
        yield start, "".join(held), spoilt
