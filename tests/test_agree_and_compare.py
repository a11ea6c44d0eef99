"""``agree`` and ``compare`` as a user meets them: in Python and on the command line, with what goes wrong."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import yarnstick as ys
from yarnstick.agreement.ceiling import empirical_ceiling
from yarnstick.agreement.correlation import at_level
from yarnstick.agreement.intervals import bootstrap
from yarnstick.agreement.leaders import better
from yarnstick.agreement.raters import one_against_rest
from yarnstick.agreement.resampled import draw_prompts
from yarnstick.stories.scores import Scores

SYSTEMS, PROMPTS, RATERS = ("ant", "bee", "cow", "doe"), 12, ("r1", "r2", "r3")


@pytest.fixture(scope="module")
def judged() -> tuple[list[dict[str, object]], list[dict[str, object]], np.ndarray, np.ndarray]:
    """Stories of four systems with a metric that knows their quality, one that is noise, and three raters."""
    rng = np.random.default_rng(5)
    quality = np.array([0.0, 0.4, 0.8, 1.2])[:, None] + rng.normal(0, 0.5, (4, PROMPTS))
    good, noise = quality + rng.normal(0, 0.3, quality.shape), rng.normal(size=quality.shape)
    rows, ratings, human = [], [], np.zeros(quality.shape)
    for s, system in enumerate(SYSTEMS):
        for p in range(PROMPTS):
            id = f"{system}-{p}"
            rows.append(
                {"id": id, "system": system, "prompt_id": str(p), "good": good[s, p], "bad": -good[s, p], "noise": noise[s, p],
                 "flat": 3.0, "Text length": float(20 + (7 * s + 5 * p) % 11), "Repetition-3": float((s + p) % 5)}
            )  # fmt: skip
            given = np.clip(np.round(3 + quality[s, p] + rng.normal(0, 0.4, 3)), 1, 5)
            human[s, p] = given.mean()
            ratings += [
                {"story": id, "criterion": "quality", "rater": name, "value": value}
                for name, value in zip(RATERS, given, strict=True)
            ]
    return rows, ratings, np.stack([good, noise]), human


def score_table(rows: list[dict[str, object]], **directions: str) -> Scores:
    import pyarrow as pa

    table = pa.Table.from_pylist(rows)
    for place, name in enumerate(table.column_names):
        if name in directions:
            field = table.schema.field(name).with_metadata({"direction": directions[name]})
            table = table.set_column(place, field, table.column(name))
    return Scores(table)


def test_agreement_is_the_coefficient_at_each_level(judged):
    rows, ratings, metrics, human = judged
    found = ys.agree(
        score_table(rows, good="higher", bad="lower"), ys.read_ratings(ratings), kinds=("kendall", "pearson")
    )
    lines = {(line.metric, line.level, line.kind): line for line in found.lines}
    by_prompt = [stats.kendalltau(metrics[0, :, p], human[:, p]).statistic for p in range(PROMPTS)]
    assert lines["good", "story", "kendall"].agreement == pytest.approx(np.nanmean(by_prompt), abs=1e-12)
    system = stats.pearsonr(metrics[0].mean(axis=1), human.mean(axis=1)).statistic
    assert lines["good", "system", "pearson"].agreement == pytest.approx(system, abs=1e-12)
    # A lower-is-better metric is turned, so a mirror image agrees as well as the original.
    assert lines["bad", "story", "kendall"].agreement == lines["good", "story", "kendall"].agreement
    assert lines["bad", "story", "kendall"].direction == "lower"
    for line in found.lines:
        if line.metric in ("good", "noise") and line.level == "story":
            assert line.low < line.agreement < line.high
            assert line.units == PROMPTS
    assert lines["good", "story", "kendall"].cluster == 1
    assert lines["noise", "story", "kendall"].cluster == 2
    assert lines["flat", "story", "kendall"].cluster == 0
    assert math.isnan(lines["flat", "story", "kendall"].agreement)
    assert any("flat gives every story 3" in note for note in found.notes)


def test_the_honest_rows_are_always_there(judged):
    rows, ratings, _, _ = judged
    found = ys.agree(score_table(rows), ys.read_ratings(ratings))
    by_role = {line.role: line for line in found.lines if line.level == "story"}
    assert set(by_role) == {"metric", "length", "repetition", "one rater", "ceiling"}
    # One rater against the mean of the two others, averaged over the raters.
    given = np.array([row["value"] for row in ratings], dtype=float).reshape(4, PROMPTS, 3)
    each = []
    for rater in range(3):
        rest = np.delete(given, rater, axis=2).mean(axis=2)
        taus = [stats.kendalltau(given[:, p, rater], rest[:, p]).statistic for p in range(PROMPTS)]
        each.append(np.nanmean(taus))
    assert by_role["one rater"].agreement == pytest.approx(np.mean(each), abs=1e-9)
    assert by_role["one rater"].agreement < by_role["ceiling"].agreement <= 1
    text = found.table("story", "kendall")
    assert text.index("good") < text.index("noise") < text.index("Text length") < text.index("ceiling")


def test_length_and_repetition_come_from_the_stories_where_the_table_lacks_them(judged):
    rows, ratings, _, _ = judged
    bare = [{key: row[key] for key in ("id", "system", "prompt_id", "good")} for row in rows]
    without = ys.agree(score_table(bare), ys.read_ratings(ratings), draws=50)
    assert any("--stories" in note for note in without.notes)
    stories = [
        {"id": row["id"], "system": row["system"], "prompt_id": row["prompt_id"], "story": "word " * (3 + place % 9)}
        for place, row in enumerate(rows)
    ]
    found = ys.agree(score_table(bare), ys.read_ratings(ratings), stories=stories[::-1], draws=50)
    assert not any("--stories" in note for note in found.notes)
    length = next(line for line in found.lines if line.role == "length" and line.level == "system")
    means = np.array([3 + place % 9 for place in range(48)], dtype=float).reshape(4, PROMPTS).mean(axis=1)
    given = np.array([row["value"] for row in ratings], dtype=float).reshape(4, PROMPTS * 3).mean(axis=1)
    assert length.agreement == pytest.approx(stats.kendalltau(means, given).statistic, abs=1e-12)


def test_leaders_use_a_paired_t_test_over_prompts(judged):
    _, _, metrics, human = judged
    from yarnstick.agreement.correlation import per_prompt, story_level

    found = story_level(metrics, human[None], "pearson").mean
    p = better(metrics, human[None], "pearson", "story", found)[0]
    each = per_prompt(metrics, human[None], "pearson")[:, 0]
    shared = ~np.isnan(each).any(axis=0)
    wanted = stats.ttest_rel(each[0, shared], each[1, shared], alternative="greater").pvalue
    assert p[0, 1] == pytest.approx(wanted, rel=1e-9)
    assert np.isnan(p[1, 0])


def test_without_systems_the_agreement_is_pooled():
    rng = np.random.default_rng(1)
    human = rng.integers(0, 8, 40) / 7
    rows = [{"id": str(i), "m": float(h + rng.normal(0, 0.2))} for i, h in enumerate(human)]
    ratings = [{"story": str(i), "criterion": "overall", "rater": "a", "value": h} for i, h in enumerate(human)]
    found = ys.agree(score_table(rows), ys.read_ratings(ratings), kinds=("spearman",), draws=100)
    assert found.levels == ("pooled",)
    line = next(line for line in found.lines if line.metric == "m")
    assert line.agreement == pytest.approx(stats.spearmanr([row["m"] for row in rows], human).statistic, abs=1e-12)
    assert line.units == 40
    assert any("one rating a story" in note for note in found.notes)


@pytest.fixture(scope="module")
def sampled() -> tuple[list[dict[str, object]], list[dict[str, object]], np.ndarray, np.ndarray]:
    """Three stories of each of four systems for each of eight prompts: metric and people are (4, 8, 3)."""
    rng = np.random.default_rng(3)
    quality = np.arange(4)[:, None, None] / 3 + rng.normal(0, 0.5, (4, 8, 3))
    metric = quality + rng.normal(0, 0.4, quality.shape)
    given = np.clip(np.round(3 + quality[..., None] + rng.normal(0, 0.5, (4, 8, 3, 2))), 1, 5)
    rows, ratings = [], []
    for s, p, k in np.ndindex(quality.shape):
        id = f"{SYSTEMS[s]}-{p}-{k}"
        rows.append({"id": id, "system": SYSTEMS[s], "prompt_id": str(p), "m": float(metric[s, p, k])})
        ratings += [
            {"story": id, "criterion": "quality", "rater": f"r{r}", "value": given[s, p, k, r]} for r in range(2)
        ]
    return rows, ratings, metric, given.mean(axis=-1)


def test_several_stories_of_a_system_for_a_prompt(sampled):
    rows, ratings, metric, human = sampled
    levels = ("story", "system", "pooled", "within-system")
    found = ys.agree(score_table(rows), ys.read_ratings(ratings), levels=levels, kinds=("pearson",), draws=400)
    lines = {line.level: line for line in found.lines if line.metric == "m"}
    r = lambda a, b: stats.pearsonr(np.ravel(a), np.ravel(b)).statistic  # noqa: E731
    wanted = {
        "story": np.mean([r(metric[:, p], human[:, p]) for p in range(8)]),  # all twelve stories of a prompt
        "system": r(metric.mean(axis=(1, 2)), human.mean(axis=(1, 2))),
        "pooled": r(metric, human),
        "within-system": np.mean([r(metric[s], human[s]) for s in range(4)]),
    }
    for level, value in wanted.items():
        assert lines[level].agreement == pytest.approx(value, abs=1e-12)
    assert [lines[level].units for level in levels] == [8, 4, 96, 4]
    assert (found.stories, found.prompts) == (96, 8)
    assert any(
        "up to 3 stories for a prompt" in note
        for note in ys.agree(score_table(rows), ys.read_ratings(ratings), draws=20).notes
    )
    # Prompts are drawn, with all their stories: as if each system's three stories were one, their mean.
    span = bootstrap(metric.mean(axis=2)[None], human.mean(axis=2)[None], "pearson", "system", draws=400)
    assert lines["system"].low == pytest.approx(span.low[0, 0], abs=1e-12)
    assert lines["system"].high == pytest.approx(span.high[0, 0], abs=1e-12)
    compared = ys.compare(score_table(rows, m="higher"), "doe", "ant").lines[0]
    assert (compared.prompts, compared.better) == (8, "doe")
    assert compared.difference == pytest.approx((metric[3] - metric[0]).mean(), abs=1e-12)


def test_one_system_with_several_stories_for_a_prompt_has_a_story_level(sampled):
    rows, ratings, metric, human = sampled
    found = ys.agree(score_table(rows[:24]), ys.read_ratings(ratings), draws=50)
    assert found.levels == ("story",)
    taus = [stats.kendalltau(metric[0, p], human[0, p]).statistic for p in range(8)]
    line = next(line for line in found.lines if line.metric == "m")
    assert line.agreement == pytest.approx(np.nanmean(taus), abs=1e-12)


def test_all_stories_of_one_prompt_are_drawn_one_by_one(sampled):
    rows, ratings, metric, human = sampled
    one_prompt = [{**row, "system": "ant", "prompt_id": "0"} for row in rows]
    found = ys.agree(score_table(one_prompt), ys.read_ratings(ratings), kinds=("pearson",), draws=200)
    line = next(line for line in found.lines if line.metric == "m")
    span = bootstrap(metric.reshape(1, 1, -1), human.reshape(1, 1, -1), "pearson", "pooled", draws=200)
    assert (found.levels, line.units) == (("pooled",), 96)
    assert (line.low, line.high) == pytest.approx((span.low[0, 0], span.high[0, 0]), abs=1e-12)


def test_the_interval_of_one_rater_is_a_bootstrap_over_prompts(judged):
    _, ratings, _, _ = judged
    given = np.array([row["value"] for row in ratings], dtype=float).reshape(1, 4, PROMPTS, 3)
    for level in ("story", "system"):
        found = empirical_ceiling(given, "pearson", level, draws=300, seed=4)
        weights = draw_prompts(PROMPTS, 300, 4).astype(int)
        drawn = np.array([one_against_rest(np.repeat(given, row, axis=2), "pearson", level).mean() for row in weights])
        low, high = np.nanquantile(drawn, [0.025, 0.975])
        assert (found.one_rater_low[0], found.one_rater_high[0]) == pytest.approx((low, high), abs=1e-9)
        assert found.one_rater_low[0] < found.one_rater[0] < found.one_rater_high[0]


@pytest.mark.parametrize("kind", ["kendall-c", "pairwise-accuracy"])
def test_what_has_no_partial_coefficient_has_nothing_given_length(judged, kind):
    rows, ratings, metrics, human = judged
    found = ys.agree(score_table(rows), ys.read_ratings(ratings), kinds=(kind,), levels=("story",), draws=20)
    line = next(line for line in found.lines if line.metric == "good")
    assert math.isnan(line.given_length)
    assert line.agreement == pytest.approx(at_level(metrics[:1], human[None], kind, "story")[0, 0], abs=1e-12)


def test_which_way_is_better_can_be_said_where_the_table_does_not(judged):
    rows, ratings, _, _ = judged
    plain = ys.agree(score_table(rows), ys.read_ratings(ratings), draws=20)
    assert any("no column says which way is better" in note for note in plain.notes)
    told = ys.agree(score_table(rows), ys.read_ratings(ratings), lower=["bad"], draws=20)
    assert not any("which way is better" in note for note in told.notes)
    bad = {line.level: line.agreement for line in told.lines if line.metric == "bad"}
    good = {line.level: line.agreement for line in told.lines if line.metric == "good"}
    assert bad == good
    with pytest.raises(ys.InputError, match="no column 'worse'"):
        ys.agree(score_table(rows), ys.read_ratings(ratings), lower=["worse"])


def test_ratings_that_say_nothing_are_told(judged):
    rows, ratings, _, _ = judged
    apart = [row for place, row in enumerate(ratings) if place % 3 == place // 3 % 3]  # three raters, one a story
    found = ys.agree(score_table(rows), ys.read_ratings(apart), draws=20)
    assert found.raters == 3
    assert {line.role for line in found.lines} == {"metric", "length", "repetition"}
    assert any("one rating a story" in note for note in found.notes)
    alike = ys.agree(score_table(rows), ys.read_ratings([{**row, "value": 3} for row in ratings]), draws=20)
    assert any("every story's mean quality is 3" in note for note in alike.notes)
    assert all(math.isnan(line.agreement) for line in alike.lines)


def test_only_the_metrics_that_are_named_are_tested(judged):
    rows, ratings, _, _ = judged
    endless = [{**row, "noise": math.inf} for row in rows]
    with pytest.raises(ys.InputError, match=r"'noise' gives infinite values.*leave it out \(-m good,bad,…\)"):
        ys.agree(score_table(endless), ys.read_ratings(ratings))
    found = ys.agree(score_table(endless), ys.read_ratings(ratings), metrics=["good"], levels=["story"], draws=20)
    assert [line.metric for line in found.lines] == ["good", "Text length", "Repetition-3", "one rater", "ceiling"]
    whole = ys.agree(score_table(rows), ys.read_ratings(ratings), levels=["story"], draws=20)
    assert found.lines[0] == next(line for line in whole.lines if line.metric == "good")
    with pytest.raises(ys.InputError, match="the rating is inf, not a number"):
        ys.read_ratings([{**ratings[0], "value": math.inf}])


def test_pooled_ranks_count_only_stories_that_are_there():
    """Two systems that share no prompt leave half of the cube empty, which must not make a test surer."""
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(2, 1, 30)), rng.normal(size=(1, 1, 30))
    x[0] += y[0]
    apart = np.full((3, 2, 30), np.nan)
    apart[:2, 0, :15], apart[:2, 1, 15:] = x[:, 0, :15], x[:, 0, 15:]
    apart[2, 0, :15], apart[2, 1, 15:] = y[0, 0, :15], y[0, 0, 15:]
    found = at_level(x, y, "pearson", "pooled")
    np.testing.assert_allclose(
        better(apart[:2], apart[2:], "pearson", "pooled", found), better(x, y, "pearson", "pooled", found), rtol=1e-9
    )


def test_compare_says_which_differences_are_real(judged):
    rows, _, metrics, _ = judged
    found = ys.compare(score_table(rows, good="higher", bad="lower", noise="higher"), "doe", "ant")
    lines = {line.metric: line for line in found.lines}
    difference = metrics[0, 3] - metrics[0, 0]
    assert lines["good"].difference == pytest.approx(difference.mean(), abs=1e-12)
    assert lines["good"].low < lines["good"].difference < lines["good"].high
    assert lines["good"].better == lines["bad"].better == "doe"
    assert lines["good"].words == "doe is really better"
    assert lines["noise"].words == "may be chance"
    assert lines["flat"].words == "no difference"
    assert lines["Text length"].better == ""
    exact = stats.permutation_test(
        (difference, np.zeros(PROMPTS)), lambda a, b, axis: (a - b).mean(axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=np.inf,
    ).pvalue  # fmt: skip
    assert lines["good"].p == pytest.approx(exact, rel=1e-9)
    assert found.summary().startswith("doe is really better on 2 metrics, ant on 0")
    swapped = {line.metric: line for line in ys.compare(score_table(rows, good="higher"), "ant", "doe").lines}
    assert swapped["good"].difference == -lines["good"].difference
    assert swapped["good"].better == "doe"


@pytest.fixture
def files(tmp_path: Path, judged) -> tuple[Path, Path]:
    rows, ratings, _, _ = judged
    score_table(rows, good="higher", bad="lower").write(tmp_path / "scores.parquet")
    write_csv(tmp_path / "ratings.csv", ratings)
    return tmp_path / "scores.parquet", tmp_path / "ratings.csv"


def write_csv(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_the_commands_print_and_write_the_same_numbers(files, cli, tmp_path):
    scores, ratings = files
    done = cli("agree", scores, ratings, "--kind", "kendall", "--scale", "1:5", "-o", tmp_path / "agreement.csv")
    assert done.returncode == 0, done.stderr
    assert "story level, Kendall's tau-b" in done.stdout
    assert "ceiling" in done.stdout
    with (tmp_path / "agreement.csv").open() as stream:
        written = {(row["metric"], row["level"]): row for row in csv.DictReader(stream)}
    found = ys.agree(scores, ratings, scale=(1, 5))
    for line in found.lines:
        if line.metric == "good":
            assert float(written["good", line.level]["agreement"]) == line.agreement
            assert f"{line.agreement:.3f}" in done.stdout
    done = cli("compare", scores, "doe", "ant", "-o", tmp_path / "difference.jsonl")
    assert done.returncode == 0, done.stderr
    assert "doe is really better on 2 metrics, ant on 0" in done.stdout
    assert '"metric": "good"' in (tmp_path / "difference.jsonl").read_text()


@pytest.mark.parametrize(
    ("spoil", "arguments", "says"),
    [
        (lambda rows: [{**row, "story": f"x{row['story']}"} for row in rows], (), "share no story id"),
        (lambda rows: [*rows, rows[0]], (), "twice"),
        (lambda rows: [{**rows[0], "value": 9}, *rows[1:]], ("--scale", "1:5"), "not on the scale of 1 to 5"),
        (lambda rows: [row for row in rows if row["story"][:3] in ("ant", "bee")], ("--level", "system"), "needs 3 systems"),
        (lambda rows: rows, ("--criteria", "beauty"), "there is no column 'beauty'"),
        (lambda rows: rows, ("--kind", "tau"), "choose from: pearson, spearman, kendall"),
        (lambda rows: rows, ("--without", "elk"), "there is no system 'elk'"),
    ],
    ids=["no shared ids", "rated twice", "off the scale", "two systems", "criterion", "kind", "system"],
)  # fmt: skip
def test_what_a_user_gets_wrong_is_one_line(files, cli, judged, tmp_path, spoil, arguments, says):
    scores, _ = files
    write_csv(tmp_path / "wrong.csv", spoil(judged[1]))
    done = cli("agree", scores, tmp_path / "wrong.csv", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_two_systems_that_share_nothing_cannot_be_compared(judged):
    rows = [{**row, "prompt_id": f"{row['system']}{row['prompt_id']}"} for row in judged[0]]
    with pytest.raises(ys.InputError, match="0 prompts in common"):
        ys.compare(score_table(rows), "ant", "bee")
    with pytest.raises(ys.InputError, match=r"no system 'elk' \(systems: ant, bee, cow, doe\)"):
        ys.compare(score_table(judged[0]), "ant", "elk")


def test_soft_pairwise_accuracy_is_of_systems_alone(judged):
    from yarnstick.agreement.soft_accuracy import soft_pairwise_accuracy

    rows, ratings, metrics, human = judged
    found = ys.agree(
        score_table(rows, bad="lower"), ys.read_ratings(ratings), kinds=("kendall", "soft-pairwise-accuracy")
    )
    soft = {line.metric: line for line in found.lines if line.kind == "soft-pairwise-accuracy"}
    wanted = soft_pairwise_accuracy(metrics, human[None])[:, 0]
    assert soft["good"].agreement == pytest.approx(wanted[0], abs=1e-12)
    assert soft["bad"].agreement == pytest.approx(wanted[0], abs=1e-12)
    assert soft["noise"].agreement == pytest.approx(wanted[1], abs=1e-12)
    assert {line.level for line in soft.values()} == {"system"}
    assert 0.5 < soft["one rater"].agreement <= 1
    assert found.table().count("soft pairwise accuracy (over the systems' means") == 1
