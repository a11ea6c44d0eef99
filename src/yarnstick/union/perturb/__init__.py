"""Stories damaged on purpose, the way neural generators damage them, with what was done where."""

from yarnstick.union.perturb.damage import chain, damage
from yarnstick.union.perturb.edits import CannotPerturb, Edit, Negative, restored
from yarnstick.union.perturb.pool import Pool
from yarnstick.union.perturb.recipe import TECHNIQUES, Recipe
from yarnstick.union.perturb.recipes import RECIPES, read_recipe

__all__ = [
    "RECIPES",
    "TECHNIQUES",
    "CannotPerturb",
    "Edit",
    "Negative",
    "Pool",
    "Recipe",
    "chain",
    "damage",
    "read_recipe",
    "restored",
]
