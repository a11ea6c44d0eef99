"""Where every story stands in a cube: its system and its prompt, found by story id."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from yarnstick.errors import InputError

#: what names a story: its id; its id and system where ids come again under several systems
Key = Hashable
#: id, system, prompt_id
Told = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Places:
    """The systems and prompts in order of first appearance, and each story's place among them."""

    systems: tuple[str, ...]
    prompts: tuple[str, ...]
    of: dict[Key, tuple[int, int]]

    def only(self, keys: Iterable[Key]) -> Places:
        """Keep these stories, and of systems and prompts those that any of them is of."""
        kept = {key: self.of[key] for key in keys}
        systems = sorted({system for system, _ in kept.values()})
        prompts = sorted({prompt for _, prompt in kept.values()})
        system_to = {old: new for new, old in enumerate(systems)}
        prompt_to = {old: new for new, old in enumerate(prompts)}
        return Places(
            tuple(self.systems[place] for place in systems),
            tuple(self.prompts[place] for place in prompts),
            {key: (system_to[system], prompt_to[prompt]) for key, (system, prompt) in kept.items()},
        )


def place_stories(stories: Mapping[Key, Told], what: str) -> Places:
    """Places for stories; ``what`` they are of is named in errors.

    A story without a prompt is its own prompt; stories without a system are all of one, named "".
    """
    systems: dict[str, int] = {}
    prompts: dict[tuple[str, bool], int] = {}
    of: dict[Key, tuple[int, int]] = {}
    taken: dict[tuple[int, int], str] = {}
    for key, (id, system, prompt) in stories.items():
        row = systems.setdefault(system or "", len(systems))
        column = prompts.setdefault((id, False) if prompt is None else (prompt, True), len(prompts))
        if (row, column) in taken:
            raise InputError(
                f"{what} have two stories of system {system or ''!r} for prompt {prompt!r}: "
                f"{taken[row, column]!r} and {id!r}",
                remedy="give each its own prompt_id, or keep one of them",
            )
        taken[row, column] = id
        of[key] = (row, column)
    return Places(tuple(systems), tuple(name for name, _ in prompts), of)


def ids_come_again(told: list[Told]) -> bool:
    """Whether one id stands under several systems (a prompt's number used as the id, for instance)."""
    named = {(id, system) for id, system, _ in told if system is not None}
    return len(named) > len({id for id, _ in named})


def name_of(key: Key) -> str:
    """A story's id, for a message."""
    return str(key[0] if isinstance(key, tuple) else key)


def examples_of(keys: Iterable[Key]) -> str:
    """The first few ids, for a message."""
    names = list(dict.fromkeys(map(name_of, keys)))
    return ", ".join(repr(name) for name in names[:3]) + (", …" if len(names) > 3 else "") if names else "none"
