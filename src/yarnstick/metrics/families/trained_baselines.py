"""The two baselines of the UNION paper that have to be trained. None comes with yarnstick: a model is always named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from yarnstick.errors import MetricError
from yarnstick.features import Batch
from yarnstick.metrics.card import Column
from yarnstick.metrics.registry import metric
from yarnstick.union.packed import Packed, read_for
from yarnstick.union.prose import prose
from yarnstick.union.shelf import find_packed

_MODEL_HELP = "path:FOLDER, trained by `yarnstick train union --set task={task}` and packed by `yarnstick models pack`"
_NATURAL_HELP = "read text as the model was taught to; say no for a model that was trained with placeholders for names"
_PAPER = "as a baseline in Guan and Huang 2020 (UNION)"
_CAVEAT = "It is what its training was: the corpus, the base, and for how long. The model's card says so."
_UNDEFINED = "a story without a single token the model can read"


def _opened(metric_name: str, task: str, model: str) -> Packed:
    """The packed model, if it was trained for this very task."""
    if not model:
        more = " --sampled sampled.jsonl" if task == "disscore" else ""
        raise MetricError(
            f"{metric_name} comes without a model",
            remedy=f"train one: yarnstick train union -d stories.jsonl --set task={task} --set reconstruction=0{more} "
            f"-o my-{metric_name}; pack it: yarnstick models pack my-{metric_name} -o my-{metric_name}-packed; name "
            f"it: -m {metric_name}:model=path:my-{metric_name}-packed",
        )
    return read_for(find_packed(model), task)


def _check(metric_name: str, task: str) -> Callable[..., None]:
    def check(*, model: str, natural: bool) -> None:
        _opened(metric_name, task, model)

    return check


def _stamp(metric_name: str, task: str) -> Callable[..., dict[str, str]]:
    def stamp(*, model: str, natural: bool) -> dict[str, str]:
        packed = _opened(metric_name, task, model)
        return {"weights": f"{packed.name}@{packed.identity[:12]}"}

    return stamp


def _columns(name: str, meaning: str) -> tuple[Column, Column]:
    return (
        Column(name, "higher", 0, 1, meaning),
        Column(f"{name} logit", "higher", None, None, f"Log-odds of {name}: correlate this one."),
    )


def _judged(name: str, packed: Packed, texts: Sequence[str]) -> dict[str, list[float]]:
    from yarnstick.union.runtime import open_runtime, probability

    odds = open_runtime(packed.folder).log_odds(texts)
    return {name: probability(odds).tolist(), f"{name} logit": odds.tolist()}


@metric(
    name="disscore",
    family="trained",
    columns=_columns("DisScore", "Probability that a person wrote the story rather than a machine."),
    cost="heavy",
    paper=f"DisScore, {_PAPER}",
    undefined=_UNDEFINED,
    caveat=f"It knows the machines whose stories it was shown, and may mistake their style for faults. {_CAVEAT}",
    option_help={"model": _MODEL_HELP.format(task="disscore"), "natural": _NATURAL_HELP},
    libraries=("onnxruntime", "tokenizers"),
    check=_check("disscore", "disscore"),
    stamp=_stamp("disscore", "disscore"),
)
def disscore(batch: Batch, *, model: str = "", natural: bool = True) -> dict[str, list[float]]:
    """How likely a person wrote the story rather than a machine, judged by a model of your own."""
    texts = batch.each(prose, batch.stories) if natural else batch.stories
    return _judged("DisScore", _opened("disscore", "disscore", model), texts)


@metric(
    name="ruber-u",
    family="trained",
    needs=("story", "prompt"),
    columns=_columns("RUBER-u", "Probability that the story goes on from its own prompt rather than from another."),
    cost="heavy",
    paper=f"the unreferenced part of RUBER with a pretrained encoder, {_PAPER}",
    undefined="a story that is empty, or white space only",
    caveat=f"It asks whether prompt and story belong together, not whether the story is good. {_CAVEAT}",
    option_help={"model": _MODEL_HELP.format(task="ruber"), "natural": _NATURAL_HELP},
    libraries=("onnxruntime", "tokenizers"),
    check=_check("ruber-u", "ruber"),
    stamp=_stamp("ruber-u", "ruber"),
)
def ruber_unreferenced(batch: Batch, *, model: str = "", natural: bool = True) -> dict[str, list[float]]:
    """How well the story goes on from its prompt, judged by a model of your own."""
    made = partial(batch.each, prose) if natural else list
    texts = [in_context(*pair) for pair in zip(made(batch.prompts), made(batch.stories), strict=True)]
    return _judged("RUBER-u", _opened("ruber-u", "ruber", model), texts)


def in_context(prompt: str, story: str) -> str:
    """Prompt and story as one text, as training joins a beginning and a continuation; a story that starts with its
    prompt, as those made from ROCStories do, is that text already. No story: no text.

    >>> in_context("It rained.", "The pond filled up.")
    'It rained. The pond filled up.'
    >>> in_context("It rained.", "It rained. The pond filled up.")
    'It rained. The pond filled up.'
    """
    if not prompt.strip() or not story.strip() or story.startswith(prompt):
        return story
    return f"{prompt} {story}"
