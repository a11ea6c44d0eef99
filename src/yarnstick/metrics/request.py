"""How a user names a metric: ``chrf``, ``chrf:beta=3,whitespace=yes``, ``bleu:preset=hanna``, or a group's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from yarnstick.errors import MetricError
from yarnstick.metrics.card import Column, Option, OptionValue
from yarnstick.metrics.groups import GROUPS
from yarnstick.metrics.registry import Metric, get_metric

#: a name, or a name with a dict of options
Request: TypeAlias = str | tuple[str, Mapping[str, OptionValue]]

_YES, _NO = {"yes", "true", "on", "1"}, {"no", "false", "off", "0"}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A metric with every setting decided, and the names its columns will have in the table."""

    metric: Metric
    options: Mapping[str, OptionValue]
    columns: tuple[Column, ...]
    #: the columns' names in the score table; differ from the card's where one metric is asked for twice
    names: tuple[str, ...]


def choose(requests: Request | Iterable[Request], preset: str | None = None) -> list[Chosen]:
    """Turn what the user asked for into metrics with settings; the same request twice counts once."""
    asked = _as_list(requests)
    if not asked:
        raise MetricError("no metric was asked for", remedy="name one, such as chrf; `yarnstick metrics` lists them")
    settled: list[tuple[Metric, dict[str, OptionValue]]] = []
    for request in _expand(asked):
        name, given = parse_request(request) if isinstance(request, str) else (request[0], dict(request[1]))
        metric = get_metric(name)
        options = settle_options(metric, given, preset)
        if (metric, options) not in settled:
            settled.append((metric, options))
    if preset is not None and not any(preset in metric.card.presets for metric, _ in settled):
        raise MetricError(f"none of the metrics asked for has a preset {preset!r}")
    return _with_names(settled)


def parse_request(text: str) -> tuple[str, dict[str, str]]:
    """Split ``name:key=value,key=value``.

    >>> parse_request("chrf:beta=3")
    ('chrf', {'beta': '3'})
    """
    name, _, rest = text.strip().partition(":")
    options = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise MetricError(f"{part!r} in {text!r} is not a setting", remedy="write name:key=value,key=value")
        options[key.strip()] = value.strip()
    return name, options


def settle_options(
    metric: Metric, given: Mapping[str, OptionValue], preset: str | None = None
) -> dict[str, OptionValue]:
    """Defaults, then the preset, then what was given; everything checked against the card."""
    card = metric.card
    options = dict(card.defaults)
    named = given.get("preset")
    if named is not None and named not in card.presets:
        known = ", ".join(card.presets) or "none"
        raise MetricError(f"{card.name} has no preset {named!r}", remedy=f"its presets: {known}")
    options.update(card.presets.get(str(named or preset), {}))
    by_name = {option.name: option for option in card.options}
    for key, value in given.items():
        if key == "preset":
            continue
        if key not in by_name:
            known = ", ".join(by_name) or "none"
            raise MetricError(f"{card.name} has no option {key!r}", remedy=f"its options: {known}")
        options[key] = _convert(card.name, by_name[key], value)
    if metric.check is not None:
        metric.check(**options)
    return options


def _expand(requests: Sequence[Request]) -> list[Request]:
    expanded: list[Request] = []
    for request in requests:
        name, options = parse_request(request) if isinstance(request, str) else request
        if name in GROUPS:
            if options:
                raise MetricError(
                    f"{name!r} is a group of metrics and takes no settings",
                    remedy="set them on its members by name",
                )
            expanded.extend(_expand(GROUPS[name].members))
        else:
            expanded.append(request)
    return expanded


def _convert(metric: str, option: Option, value: OptionValue) -> OptionValue:
    kind = type(option.default)
    try:
        if kind is bool:
            word = str(value).lower()
            if word not in _YES | _NO:
                raise ValueError
            return word in _YES
        if kind is int and isinstance(value, float) and value != int(value):
            raise ValueError
        return kind(value)
    except (TypeError, ValueError):
        wanted = {bool: "yes or no", int: "a whole number", float: "a number", str: "a word"}[kind]
        raise MetricError(f"{metric}: option {option.name} must be {wanted}, not {value!r}") from None


def _with_names(settled: Sequence[tuple[Metric, dict[str, OptionValue]]]) -> list[Chosen]:
    """Name the columns: the card's name where it is the only one, else with the settings that tell them apart."""
    drafts = [(metric, options, metric.card.columns_for(options)) for metric, options in settled]
    holders: dict[str, list[int]] = {}
    for place, (_, _, columns) in enumerate(drafts):
        for column in columns:
            holders.setdefault(column.name, []).append(place)
    chosen = []
    for place, (metric, options, columns) in enumerate(drafts):
        names = []
        for column in columns:
            sharing = holders[column.name]
            names.append(column.name if len(sharing) == 1 else f"{column.name} {_difference(drafts, sharing, place)}")
        chosen.append(Chosen(metric, options, columns, tuple(names)))
    if clash := _first_repeat([name for one in chosen for name in one.names]):
        raise MetricError(f"two of the metrics asked for both give a column {clash!r}", remedy="ask for one of them")
    return chosen


def _difference(drafts: Sequence[tuple[Metric, dict[str, OptionValue], object]], places: list[int], own: int) -> str:
    metric, options, _ = drafts[own]
    others = [drafts[place] for place in places if place != own]
    if any(other is not metric for other, _, _ in others):
        return f"[{metric.name}]"
    telling = [key for key in options if any(settings[key] != options[key] for _, settings, _ in others)]
    return "[" + ",".join(f"{key}={_plain(options[key])}" for key in telling) + "]"


def _plain(value: OptionValue) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _first_repeat(names: Sequence[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _as_list(requests: Request | Iterable[Request]) -> list[Request]:
    if isinstance(requests, str):
        return [requests]
    held = list(requests)
    if isinstance(requests, tuple) and len(held) == 2 and isinstance(held[0], str) and isinstance(held[1], Mapping):
        return [(held[0], held[1])]
    return cast(list[Request], held)
