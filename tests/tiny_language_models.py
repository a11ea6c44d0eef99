"""Language models of a few thousand random weights, made on the spot: heads that no package carries."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

TEXTS = [
    "The goose walked to the pond. It swam twice around the island, and then it slept under the willow.",
    "A fox came down to the pond at night, but the goose had gone. The fox waited until the moon set.",
    "Once upon a time a girl found a lamp, rubbed it, and wished for rain; it rained for a hundred years.",
]

#: a metric that comes without a model, or whose own is slow -> the tiny one it is tested with
TINY_FOR = {
    "perplexity": "llama",
    "perplexity-given-prompt": "llama",
    "bartscore": "t5",
    "bartscore-prompt": "bart",
    "infolm": "bert",
    "bertscore": "encoder",
    "bertscore-idf": "encoder",
    "embedding-average": "encoder",
    "embedding-greedy": "encoder",
    "embedding-extrema": "encoder",
    "sentence-embedding": "encoder",
}


@cache
def tiny_model(kind: str) -> Path:
    """A folder with a model of this kind: llama, t5, bart, bert (with its head), bare-bert (without), encoder."""
    import torch

    home = Path(tempfile.mkdtemp(prefix=f"yarnstick-tiny-{kind}-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    torch.manual_seed(5)
    makers = {"llama": _llama, "t5": _t5, "bart": _bart, "bert": _bert, "bare-bert": _bare_bert, "encoder": _encoder}
    makers[kind](home)
    return home


def _save(network, home: Path) -> None:
    for weight in network.parameters():
        if weight.dim() > 1:  # so that distributions are not nearly flat
            weight.data.mul_(8)
    network.save_pretrained(home)


def _llama(home: Path) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    size = _byte_pairs(home, "", "")
    config = LlamaConfig(vocab_size=size, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                         num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=256,
                         bos_token_id=0, eos_token_id=1, pad_token_id=None)  # fmt: skip
    _save(LlamaForCausalLM(config), home)


def _t5(home: Path) -> None:
    from transformers import T5Config, T5ForConditionalGeneration

    size = _byte_pairs(home, "", "</s>")
    config = T5Config(vocab_size=size, d_model=32, d_kv=16, d_ff=64, num_layers=1, num_decoder_layers=1, num_heads=2,
                      n_positions=512, pad_token_id=2, eos_token_id=1, decoder_start_token_id=2)  # fmt: skip
    _save(T5ForConditionalGeneration(config), home)


def _bart(home: Path) -> None:
    from transformers import BartConfig, BartForConditionalGeneration

    size = _byte_pairs(home, "<s>", "</s>")
    config = BartConfig(vocab_size=size, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
                        decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=128,
                        pad_token_id=2, bos_token_id=0, eos_token_id=1, decoder_start_token_id=1,
                        forced_eos_token_id=1)  # fmt: skip
    _save(BartForConditionalGeneration(config), home)


def _bert_config(home: Path):
    from transformers import BertConfig

    return BertConfig(vocab_size=_word_pieces(home), hidden_size=32, intermediate_size=64, num_hidden_layers=1,
                      num_attention_heads=2, max_position_embeddings=48)  # fmt: skip


def _bert(home: Path) -> None:
    from transformers import BertForMaskedLM

    _save(BertForMaskedLM(_bert_config(home)), home)


def _bare_bert(home: Path) -> None:
    from transformers import BertModel

    _save(BertModel(_bert_config(home)), home)


def _encoder(home: Path) -> None:
    """As many layers and as long a window as the default encoder has, and whole words for the long text tested."""
    from transformers import BertConfig, BertModel

    longer = [f"The {number} geese of farm {number % 97} swam to pond {number % 31}." for number in range(2000)]
    config = BertConfig(vocab_size=_word_pieces(home, [*TEXTS, *longer], 3000), hidden_size=32, intermediate_size=64,
                        num_hidden_layers=6, num_attention_heads=2, max_position_embeddings=512)  # fmt: skip
    _save(BertModel(config), home)


def _byte_pairs(home: Path, before: str, after: str) -> int:
    """A tokenizer that knows every byte, with these tokens put around a text; returns its size."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    specials = ["<s>", "</s>", "<pad>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=specials, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    around = [(token, specials.index(token)) for token in (before, after) if token]
    if around:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=" ".join(filter(None, [before, "$A", after])), special_tokens=around
        )
    tokenizer.save(str(home / "tokenizer.json"))
    return tokenizer.get_vocab_size()


def _word_pieces(home: Path, texts: Sequence[str] = TEXTS, most: int = 200) -> int:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=most, special_tokens=specials, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(home / "tokenizer.json"))
    return tokenizer.get_vocab_size()
