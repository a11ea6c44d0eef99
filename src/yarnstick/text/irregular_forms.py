"""English words whose forms follow no rule: verbs, plurals, comparatives.

Written by hand for this project. Where two forms are in use both are named, the commoner first, so that a text
can be put into the past with the first and read back with either. Modal verbs are left out on purpose: "could" is
a past of "can" in form only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

# base past participle; a slash between forms that are both in use
_VERBS = """
be was/were been, have had had, do did done, go went gone, say said said, get got gotten/got, make made made,
know knew known, think thought thought, take took taken, see saw seen, come came come, give gave given,
find found found, tell told told, become became become, leave left left, feel felt felt, put put put,
bring brought brought, begin began begun, keep kept kept, hold held held, write wrote written, stand stood stood,
hear heard heard, let let let, mean meant meant, set set set, meet met met, run ran run, pay paid paid, sit sat sat,
speak spoke spoken, lie lay/lied lain/lied, lead led led, read read read, grow grew grown, lose lost lost,
fall fell fallen, send sent sent, build built built, understand understood understood, draw drew drawn,
break broke broken, spend spent spent, cut cut cut, rise rose risen, drive drove driven, buy bought bought,
wear wore worn, choose chose chosen, seek sought sought, throw threw thrown, catch caught caught, deal dealt dealt,
win won won, forget forgot forgotten, lay laid laid, sell sold sold, fight fought fought, bear bore born/borne,
teach taught taught, eat ate eaten, sing sang sung, strike struck struck/stricken, hang hung/hanged hung/hanged,
shake shook shaken, ride rode ridden, feed fed fed, shoot shot shot, drink drank drunk, hit hit hit,
arise arose arisen, fly flew flown, spread spread spread, sleep slept slept, cost cost cost, beat beat beaten/beat,
light lit/lighted lit/lighted, bind bound bound, cast cast cast, hide hid hidden, swing swung swung,
sweep swept swept, wake woke/waked woken/waked, awake awoke/awaked awoken/awaked, bite bit bitten, blow blew blown,
breed bred bred, burst burst burst, cling clung clung, creep crept crept, dig dug dug, flee fled fled,
fling flung flung, forbid forbade forbidden, forgive forgave forgiven, forsake forsook forsaken, freeze froze frozen,
grind ground ground, hurt hurt hurt, kneel knelt/kneeled knelt/kneeled, quit quit/quitted quit, ring rang rung,
shed shed shed, shine shone/shined shone/shined, shrink shrank/shrunk shrunk/shrunken, shut shut shut,
sink sank/sunk sunk/sunken, slay slew slain, slide slid slid, sling slung slung, slit slit slit, spin spun/span spun,
spit spat/spit spat/spit, split split split, spring sprang/sprung sprung, steal stole stolen, stick stuck stuck,
sting stung stung, stink stank/stunk stunk, stride strode stridden, string strung strung,
strive strove/strived striven/strived, swear swore sworn, swell swelled swollen/swelled, swim swam swum,
tear tore torn, thrust thrust thrust, tread trod trodden/trod, weave wove/weaved woven/weaved, weep wept wept,
wind wound wound, wring wrung wrung, bend bent bent, bleed bled bled, bet bet/betted bet/betted,
bid bid/bade bid/bidden, lend lent lent, rend rent rent, rid rid rid, shear sheared shorn/sheared,
speed sped/speeded sped/speeded, fit fitted/fit fitted/fit, wed wed/wedded wed/wedded, wet wet/wetted wet/wetted,
knit knitted/knit knitted/knit, sneak sneaked/snuck sneaked/snuck, dive dived/dove dived,
plead pleaded/pled pleaded/pled, learn learned/learnt learned/learnt, burn burned/burnt burned/burnt,
dream dreamed/dreamt dreamed/dreamt, lean leaned/leant leaned/leant, leap leaped/leapt leaped/leapt,
smell smelled/smelt smelled/smelt, spell spelled/spelt spelled/spelt, spill spilled/spilt spilled/spilt,
spoil spoiled/spoilt spoiled/spoilt, dwell dwelt/dwelled dwelt/dwelled, bereave bereaved/bereft bereaved/bereft,
cleave cleaved/clove/cleft cleaved/cloven, clothe clothed/clad clothed/clad, gild gilded/gilt gilded/gilt,
hew hewed hewn/hewed, lade laded laden, mow mowed mown/mowed, prove proved proven/proved, saw sawed sawn/sawed,
sew sewed sewn/sewed, shave shaved shaven/shaved, show showed shown/showed, sow sowed sown/sowed,
strew strewed strewn/strewed, melt melted melted/molten, heave heaved/hove heaved/hove, smite smote smitten,
beget begot begotten, stave staved/stove staved, chide chided/chid chided/chidden,
thrive thrived/throve thrived/thriven, abide abided/abode abided, sweat sweated/sweat sweated/sweat,
beseech besought/beseeched besought/beseeched, alight alighted/alit alighted/alit, behold beheld beheld,
befall befell befallen, beset beset beset, bespeak bespoke bespoken, bestride bestrode bestridden,
broadcast broadcast broadcast, forecast forecast forecast, foresee foresaw foreseen, foretell foretold foretold,
forgo forwent forgone, inlay inlaid inlaid, input input input, interweave interwove interwoven, mislead misled misled,
mislay mislaid mislaid, misread misread misread, mistake mistook mistaken, misunderstand misunderstood misunderstood,
outdo outdid outdone, outgrow outgrew outgrown, outrun outran outrun, overcome overcame overcome,
overdo overdid overdone, overeat overate overeaten, overhear overheard overheard, overrun overran overrun,
oversee oversaw overseen, oversleep overslept overslept, overtake overtook overtaken, overthrow overthrew overthrown,
partake partook partaken, rebuild rebuilt rebuilt, redo redid redone, remake remade remade, repay repaid repaid,
reread reread reread, reset reset reset, retell retold retold, rethink rethought rethought, rewind rewound rewound,
rewrite rewrote rewritten, unbend unbent unbent, unbind unbound unbound, undergo underwent undergone,
undertake undertook undertaken, undo undid undone, unwind unwound unwound, uphold upheld upheld, upset upset upset,
withdraw withdrew withdrawn, withhold withheld withheld, withstand withstood withstood
"""

# base: present forms and -ing forms that the rules of spelling do not give
_OTHER_VERB_FORMS = """
be am/is/are/being, have has/hath/hast, do does/doth/dost, die dying, lie lying, tie tying, vie vying, untie untying,
belie belying, say saith
"""

# singular plural
_PLURALS = """
man men, woman women, child children, foot feet, tooth teeth, goose geese, mouse mice, louse lice, person people,
ox oxen, brother brethren, penny pence/pennies, wife wives, life lives, knife knives, leaf leaves, thief thieves,
half halves, self selves, shelf shelves, elf elves, wolf wolves, loaf loaves, calf calves, scarf scarves/scarfs,
hoof hooves/hoofs, wharf wharves/wharfs, dwarf dwarves/dwarfs, sheaf sheaves, staff staffs/staves, beef beeves,
turf turfs/turves, kerchief kerchiefs/kerchieves, bookshelf bookshelves, housewife housewives, midwife midwives,
werewolf werewolves, penknife penknives, jackknife jackknives, crisis crises, basis bases, oasis oases, thesis theses,
hypothesis hypotheses, analysis analyses, diagnosis diagnoses, emphasis emphases, ellipsis ellipses,
parenthesis parentheses, neurosis neuroses, axis axes, phenomenon phenomena, criterion criteria, medium media,
datum data, bacterium bacteria, stratum strata, memorandum memoranda, curriculum curricula, radius radii,
cactus cacti, fungus fungi, nucleus nuclei, stimulus stimuli, alumnus alumni, focus foci, genius geniuses,
larva larvae, antenna antennae, formula formulae, vertebra vertebrae, nebula nebulae, supernova supernovae,
index indices, appendix appendices, vertex vertices, matrix matrices, bureau bureaux, plateau plateaux,
chateau chateaux, tableau tableaux, genus genera, stigma stigmata, schema schemata, bus buses/busses,
gas gases/gasses, quiz quizzes, passerby passersby, stepchild stepchildren, grandchild grandchildren,
godchild godchildren, forefoot forefeet, dormouse dormice, eyetooth eyeteeth, mongoose mongooses
"""

# base comparative superlative, for what is not spelt by rule
_COMPARATIVES = """
good better best, well better best, bad worse worst, ill worse worst, badly worse worst, much more most,
many more most, little less least, far farther/further farthest/furthest, old elder eldest,
late later/latter latest/last
"""


class IrregularVerb(NamedTuple):
    """A verb's base, and its past and past participle, the commoner form first."""

    base: str
    past: tuple[str, ...]
    participle: tuple[str, ...]


def _rows(table: str) -> list[list[tuple[str, ...]]]:
    return [[tuple(cell.split("/")) for cell in row.split()] for row in table.split(",")]


@lru_cache(maxsize=1)
def irregular_verbs() -> dict[str, IrregularVerb]:
    """Irregular verbs by base form.

    >>> irregular_verbs()["go"].past
    ('went',)
    """
    return {base: IrregularVerb(base, past, participle) for (base,), past, participle in _rows(_VERBS)}


@lru_cache(maxsize=1)
def bases_of_irregular_form() -> dict[str, tuple[str, ...]]:
    """What each irregular form is a form of: ``lay`` of "lie", ``better`` of "good" and of "well".

    >>> bases_of_irregular_form()["better"]
    ('good', 'well')
    """
    bases: dict[str, dict[str, None]] = {}
    for table in (_VERBS, _OTHER_VERB_FORMS, _PLURALS, _COMPARATIVES):
        for (base,), *cells in _rows(table):
            for form in (form for cell in cells for form in cell if form != base):
                bases.setdefault(form, {})[base] = None
    return {form: tuple(found) for form, found in bases.items()}


@lru_cache(maxsize=1)
def irregular_plurals() -> dict[str, str]:
    """The plural, in its commoner form, of nouns that do not follow the rules.

    >>> irregular_plurals()["wolf"]
    'wolves'
    """
    return {singular: plural[0] for (singular,), plural in _rows(_PLURALS)}


@lru_cache(maxsize=1)
def irregular_comparatives() -> dict[str, tuple[str, str]]:
    """Comparative and superlative, in their commoner form, of words that do not follow the rules.

    >>> irregular_comparatives()["good"]
    ('better', 'best')
    """
    return {base: (more[0], most[0]) for (base,), more, most in _rows(_COMPARATIVES)}
