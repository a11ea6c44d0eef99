"""The model a training run starts from: any transformers encoder or decoder, and SmolLM2 from its GGUF file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from yarnstick.errors import InputError
from yarnstick.models.naming import Model, find_model
from yarnstick.optional import require

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor, nn

_PURPOSE = "training a story metric"


class Base(NamedTuple):
    """A bare model with what is needed to feed it and to name it."""

    backbone: nn.Module
    tokenizer: Tokenizer
    #: token ids put before and after every window
    before: tuple[int, ...]
    after: tuple[int, ...]
    architecture: str
    decoder: bool
    config: dict[str, Any]
    name: str
    sha256: str
    #: the weights of the head it was trained with to fill gaps, where it has one
    gap_head: dict[str, Tensor]


def load_base(name: str, dropout: float = -1.0) -> Base:
    """Load ``name``; see :mod:`yarnstick.models.naming` for what it may be."""
    require("torch", _PURPOSE)
    require("transformers", _PURPOSE)
    found = find_model(name)
    if found.weights.suffix == ".gguf":
        return _from_gguf(found, dropout)
    if "config.json" not in found.files:
        raise InputError(f"{name}: no config.json in {found.folder}", remedy="name a folder transformers saved")
    return _from_folder(found, dropout)


def empty_backbone(config: dict[str, Any], dropout: float = -1.0) -> nn.Module:
    """A bare model of these numbers, its weights not yet set to anything that matters."""
    from transformers import AutoConfig, AutoModel

    numbers = dict(config)
    kind = numbers.pop("model_type")
    if "rope_theta" in numbers:  # transformers 5 looks for it here, 4 where it stands
        numbers["rope_parameters"] = {"rope_type": "default", "rope_theta": numbers["rope_theta"]}
    try:
        made = AutoConfig.for_model(kind, **numbers)
        _set_dropout(made, dropout)
        backbone: nn.Module = AutoModel.from_config(made, attn_implementation="sdpa", **_without_pooler(made))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"transformers cannot build a {kind!r}: {str(error).splitlines()[0]}") from error
    return backbone


def is_decoder(config: Any) -> bool:
    """Whether it reads from left to right only: such a model has no head for filling gaps."""
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_FOR_MASKED_LM_MAPPING

    return type(config) in MODEL_FOR_CAUSAL_LM_MAPPING and type(config) not in MODEL_FOR_MASKED_LM_MAPPING


def _from_gguf(found: Model, dropout: float) -> Base:
    import torch
    from tokenizers import Tokenizer

    from yarnstick.models.gguf import llama_config, llama_weights, read_gguf, tokenizer_json

    gguf = read_gguf(found.weights)
    config = llama_config(gguf)
    backbone = empty_backbone(config, dropout)
    backbone.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in llama_weights(gguf)})
    tokenizer = Tokenizer.from_str(tokenizer_json(gguf))
    after = _closed_by(tokenizer, config["eos_token_id"])
    return Base(backbone, tokenizer, (), after, "llama", True, config, found.name, found.sha256, {})


def _from_folder(found: Model, dropout: float) -> Base:
    import torch
    from transformers import AutoConfig, AutoModel
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # heads that are left out and heads that are new are as intended
    logging.disable_progress_bar()
    try:
        config = AutoConfig.from_pretrained(found.folder, local_files_only=True)
        _set_dropout(config, dropout)
        backbone = AutoModel.from_pretrained(
            found.folder,
            config=config,
            local_files_only=True,
            use_safetensors=True,
            attn_implementation="sdpa",
            **_without_pooler(config),
        ).to(torch.float32)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise InputError(f"{found.name} cannot be loaded: {str(error).splitlines()[0]}") from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
    decoder = is_decoder(config)
    tokenizer = _tokenizer(found.folder)
    before, after = _specials(tokenizer)
    if decoder:
        before, after = before + after, _closed_by(tokenizer, config.eos_token_id)
    numbers = plain_config(config)
    gap_head = {} if decoder else _gap_head(found)
    kind = str(config.model_type)
    return Base(backbone, tokenizer, before, after, kind, decoder, numbers, found.name, found.sha256, gap_head)


def plain_config(config: Any) -> dict[str, Any]:
    """The numbers of a transformers configuration that say what the model is."""
    numbers = {
        key: value
        for key, value in config.to_dict().items()
        if not key.startswith("_") and key not in ("transformers_version", "torch_dtype", "dtype", "architectures")
    }
    rope = numbers.pop("rope_parameters", None) or {}
    if "rope_theta" in rope:
        if rope.get("rope_type", "default") != "default":
            raise InputError(f"rotary positions of kind {rope['rope_type']!r} are not supported")
        numbers["rope_theta"] = rope["rope_theta"]
    return {**json.loads(json.dumps(numbers, default=str)), "model_type": config.model_type}


def _set_dropout(config: Any, dropout: float) -> None:
    if dropout < 0:
        return
    for name in ("hidden_dropout_prob", "attention_probs_dropout_prob", "attention_dropout", "dropout"):
        if isinstance(getattr(config, name, None), float | int):
            setattr(config, name, dropout)


def _without_pooler(config: Any) -> dict[str, bool]:
    """The published pooler of an encoder would be weights that nothing uses."""
    import inspect

    from transformers import MODEL_MAPPING

    known = inspect.signature(MODEL_MAPPING[type(config)].__init__).parameters
    return {"add_pooling_layer": False} if "add_pooling_layer" in known else {}


def _tokenizer(folder: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    if (folder / "tokenizer.json").is_file():
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    else:
        from transformers import AutoTokenizer

        slow = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        if getattr(slow, "backend_tokenizer", None) is None:
            raise InputError(f"{folder} has no fast tokenizer", remedy="a tokenizer.json is needed")
        tokenizer = slow.backend_tokenizer
    tokenizer.no_truncation()  # some files carry a length that would cut stories in silence
    tokenizer.no_padding()
    return tokenizer


def _specials(tokenizer: Tokenizer) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What the tokenizer itself puts around a text: [CLS] and [SEP], or nothing."""
    around = tuple(tokenizer.encode("").ids)
    return around[:1], around[1:]


def _closed_by(tokenizer: Tokenizer, end: int | list[int] | None) -> tuple[int, ...]:
    """Have a decoder's text closed by its end token, where the story is judged."""
    from tokenizers.processors import TemplateProcessing

    end = end[0] if isinstance(end, list) else end
    token = None if end is None else tokenizer.id_to_token(end)
    if end is None or token is None:
        raise InputError("a decoder without an end token", remedy="its config.json should name eos_token_id")
    tokenizer.post_processor = TemplateProcessing(single=f"$A {token}", special_tokens=[(token, end)])
    return (end,)


def _gap_head(found: Model) -> dict[str, Tensor]:
    """BERT's own head for filling gaps, where the checkpoint kept it."""
    from safetensors import safe_open

    names = {
        "cls.predictions.transform.dense.weight": "dense.weight",
        "cls.predictions.transform.dense.bias": "dense.bias",
        "cls.predictions.transform.LayerNorm.weight": "norm.weight",
        "cls.predictions.transform.LayerNorm.bias": "norm.bias",
        "cls.predictions.transform.LayerNorm.gamma": "norm.weight",
        "cls.predictions.transform.LayerNorm.beta": "norm.bias",
        "cls.predictions.bias": "bias",
    }
    if found.weights.suffix != ".safetensors":
        return {}
    with safe_open(found.weights, "pt") as opened:
        return {names[name]: opened.get_tensor(name).float() for name in opened.keys() if name in names}  # noqa: SIM118
