"""A bare transformer for reading text: its layers, its tokenizer, its numbers, and nothing that was made up.

A checkpoint that lacks some of the weights its own configuration asks for would be filled with random numbers by
transformers, and score with them. Such a checkpoint is refused here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from yarnstick.errors import InputError
from yarnstick.models.naming import Model, sha256_of
from yarnstick.optional import require

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import nn

_PURPOSE = "a metric that reads with a model"
#: longer windows cost memory that grows with their square, and no metric here gains by them
_LONGEST_WINDOW = 2048
#: where the configuration names no length: positions are relative, and this is what such models were trained with
_USUAL_WINDOW = 512
#: families whose positions start behind that of the padding token
_POSITIONS_AFTER_PADDING = {"roberta", "xlm-roberta", "camembert", "mpnet", "xmod", "longformer", "data2vec-text"}


class Backbone(NamedTuple):
    """A model without a head, with what is needed to feed it."""

    module: nn.Module
    tokenizer: Tokenizer
    #: token ids its tokenizer puts before and after a text
    before: tuple[int, ...]
    after: tuple[int, ...]
    #: tokens it takes at once, those around the text included
    window: int
    layers: int
    width: int
    #: whether a token sees only those before it
    decoder: bool
    pad: int


def load_backbone(found: Model) -> Backbone:
    """Load a model found by its name, in single precision, or say why it cannot be used."""
    require("torch", _PURPOSE)
    require("transformers", _PURPOSE)
    return _from_gguf(found) if found.weights.suffix == ".gguf" else _from_folder(found)


def identity_of(found: Model) -> str:
    """A digest of all that a state follows from: the weights, the configuration and the tokenizer."""
    digest = hashlib.sha256(found.sha256.encode())
    for name, path in sorted(found.files.items()):
        shard = name.endswith(".safetensors") and path != found.weights
        if shard or name in ("config.json", "tokenizer.json", "vocab.txt", "merges.txt", "vocab.json"):
            digest.update(f"{name}:{sha256_of(path)}".encode())
    return digest.hexdigest()


def _from_folder(found: Model) -> Backbone:
    import torch
    from safetensors import SafetensorError
    from transformers import AutoConfig, AutoModel

    if "config.json" not in found.files:
        raise InputError(f"{found.name}: no config.json in {found.folder}", remedy="name a folder transformers saved")
    with _quiet():
        try:
            config = AutoConfig.from_pretrained(found.folder, local_files_only=True)
            if getattr(config, "is_encoder_decoder", False):
                raise InputError(
                    f"{found.name} is an encoder with a decoder ({config.model_type})",
                    remedy="name an encoder such as roberta-large, or a decoder such as SmolLM2",
                )
            module, loading = AutoModel.from_pretrained(
                found.folder,
                config=config,
                local_files_only=True,
                use_safetensors=True,
                attn_implementation="sdpa",
                output_loading_info=True,
                **_without_pooler(config),
            )
        except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise InputError(f"{found.name} cannot be loaded: {reason[0]}") from error
    _refuse_gaps(found, sorted([*loading["missing_keys"], *(entry[0] for entry in loading["mismatched_keys"])]))
    return _backbone(module.to(torch.float32), _tokenizer(found.folder), config)


def _from_gguf(found: Model) -> Backbone:
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoConfig, AutoModel

    from yarnstick.models.gguf import llama_config, llama_weights, read_gguf, tokenizer_json

    gguf = read_gguf(found.weights)
    numbers = llama_config(gguf)
    rope = {"rope_type": "default", "rope_theta": numbers["rope_theta"]}  # transformers 5 looks here, 4 above
    config = AutoConfig.for_model(numbers.pop("model_type"), **numbers, rope_parameters=rope)
    module = AutoModel.from_config(config, attn_implementation="sdpa")
    weights = {name: torch.from_numpy(array.copy()) for name, array in llama_weights(gguf)}
    _refuse_gaps(found, module.load_state_dict(weights, strict=False).missing_keys)
    return _backbone(module.to(torch.float32), Tokenizer.from_str(tokenizer_json(gguf)), config)


def _backbone(module: nn.Module, tokenizer: Tokenizer, config: Any) -> Backbone:
    tokenizer.no_truncation()  # some files carry a length that would cut stories in silence
    tokenizer.no_padding()
    around = tokenizer.encode("")
    marks = tuple(around.ids)
    # What stands before the text and what behind it cannot be told apart around an empty one.
    probe = tokenizer.encode("a")
    first = next((place for place, mark in enumerate(probe.special_tokens_mask) if not mark), len(marks))
    module.eval()
    module.requires_grad_(False)
    return Backbone(
        module=module,
        tokenizer=tokenizer,
        before=marks[:first],
        after=marks[first:],
        window=_window(config),
        layers=int(config.num_hidden_layers),
        width=int(config.hidden_size),
        decoder=_is_decoder(config),
        pad=int(getattr(config, "pad_token_id", None) or 0),
    )


def _window(config: Any) -> int:
    positions = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None)
    if not positions or positions < 0:
        return _USUAL_WINDOW
    if config.model_type in _POSITIONS_AFTER_PADDING:
        positions -= int(config.pad_token_id) + 1
    return min(int(positions), _LONGEST_WINDOW)


def _is_decoder(config: Any) -> bool:
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_FOR_MASKED_LM_MAPPING

    return type(config) in MODEL_FOR_CAUSAL_LM_MAPPING and type(config) not in MODEL_FOR_MASKED_LM_MAPPING


def _without_pooler(config: Any) -> dict[str, bool]:
    """A pooler is no part of any token's state, and many checkpoints do not have one."""
    import inspect

    from transformers import MODEL_MAPPING

    kind = MODEL_MAPPING.get(type(config), None)
    known = inspect.signature(kind).parameters if isinstance(kind, type) else {}
    return {"add_pooling_layer": False} if "add_pooling_layer" in known else {}


def _tokenizer(folder: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        if (folder / "tokenizer.json").is_file():
            return Tokenizer.from_file(str(folder / "tokenizer.json"))
        from transformers import AutoTokenizer

        slow = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # `tokenizers` raises the plainest of exceptions
        raise InputError(f"the tokenizer in {folder} cannot be read: {str(error).splitlines()[0]}") from error
    fast: Tokenizer | None = getattr(slow, "backend_tokenizer", None)
    if fast is None:
        raise InputError(f"{folder} has no fast tokenizer", remedy="a tokenizer.json is needed")
    return fast


def _refuse_gaps(found: Model, missing: list[str]) -> None:
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(
            f"{found.name} lacks weights its config.json asks for: {missing[0]}{more}",
            remedy="scores would come from random numbers; name a whole checkpoint",
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """Heads that are left out are as intended, and weights that are missing are said by us."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
