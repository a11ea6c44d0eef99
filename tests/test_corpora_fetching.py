"""Fetching corpora, from a real server on this machine: whole and verified, or not there at all."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from corpora_in_small import HANNA_ROWS, write_hanna, write_union

from yarnstick.errors import InputError, OutputError
from yarnstick.stories.corpora import CorpusFile, corpus, registry
from yarnstick.stories.corpora.cache import CHECKSUMS, cache_folder, corpus_folder
from yarnstick.stories.corpora.fetching import fetch_file


def test_the_cache_folder_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YARNSTICK_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert cache_folder() == Path("/a")
    assert cache_folder("/c") == Path("/c")
    monkeypatch.delenv("YARNSTICK_CACHE")
    assert cache_folder() == Path("/b/yarnstick")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == Path.home() / ".cache" / "yarnstick"
    assert corpus_folder("hanna", "/c") == Path("/c/corpora/hanna")


class Handler(BaseHTTPRequestHandler):
    """Serves what a test puts into ``content``; names that start with cut- are cut short."""

    content: ClassVar[dict[str, bytes]] = {}
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        name = self.path.lstrip("/")
        self.asked.append(name)
        if name not in self.content:
            self.send_error(404)
            return
        body = self.content[name]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if name.startswith("cut-") else body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    Handler.content, Handler.asked = {}, []
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_file_is_fetched_whole_with_its_progress_and_its_checksum_noted(server: str, tmp_path: Path) -> None:
    body = os.urandom(700_000)
    Handler.content["f.bin"] = body
    seen: list[tuple[str, int, int | None]] = []
    file = CorpusFile("f.bin", url=f"{server}/f.bin")
    path = fetch_file("c", file, tmp_path / "new", lambda *step: seen.append(step))
    assert path.read_bytes() == body
    assert leftovers(path.parent) == [CHECKSUMS, "f.bin"]
    assert seen[-1] == ("f.bin", len(body), len(body))
    assert [size for _, size, _ in seen] == sorted(size for _, size, _ in seen)
    note = json.loads((path.parent / CHECKSUMS).read_text("utf-8"))["f.bin"]
    assert note == {"sha256": hashlib.sha256(body).hexdigest(), "size": len(body), "url": file.url}


def test_a_cut_download_leaves_nothing_and_the_next_starts_over(server: str, tmp_path: Path) -> None:
    Handler.content["cut-f"] = b"x" * 1000
    file = CorpusFile("f", url=f"{server}/cut-f")
    with pytest.raises(
        InputError, match=rf"{server}/cut-f: cannot be fetched: the connection closed after 500 of 1000"
    ):
        fetch_file("c", file, tmp_path)
    assert leftovers(tmp_path) == []
    Handler.content["whole-f"] = b"x" * 1000
    assert fetch_file("c", CorpusFile("f", url=f"{server}/whole-f"), tmp_path).read_bytes() == b"x" * 1000


def test_a_missing_file_and_a_missing_server_say_what_to_do(server: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        fetch_file("hanna", CorpusFile("f.csv", url=f"{server}/f.csv"), tmp_path)
    assert "cannot be fetched: the server answers 404 Not Found" in str(caught.value)
    assert f"put it into {tmp_path}" in caught.value.remedy
    assert "yarnstick data hanna --folder DIR" in caught.value.remedy
    with pytest.raises(InputError, match=r"cannot be fetched: .*refused"):
        fetch_file("hanna", CorpusFile("f.csv", url="http://127.0.0.1:9/f.csv"), tmp_path)
    assert leftovers(tmp_path) == []


def test_a_download_that_is_not_what_was_pinned_is_thrown_away(server: str, tmp_path: Path) -> None:
    Handler.content["f"] = b"other"
    pinned, actual = hashlib.sha256(b"right").hexdigest(), hashlib.sha256(b"other").hexdigest()
    with pytest.raises(InputError) as caught:
        fetch_file("c", CorpusFile("f", url=f"{server}/f", sha256=pinned), tmp_path)
    assert f"has the sha256 {actual} where {pinned} (pinned by yarnstick) was expected" in str(caught.value)
    assert caught.value.remedy
    assert leftovers(tmp_path) == []


def test_a_cache_that_cannot_be_written_is_told(server: str, tmp_path: Path) -> None:
    Handler.content["f"] = b"f"
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(OutputError, match="cannot write"):
        fetch_file("c", CorpusFile("f", url=f"{server}/f"), tmp_path / "file" / "corpora")


@pytest.fixture
def served_hanna(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CorpusFile:
    """HANNA's shelf with its one file served here, its checksum unknown."""
    source = tmp_path / "served"
    source.mkdir()
    Handler.content["annotations"] = write_hanna(source, HANNA_ROWS).read_bytes()
    file = CorpusFile("hanna_stories_annotations.csv", url=f"{server}/annotations", evidence="none")
    shelf = registry.SHELVES["hanna"]
    card = replace(shelf.card, files=(file,))
    monkeypatch.setitem(registry.SHELVES, "hanna", replace(shelf, card=card))
    return file


def test_a_corpus_is_fetched_once_and_only_when_opened(served_hanna: CorpusFile, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with pytest.raises(InputError, match=r"hanna is not there .*--fetch"):
        corpus("hanna", cache=cache, fetch=False)
    assert Handler.asked == []
    for _ in range(2):
        assert len(corpus("hanna", cache=cache).stories) == 3
    assert Handler.asked == ["annotations"]
    assert len(corpus("hanna", cache=cache, fetch=False).ratings or ()) == 30


def test_a_cached_file_that_changed_is_refused_until_it_is_fetched_again(
    served_hanna: CorpusFile, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    corpus("hanna", cache=cache)
    path = corpus_folder("hanna", cache) / served_hanna.name
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    with pytest.raises(InputError) as caught:
        corpus("hanna", cache=cache)
    for part in (
        str(path), hashlib.sha256(whole).hexdigest(), hashlib.sha256(whole[:-40]).hexdigest(),
        "recorded when it was first fetched", "delete it and run `yarnstick data hanna --fetch`",
    ):  # fmt: skip
        assert part in str(caught.value)
    path.unlink()
    assert len(corpus("hanna", cache=cache).stories) == 3
    # What is served changed since the first fetch: refused until the user says that the new one is right.
    path.unlink()
    Handler.content["annotations"] = whole[:-40]
    with pytest.raises(InputError, match=r"take its entry out of .*checksums\.json"):
        corpus("hanna", cache=cache)
    assert not path.exists()


def test_a_spoilt_checksum_list_is_told(served_hanna: CorpusFile, tmp_path: Path) -> None:
    corpus("hanna", cache=tmp_path)
    (corpus_folder("hanna", tmp_path) / CHECKSUMS).write_text('{"f": 3}', "utf-8")
    with pytest.raises(InputError, match=r"checksums\.json: is not the checksum list yarnstick wrote"):
        corpus("hanna", cache=tmp_path)


def test_an_interrupted_fetch_of_several_files_is_not_taken_for_all_of_them(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = registry.SHELVES["union-wp"]
    write_union(tmp_path / "served")
    names = [file.name for file in shelf.card.files]
    assert names[-1] == "ant_data.txt"
    files = tuple(CorpusFile(name, url=f"{server}/{name}") for name in names)
    card = replace(shelf.card, files=files)
    monkeypatch.setitem(registry.SHELVES, "union-wp", replace(shelf, card=card))
    Handler.content = {name: (tmp_path / "served" / name).read_bytes() for name in names[:-1]}
    with pytest.raises(InputError, match="404"):
        corpus("union-wp", cache=tmp_path / "cache")
    with pytest.raises(InputError, match="union-wp is not there"):
        corpus("union-wp", cache=tmp_path / "cache", fetch=False)
    Handler.content[names[-1]] = (tmp_path / "served" / names[-1]).read_bytes()
    opened = corpus("union-wp", cache=tmp_path / "cache")
    assert [s.references for s in opened.stories] == [("it rained . she ran .",), ("she sang . all cheered .",)]
    assert Handler.asked == [*names, names[-1]], "what was there was not fetched again"


def test_importing_and_listing_the_corpora_does_not_even_load_the_network() -> None:
    code = (
        "import sys; from yarnstick.stories.corpora import corpora, sample; corpora(); next(iter(sample()));"
        "print([name for name in ('http.client', 'urllib.request', 'ssl') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
