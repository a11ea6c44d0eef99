"""What the registry refuses, and what a signature keeps."""

from __future__ import annotations

import subprocess
import sys

import pytest

from yarnstick import Column, MetricError, all_metrics, metric
from yarnstick.metrics.signature import Signature


@pytest.mark.parametrize(
    ("card", "says"),
    [
        ({"name": "two words"}, "its name may not be empty or hold spaces"),
        ({"name": ""}, "its name may not be empty"),
        ({"needs": ("prompt",)}, "needs must hold 'story'"),
        ({"needs": ("story", "author")}, "only story, prompt, reference, system"),
        ({"cost": "free"}, "cost must be one of trivial, cheap, moderate, heavy"),
        ({"columns": []}, "at least one column"),
        ({"columns": [Column("A"), Column("A")]}, "each with a name of its own"),
        ({"presets": {"p": {"beta": 1}}}, "preset 'p' sets unknown options beta"),
        ({"name": "chrf"}, "two metrics are called 'chrf': yarnstick.metrics.families.overlap.chrf and"),
    ],
)
def test_a_bad_card_is_refused_where_it_is_written(card: dict[str, object], says: str) -> None:
    all_metrics()
    with pytest.raises(MetricError) as caught:
        metric(**{"name": "mine", "family": "f", "columns": [Column("A")], **card})(lambda batch: [])  # type: ignore[arg-type]
    assert says in str(caught.value)
    assert "mine" not in all_metrics()


def test_an_option_needs_a_simple_default() -> None:
    def mine(batch: object, *, words: list[str] = []) -> list[float]:  # noqa: B006
        return []

    with pytest.raises(MetricError, match=r"option 'words' of .*mine has no simple default"):
        metric(name="mine", family="f", columns=[Column("A")])(mine)


def test_a_direction_must_be_one_we_know() -> None:
    with pytest.raises(ValueError, match="direction must be one of higher, lower, neutral"):
        Column("A", "up")  # type: ignore[arg-type]


def test_signatures_are_read_back_whatever_they_hold() -> None:
    signature = Signature("odd|name", {"a:b": "c|d", "e": "100%", "f": "", "g": "a:b"})
    assert Signature.parse(str(signature)) == signature
    assert "|a%3Ab:c%7Cd|" in str(signature)


def test_a_text_that_is_no_signature_is_refused() -> None:
    from yarnstick import YarnstickError

    with pytest.raises(YarnstickError, match="is not a signature"):
        Signature.parse("chrf|beta")


def test_signatures_name_the_libraries_a_number_depends_on() -> None:
    import sacrebleu

    import yarnstick as ys

    scores = ys.score([{"story": "a b", "reference": "a c"}], ["ter", "chrf"])
    assert f"sacrebleu:{sacrebleu.__version__}" in scores.signatures["TER"]
    assert "sacrebleu" not in scores.signatures["chrF"]


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    program = (
        "import sys, time; start = time.perf_counter()\n"
        "import yarnstick.cli as cli\n"
        "sys.argv = ['yarnstick', '--help']\n"
        "try: cli.main()\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'pyarrow', 'scipy', 'rich', 'sacrebleu', 'pandas', 'torch'} & set(sys.modules)\n"
        "print('TIME', time.perf_counter() - start, heavy or 'none')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    _, seconds, heavy = done.stdout.splitlines()[-1].split(maxsplit=2)
    assert heavy == "none"
    assert float(seconds) < 0.5
    assert "score" in done.stdout
    assert "Score a file of stories with metrics." in done.stdout


def test_importing_yarnstick_imports_nothing_heavy() -> None:
    program = (
        "import sys, yarnstick; print({'numpy', 'pyarrow', 'scipy', 'rich', 'click'} & set(sys.modules) or 'none')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "none"


def test_public_names_are_what_they_were() -> None:
    import yarnstick as ys

    assert sorted(ys.__all__) == [
        "Batch", "Card", "Column", "InputError", "Judged", "MetricError", "MissingExtraError", "OutputError", "Ratings",
        "ScoreStore", "Scores", "Story", "StorySet", "YarnstickError", "__version__", "agree", "all_metrics", "compare",
        "corpus", "judge", "metric", "read", "read_ratings", "robustness", "sample", "score", "write_stories",
    ]  # fmt: skip
    for name in ys.__all__:
        assert getattr(ys, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = ys.nothing
