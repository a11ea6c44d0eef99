"""What schooling a text asks of its reader."""

from __future__ import annotations

from collections.abc import Mapping

from yarnstick.features import Batch
from yarnstick.metrics.card import Column
from yarnstick.metrics.families.length import count_sentences
from yarnstick.metrics.registry import metric
from yarnstick.text.syllables import syllables
from yarnstick.text.words import words

# Listed, because an apostrophe alone does not tell: "'em" and "'cause" are words of their own.
_CLITICS = frozenset(("n't", "'s", "'m", "'re", "'ve", "'ll", "'d"))


@metric(
    name="readability",
    family="readability",
    columns=[
        Column(
            "Flesch-Kincaid grade",
            "neutral",
            None,
            None,
            "US school grade at which the text is read with ease.",
        ),
        Column("Coleman-Liau grade", "neutral", None, None, "The same from letters instead of syllables."),
    ],
    cost="cheap",
    paper="Kincaid et al. 1975; Coleman and Liau 1975",
    undefined="a story without a word or a sentence",
    caveat="English only: syllables are counted by rule. A grade describes; neither end is better.",
)
def readability(batch: Batch) -> Mapping[str, list[float]]:
    """School grade of the text: Flesch-Kincaid and Coleman-Liau."""
    found = [
        grades(tokens, sentence_count)
        for tokens, sentence_count in zip(
            batch.each(words, batch.stories), batch.each(count_sentences, batch.stories), strict=True
        )
    ]
    return {
        "Flesch-Kincaid grade": [kincaid for kincaid, _ in found],
        "Coleman-Liau grade": [coleman for _, coleman in found],
    }


def grades(tokens: list[str], sentence_count: int) -> tuple[float, float]:
    """Flesch-Kincaid: 0.39 words/sentences + 11.8 syllables/words - 15.59.
    Coleman-Liau: 0.0588 letters per 100 words - 0.296 sentences per 100 words - 15.8.
    """
    spoken = _whole_words(tokens)
    if not spoken or not sentence_count:
        return float("nan"), float("nan")
    letters = sum(sum(map(str.isalpha, word)) for word in spoken)
    count = len(spoken)
    kincaid = 0.39 * count / sentence_count + 11.8 * sum(map(syllables, spoken)) / count - 15.59
    coleman = 0.0588 * (100 * letters / count) - 0.296 * (100 * sentence_count / count) - 15.8
    return kincaid, coleman


def _whole_words(tokens: list[str]) -> list[str]:
    """Words as they are read aloud: "ca" + "n't" is one word again."""
    whole: list[str] = []
    for token in tokens:
        if not any(map(str.isalnum, token)):
            continue
        if whole and token.lower().replace("’", "'") in _CLITICS:
            whole[-1] += token
        else:
            whole.append(token)
    return whole
