"""What a sentence of the agent is worth: a claim about the project, or a report of its own work.

Most of it is structural: a finite verb in the present tense, a value, a name from the code. Only
the verb, and words that report work, depend on the language.
"""

from __future__ import annotations

import re

from cortex_core.base.text import marked_identifiers
from cortex_core.extract import wording
from cortex_core.language import verbs
from cortex_core.language.sentences import mask

_PLACE = re.compile(
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|:\d{2,5}\b(?!:)|\bport \d{2,5}\b"  # an address
    r"|\b\w{2,10}://[^\s`]"
    r"|\b[A-Z][A-Z0-9_]{2,}=[^\s`=]"  # a variable of the environment
)
_VALUE = re.compile(
    r"`[\w.-]+ ?= ?[^`=]{1,60}`|`[\w.-]+: (?:\d|true|false)[^`]{0,20}`"  # a setting
    r"|(?<![\w.])\d+(?:[.,]\d+)?(?: ?%|[ -]?(?:[kMGT]i?B|[mnµ]?s|min|h|px|req/s)\b)"
    r"|\b\d+[ -](?:second|minute|hour|day|week|byte|character|char|bit|line|token|entr\w+|row)s?\b"
)
# Negation and duty have no form of their own in English.
_RULE = re.compile(
    r"\b(?:no|not|\w+n't|cannot|never|no longer|without|must|should|required?|requires|mandatory"
    r"|forbidden|(?:has|have|needs?) to|always|only|instead of|rather than)\b",
    re.IGNORECASE,
)
# What holds in the project and what held while the agent worked have the same form.
_PASSING = re.compile(
    r"\b(?:un(?:re)?solved|in progress|not (?:yet )?(?:addressed|fixed|committed|started|verified)"
    r"|under investigation|pending|todo|investigat\w+|remaining|still (?:needs?|fail\w*|open)"
    r"|hypothes\w+|debug logging|(?:this|prior|previous) session|now|may|current(?:ly)?)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|had|did(?!\W*$)|wasn't|weren't|hadn't|didn't|couldn't|started|failed|broke|took)\b",
    re.IGNORECASE,
)
_STEP_OF = re.compile(r"^(?:\S+ ){1,4}?[^\W\d_]+ed\b", re.IGNORECASE)
"""A subject with a verb in the past: “the proxy occupied …”."""
_FILE_LINE = re.compile(r"\.\w+:\d")
_SUBORDINATE = re.compile(r"\b(?:when|while|if)\b", re.IGNORECASE)
_STEP = re.compile(
    r"[^\W\d_]+(?:ing|ed(?! (?:on|by|at|in|to|from|via|per|as|for|with|when|only)\b))\b",
    re.IGNORECASE,
)
_LOCATED = re.compile(r"\blines? \d", re.IGNORECASE)
_NO_VERB = re.compile(r"\S*\w[./_]\w\S*|\b\d\w*|\b(?!required)[\w-]+ed\b(?! (?:by|on|to)\b)|\x01+")
"""Names, numbers and participles."""
_BREAK = re.compile(r"(?:[(:;—–]|, )(?! ?(?:never|always|do not|don't)\b)")
"""Marks behind which a noun looks like the verb of an order."""
_BRACKETS = re.compile(r"\([^()\n]*\)")
_MENDED = re.compile(
    r"\b(?:fixed|solved|resolved) (?:in|by|with)\b|\((?:fixed|solved|resolved)\)", re.IGNORECASE
)
_DEFECT = re.compile(r"\b(?:bugs?|root cause|broken|(?:was|were) \w+ing)\b", re.IGNORECASE)
_DENIAL = re.compile(r"(?:^|: )(?:no|not|never|only|without)\b", re.IGNORECASE)
_LONGEST_NAME = 60
"""Characters in which a term that a text defines ends."""


def names_place(text: str) -> bool:
    """Whether `text` has an address, a port or a variable of the environment with its value."""
    return bool(_PLACE.search(text))


def holds_value(text: str) -> bool:
    """Whether `text` names a place, or has a setting's value or a number with its unit."""
    return names_place(text) or bool(_VALUE.search(text))


def is_rule(text: str) -> bool:
    """Whether `text` denies or demands something."""
    return bool(_RULE.search(mask(text)))


def is_specific(text: str) -> bool:
    """Whether `text` has a name from the code, or defines a term: “name: what it is”."""
    return bool(marked_identifiers(text)) or ": " in text[:_LONGEST_NAME]


def names_defect(text: str) -> bool:
    """Whether the English `text` calls what it says a fault, which a fix may have ended."""
    return bool(_DEFECT.search(mask(text)))


def is_mended(text: str) -> bool:
    """Whether the English `text` says itself that its fault was fixed."""
    return bool(_MENDED.search(mask(text)))


def asserts(text: str) -> bool:
    """Whether `text` is English with a finite verb in the present tense, or gives an order."""
    texts = (text, _BRACKETS.sub("", text))
    bare = (_BREAK.sub(" , `x` ", _NO_VERB.sub(" `x` ", mask(one))) for one in texts)
    return any(map(verbs.has_verb, bare))


def denies(text: str) -> bool:
    """Whether the English `text` begins with a denial, also after its topic: “no timeout …”."""
    return bool(_DENIAL.search(mask(text)))


def is_passing(text: str) -> bool:
    """Whether `text` says how far the work is."""
    return bool(_PASSING.search(mask(text)))


def lasts(text: str) -> bool:
    """Whether `text` can still be true when the work is done: no report, guess or question."""
    bare = mask(text)
    return not (
        wording.is_question(text)
        or wording.is_one_off(bare)
        or wording.is_hedged(bare)
        or wording.in_first_person(text)
        or is_passing(text)
        or _LOCATED.search(bare)  # outdated by the next edit
        or _reports(text)
    )


def _reports(text: str) -> bool:
    """Whether `text` tells a step of the work: it begins with “added” or “adding”."""
    return any(_STEP.match(part) for part in (text, text.rpartition(": ")[2]))


def holds(text: str) -> bool:
    """Whether the English sentence `text` says how things are."""
    bare = mask(text)
    is_told = _PAST.search(_SUBORDINATE.split(bare)[0]) or wording.is_status(bare)
    return lasts(text) and not is_told and asserts(text)


def is_trap(text: str) -> bool:
    """Whether the English sentence `text` says what is not so, must be so, or has a value."""
    return holds(text) and (is_rule(text) or holds_value(text))


def was_set(text: str) -> bool:
    """Whether the English sentence `text` tells in the past what had which address, port or value.

    That it was so is why something failed, and it can be so again.
    """
    is_told = _PAST.search(mask(text)) or _STEP_OF.search(mask(text))
    return bool(is_told and lasts(text) and names_place(text) and not _FILE_LINE.search(text))


def stands_alone(text: str) -> bool:
    """Whether `text` can be understood without the sentences around it."""
    return not (
        wording.is_thin(text, 4)
        or wording.starts_with_pronoun(text)
        or wording.is_fragment(text)
        or wording.points_away(text)
    )


def labelled(label: str, text: str) -> str:
    """`text` after what it is about, unless the label fits any text."""
    label = label.rstrip(" :.")
    return text if not label or wording.is_generic(label) else f"{label}: {text}"
