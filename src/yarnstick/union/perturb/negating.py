"""Negations added: "went" becomes "did not go", "is" "is not", "'ll" "won't"."""

from __future__ import annotations

from functools import cache

from yarnstick.text.listed import listed
from yarnstick.text.tagging import DETERMINERS, DO, MODALS, PREPOSITIONS, Words, words_of
from yarnstick.union.perturb.clauses import (
    CAUSATIVES,
    HELPERS,
    INVERTING,
    PERSONAL,
    PLURAL,
    WH,
    Alteration,
    after,
    before,
    breaks_between,
    first_tag,
    is_manner,
    is_question,
    reading_with,
    small_at,
    verb_forms,
)
from yarnstick.union.perturb.contracted import contraction
from yarnstick.union.perturb.finite import finite

_BE = listed("am is are was were")
_HAVE = listed("have has had")
_DO = listed("do does did")
_MODALS = listed("can could will would should must may might shall")
_SHORT = {
    "is": "isn't", "are": "aren't", "was": "wasn't", "were": "weren't", "have": "haven't", "has": "hasn't",
    "had": "hadn't", "do": "don't", "does": "doesn't", "did": "didn't", "can": "can't", "could": "couldn't",
    "will": "won't", "would": "wouldn't", "should": "shouldn't", "must": "mustn't",
}  # fmt: skip
#: adverbs of time and degree that a negation goes before: "did not always go"
_AFTER_NOT = listed("always often ever even quite")
#: adverbs on the sentence as a whole, which stay before it: "he finally did not go"
_BEFORE_NOT = listed("finally eventually suddenly actually usually probably immediately really unfortunately luckily")
#: they stand for a subject, and so do those that count, before "be"
_POINTING = listed("this that these those all")
_COUNTING = listed("another one each some many most few several both two")
#: verbs in form, but what is done: "did work", "did research"
_DONE = listed("work research exercise dance drink paint")
#: they look like pasts and stand for names and kinds: "a man named Tom", "stuff like that"
_SELDOM_FINITE = listed("named called based born gone done been seen known given taken please thanks thank rose")


def verb_places(sentence: str) -> list[int]:
    """Where a finite verb may stand that a negation could go with."""
    forms = _negatable_forms()
    return [place for place, small in enumerate(words_of(sentence).small) if small in forms or "'" in small]


def negation_at(sentence: str, place: int) -> Alteration | None:
    """The negation of the verb at ``place``; None where it is no finite verb, or not surely one."""
    words, question = words_of(sentence), is_question(sentence)
    small = words.small[place]
    if small in _BE:
        return _after_helper(words, place, question)
    if small in _MODALS:
        return _modal(words, place, question)
    if small in _HAVE:
        return _have(words, place, question)
    if small in _DO:
        return _do(words, place, question)
    if "'" in small:
        return contraction(words, place)
    if small == "like" and small_at(words, place - 1) not in PLURAL:
        return None
    return _main_verb(words, place)


@cache
def _negatable_forms() -> frozenset[str]:
    return verb_forms() | _BE | _MODALS | _HAVE | _DO


def _after_helper(words: Words, place: int, question: bool) -> Alteration | None:
    small = words.small[place]
    start, end = words.start(place), words.end(place)
    capital = words.text[start].isupper()
    if capital and place:
        return None  # "Will" in the middle is a name
    previous, following = small_at(words, before(words, place)), small_at(words, place + 1)
    stands_for_subject = previous in _POINTING or (previous in _COUNTING and small in _BE)
    if previous in INVERTING or (previous in DETERMINERS and not stands_for_subject):
        return None
    short = _SHORT.get(small)
    asks = question and (place == 0 or (previous in WH and following in DETERMINERS))
    if asks or following in PERSONAL:
        # Before its subject a helper takes the short form only: "didn't he", "did he not".
        if not question or short is None:
            return None
        return Alteration((), ((start, end, short.capitalize() if capital else short),))
    if place == 0 or (following == "" and small not in _BE):
        return None
    full = "cannot" if small == "can" else f"{small} not"
    return Alteration(((start, end, full),), ((start, end, short),) if short else ())


def _modal(words: Words, place: int, question: bool) -> Alteration | None:
    previous = small_at(words, place - 1)
    noun = first_tag(previous) in ("JJ", "VBG") or previous in DETERMINERS or previous in PREPOSITIONS
    if noun and previous not in _POINTING and previous not in ("which", "both", "one"):
        return None  # "a can", "his will"
    if small_at(words, place + 1) == "rather" and words.small[place] == "would":
        at = words.end(place + 1)
        return Alteration(((at, at, " not"),))
    following = small_at(words, after(words, place))
    verb = following in ("be", "have", "do") or reading_with(following, "VB")
    if following and not (verb or question or following in PERSONAL):
        return None
    return _after_helper(words, place, question)


def _have(words: Words, place: int, question: bool) -> Alteration | None:
    small = words.small[place]
    previous_place = before(words, place)
    previous, following_place = small_at(words, previous_place), after(words, place)
    following = small_at(words, following_place)
    if previous in HELPERS or previous in ("to", "'ve", "'d", "'ll") or (not previous and not question):
        return None  # "to have", "could have", "Have fun!"
    if previous in INVERTING:
        return None
    start, end = words.start(place), words.end(place)
    if place == 0 or (following in PERSONAL and following not in ("it", "you")):
        return _after_helper(words, place, question) if question else None
    if small == "have" and (not _is_plural_subject(words, previous_place) or previous in ("and", "or")):
        return None
    if following == "better" and small == "had":
        at = words.end(following_place)
        return Alteration(((at, at, " not"),))
    if _is_participle(following):
        return _after_helper(words, place, question)
    helper = {"had": "did", "has": "does", "have": "do"}[small]
    return _with_do(start, end, helper, "have")


def _is_participle(small: str) -> bool:
    """Whether a word after "have" goes with it: "had set out", but "had fun"."""
    if small in ("been", "had", "lost", "met", "left"):
        return True
    participle = reading_with(small, "VBN") and small not in DETERMINERS
    return bool(participle) and first_tag(small) not in ("NN", "NNS", "JJ")


def _do(words: Words, place: int, question: bool) -> Alteration | None:
    small = words.small[place]
    previous_place = before(words, place)
    previous, following_place = small_at(words, previous_place), after(words, place)
    following = small_at(words, following_place)
    if question and (place == 0 or previous in WH or breaks_between(words, place - 1, place)):
        return _after_helper(words, place, question)
    if previous in HELPERS or previous == "to" or previous in INVERTING or not following or not previous:
        return None
    if following in PERSONAL and following not in ("it", "you"):
        return None
    if breaks_between(words, place, place + 1):
        return None  # "and so he did, too"
    start, end = words.start(place), words.end(place)
    if small == "do" and not _is_plural_subject(words, previous_place):
        return None
    if first_tag(following) == "VB" and following not in _DONE:
        return _after_helper(words, place, question)  # "he did go"
    return _with_do(start, end, small, "do")


def _main_verb(words: Words, place: int) -> Alteration | None:
    small = words.small[place]
    if place == 0 or small in _SELDOM_FINITE:
        return None
    start, end = words.start(place), words.end(place)
    text = words.text
    if text[start].isupper() or text[start - 1] in "-[/" or text[end : end + 1] in ("-", "]"):
        return None
    tag = finite(words, place)
    reading = reading_with(small, tag) if tag else None
    if tag is None or reading is None:
        return None
    previous_place = before(words, place)
    helper = {"VBD": "did", "VBZ": "does", "VB": "do"}[tag]
    first = place
    while first - 1 > previous_place and _goes_after_not(words.small[first - 1]):
        first -= 1
    if first == place:
        return _with_do(start, end, helper, reading.base)
    at = words.start(first)
    return Alteration(
        ((at, at, f"{helper} not "), (start, end, reading.base)),
        ((at, at, f"{helper}n't "), (start, end, reading.base)),
    )


def _goes_after_not(small: str) -> bool:
    return small in _AFTER_NOT or (is_manner(small) and small not in _BEFORE_NOT)


def _is_plural_subject(words: Words, place: int) -> bool:
    """Whether the word may be the subject of a verb without -s."""
    previous = small_at(words, place)
    earlier = small_at(words, before(words, place)) if place >= 0 else ""
    if earlier in DO or earlier in MODALS or earlier in CAUSATIVES:
        return False
    return previous in PLURAL or previous in ("who", "people") or first_tag(previous) == "NNS"


def _with_do(start: int, end: int, helper: str, base: str) -> Alteration:
    return Alteration(((start, end, f"{helper} not {base}"),), ((start, end, f"{helper}n't {base}"),))
