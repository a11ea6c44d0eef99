"""Each option of the overlap metrics, through ``ys.score``: it changes the number, and to what the oracle says."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

import yarnstick as ys
from yarnstick.errors import MetricError, YarnstickError
from yarnstick.metrics.meteor_score import find_resources
from yarnstick.metrics.meteor_score import meteor as meteor_of
from yarnstick.metrics.ter_score import edits

# Punctuation, case, white space, a shift, a stem, lengths above and below: something for every option to change.
STORIES = [
    "The old Fox went down to the pond ,  and slept there until the moon set. \n He dreamt!",
    "and slept there the old fox went",
    'A goose\'s-down pillow; "Hi" said IT.',
    "Foxes walking. Geese sleeping",
    "cat sat",
    "the the the the the cat sat",
    "Nothing whatever alike",
]
REFERENCES = [
    ["The old fox walked to the pond, and slept there until the moon set.\nHe dreamed of geese!", "The Fox slept."],
    ["the old fox went and slept there", "An old fox"],
    ['A goose-down pillow. "Hi," said it.'],
    ["The fox walks. The goose sleeps, then wakes.", "foxes walk"],
    ["The cat sat"],
    ["the cat sat on the mat", "the cat"],
    ["Ships sank , & sailors swam"],
]
RECORDS = [{"story": s, "references": r} for s, r in zip(STORIES, REFERENCES, strict=True)]


def ours(request: str, records: list[dict[str, Any]] = RECORDS) -> list[float | None]:
    scores = ys.score(records, request)
    (name,) = scores.columns
    return scores[name]


def check_option(request: str, expected: list[float]) -> None:
    scores = ours(request)
    assert scores == pytest.approx(expected, abs=1e-9)
    assert scores != pytest.approx(ours(request.split(":")[0]), abs=1e-9), "the option changes nothing"


# ---------------------------------------------------------------- BLEU


@pytest.mark.parametrize(
    ("setting", "options"),
    [
        ("order=2", {"max_ngram_order": 2}),
        ("order=6", {"max_ngram_order": 6}),
        ("lowercase=yes", {"lowercase": True}),
        ("smoothing=floor", {"smooth_method": "floor"}),
        ("smoothing=add-k", {"smooth_method": "add-k"}),
        ("smoothing=none", {"smooth_method": "none"}),
        ("tokenize=none", {"tokenize": "none"}),
        ("tokenize=char", {"tokenize": "char"}),
        ("effective_order=no", {"effective_order": False}),
        (
            "order=3,lowercase=yes,smoothing=floor,tokenize=none",
            {"max_ngram_order": 3, "lowercase": True, "smooth_method": "floor", "tokenize": "none"},
        ),
    ],
)
def test_bleu(setting: str, options: dict[str, Any]) -> None:
    oracle = pytest.importorskip("sacrebleu.metrics").BLEU(**{"effective_order": True, **options})
    expected = [oracle.sentence_score(s, r).score for s, r in zip(STORIES, REFERENCES, strict=True)]
    check_option(f"bleu:{setting}", expected)


def test_bleu_of_hanna_is_the_default() -> None:
    assert ours("bleu:preset=hanna") == ours("bleu")


# ---------------------------------------------------------------- chrF


@pytest.mark.parametrize(
    ("metric", "setting", "options", "end"),
    [
        ("chrf", "char_order=3", {"char_order": 3}, ""),
        ("chrf", "beta=1", {"beta": 1}, ""),
        ("chrf", "beta=3", {"beta": 3}, ""),
        ("chrf", "whitespace=yes", {"whitespace": True}, ""),
        ("chrf", "lowercase=yes", {"lowercase": True}, ""),
        ("chrf", "whitespace=yes,line_end=yes", {"whitespace": True}, "\n"),
        ("chrf", "preset=hanna", {"beta": 3, "whitespace": True}, "\n"),
        ("chrf++", "char_order=4", {"char_order": 4}, ""),
        ("chrf++", "word_order=1", {"word_order": 1}, ""),
        ("chrf++", "word_order=3", {"word_order": 3}, ""),
        ("chrf++", "beta=1", {"beta": 1}, ""),
        ("chrf++", "whitespace=yes", {"whitespace": True}, ""),
        ("chrf++", "lowercase=yes", {"lowercase": True}, ""),
    ],
)
def test_chrf(metric: str, setting: str, options: dict[str, Any], end: str) -> None:
    word_order = {"word_order": 2 if metric == "chrf++" else 0}
    oracle = pytest.importorskip("sacrebleu.metrics").CHRF(**{**word_order, **options})
    expected = [
        oracle.sentence_score(story + end, [reference + end for reference in references]).score
        for story, references in zip(STORIES, REFERENCES, strict=True)
    ]
    check_option(f"{metric}:{setting}", expected)


def test_the_line_end_is_a_character_of_its_own() -> None:
    # "ab" of "ac", characters only: 1/2. With the line end "ab\n" of "ac\n": 2/3
    records = [{"story": "ab", "reference": "ac"}]
    assert ours("chrf:char_order=1", records) == [pytest.approx(50.0)]
    assert ours("chrf:char_order=1,whitespace=yes,line_end=yes", records) == [pytest.approx(100 * 2 / 3)]


def test_chrf_plus_plus_without_words_is_chrf() -> None:
    assert ours("chrf++:word_order=0") == ours("chrf")


# ---------------------------------------------------------------- TER


def test_ter_with_a_shift_by_hand() -> None:
    # "sat there the cat" to "the cat sat there": one shift of two words, one edit in four words; without shifts
    # it would be four edits
    assert ours("ter", [{"story": "sat there the cat", "reference": "the cat sat there"}]) == [pytest.approx(25.0)]
    # a shift, then a word less and one other: three edits in five words
    records = [{"story": "sat there the cat", "reference": "the cat sat here again"}]
    assert ours("ter", records) == [pytest.approx(60.0)]


def test_ter_of_several_references_by_hand() -> None:
    # one edit to the second reference; four and two words, three in the mean
    records = [{"story": "the cat slept", "references": ["a dog ran off", "the cat"]}]
    assert ours("ter", records) == [pytest.approx(100 / 3)]


@pytest.mark.parametrize(
    ("setting", "options"),
    [
        ("normalized=yes", {"normalized": True}),
        ("case_sensitive=yes", {"case_sensitive": True}),
        ("normalized=yes,case_sensitive=yes", {"normalized": True, "case_sensitive": True}),
    ],
)
def test_ter_options(setting: str, options: dict[str, Any]) -> None:
    oracle = pytest.importorskip("sacrebleu.metrics").TER(**options)
    expected = [oracle.sentence_score(s, r).score for s, r in zip(STORIES, REFERENCES, strict=True)]
    check_option(f"ter:{setting}", expected)


def test_ter_of_random_texts_equals_sacrebleu() -> None:
    oracle = pytest.importorskip("sacrebleu.metrics").TER()
    rng = random.Random(5)

    def text() -> str:
        return " ".join(
            rng.choices(["the", "The", "a", "fox", "hen,", "sat", "ran", "on", ".", "é"], k=rng.randint(0, 15))
        )

    records = [{"story": text(), "references": [text() for _ in range(rng.randint(1, 3))]} for _ in range(80)]
    expected = [oracle.sentence_score(record["story"], record["references"]).score for record in records]
    assert ours("ter", records) == pytest.approx(expected, abs=1e-9)


def test_ter_of_shifted_and_repetitive_texts_equals_sacrebleu() -> None:
    """Many shifts, ties between them, blocks longer than ten words, lengths far apart, the limit on shifts weighed."""
    oracle = pytest.importorskip("sacrebleu.metrics.lib_ter").translation_edit_rate
    rng = random.Random(11)
    limited = 0
    for number in range(60):
        vocabulary = [f"w{place}" for place in range(rng.choice([2, 5, 20, 60]))]
        reference = rng.choices(vocabulary, k=rng.randint(1, 50))
        story = list(reference) if number % 2 else rng.choices(vocabulary, k=rng.randint(0, 50))
        for _ in range(rng.randint(0, 4) if story else 0):
            start = rng.randrange(len(story))
            block = story[start : start + rng.randint(1, 14)]
            del story[start : start + len(block)]
            place = rng.randint(0, len(story))
            story[place:place] = block
        if number % 25 == 0:
            reference += rng.choices(vocabulary, k=160)
        limited += len(vocabulary) == 2 and len(story) > 40
        assert edits(story, reference) == oracle(story, reference)[0], (story, reference)
    assert limited > 1


def test_ter_of_stories_equals_sacrebleu() -> None:
    """Their beginnings: sacreBLEU takes seconds for a whole story."""
    oracle = pytest.importorskip("sacrebleu.metrics").TER()

    def beginning(text: str) -> str:
        return " ".join(text.split()[:40])

    told = list(ys.sample())[::13]
    records = [{"story": beginning(story.text), "references": list(map(beginning, story.references))} for story in told]
    expected = [oracle.sentence_score(record["story"], record["references"]).score for record in records]
    assert ours("ter", records) == pytest.approx(expected, abs=1e-9)


def test_ter_of_long_texts_is_left_undefined() -> None:
    four, five = "a b c d", "a b c d e"
    records = [
        {"story": four, "references": [four]},
        {"story": five, "references": [four]},
        {"story": four, "references": [four, five]},
    ]
    assert ours("ter:max_words=4", records) == [0.0, None, None]
    assert None not in ours("ter:max_words=5", records)
    assert ours("ter", [{"story": "a " * 3001, "reference": "a"}]) == [None]


# ---------------------------------------------------------------- CIDEr


@pytest.mark.parametrize(
    ("setting", "order", "sigma", "lowercase"),
    [
        ("", 4, 6.0, True),
        ("order=2", 2, 6.0, True),
        ("sigma=2.5", 4, 2.5, True),
        ("sigma=50", 4, 50.0, True),
        ("lowercase=no", 4, 6.0, False),
        ("preset=hanna", 4, 6.0, False),
        ("order=3,sigma=12,lowercase=no", 3, 12.0, False),
    ],
)
def test_cider(setting: str, order: int, sigma: float, lowercase: bool) -> None:
    scorer_module = pytest.importorskip("pycocoevalcap.cider.cider_scorer")

    def plain(text: str) -> str:
        return " ".join(re.findall(r"\w+", text.lower() if lowercase else text))

    scorer = scorer_module.CiderScorer(n=order, sigma=sigma)
    for story, references in zip(STORIES, REFERENCES, strict=True):
        # What "+=" does, which forgets to pass n on.
        scorer.ctest.append(scorer_module.cook_test(plain(story), n=order))
        scorer.crefs.append(scorer_module.cook_refs([plain(reference) for reference in references], n=order))
    _, expected = scorer.compute_score()
    assert ours(f"cider:{setting}") == pytest.approx(list(expected), abs=1e-9)
    if setting:
        assert ours(f"cider:{setting}") != pytest.approx(ours("cider"), abs=1e-9)


def test_a_prompt_told_by_many_systems_is_one_document() -> None:
    """Rarity is counted over the sets of references, not over the stories that are compared with them."""
    twice = [record for record in RECORDS for _ in range(2)]
    assert ours("cider", twice)[::2] == ours("cider", RECORDS)


# ---------------------------------------------------------------- METEOR


@pytest.mark.parametrize("stages", [("exact",), ("stem",), ("exact", "stem")])
def test_meteor_stages(stages: tuple[Any, ...]) -> None:
    expected = [meteor_of(s, r, stages=stages) for s, r in zip(STORIES, REFERENCES, strict=True)]
    assert ours(f"meteor:stages={'+'.join(stages)}") == pytest.approx(expected, abs=1e-12)
    assert ours("meteor:stages=exact") != ours("meteor")


def test_meteor_options_that_need_its_data() -> None:
    resources = find_resources()
    if resources.jar is None or resources.paraphrase_file is None:
        pytest.skip("METEOR's data is not installed")
    pairs = list(zip(STORIES, REFERENCES, strict=True))
    weighed = [meteor_of(s, r, function_words="meteor", resources=resources) for s, r in pairs]
    assert ours("meteor:function_words=meteor") == pytest.approx(weighed, abs=1e-12)
    assert weighed != pytest.approx(ours("meteor"), abs=1e-9)
    widened = [meteor_of(s, r, synonyms="meteor", resources=resources) for s, r in pairs]
    assert ours("meteor:synonyms=meteor") == pytest.approx(widened, abs=1e-12)
    assert ours(f"meteor:synonyms=meteor,data={resources.jar.parent}") == pytest.approx(widened, abs=1e-12)
    assert widened != pytest.approx(ours("meteor:stages=exact+stem"), abs=1e-9)


def test_meteor_data_is_looked_for_before_any_story_is_read(tmp_path: Any) -> None:
    with pytest.raises(YarnstickError, match="synonym"):
        ys.score(RECORDS, f"meteor:stages=exact+synonym,synonyms=meteor,data={tmp_path}")


# ---------------------------------------------------------------- what is no setting


@pytest.mark.parametrize(
    "request_",
    [
        "bleu:smoothing=laplace",
        "bleu:tokenize=words",
        "bleu:order=two",
        "bleu:order=2.5",
        "bleu:lowercase=maybe",
        "chrf:word_order=2",
        "chrf++:line_end=yes",
        "cider:sigma=wide",
        "meteor:stages=exact+guess",
        "meteor:stages=exact+exact",
        "meteor:function_words=french",
        "ter:max_words=many",
    ],
)
def test_wrong_settings_are_refused(request_: str) -> None:
    option = request_.split(":")[1].split("=")[0]
    with pytest.raises(MetricError, match=option):
        ys.score(RECORDS, request_)
