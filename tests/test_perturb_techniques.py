"""Each technique on sentences small enough to say what must come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from stories_to_perturb import STORIES

from yarnstick.text.parts_of_speech import readings
from yarnstick.union.perturb import RECIPES, CannotPerturb, Pool, Recipe, damage, restored
from yarnstick.union.perturb.draft import Draft, Slot
from yarnstick.union.perturb.endings import generic
from yarnstick.union.perturb.keywords import article_fixed, keyword_places
from yarnstick.union.perturb.people import adopt, cast

POOL = Pool(STORIES, 0)


def outcomes(story: str, technique: str, tries: int = 300, pool: Pool = POOL, **fields: object) -> set[str]:
    """Everything a technique makes of a story."""
    values = {"lead": "free", "wordnet": False, **fields}
    recipe = replace(RECIPES["wide"], counts=(1.0,), weights=((technique, 1.0),), **values)  # type: ignore[arg-type]
    return {damage(story, recipe, Random(seed), pool).text for seed in range(tries)}


WORDS_ONLY = {"substitute_words": 1.0, "word_share": (0.0, 0.0)}


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        ("He sold it.", "He bought it."),
        ("She sells it.", "She buys it."),
        ("They were selling it.", "They were buying it."),
        ("It was worse.", "It was better."),
        ("Sold!", "Bought!"),
    ],
)
def test_a_word_becomes_its_opposite_in_the_form_that_fits(story: str, expected: str) -> None:
    assert outcomes(story, "substitution", **WORDS_ONLY) == {expected}


def test_articles_follow_the_new_word() -> None:
    assert article_fixed("He saw a cat.", 9, "owl") == (7, 8, "an")
    assert article_fixed("An owl came.", 3, "cat") == (0, 2, "A")
    assert article_fixed("He saw an owl.", 10, "user") == (7, 9, "a")
    assert article_fixed("He saw the owl.", 11, "cat") is None
    pool = Pool(["apple orange egg onion umbrella elephant island uncle engine ear " * 3])
    made = outcomes("There is a spoon.", "substitution", pool=pool, **WORDS_ONLY)
    assert made == {f"There is an {word}." for word in ["apple", "orange", "egg", "onion", "umbrella", "elephant", "island", "uncle", "engine", "ear"]}  # fmt: skip


def test_words_without_an_opposite_become_words_of_the_same_kind() -> None:
    for text in outcomes("The spoons were there.", "substitution", **WORDS_ONLY):
        (word,) = set(text.removesuffix(".").split()) - {"The", "were", "there"}
        assert any(reading.tag == "NNS" for reading in readings()[word]), word


def test_names_and_placeholders_are_no_keywords() -> None:
    assert [place for place in keyword_places("The dog ate it.")] == [1, 2]
    with pytest.raises(CannotPerturb):
        outcomes("[MALE].", "negation")
    assert all("[MALE]" in text for text in outcomes("[MALE] sold it .", "substitution", **WORDS_ONLY))


def test_conceptnet_where_the_user_points_to_it(tmp_path: Path) -> None:
    path = tmp_path / "antonyms.txt"
    path.write_text("spoon|||/r/Antonym|||fork knife\nspoon|||/r/NotDesires|||rain\n")
    made = outcomes("The spoons were there.", "substitution", conceptnet=str(path), **WORDS_ONLY)
    assert made == {"The forks were there.", "The knives were there."}  # rain has no plural
    made = outcomes("The spoon was there.", "substitution", conceptnet=str(path), **WORDS_ONLY)
    assert made == {f"The {word} was there." for word in ("fork", "knife", "rain")}


def test_conceptnet_as_released(data_folder: Path) -> None:
    path = str(data_folder / "lexicon" / "conceptnet_antonym.txt")
    made = outcomes("The hunter was there.", "substitution", conceptnet=path, **WORDS_ONLY)
    assert "The prey was there." in made or "The gatherer was there." in made or "The hunted was there." in made
    with pytest.raises(Exception, match="cannot be read as ConceptNet"):
        outcomes("The spoon was there.", "substitution", conceptnet="nowhere.txt", **WORDS_ONLY)


def test_a_sentence_of_another_story() -> None:
    others = ["The goose left.", "The fox came."]
    made = outcomes("He slept. She sang.", "substitution", pool=Pool(others), substitute_words=0.0, related=0.0)
    assert made == {f"{other} She sang." for other in others} | {f"He slept. {other}" for other in others}


def test_a_related_sentence_shares_a_noun() -> None:
    pool = Pool(["The goose left.", "The fox came.", "My sister sings."])
    made = outcomes("A fox slept. It was late.", "substitution", pool=pool, substitute_words=0.0, related=1.0)
    assert made == {"The fox came. It was late.", "A fox slept. The fox came."}


def test_strangers_take_the_names_of_the_story() -> None:
    story = "Anna met Tom. Binh was there."
    assert cast(story) == {"Anna": "FEMALE", "Tom": "MALE", "Binh": "NEUTRAL"}
    assert {adopt("Mary saw John.", story, Random(seed)) for seed in range(50)} == {
        f"{woman} saw {man}." for woman in ("Anna", "Binh") for man in ("Tom", "Binh") if woman != man
    }
    assert adopt("The dog left.", story, Random(1)) == "The dog left."


@pytest.mark.parametrize(
    ("story", "technique", "expected"),
    [
        ("He left.", "pronouns", {"She left."}),
        ("She fed her dog.", "pronouns", {"He fed his dog.", "She fed his dog."}),
        ("Tom saw her.", "pronouns", {"Tom saw him."}),
        ("We lost our way.", "pronouns", {"They lost their way.", "We lost their way."}),
        ("I lost my way.", "pronouns", {"He lost his way.", "She lost her way.", "I lost his way.", "I lost her way."}),
        ("He went home.", "tense", {"He will go home.", "He goes home."}),
        ("They were happy.", "tense", {"They will be happy.", "They are happy."}),
        ("I got up and left.", "tense", {"I will get up and will leave.", "I get up and leave."}),
        ("He left because he was sad.", "connectives", None),
        ("The boy fed the dog.", "entities", {"The dog fed the boy."}),
    ],
)  # fmt: skip
def test_small_techniques(story: str, technique: str, expected: set[str] | None) -> None:
    made = outcomes(story, technique)
    if expected is None:
        rest = {text for text in made if text.startswith("He left ")}
        assert rest == {f"He left {other} he was sad." for other in ("although", "until", "before")}
        assert "However, he left because he was sad." in made
        assert all(text.endswith((", he left because he was sad.", "he was sad.")) for text in made)
    else:
        assert made == expected


def test_pronouns_stay_where_the_verb_would_have_to_change() -> None:
    for story in ("I am here.", "I have a dog.", "I know."):
        with pytest.raises(CannotPerturb):
            outcomes(story, "pronouns", tries=1)


def test_people_are_swapped() -> None:
    made = outcomes("Anna met Tom.", "entities")
    assert made == {"Tom met Tom.", "Anna met Anna."}
    strangers = outcomes("Anna sang.", "entities")
    assert len(strangers) > 5
    assert all(text.endswith(" sang.") and text != "Anna sang." for text in strangers)


def test_endings() -> None:
    made = outcomes("He was sad. He ate.", "ending", tries=2000, sentences_a_place=0.0)
    assert all(text.startswith("He was sad. ") for text in made)
    assert {"He was sad. He had a great time.", "He was sad. Anna named the dog Biscuit."} <= made
    made = {generic("My wife and I went to sea. We sang.", Random(seed)) for seed in range(300)}
    assert not any(word in text.split() for text in made for word in ("He", "She", "her", "they"))


def test_truncation() -> None:
    made = outcomes("He was sad. He ate. She sang a long song to the red cat.", "truncation")
    assert "He was sad. He ate." in made
    rest = made - {"He was sad. He ate."}
    assert rest
    assert all("He was sad. He ate. She sang a long song to the red cat.".startswith(text) for text in rest)


def test_edits_on_edits_keep_their_places() -> None:
    slot = Slot("He went home and ate.", 0)
    slot.replace(3, 7, "did not go", "negation")
    slot.replace(23, 26, "slept", "substitution")
    slot.replace(7, 10, "always", "tense")
    assert slot.text == "He did always go home and slept."
    assert slot.changes == ((3, 16, 3, 7, "negation+tense"), (26, 31, 17, 20, "substitution"))
    slot.replace(2, 32, ".", "truncation")
    assert slot.changes == ((2, 3, 2, 21, "negation+tense+substitution+truncation"),)


def test_an_edit_undone_is_none() -> None:
    slot = Slot("He went home.", 0)
    slot.replace(3, 7, "did not go", "negation")
    slot.replace(3, 13, "went", "negation")
    assert (slot.text, slot.changes) == ("He went home.", ())


def test_a_sentence_taken_away_goes_with_the_white_space_before_it() -> None:
    draft = Draft("One. Two.\n\nThree. Four.", 0)
    draft.slots[2].put("", "truncation")
    draft.slots[3].put("", "truncation")
    negative = draft.finished()
    assert negative.text == "One. Two."
    assert restored(negative) == "One. Two.\n\nThree. Four."


@pytest.mark.parametrize("make", [lambda: Pool([]), lambda: Recipe("none", counts=(0.5,))])
def test_what_makes_no_sense(make: Callable[[], object]) -> None:
    with pytest.raises(Exception, match=r"no stories|counts are"):
        make()
