"""`yarnstick explain`: its figures follow from scores and token logits, its spans lie on words and sentences."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from test_every_metric import ODD, OTHER, PLAIN
from tiny_union import packed, trained

from yarnstick.text.sentences import sentence_spans
from yarnstick.union.explain import MOST_LEFT_OUT, explain
from yarnstick.union.packed import read_packed
from yarnstick.union.runtime import Runtime, open_runtime

STORY = f"{PLAIN} {OTHER}"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("packed") / "tiny")


@pytest.fixture(scope="module")
def runtime(model: Path) -> Runtime:
    return open_runtime(model)


def test_a_sentence_gains_what_the_score_rises_without_it(runtime: Runtime) -> None:
    explained = explain(runtime, STORY)
    whole = float(runtime.log_odds([STORY])[0])
    assert explained.log_odds == pytest.approx(whole, abs=1e-9)
    assert explained.score == pytest.approx(1 / (1 + math.exp(-whole)), abs=1e-9)
    pieces = [STORY[start:end] for start, end in sentence_spans(STORY)]
    assert len(pieces) == len(explained.sentences) == 4
    for place, sentence in enumerate(explained.sentences):
        assert STORY[sentence.start : sentence.end] == pieces[place]
        without = float(runtime.log_odds([" ".join(pieces[:place] + pieces[place + 1 :])])[0])
        # The last one leaves a space at the end, which no token covers.
        assert sentence.gain == pytest.approx(without - whole, abs=1e-6)
    gains = [sentence.gain for sentence in explained.ranked()]
    assert gains == sorted(gains, reverse=True)
    marked = [span for span in explained.spans if span.kind == "sentence"]
    assert [span.weight for span in marked] == [gain for gain in gains if gain > 0]


def test_in_a_long_story_a_sentence_is_left_out_of_its_window_alone(runtime: Runtime) -> None:
    story = " ".join(f"The goose swam {n} times around the willow island." for n in range(14))
    spans = sentence_spans(story)
    (judged,) = runtime.judge([story])
    parts = [story[judged.offsets[first][0] : judged.offsets[stop - 1][1]] for first, stop, _ in judged.windows]
    assert len(parts) > 2
    counts = [stop - first for first, stop, _ in judged.windows]
    whole = runtime.log_odds([story])[0]
    for (start, end), sentence in zip(spans, explain(runtime, story).sentences, strict=True):
        named = story[start:end]
        ((place, part),) = [(place, part) for place, part in enumerate(parts) if named in part]
        left = part.replace(named, "").replace("  ", " ")
        odds = runtime.log_odds([*parts[:place], left, *parts[place + 1 :]])
        weights = np.array([*counts[:place], len(runtime.judge([left])[0].tokens), *counts[place + 1 :]])
        assert sentence.gain == pytest.approx(float(odds @ weights / weights.sum() - whole), abs=1e-6)


def test_token_logits_are_those_of_torch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from yarnstick.union.saving import load

    saved = load(trained(tmp_path / "trained"))
    exact = open_runtime(packed(tmp_path / "fp32", precision="fp32"))
    story = f"{STORY} {PLAIN}"
    (judged,) = exact.judge([story])
    (read,) = saved.reader.read([story])
    assert len(read.windows) == 2
    wanted = []
    for window in read.windows:
        row = torch.tensor([saved.reader.row(read, window)])
        with torch.inference_mode():
            wanted += saved.model(row, torch.tensor([row.shape[1]])).tokens[0, 1:-1].tolist()
    np.testing.assert_allclose(judged.tokens, wanted, atol=2e-4)


def test_doubted_words_are_whole_words_inside_one_sentence(runtime: Runtime) -> None:
    (judged,) = runtime.judge([STORY])
    likely = 1 / (1 + np.exp(-judged.tokens))
    for least in (0.2, 0.5, 0.8):
        spans = [span for span in explain(runtime, STORY, least=least).spans if span.kind == "words"]
        covered = set()
        for span in spans:
            assert span.weight >= least
            for edge in (span.start, span.end):  # inside no word
                assert not STORY[max(edge - 1, 0) : edge + 1].isalpha() or edge == 0
            assert any(start <= span.start and span.end <= end for start, end in sentence_spans(STORY))
            covered |= set(range(span.start, span.end))
        doubted = [offset for offset, weight in zip(judged.offsets, likely, strict=True) if weight >= least]
        assert doubted
        assert all(set(range(*offset)) <= covered for offset in doubted)
        assert [span.weight for span in spans] == sorted((span.weight for span in spans), reverse=True)


@pytest.mark.parametrize("kind", ODD)
def test_odd_texts_are_explained(runtime: Runtime, kind: str) -> None:
    explained = explain(runtime, ODD[kind])
    assert math.isnan(explained.score) == (kind in ("empty", "white space"))
    for span in explained.spans:
        assert 0 <= span.start < span.end <= len(explained.text)
        assert math.isfinite(span.weight)


def test_of_a_long_story_only_the_most_doubted_sentences_are_left_out(runtime: Runtime) -> None:
    story = " ".join(f"The goose swam {number} times." for number in range(MOST_LEFT_OUT + 20))
    sentences = explain(runtime, story).sentences
    tried = [sentence.doubt for sentence in sentences if sentence.gain is not None]
    others = [sentence.doubt for sentence in sentences if sentence.gain is None]
    assert (len(tried), len(others)) == (MOST_LEFT_OUT, 20)
    assert min(tried) >= max(others)


def test_a_second_head_that_was_taught_nothing_says_nothing(tmp_path: Path) -> None:
    folder = packed(tmp_path / "tiny")
    numbers = json.loads((folder / "union.json").read_text())
    (folder / "union.json").write_text(json.dumps({**numbers, "places": False}))
    explained = explain(Runtime(read_packed(folder)), STORY, least=0.0)
    assert {span.kind for span in explained.spans} == {"sentence"}
    assert all(sentence.doubt is None and sentence.gain is not None for sentence in explained.sentences)


def test_the_command_writes_lines_and_shows_text(model: Path, tmp_path: Path, cli) -> None:
    stories, output = tmp_path / "stories.jsonl", tmp_path / "explained.jsonl"
    texts = [STORY, "i did n't swim .", "", "The \x1b[31mgoose\x07 swam."]
    stories.write_text(
        "".join(json.dumps({"id": f"s{place}", "story": text}) + "\n" for place, text in enumerate(texts))
    )
    done = cli("explain", stories, "-m", f"path:{model}", "-o", output)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["s0", "s1", "s2", "s3"]
    assert rows[0]["text"] == STORY
    assert rows[1]["text"] == "I didn't swim."
    assert rows[2]["score"] is None
    assert {"start", "end", "kind", "weight"} == set(rows[0]["spans"][0])
    other = packed(tmp_path / "other")
    numbers = other / "union.json"
    numbers.write_text(json.dumps({**json.loads(numbers.read_text("utf-8")), "task": "disscore"}))
    refused = cli("explain", stories, "-m", f"path:{other}")
    assert refused.returncode == 2
    assert "'disscore', not 'union'" in refused.stderr
    refused = cli("explain", stories, "-m", f"path:{model}", "-o", tmp_path / "explained.csv")
    assert refused.returncode == 2
    assert "the output is JSON lines (end the name in .jsonl)" in refused.stderr
    shown = cli("explain", stories, "-m", f"path:{model}")
    assert shown.returncode == 0, shown.stderr
    assert f"s0  UNION {rows[0]['score']:.3f}" in shown.stdout
    assert "s2  undefined" in shown.stdout
    assert "\x1b" not in shown.stdout
    assert "\x07" not in shown.stdout
