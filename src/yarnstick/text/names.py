"""First names: which words are names, and of whom. Our own short list; users may point to longer ones.

UNION replaces names by [MALE], [FEMALE] and [NEUTRAL] so that a model cannot learn stories by their heroes. A list is
never complete, and some names are also words ("Will", "May", "Grace"): those are kept apart, as they need a second
look.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from yarnstick.errors import InputError

Kind: TypeAlias = Literal["MALE", "FEMALE", "NEUTRAL"]

_MALE = """
aaron abe abraham adam adrian al alan albert alexander alfred allan allen alvin amos andre andrew anthony antonio
archie arnold arthur barry bart ben benjamin benny bernard billy bob bobby boris brad bradley brandon brendan brent
brian bruce bryan byron calvin carl carlos cedric charles christopher clarence claude clayton cliff clifford clyde
cody colin conrad craig curtis dale damian dan daniel danny darren darryl dave david dean dennis derek diego dominic
don donald doug douglas duane dustin dwight earl ed eddie edgar edmund edward edwin eli elias elliot elmer eric erik
ernest ernie ethan eugene evan fernando francis frank franklin fred freddie frederick gabriel gary gavin george gerald
gilbert glen glenn gordon graham greg gregory gustav guy hal hank hans harold harry harvey hector henry herbert herman
homer horace howard howie hugh hugo ian igor ira isaac ivan jack jacob jake james jared jason jeff jeffrey jeremy
jerome jim jimmy joe joel john johnny jon jonah jonathan jorge jose joseph joshua josh juan julian julio julius justin
karl keith ken kenneth kenny kevin kirk kurt kyle lance larry lawrence leo leon leonard leroy lester lewis liam lloyd
logan louis lucas luis luke luther malcolm manuel marco marcus mario mark martin marvin mathew matt matthew maurice max
melvin michael miguel mike miles mitch mitchell mohammed morris moses nathan nathaniel ned neil nicholas nick nigel noah
norman oliver omar oscar otto owen patrick paul pedro percy perry pete peter phil philip phillip rafael ralph ramon
randy raul ray raymond reggie rex ricardo richard rick ricky rob robert rodney roger roland ron ronald ronnie ross roy
ruben rudy rufus rupert russell samuel scott sean sebastian seth shaun shawn sidney simon solomon spencer stan stanley
stefan stephen steve steven stewart stuart ted teddy terrence theodore thomas tim timmy timothy toby todd tom tommy tony
travis trevor tyler tyrone vance vernon victor vincent vinny wade wallace walter warren wayne wendell wesley wilbur
wilfred william willy winston xavier zach zachary
"""
_FEMALE = """
abigail abby ada adele agatha agnes aileen alexandra alice alicia alison allie allison alma alyssa amanda amber amelia
amy ana andrea angela angelina anita ann anna anne annette annie antonia ariel audrey ava barbara beatrice becky bella
bernice bertha beth bethany betsy betty beverly bianca bonnie brenda bridget brittany camille candace candice carla
carmen caroline carolyn carrie cassandra catherine cathy cecilia celeste celia charlotte chelsea cheryl chloe
christina christine cindy claire clara clarissa claudia colleen connie cora courtney cynthia daisy danielle daphne
darlene deanna debbie deborah debra delia denise diana diane dolores donna dora doris dorothy edith edna eileen elaine
eleanor elena elisa elise eliza elizabeth ella ellen elsa elsie emily emma erica erika erin esmeralda estelle esther
ethel eva evelyn felicia fiona flora florence frances francesca frieda gabriela gabrielle gail georgia geraldine
gertrude gina ginger gladys glenda gloria greta gretchen gwen hannah harriet hazel heather heidi helen helena
henrietta hilda hillary holly ida ines ingrid irene irma isabel isabella jackie jane janet janice jasmine jeanette jen
jenna jennifer jenny jessica jill joan joanna joanne josephine joyce juanita judith judy julia juliana julie juliet
june kaitlyn karen kate katherine kathleen kathryn kathy katie katrina kayla keisha kendra kia kimberly kirsten
kristen kristin kristina laura lauren laurie lena leona leslie lila lillian lily linda lisa liz liza lois lola loretta
lorraine louise lucia lucille lucinda lucy luna lydia lynn mabel madeline maggie mandy marcia margaret margarita
margie maria marian marie marilyn marina marissa marjorie marlene marsha martha mary matilda maureen maxine maya megan
melanie melinda melissa mercedes meredith mia michelle mildred millie mindy minnie miranda miriam molly monica muriel
myra nadia nancy naomi natalie natasha nellie nicole nina nora norma olga olive olivia pam pamela patricia patsy paula
pauline pearl peggy penelope penny phoebe phyllis priscilla rachel ramona raquel rebecca regina renee rhonda rita
roberta robin rosa rosalie rosalind rosemary roxanne ruby ruth sabrina sadie sally samantha sandra sara sarah selena
serena sharon sheila shelly sherry shirley silvia sonia sophia sophie stacey stacy stella stephanie sue susan susana
susie suzanne suzy sylvia tabitha tamara tammy tanya tara tasha teresa tess tessa theresa tiffany tina tonya tracey
trisha trudy ursula valerie vanessa vera veronica vicki vicky victoria viola violet virginia vivian wanda wendy
whitney wilma winifred yolanda yvette yvonne zelda zoe
"""
_NEUTRAL = """
alex alexis andy ashley bailey billie blair brett cameron carol casey charlie chris dana devin drew dylan emerson fran
jamie jean jerry jess jesse jo jody joey jordan jules kelly kerry kim kris lee lindsay lindsey lou madison mackenzie
mel merle morgan nicky noel ollie pat quinn reese riley robbie ronny rowan ryan sam sammy sandy sasha shannon shelby sky
stacy sydney taylor terry toni tracy val willie
"""
#: names that are also words: a name only where it is written with a capital inside a sentence
_ALSO_WORDS = """
amber angel art august autumn bill bob brook cliff daisy dale dawn dean don drew earl eve faith frank ginger glen
grace grant guy hazel heather holly hope hunter iris ivy jack jean jo joy june lance lily mark mason max may melody
mercy miles misty olive pat patience pearl penny ray red rich rob robin rose ruby sandy sky star sue summer violet
wade will
"""
#: what stands for a hidden name, common and plain, so that no model meets a rare word
COMMON_NAMES: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {
        "MALE": ("Tom", "Mike", "John", "Tim", "Dan", "Joe", "Ben", "Jake", "Kevin", "David", "Steve", "Adam"),
        "FEMALE": ("Mary", "Sarah", "Jane", "Amy", "Anna", "Kate", "Lucy", "Lisa", "Emily", "Laura", "Julia", "Rachel"),
        "NEUTRAL": ("Alex", "Sam", "Kelly", "Jamie", "Jordan", "Charlie", "Taylor", "Casey", "Chris", "Riley"),
    }
)


def name_list(folder: str | os.PathLike[str] | None = None) -> Mapping[str, Kind]:
    """Names in lower case, and whose they are; a name in both lists is neutral.

    ``folder`` holds lists of the user's own, ``male.txt`` and ``female.txt``, a name a line (the layout of NLTK's
    names): they take the place of ours.
    """
    return _own_list() if folder is None else _from_folder(Path(folder))


@cache
def also_words() -> frozenset[str]:
    """Names that are also words, in lower case."""
    return frozenset(_ALSO_WORDS.split())


@cache
def _own_list() -> Mapping[str, Kind]:
    names: dict[str, Kind] = dict.fromkeys(_MALE.split(), "MALE")
    names.update(dict.fromkeys(_FEMALE.split(), "FEMALE"))
    both = set(_MALE.split()) & set(_FEMALE.split())
    names.update(dict.fromkeys([*both, *_NEUTRAL.split()], "NEUTRAL"))
    for word in ("bill", "rose", "grace", "hope", "eve", "iris", "ivy", "joy", "faith", "may", "rich", "will", "jack"):
        names.setdefault(word, "MALE" if word in ("bill", "rich", "will", "jack") else "FEMALE")
    return MappingProxyType(names)


def _from_folder(folder: Path) -> Mapping[str, Kind]:
    lists = {}
    for kind in ("male", "female"):
        path = folder / f"{kind}.txt"
        if not path.is_file():
            raise InputError(f"has no {kind}.txt", file=str(folder), remedy="put male.txt and female.txt there")
        lines = path.read_text("utf-8").splitlines()
        lists[kind] = {line.strip().lower() for line in lines if line.strip() and not line.startswith("#")}
    names: dict[str, Kind] = dict.fromkeys(lists["male"], "MALE")
    names.update(dict.fromkeys(lists["female"], "FEMALE"))
    names.update(dict.fromkeys(lists["male"] & lists["female"], "NEUTRAL"))
    return MappingProxyType(names)
