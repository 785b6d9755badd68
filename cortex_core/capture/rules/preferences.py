"""What a person prefers, has decided and wishes, read off one sentence."""

from __future__ import annotations

import re

from cortex_core.capture.rules import wording
from cortex_core.capture.rules.grammar import Statement
from cortex_core.capture.sentences import mask

_I = re.IGNORECASE
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
"""Words by which a choice is still in question."""
EVENT = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.? \d{1,2}\b|[$€£]\s?\d"
    r"|\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:19"
    r"|20)\d\d-\d\d-\d\d\b",
    _I,
)
"""Dates, hours and sums: what has one is something that happens once."""
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
"""A name: of a product, a file, a piece of code."""


def prefers(text: str) -> bool:
    """Whether `text` says what someone likes or would rather have."""
    return bool(_PREFER.search(text) or _WISH.search(text))


def preference(text: str) -> Statement | None:
    """What a person says they prefer, also inside a sentence that goes on to ask."""
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

    All of the sentence before it stays where the clause points back into it (“I prefer it over
    …”) or does not begin a clause. Empty where it points out of the sentence.
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
    """Whether what begins at `start` is asked for, or depends on another clause."""
    return bool(_ASKED_BEFORE.search(bare[max(0, start - 24) : start]))


def decided(text: str) -> Statement | None:
    """A choice made: with its reason or alternative, and without doubt about it."""
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
    """What a person would rather have, or does not want."""
    match = _WISH.search(bare)
    if match is None or wording.is_thin(head, 3):
        return None
    if _is_asked(bare, match.start()):
        return None
    if re.search(r"\bi think\s+$", bare[: match.start()], _I) and "i'd" in match[0].lower():
        return None
    clause = _clause(head, bare, match.start()) or head
    return Statement("wish", "preference", clause)
