"""``yarnstick judge``: a language model rates stories as people did."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from yarnstick.cli import CONTEXT
from yarnstick.cli.reading_options import column_map, reading_options
from yarnstick.stories.problems import OnError


@click.command(context_settings=CONTEXT)
@click.argument("source")
@click.option("-o", "--output", required=True, type=Path, help="Ratings go here: .csv, .tsv, .jsonl, .parquet.")
@click.option("--model", required=True, help="The name the endpoint knows it by; without one, path: or package:.")
@click.option("--endpoint", default="", metavar="URL", help="OpenAI-compatible, for example http://localhost:8000/v1.")
@click.option(
    "--key-env",
    default="",
    metavar="VARIABLE",
    help="The environment variable that holds the endpoint's key.  [default: YARNSTICK_API_KEY, where it is set]",
)
@click.option("--design", default="rate", show_default=True, help="rate, explain, guidelines or human-story.")
@click.option("--criteria", multiple=True, metavar="NAMES", help="Only these criteria, by commas or repeated.")
@click.option("--scale", default="1:5", show_default=True, metavar="LOW:HIGH", help="Whole numbers from and to.")
@click.option("--samples", type=click.IntRange(1), default=1, show_default=True, help="Times each story is asked.")
@click.option("--order", default="given", show_default=True, help="Of the criteria: given, rotated or shuffled.")
@click.option("--temperature", type=click.FloatRange(0), help="[default: 0 with one sample, 1 with several]")
@click.option("--seed", type=int, default=0, show_default=True, help="For --order shuffled.")
@click.option("--max-tokens", type=click.IntRange(1), default=1024, show_default=True, help="Longest answer.")
@click.option("--structured", default="schema", show_default=True, help="JSON is asked for by schema, object or none.")
@click.option("--body", multiple=True, metavar="FIELD=JSON", help="More of the request; null takes a field out.")
@click.option("--at-once", type=click.IntRange(1, 256), default=8, show_default=True, help="Questions under way.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=120.0, show_default=True, help="Seconds.")
@click.option("--retries", type=click.IntRange(0), default=5, show_default=True, help="After a failed call.")
@click.option("--backoff", type=click.FloatRange(0), default=1.0, show_default=True, help="First wait, doubled.")
@click.option("--repairs", type=click.IntRange(0), default=2, show_default=True, help="After a broken answer.")
@click.option("--again", is_flag=True, help="Ask anew what has only a broken answer in the cache.")
@click.option("--cache", type=Path, help="File that keeps every answer.  [default: OUTPUT.answers]")
@click.option("--rater", default="", help="What the ratings are signed with.  [default: MODEL/DESIGN]")
@click.option("--price-in", type=click.FloatRange(0), help="Price of a million tokens sent.")
@click.option("--price-out", type=click.FloatRange(0), help="Price of a million tokens answered.")
@click.option("--ask-above", type=click.FloatRange(0), default=1.0, show_default=True, help="Price that needs a yes.")
@click.option("--yes", is_flag=True, help="Spend it without being asked.")
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what the run would cost, and end.")
@click.option("--scores", type=Path, help="Also write the means as a score table, for `yarnstick agree`.")
@click.option("--reasons", type=Path, help="Also write the ratings with the judge's reasons.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no report in the terminal.")
@reading_options
def command(
    source: str,
    output: Path,
    model: str,
    endpoint: str,
    design: str,
    criteria: tuple[str, ...],
    scale: str,
    samples: int,
    order: str,
    temperature: float | None,
    seed: int,
    repairs: int,
    again: bool,
    cache: Path | None,
    rater: str,
    price_in: float | None,
    price_out: float | None,
    ask_above: float,
    yes: bool,
    only_estimate: bool,
    scores: Path | None,
    reasons: Path | None,
    quiet: bool,
    format: str | None,
    maps: tuple[str, ...],
    encoding: str,
    split: str,
    limit: int | None,
    on_error: OnError,
    **calling: Any,
) -> None:
    """Let a language model rate stories on HANNA's six criteria; its ratings are like a person's.

    \b
    yarnstick judge stories.jsonl -o judged.csv --endpoint http://localhost:8000/v1 --model mistral --yes
    yarnstick judge stories.jsonl -o judged.csv --model path:models/qwen --design guidelines
    yarnstick judge stories.jsonl -o judged.csv --endpoint URL --model NAME --price-in 2 --price-out 8 --estimate
    yarnstick agree judge-scores.parquet ratings.csv        # after --scores judge-scores.parquet

    What it will cost is said first. A run that was killed goes on when the same command is given again, and pays for
    no answer twice. Length, repeated questions and the order of the criteria are checked in a report.
    """
    from yarnstick.cli.agree import by_commas
    from yarnstick.cli.progress import progress
    from yarnstick.cli.score import tell
    from yarnstick.cli.tables import counted
    from yarnstick.cli.writing import check_table_output, write_table
    from yarnstick.errors import OutputError
    from yarnstick.judging.cache import AnswerCache
    from yarnstick.judging.cost import Prices
    from yarnstick.judging.plan import foreseen, gathered, make_plan, open_model
    from yarnstick.judging.run import run
    from yarnstick.stories import read
    from yarnstick.stories.files import refuse_overwriting
    from yarnstick.stories.problems import Problems
    from yarnstick.stories.scores import write_sidecar

    for path in (output, scores, reasons):
        check_table_output(path)
        refuse_overwriting(source, path)
    settings = {**calling, "body": _fields(calling["body"])} if endpoint else {}
    asked = open_model(model, endpoint, temperature=temperature, samples=samples, settings=settings)
    plan = make_plan(
        asked, design=design, criteria=by_commas(criteria), scale=_whole(scale), samples=samples, order=order,
        seed=seed, repairs=repairs, again=again, rater=rater,
    )  # fmt: skip
    problems = Problems(on_error)
    stories = read(source, format=format, columns=column_map(maps), encoding=encoding, split=split, limit=limit)
    held = gathered(stories.told(problems), plan)
    tell(problems.summary())
    prices = Prices(price_in, price_out)
    kept = cache or (None if str(output) == "-" else output.with_name(f"{output.name}.answers"))
    if kept in (output, scores, reasons):
        raise OutputError(f"--cache {kept} is also where results go", remedy="name another file")
    with ExitStack() as stack:
        answers = stack.enter_context(AnswerCache(kept))
        cost = foreseen(held, plan, answers, prices)
        if not quiet or only_estimate:
            tell([f"{counted(len(held), 'story', 'stories')} from {stories.origin}; {cost.text()}"])
        if only_estimate:
            return
        if endpoint and cost.spent.calls and not yes:
            _consent(cost.spent.calls, cost.price, ask_above)
        advance = stack.enter_context(progress("judging", cost.questions, quiet, "questions"))
        judged = run(held, plan, answers, advance)
    write_table(output, judged.ratings.to_arrow(), "ratings")
    if scores is not None:
        table = judged.scores().to_arrow()
        write_table(scores, table, "rows of means")
        write_sidecar(scores, table.schema)
    write_table(reasons, judged.reasons(), "reasons")
    if not quiet and str(output) != "-":
        click.echo(judged.report())
    if not quiet:
        spent, price = judged.spent, prices.of(judged.spent)
        paid = "" if price is None else f", {price:.4f} at the prices given"
        tell([f"{counted(spent.calls, 'call', 'calls')}, {spent.tokens_in} tokens in, {spent.tokens_out} out{paid}"])
    if judged.failures:
        tell([f"{counted(len(judged.failures), 'question', 'questions')} without a usable answer:"])
        tell([f"  {line}" for line in judged.failures[:10]])
        if len(judged.failures) > 10:
            tell([f"  ... and {len(judged.failures) - 10} more"])


def _consent(calls: int, price: float | None, ask_above: float) -> None:
    """Money is spent only by someone who knows it: at a terminal above a price, elsewhere always on a ``--yes``."""
    from yarnstick.errors import InputError

    costs = "at a price that is not known" if price is None else f"for about {price:.2f}"
    if not sys.stdin.isatty():
        raise InputError(
            f"{calls} calls would be made {costs}", remedy="say --yes to make them, --estimate to see more"
        )
    if price is None or price > ask_above:
        click.confirm(f"Make {calls} calls {costs}?", abort=True, err=True)


def _fields(given: tuple[str, ...]) -> dict[str, Any]:
    """
    >>> _fields(("seed=7", "stop=null"))
    {'seed': 7, 'stop': None}
    """
    fields = {}
    for text in given:
        name, equals, value = text.partition("=")
        try:
            fields[name] = json.loads(value)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise click.UsageError(f"--body {text!r} is not FIELD=JSON, for example seed=7 or stop='[\"END\"]'")
    return fields


def _whole(text: str) -> tuple[int, int]:
    """
    >>> _whole("1:5")
    (1, 5)
    """
    low, _, high = text.partition(":")
    try:
        return int(low), int(high)
    except ValueError:
        raise click.UsageError(f"--scale {text!r} is not LOW:HIGH in whole numbers, for example 1:5") from None
