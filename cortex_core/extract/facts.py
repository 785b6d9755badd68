"""Facts that the user mentions without announcing them: `mentioned`.

What the agent can and cannot reach, where things are and run, what a thing really is called, and
what a word means here. Each needs a negation, a concrete value or a name: a report on how the work
goes has neither.
"""

from __future__ import annotations

import re

from cortex_core.extract import wording
from cortex_core.extract.instructions import EVENT, REASON
from cortex_core.extract.multilingual import Statement
from cortex_core.language import verbs
from cortex_core.language.sentences import mask

_I = re.IGNORECASE
_VALUE = re.compile(
    # An address, a port, a path, a file, a variable, a branch: what a sentence about now lacks.
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|://|\b[\w-]+\.(?:local|internal|dev|io|com|net|org|app)\b"
    r"|\blocalhost\b|:\d{2,5}\b|\bports? \d{2,5}\b|(?<![\w.])[~.]?/[\w.-]+/?[\w./-]*"
    r"|\b[\w-]+/[\w./-]*[\w-]|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\b[\w-]+\.[a-z]{2,5}\b(?!\()|\x01"
)
_MACHINE = re.compile(
    # Where things run; English has no other mark for a place that is a machine.
    r"\b(?:on|in|inside|outside|from) (?:your|the|our|my|an?|this) (?:\w+ )?(?:host|machine|vm"
    r"|container|server|laptop|sandbox|box|cluster|network|virtual machine|dev ?container|worktree"
    r"|monorepo)\b",
    _I,
)
_TELLS_ACCESS = re.compile(
    # What “you” (the agent) have and can reach, with the verbs of reaching; “you can go on” and
    # “you don't need to” are orders.
    r"(?:^|[,;:—–]\s*|\b(?:as|since|because|and|but|so|that|here)\s+)"
    r"(?P<fact>(?:here |there )?you"
    r"(?:\s+(?:do not|don'?t|will not|won'?t|currently|also|only|already|now)\b)*\s+"
    r"(?:have (?:no |full |read |write |root |sudo |ssh )*(?:access|permissions?|rights)\b"
    r"|(?:cannot|can ?not|can'?t|can|could|are able to|aren'?t able to|are not able to)"
    r"(?: only| also| directly)*\s+"
    r"(?:access|reach|use|run|see|connect|open|install|write|read|find|talk|call)\b).*)$",
    _I | re.DOTALL,
)
_DENIES_ACT = re.compile(
    r"(?:^|[,;:—–]\s*|\b(?:as|since|because|and|but|so|that|here)\s+)(?P<fact>you (?:cannot"
    r"|can ?not|can'?t|won'?t be able to|will not be able to|(?:are not|aren'?t) (?:allowed"
    r"|able) to)\s+"
    r"(?!(?:\w+ )?(?:do|have|be|just|simply|really|expect|believe|know|say|tell|always)\b)\w+\s+"
    r"(?!(?:it|that|this|them|these|those|me|us|him|her|any|everything)\b)\S.*)$",
    _I | re.DOTALL,
)
_LACKS = re.compile(
    r"(?:^|[,;:—–]\s*|\b(?:as|since|because|and|but|so|that)\s+)(?P<fact>(?:(?:there(?:'?s| is"
    r"| are) no|(?:we|you) (?:don'?t|do not) have)\b.*|[^,;:]{2,60}?\b(?:is not|isn'?t|are not"
    r"|aren'?t) (?:installed|available|reachable|accessible|allowed|supported)\b.*))$",
    _I | re.DOTALL,
)
_CONTRASTED = re.compile(
    # “X is Y, not Z” about a thing with a name: the contrast says that Z was assumed.
    r"^(?!(?:it|that|he|she|they|i)\b)(?:the |our )?[\w.-]+(?: [\w.-]+){0,2}?(?:\s+|')"
    r"(?:is|are|re|runs?|uses?|lives?|goes)\b[^,;:?]{2,100},\s*(?:and )?not (?:the |an? |in |on "
    r"|via |with |to |by |from )?[`\x01\w./@-]+(?: [`\x01\w./@-]+){0,2}\W*$",
    _I,
)
_USES = re.compile(
    # What the parts of a system stand on; a name or a version makes it a fact.
    r"^(?P<subject>(?:the |our )?(?!(?:i|it|this|that|he|she|they|what|which|who|there|my|and"
    r"|but|so|if|when|one|code|script|function|page|error|app)\b)[\w.-]+(?: [\w.-]+){0,2}?)"
    r" (?:still |only )?(?:uses?|requires?|needs?|runs? on|depends? on|targets?|(?:is|are) on)"
    r" (?P<rest>[^?]{3,80})$",
    _I,
)
_THIS_IS = re.compile(r"^this is (an? [^,]{2,60}\b(?:project|repo\w*|app|codebase|service))\b", _I)
_VERSION = re.compile(r"\b[A-Za-z][\w.+-]*[ @]v?\d+(?:\.\d+)*\b(?! (?:\w+s|of)\b)")
_TELLS_PLACE = re.compile(
    r"(?:^|[,;:—–]\s*)(?P<fact>(?:you|we)(?:'re|re| are)\s+(?:running |working )?(?:in|on"
    r"|inside)\s+(?:an?|the|your|our|my)\s+(?:\w+ )?(?:vm|virtual machine|container|sandbox"
    r"|devcontainer|host|server|cluster|monorepo|docker\w*|ci)\b.*)$",
    _I | re.DOTALL,
)
_NEGATION = re.compile(
    r"\b(?:no|not|never|cannot|without|only|\w+n'?t)\b(?! (?:only|just|sure)\b)", _I
)
_PLACED = re.compile(
    # The verbs that say where or under what name a thing is to be found.
    r"\b(?:is|are|runs?|lives?|sits?|listens?|resides?|points?|goes|go|comes?)\b(?: (?:also|only"
    r"|always|now|all))? (?:running |deployed |hosted |installed |located |stored |defined |kept "
    r"|served |exposed |available |reachable |accessible |mounted |configured |found |called "
    r"|named )?(?:here|there|on|in|at|under|inside|behind|over|via|through|to|from|by|as|only|not)?"
    r"[ :]*",
    _I,
)
_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|://|\blocalhost\b|\bports? \d")
_POINTS = re.compile(r"\b(?:this|that|it|them|these)\W*$", re.IGNORECASE)
_LONGEST_PLACE = 120
_REPORT = re.compile(
    # How things go at the moment: these words, not its form, tell it from how things are.
    r"\b(?:error|fail\w*|broke\w*|break\w*|bug|crash\w*|wrong|weird|again|still|yet|seem\w*|look\w*"
    r"|just|now|already|happen\w*|got|getting|keeps?|missing|showing|stuck|empty|undefined|done"
    r"|ready|commit(?:ted|s)?|pushed|merged|conflicts?|comments?|pull request|prs?|issue|problem"
    r"|review\w*|fix(?:ed|es)?|updated?|added|changed|removed|moved|created|going to|trying"
    r"|want\w*|should|could|would|let'?s|please|need\w*|will|attached|screenshot|above|below)\b",
    _I,
)
_SUBJECT = re.compile(
    r"(?:(?:the|our|my|your|all|every|each|this|that|these|those)\s+)?[`\x01\w][`\x01\w./@:-]*"
    r"(?:\s+[`\x01\w(][`\x01\w./@:)-]*){0,6}?\s+(?=is\b|are\b|runs?\b|lives?\b|sits?\b|listens?\b"
    r"|resides?\b|points?\b|goes\b|comes?\b)",
    _I,
)
_NO_SUBJECT = re.compile(
    r"(?:and|or|but|so|if|when|while|there|it|its|it's|this|that|these|those|they|he|she|i|we|you"
    r"|what|which|who|how|why|where|here|maybe|perhaps|also|not|no|yes|ok|in|on|at|for|with|to"
    r"|everything|nothing|something|anything|all|one|problem|thing|question|idea)\b|\W*\x01\x01\x01",
    _I,
)
_IS_NOT = re.compile(
    # “That's not the X, it's Y”: X is named here, Y there.
    r"^\W*(?:no[,.]?\s+)?(?:that|this|it)(?:(?:'?s| is| was) not|(?: is| was)n'?t)"
    r" (?P<what>(?:the|my|our|your) [^,;:—–]{3,80}?)\s*(?:[,;:—–]|\s-)\s*(?:but )?"
    r"(?P<is>(?:it|that|the (?:right|correct|actual|real|other) (?:one|\w+))(?:'?s|s| is"
    r"| should be| must be))\s+(?P<rest>\S.*)$",
    _I | re.DOTALL,
)
_WRONG_SUBJECT = re.compile(
    r"^(?P<what>(?!(?:that|this|it|he|she|they|i|we|you|which|what)\b)[^,;:?]{2,80}?)\s+(?:is|are"
    r"|was)(?:n'?t| not) (?:quite |really )?(?:correct|right|true|accurate)\s*[,;:.—–-]+\s*"
    r"(?P<rest>\S.{8,})$",
    _I | re.DOTALL,
)
_IS_IT = re.compile(r"(?:that|this|it)(?:'?s| is) (?=\S)", re.IGNORECASE)
"""How a correction goes on about what it has just named."""
_EQUALS = re.compile(
    r"^\W*(?P<term>[^\W\d_][\w -]{1,40}?)\s+==\s+(?P<rest>[^\W\d_][^=;{}()]{2,40}\s[^=;{}]{8,300})$"
)
_MEANS = re.compile(
    r"^(?:(?:here|in our case|in this (?:project|repo|context)),?\s+)?(?:by\s+)?"
    r"(?P<term>(?!(?:this|that|it|which|what|these|those|he|she|they|i|we|you|there|and|but|so|if"
    r"|when|does|do)\b)[\w`\"'“”‘’./-]+(?:\s+[\w`\"'“”‘’./-]+){0,3}?),?\s+"
    r"(?:(?:just |here |always |really )?means\s+(?!that\b|i\b|we\b|you\b|it\b|there\b)"
    r"|stands for\s+|is short for\s+|refers to\s+|i mean\s+|we mean\s+)(?P<rest>\S.{5,300})$",
    _I | re.DOTALL,
)


_ADVICE = re.compile(
    # Advice is hedged out of politeness: what follows “I think” is meant as a rule.
    r"\bi (?:really |also )?(?:think|feel|believe|guess|suppose)(?: that)? (?P<advice>"
    r"(?P<better>(?:it'?s|it is|it would be|it'?d be|it might be) (?:\w+ )?(?:better|best|safer"
    r"|cleaner|wiser|simpler)\b)|we (?:should|must|need to|ought to)\b)(?P<rest>.+)$",
    _I | re.DOTALL,
)
_OF_EACH = re.compile(
    # An order about what is still to come: any that turns up, each of what every task has.
    r"\b(?:any|all|every|whatever) (?:[\w-]+ ){1,5}?(?:that )?you (?:notice|find|see|touch"
    r"|encounter|come across|run into|spot)\b"
    r"|^(?:\w+ly )?(?:keep|make|leave) (?:each|every|all) (?:commit|pr|pull request|change|step"
    r"|branch|release|migration|function|class|module|component|endpoint|test)s?\b",
    _I,
)
_GIVEN = re.compile(
    r"\b(?:given|since|because|considering|due to|as)\b[^.?!]{8,}[,;]?\s*$", re.IGNORECASE
)


_OBJECTS = re.compile(
    # How the user contradicts the agent, before saying how it is.
    r"^(?:no|nope|wrong|incorrect|actually|correction)\b\s*[,.:;!—–-]*\s+(?P<body>\S.{5,200})$",
    _I | re.DOTALL,
)
_OURS = re.compile(
    r"^we (?:all |always |only )?(?:use|run|deploy|write|build|test|store|keep|ship|target|pin"
    r"|support|publish)s? (?P<rest>.+)$",
    _I,
)
_USE = re.compile(r"^(?:just |please )?(?:use|run|take|keep|call it|name it) (?P<rest>.+)$", _I)
_HAS_VALUE = re.compile(r"\d|[`\x01]|/\w|\w[/.]\w|[A-Z]\w*[A-Z]")
_RUNS = re.compile(
    r"^(?:the |our )?(?!(?:i|it|this|that|he|she|they|we|you|there|what|which|who)\b)[\w.-]+"
    r"(?: [\w.-]+){0,3}? (?:still |only )?(?:runs?|uses?|needs?|requires?|speaks?|serves?|expects?"
    r"|returns?|has|takes?) (?P<rest>[^?]{3,80})$",
    _I,
)
_REQUIRED = re.compile(
    r"^(?:required\s*[:—–-]+\s*(?P<body>\S.{8,200})"
    r"|(?!(?:it|this|that|he|she|they|these|those|what|which|there|no|if|when|input)\b)[^,;:?]{2,80}?"
    r" (?:is|are) (?:always |also |strictly )?required"
    r"(?P<when> (?:for|before|in|on|after|when|by)\b.*)?)\W*$",
    _I | re.DOTALL,
)


def mentioned(sentence: str) -> Statement | None:
    """The fact, or the advice, that an English sentence of the user mentions, or None."""
    text = sentence.strip()
    if len(text) > 500:
        return None
    if wording.is_question(text) and not text.endswith("?"):
        return _access(text, mask(text))  # “did we not …, you don't have …”: it asks nothing
    text = wording.head_clause(text)
    bare = mask(text)
    if defined := defines(text):
        return defined
    if not text or wording.is_one_off(bare):
        return None
    return (
        _corrected(text, bare)
        or _access(text, bare)
        or _placed(text, bare)
        or _assumed(text, bare)
        or _advice(text)
        or _of_each(text, bare)
        or _required(text, bare)
        or _objected(text)
    )


def defines(text: str) -> Statement | None:
    """What a sentence in any language says that a word means in this project."""
    match = _EQUALS.match(text) or _MEANS.match(text)
    if match is None or wording.is_thin(match["rest"], 2) or wording.is_hedged(text):
        return None
    return Statement("fact", "fact", text)


def apart(text: str) -> str:
    """`text` with each definition of a line of its own set apart from the next line."""
    return "\n".join(f"{line}\n" if _EQUALS.match(line) else line for line in text.split("\n"))


def tells_of_the_machine(text: str) -> bool:
    """Whether `text` says something of the machine and what is around it."""
    bare = mask(text)
    return bool(
        _MACHINE.search(bare)
        or _ADDRESS.search(text)
        or _TELLS_ACCESS.search(bare)
        or _TELLS_PLACE.search(bare)
    )


def _objected(text: str) -> Statement | None:
    """What follows a “no” or “actually” and says how it is: by a name, a value, or what “we” do."""
    match = _OBJECTS.match(text)
    body = match["body"] if match else ""
    bare = mask(body)
    if not body or wording.is_question(body) or wording.is_hedged(bare) or _REPORT.search(bare):
        return None
    if wording.is_one_off(bare) or wording.points_away(bare) or EVENT.search(bare):
        return None
    if found := _placed(body, bare) or _assumed(body, bare):
        return found
    ordered, runs = _USE.match(bare), _RUNS.match(bare)
    if ordered and _HAS_VALUE.search(ordered["rest"]):
        return Statement("mention", "decision", body)
    if _OURS.match(bare) and not wording.is_thin(body, 1):
        return Statement("mention", "fact", body)
    return Statement("mention", "fact", body) if runs and _HAS_VALUE.search(runs["rest"]) else None


def _required(text: str, bare: str) -> Statement | None:
    """What is required, said of a thing with a name."""
    match = _REQUIRED.match(bare)
    if match is None or wording.is_hedged(bare) or _REPORT.search(bare):
        return None
    body = text[match.start("body") :] if match["body"] else text
    is_concrete = match["body"] or match["when"] or re.search(r"\d", body)  # no “name is required”
    return Statement("constraint", "policy", body) if is_concrete else None


def _corrected(text: str, bare: str) -> Statement | None:
    """What is something else than the agent took it for."""
    if match := _IS_NOT.match(bare):
        what, rest = (text[slice(*match.span(name))].strip() for name in ("what", "rest"))
        if wording.is_thin(rest, 1) or wording.starts_with_pronoun(rest) or _REPORT.search(rest):
            return None
        verb = "should be" if "should" in match["is"].lower() else "is"
        return Statement("correction", "fact", f"{what} {verb} {rest}")
    match = _WRONG_SUBJECT.match(bare)
    if match is None or wording.is_thin(match["rest"], 2) or wording.is_hedged(bare):
        return None
    rest = text[match.start("rest") :]
    told = (
        f"{text[slice(*match.span('what'))]} is {rest[is_it.end() :]}"
        if (is_it := _IS_IT.match(rest))
        else text
    )
    return Statement("correction", "fact", told)


def _access(text: str, bare: str) -> Statement | None:
    """What the agent has at hand and what not."""
    match = _TELLS_ACCESS.search(bare) or _TELLS_PLACE.search(bare)
    if match is None:
        return _denied(text, bare)
    if wording.is_hedged(bare):
        return None
    fact, said = text[match.start("fact") :], match["fact"]
    is_concrete = _NEGATION.search(said) or _VALUE.search(said) or "access" in said.lower()
    if not (match.re is _TELLS_PLACE or is_concrete) or wording.is_thin(fact, 1):
        return None
    if _POINTS.search(said):
        return None
    tells_which = match.re is _TELLS_PLACE or _NEGATION.search(said) or _VALUE.search(said)
    return Statement("fact" if tells_which else "mention", "fact", fact)


def _denied(text: str, bare: str) -> Statement | None:
    """What the agent may not do, and what is not to be had on a machine."""
    if wording.is_hedged(bare) or _REPORT.search(bare):
        return None
    match = _DENIES_ACT.search(bare)
    least = 2 if match else 1
    if match is None and _MACHINE.search(bare):
        match = _LACKS.search(bare)
    if match is None:
        return None
    fact = text[match.start("fact") :]
    return None if wording.is_thin(fact, least) else Statement("fact", "fact", fact)


def _assumed(text: str, bare: str) -> Statement | None:
    """“X is Y, not Z”, and what the parts of a system stand on."""
    if _REPORT.search(bare) or wording.is_hedged(bare) or EVENT.search(bare):
        return None
    uses = _USES.match(bare)
    if wording.in_first_person(bare):
        return None
    if _CONTRASTED.match(bare) or (uses and _VERSION.search(bare, uses.start("rest"))):
        return Statement("mention", "fact", _THIS_IS.sub(r"this project is \1", text))
    return None


def _placed(text: str, bare: str) -> Statement | None:
    """Where something of the project is or runs, or what it is called."""
    subject = _SUBJECT.match(bare)
    if subject is None or _NO_SUBJECT.match(bare) or _REPORT.search(bare):
        return None
    verb = _PLACED.match(bare, subject.end())
    if verb is None or wording.is_hedged(bare) or wording.in_first_person(bare):
        return None
    rest = bare[verb.end() :]
    is_value = _VALUE.search(rest) and len(rest) < _LONGEST_PLACE
    is_placed = is_value or _MACHINE.search(bare, subject.end())
    return Statement("mention", "fact", text) if is_placed else None


def _of_each(text: str, bare: str) -> Statement | None:
    """An order about each that comes: “fix any slow test that you notice”."""
    if not _OF_EACH.search(bare) or not verbs.is_order(bare) or wording.points_away(bare):
        return None
    return Statement("constraint", "policy", text)


def _advice(text: str) -> Statement | None:
    """“Given X, I think it's better not to do Y”, without the hedge."""
    match = _ADVICE.search(mask(text))
    if match is None or wording.is_thin(match["rest"], 2) or wording.points_away(match["rest"]):
        return None
    before = text[: match.start()].strip()
    given = before if _GIVEN.search(before) else ""
    stated = f"{given} {text[match.start('advice') :]}".strip()
    if wording.starts_with_pronoun(match["rest"].strip()):
        return None
    if given or REASON.search(match["rest"]):
        rule = "decided" if match["better"] else "decision"
        return Statement(rule, "decision", stated)
    return Statement("wish", "preference", stated) if match["better"] else None
