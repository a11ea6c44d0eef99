"""Which English words can stand for each other, from a lexicon written for this project.

``synonyms.txt`` holds the groups. A word belongs to the groups that name it and to those of its base forms, and the
forms of one word are a group by themselves, so that "went" meets "goes" whether or not "go" has synonyms.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from yarnstick.text.base_forms import base_forms
from yarnstick.text.irregular_forms import bases_of_irregular_form


@lru_cache(maxsize=1)
def synonym_groups() -> tuple[tuple[str, ...], ...]:
    """All groups, the headword of its line first."""
    groups = []
    for line in files("yarnstick.text").joinpath("synonyms.txt").read_text("ascii").splitlines():
        if line and not line.startswith("#"):
            headword, senses = line.split(": ")
            groups += [(headword, *sense.split()) for sense in senses.split(";")]
    return tuple(groups)


@lru_cache(maxsize=1)
def _groups_of_base() -> dict[str, tuple[int, ...]]:
    """For each known base form the numbers of its groups, the first of which is its own."""
    groups = synonym_groups()
    of_base: dict[str, list[int]] = {}
    for bases in ({word: None for group in groups for word in group}, *bases_of_irregular_form().values()):
        for base in bases:
            of_base.setdefault(base, [len(groups) + len(of_base)])
    for number, group in enumerate(groups):
        for word in group:
            of_base[word].append(number)
    return {base: tuple(numbers) for base, numbers in of_base.items()}


@lru_cache(maxsize=65536)
def groups_of(word: str) -> frozenset[int]:
    """The numbers of the groups that a lower-case word belongs to by itself or by its base forms."""
    of_base = _groups_of_base()
    return frozenset(number for base in (word, *base_forms(word, of_base)) for number in of_base.get(base, ()))


def are_synonyms(one: str, other: str) -> bool:
    """Whether two words share a group; a word is a synonym of itself.

    >>> are_synonyms("went", "goes"), are_synonyms("children", "kid"), are_synonyms("dog", "cat")
    (True, True, False)
    """
    return one == other or not groups_of(one).isdisjoint(groups_of(other))
