"""Where every story stands in a cube: its system and its prompt, found by story id."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

#: what names a story: its id; its id and system where ids come again under several systems
Key = Hashable
#: id, system, prompt_id
Told = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Places:
    """The systems and prompts in order of first appearance, and each story's place among them.

    A system may have told a prompt several times: each prompt then has ``samples`` columns, and ``of`` names the one.
    """

    systems: tuple[str, ...]
    prompts: tuple[str, ...]
    samples: int
    of: dict[Key, tuple[int, int]]

    def only(self, keys: Iterable[Key]) -> Places:
        """Keep these stories, and of systems and prompts those that any of them is of."""
        cells = {key: (self.of[key][0], self.of[key][1] // self.samples) for key in keys}
        systems = sorted({system for system, _ in cells.values()})
        prompts = sorted({prompt for _, prompt in cells.values()})
        system_to = {old: new for new, old in enumerate(systems)}
        prompt_to = {old: new for new, old in enumerate(prompts)}
        return _numbered(
            tuple(self.systems[place] for place in systems),
            tuple(self.prompts[place] for place in prompts),
            {key: (system_to[system], prompt_to[prompt]) for key, (system, prompt) in cells.items()},
        )


def place_stories(stories: Mapping[Key, Told]) -> Places:
    """Places for stories. One without a prompt is its own prompt; those without a system are all of one, named ""."""
    systems: dict[str, int] = {}
    prompts: dict[tuple[str, bool], int] = {}
    cells: dict[Key, tuple[int, int]] = {}
    for key, (id, system, prompt) in stories.items():
        row = systems.setdefault(system or "", len(systems))
        cells[key] = (row, prompts.setdefault((id, False) if prompt is None else (prompt, True), len(prompts)))
    return _numbered(tuple(systems), tuple(name for name, _ in prompts), cells)


def _numbered(systems: tuple[str, ...], prompts: tuple[str, ...], cells: dict[Key, tuple[int, int]]) -> Places:
    """The stories of one system and prompt stand in their own order in the columns of that prompt."""
    told: dict[tuple[int, int], int] = {}
    number: dict[Key, int] = {}
    for key, cell in cells.items():
        number[key] = told[cell] = told.get(cell, -1) + 1
    samples = 1 + max(told.values(), default=0)
    of = {key: (row, prompt * samples + number[key]) for key, (row, prompt) in cells.items()}
    return Places(systems, prompts, samples, of)


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
