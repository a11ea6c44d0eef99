"""How a metric becomes known: one decorator, or an entry point of another package.

    @metric(name="exclamations", family="counts", needs=("story",), columns=[Column("Exclamations", ...)])
    def exclamations(batch: Batch) -> list[int]:
        return [story.count("!") for story in batch.stories]

The function's keyword-only arguments are the metric's options; their defaults are the defaults.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, TypeVar

from yarnstick.errors import MetricError
from yarnstick.metrics.card import COSTS, NEEDS, Card, Column, Columns, Cost, Need, Option, OptionValue

ENTRY_POINT_GROUP = "yarnstick.metrics"
RESERVED_OPTIONS = {"preset"}

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Metric:
    """A registered metric: its card, the function that scores a batch, and where it came from."""

    card: Card
    function: Callable[..., Any]
    #: makes what the metric must know of the whole set first (document frequencies, the system's other stories)
    prepare: Callable[..., Any] | None = None
    #: refuses settings that make no sense or need what is not installed, before any story is read
    check: Callable[..., None] | None = None

    @property
    def name(self) -> str:
        return self.card.name

    def __reduce__(self) -> tuple[object, ...]:
        # A worker process registers the same metrics; it needs the name only.
        return get_metric, (self.card.name,)


_METRICS: dict[str, Metric] = {}
_discovered = False


def metric(
    *,
    name: str,
    family: str,
    columns: Columns | Sequence[Column],
    needs: Iterable[Need] = ("story",),
    summary: str = "",
    cost: Cost = "cheap",
    paper: str = "",
    several_references: str = "",
    undefined: str = "",
    caveat: str = "",
    option_help: Mapping[str, str] | None = None,
    presets: Mapping[str, Mapping[str, OptionValue]] | None = None,
    libraries: tuple[str, ...] = (),
    revision: int = 1,
    stamp: Callable[..., Mapping[str, str]] | None = None,
    prepare: Callable[..., Any] | None = None,
    check: Callable[..., None] | None = None,
) -> Callable[[Function], Function]:
    """Register the decorated function as a metric. Mistakes in the card are errors here, not at scoring time."""

    def register(function: Function) -> Function:
        card = Card(
            name=name,
            family=family,
            summary=summary or _first_line(function),
            needs=tuple(needs),
            columns=columns if callable(columns) else tuple(columns),
            cost=cost,
            paper=paper,
            several_references=several_references,
            undefined=undefined,
            caveat=caveat,
            options=_options_of(function, option_help or {}),
            presets=presets or {},
            libraries=libraries,
            revision=revision,
            stamp=stamp,
        )
        _check(card)
        known = _METRICS.get(name)
        if known is not None and not _same_source(known.function, function):
            raise MetricError(
                f"two metrics are called {name!r}: {_source(known.function)} and {_source(function)}",
                remedy="rename one of them",
            )
        _METRICS[name] = Metric(card, function, prepare, check)
        return function

    return register


def all_metrics() -> dict[str, Metric]:
    """Every metric by name: ours, and those of installed packages that declare the entry point."""
    global _discovered
    if not _discovered:
        _discovered = True  # before the imports: a family may itself ask for another metric
        from yarnstick.metrics import families

        for module in pkgutil.iter_modules(families.__path__):
            importlib.import_module(f"{families.__name__}.{module.name}")
        for point in entry_points(group=ENTRY_POINT_GROUP):
            try:
                point.load()
            except Exception as error:
                raise MetricError(
                    f"the metric package behind entry point {point.name!r} ({point.value}) cannot be loaded: "
                    f"{type(error).__name__}: {error}",
                    remedy="mend or uninstall that package",
                ) from error
    return dict(sorted(_METRICS.items()))


def get_metric(name: str) -> Metric:
    """The metric called ``name``, or an error that suggests what was meant."""
    import difflib

    metrics = all_metrics()
    if name in metrics:
        return metrics[name]
    from yarnstick.metrics.groups import GROUPS

    near = difflib.get_close_matches(name.lower(), [*metrics, *GROUPS], n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "see `yarnstick metrics`"
    raise MetricError(f"no metric is called {name!r}", remedy=hint)


def _options_of(function: Callable[..., Any], help_texts: Mapping[str, str]) -> tuple[Option, ...]:
    options = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        if not isinstance(parameter.default, bool | int | float | str):
            raise MetricError(
                f"option {parameter.name!r} of {_source(function)} has no simple default",
                remedy="give it a default that is a bool, int, float or str",
            )
        options.append(Option(parameter.name, parameter.default, help_texts.get(parameter.name, "")))
    return tuple(options)


def _check(card: Card) -> None:
    problems = []
    if not card.name or any(sign in card.name for sign in " :,|=[]"):
        problems.append("its name may not be empty or hold spaces or any of : , | = [ ]")
    if "story" not in card.needs or not set(card.needs) <= set(NEEDS):
        problems.append(f"needs must hold 'story' and only {', '.join(NEEDS)}")
    if card.cost not in COSTS:
        problems.append(f"cost must be one of {', '.join(COSTS)}")
    names = [column.name for column in card.columns_for(card.defaults)]
    if not names or len(set(names)) != len(names):
        problems.append("it must give at least one column, each with a name of its own")
    options = {option.name for option in card.options}
    if options & RESERVED_OPTIONS:
        problems.append("no option may be called 'preset'")
    for preset, settings in card.presets.items():
        if unknown := set(settings) - options:
            problems.append(f"preset {preset!r} sets unknown options {', '.join(sorted(unknown))}")
    if problems:
        raise MetricError(f"metric {card.name!r} cannot be registered: {'; '.join(problems)}")


def _first_line(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").split("\n")[0]


def _source(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _same_source(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    # A module that is reloaded (notebooks, spawned workers) registers itself again; that is no clash.
    return _source(one) == _source(other)
