"""Orders of the user, in a form by which they are recognised when they come back.

One order is about one task. What the user asks for again and again is how they want to work: three
times in a session it is suggested here; over sessions `capture.recurring` counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from cortex_core.base.text import content_words
from cortex_core.extract import wording
from cortex_core.extract.instructions import unfilled
from cortex_core.extract.state import FROM_PROMPT, Findings, SessionState
from cortex_core.language import verbs
from cortex_core.language.sentences import mask

OFTEN = 3
"""Times in one session from which an order is more than one of the moment."""

_LONGEST = 200
_MOST_WORDS = 3
_REQUEST = re.compile(
    r"^(?:(?:can|could|would|will|may) (?:you|we)|let'?s|let us|i(?:'d| would) like (?:you )?to"
    r"|i (?:want|need) you to|you (?:should|can|need to)|we (?:should|need to)|please|pls"
    r"|now|also|then|just|first|maybe)\s+(?:(?:please|also|just|maybe|now|then|first)\s+)*",
    re.IGNORECASE,
)
_ASIDE = re.compile(r",?\s+(?:please|pls|for (?:this|that|it|these|those))\b", re.IGNORECASE)
"""What an order says besides to one who knows what it is about."""
_NAME = re.compile(r"[\d_./#@:-]|[a-z][A-Z]")
"""What a ticket, a file or a symbol has: the order comes back for another one."""
_NAMESPACED = re.compile(r"(?<![\w:/.-])([A-Za-z]{2,20})[:/]([A-Za-z]{2,20})(?![\w:/.-])")
"""A thing of a tool, “tool:thing”: users say it with and without the mark."""
_TICKET = re.compile(r"#\d|\b[A-Z]{2,}-\d")
_PHRASE_END = re.compile(
    r"[,;.!?()\n—–]|:(?!\w)|\s-\s|\b(?:and|but|so|because|since|for|with|to|then|if|when|before|after"
    r"|that|which|in|on|from|as|please|until|using|via|by|at|about|regarding)\b",
    re.IGNORECASE,
)
_OF_THE_MOMENT = frozenset(
    # What these verbs ask for is over when it is done; that they are asked often says nothing.
    """
    answer ask be check compare confirm continue debug describe do explain fail find fix focus get
    give go help ignore implement investigate keep leave let list look make mention move read
    remind rename revert
    return see search select send show skip start state stay stop suggest switch tell try turn
    undo use wait walk watch work
    """.split()
)
_MAKES = frozenset("add create file log open write".split())
"""Verbs that users change for one another when something is to be made: a ticket, a note."""
CHORES = frozenset("commit merge push rebase pull continue proceed approve".split())
"""Verbs of every session's end, whatever the project."""


class Order(NamedTuple):
    """An order, and the form by which it is recognised."""

    key: str
    text: str


def read(sentence: str) -> Order | None:
    """The order that a sentence gives; None where it gives none, or one of the moment."""
    text = unfilled(sentence.strip())
    if len(text) > _LONGEST:
        return None
    for _ in range(3):
        text = _REQUEST.sub("", text, count=1)
    text = text.rstrip("?!. ")
    bare = mask(text)
    if not verbs.is_order(bare) or wording.is_one_off(bare) or _TICKET.search(text):
        return None
    verb, _, rest = bare.partition(" ")
    verb = verb.lower().strip("`*_\"'")
    if verb not in verbs.COMMANDS or verb in _OF_THE_MOMENT | CHORES:
        return None
    named = _named(rest)
    stated = _ASIDE.sub("", text).rstrip(" ,")
    return Order(" ".join(("add" if verb in _MAKES else verb, *named)), stated) if named else None


def _named(rest: str) -> list[str]:
    """The words by which the object of an order is recognised: its first phrase."""
    end = _PHRASE_END.search(rest, 1)
    phrase = rest[: end.start()] if end else rest
    phrase = _NAMESPACED.sub(r"\1 \2", phrase)
    words = [word for word in content_words(phrase) if not _NAME.search(word)]
    return [_singular(word) for word in words][:_MOST_WORDS]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def observe(
    sentence: str, where: Mapping[str, Any], state: SessionState, findings: Findings
) -> None:
    """Count an order of the user; suggest it when it was given often enough in this session."""
    order = read(sentence)
    if order is None:
        return
    findings.observe("order", order.key, wording.finished(order.text), where)
    times = state.orders.pop(order.key, 0) + 1
    state.orders[order.key] = times
    if times == OFTEN:
        findings.add(FROM_PROMPT + "order", "policy", wording.finished(order.text), where)
