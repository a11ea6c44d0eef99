"""A trained model as a folder: numbers, weights, tokenizer, card, and a digest of each file.

The digests stand in ``union.json``, which is written last: a folder that was half written, or changed since, is
noticed. Weights are safetensors; a pickle is never opened.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from yarnstick.errors import InputError
from yarnstick.models.naming import find_model, sha256_of
from yarnstick.union.adapter import adapter_weights, attach, merge
from yarnstick.union.bases import empty_backbone, is_decoder, load_base
from yarnstick.union.calibration import Calibration
from yarnstick.union.encoding import Reader
from yarnstick.union.model import StoryModel
from yarnstick.union.settings import Settings
from yarnstick.version import __version__

if TYPE_CHECKING:
    from yarnstick.union.bases import Base

FORMAT = "yarnstick-union/1"
NUMBERS = "union.json"
_HEADS = ("story_head.weight", "story_head.bias", "token_head.weight", "token_head.bias")
_REMEDY = "fetch or train the model again"
_PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")


class Saved(NamedTuple):
    """A model read back, ready to score."""

    model: StoryModel
    reader: Reader
    calibration: Calibration
    about: dict[str, Any]


def save(
    folder: Path, model: StoryModel, base: Base, reader: Reader, settings: Settings, calibration: Calibration, card: str
) -> None:
    """Write the model; what stood in ``folder`` under the same names is replaced file by file."""
    from safetensors.torch import save as packed

    weights = adapter_weights(model.backbone) if settings.rank else model.backbone.state_dict()
    weights = {**weights, **{name: model.state_dict()[name] for name in _HEADS}}
    contents = {
        "weights.safetensors": packed(
            {name: _half(name, weight) for name, weight in weights.items()}, {"format": "pt"}
        ),
        "tokenizer.json": reader.tokenizer_json.encode(),
        "README.md": card.encode(),
    }
    (folder / NUMBERS).unlink(missing_ok=True)
    for name, content in contents.items():
        _put(folder / name, content)
    about = {
        "format": FORMAT,
        "name": settings.name,
        "architecture": base.architecture,
        "config": base.config,
        "base": {"name": base.name, "sha256": base.sha256} if settings.rank else None,
        "adapter": {"rank": settings.rank, "alpha": settings.alpha} if settings.rank else None,
        "pooling": model.pooling,
        "window": reader.window,
        "before": list(reader.before),
        "after": list(reader.after),
        "calibration": calibration._asdict(),
        "recipe": settings.recipe,
        "task": settings.task,
        # Whether the second head was taught anything: where it was not, nobody should be shown what it says.
        "places": settings.places > 0,
        "seed": settings.seed,
        "yarnstick": __version__,
        "files": {name: sha256_of(folder / name) for name in contents},
    }
    _put(folder / NUMBERS, json.dumps(about, indent=1, ensure_ascii=False).encode() + b"\n")


def add_to_card(folder: Path, section: str) -> None:
    """Put a section at the end of a saved model's card."""
    about = read_numbers(folder)
    _put(folder / "README.md", ((folder / "README.md").read_text("utf-8") + section).encode())
    about["files"]["README.md"] = sha256_of(folder / "README.md")
    _put(folder / NUMBERS, json.dumps(about, indent=1, ensure_ascii=False).encode() + b"\n")


def read_numbers(folder: Path) -> dict[str, Any]:
    """``union.json`` of a folder whose files are as they were written."""
    try:
        about = json.loads((folder / NUMBERS).read_text("utf-8"))
    except FileNotFoundError as error:
        found = next((path for path in sorted(folder.glob("*")) if path.suffix in _PICKLED), None)
        why = f"; {found.name} is a pickle, which is never opened" if found else ""
        raise InputError(f"{folder} holds no finished model: there is no {NUMBERS}{why}", remedy=_REMEDY) from error
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / NUMBERS} cannot be read: {error}", remedy=_REMEDY) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        kind = about.get("format") if isinstance(about, dict) else None
        raise InputError(
            f"{folder} holds a model in the format {kind!r}, not {FORMAT!r}",
            remedy="it needs another version of yarnstick",
        )
    wanted = {"weights.safetensors", "tokenizer.json"}
    files = about.get("files") or {}
    if "model.onnx" in files:
        raise InputError(
            f"{folder} is packed for scoring, and cannot be taken apart",
            remedy="name the folder it was packed from, as `yarnstick train union -o` wrote it",
        )
    if not wanted <= set(files):
        raise InputError(f"{folder / NUMBERS} lacks the digest of {sorted(wanted - set(files))[0]}", remedy=_REMEDY)
    for name in sorted(wanted):
        path = folder / name
        if not path.is_file():
            raise InputError(f"{folder} is incomplete: there is no {name}", remedy=_REMEDY)
        if sha256_of(path) != files[name]:
            raise InputError(f"{path} is not the file that was saved: it is damaged or another's", remedy=_REMEDY)
    return about


def load(folder: Path) -> Saved:
    """Read a model back, adapters merged into their base."""
    from safetensors.torch import load_file

    about = read_numbers(folder)
    weights = {name: weight.float() for name, weight in load_file(folder / "weights.safetensors").items()}
    heads = {name: weights.pop(name) for name in _HEADS if name in weights}
    try:
        backbone = _backbone(about, weights)
        model = StoryModel(backbone, decoder=is_decoder(backbone.config), pooling=about["pooling"])
        missing = model.load_state_dict(heads, strict=False)
        if missing.unexpected_keys or set(_HEADS) & set(missing.missing_keys):
            raise KeyError("a head is missing")
        calibration = Calibration(float(about["calibration"]["slope"]), float(about["calibration"]["intercept"]))
        reader = Reader(
            (folder / "tokenizer.json").read_text("utf-8"),
            tuple(about["before"]),
            tuple(about["after"]),
            int(about["window"]),
        )
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"the model in {folder} does not fit together: {reason}", remedy=_REMEDY) from error
    return Saved(model.eval(), reader, calibration, about)


def _backbone(about: dict[str, Any], weights: dict[str, Tensor]) -> torch.nn.Module:
    if not about["adapter"]:
        backbone = empty_backbone(about["config"])
        backbone.load_state_dict(weights)
        return backbone
    named = about["base"]
    found = find_model(named["name"])
    if found.sha256 != named["sha256"]:
        raise InputError(
            f"{named['name']} is not the base this model was trained on (sha256 {found.sha256[:12]}…, "
            f"not {named['sha256'][:12]}…)",
            remedy="install the version it was trained with",
        )
    backbone = load_base(named["name"]).backbone
    attach(backbone, int(about["adapter"]["rank"]), float(about["adapter"]["alpha"]))
    refused = backbone.load_state_dict(weights, strict=False)
    lacking = [name for name in refused.missing_keys if ".lora_" in name]
    if refused.unexpected_keys or lacking:
        raise KeyError(f"{(refused.unexpected_keys or lacking)[0]} is out of place")
    merge(backbone)
    return backbone


def _half(name: str, weight: Tensor) -> Tensor:
    half = weight.detach().cpu().to(torch.float16).contiguous().clone()
    if weight.is_floating_point() and not bool(torch.isfinite(half).all()):
        raise InputError(f"{name} does not fit into half precision: the training went astray")
    return half


def _put(path: Path, content: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
