"""METEOR's own data for its third stage: two words match when WordNet puts them in a common synset.

yarnstick's own lexicon, which needs no data, is :mod:`yarnstick.text.synonym_groups`.

A word stands for its own synsets and for those of its base form, which WordNet's list of irregular forms or,
failing that, a few suffix rules give. METEOR knows no part of speech: synsets are numbers, and those of nouns,
verbs, adjectives and adverbs lie in one heap.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

# Endings and what they become, in METEOR's order: nouns, verbs, adjectives. The first base form that
# WordNet knows is taken.
_BASE_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
)
_WORDNET_PARTS = ("noun", "verb", "adj", "adv")


@dataclass(frozen=True, eq=False)
class SynonymDictionary:
    """Words to the numbers of their synsets, and irregular forms to their bases."""

    # Numbers stay text until a word is met: most of the 150,000 entries never are.
    synsets_of_word: dict[str, str]
    bases_of_form: dict[str, list[str]]

    def synsets(self, word: str) -> frozenset[int]:
        """The synsets of ``word`` itself and of its base form."""
        return _synsets(self, word)

    def base_form(self, word: str) -> str:
        """A regular base form that WordNet knows, or nothing."""
        if word.endswith("ss") or len(word) <= 2:
            return word
        # METEOR means to take "ful" off first ("boxesful") but then forgets the shortened word, and puts the
        # ending back on a base it has found: kept, since a word that ends in "ful" ends in none of these.
        for ending, replacement in _BASE_ENDINGS:
            if word.endswith(ending):
                base = word[: -len(ending)] + replacement
                if base in self.synsets_of_word:
                    return base
        return ""


@lru_cache(maxsize=65536)
def _synsets(dictionary: SynonymDictionary, word: str) -> frozenset[int]:
    own = dictionary.synsets_of_word.get(word, "")
    bases = dictionary.bases_of_form.get(word)
    if bases is None:
        bases = [dictionary.base_form(word)]
    of_bases = (dictionary.synsets_of_word.get(base, "") for base in bases)
    return frozenset(int(number) for numbers in (own, *of_bases) for number in numbers.split())


def synonyms_from_meteor(synsets: str, exceptions: str) -> SynonymDictionary:
    """Read the jar's two files: a word (or base) on one line, its synsets (or irregular forms) on the next."""
    lines = synsets.split("\n")
    synsets_of_word = dict(zip(lines[::2], lines[1::2], strict=False))
    bases_of_form: dict[str, list[str]] = {}
    lines = exceptions.split("\n")
    for base, forms in zip(lines[::2], lines[1::2], strict=False):
        for form in forms.split():
            bases_of_form.setdefault(form, []).append(base)
    return SynonymDictionary(synsets_of_word, bases_of_form)


def synonyms_from_wordnet(folder: Path) -> SynonymDictionary:
    """Read WordNet's own files: ``index.noun``, ``noun.exc`` and so on.

    The jar's synonyms are those of the original WordNet 3.0. Debian's edition has moved some synsets; which nouns
    and verbs then share a number by accident is another matter there, and 38 of HANNA's 1,056 scores differ.
    """
    synsets_of_word: dict[str, str] = {}
    bases_of_form: dict[str, list[str]] = {}
    for part in _WORDNET_PARTS:
        for line in (folder / f"index.{part}").read_text("utf-8").splitlines():
            if line.startswith("  "):  # the licence at the head of each file
                continue
            # lemma pos synset_cnt p_cnt [pointer...] sense_cnt tagsense_cnt offset [offset...]
            fields = line.split()
            offsets = " ".join(fields[-int(fields[2]) :])
            known = synsets_of_word.get(fields[0])
            synsets_of_word[fields[0]] = f"{known} {offsets}" if known else offsets
        for line in (folder / f"{part}.exc").read_text("utf-8").splitlines():
            form, *bases = line.split()
            bases_of_form.setdefault(form, []).extend(bases)
    return SynonymDictionary(synsets_of_word, bases_of_form)
