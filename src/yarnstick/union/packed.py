"""A packed model as a folder: `model.onnx`, `tokenizer.json`, and `union.json` with the digest of each.

What scoring reads, and all it reads: a pickle is never opened, and a file that is not the one that was packed is
refused. Digests of small files are cheap; that of the model itself is taken once and remembered in the cache.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from yarnstick.errors import InputError, MetricError
from yarnstick.models.naming import sha256_of
from yarnstick.stories.corpora.cache import cache_folder
from yarnstick.union.calibration import Calibration
from yarnstick.union.encoding import Reader

FORMAT = "yarnstick-union/1"
NUMBERS, MODEL, TOKENIZER, CARD = "union.json", "model.onnx", "tokenizer.json", "README.md"
TRAINED = "weights.safetensors"
#: which metric scores with a model of which task
_METRICS = {"union": "union", "disscore": "disscore", "ruber": "ruber-u"}
_PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
_REMEDY = "fetch or pack the model again"
#: what a score is a function of; the card and the run's seed are not
_TELLING = ("calibration", "window", "before", "after", "pooling")


class Packed(NamedTuple):
    """What `union.json` says of a packed model, checked; nothing heavy is loaded yet."""

    folder: Path
    about: Mapping[str, Any]
    calibration: Calibration
    #: a digest of everything its scores are a function of
    identity: str

    @property
    def name(self) -> str:
        """What the model was called when it was trained."""
        return str(self.about.get("name", self.folder.name))

    @property
    def model(self) -> Path:
        """The network."""
        return self.folder / MODEL

    def reader(self) -> Reader:
        """What turns texts into windows of tokens; the tokenizer's digest is checked here."""
        raw = (self.folder / TOKENIZER).read_bytes()
        if hashlib.sha256(raw).hexdigest() != self.about["files"][TOKENIZER]:
            raise _damaged(self.folder / TOKENIZER)
        return Reader(
            raw.decode("utf-8"), tuple(self.about["before"]), tuple(self.about["after"]), int(self.about["window"])
        )


def read_numbers(folder: Path) -> dict[str, Any]:
    """``union.json`` of a folder, packed or only trained."""
    try:
        about = json.loads((folder / NUMBERS).read_text("utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{folder} holds no story model{_pickle_in(folder)}", remedy=_what_is_wanted()) from error
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / NUMBERS} cannot be read: {error}", remedy=_REMEDY) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        kind = about.get("format") if isinstance(about, dict) else None
        raise InputError(
            f"{folder} holds a model in the format {kind!r}, not {FORMAT!r}",
            remedy="it needs another version of yarnstick",
        )
    return about


def read_packed(folder: Path) -> Packed:
    """What a folder holds, or an error that says what is wrong with it."""
    about = read_numbers(folder)
    if not (folder / MODEL).is_file():
        if (folder / TRAINED).is_file():
            raise InputError(
                f"{folder} is a trained model that is not packed for scoring yet",
                remedy=f"yarnstick models pack {folder} -o {folder}-packed",
            )
        raise InputError(f"{folder} is incomplete: there is no {MODEL}{_pickle_in(folder)}", remedy=_REMEDY)
    if not (folder / TOKENIZER).is_file():
        raise InputError(f"{folder} is incomplete: there is no {TOKENIZER}", remedy=_REMEDY)
    try:
        files = {name: str(about["files"][name]) for name in (MODEL, TOKENIZER)}
        calibration = Calibration(float(about["calibration"]["slope"]), float(about["calibration"]["intercept"]))
        telling = {name: about[name] for name in _TELLING}
        if int(about["window"]) <= len(about["before"]) + len(about["after"]):
            raise ValueError("its window has no room for text")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{folder / NUMBERS} is incomplete: {_reason(error)}", remedy=f"{_REMEDY} with this version of yarnstick"
        ) from error
    said = json.dumps([files, telling], sort_keys=True)
    return Packed(folder, about, calibration, hashlib.sha256(said.encode()).hexdigest())


def metric_of(about: Mapping[str, Any]) -> str:
    """The metric that scores with this model, as -m takes it."""
    return _METRICS.get(str(about.get("task", "union")), "union")


def read_for(folder: Path, task: str) -> Packed:
    """What a folder holds, if it was trained for ``task``: a score of another task is another thing's name."""
    packed = read_packed(folder)
    found = packed.about.get("task", "union")
    if found != task:
        right = f"score with -m {_METRICS[found]}:model=path:{folder}, or " if found in _METRICS else ""
        raise MetricError(
            f"the model in {folder} was trained for the task {found!r}, not {task!r}",
            remedy=f"{right}name one that was trained with --set task={task}",
        )
    return packed


def check_model(packed: Packed) -> None:
    """Hold the network against its digest, once for as long as the file is not touched."""
    wanted, path = str(packed.about["files"][MODEL]), packed.model
    there = path.stat()
    seen = f"{path.resolve()}|{there.st_size}|{there.st_mtime_ns}|{there.st_ino}|{wanted}"
    note = cache_folder() / "models" / "verified" / hashlib.sha256(seen.encode()).hexdigest()[:32]
    if note.exists():
        return
    if sha256_of(path) != wanted:
        raise _damaged(path)
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.touch()
    except OSError:
        pass  # a cache that cannot be written to costs a fraction of a second each time, no more


def size_of(folder: Path) -> int:
    """Bytes of the files in a folder."""
    return sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())


def _damaged(path: Path) -> InputError:
    return InputError(f"{path} is not the file that was packed: it is damaged, cut short or another's", remedy=_REMEDY)


def _pickle_in(folder: Path) -> str:
    found = next((path.name for path in sorted(folder.glob("*")) if path.suffix in _PICKLED), None)
    return f"; {found} is a pickle, which is never opened" if found else ""


def _what_is_wanted() -> str:
    return f"a folder with {NUMBERS} is wanted, as `yarnstick train union` and `yarnstick models pack` write it"


def _reason(error: Exception) -> str:
    return f"there is no {error}" if isinstance(error, KeyError) else str(error)
