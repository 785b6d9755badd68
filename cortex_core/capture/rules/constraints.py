"""Rules a person states without saying that they stand for good, and choices in passing."""

from __future__ import annotations

import re

from cortex_core.capture.rules import wording
from cortex_core.capture.rules.grammar import Statement, orders
from cortex_core.capture.rules.preferences import CODE_LIKE, DOUBT, EVENT, REASON

_I = re.IGNORECASE
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
    """A convention, a prohibition, a rule for all of a kind, or one for an occasion."""
    if wording.is_impression(bare):
        return None
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
