"""docs/union.md says what is there: every setting, every preset's numbers, and commands whose options exist."""

from __future__ import annotations

import dataclasses
import re
import shlex

import click
import pytest
from conftest import ROOT

from yarnstick.cli import group
from yarnstick.union.settings import PRESETS, Settings

PAGE = (ROOT / "docs" / "union.md").read_text("utf-8")
COMMANDS = [line.strip() for line in PAGE.splitlines() if re.match(r"    (?:\S+ .* -m )?yarnstick ", line)]


def test_every_setting_is_explained() -> None:
    explained = set(re.findall(r"`(\w+)`", " ".join(line for line in PAGE.splitlines() if line.startswith("| `"))))
    assert {field.name for field in dataclasses.fields(Settings)} <= explained


def test_the_presets_are_as_the_page_has_them() -> None:
    table = PAGE[PAGE.index("## Presets") : PAGE.index("## Settings")]
    rows = {
        cells[0]: cells[1:] for cells in (line.strip("| ").split(" | ") for line in table.splitlines() if "|" in line)
    }
    for place, name in enumerate(("paper", "base", "mini")):
        settings = PRESETS[name]
        assert f"`{settings.base}`" in rows["base model"][place]
        assert rows["damage"][place].startswith(f"`{settings.recipe}`")
        assert ("three" in rows["damage"][place]) == (settings.degrees == 3)
        assert ("distillation" in rows["losses"][place]) == (settings.distillation > 0)
        rate = re.match(r"(\S+),", rows["learning rate"][place])
        assert rate is not None
        assert float(rate[1]) == settings.learning_rate
        size = f"{settings.batch_tokens:,} tokens" if settings.batch_tokens else f"{settings.batch_texts} texts"
        assert size in rows["learning rate"][place]


@pytest.mark.parametrize("line", COMMANDS)
def test_its_commands_can_be_typed(line: str) -> None:
    command: click.Command = group
    words = shlex.split(line[line.index("yarnstick ") :])[1:]
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, line
        command, words = found, words[1:]
    command.make_context(command.name, words)  # raises where an option is unknown or a value is of the wrong kind


def test_there_are_commands_to_try() -> None:
    assert len(COMMANDS) > 15
