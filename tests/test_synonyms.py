"""The lexicon of synonyms and irregular forms that METEOR uses where none of METEOR's own data is installed."""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib.resources import files
from itertools import combinations

import pytest

from yarnstick.text.base_forms import base_forms
from yarnstick.text.irregular_forms import bases_of_irregular_form, irregular_verbs
from yarnstick.text.synonym_groups import are_synonyms, groups_of, synonym_groups

GROUPS = synonym_groups()
WORDS = sorted({word for group in GROUPS for word in group})

# Hand-checked. What ought to match: forms of one word, and words one could write for the other.
FORMS = """
    was-is were-been am-are has-had did-done went-gone goes-went said-say took-taken made-make thought-think
    children-child men-man women-woman feet-foot teeth-tooth mice-mouse wolves-wolf lives-life people-person
    better-good best-better worse-bad more-most dying-died lying-lie ran-runs sang-sung bigger-big happiest-happier
    hopped-hop stopped-stop cried-cry leaves-leaf left-leave biggest-bigger policemen-policeman
"""
SYNONYMS = """
    said-told said-stated began-started started-commenced big-large huge-enormous small-little tiny-little
    kids-children kid-child mom-mother dad-father boy-lad girl-lass house-home walked-strolled ran-fled
    looked-gazed saw-noticed shouted-yelled asked-inquired answered-replied happy-glad sad-unhappy angry-mad
    scared-afraid beautiful-lovely smart-clever strange-odd quickly-rapidly suddenly-abruptly finally-eventually
    perhaps-maybe street-road car-automobile money-cash doctor-physician dog-hound rock-stone forest-woods
    sea-ocean ship-vessel gun-pistol killed-murdered hid-concealed threw-tossed grabbed-seized cooked-made
    bought-purchased taught-instructed trip-journey story-tale gift-present job-task error-mistake ill-sick
    alive-living monsters-beasts 10-ten okay-ok grey-gray colour-color towns-cities policemen-cops
"""
STRANGERS = """
    dog-cat man-woman boy-girl mother-father happy-sad big-small black-white hot-cold here-there up-down in-out
    yes-no he-she i-one the-a not-no mother-moth father-fat news-new evening-even besides-beside hoped-hopped
    planed-planned was-has sea-see king-kin ring-red thing-think her-he this-is brother-sister son-daughter never-nerve brother-broth
    corner-corn hundred-hunt morning-evening sword-word car-road water-fire day-night forest-fore number-numb
    love-hate before-after first-last buy-sell ask-answer live-die
"""


def pairs(text: str) -> list[tuple[str, str]]:
    return [(one, other) for one, _, other in (pair.partition("-") for pair in text.split())]


@pytest.mark.parametrize(("one", "other"), pairs(FORMS + SYNONYMS))
def test_these_match(one: str, other: str) -> None:
    assert are_synonyms(one, other)
    assert are_synonyms(other, one)


@pytest.mark.parametrize(("one", "other"), pairs(STRANGERS))
def test_these_do_not(one: str, other: str) -> None:
    assert not are_synonyms(one, other)
    assert not are_synonyms(other, one)


def test_groups_are_clean() -> None:
    assert len(GROUPS) > 4000
    for group in GROUPS:
        assert len(group) >= 2, group
        assert len(set(group)) == len(group), f"a word twice in {group}"
        assert all(re.fullmatch(r"[a-z]{2,}|[0-9]+(st|nd|rd)?", word) for word in group), group


def test_no_group_is_part_of_another_and_no_headword_has_two_lines() -> None:
    counts = Counter(frozenset(group) for group in GROUPS)
    assert [group for group, count in counts.items() if count > 1] == []
    holding: dict[str, list[frozenset[str]]] = {}
    for group in counts:
        for word in group:
            holding.setdefault(word, []).append(group)
    assert [group for group in counts for other in holding[min(group)] if group < other] == []
    lines = files("yarnstick.text").joinpath("synonyms.txt").read_text("ascii").splitlines()
    heads = Counter(line.split(": ")[0] for line in lines if line and not line.startswith("#"))
    assert [head for head, count in heads.items() if count > 1] == []


def test_every_group_holds_for_all_its_words() -> None:
    for number, group in enumerate(GROUPS):
        assert all(number in groups_of(word) for word in group)
        assert all(are_synonyms(one, other) and are_synonyms(other, one) for one, other in combinations(group, 2))


def test_no_word_is_lost_in_a_heap() -> None:
    # A lexicon in which "get" matches everything would be of no use.
    met: dict[str, set[str]] = {word: set() for word in WORDS}
    for group in GROUPS:
        for word in group:
            met[word].update(group)
    assert max(map(len, met.values())) < 60
    assert sum(map(len, met.values())) / len(met) < 8


def test_unknown_words_belong_nowhere() -> None:
    for word in ("", "a", "zzyzx", "'s", "中文", "😀", "ings", "ed", "ing", "s" * 5000):
        assert groups_of(word) == frozenset()
    assert are_synonyms("zzyzx", "zzyzx")


# Base forms. Of "singe", "plane" and "breath" none may be taken for the base of "singing" and the like.

KNOWN = """
    walk hope hop try tie watch go box house fall pass sing singe change taste breathe breath visit agree handle plan
    plane offer big nice happy tall fireman gentleman use see
"""


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("walks", "walk"), ("walked", "walk"), ("walking", "walk"), ("hoped", "hope"), ("hoping", "hope"),
        ("hopped", "hop"), ("hopping", "hop"), ("tries", "try"), ("tried", "try"), ("trying", "try"), ("ties", "tie"),
        ("tied", "tie"), ("tying", "tie"), ("watches", "watch"), ("goes", "go"), ("boxes", "box"), ("houses", "house"),
        ("falling", "fall"), ("passed", "pass"), ("singing", "sing"), ("changing", "change"), ("tasted", "taste"),
        ("breathing", "breathe"), ("visiting", "visit"), ("agreed", "agree"), ("handled", "handle"),
        ("planned", "plan"), ("offered", "offer"), ("bigger", "big"), ("nicest", "nice"), ("happier", "happy"),
        ("taller", "tall"), ("firemen", "fireman"), ("gentlemen", "gentleman"), ("using", "use"), ("seeing", "see"),
    ],
)  # fmt: skip
def test_regular_base_forms(form: str, base: str) -> None:
    assert base_forms(form, frozenset(KNOWN.split())) == (base,)


def test_words_that_only_look_like_forms() -> None:
    known = frozenset(WORDS)
    for word in ("news", "evening", "during", "mother", "number", "hundred", "ceiling", "this", "his", "bus", "glass",
                 "yes", "red", "king", "thing", "forest", "her", "ever", "perhaps", "always", "is" * 2):  # fmt: skip
        assert base_forms(word, known) == (), word


def test_forms_of_two_words_have_both_bases() -> None:
    assert base_forms("better", frozenset()) == ("good", "well")
    assert base_forms("leaves", frozenset({"leave", "leaf"})) == ("leaf", "leave")
    assert base_forms("axes", frozenset({"axe"})) == ("axis", "axe")
    assert base_forms("found", frozenset({"found", "find"})) == ("find",)


# Irregular verbs.


@pytest.mark.parametrize(
    ("base", "past", "participle"),
    [
        ("go", "went", "gone"), ("be", "was", "been"), ("have", "had", "had"), ("do", "did", "done"),
        ("see", "saw", "seen"), ("eat", "ate", "eaten"), ("write", "wrote", "written"), ("lie", "lay", "lain"),
        ("lay", "laid", "laid"), ("put", "put", "put"), ("begin", "began", "begun"), ("buy", "bought", "bought"),
        ("forget", "forgot", "forgotten"), ("understand", "understood", "understood"), ("learn", "learned", "learned"),
        ("wake", "woke", "woken"), ("swim", "swam", "swum"), ("overcome", "overcame", "overcome"),
    ],
)  # fmt: skip
def test_the_commoner_form_comes_first(base: str, past: str, participle: str) -> None:
    verb = irregular_verbs()[base]
    assert (verb.base, verb.past[0], verb.participle[0]) == (base, past, participle)


def test_irregular_tables_are_clean() -> None:
    assert len(irregular_verbs()) > 220
    for form, bases in bases_of_irregular_form().items():
        assert re.fullmatch("[a-z]{2,}", form)
        assert form not in bases
        assert all(re.fullmatch("[a-z]{2,}", base) for base in bases)
    for base, verb in irregular_verbs().items():
        for form in {*verb.past, *verb.participle} - {base}:
            assert base in bases_of_irregular_form()[form]


def test_irregular_verbs_against_lemminflect() -> None:
    # A dictionary made by others; of two forms in use it often names only one, which must be among ours.
    lemminflect = pytest.importorskip("lemminflect", reason="lemminflect is not installed")
    theirs_is_wrong = {"bestride", "broadcast", "forecast"}  # "betrode", and only the rare "broadcasted", "forecasted"
    differing = [
        (verb.base, forms, theirs)
        for verb in irregular_verbs().values()
        for tag, forms in (("VBD", verb.past), ("VBN", verb.participle))
        if verb.base not in theirs_is_wrong
        and set(theirs := lemminflect.getInflection(verb.base, tag)).isdisjoint(forms)
    ]
    assert differing == []


def test_nothing_is_read_before_it_is_needed() -> None:
    import subprocess

    code = (
        "import sys, yarnstick.metrics.meteor_score, yarnstick.text.synonym_groups as groups\n"
        "sys.exit(groups.synonym_groups.cache_info().currsize)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
