"""Writers: taught, sampled from in batches as they would be one by one, killed and resumed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch")
pytest.importorskip("transformers", reason="needs transformers")

import torch
from conftest import Cli

from yarnstick.errors import OutputError
from yarnstick.generate import run
from yarnstick.generate.run import Request, beginning_of, choose_pieces, write_samples
from yarnstick.generate.sampling import Beginning, continue_stories, whole_sentences
from yarnstick.generate.writer import Lessons, Writer, encode, load_writer, save_writer, teach
from yarnstick.union.corpus import Corpus, Piece

ANIMALS = ("hen", "fox", "dog", "goat", "cat", "owl")
STORIES = [
    f"The {first} met a {second} by the river. They shared {count} red apples. The {second} went home at night."
    for first in ANIMALS
    for second in ANIMALS
    for count in ("two", "three")
]
LESSONS = Lessons(steps=14, learning_rate=3e-3, batch_tokens=400)


@pytest.fixture(scope="module")
def taught() -> tuple[Writer, list[float]]:
    torch.set_num_threads(1)
    writer = load_writer("tiny", STORIES)
    losses: list[float] = []
    teach(
        writer,
        STORIES,
        LESSONS._replace(steps=41, batch_tokens=600, learning_rate=2e-3),
        lambda _step, _done, loss: losses.append(loss),
    )
    return writer, losses


def _corpus() -> Corpus:
    pieces = [Piece(story, story.split(".")[0] + ".", "animals") for story in STORIES]
    return Corpus(pieces[:-6], pieces[-6:-3], pieces[-3:], [])


def _request(**changes: object) -> Request:
    asked = Request("tiny", 10, 0, 2, (0.7, 0.9, 1.1), 0.95, 400, 0, LESSONS)
    return asked._replace(**changes)  # type: ignore[arg-type]


def test_teaching_lowers_the_loss_far_below_chance(taught: tuple[Writer, list[float]]) -> None:
    writer, losses = taught
    chance = float(torch.log(torch.tensor(float(writer.tokenizer.get_vocab_size()))))
    assert losses[0] == pytest.approx(chance, rel=0.05)
    assert losses[-1] < 0.5 * chance


def _one_by_one(writer: Writer, text: str, limit: int) -> str:
    """The likeliest continuation, without batches, padding or anything kept: the oracle."""
    ids, made = encode(writer, [text])[0], list[int]()
    head = writer.backbone.get_input_embeddings().weight  # type: ignore[operator]
    with torch.no_grad():
        while len(made) < limit:
            hidden = writer.backbone(input_ids=torch.tensor([ids + made])).last_hidden_state[0, -1]
            token = int((head @ hidden).argmax())
            if token == writer.end:
                break
            made.append(token)
    return f"{text} {whole_sentences(writer.tokenizer.decode(made).strip())}".strip()


def test_a_batch_writes_what_each_row_alone_would(taught: tuple[Writer, list[float]]) -> None:
    writer = taught[0]
    openings = ["The hen met a fox by the river.", "The owl", "The dog met a goat by the river. They shared"]
    limits = [30, 24, 9]
    cold = [Beginning(text, limit, 1e-5) for text, limit in zip(openings, limits, strict=True)]
    batch = continue_stories(writer, cold, top_p=0.95, seed=0)
    alone = [_one_by_one(writer, text, limit) for text, limit in zip(openings, limits, strict=True)]
    assert [text or opening for text, opening in zip(batch, openings, strict=True)] == alone
    assert batch[0] != openings[0]


def test_the_seed_decides_and_heat_spreads(taught: tuple[Writer, list[float]]) -> None:
    writer = taught[0]
    hot = [Beginning("The hen met a fox by the river.", 24, 1.2)] * 24
    first = continue_stories(writer, hot, top_p=0.95, seed=1)
    assert first == continue_stories(writer, hot, top_p=0.95, seed=1)
    assert first != continue_stories(writer, hot, top_p=0.95, seed=2)
    cold = [beginning._replace(temperature=0.1) for beginning in hot]
    assert len(set(continue_stories(writer, cold, top_p=0.95, seed=1))) < len(set(first))
    for text in filter(None, first):
        assert text.startswith("The hen met a fox by the river. ")
        assert text.endswith((".", "!", "?", '"'))


def test_a_saved_writer_is_the_same_writer(taught: tuple[Writer, list[float]], tmp_path: Path) -> None:
    writer = taught[0]
    save_writer(writer, tmp_path / "w")
    again = load_writer(f"path:{tmp_path / 'w'}", [])
    beginnings = [Beginning("The cat", 16, 0.9)] * 4
    assert again.end == writer.end
    assert continue_stories(again, beginnings, top_p=0.9, seed=5) == continue_stories(
        writer, beginnings, top_p=0.9, seed=5
    )


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("He ran. She fol", "He ran."),
        ('He ran. "Stop!" she said. And th', 'He ran. "Stop!" she said.'),
        ("no end in sight", ""),
        ("All is well.", "All is well."),
    ],
)
def test_whole_sentences(text: str, whole: str) -> None:
    assert whole_sentences(text) == whole


def test_which_pieces_and_how_much_of_them() -> None:
    import random

    long = [Piece(f"Story {n}. " + "The goat ate the hay again. " * 20 + "It ended.", "", "tales") for n in range(9)]
    corpus = Corpus([Piece(s, "", "roc") for s in STORIES], long[:5], long[5:], [])
    chosen = choose_pieces(corpus, 7, 6, seed=3)
    assert [piece.source for piece in chosen] == ["roc"] * 7 + ["tales"] * 6
    assert chosen == choose_pieces(corpus, 7, 6, seed=3)
    assert beginning_of(Piece(STORIES[0], "", "roc"), random.Random(0)) == "The hen met a hen by the river."
    seen = {beginning_of(long[0], random.Random(n)).count(".") for n in range(30)}
    assert seen == {1, 2, 3}


def test_rows_hold_the_human_story_and_its_samples(tmp_path: Path) -> None:
    output = tmp_path / "rows.jsonl.gz"
    done: list[tuple[int, bool]] = []
    rows = write_samples(
        _corpus(),
        _request(lessons=LESSONS._replace(steps=40)),
        output,
        on_rows=lambda n, known: done.append((n, known)),
    )
    with gzip.open(output, "rt") as stream:
        told = [json.loads(line) for line in stream]
    assert len(told) == rows > 5
    assert sum(n for n, _ in done) == 10
    for row in told:
        assert row["human"] in STORIES
        assert len(row["samples"]) == len(row["temperatures"]) <= 2
        assert set(row["temperatures"]) <= {0.7, 0.9, 1.1}
        assert all(
            sample.startswith(row["human"].split(".")[0] + ".") and sample != row["human"] for sample in row["samples"]
        )
    assert not list(tmp_path.glob("*.part"))


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    write_samples(_corpus(), _request(), whole)

    def dies(done: int, known: bool) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_samples(_corpus(), _request(), cut, on_rows=dies)
    assert not cut.exists()
    with pytest.raises(OutputError, match="another run"):
        write_samples(_corpus(), _request(seed=9), cut)
    monkeypatch.setattr(run, "teach", lambda *_: pytest.fail("it was taught already"))
    known: list[bool] = []
    write_samples(_corpus(), _request(), cut, on_rows=lambda _, was: known.append(was))
    assert known[0]
    assert not all(known)
    assert cut.read_bytes() == whole.read_bytes()


def test_the_command(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # tests run side by side already
    data = tmp_path / "animals.jsonl"
    data.write_text("".join(json.dumps({"story": story}) + "\n" for story in STORIES))
    output = tmp_path / "rows.jsonl"
    done = cli(
        "generate",
        "--data",
        data,
        "--base",
        "tiny",
        "--steps",
        30,
        "--openings",
        6,
        "-o",
        output,
        "--learning-rate",
        "3e-3",
    )
    assert done.returncode == 0, done.stderr
    assert f"wrote {len(output.read_text().splitlines())} rows" in done.stderr
    # A base that is not there leaves nothing behind that the next try would have to be the same as.
    again = ["generate", "--data", data, "--steps", 1, "--openings", 2, "-o", tmp_path / "again.jsonl"]
    assert "no model at nowhere" in cli(*again, "--base", "path:nowhere").stderr
    done = cli(*again, "--base", "tiny", "--map", "story=story")
    assert done.returncode == 0, done.stderr
    assert "ended no sentence after 2 of 2 beginnings: teach it for more --minutes" in done.stderr
    wrong = cli("generate", "--data", data, "--base", "tiny", "-o", tmp_path / "rows.csv")
    assert wrong.returncode == 2
    assert "rows are JSON lines (end the name in .jsonl" in wrong.stderr
    wrong = cli("generate", "--data", data, "--base", "tiny", "-o", output, "--temperatures", "hot")
    assert wrong.returncode == 2
    assert "'hot' is not a list of numbers above 0" in wrong.stderr
