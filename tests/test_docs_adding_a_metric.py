"""docs/adding-a-metric.md, followed word for word: its files are written, its commands run, its claims checked."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "adding-a-metric.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    name = re.search(r"Save this as `(\w+\.py)`", PAGE)
    assert name
    (tmp_path / name[1]).write_text(blocks("python")[0])
    records = [{"story": '"Stop," said the fox.'}, {"story": "The goose said nothing."}, {"story": ""}]
    (tmp_path / "stories.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return tmp_path


def test_its_commands_work(folder: Path) -> None:
    commands = [line[2:] for line in blocks("console")[0].splitlines() if line.startswith("$ ")]
    assert len(commands) == 3
    outputs = []
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "yarnstick"
        done = subprocess.run(
            [sys.executable, "-m", "yarnstick", *arguments], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert "dialogue: How much of the story is spoken." in outputs[0]
    assert "· Dialogue  (0 to 1; describes, does not judge)" in outputs[0]
    assert "marks=no  count the quotation marks themselves" in outputs[0]
    assert "undefined   an empty story" in outputs[0]
    assert outputs[1].splitlines()[1].split()[:2] == ["Dialogue", "·"]
    rows = (folder / "scores.csv").read_text().splitlines()
    assert rows[0] == "id,system,prompt_id,Dialogue,Text length"
    assert rows[1].startswith(f"1,,,{7 / 21},")
    assert rows[3] == "3,,,,0.0"


def test_its_python_works(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", blocks("python")[1]], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_its_entry_point_works(folder: Path) -> None:
    """A package of one's own, as pip would install it: a module and its metadata on the path."""
    entry = blocks("toml")[0]
    group = re.search(r'entry-points\."([\w.]+)"', entry)
    module = re.search(r'= "([\w.]+)"', entry)
    assert group
    assert module
    package = folder / "site" / module[1].split(".")[0]
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (folder / "dialogue.py").rename(package / "dialogue.py")
    info = folder / "site" / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group[1]}]\ndialogue = {module[1]}\n")
    path = os.pathsep.join(filter(None, [str(folder / "site"), os.environ.get("PYTHONPATH")]))
    for workers in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "yarnstick", "score", "stories.jsonl", "-m", "dialogue", "-o", "-", "--workers", workers],
            cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert [json.loads(line)["Dialogue"] for line in done.stdout.splitlines()] == [5 / 21, 0.0, None]
    (package / "dialogue.py").write_text("import nothing_like_this\n")
    done = subprocess.run(
        [sys.executable, "-m", "yarnstick", "metrics"],
        cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "entry point 'dialogue' (my_package.dialogue) cannot be loaded" in done.stderr


def test_a_file_in_the_families_folder_is_found(folder: Path) -> None:
    """ "In yarnstick": a copy of the package with one more file in the folder the page names."""
    import shutil

    import yarnstick

    source = Path(yarnstick.__file__).parent
    shutil.copytree(source, folder / "copy" / "yarnstick", ignore=shutil.ignore_patterns("__pycache__"))
    place = re.search(r"save the file as `src/(yarnstick/metrics/families/dialogue\.py)`", PAGE)
    assert place
    (folder / "copy" / place[1]).write_text((folder / "dialogue.py").read_text())
    (folder / "dialogue.py").unlink()
    done = subprocess.run(
        [sys.executable, "-m", "yarnstick", "metrics", "dialogue"],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(folder / "copy")}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "How much of the story is spoken." in done.stdout


def test_what_the_page_names_exists() -> None:
    for path in re.findall(r"`((?:metrics|tests|src)/[\w/]+\.py)`", PAGE):
        if path.endswith("dialogue.py"):
            continue
        assert (ROOT / path).exists() or (ROOT / "src" / "yarnstick" / path).exists(), path
