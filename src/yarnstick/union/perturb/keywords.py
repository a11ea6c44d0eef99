"""The keywords of a sentence: nouns, verbs, adjectives and adverbs that carry what happens."""

from __future__ import annotations

from functools import cache, lru_cache

from yarnstick.text.listed import listed
from yarnstick.text.names import also_words, name_list
from yarnstick.text.parts_of_speech import Reading, readings
from yarnstick.text.tagging import (
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    DO,
    HAVE,
    MODALS,
    PREPOSITIONS,
    SKIPPED,
    SUBJECTS,
    reading_at,
    words_of,
)

#: in the list as adverbs, but they hold a sentence together rather than say something
_NO_KEYWORDS = listed(
    """
    then back now again still away home there here well instead later together already once maybe ago anyway enough
    else today tomorrow tonight yesterday twice below above ahead perhaps otherwise indeed rather better best okay lot
    lots kind sort bit way thing things something one ones
    """
)


@cache
def content_words() -> frozenset[str]:
    closed = BE | HAVE | DO | MODALS | DETERMINERS | PREPOSITIONS | CONJUNCTIONS | SUBJECTS | SKIPPED | _NO_KEYWORDS
    return frozenset(readings()) - closed


@lru_cache(maxsize=1 << 12)
def keyword_places(sentence: str) -> tuple[int, ...]:
    """Which words of a sentence are keywords.

    >>> keyword_places("The dog ate my old shoe.")
    (1, 2, 4, 5)
    """
    content = content_words()
    return tuple([place for place, small in enumerate(words_of(sentence).small) if small in content])


def keyword_at(sentence: str, place: int) -> Reading | None:
    """What the keyword at ``place`` is; None where a capital says that it is a name after all."""
    words = words_of(sentence)
    start = words.start(place)
    first = sentence[start]
    if first.isupper() and (place or words.small[0] in name_list() or words.small[0] in also_words()):
        return None
    if (start and sentence[start - 1] in "[-'’") or sentence[words.end(place) : words.end(place) + 1] == "-":
        return None  # a placeholder, or half of a word
    return reading_at(words, place)


def article_fixed(sentence: str, start: int, new: str) -> tuple[int, int, str] | None:
    """The change that "a" or "an" before the word at ``start`` needs when ``new`` takes its place.

    >>> article_fixed("He saw a cat.", 9, "owl")
    (7, 8, 'an')
    """
    if sentence[start - 1 : start] != " ":
        return None
    end = start - 1
    begin = sentence.rfind(" ", 0, end) + 1
    article = sentence[begin:end]
    if article.lower() not in ("a", "an"):
        return None
    wanted = article_for(new)
    if article.lower() == wanted:
        return None
    return begin, end, wanted.capitalize() if article[0].isupper() else wanted


def article_for(word: str) -> str:
    """
    >>> [article_for(word) for word in ("owl", "hour", "user", "one", "cat")]
    ['an', 'an', 'a', 'a', 'a']
    """
    small = word.lower()
    if small.startswith(("hour", "honest", "honor", "honour", "heir")):
        return "an"
    if small.startswith(("uni", "use", "usu", "eu", "one", "once", "ura", "ute")) and not small.startswith("unin"):
        return "a"
    return "an" if small[0] in "aeiou" else "a"
