"""What one sentence of the user states that lasts, if anything: `read`, and the rules for English.

The signals come in the order of their strength: what the user asks to remember, corrections,
standing instructions (“always”, “from now on”), information; preferences and decisions; rules and
choices that the user does not call permanent. Each is a function of one sentence; regular
expressions distinguish an instruction that lasts from a report and from an order for now.
"""

from __future__ import annotations

import re

from cortex_core.extract import kinds, multilingual, wording
from cortex_core.extract.grammar import Grammar
from cortex_core.extract.multilingual import Statement
from cortex_core.language import verbs
from cortex_core.language.sentences import mask
from cortex_core.language.verbs import COMMANDS

_I = re.IGNORECASE
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
"""Orders in capitals, which may be for one task only."""
DIRECTS = re.compile(
    r"^(?:please\s+|then\s+|also\s+)*(?:you (?:should|must|need to|have to)\b"
    r"|we (?:should|must|need to)\b|i (?:want|expect|need|would like|'d like) you to\b|make sure"
    r"|be sure|don'?t\b|do not\b|always\b|never\b)",
    _I,
)
"""How a clause begins that tells someone what to do."""


def is_base_verb(word: str) -> bool:
    """Whether `word`, after “always” or “never”, can be the verb of an order: “run”, not “runs”."""
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


def adverb_use(text: str) -> str:
    """How `text` uses “always” or “never”.

    `order`: to tell someone what to do. `requirement`: to say what a thing must do. Empty: to
    report how things went, or not at all.
    """
    use = ""
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
            use = "requirement"
    return use


def has_capitals(text: str, words: re.Pattern[str]) -> bool:
    """Whether `text` has one of `words` in capitals without being all in capitals."""
    is_shouting = sum(map(str.isupper, text)) > sum(map(str.islower, text))
    return not is_shouting and bool(words.search(text))


def orders(clause: str) -> bool:
    """Whether `clause` tells someone to do, or not to do, something."""
    return bool(DIRECTS.match(clause)) or opens_with_command(clause)


_REMEMBER = re.compile(
    r"^(?:(?:and|but|also|please|always|you (?:should|must|need to)|i want you to"
    r"|we (?:should|need to|must)|(?:it's |it is )?important to|important:)\s+)*"
    r"(?P<verb>remember|keep in mind|bear in mind|don'?t forget|do not forget|never forget"
    r"|make a note|take note|memori[sz]e|for (?:the record|future reference)"
    r"|(?:save|add|store|put|write) (?:this|that|it|the following)?\s*(?:down )?(?:to|in|into)"
    r" (?:your |the )?memory)\b\s*[:,—–-]*\s*(?P<body>.*)$",
    _I | re.DOTALL,
)
_REMEMBER_INSIDE = re.compile(
    r"\s(?:and|but|so|also|please)\s+(?:please\s+)?remember (?:that |to )(?P<body>.+)$",
    _I | re.DOTALL,
)
_REMEMBER_LAST = re.compile(
    r"^(?P<body>.+?)\s*[,;—–-]+\s*(?:so |and |but )?(?:please )?(?:remember|keep) (?:that|this"
    r"|it)(?: in mind)?\W*$",
    _I | re.DOTALL,
)
_BODY_LEAD = re.compile(
    r"^(?:this|that|these|the following)?(?: (?:for|in) [\w ]{2,20}?)?\s*[:,]\s*|^(?:that|to"
    r"|about)\s+(?!is\b|was\b)",
    _I,
)
_NO_LESSON = re.compile(
    r"^(?:when|how|what|if|where|why|who|the (?:time|day|bug|issue|last|one)|you |me\b"
    r"|our (?:talk|chat|last|discussion))",
    _I,
)
_FYI = re.compile(
    r"^(?:(?:just )?(?:fyi|f\.y\.i\.|for your information|for (?:your )?context|for reference"
    r"|heads[- ]up|(?:just )?so you know|(?:please )?note(?: also)?(?= that\b|\s*[:—–])"
    r"|(?:context|background|nb|n\.b\.)(?=\s*[:—–])|good to know)\b\s*[:,—–-]*\s*(?:that\s+)?"
    r"|i (?:forgot|should have|neglected|meant|wanted) to (?:mention|tell you|say|add|let you know)"
    r"[:,]?\s*(?:that\s+)?|i should (?:mention|tell you|add)[:,]?\s*(?:that\s+)?)(?P<body>.+)$",
    _I | re.DOTALL,
)
_CORRECTION = re.compile(
    r"^(?:no|nope|wrong|incorrect|not quite|that'?s (?:not (?:right|correct|true|how|what)|wrong"
    r"|incorrect)|actually|i meant|correction)\b[\w ']{0,30}?\s*[,.:;!—–-]+\s*(?P<body>.+)$"
    r"|^(?:no|actually|i meant)\s+(?P<rest>(?:we|it|the|our|use|not)\b.+)$",
    _I | re.DOTALL,
)
_WRONG = re.compile(
    r"^(?:wrong|incorrect|that'?s (?:not (?:right|correct|true)|wrong|incorrect))\b", _I
)
_PASSING = re.compile(
    r"\b(?:already|still|now) (?:running|up|started|open|installed|done|there)\b", _I
)
_NOT_BUT = re.compile(
    r"^no\W+not (?P<x>[`\w./@-]+(?: [`\w./@-]+){0,3})\s*[:,;—–-]+\s*(?P<y>[`\w./@-]+(?:"
    r" [`\w./@-]+){0,3})\W*$",
    _I,
)
_CONTRAST = re.compile(
    r"\bnot\s+(?:the\s+|an?\s+|to\s+|in\s+|with\s+|on\s+)?[`\w./@-]+(?:\s+[`\w./@-]+){0,5}?"
    r"\s*[,:;—–-]+\s*(?:but\s+)?\w|[,;—–]\s*(?:and\s+|but\s+)?(?:not|never)\s+\S|\binstead of\b"
    r"|\brather than\b|\bisn't\b[^.]{2,60}[,;:—–]\s*it'?s\b|\bnot\b[^.,;]{2,60}\bbut\b",
    _I,
)
_GENERAL = re.compile(
    r"\b(?:we|our|ours|the \w+|always|never|uses?|using|is|are|lives?|runs?|deploys?|belongs?|goes"
    r"|should|must)\b",
    _I,
)
_OBJECTION = re.compile(
    r"\b(?:don'?t|do not|should(?:n't)?|must(?:n't)?|instead|we (?:use|don't|do)|never|always"
    r"|only)\b",
    _I,
)


def remember(head: str, bare: str, is_standing: bool) -> Statement | None:
    """What the user asks to remember; a task not to forget is a rule at most."""
    match = _REMEMBER.match(head) or _REMEMBER_INSIDE.search(head) or _REMEMBER_LAST.match(head)
    if match is None or wording.is_one_off(bare):
        return None
    body = _BODY_LEAD.sub("", match["body"])
    if _NO_LESSON.match(body) or wording.is_thin(body, 2) or wording.is_question(body):
        return None
    if re.match(r"(?:the|an?)\b", body, _I) and not verbs.has_verb(body):
        return None
    verb = match.groupdict().get("verb") or ""
    is_chore = "forget" in verb.lower() and opens_with_command(body)
    if is_chore and not (is_standing or adverb_use(body)):
        return Statement("constraint", "policy", body)
    return Statement("remember", kinds.kind_of(body), body)


def correction(head: str) -> Statement | None:
    """“No, not X: Y” about how things are; an objection without a contrast is a rule at most."""
    match = _CORRECTION.match(head)
    if match is None:
        return None
    body = match["body"] or match["rest"] or ""
    whole = head if re.match(r"no,? not\b", head, _I) else body
    is_passing = wording.is_one_off(body) or wording.points_away(body) or wording.is_hedged(body)
    if is_passing or wording.is_thin(body, 2) or wording.is_question(body):
        return None
    if _NOT_BUT.match(head):
        return Statement("correction", "fact", whole[match.start(1) :] if match[1] else whole)
    is_clear = not wording.starts_with_pronoun(body) and not wording.in_first_person(body)
    if is_clear and _CONTRAST.search(whole) and _GENERAL.search(whole):
        stated = re.sub(r"^no[,.:;!—– -]+", "", whole, flags=_I)
        return Statement("correction", _kind_of_correction(stated), stated)
    objects = _OBJECTION.search(body) or _WRONG.match(head)
    if is_clear and objects and verbs.has_verb(body) and not wording.is_thin(body, 3):
        return Statement("constraint", _kind_of_correction(body), body)
    return None


def _kind_of_correction(body: str) -> kinds.Kind:
    """A rule, if the user says how to work; else how things are."""
    kind = kinds.kind_of(body)
    return kind if kind in ("policy", "preference") else "fact"


def fact(head: str, bare: str) -> Statement | None:
    """What the user says for the agent's information."""
    match = _FYI.match(head)
    if match is None or wording.is_one_off(bare) or _PASSING.search(bare):
        return None
    body = match["body"]
    if not verbs.has_verb(body) or wording.is_hedged(body):
        return None
    if wording.is_thin(body, 2) or wording.is_fragment(body) or _NO_LESSON.match(body):
        return None
    return Statement("fact", "policy" if adverb_use(body) else "fact", body)


_ADVERBS = (
    r"(?:\s+(?:really|strongly|usually|generally|always|much|also|definitely|still|personally"
    r"|tend to|typically|kinda|often|mostly|actually|greatly|highly|both))*"
)
_PREFER = re.compile(
    rf"\b(?:i|we){_ADVERBS}\s+(?:prefer|favou?r|prioriti[sz]e)\b"
    r"|\b(?:i|we)(?:'ve| have) (?:always |long |been )*(?:preferred|prioriti[sz](?:ed|ing))\b"
    r"|\bmy (?:strong |personal |general |own )?preference (?:is|would be)\b"
    r"|\bi (?:really |generally |usually )?like (?:it when|my|our|to keep|to have)\b"
    r"|\bi (?:always|usually|generally) (?:avoid|stick (?:to|with))\b"
    r"|\bi(?:'m|'ve always been| am| have always been) (?:someone|a person|a developer) who"
    r" (?:always )?(?:prefers|prioriti[sz]es|favou?rs)\b",
    _I,
)
_ASKED_BEFORE = re.compile(
    r"\b(?:should|can|could|do|did|would|how|if|whether|must|shall|what|which|that|ones?|as|like"
    r"|than|may|might|where|when|the way|why|to|\w+s)\s+(?:we\s+|i\s+)?$",
    _I,
)
_VERB_OBJECT = re.compile(r"(?:prefer|favou?r|prioriti[sz]e|hate|dislike)\s+(.*)", _I | re.DOTALL)
_POINTING = re.compile(
    r"^(?:it|its|that|this|them|those|these|him|her|both|either|one|not to say"
    r"|the (?:first|second|latter|former|other))\b(?!\s+when)",
    _I,
)
_CLAUSE_END = re.compile(
    r"(?:[,;:.—–]|\s-|\b(?:and|but|so|because|since|as|that|know|considering))\s*$", _I
)
_BARE_PRONOUN = re.compile(r"^it\b", _I)
_DECIDED = re.compile(
    r"\b(?P<who>we|i|the team)(?:'ve| have)?\s+(?:all\s+|finally\s+|already\s+|recently\s+|just\s+"
    r"|also\s+|since\s+)*(?:decided|settled|opted|chose|chosen|standardi[sz]ed|went with|picked"
    r"|agreed (?:on|to|that))\b\s*(?P<object>.+)$",
    _I | re.DOTALL,
)
DOUBT = re.compile(
    r"\b(?:right|good|best|wise|smart|correct|bad|wrong) (?:\w+ )?(?:decision|choice|call|move"
    r"|idea)\b|\bsecond thoughts\b|\bregret|\bhaving a hard time\b|\bchange my mind\b",
    _I,
)
"""Words by which a choice is still open."""
EVENT = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.? \d{1,2}\b|[$€£]\s?\d"
    r"|\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:19"
    r"|20)\d\d-\d\d-\d\d\b",
    _I,
)
"""Dates, times and sums of money: what has one happens once."""
_WISH = re.compile(
    rf"\b(?:(?:i|we){_ADVERBS} (?:hate|dislike|can'?t stand|am not a fan of|don'?t like)"
    rf"|i'm not a fan of"
    r"|i'd rather|i would rather|we'd rather|we would rather|(?:i'd|i would) (?:much |strongly "
    r"|really )?prefer|(?:we|i) (?:explicitly |really |definitely |specifically |only "
    r"|also )*(?:don'?t|do not) want (?:to (?:have|use|depend|rely|support|see|end up)|any|an?\b"
    r"|the\b|hard|it to|users?|our|people)|we (?:explicitly |really |definitely |ultimately "
    r"|only )*want (?:the|an?|something|our|all|every|users?|each)\b|i want (?:all|every|our|users"
    r"|people|everything)\b|we want (?:this|it) to (?:be|work|run|support|stay)\b"
    r"|i'?d like (?:it if|all|every|our|my) |it (?:must|has to|needs to) (?:be|work|run"
    r"|support)\b)",
    _I,
)
REASON = re.compile(
    r"\b(?:because|since|so that|so we|due to|for (?:better|easier|its|their|the sake|\w+ reasons"
    r"|flexibility|clarity|consistency|simplicity|speed|safety)|to (?:avoid|keep|reduce|prevent"
    r"|save|ensure|maintain|honou?r|preserve)|over|rather than|instead of|as (?:it|they)"
    r"|which (?:gives|lets|makes|avoids))\b",
    _I,
)
"""Words that give a choice its reason or its alternative."""
CODE_LIKE = re.compile(
    r"[`@/_]|\w\.\w|\b[A-Z]{2,}\b|\b[A-Z][a-z]+[A-Z]|\w-\w|(?<=\s)[A-Z][a-z]{2,}|^[A-Z][a-z]{2,}"
)
"""A name of a product, a file or code."""


def prefers(text: str) -> bool:
    """Whether `text` says what someone prefers."""
    return bool(_PREFER.search(text) or _WISH.search(text))


def preference(text: str) -> Statement | None:
    """What the user prefers, also in a sentence that goes on with a question."""
    bare = mask(text)
    if wording.QUESTION_START.match(bare):
        return None
    for match in _PREFER.finditer(bare):
        if _is_asked(bare, match.start()):
            continue
        stated = _clause(text, bare, match.start())
        if stated and not wording.is_one_off(stated) and not wording.points_away(stated):
            return Statement("preference", "preference", stated)
    return None


def _clause(text: str, bare: str, start: int) -> str:
    """The clause of `text` that begins at `start`, without the question after it.

    The sentence before it is kept if the clause refers back to it (“I prefer it over …”), or if no
    clause begins at `start`. Empty if the clause refers to something outside the sentence.
    """
    clause = wording.head_clause(text[start:])
    verb = _VERB_OBJECT.search(clause)
    if not clause or wording.is_thin(clause, 2):
        return ""
    is_own = bool(_CLAUSE_END.search(bare[:start][-24:])) or not bare[:start].strip()
    if verb and _POINTING.match(verb[1]):
        if not _BARE_PRONOUN.match(verb[1]) or not bare[:start].strip():
            return ""
        is_own = False
    return clause if is_own else (text[:start] + clause).strip()


def _is_asked(bare: str, start: int) -> bool:
    """Whether what begins at `start` is a question, or depends on another clause."""
    return bool(_ASKED_BEFORE.search(bare[max(0, start - 24) : start]))


def decided(text: str) -> Statement | None:
    """A choice that was made, with its reason or alternative, and without doubt."""
    bare = mask(text)
    match = _DECIDED.search(bare)
    if match is None or DOUBT.search(bare) or wording.QUESTION_START.match(bare):
        return None
    if _is_asked(bare, match.start()):
        return None
    clause = _clause(text, bare, match.start())
    named = _DECIDED.search(mask(clause)) if clause else None
    if named is None or wording.is_one_off(clause) or wording.points_away(clause):
        return None
    if EVENT.search(clause):
        return None
    is_ours = match["who"].lower() != "i"
    object_ = clause[named.start("object") :]
    if REASON.search(object_):
        return Statement("decided" if is_ours else "decision", "decision", clause)
    return (
        Statement("decision", "decision", clause) if is_ours and CODE_LIKE.search(object_) else None
    )


def wish(head: str, bare: str) -> Statement | None:
    """What the user would rather have, or does not want."""
    match = _WISH.search(bare)
    if match is None or wording.is_thin(head, 3):
        return None
    if _is_asked(bare, match.start()):
        return None
    if re.search(r"\bi think\s+$", bare[: match.start()], _I) and "i'd" in match[0].lower():
        return None
    clause = _clause(head, bare, match.start()) or head
    return Statement("wish", "preference", clause)


_CONVENTION = re.compile(
    r"\bthe convention(?: here| in this \w+)? is\b|\bour (?:[a-z]+ )?[a-z]+ (?:returns?|uses?"
    r"|expects?|runs? (?:on|in)|lives? in|(?:is|are) (?:deployed|hosted|written|built|stored"
    r"|generated))\b|\bwe(?:'re| are) (?:using|on)\b.{3,80}?\b(?:here|in this (?:repo|project"
    r"|codebase))\b|\bwe use [^.?!,]{2,60} for \w+|\b(?:my|our|the (?:team|project|repo|house"
    r"|codebase)(?:'s)?)\s+(?:\w+\s+)?(?:convention|policy|rule|standard|style|practice|workflow"
    r"|guideline)s?\s+(?:is|are|says?|requires?|for)\b|\bwe\s+(?:(?:explicitly|deliberately"
    r"|intentionally|strictly|generally)\s+)?(?:don'?t|do not|never|only|exclusively)\s+(?:use|need"
    r"|want|allow|support|ship|write|commit|mock|test|deploy|depend|import|add|put|store|call|run"
    r"|merge|push|release|rely|do|accept|edit|touch)\b|\bwe\s+(?:use|write|deploy|run|test|target"
    r"|support|ship|store|pin|build|do|name|follow)\b[^.?!]{1,120}?(?:,\s*(?:and\s+)?(?:not"
    r"|never)\b|\binstead of\b|\brather than\b|\bonly\b|-first\b|\bfor everything\b|\beverywhere\b)"
    r"|\b(?:this|the|our) (?:repo|repository|project|codebase|app|service|team|monorepo)\s+(?:uses?"
    r"|targets?|supports?|requires?|follows|is (?:built|written|deployed)|runs on|deploys)\b",
    _I,
)
_PROHIBITION = re.compile(
    r"^(?:[^.?!]{3,120}?[,;:—–]\s*(?:so |and |but )?(?:please )?)?(?:don'?t|do not|stop|avoid"
    r"|you (?:should|must) not|you (?:shouldn't|mustn't)|no need to"
    r"|quit)\s+(?P<verb>[a-z-]+)\b(?P<rest>.*)$",
    _I | re.DOTALL,
)
_FORBIDDEN = frozenset(
    """
    use using add adding commit committing push pushing mock mocking create creating write writing
    include including put putting touch touching edit editing install installing mention mentioning
    import importing introduce introducing hardcode hardcoding leave leaving modify modifying
    generate generating rename renaming delete deleting remove removing catch swallow skip skipping
    disable disabling rely relying depend depending over-engineer apologize apologizing make making
    """.split()
)
_UNIVERSAL = re.compile(
    r"^(?:(?:all|every|each|any|no|only)\s+(?:of\s+)?(?:the\s+|our\s+|new\s+|public\s+)*[\w`/.-]+"
    r"(?:\s+[\w`/.-]+){0,6}?\s+(?:must|should|shall|needs?|have to|has to|requires?|are to be"
    r"|goes|go|belongs?)\b|(?:no|only)\s+[\w`/.-]+(?:\s+[\w`/.-]+){0,4}?\s+(?:may|can)\b"
    r"|(?:tests|commits|branch(?:es)?(?: names)?|prs|pull requests|files|functions|class(?:es)?"
    r"|components"
    r"|endpoints|modules|migrations|names|errors|logs|comments|docs|types|imports|handlers|queries"
    r"|commit messages|secrets|credentials|dependencies|fixtures)\s+(?:should|must|shall|go|live"
    r"|belong)\b"
    r"|(?:only|exclusively) (?:use|edit|write|import|touch|run|test|add|allow|support)\b"
    r"|(?!(?:i|you|he|she|this|that|it|there)\b)[\w`/.-]+(?:\s+[\w`/.-]+){0,5}?\s+must"
    r" (?:not|always|never|be|have|live|use|go|stay|remain|match|pass)\b)",
    _I,
)
_WHEN_DOING = re.compile(
    r"^(?:when|while|if you(?:'re| are)?|before|after)\s+(?:you\s+(?:are\s+)?)?(?:\w+ing|write"
    r"|create|add|commit|edit|change|refactor|test|review|answer|name|touch"
    r"|need)\b[^,]{0,120},\s*(?P<main>.+)$|^(?P<order>.+?),?\s+(?:when|before"
    r"|after)\s+(?:committing|pushing|merging|releasing|deploying|opening|creating|writing|adding"
    r"|editing|naming|testing|refactoring|reviewing|you (?:commit|push|write|create|add|merge|edit"
    r"|change))\b",
    _I | re.DOTALL,
)
_LETS = re.compile(
    r"\b(?:let'?s(?: not)?|let us|we(?:'ll| will|'re going to| are going to| should)|i want (?:us"
    r"|you|it) to|i'd like (?:us|you) to)\s+(?:all\s+|just\s+|rather\s+|also\s+|instead\s+|now\s+"
    r"|simply\s+)*(?:use|go with|go for|stick (?:with|to)|switch to|move to|adopt|settle on"
    r"|standardi[sz]e on|keep|drop|target|support|store|name|build (?:it )?(?:on|with)|default to"
    r"|deploy (?:to|on|with))\s+(?P<object>.+)$",
    _I | re.DOTALL,
)
_USE_NOT = re.compile(
    r"^(?:just\s+|rather\s+)*(?:use|prefer|go with|stick with|keep|call|name|put|write|pass|store"
    r"|return|run|make|target|deploy)\s+(?P<object>.+?)(?:\s*,\s*(?:and\s+)?(?:not|never)\s+"
    r"|\s+instead of\s+|\s+rather than\s+|\s+over\s+).+$",
    _I | re.DOTALL,
)
_SCOPED = re.compile(
    r"\b(?:is|are|stays?|remains?)\s+(?:(?:fully|entirely|completely|strictly|always)\s+)?"
    r"(?:out of scope|not in scope|mandatory|non-negotiable|off[- ]limits|separable|forbidden"
    r"|(?:the|our) (?:single )?source of truth|read-only|deprecated|a hard requirement|table stakes"
    r"|not an option|a must(?:-have)?)\b",
    _I,
)
_NAMED = re.compile(
    r"^(?:[Nn]ame|[Cc]all|[Rr]ename) (?:the|it|our|this)\b.{0,60}?\s[`\"'/]?"
    r"[\w./:@-]*[/:_-][\w./:@-]*"
)
_PURPOSE = re.compile(
    r"(?!(?:the|a|an|some|my|your)\b)[\w./@+-]+(?: [\w./@+-]+){0,2} (?:for|as) (?:the |our |all "
    r"|an? )?\w{3,}",
    _I,
)
_OPEN_OBJECT = re.compile(
    r"^(?:it|that|this|them|these|those|going|trying|what|whatever|something|one|both|your|you)\b",
    _I,
)


def constraint(head: str, bare: str) -> Statement | None:
    """A convention, a prohibition, a rule for all of a kind, or one for occasions."""
    if _CONVENTION.search(bare) and not wording.is_hedged(bare) and not wording.is_thin(head, 1):
        return Statement("constraint", "policy", head)
    match = _PROHIBITION.match(bare)
    if match and match["verb"].lower() in _FORBIDDEN:
        rest = match["rest"].strip()
        is_named = CODE_LIKE.search(rest) or len(rest.split()) >= 3
        if is_named and not wording.is_thin(rest, 1) and not _OPEN_OBJECT.match(rest):
            return Statement("constraint", "policy", head)
    if _UNIVERSAL.match(bare) and not wording.is_thin(head, 2):
        return Statement("constraint", "policy", head)
    when = _WHEN_DOING.match(bare)
    if when and not wording.is_thin(head, 3):
        main = when["main"] or when["order"] or ""
        if orders(main):
            return Statement("constraint", "policy", head)
    return None


def decision(head: str, bare: str) -> Statement | None:
    """A choice: what to use and what not, what a thing is called, what is out of scope."""
    if wording.is_hedged(bare):
        return None
    if _SCOPED.search(bare) or _NAMED.match(head) or _USE_NOT.match(bare):
        return Statement("decision", "decision", head)
    chosen = _LETS.search(bare)
    if chosen is None or _OPEN_OBJECT.match(chosen["object"]) or DOUBT.search(bare):
        return None
    if EVENT.search(bare):
        return None
    object_ = head[chosen.start("object") :]
    if CODE_LIKE.search(object_) or REASON.search(object_) or _PURPOSE.match(object_):
        return Statement("decision", "decision", head)
    return None


_LONGEST_CLAUSE = 700
FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|so|well|right|alright|great|perfect|good|nice|cool|thanks|thank you|yes|yeah"
    r"|yep|hey|hi|hello|claude(?=\s*[,:!])|also|and|but|oh|ah+|hmm+|btw|by the way|please"
    r"|pls|anyway|again|just"
    r"|lastly|finally|additionally|furthermore|important(?:ly)?|then|plus|one more thing|ps"
    r"|because)(?:\s*[,.!:;–—-]+\s*|\s+))+(?=\S)",
    _I,
)
_REQUEST = re.compile(
    r"^(?:can|could|would|will) (?:you|we) (?:please |also |just |maybe |kindly )*"
    r"((?:always|never|make sure|be sure|ensure|stop|not|avoid|remember|keep in mind|use|run|add"
    r"|write|keep|include|put|tell|ask|check)\b.*?)[\s?]*$",
    _I | re.DOTALL,
)
_THING = (
    r"(?:\w+ )??(?:commits?|push(?:es)?|prs?|pull requests?|merges?|releases?|deploys?|deployments?"
    r"|changes?|edits?|sessions?|tasks?|features?|files?|modules?|functions?|tests?|migrations?"
    r"|endpoints?|components?|branch(?:es)?|repl(?:y|ies)|answers?|responses?|runs?|projects?"
    r"|repos?|repositor(?:y|ies))"
)
_SAID = r"(?:repl(?:y|ies)|answers?|responses?|messages?|commit messages?|commits?|prs?|sessions?)"
_LASTING = re.compile(
    r"\b(?:from now on|from here on(?: out)?|from this point on|going forward|moving forward"
    r"|henceforth|as a (?:general )?rule|under no circumstances|at all times|every single time"
    rf"|(?:before|after|on|with) (?:each|every|any) {_THING}"
    rf"|(?:in|for|to|of) (?:each|every|any|all) (?:of your |your |new |future )?{_SAID}"
    r"|(?:across|in|for) all (?:of )?(?:my |our )?(?:projects|repos|repositories)"
    r"|(?:in|for) all (?:new|future) \w+|without exception|no exceptions)\b",
    _I,
)
_IN_FUTURE = re.compile(
    r"^(?:please\s+)?(?:in (?:the )?future|next time)\b,?\s*(?P<main>.+)$"
    r"|^(?P<order>.+?),?\s+in (?:the )?future\b|^(?P<again>(?:please )?(?:don'?t|do not"
    r"|never) .+?)\s+(?:again|anymore|any more|ever again)\W*$",
    _I | re.DOTALL,
)
_EVER = re.compile(
    r"\b(?:don'?t|do not|shouldn't|should not|must not|mustn't) (?:you )?ever\s+\w+"
    r"|^(?:don'?t|do not|never)\b.{4,160}[, ]ever\W*$",
    _I,
)
_WHENEVER = re.compile(
    r"^(?:whenever|every ?time|each time|any ?time)\s+(?:that\s+)?(?:you|we"
    r"|i)\b[^,]{3,160},\s*(?P<main>.+)$|^(?P<order>.+?)\b(?:whenever|every ?time|each time"
    r"|any ?time)\s+(?:you|we|i)\b",
    _I | re.DOTALL,
)
_ASKS_TO = re.compile(
    r"\b(?:should|must|need to|have to|has to|want you to|please|make sure|don'?t|do not|let'?s"
    r"|we(?:'ll| will)|you(?:'ll| will)|i want|needs?|only|no)\b",
    _I,
)


def unfilled(sentence: str) -> str:
    """`sentence` without the fillers at its beginning: “ok, also, please”."""
    return FILLER.sub("", sentence.strip(), count=1)


def read(sentence: str, grammar: Grammar) -> Statement | None:
    """What `sentence` states that lasts, in the language of `grammar`; None for nothing."""
    return _read_english(sentence) if grammar.code == "en" else multilingual.read(sentence, grammar)


def _read_english(sentence: str) -> Statement | None:
    """What an English sentence states: by the strongest signal that fits, or None.

    A question at the end is cut off, and the clause before it is read. A request with “always” or
    the like (“can you always …?”) is an instruction like any other.
    """
    text = unfilled(sentence)
    if not text or len(text) > 2 * _LONGEST_CLAUSE:
        return None
    head = _requested(text) or wording.head_clause(text)
    if len(head) > _LONGEST_CLAUSE or wording.is_fragment(head):
        head = ""
    bare = mask(head)
    return (
        (_strong_statement(head, bare) if head else None)
        or preference(text)
        or decided(text)
        or (_weak_statement(head, bare) if head else None)
    )


def _strong_statement(head: str, bare: str) -> Statement | None:
    return (
        remember(head, bare, bool(_LASTING.search(bare)))
        or correction(head)
        or _policy(head, bare)
        or fact(head, bare)
        or _requirement(head, bare)
    )


def _weak_statement(head: str, bare: str) -> Statement | None:
    if wording.is_one_off(bare) or wording.points_away(bare):
        return None
    return constraint(head, bare) or decision(head, bare) or wish(head, bare)


def _requested(text: str) -> str:
    """The order in a request that lasts: “can you always …?”; empty without one."""
    request = _REQUEST.match(text)
    if request is None:
        return ""
    order = request[1]
    is_standing = _LASTING.search(order) or _IN_FUTURE.match(order) or adverb_use(order)
    return order if is_standing or re.match(r"remember|keep in mind", order, _I) else ""


def _policy(head: str, bare: str) -> Statement | None:
    is_stated = (
        adverb_use(bare) == "order"
        or _is_conditioned(bare)
        or _is_for_the_future(bare)
        or has_capitals(bare, CAPITALS)
        or _EVER.search(bare)
        or (_LASTING.search(bare) and _is_directive(bare))
    )
    if not is_stated or wording.is_one_off(bare) or wording.is_thin(head, 2):
        return None
    return Statement("policy", "policy", head)


def _requirement(head: str, bare: str) -> Statement | None:
    """What a thing must always or never do, and orders in capitals, maybe for one task only."""
    if not (adverb_use(bare) or has_capitals(bare, LOUD)):
        return None
    if wording.is_one_off(bare) or wording.is_thin(head, 3) or wording.points_away(bare):
        return None
    return Statement("constraint", "policy", head)


def _is_for_the_future(text: str) -> bool:
    """“In future, do …”, “do … in the future” and “don't … again”."""
    match = _IN_FUTURE.match(text)
    if match is None:
        return False
    main = match["main"] or match["order"] or match["again"] or ""
    return orders(main)


def _is_conditioned(text: str) -> bool:
    """“Whenever you …, do …” and “do … every time you …”."""
    match = _WHENEVER.match(text)
    if match is None:
        return False
    main = match["main"] or match["order"] or ""
    return orders(main)


def _is_directive(text: str) -> bool:
    """Whether `text` says what to do: by an order, a modal verb, or a request."""
    if opens_with_command(text) or DIRECTS.search(text):
        return True
    rest = _LASTING.sub("", text).strip(" ,.:;-—")
    return opens_with_command(rest) or bool(_ASKS_TO.search(rest))
