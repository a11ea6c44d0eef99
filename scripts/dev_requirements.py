"""Print the `dev` dependency group of pyproject.toml, for a pip too old to know groups."""

import tomllib
from pathlib import Path

print("\n".join(tomllib.loads(Path("pyproject.toml").read_text())["dependency-groups"]["dev"]))
