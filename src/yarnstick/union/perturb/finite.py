"""Whether a word is the finite verb of its clause, told from its subject; doubtful words are left alone."""

from __future__ import annotations

from yarnstick.text.listed import listed
from yarnstick.text.names import also_words
from yarnstick.text.tagging import BE, CONJUNCTIONS, DETERMINERS, DO, HAVE, MODALS, Words, words_of
from yarnstick.union.perturb.clauses import (
    CAUSATIVES,
    FUNCTION,
    HELPERS,
    INVERTING,
    PERSONAL,
    PLURAL,
    SINGULAR,
    before,
    breaks_between,
    first_tag,
    is_noun,
    reading_with,
    small_at,
    verb_forms,
)

_ANYONE = listed("who that which everyone everybody someone somebody everything something")
#: after these "it" and "you" are the subject of what follows, and no object
_SAYING = listed(
    "said say says think thinks thought know knows knew hope hopes hoped wish wished guess sure felt if when"
)


def finite(words: Words, place: int) -> str | None:
    """As what the word at ``place`` is its clause's finite verb: VBD, VBZ or VB; None where that is not sure enough."""
    small, previous_place = words.small[place], before(words, place)
    if previous_place < 0:
        return None
    previous = words.small[previous_place]
    if any(breaks_between(words, one, one + 1) for one in range(previous_place, place)):
        # Past a comma only a past that is nothing else goes on: "He ran, fell and cried".
        return "VBD" if only_past(small) and first_tag(small) == "VBD" else None
    if previous in PERSONAL:
        return _after_pronoun(words, place, previous_place)
    if previous in _ANYONE:
        return "VBD" if first_tag(small) == "VBD" else None
    if previous in ("and", "but", "then", "or"):
        past = first_tag(small) == "VBD" and (only_past(small) or not _has_helper(words, previous_place))
        return "VBD" if past else None
    if (previous in FUNCTION and not _is_name(words, previous_place)) or "'" in previous:
        return None
    return _after_noun(words, place, previous_place)


def _is_name(words: Words, place: int) -> bool:
    """Whether a word that could be a helper is a person: "Will wanted"."""
    return words.small[place] in also_words() and words.text[words.start(place)].isupper()


def _after_pronoun(words: Words, place: int, subject: int) -> str | None:
    small, pronoun = words.small[place], words.small[subject]
    earlier = small_at(words, before(words, subject))
    may_be_object = pronoun in ("it", "you")
    if earlier in DO or earlier in MODALS or (earlier in BE and pronoun != "it"):
        return None  # "did you go"
    if may_be_object and earlier in CAUSATIVES:
        return None  # "let it go"
    if reading_with(small, "VBD"):
        if first_tag(small) == "VB" and pronoun in PLURAL and not _tells_of_the_past(words, place):
            return "VB"  # "I read every day"
        return None if may_be_object and first_tag(small) in ("NN", "NNS", "JJ", "RB") else "VBD"
    if may_be_object and earlier not in _SAYING and reading_with(earlier, "VBD", "VBZ", "VBG", "VB"):
        return None  # "he named it squeaks"
    if reading_with(small, "VBZ") and pronoun in SINGULAR:
        return "VBZ"
    if reading_with(small, "VB") and pronoun in PLURAL and earlier not in CAUSATIVES and earlier not in HAVE:
        return "VB" if first_tag(small) == "VB" or pronoun != "you" else None
    return None


def _after_noun(words: Words, place: int, subject: int) -> str | None:
    small, previous = words.small[place], words.small[subject]
    earlier = small_at(words, before(words, subject))
    named = words.text[words.start(subject)].isupper()
    if first_tag(small) != "VBD" and not (reading_with(small, "VBD") and small.endswith("ed")):
        if reading_with(small, "VBD"):
            return "VBD" if named and earlier not in CAUSATIVES else None
        return "VBZ" if named and reading_with(small, "VBZ") and not reading_with(small, "NNS") else None
    if not (named or is_noun(previous) or (first_tag(previous) == "VBG" and earlier in FUNCTION)):
        return None
    if not only_past(small) and (
        small_at(words, place + 1) in ("by", "from", "of")
        or _verb_follows(words, place)
        or _verb_before(words, subject)
    ):
        return None  # "the dog trained by Tom barked", "he had his car fixed"
    return "VBD"


def only_past(small: str) -> bool:
    """Whether a form is a past and no participle: "went", not "walked"."""
    return bool(reading_with(small, "VBD")) and not reading_with(small, "VBN", "VB")


def _tells_of_the_past(words: Words, place: int) -> bool:
    """Whether another verb of the sentence is in the past, or none says otherwise."""
    others = [small for at, small in enumerate(words.small) if at != place]
    if any(small in ("was", "were", "had", "did") or only_past(small) for small in others):
        return True
    return not any(small in ("is", "are", "am", "do", "does", "have", "has", "will", "can") for small in others)


def _clause_ends(small: str) -> bool:
    return small in CONJUNCTIONS or small in PERSONAL or small in ("that", "who", "which")


def _verb_follows(words: Words, place: int) -> bool:
    """Whether another finite verb comes before the clause is over."""
    for at in range(place + 1, len(words)):
        small = words.small[at]
        if _clause_ends(small) or breaks_between(words, at - 1, at):
            return False
        if small in BE or small in MODALS or small in ("had", "has", "did") or only_past(small):
            return True
        if first_tag(small) == "VBD" and small_at(words, at - 1) not in DETERMINERS:
            return True
    return False


def _verb_before(words: Words, place: int) -> bool:
    """Whether the clause has a verb already."""
    for at in range(place, -1, -1):
        small = words.small[at]
        if (small in HELPERS and not _is_name(words, at)) or first_tag(small) in ("VBD", "VBZ"):
            return True
        if at and (small in CONJUNCTIONS or small in ("that", "who", "which") or breaks_between(words, at - 1, at)):
            return False
    return False


def _has_helper(words: Words, place: int) -> bool:
    """Whether "be" or "have" came before: then what follows "and" may be one more participle."""
    return any(small in BE or small in HAVE for small in words.small[:place])


def finite_verbs(sentence: str) -> tuple[tuple[int, str], ...]:
    """Where the pasts of a sentence stand that surely are its verbs, and their base forms.

    >>> finite_verbs("He was sad and went home.")
    ((1, 'be'), (4, 'go'))
    """
    words = words_of(sentence)
    found = []
    for place, small in enumerate(words.small):
        previous_place = before(words, place)
        if previous_place < 0 or words.text[words.start(place)].isupper():
            continue
        if small in ("was", "were"):
            if small_at(words, previous_place) not in INVERTING and small_at(words, place + 1) not in PERSONAL:
                found.append((place, "be"))
        elif small in verb_forms() and finite(words, place) == "VBD":
            reading = reading_with(small, "VBD")
            assert reading is not None
            found.append((place, reading.base))
    return tuple(found)
