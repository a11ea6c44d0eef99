"""One test for every registered metric, ours or a newcomer's: odd texts, order, batches, processes."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest
from tiny_language_models import TINY_FOR, tiny_model

import yarnstick as ys
from yarnstick.engine.plan import make_plan
from yarnstick.errors import InputError
from yarnstick.union.shelf import is_bundled

PLAIN = "The goose walked to the pond. It swam twice around the island, and then it slept under the willow."
OTHER = "A fox came down to the pond at night, but the goose had gone. The fox waited until the moon set."
PROMPT = "A goose and a fox share a pond."

ODD = {
    "empty": "",
    "white space": " \n\t ",
    "one word": "Goose",
    "no spaces": "x" * 5000,
    "emoji": "🦆🦆 swam 🌊 to the 🏝️ and 👩‍👩‍👧 laughed 😂😂😂!!!",
    "right to left": "الإوزة سبحت في البركة. ثم نامت تحت الشجرة.",
    "chinese": "鹅游过了池塘。然后它睡在柳树下。",
    "control characters": "The\x00 goose\x01 \x07swam\x1b[31m\x7f.\x85\u200b\u2028 It left.\r\n",
    "combining marks": "e\u0301" * 50 + " Zalgo\u0317\u0318\u0319",
    "markup": "<b>bold</b> & </script><script>alert(1)</script> \\n \\x41 %s {0}",
}
# Where no model comes with yarnstick a metric that needs one cannot score: test_union_metric.py has one for `union`,
# test_union_baselines.py for those that never come with one.
_WITHOUT_MODEL = {"disscore", "ruber-u", *(() if is_bundled("union-mini") else ("union",))}
# Metrics that read with a language model are asked for with a tiny one, which needs torch.
_WITHOUT_TORCH = set(TINY_FOR) if find_spec("torch") is None else set()
METRICS = [name for name in sorted(ys.all_metrics()) if name not in _WITHOUT_MODEL | _WITHOUT_TORCH]


def asked(metric: str) -> str:
    """The metric as a user asks for it, with the tiny model where it is tested with one."""
    return f"{metric}:model=path:{tiny_model(TINY_FOR[metric])}" if metric in TINY_FOR else metric


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Other tests want the cores too, and threads that share a layer of a tiny model mostly wait for each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")  # for the processes that tests start
        if find_spec("torch") is None:
            yield
            return
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(1)
        yield
        torch.set_num_threads(before)


def record(story: str, **more: object) -> dict[str, object]:
    return {"story": story, "prompt": PROMPT, "references": [OTHER, PLAIN], "system": "a", **more}


def crowd() -> list[dict[str, object]]:
    """Stories of all kinds, as two systems."""
    texts = [PLAIN, OTHER, *ODD.values()]
    return [record(text, system=f"s{place % 2}") for place, text in enumerate(texts)]


def table(scores: ys.Scores) -> np.ndarray:
    return np.array([scores[name] for name in scores.columns], dtype=float).T


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("metric", METRICS)
def test_odd_texts_give_numbers_in_range_or_the_card_says_undefined(metric: str, kind: str) -> None:
    scores = ys.score([record(ODD[kind]), record(PLAIN), record(OTHER)], asked(metric))
    undefined_allowed = bool(ys.all_metrics()[metric].card.undefined)
    for name, column in scores.columns.items():
        values = scores[name]
        assert len(values) == 3
        for value in values:
            if value is None:
                assert undefined_allowed, f"{name} is undefined on {kind}, and the card does not say so"
                continue
            assert math.isfinite(value)
            assert column.low is None or value >= column.low - 1e-9
            assert column.high is None or value <= column.high + 1e-9


@pytest.mark.parametrize("metric", METRICS)
def test_odd_references_and_prompts_give_numbers(metric: str) -> None:
    records = [{**record(PLAIN), "prompt": odd, "references": [odd]} for odd in ODD.values()]
    values = table(ys.score(records, asked(metric)))
    assert values.shape[0] == len(ODD)
    assert not np.isinf(values).any()


@pytest.mark.parametrize("metric", METRICS)
def test_twenty_thousand_words(metric: str) -> None:
    sentences = [f"The {number} geese of farm {number % 97} swam to pond {number % 31}." for number in range(2000)]
    long = " ".join(sentences)
    assert len(long.split()) >= 18_000
    other = " ".join(sentences[::-1])
    texts = [record(long), {**record(long), "references": [other]}, {**record(PLAIN), "references": [other]}]
    values = table(ys.score(texts, asked(metric)))
    assert values.shape[0] == 3
    assert not np.isinf(values).any()


@pytest.mark.parametrize("metric", METRICS)
def test_story_equal_to_its_reference_is_as_good_as_it_gets(metric: str) -> None:
    card = ys.all_metrics()[metric].card
    if "reference" not in card.needs:
        pytest.skip("uses no reference")
    if metric == "bartscore":
        pytest.skip(
            "a likelihood is not greatest where both texts are the same, least of all to a model of random weights"
        )
    # Two prompts: a metric that weighs by rarity needs something that is not everywhere.
    pairs = [(PLAIN, PLAIN), (PLAIN, OTHER), (OTHER, OTHER), (OTHER, PLAIN)]
    scores = ys.score([{"story": story, "reference": reference} for story, reference in pairs], asked(metric))
    for name, column in scores.columns.items():
        equal, differing, *_ = scores[name]
        assert equal is not None
        assert differing is not None
        assert equal > differing if column.direction == "higher" else equal < differing
        best = column.high if column.direction == "higher" else column.low
        if best is not None and "ROUGE-W" not in name:
            assert equal == pytest.approx(best, rel=0.01)


@pytest.mark.parametrize("metric", METRICS)
def test_batch_size_order_and_company_change_nothing(metric: str) -> None:
    records = crowd()
    whole = table(ys.score(records, asked(metric)))
    np.testing.assert_array_equal(whole, table(ys.score(records, asked(metric), batch_size=1)))
    np.testing.assert_array_equal(whole, table(ys.score(records, asked(metric), batch_size=5)))
    order = np.random.default_rng(3).permutation(len(records))
    np.testing.assert_array_equal(whole[order], table(ys.score([records[place] for place in order], asked(metric))))
    if ys.all_metrics()[metric].prepare is None:
        np.testing.assert_array_equal(whole[:4], table(ys.score(records[:4], asked(metric))))


@pytest.mark.parametrize("metric", METRICS)
def test_a_missing_need_is_refused_before_any_work(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    needs = [need for need in ys.all_metrics()[metric].card.needs if need != "story"]
    if not needs:
        pytest.skip("needs the story only")
    monkeypatch.setattr("yarnstick.engine.pool.do_task", lambda *_: pytest.fail("work was started"))
    for need in needs:
        lacking = record(OTHER, id="b7")
        lacking["references" if need == "reference" else need] = None
        with pytest.raises(InputError) as caught:
            ys.score([record(PLAIN), lacking], asked(metric))
        message = str(caught.value)
        assert message.startswith("list:2: story 'b7' has no " + need)
        assert metric in message
        assert "--on-error skip" in message


@pytest.mark.parametrize("metric", METRICS)
def test_card_is_complete(metric: str) -> None:
    card = ys.all_metrics()[metric].card
    assert card.summary
    assert card.summary.endswith(".")
    assert all(option.help for option in card.options)
    assert "reference" not in card.needs or card.several_references
    for column in card.columns_for(card.defaults):
        assert column.meaning.endswith(".")


def test_other_processes_give_the_same_numbers(tmp_path) -> None:
    """Hash seeds and start-up must not matter: two fresh interpreters and this one agree to the last bit."""
    path = tmp_path / "stories.jsonl"
    path.write_text("".join(json.dumps(record(text, system="s")) + "\n" for text in [PLAIN, OTHER, *ODD.values()]))
    program = (
        "import sys, yarnstick as ys\n"
        "scores = ys.score(sys.argv[1], sys.argv[2:])\n"
        "print([[None if v is None else v.hex() for v in scores[c]] for c in scores.columns])\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program, str(path), *map(asked, METRICS)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    here = ys.score(str(path), map(asked, METRICS))
    mine = [[None if value is None else value.hex() for value in here[name]] for name in here.columns]
    assert outputs[0] == outputs[1]
    assert outputs[0].decode().strip() == str(mine)


def test_workers_change_nothing() -> None:
    records = crowd() * 3
    for place, one in enumerate(records):
        one["id"] = str(place)
    records = [dict(one, id=str(place)) for place, one in enumerate(records)]
    one = ys.score(records, map(asked, METRICS), batch_size=4)
    two = ys.score(records, map(asked, METRICS), batch_size=4, workers=2)
    assert one.to_arrow().equals(two.to_arrow(), check_metadata=True)


def test_a_metric_other_processes_cannot_import_is_refused_with_workers() -> None:
    from yarnstick.metrics import registry

    @ys.metric(name="local-one", family="test", columns=[ys.Column("Local")])
    def local_one(batch: ys.Batch) -> list[float]:
        """One, always."""
        return [1.0] * len(batch)

    try:
        assert ys.score(["a"], "local-one")["Local"] == [1.0]
        with pytest.raises(ys.MetricError, match=r"cannot be sent to another process.*top level of a module"):
            ys.score(["a"], "local-one", workers=2)
    finally:
        del registry._METRICS["local-one"]


def test_columns_of_all_metrics_are_distinct_from_each_other() -> None:
    names = [column.name for column in make_plan(map(asked, METRICS)).columns]
    assert len(names) == len(set(names))
    assert not any("[" in name for name in names)
