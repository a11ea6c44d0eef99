"""English function words, which METEOR weighs at a third of a content word.

METEOR's own list (93 entries) is whatever makes up more than a thousandth of a large news corpus, so it holds
"said" and "years" but not "me" or "my". This one was written by hand for this project: the closed classes of
English grammar, and punctuation. What the difference costs is measured in ``tests/test_meteor.py``; with
METEOR's data at hand, ``function_words="meteor"`` uses METEOR's list.
"""

from __future__ import annotations

_DETERMINERS = """
    the a an this that these those some any no every each either neither all both half much many more most
    few fewer less least several enough such another other what which whose
"""
_PRONOUNS = """
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself
    it its itself we us our ours ourselves they them their theirs themselves
    who whom someone somebody something anyone anybody anything everyone everybody everything
    nobody nothing none one
"""
_PREPOSITIONS = """
    of to in for on with at by from about into onto over under above below up down out off through across
    after before during since until till between among against around behind beside beyond near along toward
    towards upon within without inside outside despite except per via like
"""
_CONJUNCTIONS = "and or but nor so yet if than as because although though while unless whether when where why how"
_AUXILIARIES = """
    am is are was were be been being have has had having do does did doing will would shall should can could
    may might must ought
"""
_PARTICLES = "not there here then too also very just only"
# As METEOR's tokeniser leaves them: "don't" becomes "don" and "'t".
_CLITICS = "'s 't 'm 're 've 'll 'd"
_PUNCTUATION = ". , ? ! : ; \" ' - — … ( ) [ ] / & $ % * .. ... ...."

FUNCTION_WORDS: frozenset[str] = frozenset(
    " ".join(
        (
            _DETERMINERS,
            _PRONOUNS,
            _PREPOSITIONS,
            _CONJUNCTIONS,
            _AUXILIARIES,
            _PARTICLES,
            _CLITICS,
            _PUNCTUATION,
        )
    ).split()
)
