"""Which column of a file is what, guessed from the field's habits and overridable.

Every dataset calls its columns something else. The guesses are ordered: the first habit that a file has wins,
and whatever is left over is kept as an extra. ``--map story=completion`` settles a doubt.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from yarnstick.errors import InputError

#: field -> the names it goes by, most telling first
STORY_HABITS: dict[str, tuple[str, ...]] = {
    "story": (
        "story", "text", "completion", "generation", "generated_text", "generated_story", "generated", "output",
        "response", "continuation", "prediction", "hypothesis", "hyp", "candidate", "content",
    ),
    "prompt": (
        "prompt", "context", "title", "writing_prompt", "instruction", "leading_context", "premise", "source",
        "beginning", "input",
    ),
    "references": (
        "references", "reference", "refs", "ref", "gold", "gold_story", "target", "human_story", "ground_truth",
        "human",
    ),
    "system": ("system", "model", "model_name", "system_name", "generator", "source_model"),
    "id": ("id", "story_id", "storyid", "uid", "example_id", "sample_id", "key"),
    "prompt_id": ("prompt_id", "promptid", "context_id", "title_id"),
}  # fmt: skip

RATING_HABITS: dict[str, tuple[str, ...]] = {
    "story": ("story_id", "storyid", "id", "item_id", "sample_id", "item", "story"),
    "criterion": ("criterion", "criteria", "aspect", "dimension", "question"),
    "rater": ("rater", "annotator", "worker", "rater_id", "annotator_id", "worker_id", "judge"),
    "value": ("value", "score", "rating", "label", "vote"),
    "system": STORY_HABITS["system"],
    "prompt_id": STORY_HABITS["prompt_id"],
}


def guess_columns(
    names: Sequence[str],
    habits: Mapping[str, Sequence[str]],
    overrides: Mapping[str, str] | None = None,
    *,
    required: Iterable[str] = (),
    origin: str = "",
) -> dict[str, str]:
    """Field -> column of the file, for every field that is found.

    >>> guess_columns(["Completion", "model"], STORY_HABITS)
    {'story': 'Completion', 'system': 'model'}
    """
    overrides = dict(overrides or {})
    found: dict[str, str] = {}
    for field, column in overrides.items():
        if field == "reference" and "references" in habits:
            field = "references"
        if field not in habits:
            raise InputError(
                f"--map names an unknown field {field!r}", file=origin, remedy=f"fields: {', '.join(habits)}"
            )
        if column not in names:
            raise InputError(f"there is no column {column!r}", file=origin, remedy=_columns_are(names, near=column))
        found[field] = column
    by_habit: dict[str, str] = {}
    for name in names:
        by_habit.setdefault(_plain(name), name)
    for field, known_as in habits.items():
        if field in found:
            continue
        for habit in known_as:
            column = by_habit.get(habit, "")
            if column and column not in found.values():
                found[field] = column
                break
    for field in required:
        if field not in found:
            raise InputError(
                f"no column looks like the {field}",
                file=origin,
                remedy=f"say which with --map {field}=COLUMN; {_columns_are(names)}",
            )
    return found


def _plain(name: str) -> str:
    # "Model Name", "modelName" and "model-name" are one habit.
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\W_]+", "_", spaced).strip("_").lower()


def _columns_are(names: Sequence[str], near: str = "") -> str:
    close = difflib.get_close_matches(near, names, n=1) if near else []
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return (f"did you mean {close[0]!r}? " if close else "") + f"the columns are: {listed}"
