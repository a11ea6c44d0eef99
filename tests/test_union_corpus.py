"""Stories for training: natural whatever their form, cut to size, on one side only; groups alike whatever the workers."""

from __future__ import annotations

import gzip
import json
import os
import signal
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from yarnstick.errors import InputError, YarnstickError
from yarnstick.text.sentences import sentence_spans, sentences
from yarnstick.union.corpus import Piece, Sampled, cut_story, read_corpus
from yarnstick.union.groups import Member, groups
from yarnstick.union.prose import prose, readable
from yarnstick.union.workers import in_order

GOATS = [
    "The goat climbed the hill in the morning.",
    "It found a patch of green clover.",
    "A dog barked from the farm below.",
    "The goat ate quickly and ran home.",
    "It slept well that night.",
]


def _write(path: Path, rows: list[dict[str, object]]) -> Path:
    with gzip.open(path, "wt") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def _many(count: int) -> list[dict[str, object]]:
    return [{"form": "raw", "sentences": [f"Anna had {n} red hens.", *GOATS[1:]]} for n in range(count)]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("i was n't sad . `` why ? '' she asked . \n \n oh no ! it rained .", 'I wasn\'t sad. "Why?" she asked. Oh no! It rained.'),
        ('He ca n\' t go. " I\' ve tried, " he said.', 'He can\'t go. "I\'ve tried," he said.'),
        ("“ It ’ s late , ” he said . We don ’ t care .", '"It\'s late," he said. We don\'t care.'),
        ("The slit' s edge was bent at 8: 15am.", "The slit's edge was bent at 8:15am."),
        ("It was a *very* long\nnight --- and cold.", "It was a very long night and cold."),
        ("Nothing is wrong here. \"Right?\" Tom's boys' game.", "Nothing is wrong here. \"Right?\" Tom's boys' game."),
    ],
)  # fmt: skip
def test_prose_is_what_a_typist_would_write(given: str, wanted: str) -> None:
    assert prose(given) == wanted
    assert prose(wanted) == wanted


@pytest.mark.parametrize("text", ["He saw an <unk> there.", "See https://x.org now.", "Tom &amp; I left."])
def test_what_cannot_be_mended_is_told_apart(text: str) -> None:
    assert not readable(text)


def test_every_form_of_a_row_is_read(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"form": "raw", "sentences": GOATS},
        {"form": "lower,tokenised", "sentences": ["tom had n't slept .", "he was tired ."]},
        {"form": "lower,nopunct,unk", "sentences": ["sam s dog ran", "he laughed"]},
        {"form": "lower,tokenised,unk", "sentences": ["the <unk> ran .", "he laughed ."]},
        {"form": "raw", "sentences": [sentence.upper() for sentence in GOATS]},
    ]
    corpus = read_corpus([_write(tmp_path / "rocstories.jsonl.gz", [*rows, *_many(40)])])
    pieces = {piece.text: piece for side in corpus[:3] for piece in side}
    assert pieces[" ".join(GOATS)] == Piece(" ".join(GOATS), GOATS[0], "rocstories")
    assert pieces["Tom hadn't slept. He was tired."].lead == "Tom hadn't slept."
    assert corpus.left_out == {"without punctuation": 1, "unknown words or markup": 1, "told twice": 1}
    assert len(pieces) == 42


def test_sections_stories_and_plain_text_are_read(tmp_path: Path) -> None:
    sections = _write(
        tmp_path / "tales.jsonl.gz",
        [{"title": "t", "sections": GOATS}, *({"sections": row["sentences"]} for row in _many(30))],
    )
    plain = tmp_path / "mine.txt"
    plain.write_text("\n".join(f"Bert owned {n} carts. He pulled them all." for n in range(30)))
    corpus = read_corpus([sections, plain])
    assert Counter(piece.source for side in corpus[:3] for piece in side) == {"tales": 31, "mine": 30}


def test_the_column_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    rows = [f'{n},"Bert owned {n} carts. He pulled them all."' for n in range(30)]
    path.write_text("\n".join(["id,bananas", *rows]))
    with pytest.raises(InputError, match="no column looks like the story"):
        read_corpus([path])
    assert sum(map(len, read_corpus([path], columns={"story": "bananas"})[:3])) == 30


def test_sides_are_ninety_five_five_and_a_story_stands_on_one(tmp_path: Path) -> None:
    corpus = read_corpus([_write(tmp_path / "a.jsonl.gz", _many(4000))])
    sizes = [len(side) for side in corpus[:3]]
    assert sum(sizes) == 4000
    # Binomial: three standard deviations of 4,000 draws at 5% are 41.
    assert all(abs(size - 200) < 42 for size in sizes[1:]), sizes
    # The same stories under other names, in small letters, stand on the same side.
    other = [
        {"form": "lower", "sentences": [str(s).replace("Anna", "sally").lower() for s in row["sentences"]]}
        for row in _many(300)
    ]  # type: ignore[attr-defined]
    again = read_corpus([_write(tmp_path / "b.jsonl.gz", other)])
    for side, known in zip(again[:3], corpus[:3], strict=True):
        leads = {piece.lead for piece in known}
        assert {piece.lead.replace("Sally", "Anna") for piece in side} <= leads


def test_long_stories_are_cut_at_sentence_ends_to_many_lengths() -> None:
    text = " ".join(f"Number {n} went to the market and bought {n % 7} big brown hens." for n in range(400))
    pieces = cut_story(text, 200, sentence_spans(text))
    lengths = [piece.count(" ") + 1 for piece, _ in pieces]
    assert max(lengths) <= 200
    assert min(lengths) >= 60
    assert max(lengths) - min(lengths) > 60
    assert pieces[0][1] == sentences(text)[0]
    assert all(lead == "" for _, lead in pieces[1:])
    known = set(sentences(text))
    assert all(sentence in known for piece, _ in pieces for sentence in sentences(piece))
    # Nothing lost but what is left over at the end, nothing twice, in order.
    assert text.startswith(" ".join(piece for piece, _ in pieces))
    assert pieces == cut_story(text, 200, sentence_spans(text))


def test_a_wall_of_text_is_left_out_of_pieces() -> None:
    wall = "and so " * 300 + "on."
    text = " ".join(
        ["The hen ran to the barn and hid under the red cart."] * 20 + [wall] + ["The fox was gone by the time."] * 20
    )
    assert all(piece.count(" ") < 150 for piece, _ in cut_story(text, 150, sentence_spans(text)))


def test_the_papers_own_preparation(tmp_path: Path) -> None:
    long = {"text": " ".join(f"Sally met Tom {n} times by the river and they talked about hens." for n in range(80))}
    corpus = read_corpus(
        [
            _write(
                tmp_path / "wp.jsonl.gz",
                [long, *({"text": f"Then {row['sentences'][0]} He left."} for row in _many(40))],
            )
        ],
        words=200,
        as_in_paper=True,
    )  # type: ignore[index]
    pieces = [piece for side in corpus[:3] for piece in side]
    assert len(pieces) == 41
    assert all(piece.text.count(" ") < 200 for piece in pieces)
    assert any(piece.text.startswith("[FEMALE] met [MALE] 0 times") for piece in pieces)
    assert all(piece.text.startswith(piece.lead) for piece in pieces)


def test_workers_change_nothing(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.jsonl.gz", _many(600))
    assert read_corpus([path], workers=2) == read_corpus([path])


def test_sampled_stories_belong_to_pieces(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.jsonl.gz", _many(50))
    human = read_corpus([path]).train[0].text
    rows = [
        {"human": human, "samples": ["A b."], "temperatures": [1]},
        {"human": "Not here.", "samples": [], "temperatures": []},
    ]
    samples = _write(tmp_path / "s.jsonl.gz", rows)
    corpus = read_corpus([path], sampled=[samples])
    assert corpus.sampled == [Sampled(human, ("A b.",), (1.0,))]
    assert corpus.left_out == {"sampled from a story that is not here": 1}
    broken = _write(tmp_path / "broken.jsonl.gz", [{"human": "x", "samples": ["y"]}])
    with pytest.raises(InputError, match=r"broken.*:1: there is no 'temperatures'"):
        read_corpus([path], sampled=[broken])


def test_a_corpus_without_stories_says_why(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.jsonl.gz", [{"form": "raw", "sentences": ["Only one."]}])
    with pytest.raises(InputError, match=r"no story to train on is left.*a single sentence"):
        read_corpus([path])
    with pytest.raises(InputError, match="are read from files"):
        read_corpus(["-"])
    path = _write(tmp_path / "b.jsonl.gz", [{"sentences": "not a list"}])
    with pytest.raises(InputError, match=r"b\.jsonl\.gz:1: 'sentences' is not a list"):
        read_corpus([path])


def test_the_released_stories_read_naturally(data_folder: Path) -> None:
    path = data_folder / "stories" / "writingprompts.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    corpus = read_corpus([path], limit=700)
    texts = [piece.text for side in corpus[:3] for piece in side]
    for habit in ("``", " n't", " ,", "  ", "\n", "“", "<unk>", "http"):
        assert not any(habit in text for text in texts), habit
    # What is left of these is dialect: "tryin' to".
    assert sum("n' t" in text for text in texts) <= 0.01 * len(texts)
    assert sum(text[0].islower() for text in texts) <= 0.01 * len(texts)
    assert max(text.count(" ") + 1 for text in texts) <= 400


def _double(number: int) -> int:
    return number * 2


def _fail(number: int) -> int:
    if number == 5:
        raise YarnstickError("five")
    return number


def _die(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_workers_answer_in_order_and_tell_their_failures() -> None:
    assert list(in_order(_double, range(50), 2, ahead=3)) == [n * 2 for n in range(50)]
    with pytest.raises(YarnstickError, match="five"):
        list(in_order(_fail, range(9), 2))
    with pytest.raises(YarnstickError, match="a worker process died"):
        list(in_order(_die, range(9), 1))


def test_work_is_left_when_nobody_wants_it() -> None:
    results = in_order(_double, range(10**9), 1, ahead=2)
    assert next(results) == 0
    start = time.monotonic()
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 5


@dataclass(frozen=True)
class _Asked:
    task: str = "union"
    recipe: str = "paper"
    degrees: int = 2
    machine: int = 1
    short: int = 100
    short_recipe: str = ""
    short_machine: int = -1


def _pieces(count: int = 150) -> list[Piece]:
    texts = [" ".join([f"Anna had {n} red hens in the old barn.", *GOATS[1:]]) for n in range(count)]
    return [Piece(text, sentences(text)[0], "a" if n % 3 else "b") for n, text in enumerate(texts)]


def test_a_group_is_a_story_and_what_was_made_of_it() -> None:
    pieces = _pieces()
    sampled = [
        Sampled(piece.text, (f"{piece.lead} It was odd.", f"{piece.lead} It ate."), (0.7, 1.1)) for piece in pieces[:40]
    ]
    skipped: list[int] = []
    made = list(groups(pieces, sampled, _Asked(recipe="released"), seed=1, epoch=0, on_skipped=skipped.append))
    assert {group.members[0].text for group in made} <= {piece.text for piece in pieces}
    assert len(made) + sum(skipped) == len(pieces)
    assert sum(skipped) <= 3  # where chance found nothing to do
    assert [group.members[0].text for group in made] != [piece.text for piece in pieces]
    of = {piece.text: piece for piece in pieces}
    machines = {row.human: row.samples for row in sampled}
    for group in made:
        human, *rest = group.members
        piece = of[human.text]
        assert human == Member(piece.text, 1.0, 0, "human", (), piece.text)
        damaged = [member for member in rest if member.kind == "damaged"]
        assert [member.degree for member in damaged] == [1, 2]
        for member in damaged:
            assert member.label == 0
            assert member.text != human.text
            assert member.text.startswith(piece.lead)
            assert member.original == human.text
            assert all(0 <= start <= end <= len(member.text) for start, end in member.spans)
        written = [member for member in rest if member.kind == "machine"]
        assert len(written) == (piece.text in machines)
        for member in written:
            assert member.text in machines[piece.text]
            assert (member.label, member.degree, member.spans, member.original) == (0, 1, (), "")


def test_groups_are_the_same_whatever_the_workers_and_new_each_epoch() -> None:
    pieces = _pieces()
    alone = list(groups(pieces, [], _Asked(), seed=7, epoch=2))
    assert alone == list(groups(pieces, [], _Asked(), seed=7, epoch=2, workers=2))
    for other in (groups(pieces, [], _Asked(), seed=8, epoch=2), groups(pieces, [], _Asked(), seed=7, epoch=3)):
        damage = {group.members[0].text: group.members[1].text for group in other}
        same = sum(damage[group.members[0].text] == group.members[1].text for group in alone)
        assert same < len(alone) / 4


def test_sources_are_weighed_and_what_cannot_be_damaged_is_counted() -> None:
    pieces = _pieces(300)
    drawn = Counter(
        next(piece.source for piece in pieces if piece.text == group.members[0].text)
        for group in groups(pieces, [], _Asked(), seed=0, epoch=0, sources={"a": 0.25, "b": 2})
    )
    assert drawn["b"] == 200
    assert abs(drawn["a"] - 50) < 20
    skipped: list[int] = []
    hopeless = Piece("Hm.", "Hm.", "a")
    made = list(
        groups([*pieces[:5], hopeless], [], _Asked(recipe="released"), seed=0, epoch=0, on_skipped=skipped.append)
    )
    assert len(made) + sum(skipped) == 6
    assert sum(skipped) == 1


def test_disscore_tells_human_from_generated() -> None:
    pieces = _pieces(20)
    sampled = [Sampled(piece.text, (f"{piece.lead} It was odd.",), (0.7,)) for piece in pieces[:8]]
    made = list(groups(pieces, sampled, _Asked(task="disscore", machine=0), seed=0, epoch=0))
    assert sorted(group.members[0].text for group in made) == sorted(row.human for row in sampled)
    assert all([member.kind for member in group.members] == ["human", "machine"] for group in made)
    with pytest.raises(InputError, match="yarnstick generate"):
        list(groups(pieces, [], _Asked(task="disscore"), seed=0, epoch=0))


def test_ruber_has_another_storys_continuation_after_the_context() -> None:
    tails = [f"Then {name} went far away. {name} was never seen again." for name in ("Bo", "Cy", "Di", "Ed", "Flo")]
    pieces = [Piece(f"Number {n} began well. {tail}", f"Number {n} began well.", "a") for n, tail in enumerate(tails)]
    made = list(groups(pieces, [], _Asked(task="ruber"), seed=0, epoch=0))
    assert len(made) == 5
    for group in made:
        human, wrong = group.members
        own = human.text.split(".")[0] + ". "
        ((start, end),) = wrong.spans
        assert wrong.text[:start] == own
        assert wrong.text[start:end] in tails
        assert end == len(wrong.text)
        assert wrong.text != human.text


def test_short_pieces_may_be_treated_otherwise():
    short = [
        Piece(f"Ann had a red ball number {n}. It rolled away. Ann ran after it. She was glad.", "", "a")
        for n in range(8)
    ]
    long = [
        Piece(" ".join(f"On day {n} of the trip we walked {k} miles uphill." for k in range(12, 26)), "", "b")
        for n in range(8)
    ]
    sampled = [Sampled(piece.text, ("A machine wrote this. It did.",), (0.9,)) for piece in short + long]
    asked = _Asked(machine=1, short_machine=0, short_recipe="released", recipe="paper")
    for group in groups(short + long, sampled, asked, seed=0, epoch=0):
        is_short = len(group.members[0].text.split()) <= 100
        assert [member.kind for member in group.members].count("machine") == (0 if is_short else 1)
        if is_short:  # `released` never touches the leading sentence, `paper` does
            assert all(member.text.startswith(group.members[0].text.split(".")[0]) for member in group.members)
