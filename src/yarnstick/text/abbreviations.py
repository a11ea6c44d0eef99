"""Written forms that punctuation would tear apart: abbreviations, clock times, and emoticons."""

from yarnstick.text.contractions import Rules

_TITLES = "Adm. Dr. Gen. Gov. Jr. Messrs. Mr. Mrs. Ms. Ph.D. Prof. Rep. Rev. Sen. St. Mt."
_FIRMS = "Bros. Co. co. Corp. Inc. Ltd."
_LATIN = "a.m. p.m. e.g. E.g. E.G. i.e. I.e. I.E. vs. v.s."
_MONTHS = "Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec."
_STATES = """Ak. Ala. Ariz. Ark. Calif. Colo. Conn. D.C. Del. Fla. Ga. Ia. Id. Ill. Ind. Kan. Kans. Ky. La.
Mass. Md. Mich. Minn. Miss. Mo. Mont. N.C. N.D. N.H. N.J. N.M. N.Y. Neb. Nebr. Nev. Okla. Ore. Pa. S.C. Tenn.
Va. Wash. Wis."""
_SLASHED = "and/or w/o C++"
_LIST_LETTERS = "a b c d e f g h i j k l m n o p q r s t u v w x y z ä ö ü"

_SMILEYS = (
    # eyes first, with and without a nose
    ": :)|:))|:)))|:-)|:-))|:-)))|:]|:-]|:}|:-}|:(|:((|:(((|:-(|:-((|:-(((|:')|:'-)|:'(|:'-(|:()|:o)",
    ": :/|:-/|:1|:P|:-P|:p|:-p|:O|:-O|:o|:-o|:0|:-0|:*|:-*|:3|:-3|:>|:->|:X|:-X|:x|:-x|:D|:-D",
    "; ;)|;-)|;D|;-D",
    "= =)|=(|=/|=[|=]|=D|=3",
    "8 8)|8-)|8D|8-D",
    "x xD|XD|xDD|XDD",
    # mouth first
    "( (:|(-:|(=|(o:|(;|(-;|(-8|):|)-:",
    "[ [:|[-:|[=|]=",
    "> >:(|>:o|>.<|>.>|<.<|<3|<33|<333|</3|><(((*>",
    # faces seen upright
    "_ ^_^|^__^|^___^|._.|;_;|-_-|-__-|v.v|V.V|v_v|V_V|o_o|o_O|O_o|O_O|0_o|o_0|0_0",
    "o o.O|O.o|O.O|o.o|0.0|o.0|0.o",
    "@ @_@|(^_^)|(-_-)|(._.)|(>_<)|(*_*)|(¬_¬)|ಠ_ಠ|ಠ︵ಠ|(ಠ_ಠ)|¯\\(ツ)/¯|(╯°□°）╯︵┻━┻",
)
# The bar is both a mouth and the separator above, so the faces with a straight mouth stand here.
_STRAIGHT_MOUTHS = (":|", ":-|", "=|")


def abbreviations(rules: Rules = "spacy-3.8") -> dict[str, tuple[str, ...]]:
    """Forms that are one word in spite of their full stop or slash, and clock times ("5pm" is 5 + pm)."""
    whole = " ".join((_TITLES, _FIRMS, _LATIN, _MONTHS, _STATES, _SLASHED)).split()
    whole += [letter + "." for letter in _LIST_LETTERS.split()]
    if rules == "spacy-3.2":
        whole.append("May.")  # a month needs no full stop; dropped in 2022 (spaCy #10463)
    found: dict[str, tuple[str, ...]] = {form: (form,) for form in whole}
    for hour in range(1, 13):
        for half in ("am", "pm", "a.m.", "p.m."):
            found[f"{hour}{half}"] = (str(hour), half)
    for scale in "cfkCFK":
        found[f"°{scale}."] = ("°", scale, ".")
    return found


def emoticons() -> dict[str, tuple[str, ...]]:
    """Faces drawn with punctuation, which are one word each."""
    faces = {face for row in _SMILEYS for face in row.split(" ", 1)[1].split("|") if len(face) > 1}
    faces |= {*_STRAIGHT_MOUTHS}
    faces |= {face.replace("'", "’") for face in faces}
    return {face: (face,) for face in faces}
