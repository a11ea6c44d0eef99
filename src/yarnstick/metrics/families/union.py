"""UNION: a model that was taught to tell whole stories from damaged ones."""

from __future__ import annotations

from yarnstick.features import Batch
from yarnstick.metrics.card import Column
from yarnstick.metrics.registry import metric

DEFAULT_MODEL = "bundled:union-mini"


def _check(*, model: str, natural: bool) -> None:
    """Refuse before any work a model that is not here, is not whole, or was trained for another task."""
    from yarnstick.union.packed import read_for
    from yarnstick.union.shelf import find_packed

    read_for(find_packed(model), "union")


def _stamp(*, model: str, natural: bool) -> dict[str, str]:
    """Which model it was, whatever it is called by: the name it was trained under, and a digest."""
    from yarnstick.union.packed import read_for
    from yarnstick.union.shelf import find_packed

    packed = read_for(find_packed(model), "union")
    return {"weights": f"{packed.name}@{packed.identity[:12]}"}


@metric(
    name="union",
    family="trained",
    columns=[
        Column("UNION", "higher", 0, 1, "Probability that the story is whole, as people write them, and undamaged."),
        Column("UNION logit", "higher", None, None, "Log-odds of UNION: correlate this one, it does not saturate."),
    ],
    cost="heavy",
    paper="after Guan and Huang 2020 (UNION)",
    undefined="a story without a single token the model can read: empty, or white space only",
    caveat=(
        "A model trained on English stories, most of them short, that were damaged on purpose: repeated, reordered, "
        "contradicted, given parts of other stories. It knows nothing of what it was not shown: other languages, "
        "verse, facts, taste. Stories longer than its window are read whole, in windows that do not see each other. "
        "It is not meant to measure length: `yarnstick agree` shows what is left of its agreement once length is "
        "taken out. `yarnstick models show union-mini` is the model's own card."
    ),
    option_help={
        "model": "bundled:union-mini, union-base (once: yarnstick models get union-base), or path:FOLDER",
        "natural": "read text as the model was taught to: tokens joined, capitals and names given back where a corpus "
        "took them, quotes straight, white space single. Say no for a model that was trained with placeholders",
    },
    libraries=("onnxruntime", "tokenizers"),
    check=_check,
    stamp=_stamp,
)
def union(batch: Batch, *, model: str = DEFAULT_MODEL, natural: bool = True) -> dict[str, list[float]]:
    """How likely a story is whole and undamaged, judged by a trained model that needs no reference."""
    from yarnstick.union.prose import prose
    from yarnstick.union.runtime import open_runtime, probability
    from yarnstick.union.shelf import find_packed

    runtime = open_runtime(find_packed(model))
    odds = runtime.log_odds(batch.each(prose, batch.stories) if natural else batch.stories)
    return {"UNION": probability(odds).tolist(), "UNION logit": odds.tolist()}
