"""What a sentence states that lasts, in any language with a table: `read`.

The signals come in the order of their strength, as in `extract/instructions.py`, which reads
English by finer rules. What a table cannot tell from an order for now is not kept.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cortex_core.extract import kinds
from cortex_core.extract.grammar import Grammar, fold
from cortex_core.extract.kinds import Kind
from cortex_core.extract.wording import is_fragment


class Statement(NamedTuple):
    """What a sentence states: the rule that found it, the kind of memory, and the words."""

    rule: str
    kind: Kind
    text: str


LONGEST = 700
"""Most characters of a statement."""

_LEAD = " ,.:;!—–-，。！：、"
_ASKED = " ?？"
_NAME = re.compile(
    r"[`\x01]|(?<![\w.])[\w.-]*[a-z0-9][./_@:#-]\w|\b[A-Z]{2,}\b|[a-z][A-Z]|\b\d{2,}\b|--\w"
    r"|(?<=\w )[A-Z][a-z]{2,}",
    re.ASCII,
)
"""A name of a file, product or code."""
_LATIN_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z][A-Za-z0-9+-]{2,}")
"""A word in Latin letters: in a language with other letters it is a name."""
_OTHER_LETTERS = frozenset({"ru", "zh", "ja", "ko"})

_NAMED = re.compile(r"(?=\S*[A-Za-z])[\w./:-]{2,60}", re.ASCII)
"""What something is called in the code."""
_COMMA = re.compile(r"\s*(?:[,;，；]|\s[-–—])\s*")
_ADDRESS = re.compile(
    r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|\blocalhost:\d|\b[a-z][a-z+]{1,9}://\S"
)
"""Where a machine or a service is reached."""
_VALUE = re.compile(
    r"[`\x01]|[\w-]/[\w.-]|:\d{2,}|\b\d{3,}\b|\d\.\d+\.\d| -{1,2}[a-z]|\w\.[a-z]{2,5}\b"
    r"|\b[A-Z]+_[A-Z_]+\b",
    re.ASCII,
)
"""A path, port, address, option, file or variable."""


def read(sentence: str, grammar: Grammar) -> Statement | None:
    """What `sentence` states that lasts: by the strongest signal that fits, or None."""
    if len(sentence) > 2 * LONGEST:
        return None
    text = _stated(grammar.unfilled(sentence), grammar)
    if not text or len(text) > LONGEST or is_fragment(text):
        return None
    return (
        _remember(text, grammar)
        or _correction(text, grammar)
        or _policy(text, grammar)
        or _fact(text, grammar)
        or _place(text, grammar)
        or _preference(text, grammar)
        or _decided(text, grammar)
        or _weak(_after_objection(text, grammar), grammar)
    )


def _after_objection(text: str, grammar: Grammar) -> str:
    """`text` without “no,” or “stop,” at its beginning."""
    match = grammar.objection.search(fold(text))
    return text[match.end() :].lstrip(_LEAD) if match else text


def _stated(text: str, grammar: Grammar) -> str:
    """`text` without the question at its end; a request with “always” is an order like any other.

    Empty if there is only a question.
    """
    folded = fold(text)
    if not grammar.is_question(text):
        return text
    request = grammar.requests.search(folded)
    if request and (grammar.standing.search(folded) or grammar.lasting.search(folded)):
        order = text[request.end() :] if request.start() == 0 else text
        return order.strip(_LEAD).rstrip(_ASKED)
    comma = max(folded.rfind(mark) for mark in ",;")
    head = text[:comma].strip() if comma > 0 else ""
    is_stated = bool(head) and not grammar.is_question(head)
    is_asked = grammar.is_question(text[comma + 1 :].strip())
    return head if is_stated and is_asked and not grammar.is_thin(head) else ""


def _remember(text: str, grammar: Grammar) -> Statement | None:
    """What the user asks to remember."""
    folded = fold(text)
    if match := grammar.remember.search(folded):
        body = text[match.end() :].strip(_LEAD)
    elif match := grammar.remember_last.search(folded):
        body = text[: match.start()].strip(_LEAD)
    else:
        return None
    if grammar.is_thin(body, 2) or grammar.is_question(body) or grammar.is_one_off(body):
        return None
    is_whole = grammar.verb_last.search(match.group())
    return Statement("remember", kinds.kind_of(body), text if is_whole else body)


def _correction(text: str, grammar: Grammar) -> Statement | None:
    """“No, not X but Y”: an objection followed by how it is, with what it is not."""
    if not grammar.objection.search(fold(text)):
        return None
    body = _after_objection(text, grammar).rstrip(_LEAD)
    if grammar.is_one_off(body) or grammar.is_hedged(body) or grammar.is_question(body):
        return None
    if grammar.points_away(body) or grammar.is_thin(body, 2):
        return None
    if not _is_standing(fold(body), grammar) and grammar.contrast.search(fold(body)):
        return None if grammar.starts_with_pronoun(body) else Statement("correction", "fact", body)
    return _policy(body, grammar)


def named(before: str, sentence: str, grammar: Grammar) -> Statement | None:
    """“No, it is not X, it is Y. It is called Z”: the correction, headed with the name.

    Args:
        before: the sentence before, in which a pronoun stands for the thing.
        sentence: the one that names it.
    """
    naming = grammar.names.search(fold(sentence))
    name = sentence[naming.end() :].strip(f"{_LEAD}`。") if naming else ""
    if not _NAMED.fullmatch(name) or not grammar.objection.search(fold(before)):
        return None
    body = _after_objection(before, grammar).rstrip(_LEAD)
    if not grammar.starts_with_pronoun(body) or not grammar.contrast.search(fold(body)):
        return None
    if grammar.is_one_off(body) or grammar.is_hedged(body) or grammar.is_question(body):
        return None
    return Statement("correction", "fact", f"`{name}`: {body}")


def _policy(text: str, grammar: Grammar) -> Statement | None:
    """A standing order: one with “always” or the like, with a condition or what is done instead,
    with the reason why something is left alone, or one about the language of answers."""
    folded = fold(text)
    is_held = _holds_by_form(text, grammar) or _is_reasoned_ban(text, grammar)
    is_stated = is_held or _is_standing(folded, grammar) or grammar.replies_in.search(folded)
    if grammar.reports.search(folded):
        return None
    if not is_stated or grammar.is_one_off(text) or grammar.is_thin(text, 2):
        return None
    if grammar.is_hedged(text) or grammar.points_away(text):
        return None
    return Statement("policy", "policy", text)


def _is_order(folded: str, grammar: Grammar) -> bool:
    return bool(grammar.orders.search(folded) or grammar.habits.search(folded))


def _is_standing(folded: str, grammar: Grammar) -> bool:
    """Whether words say that an order holds for good: “always”, “from now on”."""
    is_order = _is_order(folded, grammar)
    is_lasting = (is_order or grammar.duty.search(folded)) and grammar.lasting.search(folded)
    return bool(is_lasting or (is_order and grammar.standing.search(folded)))


def _holds_by_form(text: str, grammar: Grammar) -> bool:
    """Whether something is done “only after …”, or “we” do it so and not otherwise."""
    folded = fold(text)
    has_condition = _is_order(folded, grammar) and grammar.condition.search(folded)
    is_usual = grammar.conventions.search(folded) and grammar.contrast.search(folded)
    return bool(has_condition or is_usual) and _names(text, grammar)


def _is_reasoned_ban(text: str, grammar: Grammar) -> bool:
    """Whether a named thing is to be left alone because of what it is, not how it is now."""
    banned, *rest = _COMMA.split(text, maxsplit=1)
    why = "".join(rest)
    if grammar.is_thin(why, 2) or not grammar.forbids.search(fold(banned)):
        return False
    if grammar.starts_with_pronoun(banned) or grammar.passing.search(fold(why)):
        return False
    is_thing = grammar.starts_with_pronoun(why) or grammar.restates.search(fold(why))
    return bool(is_thing or grammar.explains_before(why)) and not grammar.is_question(why)


def _place(text: str, grammar: Grammar) -> Statement | None:
    """Where something runs or is kept: an address says that it is no order and no report."""
    folded = fold(text)
    placed = grammar.located.search(folded)
    if placed is None or not _ADDRESS.search(text) or grammar.starts_with_pronoun(text):
        return None
    before = folded[: placed.start()]
    if grammar.orders.search(before) or grammar.forbids.search(folded) or grammar.is_thin(text, 2):
        return None
    if grammar.is_one_off(text) or grammar.is_hedged(text) or grammar.points_away(text):
        return None
    is_passing = grammar.passing.search(folded) or grammar.reports.search(folded)
    return None if is_passing else Statement("fact", "fact", text)


def _fact(text: str, grammar: Grammar) -> Statement | None:
    """What the user says for the agent's information."""
    match = grammar.informs.search(fold(text))
    if match is None or grammar.is_one_off(text) or grammar.is_hedged(text):
        return None
    body = text[match.end() :].strip(_LEAD)
    if grammar.is_thin(body, 2) or grammar.is_question(body):
        return None
    return Statement("fact", kinds.kind_of(body), body)


def _preference(text: str, grammar: Grammar) -> Statement | None:
    """What the user prefers."""
    if not grammar.prefers.search(fold(text)) or grammar.is_thin(text, 2):
        return None
    if grammar.is_one_off(text) or grammar.points_away(text) or grammar.is_hedged(text):
        return None
    return Statement("preference", "preference", text)


def _decided(text: str, grammar: Grammar) -> Statement | None:
    """A choice that was made, with its reason, or with a name."""
    folded = fold(text)
    match = grammar.decided.search(folded)
    if match is None or grammar.is_hedged(text) or grammar.is_one_off(text):
        return None
    if grammar.points_away(text) or grammar.is_thin(text, 2):
        return None
    if grammar.reason.search(folded):
        return Statement("decided", "decision", text)
    return Statement("decision", "decision", text) if _names_something(folded, grammar) else None


def _weak(text: str, grammar: Grammar) -> Statement | None:
    """Rules and choices that the user does not call permanent."""
    if grammar.is_one_off(text) or grammar.points_away(text) or grammar.is_hedged(text):
        return None
    return (
        _choice(text, grammar)
        or _reminder(text, grammar)
        or _constraint(text, grammar)
        or _environment(text, grammar)
        or _wish(text, grammar)
    )


def _constraint(text: str, grammar: Grammar) -> Statement | None:
    """A convention, a prohibition, a rule for all of a kind, or one for occasions."""
    folded = fold(text)
    is_rule = (
        grammar.conventions.search(folded)
        or (grammar.forbids.search(folded) and _names(text, grammar))
        or (grammar.universal.search(folded) and grammar.duty.search(folded))
        or (grammar.standing.search(folded) and grammar.duty.search(folded))
        or (grammar.occasion.search(folded) and grammar.orders.search(folded))
        or (grammar.habits.search(folded) and _is_habit(text, grammar))
    )
    if not is_rule or grammar.is_thin(text, 2):
        return None
    return Statement("constraint", "policy", text)


def _names_something(folded: str, grammar: Grammar) -> bool:
    """Whether a file, a product or something of the code is named."""
    latin = grammar.code in _OTHER_LETTERS and _LATIN_WORD.search(folded)
    return bool(latin or _NAME.search(folded))


def _names(text: str, grammar: Grammar) -> bool:
    """Whether what is forbidden is named: by a name, or at length."""
    return bool(_names_something(fold(text), grammar)) or not grammar.is_thin(text, 3)


def _is_habit(text: str, grammar: Grammar) -> bool:
    """Whether an order for habits says how or when, and so is more than “go on”."""
    folded = fold(text)
    return bool(grammar.duty.search(folded) or grammar.contrast.search(folded))


def _reminder(text: str, grammar: Grammar) -> Statement | None:
    """What the user has said before, and says again because it was not done."""
    match = grammar.reminds.search(fold(text))
    body = text[match.end() :].strip(_LEAD) if match else ""
    if not body or grammar.is_thin(body, 2) or grammar.starts_with_pronoun(body):
        return None
    return Statement("constraint", "policy", body)


def _environment(text: str, grammar: Grammar) -> Statement | None:
    """Where a thing is, what is gone, and what the agent cannot reach."""
    folded = fold(text)
    is_placed = grammar.located.search(folded) and _VALUE.search(folded)
    is_gone = grammar.no_longer.search(folded) and _names_something(folded, grammar)
    is_missing = grammar.no_access.search(folded) and _names_something(folded, grammar)
    is_found = is_placed or is_gone or is_missing or grammar.described.search(folded)
    if not is_found or grammar.starts_with_pronoun(text) or grammar.is_thin(text, 2):
        return None
    return Statement("mention", "fact", text)


def _choice(text: str, grammar: Grammar) -> Statement | None:
    """What to use and what not, or why."""
    folded = fold(text)
    if not grammar.chooses.search(folded) or grammar.is_thin(text, 2):
        return None
    if grammar.contrast.search(folded) or (
        grammar.reason.search(folded) and _names_something(folded, grammar)
    ):
        return Statement("decision", "decision", text)
    return None


def _wish(text: str, grammar: Grammar) -> Statement | None:
    """What the user does not want."""
    if not grammar.wishes.search(fold(text)) or grammar.is_thin(text, 3):
        return None
    return Statement("wish", "preference", text)
