"""Score tables and ratings as cubes: where every value goes, and what is said when something does not fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from yarnstick.agreement.correlation import at_level, pooled
from yarnstick.agreement.cube import Cube, cube_of_ratings, cube_of_scores, join
from yarnstick.agreement.samples import laid_out
from yarnstick.errors import InputError
from yarnstick.reproduce.hanna_metrics import read_published
from yarnstick.stories.corpora import corpus
from yarnstick.stories.ratings import Ratings
from yarnstick.stories.scores import ScoreColumn, Scores

NAN = float("nan")


def scores_of(rows: list[tuple], columns: dict[str, str]) -> Scores:
    """Rows of (id, system, prompt, values …); columns are name -> direction."""
    names = ["id", "system", "prompt_id"]
    fields = [pa.field(name, pa.string()) for name in names]
    fields += [ScoreColumn(name, "sig", way, None, None, "").field() for name, way in columns.items()]
    values = list(zip(*rows, strict=True))
    return Scores(
        pa.Table.from_arrays(
            [pa.array(v, f.type) for v, f in zip(values, fields, strict=True)], schema=pa.schema(fields)
        )
    )


def ratings_of(rows: list[tuple]) -> Ratings:
    """Rows of (story, rater, criterion, value) and, where given, system and prompt."""
    names = ("story", "rater", "criterion", "value", "system", "prompt_id")
    return Ratings.of(dict(zip(names, row, strict=False)) for row in rows)


#: unbalanced: the system b tells only prompt 1
SCORES = scores_of(
    [
        ("s1", "a", "1", 0.5, 10.0),
        ("s2", "a", "2", 0.6, None),
        ("s3", "b", "1", 0.1, 30.0),
        ("s4", "c", "2", 0.9, 40.0),
        ("s5", "c", "1", 0.8, 50.0),
    ],
    {"chrf": "higher", "ppl": "lower"},
)


def test_every_score_has_its_place() -> None:
    cube = cube_of_scores(SCORES)
    assert cube.columns == ("chrf", "ppl")
    assert cube.systems == ("a", "b", "c")
    assert cube.prompts == ("1", "2")
    assert cube.directions == ("higher", "lower")
    np.testing.assert_array_equal(cube.values, [[[0.5, 0.6], [0.1, NAN], [0.8, 0.9]], [[10, NAN], [30, NAN], [50, 40]]])
    np.testing.assert_array_equal(cube.row("ppl"), cube.values[1])
    np.testing.assert_array_equal(cube.flat()[0], [0.5, 0.6, 0.1, NAN, 0.8, 0.9])


def test_columns_and_systems_can_be_chosen_and_turned() -> None:
    cube = cube_of_scores(SCORES)
    turned = cube.oriented()
    np.testing.assert_array_equal(turned.values, [cube.values[0], -cube.values[1]])
    assert turned.directions == ("higher", "higher")
    np.testing.assert_array_equal(turned.oriented().values, turned.values)
    less = cube.select(["ppl", "chrf"]).without("b")
    assert (less.columns, less.systems, less.directions) == (("ppl", "chrf"), ("a", "c"), ("lower", "higher"))
    np.testing.assert_array_equal(less.values, cube.values[::-1, [0, 2]])
    with pytest.raises(InputError, match=r"no column 'bleu' \(columns: chrf, ppl\)"):
        cube.select(["bleu"])
    with pytest.raises(InputError, match=r"no system 'Human' \(systems: a, b, c\)"):
        cube.without("Human")
    with pytest.raises(ValueError, match="cannot hold"):
        Cube(("x",), ("a",), ("1",), np.zeros((1, 1, 2)), ("higher",))


def test_stories_without_prompts_are_their_own_and_without_systems_are_of_one() -> None:
    no_prompts = cube_of_scores(scores_of([("i", "a", None, 1.0), ("j", "b", None, 2.0)], {"m": "higher"}))
    assert (no_prompts.systems, no_prompts.prompts) == (("a", "b"), ("i", "j"))
    np.testing.assert_array_equal(no_prompts.values[0], [[1, NAN], [NAN, 2]])
    bare = Scores(pa.table({"id": ["i", "j", "k"], "m": [1.0, 2.0, 3.0]}))
    cube = cube_of_scores(bare)
    assert (cube.systems, cube.prompts, cube.directions) == (("",), ("i", "j", "k"), ("neutral",))
    joined = join(bare, ratings_of([("k", "x", "Fun", 9), ("i", "x", "Fun", 4), ("j", "x", "Fun", 5)]))
    np.testing.assert_array_equal(joined.humans.values, [[[4, 5, 9]]])
    assert pooled(joined.metrics.values, joined.humans.values, "spearman")[0, 0] == 1.0
    for level in ("story", "system"):
        with pytest.raises(InputError, match=f"the {level} level needs 3 systems or more, there is 1"):
            at_level(joined.metrics.values, joined.humans.values, "pearson", level)


def test_a_prompt_and_a_story_may_bear_the_same_name() -> None:
    cube = cube_of_scores(scores_of([("1", "a", None, 1.0), ("2", "a", "1", 2.0)], {"m": "higher"}))
    np.testing.assert_array_equal(cube.values, [[[1, 2]]])


def test_ratings_are_means_over_whoever_rated() -> None:
    cube = cube_of_ratings(
        ratings_of(
            [
                ("s1", "ann", "Fun", 1, "a", "1"),
                ("s1", "bob", "Fun", 2, "a", "1"),
                ("s1", "cy", "Fun", 2, "a", "1"),
                ("s3", "bob", "Fun", 5, "b", "1"),
                ("s3", "bob", "Logic", 4, "b", "1"),
                ("s2", "cy", "Fun", 3, "a", "2"),
            ]
        ),
        scale=(1, 5),
    )
    assert (cube.columns, cube.systems, cube.prompts) == (("Fun", "Logic"), ("a", "b"), ("1", "2"))
    assert cube.rater_names == ("ann", "bob", "cy")
    np.testing.assert_array_equal(cube.values, [[[5 / 3, 3], [5, NAN]], [[NAN, NAN], [4, NAN]]])
    np.testing.assert_array_equal(cube.raters[0, 0], [[1, 2, 2], [NAN, NAN, 3]])
    assert cube.select(["Logic"]).without("a").raters.shape == (1, 1, 2, 3)


def test_scores_and_ratings_meet_by_story_id() -> None:
    ratings = ratings_of([("s5", "x", "Fun", 5), ("s1", "x", "Fun", 2), ("s1", "y", "Fun", 3), ("s9", "x", "Fun", 1)])
    joined = join(SCORES, ratings)
    assert joined.metrics.systems == joined.humans.systems == ("a", "c")  # nothing of b was rated
    assert joined.metrics.prompts == joined.humans.prompts == ("1",)
    np.testing.assert_array_equal(joined.metrics.values, [[[0.5], [0.8]], [[10], [50]]])
    np.testing.assert_array_equal(joined.humans.values, [[[2.5], [5]]])
    assert (joined.shared, joined.only_scored, joined.only_rated) == (2, 3, 1)


def test_unrated_stories_among_rated_ones_are_gaps() -> None:
    joined = join(SCORES, ratings_of([("s2", "x", "Fun", 5), ("s3", "x", "Fun", 2)]))
    np.testing.assert_array_equal(joined.humans.values, [[[NAN, 5], [2, NAN]]])
    np.testing.assert_array_equal(joined.metrics.values[0], [[NAN, 0.6], [0.1, NAN]])


def test_ids_that_come_again_under_each_system_are_told_apart_by_it() -> None:
    scores = scores_of([("1", "a", None, 1.0), ("1", "b", None, 2.0), ("2", "a", None, 3.0)], {"m": "higher"})
    ratings = ratings_of([("1", "x", "Fun", 4, "b"), ("1", "x", "Fun", 5, "a"), ("2", "x", "Fun", 3, "a")])
    joined = join(scores, ratings)
    np.testing.assert_array_equal(joined.metrics.values, [[[1, 3], [2, NAN]]])
    np.testing.assert_array_equal(joined.humans.values, [[[5, 3], [4, NAN]]])
    np.testing.assert_array_equal(cube_of_ratings(ratings).values[0, 1], [5, 3])


def test_no_shared_id_names_both_sides() -> None:
    with pytest.raises(InputError) as told:
        join(SCORES, ratings_of([("story-1", "x", "Fun", 4), ("story-2", "x", "Fun", 4)]))
    assert str(told.value) == (
        "the scores and the ratings share no story id (scores: 's1', 's2', 's3', …; ratings: 'story-1', 'story-2') "
        "(ids must be spelled alike on both sides)"
    )


@pytest.mark.parametrize("read", [cube_of_ratings, lambda ratings: join(SCORES, ratings)])
def test_a_rater_twice_on_one_story_is_named(read) -> None:
    ratings = ratings_of([("s1", "ann", "Fun", 4), ("s1", "bob", "Fun", 4), ("s1", "ann", "Fun", 5)])
    with pytest.raises(InputError, match="'ann' rated the Fun of story 's1' twice"):
        read(ratings)


def test_a_rating_off_the_scale_is_named() -> None:
    ratings = ratings_of([("s1", "ann", "Fun", 4), ("s3", "bob", "Fun", 55)])
    for read in (lambda: cube_of_ratings(ratings, scale=(1, 5)), lambda: join(SCORES, ratings, scale=(1, 5))):
        with pytest.raises(
            InputError, match="'bob' rated the Fun of story 's3' 55, which is not on the scale of 1 to 5"
        ):
            read()
    assert cube_of_ratings(ratings).values.max() == 55


def test_several_stories_of_a_system_for_a_prompt_stand_side_by_side() -> None:
    rows = [
        ("i", "a", "1", 1.0),
        ("j", "a", "1", 2.0),
        ("k", "b", "2", 3.0),
        ("l", "b", "1", 4.0),
        ("m", "b", "1", 5.0),
    ]
    cube = cube_of_scores(scores_of(rows, {"m": "higher"}))
    assert (cube.systems, cube.prompts, cube.samples) == (("a", "b"), ("1", "2"), 2)
    np.testing.assert_array_equal(cube.values[0], [[1, 2, NAN, NAN], [4, 5, 3, NAN]])
    np.testing.assert_array_equal(laid_out(cube.values, 2, "story")[0], [[1, NAN], [2, NAN], [4, 3], [5, NAN]])
    assert laid_out(cube.values, 2, "system") is cube.values
    # Only the second story of a is rated: there is one story a cell, and no second column.
    joined = join(scores_of(rows, {"m": "higher"}), ratings_of([("j", "ann", "Fun", 4), ("l", "ann", "Fun", 2)]))
    assert joined.metrics.samples == joined.humans.samples == 1
    np.testing.assert_array_equal(joined.metrics.values[0], [[2], [4]])
    np.testing.assert_array_equal(joined.humans.raters[0, :, :, 0], [[4], [2]])


def test_what_contradicts_itself_is_named() -> None:
    with pytest.raises(InputError, match="the scores have the story 'i' twice"):
        cube_of_scores(scores_of([("i", "a", "1", 1.0), ("i", "a", "2", 2.0)], {"m": "higher"}))
    with pytest.raises(InputError, match="'s1' is of system 'a' in the scores and of 'b' in the ratings"):
        join(SCORES, ratings_of([("s1", "ann", "Fun", 4, "b")]))
    with pytest.raises(
        InputError, match="put the story 's1' under system 'a', prompt '1' and under system 'a', prompt '2'"
    ):
        cube_of_ratings(ratings_of([("s1", "ann", "Fun", 4, "a", "1"), ("s1", "bob", "Fun", 4, "a", "2")]))
    again = scores_of([("1", "a", None, 1.0), ("1", "b", None, 2.0)], {"m": "higher"})
    with pytest.raises(InputError, match=r"several systems \('1'\), and the ratings name none"):
        join(again, ratings_of([("1", "ann", "Fun", 4)]))


def test_hannas_ratings_are_its_published_criteria(data_folder: Path) -> None:
    hanna = corpus("hanna", data_folder / "hanna")
    assert hanna.ratings is not None
    cube = cube_of_ratings(hanna.ratings, scale=(1, 5))
    published, systems = read_published(data_folder / "hanna" / "metric_scores.csv")
    assert cube.systems == tuple(systems)
    assert cube.raters.shape == (6, 11, 96, 3)
    np.testing.assert_array_equal(cube.values, np.array([published[name] for name in cube.columns]))
    np.testing.assert_array_equal(cube_of_ratings(hanna.ratings, as_published=True).values, cube.values)
    assert len(cube.without("Human").systems) == 10
