"""How long a story is, in tokens, words and sentences."""

from __future__ import annotations

from collections.abc import Mapping

from yarnstick.features import Batch
from yarnstick.metrics.card import Column
from yarnstick.metrics.option_checks import checks
from yarnstick.metrics.registry import metric
from yarnstick.metrics.token_rules import A_TOKENIZER, TOKENS_HELP, tokenizer
from yarnstick.text.sentences import sentences
from yarnstick.text.words import words


@metric(
    name="length",
    family="length",
    columns=[
        Column("Text length", "neutral", 0, None, "Tokens in the story: words and punctuation marks."),
    ],
    cost="trivial",
    option_help={"tokens": TOKENS_HELP},
    check=checks(tokens=A_TOKENIZER),
    presets={"hanna": {"tokens": "hanna"}},
    caveat="Any metric that agrees with people should be compared with this one first.",
)
def length(batch: Batch, *, tokens: str = "words") -> list[int]:
    """Number of tokens, by the conventions of spaCy's English tokenizer."""
    return [len(story) for story in batch.each(tokenizer(tokens), batch.stories)]


@metric(
    name="counts",
    family="length",
    columns=[
        Column("Words", "neutral", 0, None, "Tokens that hold a letter or a digit."),
        Column("Sentences", "neutral", 0, None, "Sentences in the story."),
        Column("Words per sentence", "neutral", 0, None, "Mean length of a sentence in words."),
    ],
    cost="trivial",
    undefined="words per sentence, where there is no sentence",
)
def counts(batch: Batch) -> Mapping[str, list[float]]:
    """Words, sentences, and words per sentence."""
    number_of_words = batch.each(count_words, batch.stories)
    number_of_sentences = batch.each(count_sentences, batch.stories)
    return {
        "Words": [float(count) for count in number_of_words],
        "Sentences": [float(count) for count in number_of_sentences],
        "Words per sentence": [
            count / sentence_count if sentence_count else float("nan")
            for count, sentence_count in zip(number_of_words, number_of_sentences, strict=True)
        ],
    }


def count_words(text: str) -> int:
    """Tokens that hold a letter or a digit."""
    return sum(1 for token in words(text) if any(map(str.isalnum, token)))


def count_sentences(text: str) -> int:
    """How many sentences the text has."""
    return len(sentences(text))
