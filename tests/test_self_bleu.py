"""Self-BLEU against sacreBLEU with all other stories of the system as references."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

import yarnstick as ys
from yarnstick.errors import MetricError

TEXT = """the a fox hen sat ran on mat wood and , . don't 3.5 "hi" it's e-mail 10-12 é 鹅 🦆 so then old"""
WORDS = TEXT.split()


def random_text(rng: random.Random, longest: int = 30) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(0, longest)))


def expected(records: list[dict[str, str]], order: int = 4) -> list[float | None]:
    """What sacreBLEU gives, each story against the others with its system's name."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    oracle = metrics.BLEU(max_ngram_order=order, effective_order=True)
    scores: list[float | None] = []
    for place, record in enumerate(records):
        others = [
            other["story"]
            for at, other in enumerate(records)
            if at != place and other.get("system") == record.get("system")
        ]
        scores.append(oracle.sentence_score(record["story"], others).score if others else None)
    return scores


def check(records: list[dict[str, str]], metric: str = "self-bleu", order: int = 4) -> None:
    ours = ys.score(records, metric)["Self-BLEU"]
    for mine, theirs in zip(ours, expected(records, order), strict=True):
        assert mine == (None if theirs is None else pytest.approx(theirs, abs=1e-9))


def test_by_hand() -> None:
    stories = ["a b c d", "a b x y", "a b c z"]
    scores = ys.score([{"story": story, "system": "s"} for story in stories], "self-bleu")["Self-BLEU"]
    # a b c d: a b c of the third, a-b b-c, a-b-c, and no 4-gram: 3/4 2/3 1/2, and (1/2)/1 for the last
    assert scores[0] == pytest.approx(100 * (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** (1 / 4))
    # a b x y: a b, a-b, then nothing: 2/4 1/3 (1/2)/2 (1/4)/1
    assert scores[1] == pytest.approx(100 * (2 / 4 * 1 / 3 * 1 / 4 * 1 / 4) ** (1 / 4))
    assert scores[2] == pytest.approx(scores[0])


def test_a_count_is_clipped_by_the_most_in_one_other_story() -> None:
    # "go" four times here, three times there, once elsewhere: three count, not four of all others together
    stories = ["go go go go", "go go go x", "go y z w"]
    scores = ys.score(stories, "self-bleu:order=1")["Self-BLEU"]
    assert scores[0] == pytest.approx(100 * 3 / 4)
    assert scores[1] == pytest.approx(100 * 3 / 4)
    assert scores[2] == pytest.approx(100 * 1 / 4)


@pytest.mark.parametrize("seed", range(20))
def test_random_sets_of_several_systems(seed: int) -> None:
    rng = random.Random(seed)
    systems = ["one", "two", "three", "gpt-2 (tag)"]
    records = [{"story": random_text(rng), "system": rng.choice(systems)} for _ in range(rng.randint(1, 30))]
    check(records)


@pytest.mark.parametrize("seed", range(10))
def test_sets_with_copies(seed: int) -> None:
    rng = random.Random(100 + seed)
    pool = [random_text(rng, 12) for _ in range(4)]
    check([{"story": rng.choice(pool), "system": rng.choice("ab")} for _ in range(15)])


@pytest.mark.parametrize("seed", range(10))
def test_lengths_equally_near(seed: int) -> None:
    """Few lengths, so that a shorter and a longer story are often equally near, or one is just as long."""
    rng = random.Random(200 + seed)
    lengths = rng.choice([[5], [4, 6], [3, 5, 7], [2, 5, 8, 9]])
    check([{"story": " ".join(rng.choices(WORDS[:8], k=rng.choice(lengths))), "system": "s"} for _ in range(12)])


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_other_orders(order: int) -> None:
    rng = random.Random(order)
    check([{"story": random_text(rng), "system": "s"} for _ in range(25)], f"self-bleu:order={order}", order)


def test_stories_of_the_bundled_sample() -> None:
    records = [{"story": story.text, "system": story.system or ""} for story in ys.sample()]
    assert len({record["system"] for record in records}) == 5
    check(records)


def test_real_stories(data_folder: Path) -> None:
    path = data_folder / "stories" / "rocstories.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        stories = [" ".join(json.loads(line)["sentences"]) for line, _ in zip(lines, range(120), strict=False)]
    check([{"story": story, "system": f"s{place % 3}"} for place, story in enumerate(stories)])


def test_the_only_story_of_its_system_has_none() -> None:
    records = [{"story": "a b c", "system": "x"}, {"story": "a b c", "system": "y"}, {"story": "a b", "system": "y"}]
    scores = ys.score(records, "self-bleu")["Self-BLEU"]
    assert scores[0] is None
    assert None not in scores[1:]


def test_copies_are_a_hundred() -> None:
    assert ys.score(["the fox sat on the mat"] * 3, "self-bleu")["Self-BLEU"] == pytest.approx([100.0] * 3)


def test_stories_without_a_system_are_one_system() -> None:
    check([{"story": "a b c d e"}, {"story": "a b c e d"}, {"story": "x b c"}])


def test_order_of_the_stories_batches_and_workers_change_nothing() -> None:
    rng = random.Random(7)
    records = [{"story": random_text(rng), "system": rng.choice("abc"), "id": str(at)} for at in range(60)]
    whole = dict(zip(range(60), ys.score(records, "self-bleu")["Self-BLEU"], strict=True))
    shuffled = rng.sample(range(60), 60)
    moved = ys.score([records[at] for at in shuffled], "self-bleu", batch_size=7)["Self-BLEU"]
    assert dict(zip(shuffled, moved, strict=True)) == whole
    assert ys.score(records, "self-bleu", workers=2)["Self-BLEU"] == list(whole.values())


def test_a_story_more_makes_another_signature(tmp_path: Path) -> None:
    """What is kept for a set is not used for a larger one: every score may have changed."""
    stories = ["a b c d", "a b x y"]
    before = ys.score(stories, "self-bleu", store=tmp_path)
    after = ys.score([*stories, "a b c z"], "self-bleu", store=tmp_path)
    assert before.columns["Self-BLEU"].signature != after.columns["Self-BLEU"].signature
    assert after["Self-BLEU"] == ys.score([*stories, "a b c z"], "self-bleu")["Self-BLEU"]
    assert before["Self-BLEU"][0] < after["Self-BLEU"][0]


def test_a_senseless_order_is_refused() -> None:
    with pytest.raises(MetricError, match="option order cannot be 0"):
        ys.score(["a", "b"], "self-bleu:order=0")
