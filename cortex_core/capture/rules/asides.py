"""What a person tells the agent in so many words: remember, for your information, no, not X."""

from __future__ import annotations

import re

from cortex_core.capture.rules import preferences, wording
from cortex_core.capture.rules.grammar import Statement, opens_with_command, standing_adverb
from cortex_core.capture.rules.state import Kind

_I = re.IGNORECASE
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
_OBLIGES = re.compile(r"\b(?:must|should|don'?t|do not|never|always|only|have to|need to)\b", _I)
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
    """What a person asked to have remembered; a chore not to forget is a rule at most."""
    match = _REMEMBER.match(head) or _REMEMBER_INSIDE.search(head) or _REMEMBER_LAST.match(head)
    if match is None or wording.is_one_off(bare):
        return None
    body = _BODY_LEAD.sub("", match["body"])
    if _NO_LESSON.match(body) or wording.is_thin(body, 2) or wording.is_question(body):
        return None
    if re.match(r"(?:the|an?)\b", body, _I) and not wording.has_verb(body):
        return None
    verb = match.groupdict().get("verb") or ""
    is_chore = "forget" in verb.lower() and opens_with_command(body)
    if is_chore and not (is_standing or standing_adverb(body)):
        return Statement("constraint", "policy", body)
    return Statement("remember", kind_of(body), body)


def kind_of(text: str) -> Kind:
    """The kind of what a person asked to have remembered."""
    if preferences.prefers(text):
        return "preference"
    if standing_adverb(text) or opens_with_command(text) or _OBLIGES.search(text):
        return "policy"
    return "fact"


def correction(head: str) -> Statement | None:
    """“No, not X: Y” about how things are; an objection without contrast is a rule at most."""
    match = _CORRECTION.match(head)
    if match is None:
        return None
    body = match["body"] or match["rest"] or ""
    whole = head if re.match(r"no,? not\b", head, _I) else body
    passing = wording.is_one_off(body) or wording.points_away(body) or wording.is_hedged(body)
    if passing or wording.is_thin(body, 2) or wording.is_question(body):
        return None
    if _NOT_BUT.match(head):
        return Statement("correction", "fact", whole[match.start(1) :] if match[1] else whole)
    stands = not wording.starts_with_pronoun(body) and not wording.in_first_person(body)
    if stands and _CONTRAST.search(whole) and _GENERAL.search(whole):
        return Statement("correction", "fact", re.sub(r"^no[,.:;!—– -]+", "", whole, flags=_I))
    is_told = _OBJECTION.search(body) or _WRONG.match(head)
    if stands and is_told and wording.has_verb(body) and not wording.is_thin(body, 3):
        return Statement("constraint", "fact", body)
    return None


def fact(head: str, bare: str) -> Statement | None:
    """What a person tells for the agent's information."""
    match = _FYI.match(head)
    if match is None or wording.is_one_off(bare) or _PASSING.search(bare):
        return None
    body = match["body"]
    if not wording.has_verb(body) or wording.is_impression(body) or wording.is_hedged(body):
        return None
    if wording.is_thin(body, 2) or wording.is_fragment(body) or _NO_LESSON.match(body):
        return None
    return Statement("fact", "policy" if standing_adverb(body) else "fact", body)
