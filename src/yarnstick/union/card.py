"""The card of a trained model: what it was made of, how it learned, and what it can do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from yarnstick.union.corpus import Corpus
from yarnstick.union.settings import PRESETS, Settings
from yarnstick.version import __version__

_TASKS = {
    "union": "tells whole stories from stories that were damaged on purpose",
    "disscore": "tells stories that people wrote from stories that a machine wrote",
    "ruber": "tells a beginning's own continuation from another story's",
}


def write_card(
    settings: Settings,
    base: str,
    data: Sequence[str],
    corpus: Corpus,
    sources: Mapping[str, float],
    best: Mapping[str, Any],
    curve: Sequence[Mapping[str, float]],
    minutes: float,
    lessons: Sequence[str] = (),
) -> str:
    """The card as Markdown. ``lessons``: rows about whom the model learned from, where it did."""
    pieces = Counter(piece.source for piece in corpus.train)
    taken = ", ".join(
        f"{name} ({count:,} pieces{f', taken {sources[name]:g} times an epoch' if name in sources else ''})"
        for name, count in sorted(pieces.items())
    )
    how = f"an adapter of rank {settings.rank} on every linear layer" if settings.rank else "all weights"
    lines = [
        f"# {settings.name}",
        "",
        f"A story metric that needs no reference: it {_TASKS[settings.task]}. Written by yarnstick {__version__}.",
        "",
        "| | |",
        "|---|---|",
        f"| base | `{base}`, {how} trained |",
        f"| files | {', '.join(f'`{name}`' for name in data) or 'given in Python'} |",
        f"| stories | {taken} |",
        f"| machine-written | {len(corpus.sampled):,} human pieces with samples |",
        f"| recipe | `{settings.recipe}`, {settings.degrees} degree{'s' * (settings.degrees > 1)} of damage |",
        *lessons,
        f"| seed | {settings.seed} |",
        f"| training | {minutes:.1f} minutes, best at step {best['step']} |",
        f"| calibration | score = sigmoid({best['calibration'][0]:.4f} · logit + {best['calibration'][1]:.4f}) |",
        "",
        "## Validation",
        "",
        "Stories that were not trained on. Ordering: the share of pairs of versions of one story of which the less "
        "damaged stands higher (chance is .5). AUC: people's stories against damaged ones, across stories.",
        "",
        "| what | figure |",
        "|---|---|",
        f"| ordering | {best['ordering']:.4f} |",
        f"| AUC | {best['auc']:.4f} |",
    ]
    if not math.isnan(best["machine"]):
        lines.append(f"| people's stories above a machine's | {best['machine']:.4f} |")
    lines += [f"| ordering, source {name} | {value:.4f} |" for name, value in best["sources"].items()]
    lines += [f"| ordering, technique {name} | {value:.4f} |" for name, value in best["techniques"].items()]
    lines += ["", "## Learning curve", "", *_curve(curve), "", "## Settings", "", *_settings(settings), ""]
    return "\n".join(lines)


def _curve(curve: Sequence[Mapping[str, float]]) -> list[str]:
    # A column for whatever any row has: there is no "machine" without machines' stories.
    told = {name: None for row in curve for name, value in row.items() if math.isfinite(value)}
    shown = [name for name in told if not name.startswith(("source ", "technique "))]
    rows = ["| " + " | ".join(shown) + " |", "|" + "---|" * len(shown)] if shown else []
    return rows + ["| " + " | ".join(_cell(row.get(name, math.nan)) for name in shown) + " |" for row in curve]


def _cell(value: float) -> str:
    return f"{value:.6g}" if math.isfinite(value) else ""


def _settings(settings: Settings) -> list[str]:
    plain = Settings()
    nearest = min(PRESETS, key=lambda name: _differences(settings, PRESETS[name]))
    rows = ["```toml", f"# nearest preset: {nearest}"]
    for name, value in settings.table().items():
        changed = "" if value == getattr(plain, name) else "  # not the default"
        shown = (
            f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else f"{value}"
        )
        rows.append(f"{name} = {shown}{changed}")
    return [*rows, "```"]


def _differences(one: Settings, other: Settings) -> int:
    theirs = other.table()
    return sum(value != theirs[name] for name, value in one.table().items())
