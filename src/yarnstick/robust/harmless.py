"""Changes that make no story worse: other typography, long forms for short ones, words that mean the same.

Each takes a text and gives it back changed wherever it can be, or as it is where there is nothing to change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType

from yarnstick.text.sentences import sentence_spans

#: what follows "not" in a short form, and the only host that loses letters
_NEGATED = "do does did is are was were have has had could would should must need"
_SHORT_NOT = {f"{verb}n't": f"{verb} not" for verb in _NEGATED.split()} | {"can't": "cannot", "won't": "will not"}
_SHORT_IS = {"i'm": "i am", "let's": "let us"}
_SHORT_IS |= {f"{who}'re": f"{who} are" for who in ("you", "we", "they")}
_SHORT_IS |= {f"{who}'ve": f"{who} have" for who in ("i", "you", "we", "they")}
_SHORT_IS |= {f"{who}'ll": f"{who} will" for who in ("i", "you", "he", "she", "it", "we", "they")}
#: 's and 'd are left alone, since each can stand for two things
_LONG_OF = _SHORT_NOT | _SHORT_IS
#: the long forms that can be made short: not "let us", which may ask for leave, nor "I have", which may be to own
_SHORT_OF = {long: short for short, long in _LONG_OF.items() if short != "let's" and not short.endswith("'ve")}

#: words that can take each other's place wherever they stand, in this form and with the same article
_ALIKE = (
    "began started; begin start; begins starts; bought purchased; dad father; everybody everyone; "
    "gift present; gifts presents; grandma grandmother; grandpa grandfather; huge gigantic; kid child; kids children; "
    "maybe perhaps; mom mother; mum mother; nobody no|one; often frequently; perhaps maybe; quickly rapidly; "
    "replied answered; scared frightened; shouted yelled; sofa couch; somebody someone; someone somebody; "
    "suddenly all|at|once; terrible horrible; toward towards; towards toward; until till; wonderful marvellous; "
    "yelled shouted"
)
_SAME = {one: other.replace("|", " ") for one, other in (pair.split() for pair in _ALIKE.split(";"))}

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LONG = re.compile(
    rf"\b({'|'.join(sorted(map(re.escape, _SHORT_OF), key=len, reverse=True))})(?= [a-z])", re.IGNORECASE
)
_STRAIGHT = re.compile(r"[\"']")


def quotes(text: str) -> str:
    """Straight quotation marks and apostrophes curled; where there are none, curly ones straightened."""
    if not _STRAIGHT.search(text):
        return text.translate({ord("“"): '"', ord("”"): '"', ord("‘"): "'", ord("’"): "'"})
    return _STRAIGHT.sub(lambda mark: _curled(text, mark.start()), text)


def _curled(text: str, at: int) -> str:
    opens = at == 0 or text[at - 1].isspace() or text[at - 1] in "([{—–-\"'“‘"
    # ... unless nothing follows that could be quoted.
    opens &= at + 1 < len(text) and not text[at + 1].isspace()
    return ("“" if opens else "”") if text[at] == '"' else ("‘" if opens else "’")


def dashes(text: str) -> str:
    """Two hyphens for a dash and three dots for an ellipsis, or the other way round."""
    if "--" in text or "..." in text:
        return re.sub(r"(?<!-)--(?!-)", "—", re.sub(r"(?<!\.)\.\.\.(?!\.)", "…", text))
    return text.replace("—", "--").replace("…", "...")


def spaces(text: str) -> str:
    """Two spaces between sentences, as typewriters had it."""
    return _between_sentences(text, "  ")


def line_breaks(text: str) -> str:
    """Every sentence on a line of its own."""
    return _between_sentences(text, "\n")


def _between_sentences(text: str, gap: str) -> str:
    spans = sentence_spans(text)
    for (_, end), (start, _) in reversed(list(pairwise(spans))):
        if text[end:start] == " ":  # a paragraph's end stays what it is
            text = text[:end] + gap + text[start:]
    return text


def expanded(text: str) -> str:
    """Long forms for short ones.

    >>> expanded("I'm sure they didn't. We'll see.")
    'I am sure they did not. We will see.'
    """
    return _WORD.sub(lambda word: _as_written(word.group(), _LONG_OF.get(word.group().lower().replace("’", "'"))), text)


def contracted(text: str) -> str:
    """Short forms for long ones, where a word follows.

    >>> contracted("I am sure they did not go. Yes, I am.")
    "I'm sure they didn't go. Yes, I am."
    """
    return _LONG.sub(lambda found: _as_written(found.group(), _SHORT_OF[found.group().lower()]), text)


def synonyms(text: str) -> str:
    """Words that mean the same, from a short list of those that do so wherever they stand.

    >>> synonyms("Mom bought a huge sofa. Everybody yelled.")
    'Mother purchased a gigantic couch. Everyone shouted.'
    """
    return _WORD.sub(lambda word: _as_written(word.group(), _SAME.get(word.group().lower())), text)


def _as_written(word: str, other: str | None) -> str:
    """The other word with the capitals of this one; a word all in capitals stays, for it is shouted or a name."""
    if other is None or (len(word) > 1 and word.isupper()):
        return word
    # The pronoun is a capital wherever it stands.
    if word[0] == "I" and other.split("'")[0].split()[0] == "i":
        return "I" + other[1:]
    return other[0].upper() + other[1:] if word[0].isupper() else other


#: by the names they have in tables
HARMLESS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "quotes": quotes,
        "dashes": dashes,
        "spaces": spaces,
        "line breaks": line_breaks,
        "expanded": expanded,
        "contracted": contracted,
        "synonyms": synonyms,
    }
)
