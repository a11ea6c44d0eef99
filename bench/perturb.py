"""Negatives a second of five-sentence stories by the paper's recipe, and the ratio to a plain peer, one core each.

The peer does far less: it cuts a story with NLTK's Treebank tokenizer, leaves out 15% of the words at random, and puts
the rest together with NLTK's detokenizer; no part of speech, no form, no record of what was done where. Times of one
core are processor time, so that what else the machine does counts for neither; every story is new to both.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import resource
import time

from hanna import DATA
from nltk.tokenize import TreebankWordTokenizer
from nltk.tokenize.treebank import TreebankWordDetokenizer

from yarnstick.union.perturb import RECIPES, Pool
from yarnstick.union.perturb.many import perturb

STORIES = 20_000
PEER_STRIDE = 10


def roc_stories() -> tuple[list[str], str]:
    """Five-sentence stories as people write them."""
    path = DATA / "stories" / "rocstories.jsonl.gz"
    if not path.is_file():
        return _made_up(), "made-up"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        found = [" ".join(row["sentences"]) for row in rows if row["form"] in ("raw", "cased,tokenised")]
    return (found * (STORIES // len(found) + 1))[:STORIES], "ROC"


def _made_up() -> list[str]:
    rng = random.Random(0)
    names, verbs = ["Tom", "Anna", "He", "She", "They"], ["bought", "saw", "wanted", "found", "lost", "painted"]
    things = ["a red car", "the old house", "some bread", "her dog", "two tickets", "a big garden"]
    ends = ["on Monday", "after school", "because it rained", "and was happy", "with a friend"]

    def sentence() -> str:
        return f"{rng.choice(names)} {rng.choice(verbs)} {rng.choice(things)} {rng.choice(ends)}."

    return [" ".join(sentence() for _ in range(5)) for _ in range(STORIES)]


def cpu_seconds_ours(stories: list[str], pool: Pool) -> float:
    made = perturb(stories, RECIPES["paper"], pool, seed=1)
    next(made)  # word lists are read once
    start = time.process_time()
    count = sum(len(one.negatives) for one in made)
    seconds = time.process_time() - start
    assert count > 0.99 * len(stories)
    return seconds / count


def cpu_seconds_peer(stories: list[str]) -> float:
    rng, cut, join = random.Random(1), TreebankWordTokenizer(), TreebankWordDetokenizer()
    start = time.process_time()
    for story in stories:
        join.detokenize([word for word in cut.tokenize(story) if rng.random() >= 0.15])
    return (time.process_time() - start) / len(stories)


def two_workers(stories: list[str], pool: Pool) -> tuple[float, float]:
    """Processor time a negative costs two workers and the process that gathers; how many came a second by the clock.

    Starting the processes and reading their word lists is taken off: it is done once, however many stories there are.
    """
    few = stories[: len(stories) // 10]
    start_cpu, start_clock, start_count = _run(few, pool)
    cpu, clock, count = _run(stories, pool)
    return (cpu - start_cpu) / (count - start_count), (count - start_count) / (clock - start_clock)


def _run(stories: list[str], pool: Pool) -> tuple[float, float, int]:
    start, clock = _cpu(), time.perf_counter()
    count = sum(len(made.negatives) for made in perturb(stories, RECIPES["paper"], pool, seed=2, workers=2))
    return _cpu() - start, time.perf_counter() - clock, count


def _cpu() -> float:
    """Processor time of this process and of those it started that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    stories, name = roc_stories()
    pool = Pool(stories, 0)
    peer = cpu_seconds_peer(stories[::PEER_STRIDE])
    ours = cpu_seconds_ours(stories, pool)
    two, by_the_clock = two_workers(stories, pool)
    print(
        f"perturb: {peer / ours:.1f} x NLTK's tokenizer with words left out at random ({ours * 1e6:.0f} us a story "
        f"against {peer * 1e6:.0f} us of one core); {2 / two:,.0f} negatives a second of two cores, wanted: 20,000 "
        f"({by_the_clock:,.0f} by the clock, at load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; "
        f"{len(stories)} {name} stories)"
    )


if __name__ == "__main__":
    main()
