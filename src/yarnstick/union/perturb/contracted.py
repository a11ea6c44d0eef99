"""Negations added to contractions: "I'll" becomes "I won't", "it's been" "it hasn't been"."""

from __future__ import annotations

from yarnstick.text.tagging import Words
from yarnstick.union.perturb.clauses import HELPERS, PERSONAL, Alteration, after, breaks_between, reading_with, small_at

#: a helper with "not" in full and in short
_NEGATED = {
    "is": (" is not", " isn't"),
    "are": ("'re not", " aren't"),
    "will": (" will not", " won't"),
    "have": (" have not", " haven't"),
    "has": (" has not", " hasn't"),
    "had": (" had not", " hadn't"),
    "would": (" would not", " wouldn't"),
}


def contraction(words: Words, place: int) -> Alteration | None:
    """The negation of what is short for a pronoun and a helper at ``place``; None where the helper is not sure."""
    small = words.small[place]
    host, _, clitic = small.partition("'")
    if place + 1 == len(words) or breaks_between(words, place, place + 1):
        return None
    end = words.end(place)
    following = small_at(words, after(words, place))
    if small == "let's":
        bare = following == "be" or reading_with(following, "VB")
        return Alteration(((end, end, " not"),)) if bare else None
    if host not in PERSONAL and not (host in ("there", "that") and clitic in ("s", "ll")):
        return None
    if clitic == "m":
        return Alteration(((end, end, " not"),))
    helper = _helper(clitic, following)
    if helper is None:
        return None
    split = words.start(place) + len(host)
    full, short = _NEGATED[helper]
    return Alteration(((split, end, full),), ((split, end, short),))


def _helper(clitic: str, following: str) -> str | None:
    """What a contraction stands for, told from the word after it."""
    perfect = following in ("been", "had") or reading_with(following, "VBN") is not None
    if clitic == "s":
        if following in ("been", "had", "got"):
            return "has"
        # "he's gone" could have either, and says the same negated.
        return None if following in HELPERS or following in PERSONAL else "is"
    if clitic == "d":
        bare = reading_with(following, "VB") and not perfect
        if bare or following in ("be", "have", "like", "love"):
            return "would"
        return "had" if perfect and following != "better" else None
    if clitic == "ve":
        return "have" if perfect else None
    return {"re": "are", "ll": "will"}.get(clitic)
