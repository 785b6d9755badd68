"""What the user corrects, and what they state as a rule: sentences that may have to be said again.

A correction says that something was done wrong, or that it was said before; it is kept in the
user's own words, as an observation. Whether one comes back is for `capture.repeats`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cortex_core.extract import wording
from cortex_core.extract.grammar import Grammar, fold
from cortex_core.extract.instructions import orders, unfilled
from cortex_core.extract.orders import CHORES
from cortex_core.extract.state import Findings, SessionState
from cortex_core.language.sentences import Sentence, cut
from cortex_core.records.events import Event, Topic

LONGEST = 300
"""Characters of a sentence that are kept; of a longer one its beginning."""

_I = re.IGNORECASE
_NOT = r"(?:n'?t| not)"
_SAID_BEFORE = re.compile(
    r"\b(?:i|we)(?:'ve| have)? (?:(?:already|just|clearly|explicitly|literally|keep|kept) )*"
    r"(?:(?:told|tell|telling|asked|asking|reminded|reminding) you"
    r"|(?:said|saying|mentioned|specified|explained) (?!hi\b|hello\b))"
    r"|\bas i (?:said|mentioned|told you|wrote)\b"
    r"|\bhow (?:many|often) (?:more )?(?:times )?(?:do|must|have|did) i\b"
    rf"|\b(?:did|have|had)(?: we| i|{_NOT} we|{_NOT} i)(?: not| already)? (?:go|gone|been|say|said"
    r"|tell|told|discuss|discussed|talk|talked|agree|agreed)\b"
    r"|\bwe(?:'ve| have)? (?:already )?(?:been|went|gone|talked|discussed|agreed)"
    r" (?:\w+ )?(?:this|that|it|about|on|through)\b",
    _I,
)
"""That it was said before."""
_AGAIN = re.compile(
    r"^\W*(?:and |but |please )*(?:once (?:again|more)|again)\b"
    rf"|\b(?:do{_NOT}|stop|never|quit) .{{3,120}}\bagain\W*$"
    r"|\byou (?:keep|kept|still|again|always|never|constantly)\b"
    r"|\byou(?:'re| are) (?:still|again) \w+ing\b"
    r"|\b(?:yet|once) again\b"
    r"|(?:\bwhy|(?<!can )(?<!could )(?<!would )(?<!will )\byou) .{2,80}\bagain\b",
    _I,
)
"""That it has come back."""
_WRONG = re.compile(
    r"\byou(?:'ve| have)? (?:always |again |also |still )*(?:forgot|forgotten|forget|ignored|ignore"
    r"|missed|skipped)\b"
    rf"|\byou (?:should|were supposed|are supposed|were meant|had)(?:{_NOT})? (?:have|to|not)\b"
    rf"|\byou (?:(?:did|do|have|should|must|can){_NOT}|were{_NOT} supposed|cannot)\b"
    r"|^\W*(?:please )?(?:stop|quit) (?:it with |the )?[\w-]+ing\b"
    r"|\bwhy (?:(?:on earth|the hell|again) )?(?:did|do|are|were|would|have|is)"
    rf"(?:{_NOT})? (?:you|the agents?|the sub-?agents?|claude)\b"
    rf"|\bthat(?:'?s| is| was) (?:not|n't) (?:what|how|where|the way)\b|\bnot what i (?:asked|said"
    r"|wanted|meant)\b"
    rf"|\bi (?:did{_NOT}|never|do{_NOT}) (?:\w+ )?(?:ask|say|tell|want) you\b"
    rf"|\bi (?:did{_NOT}|never) (?:ask|say|tell|want)\b",
    _I,
)
"""That what was done is wrong."""
_REFUSED = re.compile(
    r"^\W*(?:no|nope|wrong|stop|wait)\b[\s,.!:;—–-]+(?P<body>.+)$"
    r"|\b(?P<order>[^()]+?) instead[\s.!]*$",
    _I | re.DOTALL,
)
"""“No, …” before what is right, or “… instead” after it."""
_GOES_ON = re.compile(
    rf"\W*(?:yes|yeah|yep|yup|ok(?:ay)?|sure|great|go on|{'|'.join(sorted(CHORES))})\b", _I
)
"""How the user goes on after a stop without a word about what was stopped."""
_INFORMS = re.compile(
    r"^(?:we|it|there|the|this|these|our|use|not|don'?t|do not|never|only)\b"
    r"|^[\w`./-]+ (?:is|are|uses?|runs?|goes|lives?|belongs?) |^.{2,80}, not ",
    _I,
)
_NONE_OF = re.compile(
    r"^\W*no (?!need|idea|problem|worries)[\w`.-]+ (?:in|on|for|here|please|at|to)\b", _I
)
"""“No comments in the code”: what is not to be there."""
_LEAD = re.compile(
    r"^\W*(?:(?:no|nope|wrong|stop|wait|again|once more|as i (?:said|mentioned))\b[\s,.!:;—–-]+"
    r"|(?:i|we)(?:'ve| have)? (?:already |just )?(?:told|asked) you (?:to |that )?"
    r"|(?:i|we)(?:'ve| have)? (?:already |just )?said (?:that )?|please )+",
    _I,
)
_TAIL = re.compile(r",? (?:again|instead|please)(?=[\s.!]*$)", _I)
"""What makes a correction of a rule: “no, …”, “I told you to …”, “… again”."""
_STATES_A_RULE = frozenset(
    {"remember", "policy", "correction", "preference", "fact", "decided", "constraint"}
)
"""The rules of sentences that hold beyond the moment; choices and wishes are often of one task."""


def on_event(event: Event, state: SessionState) -> None:
    """Note whether the user has just stopped the agent or refused a call: they then say why."""
    if event.interrupted:
        state.stopped = True
    elif event.role in ("assistant", "tool_use"):
        state.stopped = False


def observe(
    said: Sequence[Sentence],
    rules: Mapping[int, str],
    grammar: Grammar,
    where: Mapping[str, Any],
    state: SessionState,
    findings: Findings,
) -> None:
    """Note the corrections and the rules among the sentences of a prompt.

    Args:
        rules: by the number of a sentence, the rule by which it states something.
        where: the event they come from, as `source_of` returns it.
    """
    for number, sentence in enumerate(said):
        before = said[number - 1].text if number else ""
        whole = f"{before} {sentence.text}" if before and grammar.is_objection(before) else ""
        rule = rules.get(number, "")
        topic: Topic = "instruction"
        if rule == "correction" or is_correction(
            whole or sentence.text, grammar, after_stop=state.stopped
        ):
            topic = "correction"
        elif rule not in _STATES_A_RULE:
            continue
        key = f"{state.turn}.{where['offset']}.{number}"
        findings.observe(topic, key, cut(whole or sentence.text, LONGEST), where)


def is_correction(sentence: str, grammar: Grammar, *, after_stop: bool = False) -> bool:
    """Whether a sentence of the user says that the agent did something wrong, or has to be told
    again.

    Args:
        after_stop: whether the user has just stopped the agent: any order then is a correction.
    """
    folded = fold(sentence)
    if grammar.code != "en":
        return bool(grammar.reminds.search(folded)) or _objects(sentence, grammar)
    text = unfilled(sentence)
    if after_stop and orders(text) and not any(map(_GOES_ON.match, (sentence, text))):
        return True
    if _SAID_BEFORE.search(folded) or _AGAIN.search(folded) or _WRONG.search(folded):
        return True
    refused = _REFUSED.search(text)
    if grammar.is_question(text) or refused is None:
        return bool(_NONE_OF.match(text)) and not grammar.is_question(text)
    if refused["order"]:
        return orders(unfilled(refused["order"]))
    body = unfilled(refused["body"])
    return orders(body) or bool(_INFORMS.match(body))


def _objects(sentence: str, grammar: Grammar) -> bool:
    """Whether a sentence begins with an objection, and says more."""
    match = grammar.objection.search(fold(sentence))
    return match is not None and not grammar.is_thin(sentence[match.end() :], 2)


def rule_in(sentence: str) -> str:
    """The rule that a correction names, without the words that make it one; `sentence` itself where
    nothing else is left, or where it asks."""
    said = sentence.strip()
    rule = said if said.endswith("?") else _TAIL.sub("", _LEAD.sub("", said, count=1))
    return wording.finished(rule or said)
