"""Ratio of our ROUGE's speed to rouge-metric's PyRouge: all eight variants, tokens included, one core.

PyRouge is given every 18th story (it takes a fifth of a second for one), and its tokens come from our
tokeniser with its stems already cached; ours starts with no stem cached and scores all the stories.
"""

from __future__ import annotations

import time

from hanna import pairs as hanna_pairs
from rouge_metric import PyRouge

from yarnstick.metrics.rouge import rouge_scores, rouge_sentences
from yarnstick.metrics.rouge.tokens import forget_stems

STRIDE = 18


def seconds_a_story_ours(pairs: list[tuple[str, str]]) -> float:
    forget_stems()
    start = time.perf_counter()
    sentences = {text: rouge_sentences(text) for pair in pairs for text in pair}
    rouge_scores([sentences[story] for story, _ in pairs], [[sentences[reference]] for _, reference in pairs])
    return (time.perf_counter() - start) / len(pairs)


def seconds_a_story_pyrouge(pairs: list[tuple[str, str]]) -> float:
    scorer = PyRouge(rouge_n=4, rouge_l=True, rouge_w=True, rouge_s=True, rouge_su=True, mode="individual")
    start = time.perf_counter()
    stories = [rouge_sentences(story) for story, _ in pairs]
    scorer.evaluate_tokenized(stories, [[rouge_sentences(reference)] for _, reference in pairs])
    return (time.perf_counter() - start) / len(pairs)


def main() -> None:
    pairs, name = hanna_pairs()
    ours = min(seconds_a_story_ours(pairs) for _ in range(3))
    theirs = seconds_a_story_pyrouge(pairs[::STRIDE])
    print(
        f"rouge: {theirs / ours:.0f} x PyRouge ({ours * 1000:.2f} ms a story against {theirs * 1000:.0f} ms; "
        f"8 variants, {len(pairs)} {name} stories; wanted: 10 x)"
    )


if __name__ == "__main__":
    main()
