"""Recognising web and mail addresses, so that the word tokeniser leaves them whole.

Names like "end.the" look like addresses too: a host, a full stop, a small-letter ending. That is the price of
recognising bare hosts ("example.org") without a list of the world's endings.
"""

import re
from functools import cache

from yarnstick.text.character_classes import letter_class

_LONGEST = 2083
"""No browser follows longer addresses; past it, text without spaces is text, and matching stays cheap."""


@cache
def _address() -> re.Pattern[str]:
    inner = "A-Za-z0-9\u00a1-\uffff"
    label = f"[{inner}](?:[{inner}_-]{{0,62}}[{inner}])?"
    domain = f"(?:{label}\\.)+[{letter_class('lower')}]{{2,63}}"
    private = r"(?!10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"
    octet = r"(?:\.(?:1?\d{1,2}|2[0-4]\d|25[0-5]))"
    number = rf"{private}(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3]){octet}{{2}}\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4])"
    return re.compile(
        rf"(?:[\w+.-]{{2,}}://)?(?:\S+@)?(?:{number}|{domain})(?::\d{{2,5}})?(?:[/?#]\S*)?",
    )


def is_web_address(chunk: str) -> bool:
    """Whether the whole of ``chunk`` (text without white space) is a URL, a host or a mail address."""
    if "." not in chunk or len(chunk) > _LONGEST:
        return False
    return _address().fullmatch(chunk) is not None
