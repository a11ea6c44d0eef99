"""Tables in the terminal."""

from __future__ import annotations

import shutil
import sys

from yarnstick.engine.summary import Summary
from yarnstick.metrics.card import ARROWS


def print_summary(summary: Summary) -> None:
    """A row a column of scores, a column a system; mean and 95% interval, and which way is better."""
    from rich.console import Console
    from rich.table import Table

    # Outside a terminal nothing may be cut to fit: logs and pipes are as wide as they need to be.
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 20_000
    console = Console(width=width)
    averages = {system: summary.averages(system) for system in summary.systems}
    for systems in _in_groups(summary.systems, width):
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("metric")
        table.add_column("")
        for system in systems:
            table.add_column(system, justify="right", overflow="fold")
        for place, column in enumerate(summary.columns):
            cells = [averages[system][place].text() for system in systems]
            table.add_row(column.name, ARROWS[column.direction], *cells)  # type: ignore[index]
        console.print(table)
    counts = ", ".join(f"{system} {max(average.count for average in averages[system])}" for system in summary.systems)
    console.print("mean ± half of the 95% interval; ↑ higher is better, ↓ lower is better, · describes", style="dim")
    console.print(f"stories: {counts}", style="dim", markup=False)


def counted(count: int, one: str, several: str) -> str:
    """``1 story``, ``2 stories``.

    >>> counted(1, "story", "stories")
    '1 story'
    """
    return f"{count} {one if count == 1 else several}"


def _in_groups(systems: list[str], width: int) -> list[list[str]]:
    """As many systems beside each other as the terminal holds."""
    room = max((width - 30) // 18, 1)
    return [systems[start : start + room] for start in range(0, len(systems), room)]
