"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import yarnstick
from yarnstick.optional import EXTRA_OF

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(yarnstick.__path__, "yarnstick.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        extra = EXTRA_OF.get((error.name or "").split(".")[0])
        if extra is None:
            raise
        pytest.skip(f"needs yarnstick[{extra}]")
    failed, _ = doctest.testmod(module)
    assert failed == 0
