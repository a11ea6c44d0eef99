"""Exhibits as text for the terminal, as Markdown for a page, and their numbers as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from yarnstick.reproduce.verdict import Document, Exhibit, Table
from yarnstick.stories.files import atomic, explained

#: set behind a cell of ours that is not the published one
MARK = "≠"
_VERDICTS = "verdicts.csv"


def as_text(exhibit: Exhibit) -> str:
    """Ours above the paper's, line by line, and the verdict."""
    lines = [f"{exhibit.name} · {exhibit.title}"]
    grid = [["", "", *exhibit.headings]] if exhibit.headings else []
    for row in exhibit.rows:
        if not any(row.paper):
            grid.append([row.label, "", *row.ours])
            continue
        ours = [cell + MARK * marked for cell, marked in zip(row.ours, row.marks, strict=True)]
        grid += [[row.label, "ours", *ours], ["", exhibit.source, *row.paper]]
    lines += _aligned(grid)
    lines.append(f"  = {exhibit.line}")
    return "\n".join(lines) + "\n"


def verdict_lines(exhibits: Sequence[Exhibit]) -> list[str]:
    """One line an exhibit."""
    width = max(len(exhibit.name) for exhibit in exhibits)
    return [f"{exhibit.name:{width}}  {exhibit.line}" for exhibit in exhibits]


def as_markdown(exhibit: Exhibit) -> str:
    """A section of a page: the verdict, then ours above the paper's; cells of ours that differ are bold."""
    lines = [f"### {exhibit.name}: {exhibit.title}", "", _bold(exhibit), ""]
    if exhibit.rows:
        lines.append(f"| | | {' | '.join(map(_cell, exhibit.headings))} |")
        lines.append("|---" * (len(exhibit.headings) + 2) + "|")
    for row in exhibit.rows:
        compared = any(row.paper)
        marks = row.marks if compared else (False,) * len(row.ours)
        ours = [f"**{_cell(cell)}**" if marked else _cell(cell) for cell, marked in zip(row.ours, marks, strict=True)]
        lines.append(f"| {_cell(row.label)} | {'ours' if compared else ''} | {' | '.join(ours)} |")
        if compared:
            lines.append(f"| | {exhibit.source} | {' | '.join(map(_cell, row.paper))} |")
    if exhibit.rows:
        lines.append("")
    if exhibit.files:
        lines += [f"All numbers: {', '.join(f'`{name}`' for name in exhibit.files)}.", ""]
    return "\n".join(lines)


def as_page(title: str, about: str, sections: Mapping[str, Sequence[Exhibit]]) -> str:
    """The page docs/reproduction.md: the verdicts of each paper first, then every table and figure."""
    parts = [f"# {title}", "", about, ""]
    for heading, exhibits in sections.items():
        parts += [f"## {heading}: the verdicts", "", "| | what | verdict |", "|---|---|---|"]
        parts += [f"| {one.name} | {_cell(one.title)} | {_bold(one)} |" for one in exhibits]
        parts.append("")
    for heading, exhibits in sections.items():
        parts += [f"## {heading}: the numbers", "", *map(as_markdown, exhibits)]
    return "\n".join(parts)


def write_files(folder: Path, files: Iterable[Table | Document], exhibits: Sequence[Exhibit]) -> list[str]:
    """Write every table and document into ``folder``, which is made if need be, and the verdicts; give the names."""
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    verdicts = ([one.name, one.title, one.verdict, one.why, " ".join(one.files)] for one in exhibits)
    names = []
    for file in (*files, Table(_VERDICTS, ["exhibit", "title", "verdict", "why", "files"], verdicts)):
        with atomic(folder / file.name) as stream:
            stream.write(_content(file).encode())
        names.append(file.name)
    return names


def _content(file: Table | Document) -> str:
    if isinstance(file, Document):
        return json.dumps(file.content, ensure_ascii=False, indent=1) + "\n"
    text = io.StringIO(newline="")
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(file.header)
    lines.writerows(file.rows)
    return text.getvalue()


def _aligned(grid: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip_longest(*grid, fillvalue="")]
    lines = []
    for cells in grid:
        left = [f"{cell:<{width}}" for cell, width in zip(cells[:2], widths[:2], strict=False)]
        right = [f"{cell:>{width}}" for cell, width in zip(cells[2:], widths[2:], strict=False)]
        lines.append(("  " + "  ".join([*left, *right])).rstrip())
    return lines


def _bold(exhibit: Exhibit) -> str:
    return f"**{exhibit.verdict}**" + (f": {exhibit.why}" if exhibit.why else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")
