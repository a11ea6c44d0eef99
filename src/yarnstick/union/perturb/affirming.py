"""Negations taken away: "didn't go" becomes "went", "never" "always", "no one" "everyone"."""

from __future__ import annotations

from yarnstick.text.inflection import past, third_person
from yarnstick.text.listed import listed
from yarnstick.text.parts_of_speech import inflected
from yarnstick.text.tagging import BE, DETERMINERS, HAVE, MODALS, Words, words_of
from yarnstick.union.perturb.clauses import (
    PERSONAL,
    Alteration,
    Changes,
    after,
    breaks_between,
    capital_like,
    first_tag,
    is_question,
    reading_with,
    small_at,
)
from yarnstick.union.perturb.keywords import article_for

_NEGATIVE = listed(
    """
    not n't cannot never no nobody none nothing nowhere neither nor isn't aren't wasn't weren't don't doesn't didn't
    haven't hasn't hadn't can't couldn't won't wouldn't shan't shouldn't mustn't mightn't needn't ain't
    """
)
#: they say no, too, but another negation may stand beside them
_SOFT = listed("without hardly barely scarcely")
_ALMOST_NOT = listed("hardly barely scarcely")
#: nouns of no number that have a plural, too
_MASS = listed(
    """
    coffee tea food time hope fun work room power gas energy school wind fire paper light sign point beer wine juice
    cake fruit space use fear
    """
)
_HELPERS = listed(
    "am is are was were be been being have has had do does did can could will would should must may might"
)
#: "n't" takes these apart from their helper: "ca" + "n't"
_WHOLE = {"ca": "can", "wo": "will", "sha": "shall"}
_WITHOUT_APOSTROPHE = {
    "dont": "do", "didnt": "did", "doesnt": "does", "wasnt": "was", "isnt": "is", "cant": "can", "couldnt": "could",
    "wouldnt": "would", "wont": "will", "havent": "have", "hadnt": "had",
}  # fmt: skip
_ALL = _NEGATIVE | _SOFT | frozenset(_WITHOUT_APOSTROPHE)
_OPPOSITE = {
    "never": "always", "nobody": "everybody", "nothing": "everything", "nowhere": "everywhere", "none": "all",
}  # fmt: skip
#: words that live on negation, and what stands in their place without it
_POSITIVE = {
    "any": "some", "anything": "something", "anyone": "someone", "anybody": "somebody", "anywhere": "somewhere",
    "either": "too", "yet": "already", "ever": "always",
}  # fmt: skip
_DROPPED = listed("anymore")


def affirmations(sentence: str) -> tuple[tuple[Alteration, ...], bool]:
    """Every way to take one negation away, and whether the sentence has any negation."""
    words = words_of(sentence)
    if _ALL.isdisjoint(words.small):
        return (), False
    found: list[Alteration] = []
    negative = False
    for place, word in enumerate(words.small):
        if word in _ALL:
            negative |= word not in _SOFT
            changes = _affirmed(words, place)
            if changes:
                found.append(Alteration(changes))
    return tuple(found), negative or bool(found)


def _affirmed(words: Words, place: int) -> Changes:
    small = words.small[place]
    start, end = words.start(place), words.end(place)
    text, following = words.text, small_at(words, place + 1)
    if small == "cannot":
        return ((start, end, capital_like(text, start, "can")), *_rest(words, place))
    if small in _WITHOUT_APOSTROPHE:
        return _helper_affirmed(words, place, place, _WITHOUT_APOSTROPHE[small])
    if small == "n't":
        host = small_at(words, place - 1)
        return _helper_affirmed(words, place - 1, place, _WHOLE.get(host, host))
    if small.endswith("n't"):
        return _helper_affirmed(words, place, place, _WHOLE.get(small[:-3], small[:-3]))
    if small == "not":
        host = small_at(words, place - 1)
        if host in _HELPERS and not breaks_between(words, place - 1, place):
            if following in ("only", "just", "even") and host not in ("do", "does", "did"):
                return ()
            return _helper_affirmed(words, place - 1, place, host)
        if following == "to" and host not in ("if", "or", "why", ""):
            return ((start, words.start(place + 1), ""), *_rest(words, place))
        if host == "to":
            return ((start, words.start(place + 1), ""), *_rest(words, place)) if following else ()
        contracted = host.partition("'")
        if contracted[2] in ("m", "re", "s", "ll", "ve", "d") and contracted[0] in (*PERSONAL, "that", "there", "let"):
            return ((words.end(place - 1), end, ""), *_rest(words, place))
        return ()
    if small in _ALMOST_NOT:
        almost = following in ("any", "ever", "a", "an", "anything", "anyone", "had") or following == ""
        return () if almost else ((start, words.start(place + 1), ""),)
    if small in _OPPOSITE:
        if small == "none" and following != "of":
            return ()
        if following in ("mind", "ever", "again", "but", "else") or small_at(words, place - 1) in ("or", "almost"):
            return ()
        return ((start, end, capital_like(text, start, _OPPOSITE[small])), *_rest(words, place))
    if small == "no":
        return _no(words, place)
    if small == "without" and (following in DETERMINERS or following in ("him", "them", "me", "us", "it", "her")):
        if following in ("any", "another", "that", "which"):
            return ()
        return ((start, end, capital_like(text, start, "with")),)
    return ()


def _no(words: Words, place: int) -> Changes:
    start, end = words.start(place), words.end(place)
    following = small_at(words, place + 1)
    text = words.text
    if not following or breaks_between(words, place, place + 1) or small_at(words, place - 1) in ("in", "or", "of"):
        return ()  # an answer, "in no time"
    if following in ("one", "longer"):
        new = {"one": "everyone", "longer": "still"}[following]
        return ((start, words.end(place + 1), capital_like(text, start, new)), *_rest(words, place + 1))
    if following in ("matter", "more", "way", "good", "doubt", "wonder", "need") or following in DETERMINERS:
        return ()
    noun = place + 1
    while noun < len(words) and first_tag(words.small[noun]) in ("JJ", "JJR") and noun < place + 3:
        noun += 1
    base = small_at(words, noun)
    if reading_with(base, "NNS") or base in _MASS or (reading_with(base, "NN") and inflected(base, "NNS") is None):
        new = "some"
    elif reading_with(base, "NN"):
        new = article_for(following)
    else:
        return ()
    return ((start, end, capital_like(text, start, new)), *_rest(words, place))


def _helper_affirmed(words: Words, host: int, last: int, helper: str) -> Changes:
    """Without the "not" that ends with the word at ``last``, of the helper at ``host``."""
    start, end, text = words.start(host), words.end(last), words.text
    following = small_at(words, last + 1)
    if helper in BE or helper in HAVE or helper in MODALS or helper in ("can", "will", "shall"):
        if helper == "could" and small_at(words, last + 1) == "help" and small_at(words, last + 2) == "but":
            return ()
        return ((start, end, capital_like(text, start, helper)), *_rest(words, last))
    if helper not in ("do", "does", "did"):
        return ()  # "ain't"
    inverted = following in PERSONAL and (is_question(text) or following not in ("it", "you"))
    verb = after(words, last)
    base = small_at(words, verb)
    if inverted or (is_question(text) and host == 0):
        return ((start, end, capital_like(text, start, helper)), *_rest(words, last))
    if not base or any(breaks_between(words, at, at + 1) for at in range(last, verb)):
        return ((start, end, capital_like(text, start, helper)),)  # "but he didn't."
    if not (base in ("have", "do", "be") or reading_with(base, "VB")):
        return ((start, end, helper), *_rest(words, last)) if host else ()
    gap = words.start(last + 1)
    rest = _rest(words, verb)
    if helper == "do":
        first = words.start(last + 1)
        if host and text[start].islower():
            return ((start, gap, ""), *rest)
        return ((start, first + 1, text[first].upper()), *rest)
    form = past(base) if helper == "did" else third_person(base)
    if base == "be":
        return ()
    verb_start, verb_end = words.start(verb), words.end(verb)
    if verb == last + 1:
        return ((start, verb_end, capital_like(text, start, form)), *rest)
    return ((start, gap, ""), (verb_start, verb_end, form), *rest)


def _rest(words: Words, place: int) -> Changes:
    """What else must change once the negation is gone: "not … any" is "some"."""
    changes = []
    for at in range(place + 1, len(words)):
        small = words.small[at]
        if breaks_between(words, at - 1, at) or small in ("but", "because", "so", "if", "unless", "until"):
            break
        start, end = words.start(at), words.end(at)
        if small in _DROPPED:
            changes.append((start - 1, end, ""))
        elif small == "at" and small_at(words, at + 1) == "all":
            changes.append((start - 1, words.end(at + 1), ""))
        elif small == "any" and small_at(words, at + 1) in ("more", "longer"):
            if at + 2 == len(words):
                changes.append((start - 1, words.end(at + 1), ""))
            else:
                changes.append((start, end, "some"))
        elif small == "either" and at + 1 < len(words):
            continue
        elif small == "ever" and small_at(words, at + 1) == "again":
            changes.append((start, words.start(at + 1), ""))
        elif small == "ever" and not reading_with(small_at(words, at + 1), "VB", "VBN"):
            continue  # "the best ever"
        elif small in _POSITIVE:
            changes.append((start, end, _POSITIVE[small]))
    return tuple(changes)
