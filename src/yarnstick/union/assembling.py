"""Putting a model together for scoring, once: a trained folder is packed, a bundled adapter is joined with its base.

What is made appears under its name only when it is whole: a run that is killed leaves nothing that could be mistaken
for a model, and is simply started again.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from yarnstick.errors import InputError, OutputError
from yarnstick.models.naming import bundled_folder, find_model
from yarnstick.stories.files import explained
from yarnstick.union.packed import MODEL, NUMBERS, TRAINED, Packed, check_model, metric_of, read_numbers, read_packed
from yarnstick.union.shelf import assembled_root, bundled_model

#: drafts of runs that were killed are cleared away when they are this old
_STALE_SECONDS = 3600.0

Tell = Callable[[str], None]


def assemble(name: str, base: str = "", tell: Tell = lambda line: None) -> Packed:
    """Join a bundled adapter with its base into the cache; what is there already is checked and kept.

    ``base``: where to take the base from instead of the package it was trained with, ``path:…`` or ``hf:…``.
    """
    model = bundled_model(name)
    if not model.base:
        tell(f"{name} is whole as it comes: nothing to put together")
        return read_packed(model.folder)
    if model.ready and not base:
        packed = read_packed(model.folder)
        check_model(packed)
        tell(f"{name} is in {model.folder} already")
        return packed
    with explained(model.folder):
        assembled_root().mkdir(parents=True, exist_ok=True)
    pack_folder(bundled_folder(name), model.folder, base, tell)
    for old in assembled_root().glob(f"{name}-*"):
        if old != model.folder and _is_of(old, name):
            shutil.rmtree(old, ignore_errors=True)  # of a release that is no longer installed
    return read_packed(model.folder)


def pack_folder(source: Path, target: Path, base: str = "", tell: Tell = lambda line: None) -> Packed:
    """Pack a trained folder into another. ``base``: the base of an adapter, where it is not to be the one it names."""
    from yarnstick.union.pack import pack

    about = read_numbers(source)
    if (source / MODEL).is_file() and not (source / TRAINED).is_file():
        raise InputError(
            f"{source} is packed already", remedy=f"use it as it is: -m {metric_of(about)}:model=path:{source}"
        )
    named = about.get("base") or {}
    if base and not named:
        raise InputError(f"{source} is a whole model: it takes no base", remedy="leave --from out")
    if named:
        wanted = base or str(named["name"])
        tell(f"taking the base from {wanted}")
        found = find_model(wanted)
        if found.sha256 != named["sha256"]:
            tell(
                f"note: {wanted} is not the very file {named['name']} the model was trained on (sha256 "
                f"{found.sha256[:12]}…, not {str(named['sha256'])[:12]}…): scores will differ a little"
            )
    with _whole(target) as draft:
        pack(source, draft, base=base or None)
        packed = read_packed(draft)
        check_model(packed)
    tell(f"wrote {target}")
    return read_packed(target)


def forget(name: str) -> list[Path]:
    """Delete what the cache holds of a model; gives back what was deleted."""
    root = assembled_root()
    gone = [folder for folder in sorted(root.glob(f"{name}-*")) if _is_of(folder, name)] if root.is_dir() else []
    for folder in gone:
        with explained(folder):
            shutil.rmtree(folder)
    return gone


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """A folder to write to, which becomes ``target`` when everything is in it."""
    if target.exists() and not (target / NUMBERS).is_file() and (not target.is_dir() or any(target.iterdir())):
        raise OutputError(f"{target} is there and holds no model", remedy="name a folder that is new or empty")
    if not target.parent.is_dir():
        raise OutputError(f"cannot write {target}: there is no folder {target.parent}", remedy="make it first")
    for draft in target.parent.glob(f".{target.name}.*.tmp"):
        if time.time() - draft.stat().st_mtime > _STALE_SECONDS:
            shutil.rmtree(draft, ignore_errors=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    with explained(target):
        draft.mkdir()
        try:
            yield draft
            if target.is_dir():
                shutil.rmtree(target)
            draft.replace(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _is_of(folder: Path, name: str) -> bool:
    # "union-base-0123456789ab" is of "union-base", not of "union".
    mark = folder.name[len(name) + 1 :]
    return len(mark) == 12 and all(sign in "0123456789abcdef" for sign in mark)
