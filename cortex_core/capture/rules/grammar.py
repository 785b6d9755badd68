"""The words by which a standing instruction is told from a report or a single order."""

from __future__ import annotations

import re
from typing import NamedTuple

from cortex_core.capture.rules.state import Kind


class Statement(NamedTuple):
    """What a sentence states: the rule that found it, its kind, and the words that say it."""

    rule: str
    kind: Kind
    text: str


_I = re.IGNORECASE
COMMANDS = frozenset(
    """
    add adjust align allow annotate answer append apply ask assume attach avoid back base batch
    be begin break build bump call change check choose cite clean clear clone close combine
    comment commit compare compile configure confirm connect consider convert copy count cover
    create debug declare default define delete deploy describe design detect disable display
    document double download draft drop edit emit enable encode ensure escape exclude execute
    expand explain export expose extract fail fetch find fix flag focus fold follow force format
    generate get give go group guard handle hide highlight hook ignore implement import improve
    include indent inline insert inspect install integrate investigate isolate keep label launch
    leave limit link lint list load log look make mark match measure merge migrate mention mock
    modify move name nest normalize note offer omit open optimize order organize output parse
    pass pick pin place plan port prefer prefix prepare present preserve print prioritize
    provide prune pull push put quote read rebase recommend record reduce refactor refer reject
    release remind remove rename render replace report request require research respect respond
    restart restore retry return reuse revert review rewrite round route run save scan scope
    search select send separate serve set show simplify skip sort specify split squash stage
    standardize start state stay stick stop store structure style submit suggest suffix
    summarize support switch sync tag tailor tell test throw track translate treat trim truncate
    try turn type uninstall unpack update upgrade upload use validate verify version wait walk
    warn watch work wrap write
    """.split()
)
"""Verbs that open an order to a coding agent."""
_NOT_VERBS = frozenset(
    """
    a an the been being seen had has have was is are were am got gets gotten gonna going able
    mind again ever really quite just in on at to of for from with by as about enough sure
    wanted liked my your our his her their its this that these those i you we he she it they so
    too very more less better best when where why how what which who if and or but not no yes
    n't did does do loved hated thought felt knew said told works worked happens fails failed
    happy glad good nice great possible available important true safe hard easy fun room late
    early wrong right sorry ready free open close clear welcome mind nothing something anything
    one two also even only still
    """.split()
)
_ED_VERBS = frozenset("need embed feed seed speed proceed exceed shed bleed heed breed".split())
_ING_VERBS = frozenset("bring string ping ring sing wing sting swing cling fling spring".split())
_S_VERBS = frozenset("focus canvas alias bias".split())
_FIRST = re.compile(
    r"\W*(?:(?:please|pls|also|then|just|and|so|now|ok(?:ay)?|always|never|only|instead)[,\s]+)*"
    r"(?:do not |don'?t |never |always )?([A-Za-z-]+)",
    re.IGNORECASE,
)
_ALWAYS = re.compile(r"\b(always|never)\s+([`\w][\w`/'-]*)", _I)
_WHO = r"(?:you|we|i|one|agents?|everyone|anyone|developers?|contributors?|claude|people)"
_ORDERED = re.compile(
    rf"(?:^\W*|\b(?:please|we|i|one|{_WHO} (?:should|must|shall|need to|have to|ought to|will"
    rf"|can only)|(?:make|be) sure (?:to|you|that you|we)|(?:want|need|expect|tell|ask|like) (?:you"
    rf"|it|claude) to"
    r"|(?:remember|try) to)\s+)$",
    _I,
)
_JOINED = re.compile(r"(?:[,;:.(—–]\s*|\s-\s|\b(?:and|but|so|also|then|instead|or|just)\s+)$", _I)
_REQUIRED = re.compile(r"\b(?:should|must|shall|has to|have to|needs? to|to)\s+$", _I)
_HABIT = re.compile(r"\bi\s+$", _I)
_NO_HABIT = frozenset(
    "do get see forget find feel wonder try think want need love like hear end ask meet".split()
)
CAPITALS = re.compile(r"\b(?:ALWAYS|NEVER)\s+(?=[a-z`\"'])")
"""Standing adverbs in capitals."""
LOUD = re.compile(r"\b(?:MUST(?: NOT)?|DO NOT|DON'T|ONLY)\s+(?=[a-z`\"'])")
"""Orders in capitals, which may be of one task."""
DIRECTS = re.compile(
    r"^(?:please\s+|then\s+|also\s+)*(?:you (?:should|must|need to|have to)\b"
    r"|we (?:should|must|need to)\b|i (?:want|expect|need|would like|'d like) you to\b|make sure"
    r"|be sure|don'?t\b|do not\b|always\b|never\b)",
    _I,
)
"""How a clause opens that tells someone what to do."""


def is_base_verb(word: str) -> bool:
    """Whether `word`, after “always” or “never”, can be an order's verb: “run”, not “running”."""
    word = word.strip("`*_\"'").lower()
    if not re.fullmatch(r"[a-z][a-z-]+(?:/[a-z-]+)?", word) or word in _NOT_VERBS:
        return False
    if word.endswith(("ful", "ous", "ible", "less")):
        return False
    if word.endswith("ed"):
        return word in _ED_VERBS
    if word.endswith("ing"):
        return word in _ING_VERBS
    return not (word.endswith("s") and not word.endswith("ss")) or word in _S_VERBS


def opens_with_command(clause: str) -> bool:
    """Whether `clause` is an order: its first word, “please” and the like aside, is a command."""
    match = _FIRST.match(clause)
    if match is None:
        return False
    verb = match[1].lower()
    return verb in COMMANDS or (verb.startswith("re") and verb.removeprefix("re") in COMMANDS)


def standing_adverb(text: str) -> str:
    """How “always” or “never” stands in `text`.

    `order`: it tells someone what to do. `requirement`: it tells what a thing must do. Empty: it
    tells how things went, or stands in neither way.
    """
    found = ""
    for match in _ALWAYS.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()]
        verb = match[2].lower()
        if not is_base_verb(verb) or (_HABIT.search(before) and verb in _NO_HABIT):
            continue
        if _ORDERED.search(before):
            return "order"
        if _JOINED.search(before):
            if verb.strip("`") in COMMANDS or verb == "be":
                return "order"
        elif _REQUIRED.search(before):
            found = "requirement"
    return found


def speaks_up(text: str, words: re.Pattern[str]) -> bool:
    """Whether `text` has one of `words` in capitals without being all in capitals."""
    is_shouting = sum(map(str.isupper, text)) > sum(map(str.islower, text))
    return not is_shouting and bool(words.search(text))


def orders(clause: str) -> bool:
    """Whether `clause` tells someone to do, or not to do, something."""
    return bool(DIRECTS.match(clause)) or opens_with_command(clause)
