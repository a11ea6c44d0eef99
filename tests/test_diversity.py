"""Length and variety of vocabulary: by hand, against lexicalrichness, and as users ask for them."""

from __future__ import annotations

import gzip
import json
import math
import random
from pathlib import Path

import pytest

import yarnstick as ys
from yarnstick.errors import MetricError
from yarnstick.metrics.lexical_diversity import mtld, type_token_ratio
from yarnstick.text.words import words


def one(story: str, metric: str) -> dict[str, float | None]:
    scores = ys.score([story], metric)
    return {name: scores[name][0] for name in scores.columns}


# ---------------------------------------------------------------- length and counts


def test_length_and_counts_by_hand() -> None:
    story = 'The goose can\'t swim, can it? "No," said Mr. Fox.'
    # The goose ca n't swim , can it ? " No , " said Mr. Fox .
    assert one(story, "length") == {"Text length": 17.0}
    # without , ? " , " . eleven words are left, in two sentences
    assert one(story, "counts") == {"Words": 11.0, "Sentences": 2.0, "Words per sentence": 5.5}


def test_a_hanna_text_holds_one_token_more() -> None:
    assert one("The goose swam.", "length") == {"Text length": 4.0}
    assert one("The goose swam.", "length:preset=hanna") == {"Text length": 5.0}


@pytest.mark.parametrize("story", ["", " \n "])
def test_nothing_has_no_words_per_sentence(story: str) -> None:
    assert one(story, "counts") == {"Words": 0.0, "Sentences": 0.0, "Words per sentence": None}


def test_a_sentence_may_have_no_word() -> None:
    assert one("...", "counts") == {"Words": 0.0, "Sentences": 1.0, "Words per sentence": 0.0}


# ---------------------------------------------------------------- distinct-n, type-token ratio


def test_distinct_by_hand() -> None:
    # the fox saw the fox .: 4 of 6 tokens; the-fox fox-saw saw-the (the-fox) fox-.: 4 of 5; all 4 trigrams
    expected = {"Distinct-1": 4 / 6, "Distinct-2": 4 / 5, "Distinct-3": 1.0}
    assert one("The fox saw the fox.", "distinct") == pytest.approx(expected)
    # "The" and "the" are two now, and so are their bigrams
    cased = {"Distinct-1": 5 / 6, "Distinct-2": 1.0, "Distinct-3": 1.0}
    assert one("The fox saw the fox.", "distinct:lowercase=no") == pytest.approx(cased)


def test_distinct_as_far_as_asked() -> None:
    assert one("a b a b a b", "distinct:up_to=4") == pytest.approx(
        {"Distinct-1": 2 / 6, "Distinct-2": 2 / 5, "Distinct-3": 2 / 4, "Distinct-4": 2 / 3}
    )
    assert one("a b", "distinct") == {"Distinct-1": 1.0, "Distinct-2": 1.0, "Distinct-3": 0.0}


def test_repetition_as_far_as_asked() -> None:
    # a b c a b: a, b of three words; a-b of three bigrams; no trigram comes twice
    assert one("a b c a b", "repetition:up_to=2") == pytest.approx({"Repetition-1": 2 / 3, "Repetition-2": 1 / 3})


def test_type_token_ratio_by_hand() -> None:
    # punctuation is no word, and case does not matter: the old fox and the young fox
    assert one("The old fox, and the young fox!", "lexical-diversity")["Type-token ratio"] == pytest.approx(5 / 7)
    assert type_token_ratio(["a", "b", "a"]) == pytest.approx(2 / 3)
    assert math.isnan(type_token_ratio([]))


# ---------------------------------------------------------------- MTLD


def test_mtld_of_whole_factors_by_hand() -> None:
    # forward   of the people by the(4/5) people(4/6 <= .72): one factor; for the people: ratio 1, none
    # backward  people the for people(3/4) the(3/5): one factor; by people the of: none
    # nine words a factor both ways
    assert mtld(["of", "the", "people", "by", "the", "people", "for", "the", "people"]) == pytest.approx(9.0)


def test_mtld_with_a_partial_factor_by_hand() -> None:
    # forward   a b a(2/3): one; c d e c(3/4): (1 - .75) / (1 - .72) = 25/28; 7 words / (53/28) = 196/53
    # backward  c e d c(3/4) a(4/5) b(5/6) a(5/7 = .714): one; 7 words / 1
    assert mtld(list("abacdec")) == pytest.approx((196 / 53 + 7) / 2)


def test_the_ratio_that_equals_the_threshold_ends_a_factor() -> None:
    # 25 words, 18 of them distinct, the seven repeats last: .72 exactly, and only there
    text = [f"w{number}" for number in range(18)] + [f"w{number}" for number in range(7)]
    assert len(set(text)) / len(text) == 0.72
    forward = 25.0
    # backward  w6 ... w0 w17 ... w7 (18 distinct), then w6 ... w0 again: the same ratios
    assert mtld(text) == pytest.approx((forward + 25.0) / 2)
    # one word more: the factor is closed, and nothing is left but a stretch of one new word
    assert mtld([*text, "x"]) == pytest.approx((26 / 1 + 26 / ((1 - 19 / 26) / 0.28)) / 2)


def test_mtld_is_undefined_without_a_repeat() -> None:
    assert math.isnan(mtld([]))
    assert math.isnan(mtld(["each", "word", "comes", "once"]))
    assert one("Each word comes once.", "lexical-diversity") == {"Type-token ratio": 1.0, "MTLD": None}
    assert one("?!", "lexical-diversity") == {"Type-token ratio": None, "MTLD": None}


def test_mtld_of_one_word_over_and_over() -> None:
    # every second "go" brings the ratio to 1/2
    assert mtld(["go"] * 100) == pytest.approx(2.0)


def test_mtld_is_the_same_read_backwards() -> None:
    text = random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=300)
    assert mtld(text) == mtld(text[::-1])


def test_a_higher_threshold_makes_shorter_stretches() -> None:
    story = " ".join(random.Random(2).choices([f"w{number}" for number in range(60)], k=400))
    values = [one(story, f"lexical-diversity:threshold={t}")["MTLD"] for t in (0.6, 0.72, 0.8)]
    assert values == sorted(values, reverse=True)
    assert values[1] == pytest.approx(mtld(story.split(), 0.72))
    assert len(set(values)) == 3


@pytest.mark.parametrize("threshold", [0.6, 0.72, 0.75, 0.8])
def test_mtld_equals_lexicalrichness(threshold: float) -> None:
    """The same definition, but for a text without a repeat: lexicalrichness calls all of it one factor there."""
    oracle = pytest.importorskip("lexicalrichness").LexicalRichness
    rng = random.Random(72)
    compared = 0
    for _ in range(300):
        vocabulary = [f"w{number}" for number in range(rng.randint(1, 80))]
        text = rng.choices(vocabulary, k=rng.randint(1, 200))
        expected = oracle(text, preprocessor=None, tokenizer=None).mtld(threshold)
        if len(set(text)) == len(text):
            assert expected == len(text)
            assert math.isnan(mtld(text, threshold))
        else:
            compared += 1
            assert mtld(text, threshold) == pytest.approx(expected, abs=1e-9)
    assert compared > 250


def test_mtld_of_real_stories_equals_lexicalrichness(data_folder: Path) -> None:
    oracle = pytest.importorskip("lexicalrichness").LexicalRichness
    path = data_folder / "stories" / "writingprompts.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        stories = [json.loads(line)["story"] for line, _ in zip(lines, range(100), strict=False)]
    scores = ys.score(stories, "lexical-diversity")
    for story, ratio, value in zip(stories, scores["Type-token ratio"], scores["MTLD"], strict=True):
        spoken = [token.lower() for token in words(story) if any(map(str.isalnum, token))]
        lexicon = oracle(spoken, preprocessor=None, tokenizer=None)
        assert value == pytest.approx(lexicon.mtld(0.72), abs=1e-9)
        assert ratio == pytest.approx(lexicon.ttr, abs=1e-12)


# ---------------------------------------------------------------- settings that make no sense


@pytest.mark.parametrize(
    "request_",
    [
        "distinct:up_to=0",
        "repetition:up_to=-1",
        "repetition:tokens=letters",
        "lexical-diversity:threshold=1",
        "lexical-diversity:threshold=0",
        "lexical-diversity:threshold=nan",
    ],
)
def test_senseless_settings_are_refused(request_: str) -> None:
    option = request_.split(":")[1].split("=")[0]
    with pytest.raises(MetricError, match=f"option {option} cannot be"):
        ys.score(["A goose."], request_)
