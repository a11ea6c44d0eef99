"""chrF, BLEU and CIDEr: by hand, against sacreBLEU and pycocoevalcap, and HANNA's published columns."""

import csv
import json
import math
import os
import random
import time
from pathlib import Path

import pytest

from yarnstick.metrics.bleu_score import (
    BleuStatistics,
    bleu,
    bleu_of_statistics,
    bleu_references,
    bleu_statistics,
)
from yarnstick.metrics.chrf_score import chrf, chrf_reference
from yarnstick.metrics.cider_score import cider, document_frequencies, tf_idf_vector
from yarnstick.text.tokenize_13a import tokenize_13a

PIECES = [
    *["the", "a", "fox", "hen", "sat", "ran", "on", "mat", "wood", "and"],
    *[
        "3.5",
        "1,000",
        "10-12",
        "U.S.",
        "e-mail",
        "don't",
        "“hi”",
        "(so)",
        "a.,b",
        "..",
        "-",
        "&amp;",
        "&quot;",
        "x_y",
    ],
    *[
        "<skipped>",
        "-\n",
        "\n",
        "\t",
        "é",
        "中文",
        "😀",
        "שלום",
        "\x00",
        "\u2028",
        "!",
        "?",
        "5.",
        ",5",
        "'",
        "''",
    ],
]


def _random_text(rng: random.Random, longest: int = 25) -> str:
    return rng.choice(["", " ", ""]).join(
        one + rng.choice([" ", " ", " ", ""]) for one in rng.choices(PIECES, k=rng.randint(0, longest))
    )


def _pairs(number: int) -> list[tuple[str, list[str]]]:
    rng = random.Random(number)
    return [(_random_text(rng), [_random_text(rng) for _ in range(rng.randint(1, 3))]) for _ in range(number)]


# ---------------------------------------------------------------- 13a


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It cost 3.50, no less.", ["It", "cost", "3.50", ",", "no", "less", "."]),
        ("don't (ever) stop", ["don't", "(", "ever", ")", "stop"]),
        ("10-12 e-mail", ["10", "-", "12", "e-mail"]),
        ("&quot;Hi&quot; &amp; bye", ['"', "Hi", '"', "&", "bye"]),
        ("joined-\nup", ["joinedup"]),
        ("", []),
    ],
)
def test_13a_examples(text: str, tokens: list[str]) -> None:
    assert tokenize_13a(text) == tokens


def test_13a_equals_sacrebleu() -> None:
    oracle = pytest.importorskip("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
    rng = random.Random(13)
    for _ in range(3000):
        text = _random_text(rng)
        assert tokenize_13a(text) == oracle(text.rstrip()).split(), repr(text)


# ---------------------------------------------------------------- BLEU


def test_bleu_worked_by_hand() -> None:
    statistics = bleu_statistics("the cat sat on the mat", bleu_references(["the cat sat on a mat"]))
    # 1: the cat sat on mat (the second "the" is clipped); 2: the-cat cat-sat sat-on; 3: two of them; 4: one
    assert statistics == BleuStatistics((5, 3, 2, 1), (6, 5, 4, 3), 6, 6)
    expected = 100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4)
    assert bleu_of_statistics(statistics) == pytest.approx(expected, abs=1e-12)


def test_bleu_smoothing_worked_by_hand() -> None:
    # "a b x y" against "a b c d": matches 2 1 0 0 of 4 3 2 1
    statistics = bleu_statistics("a b x y", bleu_references(["a b c d"]))
    assert statistics == BleuStatistics((2, 1, 0, 0), (4, 3, 2, 1), 4, 4)
    products = {
        "exp": 2 / 4 * 1 / 3 * (1 / 2) / 2 * (1 / 4) / 1,
        "floor": 2 / 4 * 1 / 3 * 0.1 / 2 * 0.1 / 1,
        "add-k": 2 / 4 * 2 / 4 * 1 / 3 * 1 / 2,
        "none": 0.0,
    }
    for smoothing, product in products.items():
        score = bleu_of_statistics(statistics, smoothing=smoothing)  # type: ignore[arg-type]
        assert score == pytest.approx(100 * product**0.25, abs=1e-10)


def test_brevity_penalty_worked_by_hand() -> None:
    # two words of four: BP = exp(1 - 4/2); orders 3 and 4 do not exist
    assert bleu("a b", bleu_references(["a b c d"])) == pytest.approx(100 * math.exp(-1), abs=1e-12)
    # the nearest reference sets the length, the shorter of two equally near
    statistics = bleu_statistics("a b c", bleu_references(["a b c d", "a b", "a"]))
    assert statistics.reference_length == 2


@pytest.mark.parametrize("effective_order", [True, False])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
def test_bleu_equals_sacrebleu(smoothing: str, lowercase: bool, effective_order: bool) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    for value in (None, 0.5) if smoothing in ("floor", "add-k") else (None,):
        oracle = metrics.BLEU(
            smooth_method=smoothing, smooth_value=value, lowercase=lowercase, effective_order=effective_order
        )
        for hypothesis, references in _pairs(250):
            ours = bleu(
                hypothesis,
                bleu_references(references, lowercase=lowercase),
                smoothing=smoothing,  # type: ignore[arg-type]
                smoothing_value=value,
                effective_order=effective_order,
            )
            assert ours == pytest.approx(oracle.sentence_score(hypothesis, references).score, abs=1e-9)


@pytest.mark.parametrize("hypothesis", ["", " ", "a", "中", "\x00"])
@pytest.mark.parametrize("reference", ["", "b", "b c d e f"])
def test_bleu_without_a_match_is_zero(hypothesis: str, reference: str) -> None:
    assert bleu(hypothesis, bleu_references([reference])) == 0.0


def test_bleu_needs_a_reference() -> None:
    with pytest.raises(ValueError, match="at least one reference"):
        bleu_references([])


# ---------------------------------------------------------------- chrF


def test_chrf_worked_by_hand() -> None:
    # "abc" against "abd", orders 1 and 2: P = R = (2/3 + 1/2) / 2 = 7/12, so F is 7/12 whatever beta
    assert chrf("abc", chrf_reference("abd", char_order=2)) == pytest.approx(100 * 7 / 12, abs=1e-12)
    # "ab" against "abab", beta 2: P = (1 + 1)/2 = 1, R = (2/4 + 1/3)/2 = 5/12, F = 5 P R / (4 P + R)
    expected = 100 * 5 * (5 / 12) / (4 + 5 / 12)
    assert chrf("ab", chrf_reference("abab", char_order=2)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("eps_smoothing", [True, False])
@pytest.mark.parametrize("whitespace", [True, False])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("word_order", [0, 2])
def test_chrf_equals_sacrebleu(word_order: int, lowercase: bool, whitespace: bool, eps_smoothing: bool) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    for beta in (1, 2, 3):
        oracle = metrics.CHRF(
            word_order=word_order,
            lowercase=lowercase,
            whitespace=whitespace,
            eps_smoothing=eps_smoothing,
            beta=beta,
        )
        for hypothesis, references in _pairs(150):
            counted = [
                chrf_reference(one, word_order=word_order, whitespace=whitespace, lowercase=lowercase)
                for one in references
            ]
            ours = chrf(hypothesis, counted, beta=beta, eps_smoothing=eps_smoothing)
            assert ours == pytest.approx(oracle.sentence_score(hypothesis, references).score, abs=1e-9)


def test_chrf_of_other_orders_equals_sacrebleu() -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    for char_order in (1, 3, 9):
        oracle = metrics.CHRF(char_order=char_order)
        for hypothesis, references in _pairs(100):
            ours = chrf(hypothesis, [chrf_reference(one, char_order=char_order) for one in references])
            assert ours == pytest.approx(oracle.sentence_score(hypothesis, references).score, abs=1e-9)


def test_chrf_of_empty_texts_is_zero_and_of_equals_a_hundred() -> None:
    assert chrf("", chrf_reference("")) == 0.0
    assert chrf("a", chrf_reference("")) == 0.0
    assert chrf("", chrf_reference("a")) == 0.0
    assert chrf("שלום 😀", chrf_reference("שלום 😀")) == pytest.approx(100.0)
    assert chrf("\ud800 a", chrf_reference("\ud800 a")) == pytest.approx(100.0)


# ---------------------------------------------------------------- CIDEr


def test_cider_worked_by_hand() -> None:
    df = document_frequencies([["a b"], ["a c"]], order=2)
    # idf: a log(2/2) = 0, b and ab log 2, x (never seen) log 2.
    vector = tf_idf_vector("a b x", df)
    two = math.log(2)
    assert vector.weights[0] == {("a",): 0.0, ("b",): two, ("x",): two}
    assert vector.norms[0] == pytest.approx(math.sqrt(2) * two)
    # order 1: cosine of (b, x) with (b) = 1/sqrt 2; order 2: of (ab, bx) with (ab) = 1/sqrt 2;
    # lengths differ by one bigram: damping exp(-1/72)
    expected = 10 * math.exp(-1 / 72) * (1 / math.sqrt(2))
    assert cider("a b x", ["a b"], df) == pytest.approx(expected, abs=1e-12)


def test_cider_clips_repeated_words() -> None:
    df = document_frequencies([["b"], ["c"]], order=1)
    # weights: b b b = 3 log 2 clipped to log 2: cosine 1/3 instead of 1
    # bigrams: 2 and 0
    assert cider("b b b", ["b"], df) == pytest.approx(10 * math.exp(-4 / 72) / 3, abs=1e-12)


def test_cider_equals_pycocoevalcap() -> None:
    scorer_module = pytest.importorskip("pycocoevalcap.cider.cider_scorer")
    rng = random.Random(4)
    vocabulary = ["the", "a", "fox", "hen", "sat", "ran", "on", "mat", "wood", "and", "old", "red", "sea"]

    def sentence() -> str:
        return " ".join(rng.choices(vocabulary, k=rng.randint(0, 14)))

    corpus = [(sentence(), [sentence() for _ in range(rng.randint(1, 4))]) for _ in range(80)]
    scorer = scorer_module.CiderScorer(n=4, sigma=6.0)
    for hypothesis, references in corpus:
        scorer += (hypothesis, references)
    _, expected = scorer.compute_score()
    df = document_frequencies([references for _, references in corpus], tokenize=str.split)
    for (hypothesis, references), score in zip(corpus, expected, strict=True):
        assert cider(hypothesis, references, df) == pytest.approx(score, abs=1e-9)


def test_cider_edges() -> None:
    df = document_frequencies([["the old fox slept"], ["the ship sank"]])
    assert cider("", ["the old fox slept"], df) == 0.0
    assert cider("the old fox slept", [""], df) == 0.0
    assert cider("the old fox slept", ["the old fox slept"], df) == pytest.approx(10.0)
    assert cider("x", ["y"], document_frequencies([])) == 0.0
    one = document_frequencies([["the old fox slept"]])
    assert cider("the old fox slept", ["the old fox slept"], one) == 0.0
    assert 0.0 <= cider("word " * 20_000, ["the old fox slept"], df) < 1e-300
    with pytest.raises(ValueError, match="at least one reference"):
        cider("a", [], df)
    with pytest.raises(TypeError, match="sequence of references"):
        document_frequencies(["the old fox slept"])


# ---------------------------------------------------------------- HANNA

Hanna = tuple[dict[tuple[str, int], str], dict[str, dict[tuple[str, int], float]]]


@pytest.fixture(scope="module")
def hanna() -> Hanna:
    folder = Path(os.environ.get("YARNSTICK_DATA", Path(__file__).parents[2] / "shared" / "data")) / "hanna"
    if not (folder / "metric_scores.csv").exists():
        pytest.skip(f"no HANNA scores in {folder}")
    records = [json.loads(line) for line in (folder / "stories.jsonl").read_text(encoding="utf-8").splitlines()]
    stories = {(record["system"], record["prompt_id"]): record["story"] for record in records}
    csv.field_size_limit(10**8)
    with (folder / "metric_scores.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    published = {
        name: {(row["Model"], prompt): value for row in rows for prompt, value in enumerate(json.loads(row[column]))}
        for column in rows[0]
        if (name := column.rsplit(" ", 1)[0]) in ("BLEU", "chrF", "CIDEr")
    }
    return stories, published


def test_every_published_bleu_of_hanna(hanna: Hanna) -> None:
    stories, published = hanna
    counted = {prompt: bleu_references([stories["Human", prompt]]) for prompt in range(96)}
    assert len(stories) == 1056
    for (system, prompt), story in stories.items():
        assert bleu(story, counted[prompt]) == pytest.approx(published["BLEU"][system, prompt], abs=1e-9)


def test_every_published_chrf_of_hanna(hanna: Hanna) -> None:
    stories, published = hanna
    # The scored files had one story a line, and white space, hence the newline, was counted.
    counted = {prompt: chrf_reference(stories["Human", prompt] + "\n", whitespace=True) for prompt in range(96)}
    for (system, prompt), story in stories.items():
        score = chrf(story + "\n", counted[prompt], beta=3)
        assert score == pytest.approx(published["chrF"][system, prompt], abs=1e-9)


def test_every_published_cider_of_hanna(hanna: Hanna) -> None:
    stories, published = hanna
    df = document_frequencies([[stories["Human", prompt]] for prompt in range(96)])
    counted = {prompt: tf_idf_vector(stories["Human", prompt], df) for prompt in range(96)}
    for (system, prompt), story in stories.items():
        score = cider(story, [counted[prompt]], df)
        assert score == pytest.approx(published["CIDEr"][system, prompt], abs=1e-9)


def test_not_slower_than_sacrebleu(hanna: Hanna) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    stories, _ = hanna
    pairs = [(story, stories["Human", prompt]) for (_, prompt), story in stories.items()][:300]

    def seconds(score: object) -> float:
        begin = time.perf_counter()
        for story, reference in pairs:
            score(story, reference)  # type: ignore[operator]
        return time.perf_counter() - begin

    their_bleu, their_chrf = metrics.BLEU(effective_order=True), metrics.CHRF()
    ours = seconds(lambda story, reference: bleu(story, bleu_references([reference])))
    assert ours < seconds(lambda story, reference: their_bleu.sentence_score(story, [reference]))
    ours = seconds(lambda story, reference: chrf(story, chrf_reference(reference)))
    assert ours < seconds(lambda story, reference: their_chrf.sentence_score(story, [reference]))
