"""The stories benchmarks run on: HANNA's where the data is, else made up, of like number and length."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

DATA = Path(os.environ.get("YARNSTICK_DATA", Path(__file__).parents[2] / "shared" / "data"))


def records() -> tuple[list[dict[str, str]], str]:
    """Stories with prompt, reference and system, and what to call them."""
    path = DATA / "hanna" / "stories.jsonl"
    if not path.is_file():
        return _made_up(), "made-up"
    with path.open(encoding="utf-8") as stream:
        stories = [json.loads(line) for line in stream]
    human = {story["prompt_id"]: story["story"] for story in stories if story["system"] == "Human"}
    return [
        {
            "id": str(story["story_id"]),
            "system": story["system"],
            "prompt": story["prompt"],
            "story": story["story"],
            "reference": human[story["prompt_id"]],
        }
        for story in stories
    ], "HANNA"


def pairs() -> tuple[list[tuple[str, str]], str]:
    """Each story with its reference."""
    found, name = records()
    return [(record["story"], record["reference"]) for record in found], name


def _made_up() -> list[dict[str, str]]:
    rng = random.Random(0)

    def story(mean: int) -> str:
        length = max(20, int(rng.gauss(mean, mean / 3)))
        return " ".join(f"word{min(int(rng.paretovariate(0.6)), 20_000)}ing" for _ in range(length))

    prompts, references = [story(30) for _ in range(96)], [story(380) for _ in range(96)]
    return [
        {
            "id": str(number),
            "system": f"system {number // 96}",
            "prompt": prompts[number % 96],
            "story": story(250),
            "reference": references[number % 96],
        }
        for number in range(1056)
    ]
