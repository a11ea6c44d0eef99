"""The page of a score table: who scored how, what each number means, and how to get it again."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from yarnstick.engine.summary import Summary
from yarnstick.metrics.card import ARROWS, DIRECTION_WORDS
from yarnstick.report.dotplot import dot_plot
from yarnstick.version import __version__

_STYLE = """
:root{color-scheme:light dark;--ink:#222;--dim:#666;--line:#ddd;--page:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#e4e4e4;--dim:#aaa;--line:#444;--page:#181818}}
body{font:15px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif;color:var(--ink);background:var(--page);
max-width:1080px;margin:2rem auto;padding:0 1rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}td.text{white-space:normal;text-align:left;overflow-wrap:anywhere}
code{font-size:.85em;overflow-wrap:anywhere}.dim{color:var(--dim)}svg{max-width:100%;height:auto}
@media print{body{max-width:none}}
"""
#: nothing may be fetched and nothing may run, whatever a story or a system's name holds
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def score_page(summary: Summary, title: str, *, command: str, plotted: Sequence[str] = (), note: str = "") -> str:
    """The page as text. ``plotted`` names the columns to draw; all are in the table."""
    plotted = plotted or [column.name for column in summary.columns[:8]]
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(title)}</title><style>{_STYLE}</style></head><body>
<h1>{escape(title)}</h1>
<p>{escape(note)}</p>
<p class="dim">Dots are means over a system's stories, lines their 95% intervals (Student's t).</p>
<div class="wide">{dot_plot(summary, plotted, title, on_page=True)}</div>
<h2>Every score</h2><div class="wide">{_table(summary)}</div>
<h2>What the numbers mean</h2><div class="wide">{_meanings(summary)}</div>
<h2>How to get them again</h2><p><code>{escape(command)}</code> with yarnstick {__version__}</p>
<h3>Signatures</h3>{_signatures(summary)}
</body></html>
"""


def _table(summary: Summary) -> str:
    averages = {system: summary.averages(system) for system in summary.systems}
    head = "".join(f"<th scope='col'>{escape(system)}</th>" for system in summary.systems)
    rows = []
    for place, column in enumerate(summary.columns):
        cells = "".join(f"<td>{averages[system][place].text()}</td>" for system in summary.systems)
        arrow = ARROWS[column.direction]  # type: ignore[index]
        rows.append(f"<tr><td>{escape(column.name)} {arrow}</td>{cells}</tr>")
    return f"<table><thead><tr><th scope='col'>score</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _meanings(summary: Summary) -> str:
    rows = "".join(
        f"<tr><td>{escape(column.name)}</td><td class='text'>{DIRECTION_WORDS[column.direction]}</td>"  # type: ignore[index]
        f"<td class='text'>{escape(column.meaning)}</td></tr>"
        for column in summary.columns
    )
    return f"<table><tbody>{rows}</tbody></table>"


def _signatures(summary: Summary) -> str:
    return "".join(f"<p><code>{escape(column.signature)}</code></p>" for column in summary.columns)
