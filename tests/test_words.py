"""Word tokenisation, held to spaCy's English tokenizer and to hand-worked examples."""

import gzip
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from yarnstick.text.contractions import contractions
from yarnstick.text.words import words

Tokenise = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def oracle() -> Tokenise:
    spacy = pytest.importorskip("spacy")
    tokenizer = spacy.blank("en").tokenizer
    return lambda text: [token.text for token in tokenizer(text)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The fox ran.", ["The", "fox", "ran", "."]),
        ("Mr. Fox can't sleep...", ["Mr.", "Fox", "ca", "n't", "sleep", "..."]),
        ("She’d’ve gone.", ["She", "’d", "’ve", "gone", "."]),
        ("im gonna go", ["i", "m", "gon", "na", "go"]),
        ("its well", ["its", "well"]),
        ("“Stop!” he said.", ["“", "Stop", "!", "”", "he", "said", "."]),
        ("state-of-the-art", ["state", "-", "of", "-", "the", "-", "art"]),
        ("wait--what", ["wait", "--", "what"]),
        ("end.The", ["end", ".", "The"]),
        ("$5.50 or 10km", ["$", "5.50", "or", "10", "km"]),
        ("5pm", ["5", "pm"]),
        ("see www.x.org/a?b=1 now", ["see", "www.x.org/a?b=1", "now"]),
        ("mail me@x.org!", ["mail", "me@x.org", "!"]),
        ("ha :) (hm):", ["ha", ":)", "(", "hm", "):"]),
        ("the dog's bone", ["the", "dog", "'s", "bone"]),
        ("J. Fox", ["J.", "Fox"]),
        ("the U.S. won", ["the", "U.S.", "won"]),
        ("a  b", ["a", " ", "b"]),
        (" a \n b ", [" ", "a", "\n ", "b"]),
        ("a\n", ["a", "\n"]),
        ("", []),
        ("hi😀😀", ["hi", "😀", "😀"]),
    ],
)
def test_examples(text: str, tokens: list[str]) -> None:
    assert words(text) == tokens


@pytest.mark.parametrize(
    ("text", "now", "in_2022"),
    [
        ("It was May. So", ["It", "was", "May", ".", "So"], ["It", "was", "May.", "So"]),
        ("that’re in", ["that’re", "in"], ["that", "’re", "in"]),
        ("theses", ["theses"], ["these", "s"]),
    ],
)
def test_edition_of_2022(text: str, now: list[str], in_2022: list[str]) -> None:
    assert words(text) == now
    assert words(text, rules="spacy-3.2") == in_2022


def test_contractions_spell_what_they_split() -> None:
    for edition in ("spacy-3.8", "spacy-3.2"):
        for form, parts in contractions(edition).items():  # type: ignore[arg-type]
            assert "".join(parts) == form


def test_known_forms_are_those_of_the_oracle() -> None:
    spacy = pytest.importorskip("spacy")
    from yarnstick.text.words import _conventions

    orth = spacy.symbols.ORTH
    theirs = {
        form: tuple(part[orth] for part in parts)
        for form, parts in spacy.blank("en").tokenizer.rules.items()
        if not form.isspace()
    }
    assert _conventions("spacy-3.8").known == theirs


def _pieces() -> list[str]:
    marks = list("'\"”“`‘’‚,„….:;!?()[]{}<>_#*&-–—~/\\|+=%$£°²@^")
    runs = [
        "...",
        "--",
        "---",
        "US$",
        "A$",
        "n't",
        "'s",
        "’s",
        "’ve",
        "(:",
        ":)",
        "):",
        ":D",
        "o.O",
        "8)",
        "xD",
        "……",
    ]
    abbreviations = ["b.", "Mr.", "U.S.", "Ph.D.", "co.", "p.m.", "etc.", "A.", "°C.", "w/o"]
    numbers = ["5", "3.5", "1,000", "10am", "2m", "5km/h", "½", "٪", "7€"]
    addresses = ["www.", "x.com", "http://", "user@", "192.168.0.1", ":8080/a"]
    plain = [
        "km",
        "I",
        "He",
        "foo",
        "Bar",
        "don't",
        "cant",
        "theyre",
        "ll",
        "em",
        "y'all",
        "o'clock",
        "'cause",
    ]
    scripts = ["é", "Ω", "Ж", "中", "文", "שלום", "م", "😀", "👍🏽", "🥲", "☃", "ñ", "ª", "ǅ", "ẞ", "\u202e"]
    return [*marks, *runs, *abbreviations, *numbers, *addresses, *plain, *scripts, "\x00"]


def test_random_chunks_equal_the_oracle(oracle: Tokenise) -> None:
    rng = random.Random(0)
    pieces = _pieces()
    for _ in range(20_000):
        text = "".join(rng.choices(pieces, k=rng.randint(1, 8)))
        assert words(text) == oracle(text), repr(text)


def test_random_white_space_equals_the_oracle(oracle: Tokenise) -> None:
    rng = random.Random(1)
    spaces = [" ", " ", "  ", "\t", "\n", " \n", "\n ", "\u3000", "\xa0", "\x1c", ""]
    plain = [piece for piece in _pieces() if piece[0].isalnum()]
    for _ in range(5_000):
        text = "".join(rng.choice(spaces) + rng.choice(plain) for _ in range(rng.randint(0, 6))) + rng.choice(spaces)
        assert words(text) == oracle(text), repr(text)


def test_white_space_always_separates() -> None:
    """Where we differ from spaCy on purpose: it sees ":))" across the space, and then leaves ":)" torn."""
    assert words("a:) )") == ["a", ":)", ")"]


def _data() -> Path:
    return Path(os.environ.get("YARNSTICK_DATA", Path(__file__).parents[2] / "shared" / "data"))


def _stored_texts(name: str, most: int) -> Iterator[str]:
    path = _data() / "stories" / name
    if not path.exists():
        pytest.skip(f"no {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for _, line in zip(range(most), lines, strict=False):
            for value in json.loads(line).values():
                yield from [value] if isinstance(value, str) else []
                yield from (one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def test_every_hanna_text_equals_the_oracle(oracle: Tokenise) -> None:
    path = _data() / "hanna" / "stories.jsonl"
    if not path.exists():
        pytest.skip(f"no {path}")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = {record["story"] for record in records} | {record["prompt"] for record in records}
    assert len(texts) > 1000
    for text in texts:
        assert words(text) == oracle(text)


@pytest.mark.parametrize(
    ("name", "most"),
    [("writingprompts.jsonl.gz", 300), ("fairytales.jsonl.gz", 60), ("short-fiction.jsonl.gz", 60)],
)
def test_other_stories_equal_the_oracle(oracle: Tokenise, name: str, most: int) -> None:
    different = total = 0
    for text in _stored_texts(name, most):
        ours, theirs = words(text), oracle(text)
        total += len(theirs)
        if ours != theirs:
            blocks = SequenceMatcher(None, theirs, ours, autojunk=False).get_matching_blocks()
            different += len(theirs) - sum(block.size for block in blocks)
    assert total > 5_000
    assert different <= total / 1000


def test_faster_than_the_oracle(oracle: Tokenise) -> None:
    path = _data() / "hanna" / "stories.jsonl"
    if not path.exists():
        pytest.skip(f"no {path}")
    texts = [json.loads(line)["story"] for line in path.read_text(encoding="utf-8").splitlines()[:300]]

    def seconds(tokenise: Tokenise) -> float:
        begin = time.perf_counter()
        for text in texts:
            tokenise(text)
        return time.perf_counter() - begin

    assert min(seconds(words) for _ in range(3)) < min(seconds(oracle) for _ in range(3))


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        ".",
        '"',
        "a-b,c.D",
        ":)",
        "😀",
        "ש",
        "\x00",
        "a.",
        " ",
        "'s",
        "@",
        "a\n",
        "1m",
        "(",
        "…",
        "a@",
        "文",
        "\u202e",
        ")..",
        "..(",
        "5+",
        "A.",
    ],
)
def test_a_megabyte_without_spaces_is_quick(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    begin = time.perf_counter()
    tokens = words(text)
    assert time.perf_counter() - begin < 30
    assert "".join(tokens) == text


def test_nested_brackets_are_not_quadratic() -> None:
    text = "(" * 300_000 + "a" + ")" * 300_000
    begin = time.perf_counter()
    assert len(words(text)) == 600_001
    assert time.perf_counter() - begin < 30


def test_memory_of_chunks_does_not_change_the_answer() -> None:
    text = "He's (hm): wait—don't… 5pm."
    first = words(text)
    assert words(text) == first
    assert words(text, rules="spacy-3.2") == first
