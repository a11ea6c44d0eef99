"""Ratio of BLEU's, chrF's and TER's speed, through the whole engine, to sacreBLEU's scorers called story by story.

TER is given every 176th story: sacreBLEU takes seconds for one.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from hanna import records as hanna_records
from sacrebleu.metrics import BLEU, CHRF, TER

import yarnstick as ys


def seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    found, name = hanna_records()
    peers = {
        "bleu": BLEU(effective_order=True),
        "chrf": CHRF(),
        "chrf++": CHRF(word_order=2),
        "ter": TER(),
    }
    for metric, scorer in peers.items():
        records = found[:: 176 if metric == "ter" else 1]
        pairs = [(record["story"], record["reference"]) for record in records]
        ours = seconds(lambda metric=metric, records=records: ys.score(records, metric))  # type: ignore[misc]
        theirs = seconds(lambda scorer=scorer, pairs=pairs: [scorer.sentence_score(s, [r]) for s, r in pairs])  # type: ignore[misc]
        print(
            f"{metric}: {theirs / ours:.1f} x sacreBLEU ({ours:.2f} s against {theirs:.2f} s; {len(pairs)} {name} "
            "stories, reading and checking included in ours; wanted: 1 x)"
        )


if __name__ == "__main__":
    main()
