"""The paper's recipe, the one its released code follows, ours, and those of the user's own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType

from yarnstick.errors import InputError
from yarnstick.union.perturb.recipe import Recipe

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        # UNION, section 3.2.
        "paper": Recipe("paper"),
        # What UNION's released code does, where it differs from the paper.
        "released": Recipe(
            "released",
            lead="first",
            repeated_share=(0.5, 0.5),
            sentence_share=(0.25, 0.75),
            word_share=(0.01, 0.15),
        ),
        # Ours: what neural generators do wrong, in stories of any length.
        "wide": Recipe(
            "wide",
            counts=(0.4, 0.3, 0.2, 0.1),
            weights=(
                ("repetition", 0.16),
                ("substitution", 0.26),
                ("reordering", 0.14),
                ("negation", 0.12),
                ("entities", 0.08),
                ("pronouns", 0.05),
                ("tense", 0.03),
                ("connectives", 0.04),
                ("ending", 0.09),
                ("truncation", 0.03),
            ),
            lead="first",
            sentences_a_place=6.0,
            repeat_words=0.25,
            most_copies=2,
            varied=0.4,
            substitute_words=0.35,
            word_share=(0.05, 0.2),
            related=0.5,
            adopted=0.7,
            whole_order=0.4,
            contracted=0.7,
        ),
    }
)


def read_recipe(source: str | os.PathLike[str]) -> Recipe:
    """A recipe by name, or from a TOML file of a recipe's fields; ``base`` names the one that gives the rest.

    >>> read_recipe("paper").counts
    (0.5, 0.2, 0.2, 0.1)
    """
    known = RECIPES.get(str(source))
    if known:
        return known
    path = Path(source)
    if path.suffix != ".toml":
        raise InputError(
            f"there is no recipe {str(source)!r}", remedy=f"recipes: {', '.join(RECIPES)}, or the path of a .toml file"
        )
    return _from_toml(path)


def _from_toml(path: Path) -> Recipe:
    import tomllib

    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError("cannot be read as a recipe", file=str(path), remedy="is it there?") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"is no TOML: {error}", file=str(path), remedy="see docs/perturbation.md") from error
    base = given.pop("base", "paper")
    if base not in RECIPES:
        raise InputError(f"base = {base!r} is no recipe", file=str(path), remedy=f"recipes: {', '.join(RECIPES)}")
    names = [each.name for each in fields(Recipe)]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise InputError(
            f"has no meaning for {', '.join(unknown)}", file=str(path), remedy=f"fields: {', '.join(names)}"
        )
    if isinstance(given.get("weights"), dict):
        given["weights"] = tuple(given["weights"].items())
    if isinstance(given.get("conceptnet"), str):  # a path beside the recipe
        given["conceptnet"] = str(path.parent / given["conceptnet"])
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
    try:
        return replace(RECIPES[base], **{"name": path.stem, **given})
    except InputError as error:
        raise InputError(error.message, file=str(path), remedy=error.remedy) from error
