"""A BERT of a few thousand weights that knows nothing yet, so that the experiments can be tried out on any machine."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from yarnstick.optional import require
from yarnstick.stories.files import explained

_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_PIECES = 2000


def tiny_base(folder: Path, texts: Sequence[str]) -> str:
    """Make the model in ``folder``, its vocabulary cut from ``texts``, unless it is there; gives its name."""
    if folder.is_dir():
        return f"path:{folder}"
    torch = require("torch", "training a story metric")
    transformers = require("transformers", "training a story metric")
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=_PIECES, special_tokens=list(_SPECIALS), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=512,
    )
    draft = folder.with_name(f"{folder.name}.draft")
    with explained(folder):
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        weights = transformers.BertModel(config).state_dict()
        save_file({name: weight.contiguous() for name, weight in weights.items()}, draft / "model.safetensors")
        config.save_pretrained(draft)
        tokenizer.save(str(draft / "tokenizer.json"))
        draft.rename(folder)
    return f"path:{folder}"
