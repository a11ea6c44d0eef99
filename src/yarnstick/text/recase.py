"""Natural text from what corpora made of it: "[MALE] did n't go ." becomes "Tom didn't go."

UNION's stories are lower-cased, cut into tokens and stripped of names; a language model knows none of that, and takes a
small "i" for a mistake of the writer. The way back is by rule and the same every time: tokens are joined, sentences and
names get their capitals, and every placeholder gets a common name, chosen by the text, the same throughout a story.
"""

from __future__ import annotations

import re
import zlib
from functools import cache

from yarnstick.text.listed import listed
from yarnstick.text.names import COMMON_NAMES, Kind, also_words, name_list
from yarnstick.text.sentences import sentence_spans

_PLACEHOLDER = re.compile(r"\[(MALE|FEMALE|NEUTRAL)\]")
_TOKENISED = re.compile(r"\w (?:n't|'s|'m|'re|'ve|'ll|'d)\b|[\w\]'] [.,!?;:](?=\s|\Z)|``")

# Each pair undoes one habit of tokenisers; order matters.
_JOINS = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"``\s*|''", '"'),
        (
            r"\b(ca|wo|sha|ai|are|is|was|were|do|does|did|have|has|had|could|would|should|must|might|need) n't\b",
            r"\1n't",
        ),
        (r"(?<=[\w\]]) (n't|'s|'m|'re|'ve|'ll|'d)\b", r"\1"),
        (r"(?<=s) '(?= \w)", "'"),
        (r"\b(gon|wan) na\b", r"\1na"),
        (r"\bgot ta\b", "gotta"),
        (r"\bcan not\b", "cannot"),
        (r" +([.,!?;:%)\]}…])", r"\1"),
        (r"([(\[{$#]) +", r"\1"),
        (r"(?<=\d) (?=st\b|nd\b|rd\b|th\b)", ""),
        (r"(?<=\d), (?=\d{3}\b)", ","),
        (r"(?<=\w) - (?=\w)", "-"),
    )
]
_QUOTED = re.compile(r'"\s*([^"]*?)\s*"')
_SMALL_I = re.compile(r"\bi\b(?!\.\w)")
_WORD = re.compile(r"[^\W\d_]+")
_FIRST_LETTER = re.compile(r"[^\W\d_]")
_AFTER_OPENING_QUOTE = re.compile(r'([,:] ")([a-z])')

_CAPITALISED = """
monday tuesday wednesday thursday friday saturday sunday january february april june july september october november
december christmas easter halloween thanksgiving hanukkah ramadan american english french german spanish italian
chinese japanese mexican indian irish russian canadian british european african asian america england france germany
spain italy china japan mexico india ireland russia canada europe africa asia australia florida california texas york
chicago boston paris london vegas hawaii alaska disney disneyland facebook google youtube internet tv mr mrs ms dr god
santa xbox nintendo walmart starbucks mcdonald amazon netflix iphone olympics
"""
_SPELLED = {"tv": "TV", "iphone": "iPhone", "youtube": "YouTube", "xbox": "Xbox", "internet": "internet"}

# [FEMALE] hides "My" and "Sunday", [NEUTRAL] hides "So" and "Saturday": the list UNION cut names out with has them as
# names. Counted over stories whose text is known both ways; only the clear cases are undone.
_VERB_LIKE = listed(
    """
    was is had has did does could would can will should might must and or but 's , . ! ? went wanted decided got loved
    bought realized found asked watched took started ran heard felt ended drove said told tried really quickly played
    noticed missed looked left learned gave entered enjoyed came called began worked liked made now wants thought knew
    saw put kept let met sat stood turned used walked needed lived hated never always also then just were in on at to
    for with who that
    """
)
_AFTER_SO = listed("he she i they we it the his her my their our a one much many when you")
_DAY_PARTS = listed("night morning afternoon evening")
_BEFORE_A_DAY = listed("on last next every this")
_PLACE = {"FEMALE": "Florida", "MALE": "Houston", "NEUTRAL": "Mexico"}


def looks_prepared(text: str) -> bool:
    """Whether a corpus has worked on the text: placeholders, parted tokens, or no capitals at all in several words."""
    return bool(_PLACEHOLDER.search(text) or _TOKENISED.search(text)) or (text.islower() and text.count(" ") >= 3)


def natural(text: str) -> str:
    """The text as a writer would have typed it; text that is natural already is returned as it is.

    >>> natural("[MALE] did n't go . i was sad , and `` so '' was he .")
    'Ben didn\\'t go. I was sad, and "so" was he.'
    """
    if not looks_prepared(text):
        return text
    cased = any(sign.isupper() for sign in _PLACEHOLDER.sub("", text))
    return recase(join_tokens(give_names(text)), cased=cased)


def join_tokens(text: str) -> str:
    """Tokens put together again: "did n't" is "didn't", and a full stop stands where its sentence ends."""
    for pattern, replacement in _JOINS:
        text = pattern.sub(replacement, text)
    # Only where quotation marks pair up is it known which opens and which closes.
    if text.count('"') % 2 == 0:
        text = _QUOTED.sub(r'"\1"', text)
    return text.strip()


def recase(text: str, *, cased: bool = False) -> str:
    """Capitals where English has them: sentences, "I", names, days, months and the commonest places.

    ``cased``: the text has capitals of its own; nothing but what is surely missing is added then.
    """
    text = _SMALL_I.sub("I", text)
    if not cased:
        text = _WORD.sub(_with_capital, text)
        text = _AFTER_OPENING_QUOTE.sub(lambda match: match[1] + match[2].upper(), text)
    parts, done = [], 0
    for start, end in sentence_spans(text):
        letter = _FIRST_LETTER.search(text, start, end)
        if letter:
            parts += [text[done : letter.start()], letter[0].upper()]
            done = letter.end()
    return "".join([*parts, text[done:]])


def give_names(text: str) -> str:
    """Names for placeholders: one of each kind a story, a second where two of a kind stand side by side."""
    pieces = _PLACEHOLDER.split(text)
    if len(pieces) == 1:
        return text
    draw = zlib.crc32(text.encode())
    given = {kind: names[draw % len(names)] for kind, names in COMMON_NAMES.items()}
    second = {kind: names[(draw // 7 + draw % len(names) + 1) % len(names)] for kind, names in COMMON_NAMES.items()}
    for kind, name in second.items():
        if name == given[kind]:
            names = COMMON_NAMES[kind]
            second[kind] = names[(names.index(name) + 1) % len(names)]
    made, previous = [pieces[0]], ""
    for place in range(1, len(pieces), 2):
        here: Kind = pieces[place]  # type: ignore[assignment]
        before, after = pieces[place - 1], pieces[place + 1]
        beside_its_kind = place > 1 and pieces[place - 2] == here and before.strip() in ("and", ",", "or", ", and")
        name = _hidden_word(here, before, after) or (
            second[here] if beside_its_kind and previous == given[here] else given[here]
        )
        made += [name, after]
        previous = name
    return "".join(made)


def _hidden_word(kind: Kind, before: str, after: str) -> str | None:
    """What the placeholder hides, where it surely is no person's name."""
    left, right = before.split(), after.split()
    last, following = (left[-1] if left else ""), (right[0] if right else "")
    starts_sentence = not left or last in (".", "!", "?", "``", '"')
    if following in _DAY_PARTS or (last in _BEFORE_A_DAY and (following in (".", ",") or not following)):
        return {"FEMALE": "Sunday", "NEUTRAL": "Saturday"}.get(kind)
    if starts_sentence and kind == "FEMALE" and following and following not in _VERB_LIKE and not _past(following):
        return "My"
    if starts_sentence and kind == "NEUTRAL" and following in _AFTER_SO:
        return "So"
    if last == "in":
        return _PLACE[kind]
    return None


def _past(word: str) -> bool:
    return word.endswith("ed") and len(word) > 4


@cache
def _capitals() -> dict[str, str]:
    spelled = {word: word.capitalize() for word in _CAPITALISED.split()}
    spelled.update({name: name.capitalize() for name in name_list() if name not in also_words()})
    return {**spelled, **_SPELLED}


def _with_capital(match: re.Match[str]) -> str:
    return _capitals().get(match[0], match[0])
