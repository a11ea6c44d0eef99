"""Where the released data of the papers lies on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from yarnstick.errors import InputError

#: names a folder that holds hanna/ and union/
DATA_VARIABLE = "YARNSTICK_DATA"


def find_folder(name: str, given: Path | None, wanted: str) -> Path:
    """The folder with a paper's data: the one given, else ``$YARNSTICK_DATA/name``, else ``../shared/data/name``.

    With "" for ``name`` it is the one that holds them all.
    """
    places = [given] if given else []
    if not given:
        if os.environ.get(DATA_VARIABLE):
            places.append(Path(os.environ[DATA_VARIABLE]) / name)
        places.append(Path("../shared/data") / name)
    for place in places:
        if (place / wanted).is_file():
            return place
    held = f"{name}/" if name else wanted
    raise InputError(
        f"found no {wanted} in {' or '.join(map(str, places))}",
        remedy=f"name the folder with --folder, or set {DATA_VARIABLE} to the one that holds {held}",
    )
