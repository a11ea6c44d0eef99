"""From a trained folder to one that scores: weights and heads become `model.onnx`. NumPy does it all, no torch.

An adapter is put into its base first: W + (alpha / rank) B A. The folder is complete when `union.json` is there, which
is written last and holds the digests of the rest.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from yarnstick.errors import InputError
from yarnstick.models.graph_bert import bert_graph
from yarnstick.models.graph_llama import llama_graph
from yarnstick.models.graph_parts import Heads, Precision
from yarnstick.models.naming import Model, find_model, sha256_of
from yarnstick.models.safetensors_file import read_safetensors
from yarnstick.stories.files import atomic
from yarnstick.union.packed import CARD, MODEL, NUMBERS, TOKENIZER, TRAINED, read_numbers

#: an encoder bears eight bits, and ships in the wheel; a decoder does not, and is put together on the user's machine
_PRECISION: dict[str, Precision] = {"bert": "int8", "llama": "weights16"}
_GRAPHS = {"bert": bert_graph, "llama": llama_graph}
#: what a checkpoint with another head calls the bare model
_PREFIXES = ("model.", "bert.")
_HEADS = ("story_head.weight", "story_head.bias", "token_head.weight", "token_head.bias")
_REMEDY = "fetch or train the model again"

Arrays = dict[str, npt.NDArray[Any]]


def pack(source: Path, target: Path, *, base: str | None = None, precision: Precision | None = None) -> None:
    """Pack the trained folder ``source`` into the folder ``target``.

    ``base``: where an adapter's base is, if not where it says. ``precision``: see
    :data:`yarnstick.models.graph_parts.Precision`; what suits the architecture if not given.
    """
    about = read_numbers(source)
    _check_files(source, about)
    architecture = str(about["architecture"])
    if architecture not in _GRAPHS:
        raise InputError(
            f"a model of kind {architecture!r} cannot be packed", remedy=f"{' and '.join(_GRAPHS)} models can"
        )
    # Single precision from here on: what is summed before it is written must not be rounded in between.
    weights: Arrays = {
        name: np.asarray(array, np.float32) for name, array in read_safetensors(source / TRAINED).items()
    }
    heads = Heads(*(_taken(weights, name) for name in _HEADS))
    if about.get("adapter"):
        weights = _merged(weights, about, base)
    chosen = precision or _PRECISION[architecture]
    try:
        graph = _GRAPHS[architecture](about["config"], weights, heads, str(about["pooling"]), chosen)
    except KeyError as error:
        raise InputError(f"the model in {source} does not fit together: there is no {error}", remedy=_REMEDY) from error
    target.mkdir(parents=True, exist_ok=True)
    with atomic(target / MODEL) as stream:
        stream.write(graph.to_bytes({"yarnstick": about["format"], "name": str(about["name"]), "precision": chosen}))
    with atomic(target / TOKENIZER) as stream:
        stream.write(_whole_texts((source / TOKENIZER).read_bytes()))
    if (source / CARD).is_file():
        shutil.copyfile(source / CARD, target / CARD)
    told = {
        **about,
        "packed": {"precision": chosen, "weights": about["files"][TRAINED], "base": base},
        "files": {name: sha256_of(target / name) for name in (MODEL, TOKENIZER)},
    }
    with atomic(target / NUMBERS) as stream:
        stream.write(json.dumps(told, indent=1, ensure_ascii=False).encode() + b"\n")


def _check_files(source: Path, about: dict[str, Any]) -> None:
    digests = about.get("files") or {}
    for name in (TRAINED, TOKENIZER):
        path = source / name
        if not path.is_file():
            raise InputError(f"{source} is incomplete: there is no {name}", remedy=_REMEDY)
        if sha256_of(path) != digests.get(name):
            raise InputError(f"{path} is not the file that was saved: it is damaged or another's", remedy=_REMEDY)


def _whole_texts(tokenizer: bytes) -> bytes:
    """The tokenizer without a length it cuts or fills texts to: stories are read whole, in windows."""
    try:
        told = json.loads(tokenizer)
    except ValueError as error:
        raise InputError(f"{TOKENIZER} cannot be read: {error}", remedy=_REMEDY) from error
    if not told.get("truncation") and not told.get("padding"):
        return tokenizer
    return json.dumps({**told, "truncation": None, "padding": None}, ensure_ascii=False).encode()


def _merged(trained: Arrays, about: dict[str, Any], base: str | None) -> Arrays:
    """The base with the adapter's corrections put into it, and what was trained as a whole in its place."""
    named = about["base"]["name"] if base is None else base
    weights = _bare(find_model(named))
    scale = float(about["adapter"]["alpha"]) / int(about["adapter"]["rank"])
    for name, array in trained.items():
        if name.endswith(".lora_b"):
            continue
        whole = f"{name.removesuffix('.lora_a')}.weight" if name.endswith(".lora_a") else name
        if whole not in weights or (whole == name and weights[name].shape != array.shape):
            raise InputError(f"{named} is no base of this adapter: its {whole} does not fit", remedy="see its card")
        if whole == name:
            weights[name] = array
            continue
        low, high = array.astype(np.float32), trained[name.removesuffix("a") + "b"].astype(np.float32)
        if weights[whole].shape != (high.shape[0], low.shape[1]):
            raise InputError(f"{named} is no base of this adapter: its {whole} does not fit", remedy="see its card")
        weights[whole] = weights[whole] + scale * (high @ low)
    return weights


def _bare(found: Model) -> Arrays:
    """A base's weights in single precision under the names of the bare model."""
    if found.weights.suffix == ".gguf":
        from yarnstick.models.gguf import llama_weights, read_gguf

        return dict(llama_weights(read_gguf(found.weights)))
    if found.weights.suffix != ".safetensors":
        raise InputError(f"{found.name} is in several files", remedy="name one .safetensors or .gguf file with path:")
    return {
        _without_prefix(name): np.asarray(array, np.float32)
        for name, array in read_safetensors(found.weights).items()
        if np.issubdtype(array.dtype, np.floating)
    }


def _without_prefix(name: str) -> str:
    return next((name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)), name)


def _taken(weights: Arrays, name: str) -> npt.NDArray[np.floating]:
    if name not in weights:
        raise InputError(f"the trained model has no {name}", remedy=_REMEDY)
    return weights.pop(name).astype(np.float32)
