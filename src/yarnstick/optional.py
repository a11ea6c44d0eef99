"""The one place optional libraries are imported, so that the error always names the extra to install."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from yarnstick.errors import MissingExtraError

#: which extra of yarnstick brings which library
EXTRA_OF = {
    "pandas": "frames",
    "polars": "frames",
    "datasets": "hub",
    "pycocoevalcap": "meteor",
    "torch": "torch",
    "transformers": "torch",
    "ot": "torch",
    "altair": "report",
    "vl_convert": "report",
    "starlette": "annotate",
    "uvicorn": "annotate",
    "ray": "ray",
}


def require(library: str, purpose: str) -> ModuleType | Any:
    """Import an optional ``library`` or say which extra brings it.

    >>> require("math", "counting").sqrt(4.0)
    2.0
    """
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != library.split(".")[0]:
            raise  # the library is there, something it needs is not: its own message is the right one
        top = library.split(".")[0]
        extra = EXTRA_OF.get(top)
        install = f"pip install 'yarnstick[{extra}]'" if extra else f"pip install {top}"
        raise MissingExtraError(f"{purpose} needs {top}, which is not installed", remedy=install) from error
