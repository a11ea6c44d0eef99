"""Where METEOR's data lies: function words and synonyms inside its jar, paraphrases in a file beside it.

yarnstick ships none of it, but has function words and synonyms of its own. Who has pycocoevalcap installed has both
files already; others point to a folder.
Data that a stage needs and that is nowhere to be found is an error, never a silent drop to fewer stages.
"""

from __future__ import annotations

import importlib.util
import os
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from yarnstick.errors import YarnstickError
from yarnstick.metrics.meteor_score.paraphrases import ParaphraseTable, load_paraphrases
from yarnstick.metrics.meteor_score.synonyms import (
    SynonymDictionary,
    synonyms_from_meteor,
    synonyms_from_wordnet,
)

#: a folder (or jar) with METEOR's data, for those who do not pass one
FOLDER_VARIABLE = "YARNSTICK_METEOR"

Need = Literal["function words", "synonym", "paraphrase"]
# What yarnstick has an own list for, by the option that asks for it.
_OWN: dict[Need, str] = {"function words": "function_words=own", "synonym": "synonyms=own"}
_REMEDY = (
    "pip install pycocoevalcap, or point YARNSTICK_METEOR or resources= to a folder that holds meteor-1.5.jar "
    "and data/paraphrase-en.gz; for synonyms alone, to a folder with WordNet 3.0's index.noun and its siblings"
)


class MissingMeteorDataError(YarnstickError, LookupError):
    """A METEOR stage was asked for whose data is not installed."""


@dataclass(frozen=True)
class MeteorResources:
    """The data files found in one place; each is read when first needed, once per process."""

    jar: Path | None = None
    paraphrase_file: Path | None = None
    wordnet: Path | None = None

    @property
    def function_words(self) -> frozenset[str]:
        """METEOR's own list of frequent words."""
        if self.jar is None:
            raise _missing("function words")
        return _function_words(self.jar)

    @property
    def synonyms(self) -> SynonymDictionary:
        """The synonyms of METEOR's jar or, failing that, of WordNet 3.0, where the jar's come from."""
        if self.jar is not None:
            return _meteor_synonyms(self.jar)
        if self.wordnet is not None:
            return _wordnet_synonyms(self.wordnet)
        raise _missing("synonym")

    @property
    def paraphrases(self) -> ParaphraseTable:
        """METEOR's English paraphrase table."""
        if self.paraphrase_file is None:
            raise _missing("paraphrase")
        return _paraphrases(self.paraphrase_file)


def find_resources(where: str | Path | None = None) -> MeteorResources:
    """Find METEOR's data in ``where``, else in ``$YARNSTICK_METEOR``, else in an installed pycocoevalcap.

    ``where`` is the jar or a folder. What is not there is missed when a stage needs it, not here.
    """
    place = where or os.environ.get(FOLDER_VARIABLE) or _installed_folder()
    if place is None:
        return MeteorResources()
    path = Path(place)
    if not path.exists():
        raise MissingMeteorDataError(f"no METEOR data at {path}: it does not exist", remedy=_REMEDY)
    folder = path.parent if path.is_file() else path
    return MeteorResources(
        jar=path if path.is_file() else _first(folder, "meteor-1.5.jar", "meteor-*.jar"),
        paraphrase_file=_first(folder, "data/paraphrase-en.gz", "paraphrase-en.gz"),
        wordnet=folder if (folder / "index.noun").exists() else None,
    )


def _installed_folder() -> Path | None:
    spec = importlib.util.find_spec("pycocoevalcap")  # finds it without importing its heavy needs
    for root in (spec.submodule_search_locations or []) if spec else []:
        if (Path(root) / "meteor").is_dir():
            return Path(root) / "meteor"
    return None


def _first(folder: Path, *patterns: str) -> Path | None:
    for pattern in patterns:
        for found in sorted(folder.glob(pattern)):
            return found
    return None


def _missing(need: Need) -> MissingMeteorDataError:
    stage = "METEOR's own function words" if need == "function words" else f"METEOR's {need} stage"
    remedy = f"{_REMEDY}; or take {_OWN[need]}, which needs none" if need in _OWN else _REMEDY
    return MissingMeteorDataError(f"{stage} needs data that is not installed", remedy=remedy)


@lru_cache(maxsize=4)
def _function_words(jar: Path) -> frozenset[str]:
    return frozenset(_member(jar, "function/english.words").split())


@lru_cache(maxsize=4)
def _meteor_synonyms(jar: Path) -> SynonymDictionary:
    return synonyms_from_meteor(_member(jar, "synonym/english.synsets"), _member(jar, "synonym/english.exceptions"))


@lru_cache(maxsize=4)
def _wordnet_synonyms(folder: Path) -> SynonymDictionary:
    return synonyms_from_wordnet(folder)


@lru_cache(maxsize=2)
def _paraphrases(file: Path) -> ParaphraseTable:
    try:
        return load_paraphrases(file)
    except (OSError, EOFError, ValueError) as error:
        raise MissingMeteorDataError(f"{file} is not METEOR's paraphrase table: {error}", remedy=_REMEDY) from error


def _member(jar: Path, name: str) -> str:
    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.read(name).decode("utf-8")
    except (KeyError, zipfile.BadZipFile) as error:
        raise MissingMeteorDataError(f"{jar} is not METEOR's jar: {error}", remedy=_REMEDY) from error
