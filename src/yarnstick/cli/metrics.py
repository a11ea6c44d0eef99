"""``yarnstick metrics``: what can be measured, and what each number means."""

from __future__ import annotations

from pathlib import Path

import click

from yarnstick.cli import CONTEXT


@click.command(context_settings=CONTEXT)
@click.argument("names", nargs=-1)
@click.option("--columns", is_flag=True, help="Print every column name, one a line.")
@click.option("--groups", is_flag=True, help="List the groups: names for several metrics at once.")
@click.option("--plugin", multiple=True, type=Path, help="A Python file that registers metrics of your own.")
def command(names: tuple[str, ...], columns: bool, groups: bool, plugin: tuple[Path, ...]) -> None:
    """List the metrics, or show the card of one.

    \b
    yarnstick metrics                     a line a metric
    yarnstick metrics chrf                its card: meaning, direction, range, options, paper
    yarnstick metrics hanna-string --columns
    """
    from yarnstick.engine.plugins import load_plugin
    from yarnstick.metrics.groups import GROUPS
    from yarnstick.metrics.registry import all_metrics, get_metric
    from yarnstick.metrics.request import choose, parse_request

    for path in plugin:
        load_plugin(path)
    if columns:
        if names:
            shown = [name for chosen in choose(list(names)) for name in chosen.names]
        else:  # everything there is, whether or not the model or the data it needs is here
            cards = [metric.card for metric in all_metrics().values()]
            shown = [column.name for card in cards for column in card.columns_for(card.defaults)]
        click.echo("\n".join(shown))
        return
    if groups:
        width = max(map(len, GROUPS))
        for name, group in GROUPS.items():
            click.echo(f"{name:{width}}  {group.summary}")
        return
    if not names:
        _overview()
        return
    for place, name in enumerate(names):
        if place:
            click.echo()
        plain, _ = parse_request(name)
        if plain in GROUPS:
            click.echo(f"{plain}: {GROUPS[plain].summary}\nmembers: {', '.join(GROUPS[plain].members)}")
        else:
            click.echo(card_text(get_metric(plain).card))


def _overview() -> None:
    from yarnstick.metrics.groups import GROUPS
    from yarnstick.metrics.registry import all_metrics

    metrics = all_metrics()
    width = max(map(len, metrics))
    family = ""
    for metric in sorted(metrics.values(), key=lambda metric: (metric.card.family, metric.name)):
        card = metric.card
        if card.family != family:
            family = card.family
            click.secho(f"\n{family}" if family else family, bold=True)
        arrows = "".join(dict.fromkeys(column.arrow for column in card.columns_for(card.defaults)))
        needs = ", ".join(need for need in card.needs if need != "story")
        click.echo(f"  {card.name:{width}}  {arrows:2}  {card.summary}" + (f"  [needs {needs}]" if needs else ""))
    click.echo("\n↑ higher is better, ↓ lower is better, · describes without judging")
    click.echo(f"groups: {', '.join(GROUPS)}")


def card_text(card: object) -> str:
    """The card of a metric as text."""
    from yarnstick.metrics.card import COSTS, DIRECTION_WORDS, Card

    assert isinstance(card, Card)
    lines = [f"{card.name}: {card.summary}", "", f"family      {card.family}"]
    lines.append(f"needs       {', '.join(card.needs)}")
    if card.several_references:
        lines.append(f"references  {card.several_references}")
    lines.append(f"cost        {card.cost}: {COSTS[card.cost]}")
    for label, text in (("paper", card.paper), ("undefined", card.undefined), ("caveat", card.caveat)):
        if text:
            lines.append(f"{label:<11} {text}")
    lines += ["", "columns"]
    for column in card.columns_for(card.defaults):
        lines.append(f"  {column.arrow} {column.name}  ({column.range}; {DIRECTION_WORDS[column.direction]})")
        if column.meaning:
            lines.append(f"      {column.meaning}")
    if card.options:
        lines += ["", f"options     (write {card.name}:name=value,name=value)"]
        for option in card.options:
            default = ("yes" if option.default else "no") if isinstance(option.default, bool) else option.default
            lines.append(f"  {option.name}={default}" + (f"  {option.help}" if option.help else ""))
    for preset, settings in card.presets.items():
        shown = ", ".join(
            f"{key}={('yes' if value else 'no') if isinstance(value, bool) else value}"
            for key, value in settings.items()
        )
        lines.append(f"preset      {preset}: {shown or 'the defaults'}")
    return "\n".join(lines)
