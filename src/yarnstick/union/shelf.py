"""Which packed model a name stands for: `bundled:union-mini`, `union-base`, `path:FOLDER`; and what is on this machine.

A bundled model is packed already, or it is an adapter: a few megabytes that are put together with their base once, by
`yarnstick models get`, and kept in the cache from then on.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from yarnstick.errors import InputError
from yarnstick.models.naming import bundled_folder
from yarnstick.stories.corpora.cache import cache_folder
from yarnstick.union.packed import CARD, MODEL, NUMBERS, TRAINED, read_numbers, size_of


class Listed(NamedTuple):
    """A model that comes with yarnstick, and whether it can score as it stands."""

    name: str
    ready: bool
    #: where its packed form is, or will be
    folder: Path
    size: int
    #: the base it is an adapter of; "" where it is whole
    base: str


def find_packed(name: str) -> Path:
    """The folder of a packed model; for one that is not there, the error says what to type."""
    kind, colon, rest = name.partition(":")
    if colon and kind == "path" and rest:
        folder = Path(rest).expanduser()
        if not folder.is_dir():
            raise InputError(f"there is no folder {folder}", remedy="check the path after path:")
        return folder
    if colon and kind == "bundled" and rest:
        return _bundled(rest)
    if not colon and is_bundled(name):
        return _bundled(name)
    if name and Path(name).expanduser().is_dir():  # Path("") is the folder one happens to be in
        return Path(name).expanduser()
    raise InputError(f"{name!r} names no story model", remedy=_known())


def is_bundled(name: str) -> bool:
    """Whether a model of this name comes with yarnstick."""
    return bool(name) and Path(name).name == name and (bundled_folder(name) / NUMBERS).is_file()


def bundled_models() -> list[Listed]:
    """Every model that comes with yarnstick."""
    home = bundled_folder("x").parent
    names = sorted(path.parent.name for path in home.glob(f"*/{NUMBERS}")) if home.is_dir() else []
    return [bundled_model(name) for name in names]


def bundled_model(name: str) -> Listed:
    """One of them."""
    folder = bundled_folder(name)
    if not is_bundled(name):
        raise InputError(f"no model {name!r} comes with this copy of yarnstick", remedy=_known())
    if (folder / MODEL).is_file():
        return Listed(name, True, folder, size_of(folder), "")
    if not (folder / TRAINED).is_file():
        raise InputError(f"{folder} is incomplete: there is no {MODEL}", remedy="install yarnstick again")
    base = read_numbers(folder).get("base") or {}
    packed = assembled_folder(name)
    ready = (packed / NUMBERS).is_file()
    return Listed(name, ready, packed, size_of(packed if ready else folder), str(base.get("name", "")))


def assembled_folder(name: str) -> Path:
    """Where a bundled adapter's packed form is kept; another adapter has another folder, a mended card has not."""
    numbers = json.loads((bundled_folder(name) / NUMBERS).read_text("utf-8"))
    numbers["files"] = {file: digest for file, digest in numbers["files"].items() if file != CARD}
    mark = hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:12]
    return assembled_root() / f"{name}-{mark}"


def assembled_root() -> Path:
    """The part of the cache that holds packed models."""
    return cache_folder() / "models" / "packed"


def _bundled(name: str) -> Path:
    model = bundled_model(name)
    if not model.ready:
        raise InputError(
            f"{name} is not put together yet", remedy=f"once: yarnstick models get {name}; then it works offline"
        )
    return model.folder


def _known() -> str:
    names = ", ".join(model.name for model in bundled_models())
    return (
        f"{f'bundled: {names}; ' if names else ''}a model of your own: path:FOLDER, packed by `yarnstick models pack`"
    )
