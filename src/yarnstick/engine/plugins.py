"""Metrics from a Python file of the user's, known under the same name in every process."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from yarnstick.errors import MetricError, YarnstickError

_PLUGIN_MODULE = "yarnstick_plugin_"


def load_plugin(path: str | Path) -> ModuleType:
    """Import a Python file that registers metrics, under a name worker processes use too."""
    path = Path(path).resolve()
    if not path.is_file():
        raise MetricError(f"there is no metric file {path}", remedy="name a .py file")
    name = f"{_PLUGIN_MODULE}{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise MetricError(f"{path} is not a Python file", remedy="name a .py file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except YarnstickError:
        raise
    except Exception as error:
        raise MetricError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def loaded_plugins() -> list[str]:
    """The files loaded so far, for other processes to load."""
    return [str(module.__file__) for name, module in sys.modules.items() if name.startswith(_PLUGIN_MODULE)]
