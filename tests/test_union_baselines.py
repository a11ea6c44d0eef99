"""DisScore and RUBER-unreferenced: what their groups are made of, and the metrics that score with them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from test_every_metric import ODD, OTHER, PLAIN, PROMPT
from tiny_union import packed

import yarnstick as ys
from yarnstick.errors import InputError, MetricError
from yarnstick.metrics.families.trained_baselines import in_context
from yarnstick.union.corpus import Piece, Sampled
from yarnstick.union.groups import groups
from yarnstick.union.runtime import open_runtime
from yarnstick.union.settings import Settings

_NAMES = ("Anna", "Ben", "Clara", "Emma", "Frank", "Greta")
PIECES = [
    Piece(f"{name} found a key. The key fitted no door. {name} kept it all the same.", f"{name} found a key.", "made")
    for name in _NAMES
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YARNSTICK_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A tiny packed model for each task."""
    home = tmp_path_factory.mktemp("models")
    made = {}
    for seed, task in enumerate(("union", "disscore", "ruber")):
        made[task] = packed(home / task, task, seed)
        numbers = made[task] / "union.json"
        numbers.write_text(json.dumps({**json.loads(numbers.read_text("utf-8")), "task": task}))
    return made


def test_ruber_sets_a_story_against_its_beginning_with_another_ending() -> None:
    made = list(groups(PIECES, [], Settings(task="ruber"), seed=1, epoch=0))
    assert len(made) == len(PIECES)
    endings = {piece.text.removeprefix(piece.lead).strip(): piece.lead for piece in PIECES}
    by_text = {piece.text: piece for piece in PIECES}
    for group in made:
        own, foreign = group.members
        piece = by_text[own.text]
        assert (own.label, foreign.label) == (1.0, 0.0)
        assert foreign.text.startswith(f"{piece.lead} ")
        ((start, end),) = foreign.spans
        assert endings[foreign.text[start:end]] != piece.lead
        assert foreign.text[:start] == f"{piece.lead} "


def test_disscore_sets_people_against_machines_where_machines_wrote() -> None:
    sampled = [Sampled(piece.text, (f"{piece.lead} Then {n} more.",), (0.9,)) for n, piece in enumerate(PIECES[:4])]
    made = list(groups(PIECES, sampled, Settings(task="disscore"), seed=1, epoch=0))
    assert sorted(group.members[0].text for group in made) == sorted(row.human for row in sampled)
    written = {row.human: row.samples for row in sampled}
    for human, machine in (group.members for group in made):
        assert (human.label, machine.label, machine.kind) == (1.0, 0.0, "machine")
        assert machine.text in written[human.text]
    with pytest.raises(InputError, match="yarnstick generate"):
        list(groups(PIECES, [], Settings(task="disscore"), seed=1, epoch=0))


def test_scores_are_the_models_own(models: dict[str, Path]) -> None:
    records = [{"story": PLAIN, "prompt": PROMPT}, {"story": f"{PROMPT} {OTHER}", "prompt": PROMPT}]
    wanted = open_runtime(models["ruber"]).log_odds([f"{PROMPT} {PLAIN}", f"{PROMPT} {OTHER}"])
    scores = ys.score(records, f"ruber-u:model=path:{models['ruber']}")
    np.testing.assert_allclose(scores["RUBER-u logit"], wanted, atol=1e-12)
    np.testing.assert_allclose(scores["RUBER-u"], 1 / (1 + np.exp(-wanted)), atol=1e-12)
    stories = [record["story"] for record in records]
    scores = ys.score(stories, f"disscore:model=path:{models['disscore']}")
    np.testing.assert_allclose(scores["DisScore logit"], open_runtime(models["disscore"]).log_odds(stories), atol=1e-12)


def test_what_the_context_is(models: dict[str, Path]) -> None:
    assert in_context("It rained.", "The pond filled up.") == "It rained. The pond filled up."
    assert in_context("It rained.", "It rained. The pond filled up.") == "It rained. The pond filled up."
    assert in_context(" ", PLAIN) == PLAIN
    request = f"ruber-u:model=path:{models['ruber']}"
    odd = [{"story": text, "prompt": PROMPT} for text in ODD.values()]
    for kind, value in zip(ODD, ys.score(odd, request)["RUBER-u"], strict=True):
        assert (value is None) == (kind in ("empty", "white space"))
    # Both sides are read as prose, so that a tokenised story still begins with its prompt.
    cut = {"story": "the goose did n't swim . it slept .", "prompt": "the goose did n't swim ."}
    whole = {"story": "The goose didn't swim. It slept.", "prompt": "The goose didn't swim."}
    assert len(set(ys.score([cut, whole], request)["RUBER-u"])) == 1


def test_neither_has_a_model_of_its_own_and_each_wants_its_own_kind(models: dict[str, Path]) -> None:
    for name, task in (("disscore", "disscore"), ("ruber-u", "ruber")):
        with pytest.raises(MetricError, match=f"--set task={task}"):
            ys.score([{"story": PLAIN, "prompt": PROMPT}], name)
        with pytest.raises(MetricError, match=f"'union', not '{task}'"):
            ys.score([{"story": PLAIN, "prompt": PROMPT}], f"{name}:model=path:{models['union']}")
    with pytest.raises(MetricError, match=r"'ruber', not 'union' \(score with -m ruber-u:model=path:"):
        ys.score([PLAIN], f"union:model=path:{models['ruber']}")
    with pytest.raises(InputError, match="has no prompt"):
        ys.score([PLAIN], f"ruber-u:model=path:{models['ruber']}")


def test_the_signature_names_the_weights(models: dict[str, Path]) -> None:
    from yarnstick.union.packed import read_packed

    signature = ys.score([PLAIN], f"disscore:model=path:{models['disscore']}").columns["DisScore"].signature
    assert f"weights:disscore@{read_packed(models['disscore']).identity[:12]}" in signature
