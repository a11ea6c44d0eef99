"""``robustness`` on stories: what each change does to scores that can be worked out by hand."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli
from scipy import stats

import yarnstick as ys
from yarnstick.robust.damaged import damaged, pool_of, truncated
from yarnstick.robust.harmless import HARMLESS, contracted, dashes, expanded, quotes, synonyms
from yarnstick.robust.suite import Line, StoryRobustness, versions
from yarnstick.text.sentences import sentences
from yarnstick.union.perturb import read_recipe


@pytest.fixture(scope="module")
def good() -> list[ys.Story]:
    """The bundled stories that are not damaged to begin with; each is its own reference."""
    return [
        ys.Story(id=story.id, text=story.text, prompt=story.prompt, references=(story.text,), system=story.system)
        for story in ys.sample()
        if story.system == "good"
    ]


@pytest.fixture(scope="module")
def found(good: list[ys.Story]) -> StoryRobustness:
    metrics = ["length", "repetition", "counts", "chrf", "novelty"]
    return ys.robustness(good, metrics, techniques=["repetition", "reordering", "truncation"])


def line(found: StoryRobustness, metric: str, test: str, change: str, degree: int) -> Line:
    (one,) = [x for x in found.of(metric) if (x.test, x.change, x.degree) == (test, change, degree)]
    return one


def test_length_falls_when_stories_are_cut_short(found: StoryRobustness, good: list[ys.Story]) -> None:
    before = np.array(ys.score(good, "length")["Text length"])
    for degree in (1, 2, 3):
        cut = [truncated(story.text, 3)[degree - 1] for story in good]
        after = np.array(ys.score(cut, "length")["Text length"])
        one = line(found, "Text length", "damage", "truncation", degree)
        assert (one.stories, one.value) == (len(good), 1.0)
        assert one.shift == pytest.approx((before - after).mean(), rel=1e-12)
        assert one.shift_in_deviations == pytest.approx((before - after).mean() / before.std(ddof=1), rel=1e-12)
        u = stats.mannwhitneyu(before, after).statistic
        assert one.auc == pytest.approx(u / len(good) ** 2, abs=1e-12)
        assert one.auc_low < one.auc <= one.auc_high
    gradient = line(found, "Text length", "degrees", "truncation", 0)
    assert (gradient.value, gradient.low, gradient.high) == (-1, -1, -1)
    assert line(found, "Text length", "damage", "reordering", 2).value == 0


def test_repetition_rises_when_sentences_come_again(found: StoryRobustness) -> None:
    """Lower is better in it, so that its turned score falls."""
    for degree in (2, 3):
        one = line(found, "Repetition-3", "damage", "repetition", degree)
        assert (one.direction, one.value) == ("lower", 1.0)
        assert one.shift > 0
    assert line(found, "Repetition-3", "degrees", "repetition", 0).value < -0.8
    # Other orders of the same sentences have the same words.
    assert line(found, "Repetition-1", "damage", "reordering", 1).value == 0


def test_a_metric_of_references_notices_all_damage_and_all_typography(found: StoryRobustness) -> None:
    for change in ("repetition", "reordering", "truncation"):
        one = line(found, "chrF", "damage", change, 1)
        assert (one.value, one.auc) == (1.0, 1.0)
    assert line(found, "chrF", "harmless", "quotes", 1).value == 0
    # chrF leaves white space out.
    assert line(found, "chrF", "harmless", "spaces", 1).value == 1


def test_counting_words_overlooks_typography(found: StoryRobustness) -> None:
    for change in ("quotes", "spaces", "line breaks"):
        one = line(found, "Words", "harmless", change, 1)
        assert (one.value, one.shift) == (1.0, 0.0)
    # Two spaces are a token more in HANNA's text length.
    assert line(found, "Text length", "harmless", "spaces", 1).value < 0.1


def test_prompts_stay(found: StoryRobustness, good: list[ys.Story]) -> None:
    """Novelty is counted against the prompt: without it there would be no score at all."""
    one = line(found, "Novelty-1", "damage", "truncation", 1)
    cut = [{"story": truncated(s.text, 3)[0], "prompt": s.prompt} for s in good]
    before, after = (np.array(ys.score(x, "novelty")["Novelty-1"]) for x in (good, cut))
    assert one.value == pytest.approx((after < before).mean())


def test_tables_and_rows_say_the_same(found: StoryRobustness) -> None:
    text = found.table()
    one = line(found, "Repetition-3", "damage", "repetition", 1)
    assert f"{one.value:.2f} [{one.low:.2f} {one.high:.2f}]" in text
    # The metric that tells damage best comes first.
    summary = text.split("\n\n")[0].splitlines()
    assert summary[2].startswith("chrF")
    table = found.to_arrow()
    assert table.num_rows == len(found.lines)
    assert table.column("metric").to_pylist() == [x.metric for x in found.lines]
    assert any("dashes" in note for note in found.notes)  # there is none in the sample


def test_the_same_seed_gives_the_same_versions(good: list[ys.Story]) -> None:
    one, again, other = (list(versions(good[:4], ["negation"], degrees=2, seed=seed)) for seed in (1, 1, 2))
    assert one == again
    assert one[0].texts != other[0].texts


def test_every_degree_is_the_one_before_and_more(good: list[ys.Story]) -> None:
    texts = [story.text for story in good]
    for technique in ("repetition", "reordering", "negation"):
        for text, made in zip(
            texts, damaged(texts, technique, read_recipe("wide"), pool_of(texts, 1), degrees=3, seed=1), strict=True
        ):
            whole = [sum(a == b for a, b in zip(sentences(text), sentences(new), strict=False)) for new in made]
            assert whole == sorted(whole, reverse=True)
            assert len({text, *made}) == len(made) + 1


def test_truncation_leaves_something() -> None:
    story = "One came. Two came. Three came. Four came. Five came."
    assert [len(sentences(text)) for text in truncated(story, 3)] == [4, 3, 2]
    assert truncated("One came. Two came.", 3) == ["One came."]
    assert truncated("One came.", 3) == []


@pytest.mark.parametrize(
    ("change", "text", "changed"),
    [
        (quotes, "\"Don't,\" said ('x') Ann. \"'Twas\"", "“Don’t,” said (‘x’) Ann. “‘Twas”"),
        (quotes, "“Don’t,” she said.", "\"Don't,\" she said."),
        (dashes, "Well... no -- or yes --- maybe", "Well… no — or yes --- maybe"),
        (dashes, "Well… no — yes", "Well... no -- yes"),
        (HARMLESS["spaces"], "He came.  He saw. He left.\n\nThe end.", "He came.  He saw.  He left.\n\nThe end."),
        (HARMLESS["line breaks"], "Mr. Fox came. He left.", "Mr. Fox came.\nHe left."),
        (expanded, "I'm sure it can’t be. He's gone. DON'T. Let's go.", "I am sure it cannot be. He's gone. DON'T. Let us go."),
        (contracted, "I am here. We will not go. Did not you? I have tea. Are you here? We are.", "I'm here. We'll not go. Didn't you? I have tea. Are you here? We are."),
        (contracted, "He will not, and he could not see.", "He'll not, and he couldn't see."),
        (synonyms, "Suddenly MOM yelled at the kid's dog.", "All at once MOM shouted at the kid's dog."),
    ],
)  # fmt: skip
def test_harmless_changes_by_hand(change, text: str, changed: str) -> None:
    assert change(text) == changed


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_changes_keep_the_sentences(name: str, good: list[ys.Story]) -> None:
    for text in ("", "…", "'", '"', "   ", *(story.text for story in good)):
        assert len(sentences(HARMLESS[name](text))) == len(sentences(text))


def test_expanding_undoes_contracting(good: list[ys.Story]) -> None:
    long = [expanded(story.text) for story in good]
    assert [expanded(contracted(text)) for text in long] == long


def test_the_command_prints_and_writes(cli: Cli, tmp_path: Path, good: list[ys.Story], found: StoryRobustness) -> None:
    rows = [{"id": s.id, "prompt": s.prompt, "reference": s.text, "system": s.system, "story": s.text} for s in good]
    path = tmp_path / "stories.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = cli("robustness", path, "-m", "length,chrf", "--techniques", "truncation", "-o", tmp_path / "rows.csv")
    assert done.returncode == 0, done.stderr
    assert "no story could be changed by: dashes" in done.stderr
    with (tmp_path / "rows.csv").open(encoding="utf-8") as stream:
        written = {(row["metric"], row["test"], row["change"], row["degree"]): row for row in csv.DictReader(stream)}
    one = line(found, "Text length", "damage", "truncation", 2)
    assert float(written["Text length", "damage", "truncation", "2"]["shift"]) == one.shift
    assert f"{one.auc:.2f} [{one.auc_low:.2f} {one.auc_high:.2f}]" in done.stdout


@pytest.mark.parametrize(
    ("text", "arguments", "says"),
    [
        ("A. B.\nC. D.", ("--techniques", "burning"), "there is no technique 'burning'"),
        ("A. B.\nC. D.", ("--harmless", "blurring"), "there is no harmless change 'blurring'"),
        ("", (), "is empty"),
        ("One came. It left.", (), "give two stories or more"),
        ("hm\nhm", ("--techniques", "reordering"), "no story could be changed in any way"),
    ],
    ids=["technique", "harmless", "none", "one", "nothing to change"],
)
def test_what_a_user_gets_wrong_is_one_line(
    cli: Cli, tmp_path: Path, text: str, arguments: tuple[str, ...], says: str
) -> None:
    path = tmp_path / "stories.txt"
    path.write_text(text, encoding="utf-8")
    done = cli("robustness", path, "-m", "length", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_score_that_never_moves_has_no_gradient(found: StoryRobustness) -> None:
    one = line(found, "Sentences", "degrees", "reordering", 0)
    assert (one.stories, math.isnan(one.value)) == (0, True)
