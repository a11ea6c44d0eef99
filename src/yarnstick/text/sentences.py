"""Where sentences end in English stories: fast, by rule, with positions into the text.

Rules rather than a model, because a story's sentence count must not change with a model's version. They are
made for fiction: dialogue with its tags ("Stop!" he said), trailing dots, stutters, titles, initials, asides,
texts whose spaces after full stops were lost, and texts without capitals. A blank line ends a sentence; a
single line break is white space, since much prose is wrapped at a column. Sentences inside a quotation count.

>>> sentences('Mr. Fox waited... and waited. "Come in!" said the hen. He did.')
['Mr. Fox waited... and waited.', '"Come in!" said the hen.', 'He did.']
"""

import re

_ENDS = re.compile(r"[.!?…]+|[。！？｡]+|[।؟۔]+")
_CLOSING = re.compile(r"(?:[\"'”’»)\]}*_]|」|』|）)*")
_TOKENISED_CLOSING = re.compile(r"\s+(?:''|”|’’)(?=\s|\Z)")
_OPENING = re.compile(r"[\s\"'“‘`«(\[{*_—–-]*")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUOTES = frozenset("\"'”’»」』")
_JOINED_WITHOUT_SPACE = frozenset("。！？｡")


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_BEFORE_A_NAME = _set(
    """adm brig capt cmdr col cpl det dr esq fr gen gov hon insp lt maj messrs mlle mme mr mrs ms mt pres
    prof rep rev sen sgt sr supt st ste"""
)
_NEVER_LAST = _set("al approx ca cf eds eg e.g ie i.e viz vs v.s")
_BEFORE_A_NUMBER = _set("ch fig figs no nos p pp vol vols")
_MAYBE_LAST = _set(
    """a.m p.m apr assn aug ave blvd bros co corp ct dec dept dist div est etc ext feb ft inc jan jr jul
    jun lb ltd mar mfg min misc mo nov oct oz ph.d b.a m.a m.d rd sep sept sq tel u.k u.n u.s u.s.a
    univ d.c b.c a.d"""
)
_STARTERS = _set(
    """a after all although an and another as at because before but by did do during each even every
    everyone everything finally first for from had has have he her here his how however i if in
    instead is it its just last later let long many maybe meanwhile my next no nobody nor not
    nothing now of on once one only or our perhaps she since so some someone something soon still
    such suddenly that the their then there these they this those though through to today together
    tomorrow under until was we well were what when where which while who why with without would yes
    yet you your"""
)
_SPEECH = _set(
    """added admitted agreed announced answered argued asked barked bellowed began begged boomed breathed
    called chuckled commanded continued cried croaked demanded echoed exclaimed gasped giggled
    groaned growled grumbled hissed howled inquired insisted interrupted laughed moaned murmured
    muttered offered ordered pleaded promised protested queried quipped repeated replied responded
    roared said says screamed shouted shrieked sighed smiled snapped snarled sobbed squeaked
    stammered thought told urged wailed whimpered whined whispered wondered yelled yelped"""
)
_PRONOUNS = _set("i you he she it we they")
_FAR_ENOUGH_BACK = 32
_NOT_ALWAYS_LAST = _BEFORE_A_NAME | _NEVER_LAST | _MAYBE_LAST | _BEFORE_A_NUMBER


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence; white space between sentences belongs to none."""
    spans: list[tuple[int, int]] = []
    all_small = text == text.lower()
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        if blank.start() > start:
            _split_paragraph(text, start, blank.start(), all_small, spans)
        start = blank.end()
    _split_paragraph(text, start, len(text), all_small, spans)
    return spans


def sentences(text: str) -> list[str]:
    """The sentences of ``text``, without the white space around them."""
    return [text[start:end] for start, end in sentence_spans(text)]


def _split_paragraph(text: str, start: int, stop: int, all_small: bool, spans: list[tuple[int, int]]) -> None:
    begin = start
    for mark in _ENDS.finditer(text, start, stop):
        at, end = mark.span()
        if at < begin:
            continue
        if not _is_plain_end(text, begin, at, end, stop):
            end = _closing_end(text, end, stop)
            if end >= stop or not _is_boundary(text, begin, mark, end, stop, all_small):
                continue
        _keep(text, begin, end, spans)
        begin = end
    _keep(text, begin, stop, spans)


def _is_plain_end(text: str, begin: int, at: int, end: int, stop: int) -> bool:
    """Whether a full stop, a space and a capital follow an ordinary word: by far the commonest boundary, decided
    as the rules below would, only sooner."""
    if end + 1 >= stop or text[end] != " " or end != at + 1 or text[at] != "." or not text[end + 1].isupper():
        return False
    before = text[max(text.rfind(" ", begin, at) + 1, begin) : at]
    return 1 < len(before) < _FAR_ENOUGH_BACK and before.isalpha() and before.lower() not in _NOT_ALWAYS_LAST


def _closing_end(text: str, at: int, stop: int) -> int:
    """Past the quotes and brackets that close with the sentence, also where tokenising set them apart."""
    closing = _CLOSING.match(text, at, stop)
    end = closing.end() if closing else at
    apart = _TOKENISED_CLOSING.match(text, end, stop)
    return apart.end() if apart else end


def _keep(text: str, begin: int, end: int, spans: list[tuple[int, int]]) -> None:
    sentence = text[begin:end]
    begin += len(sentence) - len(sentence.lstrip())
    if sentence := sentence.strip():
        spans.append((begin, begin + len(sentence)))


def _is_boundary(text: str, begin: int, mark: re.Match[str], end: int, stop: int, all_small: bool) -> bool:
    dots = mark.group()
    if dots[0] in _JOINED_WITHOUT_SPACE:
        return True
    opening = _OPENING.match(text, end, stop)
    after = opening.end() if opening else end
    if after >= stop:
        # Nothing but quotes and space is left: it goes with the sentence it follows.
        return False
    follower = text[after]
    if follower in ".!?…,;:%)]}":
        return False
    word_match = _WORD.match(text, after, stop)
    word = word_match.group() if word_match else ""
    if not text[end].isspace():
        return _is_lost_space(text, mark.start(), after, end, word)
    quoted = any(character in _QUOTES for character in text[mark.end() : end])
    if follower.islower():
        return _small_letter_starts(text, begin, mark, quoted, all_small, word)
    if quoted and dots[-1] in "!?…" and _is_dialogue_tag(text, word_match, stop):
        return False
    if "?" in dots or "!" in dots:
        return True
    if len(dots) > 1 or dots == "…":
        return not _carries_on(text, begin, mark.start(), word)
    return quoted or dots != "." or _full_stop_is_boundary(text, begin, mark.start(), word)


def _small_letter_starts(text: str, begin: int, mark: re.Match[str], quoted: bool, all_small: bool, word: str) -> bool:
    """Whether a sentence begins with a small letter: after a plain full stop, as hurried writers do, and after
    any mark in a text without capitals. "Oh! how fine" and a quotation with its "he said" go on."""
    if quoted and (not all_small or word in _PRONOUNS or word in _SPEECH):
        return False
    if mark.group() != ".":
        return all_small and mark.group()[-1] in "!?"
    chunks = text[max(begin, mark.start() - _FAR_ENOUGH_BACK) : mark.start()].split()
    before = chunks[-1].lower().strip("\"'“”‘’()") if chunks else ""
    listed = _BEFORE_A_NAME | _NEVER_LAST | _MAYBE_LAST
    return text[mark.start() - 1].isspace() or (len(before) > 1 and before not in listed and "." not in before)


def _is_lost_space(text: str, at: int, after: int, end: int, word: str) -> bool:
    """ "He left.The door": a small letter, a mark, a capitalised word, nothing between."""
    if after > end and text[end] in "-–—":
        return False
    before = text[max(0, at - 2) : at]
    return len(before) == 2 and before.isalpha() and before.islower() and (word.istitle() or word == "I")


def _is_dialogue_tag(text: str, first: re.Match[str] | None, stop: int) -> bool:
    """Whether what follows a quotation says who spoke: "John asked", "I said"."""
    if first is None:
        return False
    at = first.end()
    for _ in range(2):
        while at < stop and text[at] == " ":
            at += 1
        word = _WORD.match(text, at, stop)
        if word is None:
            return False
        if word.group() in _SPEECH:
            return True
        if not word.group()[0].isupper():
            return False
        at = word.end()
    return False


def _carries_on(text: str, begin: int, at: int, word: str) -> bool:
    """After trailing dots: a stutter ("W... Wait", "I... I"), or an "I", which is a capital anyway."""
    if not word or word.split("'")[0].split("’")[0] == "I":
        return bool(word)
    before = text[max(begin, at - _FAR_ENOUGH_BACK) : at].split()
    return bool(before) and word.lower().startswith(before[-1].strip("\"'“‘”’(").lower() or word)


def _full_stop_is_boundary(text: str, begin: int, at: int, word: str) -> bool:
    chunks = text[max(begin, at - _FAR_ENOUGH_BACK) : at].split()
    if not chunks or text[at - 1].isspace():
        return True
    before = chunks[-1].lstrip("\"'“‘`«([{*_-–—")
    name = before.lower()
    if name in _BEFORE_A_NAME or before in _NEVER_LAST or (not word and name in _BEFORE_A_NUMBER):
        return False
    if len(chunks) == 1 and before.isdigit() and len(before) <= 3 and at - len(before) <= begin + 4:
        return False  # "1. Go home."
    starts = word.split("'")[0].split("’")[0].lower() in _STARTERS
    if len(before) == 1 and before.isalpha() and before.isupper():
        # An initial ("J. Fox") unless a sentence plainly starts; "I" both ends and begins them.
        return starts and (before == "I" or word != "I")
    if name in _MAYBE_LAST or re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", before):
        return starts or not word
    return True
