"""The forms of English words: went and going of "go", wolves of "wolf", bigger of "big".

Irregular words come from a table. The rules of spelling need one thing that spelling does not tell, whether the last
syllable is stressed ("preferred", but "offered"): the verbs of more than one syllable where it is are listed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from yarnstick.text.irregular_forms import irregular_comparatives, irregular_plurals, irregular_verbs
from yarnstick.text.listed import listed

_STRESSED_AT_THE_END = listed(
    """
    abhor acquit admit allot annul begin befit commit compel concur confer control defer deter dispel emit enrol
    equip excel expel forbid forget impel incur infer occur omit outrun overrun patrol permit prefer propel rebel
    recur refer regret remit repel reset rewind submit transfer transmit unplug unwrap unzip upset outwit input
    kidnap worship handicap babysit overlap
    """
)
_ES_AFTER_O = listed("potato tomato hero echo torpedo tornado mosquito volcano cargo embargo veto go do")
_ONE_SYLLABLE_DOUBLES = re.compile(r"[^aeiou]*(?:qu)?[aeiouy][bdfgklmnprtvz]")
_LIKE_WORDS_WITH_E = listed("die lie tie vie")
_NEVER_COMPARED = listed(
    """
    able alive alone awake aware asleep afraid ashamed dead fake fun ill likely real right wrong left main male mere
    own spare whole lone lost stuck broke daily early gold golden silver super double single triple current next
    last first final total void just such hurt numb wooden woolen upset stuck still local legal loyal royal rural
    live top spoiled bored tired pleased scared worn torn drunk frozen broken hidden married
    """
)


def third_person(verb: str) -> str:
    """
    >>> third_person("go"), third_person("try"), third_person("have")
    ('goes', 'tries', 'has')
    """
    return {"be": "is", "have": "has"}.get(verb) or _with_s(verb)


def past(verb: str) -> str:
    """The simple past, in its commoner form.

    >>> past("go"), past("stop"), past("offer"), past("try")
    ('went', 'stopped', 'offered', 'tried')
    """
    irregular = irregular_verbs().get(verb)
    return irregular.past[0] if irregular else _with_ed(verb)


def participle(verb: str) -> str:
    """The past participle, in its commoner form."""
    irregular = irregular_verbs().get(verb)
    return irregular.participle[0] if irregular else _with_ed(verb)


def gerund(verb: str) -> str:
    """
    >>> gerund("make"), gerund("run"), gerund("lie"), gerund("see")
    ('making', 'running', 'lying', 'seeing')
    """
    if verb in _LIKE_WORDS_WITH_E or verb.endswith(("untie", "belie")):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb != "be":
        return verb.removesuffix("e") + ("" if verb not in ("singe", "dye") else "e") + "ing"
    return _doubled(verb) + "ing"


def plural(noun: str) -> str:
    """
    >>> plural("wolf"), plural("box"), plural("city"), plural("fireman")
    ('wolves', 'boxes', 'cities', 'firemen')
    """
    irregular = irregular_plurals().get(noun)
    if irregular:
        return irregular
    if noun.endswith("man") and noun not in ("human", "roman", "german", "shaman", "caiman"):
        return noun[:-3] + "men"
    return _with_s(noun)


@lru_cache(maxsize=4096)
def comparison(adjective: str) -> tuple[str, str] | None:
    """Comparative and superlative in one word; None where English says "more" and "most".

    >>> comparison("big"), comparison("happy"), comparison("careful")
    (('bigger', 'biggest'), ('happier', 'happiest'), None)
    """
    irregular = irregular_comparatives().get(adjective)
    if irregular:
        return irregular
    if adjective in _NEVER_COMPARED or adjective.endswith(("ed", "ing", "ful", "ish")):
        return None
    syllables = len(re.findall("[aeiouy]+", adjective.removesuffix("e")))
    if syllables == 1:
        stem = adjective.removesuffix("e") if adjective.endswith("e") else _doubled(adjective)
    elif syllables == 2 and re.search("[^aeiou]y$", adjective):
        stem = adjective[:-1] + "i"
    elif adjective in ("simple", "gentle", "humble", "noble", "narrow", "shallow", "clever", "quiet"):
        stem = adjective.removesuffix("e")
    else:
        return None
    return stem + "er", stem + "est"


def _with_s(word: str) -> str:
    if re.search("[^aeiou]y$", word):
        return word[:-1] + "ies"
    if (
        word.endswith(("s", "x", "z", "ch", "sh"))
        or word in _ES_AFTER_O
        or word in ("undergo", "undo", "redo", "outdo")
    ):
        return word + ("es" if not word.endswith("stomach") and not word.endswith("monarch") else "s")
    return word + "s"


def _with_ed(verb: str) -> str:
    if re.search("[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    return verb + "d" if verb.endswith("e") else _doubled(verb) + "ed"


def _doubled(word: str) -> str:
    """The word with its last letter twice, where a vowel that follows would else change how it sounds."""
    if _ONE_SYLLABLE_DOUBLES.fullmatch(word) or word in _STRESSED_AT_THE_END:
        return word + word[-1]
    if word.endswith("ic") and len(word) > 4:
        return word + "k"
    return word
