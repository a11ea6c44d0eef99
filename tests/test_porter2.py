"""Porter2 against two other implementations: nltk's and the one in METEOR's jar."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from yarnstick.metrics.meteor_score import find_resources
from yarnstick.text.porter2 import stem

JAR = find_resources().jar


BASES = """act add age aim argue bake beg bias carry cheer commune connect cry dance debate decide deny die
    elect fair fall fate fear fit form free fulfil fly generate glad glory go grace grip happy heat hop hope ideal
    joy late lie lik logic lone magic man mercy move nation noise obey organ play popul proceed quick rat
    rely rot sad say see sense simple sing sky solve stay sun sweet tan tie try use vile walk wise yell young
    'n' it's arsen gener communi skis dying news inning howe exceed"""
ENDINGS = """ s es ies ed d ing ingly edly er ers est ly li y iness ness nesses ful fully fulness less lessly
    ous ously ousness ive ively iveness ivity al ally ality alism able ably ability ation ations ational ization
    izer ize ized ator ate atory ative ance ancy ence ency ment ments ement ion ism ist ogy ology ed'
    's 's' ' eed eedly yed ying lling tting"""


def every_word() -> list[str]:
    return sorted({base + ending for base in BASES.split() for ending in ["", *ENDINGS.split()]})


def test_porter2_against_nltk() -> None:
    snowball = pytest.importorskip("nltk.stem.snowball").SnowballStemmer("english")
    words = every_word()
    assert len(words) > 5000
    # nltk errs where step 2 shortens a word to "-ize" ("realize" for "realization", yet "realiz" for "realize")
    # and where an apostrophe follows an exception ("proceed's"). The jar agrees with us there (next test).
    differing = [word for word in words if stem(word) != snowball.stem(word)]
    assert [word for word in differing if not word.endswith(("ization", "izer")) and "'" not in word] == []
    assert len(differing) < len(words) / 50


@pytest.mark.skipif(JAR is None or shutil.which("java") is None, reason="needs java and METEOR's jar")
def test_porter2_against_the_jar() -> None:
    words = every_word()
    run = subprocess.run(
        ["java", "-cp", str(JAR), "Stemmer", "en"],
        input="\n".join(words) + "\n",
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert run.stdout.split("\n")[:-1] == [stem(word) for word in words]
