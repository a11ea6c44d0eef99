"""English contractions and the parts they fall into: "she'd've" is she + 'd + 've.

Writers drop the apostrophe ("cant", "youre"), so each form is also listed without it, unless that spells
another word ("well", "its", "were"). Typographic apostrophes are as good as straight ones.
"""

from collections.abc import Iterator
from typing import Literal

Rules = Literal["spacy-3.8", "spacy-3.2"]
"""Which edition of spaCy's English conventions to follow; they differ in a handful of forms."""

_CLITICS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("i",): ("'m", "'m|a"),
    ("i", "you", "he", "she", "it", "we", "they"): ("'ll", "'ll|'ve", "'d", "'d|'ve"),
    ("i", "you", "we", "they"): ("'ve",),
    ("you", "we", "they"): ("'re",),
    ("he", "she", "it"): ("'s",),
    ("who", "what", "when", "where", "why", "how", "there"): ("'s", "'re", "'ve"),
    ("that", "this"): ("'s",),
    ("these", "those"): ("'re", "'ve"),
    ("who", "what", "when", "where", "why", "how", "there", "that", "this", "these", "those"): (
        "'ll",
        "'ll|'ve",
        "'d",
        "'d|'ve",
    ),
    ("could", "might", "must", "should", "would"): ("'ve",),
    ("ca", "could", "do", "does", "did", "had", "may", "might"): ("n't", "n't|'ve"),
    ("must", "need", "ought", "sha", "should", "wo", "would"): ("n't", "n't|'ve"),
    ("ai", "are", "is", "was", "were", "have", "has", "dare"): ("n't",),
    ("not",): ("'ve",),
}
# Until 2022 every demonstrative took every clitic, so that "theses" fell into these + s (spaCy #10873).
_CLITICS_BEFORE_2022: dict[tuple[str, ...], tuple[str, ...]] = {
    ("that", "this"): ("'re", "'ve"),
    ("these", "those"): ("'s",),
}

_OTHER_WORDS = frozenset(("ill", "its", "hell", "shell", "shed", "were", "well", "whore"))

_FIXED = (
    "let|'s",
    "c'm|on",
    "can|not",
    "gon|na",
    "got|ta",
    "how|'d|'y",
)
_FIXED_SMALL_ONLY = ("y'|all", "y|all")

# Words that are one in spite of an apostrophe: dropped final g, dropped first syllable, and the like.
_DROPPED_G = ("doin", "goin", "nothin", "nuthin", "somethin", "ol", "lovin", "havin")
_DROPPED_START = """em nuff ll 'em 'nuff 'll 'd 's 'S 're 'cause 'Cause 'cos 'Cos 'coz 'Coz 'cuz 'Cuz 'bout
ma'am Ma'am o'clock O'clock ' '' ‘s ‘S"""


def _clitic_forms(rules: Rules) -> Iterator[tuple[str, ...]]:
    for table in (_CLITICS,) if rules == "spacy-3.8" else (_CLITICS, _CLITICS_BEFORE_2022):
        for hosts, endings in table.items():
            for host in hosts:
                for ending in endings:
                    parts = tuple(ending.split("|"))
                    yield (host, *parts)
                    yield (host, *(part.replace("'", "") for part in parts))


def contractions(rules: Rules = "spacy-3.8") -> dict[str, tuple[str, ...]]:
    """Each contraction with the words it is made of, small and with a capital."""
    found: dict[str, tuple[str, ...]] = {}
    for parts in (*_clitic_forms(rules), *(tuple(form.split("|")) for form in _FIXED)):
        for first in (parts[0], parts[0].capitalize()):
            found[first + "".join(parts[1:])] = (first, *parts[1:])
    for form in _FIXED_SMALL_ONLY:
        found[form.replace("|", "")] = tuple(form.split("|"))
    for word in _DROPPED_G:
        for form in (word, word + "'", word.capitalize(), word.capitalize() + "'"):
            found[form] = (form,)
    found.update((form, (form,)) for form in _DROPPED_START.split())
    for word in _OTHER_WORDS:
        found.pop(word, None)
        found.pop(word.capitalize(), None)
    for form, parts in list(found.items()):
        found[form.replace("'", "’")] = tuple(part.replace("'", "’") for part in parts)
    return found
