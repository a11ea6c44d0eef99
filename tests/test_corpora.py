"""The corpora: every released layout in small, and the real data where it is."""

from __future__ import annotations

import csv
import gc
import gzip
import hashlib
import json
import os
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from corpora_in_small import (
    HANNA_COLUMNS,
    HANNA_ROWS,
    MANS,
    PROMPTS,
    ROC_CLOZE,
    ROC_TRAIN,
    STORIES,
    pack,
    values,
    write_hanna,
    write_prompts,
    write_union,
)

from yarnstick.errors import InputError
from yarnstick.stories.corpora import corpora, corpus, sample
from yarnstick.stories.corpora.hanna import CRITERIA
from yarnstick.stories.problems import Problems

# --- cards -----------------------------------------------------------------------------------------------------


def test_every_corpus_of_the_plan_has_a_complete_card() -> None:
    cards = corpora()
    assert list(cards) == [
        "sample", "hanna", "union-roc", "union-wp", "mans-roc", "mans-wp", "rocstories", "writingprompts",
    ]  # fmt: skip
    for name, card in cards.items():
        assert card.name == name
        assert all((card.title, card.summary, card.paper, card.licence, card.holds["stories"], card.files))
        assert card.how_to_get
        for file in card.files:
            assert file.url or file.how_to_get
            assert not file.url or file.evidence, "an address comes with what is known of its checksum"
            assert len(file.sha256) in (0, 64)
            assert file.url.startswith("https://") or not file.url


def test_an_unknown_corpus_and_an_unknown_split_name_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no corpus 'hana' \(did you mean 'hanna'\? corpora: sample, hanna"):
        corpus("hana")
    with pytest.raises(InputError, match=r"hanna has no split 'train' \(it has none"):
        corpus("hanna", split="train")
    with pytest.raises(InputError, match=r"no split 'dev' \(its splits: train, valid, test\)"):
        corpus("writingprompts", split="dev")


def test_the_sample_is_bundled() -> None:
    stories = list(sample())
    assert len(stories) == 80
    assert Counter(story.system for story in stories) == dict.fromkeys(
        ["good", "repetitive", "incoherent", "contradictory", "off-prompt"], 16
    )
    assert all(len(story.references) == 2 and story.prompt for story in stories)
    opened = corpus("sample", fetch=False, cache="/nowhere")
    assert opened.ratings is None
    assert [story.id for story in opened.stories] == [story.id for story in stories]


# --- HANNA -----------------------------------------------------------------------------------------------------


def test_hanna_as_released_has_a_row_a_rater(tmp_path: Path) -> None:
    write_hanna(tmp_path, HANNA_ROWS)
    opened = corpus("hanna", tmp_path)
    told = [(s.id, s.system, s.prompt_id, s.prompt, s.text, s.references) for s in opened.stories]
    assert told == [
        ("0", "Human", "0", "A goose, lost", "It was\n\nlost.", ("It was\n\nlost.",)),
        ("1", "Human", "1", "A door", "It shut.", ("It shut.",)),
        ("2", "HINT", "0", "A goose, lost", 'It "sang".', ("It was\n\nlost.",)),
    ]
    assert opened.ratings is not None
    assert len(opened.ratings) == 5 * 6
    first = opened.ratings.to_arrow().to_pylist()[0]
    assert first == {
        "story": "0", "criterion": "Relevance", "rater": "W1", "value": 5.0, "system": "Human", "prompt_id": "0",
    }  # fmt: skip
    assert values(opened.ratings, "Complexity") == {"0": [5, 4], "1": [1, 2], "2": [3]}
    # A row without a worker is that story's second.
    assert opened.ratings.raters == ["W1", "W2", "2", "W3"]


def test_hanna_may_be_compressed_or_in_a_file_named_directly(tmp_path: Path) -> None:
    plain = write_hanna(tmp_path, HANNA_ROWS)
    packed = tmp_path / "packed" / "hanna_stories_annotations.csv.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    for place in (packed.parent, packed, plain):
        opened = corpus("hanna", place)
        assert len(opened.stories) == 3
        assert len(opened.ratings or ()) == 30


@pytest.mark.parametrize(
    ("row", "column", "cell", "message"),
    [
        (2, "Coherence", "9", "the Coherence rating is '9', not a number from 1 to 5"),
        (2, "Coherence", "", "the Coherence rating is ''"),
        (3, "Story", "Another.", "the story '1' is not the one of line 12"),
        (2, "Story ID", "", "the Story ID is empty"),
        (2, None, None, "has 14 fields where the header has 15"),
    ],
)
def test_a_bad_hanna_row_is_refused_with_its_line_or_skipped(
    tmp_path: Path, row: int, column: str | None, cell: str, message: str
) -> None:
    rows = [list(row) for row in HANNA_ROWS]
    if column is None:
        rows[row].pop()
    else:
        rows[row][HANNA_COLUMNS.index(column)] = cell
    path = write_hanna(tmp_path, rows)
    # A header, then two rows with two stories of three lines each: the third row stands on line 12.
    line = {2: 12, 3: 13}[row]
    with pytest.raises(InputError) as caught:
        corpus("hanna", tmp_path)
    assert str(caught.value).startswith(f"{path}:{line}: {message}")
    assert caught.value.remedy
    problems = Problems("skip")
    opened = corpus("hanna", tmp_path, problems=problems)
    assert problems.count == 1
    assert len(opened.ratings or ()) == 4 * 6
    met_again = Problems("skip")
    assert sum(1 for _ in opened.stories.rows(met_again)) == 3
    assert met_again.count == 1, "stories and ratings are read from the same rows"


def test_a_csv_that_is_not_hanna_is_refused_as_a_whole(tmp_path: Path) -> None:
    columns = [name for name in HANNA_COLUMNS if name != "Empathy"]
    write_hanna(tmp_path, [row[:7] + row[8:] for row in HANNA_ROWS], columns)
    with pytest.raises(InputError, match="there is no column 'Empathy'"):
        corpus("hanna", tmp_path, problems=Problems("skip"))
    write_hanna(tmp_path, [])
    with pytest.raises(InputError, match="has no rows"):
        corpus("hanna", tmp_path)


def test_hanna_rearranged_has_a_row_a_story(tmp_path: Path) -> None:
    ratings = {name: [1, 2, 3] for name in CRITERIA}
    rows = [
        {"story_id": 1, "prompt_id": 0, "system": "HINT", "prompt": "p", "story": "s", "ratings": ratings},
        {"story_id": 0, "prompt_id": 0, "system": "Human", "prompt": "p", "story": "h", "ratings": ratings},
    ]
    path = tmp_path / "stories.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    opened = corpus("hanna", tmp_path)
    assert [(s.id, s.prompt_id, s.references) for s in opened.stories] == [("1", "0", ("h",)), ("0", "0", ("h",))]
    assert values(opened.ratings, "Empathy") == {"1": [1, 2, 3], "0": [1, 2, 3]}
    assert opened.ratings is not None
    assert opened.ratings.raters == ["1", "2", "3"]
    path.write_text(json.dumps({**rows[0], "ratings": {"Relevance": [1]}}), "utf-8")
    with pytest.raises(InputError, match=r"stories\.jsonl:1: 'ratings' does not hold a list for each of Relevance"):
        corpus("hanna", tmp_path)


def test_the_real_hanna_equals_its_published_means(data_folder: Path) -> None:
    opened = corpus("hanna", data_folder / "hanna")
    stories = list(opened.stories)
    assert len(stories) == 1056
    assert opened.ratings is not None
    assert len(opened.ratings) == 19_008
    assert all(len(story.references) == 1 for story in stories)
    assert all(story.references == (story.text,) for story in stories if story.system == "Human")
    systems = list(dict.fromkeys(story.system for story in stories))
    with (data_folder / "hanna" / "metric_scores.csv").open(encoding="utf-8", newline="") as stream:
        published = list(csv.DictReader(stream))
    assert len(systems) == len(published) == 11
    for criterion in CRITERIA:
        rated = values(opened.ratings, criterion)
        for system, row in zip(systems, published, strict=True):
            means = [sum(rated[story.id]) / 3 for story in stories if story.system == system]
            assert means == pytest.approx(json.loads(row[criterion]), abs=1e-12), (system, criterion)


# --- UNION -----------------------------------------------------------------------------------------------------


def test_union_roc_joins_votes_error_types_references_and_prompts(tmp_path: Path) -> None:
    write_union(tmp_path)
    opened = corpus("union-roc", tmp_path)
    told = [(s.id, s.prompt_id, s.prompt, s.text, s.references) for s in opened.stories]
    assert told == [
        ("1", "1", "it rained .", "it rained . he left .", ("it rained . she ran .",)),
        ("0", "0", "she sang .", "she sang . it rained .", ("she sang . all cheered .",)),
    ]
    assert values(opened.ratings, "reasonable") == {"1": [0, 1, 1, 0, 1, 1, 1], "0": [1] * 7}
    assert values(opened.ratings, "chaotic scenes") == {"1": [1, 0, 0, 0, 0, 0, 0], "0": [0] * 7}
    assert values(opened.ratings, "poor coherence") == {"1": [0, 0, 0, 1, 0, 0, 0], "0": [0] * 7}
    assert values(opened.ratings, "repeated plots") == {"1": [0] * 7, "0": [0] * 7}
    assert opened.ratings is not None
    assert opened.ratings.raters == [str(rater) for rater in range(1, 8)]


def test_union_is_found_in_a_clone_and_does_without_the_optional_files(tmp_path: Path) -> None:
    write_union(tmp_path / "Data" / "ROCStories" / "ant_data")
    for place in (tmp_path, tmp_path / "Data", tmp_path / "Data" / "ROCStories"):
        assert len(corpus("union-roc", place).stories) == 2
    for name in ("ant_data_all.txt", "reference.txt", "reference_ipt.txt"):
        (tmp_path / "Data" / "ROCStories" / "ant_data" / name).unlink()
    opened = corpus("union-roc", tmp_path)
    assert [(s.prompt, s.references) for s in opened.stories] == [(None, ()), (None, ())]
    assert opened.ratings is not None
    assert opened.ratings.criteria == ["reasonable"]


def test_a_story_of_several_contexts_has_all_their_references(tmp_path: Path) -> None:
    write_union(tmp_path)
    (tmp_path / "ant_data_all.txt").unlink()
    (tmp_path / "ant_data.txt").write_text("0///1 ||| a . ||| 1 1 1 1 1 1 1\n", "utf-8")
    (story,) = corpus("union-roc", tmp_path).stories
    assert (story.prompt, story.references) == ("she sang .", ("she sang . all cheered .", "it rained . she ran ."))


def test_union_wp_has_no_error_types_though_it_has_the_file(tmp_path: Path) -> None:
    write_union(tmp_path)
    (tmp_path / "ant_data_all.txt").write_bytes((tmp_path / "ant_data.txt").read_bytes())
    opened = corpus("union-wp", tmp_path)
    assert len(opened.stories) == 2
    assert opened.ratings is not None
    assert opened.ratings.criteria == ["reasonable"]


def test_union_wp_votes_alone_are_ratings_without_stories(tmp_path: Path) -> None:
    (tmp_path / "votes.txt").write_text("76 ||| 0 1 1 0 1 1 1\n10 ||| 1 1 1 0 1 1 0\n", "utf-8")
    opened = corpus("union-wp", tmp_path)
    assert list(opened.stories) == []
    assert values(opened.ratings, "reasonable") == {"76": [0, 1, 1, 0, 1, 1, 1], "10": [1, 1, 1, 0, 1, 1, 0]}
    with pytest.raises(InputError, match="union-roc is not there"):
        corpus("union-roc", tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 ||| it rained . ||| 0 1 1 0 1 1", "has 6 votes where 7 belong"),
        ("1 ||| it rained . ||| 0 1 1 0 1 1 2", "has the vote '2', not a number from 0 to 1"),
        ("1 ||| it rained .", "is not 'id ||| story ||| votes'"),
        ("1", "is not 'id ||| story ||| votes'"),
        ("7 ||| it rained . ||| 0 1 1 0 1 1 1", "the id '7' is no place among the 2 references"),
        ("1 ||| it rained . he left . ||| 1 1 1 0 1 1 1", "the story '1' has another text or other votes"),
    ],
)
def test_a_bad_union_line_is_refused_with_its_line_or_skipped(tmp_path: Path, line: str, message: str) -> None:
    write_union(tmp_path)
    path = tmp_path / "ant_data.txt"
    good = path.read_text("utf-8").splitlines()[1]
    path.write_text(f"{good}\n{line}\n", "utf-8")
    with pytest.raises(InputError) as caught:
        corpus("union-roc", tmp_path)
    assert str(caught.value).startswith(f"{path}:2: {message}")
    assert caught.value.remedy
    problems = Problems("skip")
    opened = corpus("union-roc", tmp_path, problems=problems)
    assert problems.count == 1
    assert [row["id"] for row in opened.stories.rows(Problems("skip"))] == ["0"]
    assert values(opened.ratings, "reasonable") == {"0": [1] * 7}


def test_the_real_union_roc_gives_the_papers_numbers(data_folder: Path) -> None:
    opened = corpus("union-roc", data_folder / "union" / "roc")
    stories = {story.id: story for story in opened.stories}
    reasonable = values(opened.ratings, "reasonable")
    assert len(stories) == len(reasonable) == 400
    assert sum(map(len, reasonable.values())) == 2800
    # Section 3.1: 381 stories are unreasonable to somebody; table 2: how many of those have each error type.
    assert sum(min(votes) == 0 for votes in reasonable.values()) == 381
    shares = {
        name: round(100 * sum(max(v) for v in values(opened.ratings, name).values()) / 381, 1)
        for name in ("repeated plots", "poor coherence", "conflicting logic", "chaotic scenes", "other errors")
    }
    assert list(shares.values()) == [44.1, 56.2, 67.5, 50.4, 12.9]
    # Story and reference share their leading context, so the references are the right ones.
    same_start = sum(s.text.split()[:4] == s.references[0].split()[:4] for s in stories.values())
    assert same_start >= 399


def test_the_pinned_checksums_of_union_are_those_of_the_copy_they_were_taken_from(data_folder: Path) -> None:
    pinned = {file.name: file.sha256 for file in corpora()["union-roc"].files if file.sha256}
    assert set(pinned) == {"reference.txt", "ant_data.txt", "ant_data_all.txt"}
    for name, expected in pinned.items():
        assert hashlib.sha256((data_folder / "union" / "roc" / name).read_bytes()).hexdigest() == expected


def test_the_real_union_wp_votes(data_folder: Path) -> None:
    opened = corpus("union-wp", data_folder / "union" / "wp")
    assert len(opened.stories) == 0
    assert len(values(opened.ratings, "reasonable")) == 200
    assert len(opened.ratings or ()) == 1400


# --- MANS ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mans_roc.json", "data/mans_data/mans_roc.json", "mags_roc.json"])
def test_mans_has_systems_in_prompts(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(MANS), "utf-8")
    opened = corpus("mans-roc", tmp_path)
    told = [(s.id, s.system, s.prompt_id, s.prompt, s.text, s.references) for s in opened.stories]
    gold = ("he fell . he rose .",)
    assert told == [
        ("12-gpt", "gpt", "12", "[MALE] ran .", "he won .", gold),
        ("12-fusion", "fusion", "12", "[MALE] ran .", "he ran . he ran .", gold),
        ("12-new", "new", "12", "[MALE] ran .", "not rated yet .", gold),
        ("3-gpt", "gpt", "3", "It snowed .", "", ("We skied .",)),
    ]
    assert values(opened.ratings, "overall") == {"12-gpt": [5, 4, 3, 4, 5], "12-fusion": [1, 2, 1, 1, 2], "3-gpt": [1]}


@pytest.mark.parametrize(
    ("keys", "value", "message", "left"),
    [
        (("12", "gen", "gpt", "score"), [5, 6], "prompt '12', system 'gpt': the score is 6, not a number", 3),
        (("12", "gen", "gpt", "score"), 5, "prompt '12', system 'gpt': 'score' is not a list", 3),
        (("12", "gen", "gpt"), {"score": [5]}, "prompt '12', system 'gpt': there is no 'text'", 3),
        (("12", "gold_response"), None, "prompt '12': there is no 'gold_response'", 1),
        (("12",), [], "prompt '12': there is no 'prompt'", 1),
    ],
)
def test_a_bad_mans_entry_is_refused_by_its_keys_or_skipped(
    tmp_path: Path, keys: tuple[str, ...], value: Any, message: str, left: int
) -> None:
    data = json.loads(json.dumps(MANS))
    entry = data
    for key in keys[:-1]:
        entry = entry[key]
    entry[keys[-1]] = value
    path = tmp_path / "mans_wp.json"
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(InputError) as caught:
        corpus("mans-wp", tmp_path)
    assert str(caught.value).startswith(f"{path}: {message}")
    problems = Problems("skip")
    opened = corpus("mans-wp", tmp_path, problems=problems)
    assert problems.count == 1
    assert sum(1 for _ in opened.stories.rows(Problems("skip"))) == left


def test_a_cut_mans_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mans_roc.json"
    path.write_text(json.dumps(MANS, indent=1)[:200], "utf-8")
    with pytest.raises(InputError, match=r"mans_roc\.json:\d+: is not JSON"):
        corpus("mans-roc", tmp_path)
    path.write_text("[]", "utf-8")
    with pytest.raises(InputError, match="holds a JSON list where prompts by id belong"):
        corpus("mans-roc", tmp_path)


# --- ROCStories ------------------------------------------------------------------------------------------------


def test_rocstories_as_released(tmp_path: Path) -> None:
    (tmp_path / "ROCStories__spring2016 - ROCStories_spring2016.csv").write_text(ROC_TRAIN, "utf-8")
    (tmp_path / "ROCStories_winter2017.csv.gz").write_bytes(gzip.compress(ROC_TRAIN.replace("a-", "b-").encode()))
    (tmp_path / "cloze_test_val__spring2016 - cloze_test_ALL_val.csv").write_text(ROC_CLOZE, "utf-8")
    (tmp_path / "cloze_test_test__winter2018-cloze_test_ALL_test - 1.csv").write_text("no answers here", "utf-8")
    (tmp_path / "README.txt").write_text("ROCStories", "utf-8")
    opened = corpus("rocstories", tmp_path)
    assert opened.ratings is None
    stories = list(opened.stories)
    assert sorted(story.id for story in stories) == ["a-1", "a-2", "b-1", "b-2"]
    assert [story.text for story in stories if story.id == "a-1"] == [
        "Jo had a test, again. She read. She slept. She wrote it. She passed."
    ]
    assert {story.id: story.prompt for story in stories} == {
        "a-1": "The Test",
        "a-2": None,
        "b-1": "The Test",
        "b-2": None,
    }
    (cloze,) = corpus("rocstories", tmp_path, split="valid").stories
    assert (cloze.id, cloze.text) == ("c-1", "One. Two. Three. Four. Right.")
    assert cloze.extra == {"wrong_ending": "Wrong."}
    with pytest.raises(InputError, match="there is no file of the split 'test'"):
        corpus("rocstories", tmp_path, split="test")


def test_a_cut_rocstories_row_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "ROCStories_winter2017.csv"
    path.write_text(ROC_TRAIN + "a-3,Cut,It was\n", "utf-8")
    with pytest.raises(InputError, match=r"winter2017\.csv:4: has 3 fields where the header has 7"):
        list(corpus("rocstories", tmp_path).stories)
    path.write_text(ROC_TRAIN + "a-3,Cut,One.,Two.,,Four.,Five.\n", "utf-8")
    with pytest.raises(InputError, match=r"winter2017\.csv:4: sentence3 is empty"):
        list(corpus("rocstories", tmp_path).stories)
    problems = Problems("skip")
    assert sum(1 for _ in corpus("rocstories", tmp_path).stories.rows(problems)) == 2
    assert problems.count == 1


def test_rocstories_must_be_asked_for_and_the_error_says_how(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"rocstories is not there .*fill in the form at https://cs\.rochester\.edu"):
        corpus("rocstories", cache=tmp_path)


def test_the_development_rocstories(data_folder: Path) -> None:
    opened = corpus("rocstories", data_folder / "stories")
    assert len(opened.stories) == 54_385
    first = next(iter(opened.stories))
    assert first.text.startswith("The dog jumped up on the bed. I told her")
    assert first.extra == {"form": "raw"}


# --- WritingPrompts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
def test_writingprompts_pairs_its_parallel_files(tmp_path: Path, packed: bool) -> None:
    place = tmp_path / "writingPrompts"
    for split in ("train", "valid", "test"):
        write_prompts(place, split, PROMPTS, STORIES)
    if packed:
        pack(place, tmp_path / "writingPrompts.tar.gz")
        place = tmp_path / "writingPrompts.tar.gz"
    stories = list(corpus("writingprompts", place, split="valid").stories)
    assert [(s.id, s.prompt, s.text) for s in stories] == [
        ("valid-1", "[ WP ] A door\u2028opens .", "It did .\n\nThen it `` shut '' . "),
        ("valid-2", "", "x"),
        ("valid-3", "[ WP ] A door\u2028opens .", ""),
    ]
    assert stories[0].prompt_id == stories[2].prompt_id != stories[1].prompt_id
    everything = corpus("writingprompts", place).stories
    assert [s.id for s in everything] == [f"{split}-{n}" for split in ("train", "valid", "test") for n in (1, 2, 3)]
    assert len(everything) == 9, "it can be read again"


def test_writingprompts_in_a_folder_may_be_unpacked_archived_or_compressed(tmp_path: Path) -> None:
    write_prompts(tmp_path / "a" / "writingPrompts", "test", PROMPTS, STORIES)
    assert len(corpus("writingprompts", tmp_path / "a").stories) == 3
    (tmp_path / "b").mkdir()
    pack(tmp_path / "a" / "writingPrompts", tmp_path / "b" / "writingPrompts.tar.gz")
    assert len(corpus("writingprompts", tmp_path / "b", split="test").stories) == 3
    (tmp_path / "c").mkdir()
    for side, content in (("source", PROMPTS), ("target", STORIES)):
        (tmp_path / "c" / f"test.wp_{side}.gz").write_bytes(gzip.compress(content))
    assert len(corpus("writingprompts", tmp_path / "c").stories) == 3


def test_writingprompts_out_of_step_is_never_skipped(tmp_path: Path) -> None:
    write_prompts(tmp_path, "test", PROMPTS, STORIES.rstrip(b"\n"))
    with pytest.raises(InputError, match=r"test\.wp_target:3: ends before line 3, which its parallel file has"):
        list(corpus("writingprompts", tmp_path).stories.rows(Problems("skip")))
    (tmp_path / "test.wp_source").unlink()
    with pytest.raises(InputError, match=r"there is no test\.wp_source"):
        corpus("writingprompts", tmp_path)
    write_prompts(tmp_path, "test", PROMPTS, STORIES.replace(b"x", b"\xff"))
    with pytest.raises(InputError, match=r"test\.wp_target:2: is not UTF-8 \(byte 0xff at column 1\)"):
        list(corpus("writingprompts", tmp_path).stories)


def test_a_damaged_archive_is_told_by_its_name(tmp_path: Path) -> None:
    write_prompts(tmp_path / "wp", "test", os.urandom(30_000).hex().encode() + b"\n", b"s\n")
    archive = tmp_path / "writingPrompts.tar.gz"
    pack(tmp_path / "wp", archive)
    whole = archive.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"not an archive", whole[:200] + b"\0" * 200 + whole[400:]):
        archive.write_bytes(damaged)
        with pytest.raises(InputError, match=r"writingPrompts\.tar\.gz"):
            list(corpus("writingprompts", archive, split="test").stories)
    archive.write_bytes(whole)
    with pytest.raises(InputError, match=r"writingPrompts\.tar\.gz: holds no train\.wp_source"):
        list(corpus("writingprompts", archive, split="train").stories)


def test_a_reader_that_stops_early_leaves_no_archive_open(tmp_path: Path) -> None:
    write_prompts(tmp_path / "wp", "test", PROMPTS, STORIES)
    pack(tmp_path / "wp", tmp_path / "writingPrompts.tar.gz")
    stories = iter(corpus("writingprompts", tmp_path, split="test").stories)
    assert next(stories).id == "test-1"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del stories
        gc.collect()


def test_the_development_writingprompts(data_folder: Path) -> None:
    opened = corpus("writingprompts", data_folder / "stories")
    assert len(opened.stories) == 3472
    assert next(iter(opened.stories)).id == "wp-0"
    with pytest.raises(InputError, match="has no splits"):
        corpus("writingprompts", data_folder / "stories", split="train")
