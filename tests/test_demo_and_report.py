"""The demo, offline, as the README promises it; the page it writes; the picture; hostile names in them."""

from __future__ import annotations

import html.parser
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import yarnstick as ys
from yarnstick.engine.summary import Average, Summary
from yarnstick.report import dot_plot, score_page

HOSTILE = ["</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a" * 300, "&amp; <b>", "שלום", ""]

#: run with the network functions taken away: what needs them fails loudly
OFFLINE = """
import socket, sys
def refused(*_a, **_k): raise RuntimeError("the network was used")
socket.socket.connect = refused
socket.getaddrinfo = refused
from yarnstick.cli import main
sys.argv = ["yarnstick", *sys.argv[1:]]
main()
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "out"
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, "demo", "-o", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "BLEU" in done.stdout
    assert "good 16, repetitive 16, incoherent 16, contradictory 16, off-prompt 16" in done.stdout
    return folder


def summary_of(scores: ys.Scores) -> Summary:
    summary = Summary(list(scores.columns.values()))
    for batch in scores.to_arrow().to_batches():
        summary.add(batch)
    return summary


class Page(html.parser.HTMLParser):
    """Tags and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(text: str) -> Page:
    page = Page()
    page.feed(text)
    return page


def test_demo_writes_table_picture_and_page(demo: Path) -> None:
    scores = ys.Scores.read(demo / "scores.parquet")
    assert len(scores) == 80
    assert len(scores.columns) > 45
    assert all(column.signature and column.meaning for column in scores.columns.values())
    by_system = scores.to_pandas().groupby("system")["Repetition-3"].mean()
    assert by_system.idxmax() == "repetitive"
    ElementTree.parse(demo / "scores.svg")


def test_page_is_self_contained_and_says_what_numbers_mean(demo: Path) -> None:
    text = (demo / "report.html").read_text("utf-8")
    page = parsed(text)
    assert not [tag for tag, _ in page.tags if tag in ("script", "link", "iframe", "img")]
    assert not re.search(r"(?:src|href)\s*=", text)
    policy = [attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policy
    assert "default-src 'none'" in str(policy[0])
    words = " ".join(page.text)
    for needed in ("higher is better", "lower is better", "describes, does not judge", "yarnstick demo -o", "rev:1|"):
        assert needed in words
    scores = ys.Scores.read(demo / "scores.parquet")
    for name, column in scores.columns.items():
        assert name in words
        assert column.signature in words


def test_hostile_names_are_text_and_nothing_else() -> None:
    records = [{"story": f"The goose left {n} times.", "system": name, "id": str(n)} for n, name in enumerate(HOSTILE)]
    summary = summary_of(ys.score(records, "text"))
    text = score_page(summary, HOSTILE[0], command=HOSTILE[1], note=HOSTILE[3])
    page = parsed(text)
    assert not [tag for tag, _ in page.tags if tag in ("script", "img", "b")]
    assert "onerror" not in {name for _, attrs in page.tags for name in attrs}
    words = "".join(page.text)
    assert all(name in words for name in HOSTILE)
    ElementTree.fromstring(dot_plot(summary, ["Text length"], HOSTILE[0]))


def test_picture_draws_means_where_they_belong() -> None:
    records = [{"id": str(n), "story": "goose " * n, "system": "ab"[n % 2]} for n in (2, 4, 3, 9)]
    svg = ElementTree.fromstring(dot_plot(summary_of(ys.score(records, "length")), ["Text length"], "t"))
    space = "{http://www.w3.org/2000/svg}"
    circles = svg.findall(f".//{space}circle")
    titles = [circle.findtext(f"{space}title") for circle in circles]
    assert titles == ["3 ± 13", "6 ± 38"]
    # The wider interval sets the scale; both means lie inside the panel, the larger further right.
    x = [float(circle.attrib["cx"]) for circle in circles]
    assert 0 < x[0] < x[1] < 190


def test_summary_means_and_intervals() -> None:
    from scipy import stats

    values = [0.1, 0.4, 0.35, 0.8, 0.62]
    records = [{"id": str(n), "story": "a " * round(100 * value)} for n, value in enumerate(values)]
    (average,) = summary_of(ys.score(records, "length")).averages("all stories")
    lengths = [10.0, 40.0, 35.0, 80.0, 62.0]
    low, high = stats.t.interval(0.95, 4, loc=45.4, scale=stats.sem(lengths))
    assert average.mean == pytest.approx(45.4)
    assert average.half_width == pytest.approx((high - low) / 2)
    assert average.count == 5


def test_summary_leaves_out_what_is_undefined() -> None:
    summary = summary_of(ys.score(["One goose. Two.", ""], "counts"))
    assert summary.averages("all stories")[2].count == 1
    assert summary_of(ys.score([""], "counts")).averages("all stories")[2].text() == "undefined"


def test_averages_show_as_many_digits_as_the_interval_supports() -> None:
    assert Average(0.28311, 0.0123, 96).text() == "0.283 ±0.012"
    assert Average(1234.5, 88.0, 9).text() == "1234 ±88"
    assert Average(3.0, float("nan"), 1).text() == "3"


def test_page_in_a_real_browser(demo: Path, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium here")
    picture = tmp_path / "page.png"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    flags += ["--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}"]
    for width in (1440, 390):
        done = subprocess.run(
            [browser, *flags, f"--window-size={width},2000", "--enable-logging=stderr", f"--screenshot={picture}",
             f"file://{demo / 'report.html'}"],
            capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "HOME": str(tmp_path)},
        )  # fmt: skip
        assert picture.stat().st_size > 20_000, done.stderr
        assert "CONSOLE" not in done.stderr
        picture.unlink()
