"""Which kind of memory a statement is, and how much it matters: by its words, not by its source.

A rule that holds for whoever works on the project is a policy, what the user likes a preference, a
choice among alternatives a decision, what a thing does against expectation a gotcha, what the
project consists of architecture; everything else is a fact.
"""

from __future__ import annotations

import re
from typing import Literal

from cortex_core.base.kinds import DEFAULT
from cortex_core.extract.grammar import Grammar, fold, grammar_of
from cortex_core.language import verbs
from cortex_core.language.detect import language
from cortex_core.language.sentences import mask, split

Kind = Literal[
    "policy",
    "preference",
    "decision",
    "fact",
    "gotcha",
    "solution",
    "progress",
    "insight",
    "summary",
    "architecture",
    "episode",
]
"""The kinds that rules give."""

_I = re.IGNORECASE

# English has no ending that marks a duty, a choice or a denial: the words of each are listed, and
# they are function words and verbs of speaking, none of any trade.
_LIKES = re.compile(
    r"\b(?:i|we|(?:the )?user|they|he|she)(?:'d|\s+would)?\s+(?:\w+ly\s+)?(?:rather|prefers?|likes?"
    r"|loves?|hates?|dislikes?|favou?rs?|wants?\s+(?!you\b|to\b|me\b|us\b))"
    r"|\b(?:prefer(?:s|red)|preferences?(?:\s+(?:is|for)\b|:))",
    _I,
)
_DOER = r"(?:you|we|i|one|agents?|everyone|anyone|nobody|developers?|contributors?|claude|people)"
_DUTY = re.compile(
    rf"\b{_DOER} (?:must|should|shall|need to|have to|has to|needs to|may not|may only|can't|cannot"
    r"|never|always|only|(?:don't|do not)(?! (?:need|have)\b))\b"
    r"|\b(?:must|should|shall|(?:has|have|needs?) to|(?:is|are) to) (?:not |never |always |only )?"
    r"(?:be|have|go|live|stay|remain|use|follow|pass|match|run|support|crash|embed|keep|come)\b"
    r"|\bmust (?:not|never|always)\b|\b(?:not allowed|forbidden|prohibited|mandatory)\b"
    r"|\b(?:required|mandatory|run|checked) (?:before|after|on|for|in) (?:every|each|all|any)\b",
    _I,
)
_STANDING = re.compile(r"\b(?:always|never|every|each|all|any|don't|do not)\b", _I)
_CHOSEN = re.compile(
    r"\b(?:(?<!gets )(?<!got )(?<!being )(?:rejected|postponed|deferred)(?=\W*$|[,;:.]"
    r"|\s+(?:to|until|for|because|as|in)\b)|ruled out|dropped in favou?r|chose|chosen|decided"
    r"|opted|agreed on|settled on|went with|switched (?:from|to)|in favou?r of|out of scope)\b",
    _I,
)
_CONTRAST = re.compile(r"\b(?:instead of|rather than|as opposed to)\b", _I)
_NOT = re.compile(r",\s+(?:and )?not\b", _I)
_DENIES = re.compile(
    r"(?<!\bwe )(?<!\bi )\b(?:do|does|did|is|are|was|were|has|have|can|could|will|would)"
    r"(?:n't| not)\b|\bcannot\b|\bnever\s+\w+s\b|\b(?:fails?|failed|breaks?|broke|crash(?:es|ed)?"
    r"|hangs?|throws?|ignor(?:es|ed)|silently|swallows?|drops|loses|lost|leaks?|blocked"
    r"|unsupported|gitignored|corrupts?)\b|\bno (?:support|way|longer)\b"
    r"|\bonly (?:when|if|after|on|for|in|works?|fires?|\w+s)\b"
    r"|\b(?:limitation|unless|by default|known (?:bug|issue))\b",
    _I,
)
_ENVIRONMENT = re.compile(
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\blocalhost\b|(?<![\w.]):\d{2,5}\b|\bports? \d+"
    r"|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|(?<!\w)~?/[\w.-]+/[\w./-]+|\bv?\d+\.\d+\.\d+\b"
    r"|\b(?:credentials?|passwords?|tokens?|keys?|logs?|config(?:uration)?)"
    r" (?:is|are|live|lives|stored) in\b",
)
_STRUCTURE = re.compile(
    r"\b(?:lives? in|belongs? (?:in|to)"
    r"|(?:is|are) (?:stored|kept|located|defined|implemented|generated|embedded) (?:in|on|by|under"
    r"|from)|consists? of|(?:is|are) (?:split|divided|layered|organi[sz]ed)"
    r" (?:into|in|as|by)|delegates? to|responsible for|entry ?points?|source of truth|wraps?"
    r"|embeds?|depends? on|talks? to|sits? (?:between|behind|on)|(?:is|are) (?:the|an?)"
    r" (?:\w+ ){0,2}(?:registry|layer|module|package|interface|component|service|key|store"
    r"|database|cache|wrapper|abstraction|boundary|owner))\b",
    _I,
)
_BRACKETS = re.compile(r"\s+\([^()\n]{0,300}\)")
_TOPIC = re.compile(r"^[^:\n]{2,60}:\s+(?=\S)")
_CONDITION = re.compile(r"(?:when|whenever|if|before|after|for|in|on)\b", _I)

RULE_PRIORITY = DEFAULT.get("policy").priority
"""Priority of a rule that holds for good."""
WISH_PRIORITY = 5
"""Highest priority of what is wished for one task."""
_RUN_ON = 300
"""Characters above which a wish describes a task."""
_LASTING = re.compile(
    r"\b(?:always|never|must|(?:before|after|on|for|in) (?:every|each|all|any))\b", _I
)
ENVIRONMENT_PRIORITY = 6
"""Lowest priority of addresses, ports, paths and versions."""


def kind_of(text: str) -> Kind:
    """The kind of memory that the statement `text` is, by its first sentence."""
    head = _BRACKETS.sub("", next(iter(split(text)), ""))
    spoken = language(text)
    grammar = grammar_of(spoken) if spoken != "en" else None
    return _kind_by_table(head, grammar) if grammar else _kind_in_english(head)


def _kind_by_table(head: str, grammar: Grammar) -> Kind:
    """The kind of a statement by the table of its language."""
    folded = fold(head)
    if grammar.prefers.search(folded) or grammar.wishes.search(folded):
        return "preference"
    if grammar.decided.search(folded):
        return "decision"
    if grammar.universal.search(folded) and grammar.duty.search(folded):
        return "policy"
    rules = (
        grammar.standing,
        grammar.lasting,
        grammar.orders,
        grammar.forbids,
        grammar.conventions,
    )
    return "policy" if any(entry.search(folded) for entry in rules) else "fact"


def _kind_in_english(head: str) -> Kind:
    bare = mask(head).replace("\x01", " ").replace("’", "'")
    if _LIKES.search(bare):
        return "preference"
    ordered = _is_order(head)
    contrasts = _CONTRAST.search(bare) or (ordered and _NOT.search(bare))
    if _CHOSEN.search(bare) or (contrasts and not _STANDING.search(bare)):
        return "decision"
    if ordered or _DUTY.search(bare):
        return "policy"
    if _DENIES.search(bare):
        return "gotcha"
    return "architecture" if not is_environment(head) and _STRUCTURE.search(bare) else "fact"


def _is_order(sentence: str) -> bool:
    """Whether the main clause of `sentence` is an order, also behind a topic or a condition."""
    told = _TOPIC.sub("", sentence)
    return verbs.is_order(told if _CONDITION.match(told) else re.split("[,;—]", told)[0])


def is_environment(text: str) -> bool:
    """Whether `text` names an address, port, variable, path or version: what a machine has."""
    return bool(_ENVIRONMENT.search(text))


def priority_of(kind: Kind, text: str, base: int) -> int:
    """The priority of a statement of `kind` that its rule gives the priority `base`.

    A rule that holds for good deserves more than its source, a wish that runs on over a whole task
    less, and facts of the environment are asked for more often than others.
    """
    if kind in ("policy", "preference") and len(text) > _RUN_ON:
        return min(base, WISH_PRIORITY)
    if kind == "policy" and _LASTING.search(mask(text)):
        return max(base, RULE_PRIORITY)
    if kind == "fact" and is_environment(text):
        return max(base, ENVIRONMENT_PRIORITY)
    return base
