"""What a sentence of a person states that lasts, if anything: the first signal that fits.

General grammar only, adverbs, modals, moods and contrasts, never the words of a subject. Standing
instructions are read here; the other kinds of statement have modules of their own.
"""

from __future__ import annotations

import re

from cortex_core.capture.rules import asides, constraints, preferences, wording
from cortex_core.capture.rules.grammar import (
    CAPITALS,
    DIRECTS,
    LOUD,
    Statement,
    opens_with_command,
    orders,
    speaks_up,
    standing_adverb,
)
from cortex_core.capture.sentences import mask

_I = re.IGNORECASE
_LONGEST = 700
_FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|so|well|right|alright|great|perfect|good|nice|cool|thanks|thank you|yes|yeah"
    r"|yep|hey|hi|hello|claude|also|and|but|oh|ah+|hmm+|btw|by the way|please|pls|anyway|again|just"
    r"|lastly|finally|additionally|furthermore|important(?:ly)?|then|plus|one more thing|ps"
    r"|because)(?:\s*[,.!:;–—-]+\s*|\s+))+(?=\S)",
    _I,
)
_REQUEST = re.compile(
    r"^(?:can|could|would|will) you (?:please |also |just |maybe |kindly )*"
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
_STANDING = re.compile(
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
    """`sentence` without the fillers before it: “ok, also, please”."""
    return _FILLER.sub("", sentence.strip(), count=1)


def read(sentence: str) -> Statement | None:
    """What `sentence` states that lasts: the first signal that fits, or None.

    A question at the end is cut off and the clause before it is read; a request that carries a
    standing adverb (“can you always …?”) is an instruction like any other.
    """
    text = unfilled(sentence)
    if not text or len(text) > 2 * _LONGEST:
        return None
    head = _requested(text) or wording.head_clause(text)
    if len(head) > _LONGEST or wording.is_fragment(head):
        head = ""
    bare = mask(head)
    return (
        (_outright(head, bare) if head else None)
        or preferences.preference(text)
        or preferences.decided(text)
        or (_weaker(head, bare) if head else None)
    )


def _outright(head: str, bare: str) -> Statement | None:
    return (
        asides.remember(head, bare, bool(_STANDING.search(bare)))
        or asides.correction(head)
        or _policy(head, bare)
        or asides.fact(head, bare)
        or _requirement(head, bare)
    )


def _weaker(head: str, bare: str) -> Statement | None:
    if wording.is_one_off(bare) or wording.points_away(bare):
        return None
    return (
        constraints.constraint(head, bare)
        or constraints.decision(head, bare)
        or preferences.wish(head, bare)
    )


def _requested(text: str) -> str:
    """The order in a request that holds for good: “can you always …?”; empty without one."""
    request = _REQUEST.match(text)
    if request is None:
        return ""
    order = request[1]
    is_standing = _STANDING.search(order) or _IN_FUTURE.match(order) or standing_adverb(order)
    return order if is_standing or re.match(r"remember|keep in mind", order, _I) else ""


def _policy(head: str, bare: str) -> Statement | None:
    is_stated = (
        standing_adverb(bare) == "order"
        or _is_conditioned(bare)
        or _is_for_the_future(bare)
        or speaks_up(bare, CAPITALS)
        or _EVER.search(bare)
        or (_STANDING.search(bare) and _is_directive(bare))
    )
    if not is_stated or wording.is_one_off(bare) or wording.is_thin(head, 2):
        return None
    return Statement("policy", "policy", head)


def _requirement(head: str, bare: str) -> Statement | None:
    """What a thing must always or never do, and orders in capitals: rules, maybe of one task."""
    if not (standing_adverb(bare) or speaks_up(bare, LOUD)):
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
    """Whether `text` tells what to do: an order, a modal, or what someone is to do."""
    if opens_with_command(text) or DIRECTS.search(text):
        return True
    rest = _STANDING.sub("", text).strip(" ,.:;-—")
    return opens_with_command(rest) or bool(_ASKS_TO.search(rest))
