"""What may not become a memory until a person releases it, and why.

A memory is handed to an agent in later sessions, so a planted sentence would act there with the
person's authority. Two things are held back: words that came from an untrusted place, and words
that order the agent about in matters of tools, credentials or safety. A person's own standing
instructions are theirs to give: of these only what no honest instruction says is held back.
"""

from __future__ import annotations

import re
import unicodedata

from cortex_core.capture.events import Candidate
from cortex_core.capture.order_words import pattern
from cortex_core.capture.orders import ORDERS, Order

_PERSON = "prompt"
"""How the names of the rules begin that read what a person typed."""
_CLAUSE = re.compile(r"[.;!?\n]|\bbut\b|\bthen\b|\binstead\b")
_FORBIDDING = re.compile(
    r"\b(?:never|not|cannot|no|avoid\w*|without|refus\w+|reject\w*|forbid\w*|forbidden|block\w*|"
    r"prevent\w*|prohibit\w*|disallow\w*|rather than|instead of|stop\w*|detect\w*|filter\w*|"
    r"strip\w*|escap\w+|warn\w*|flag\w*|against|deny|denies|guard\w*|protect\w*|quarantin\w+|nor|"
    r"neither|nobody|unless)\b|n['’]t\b"
)
_DOUBLE = re.compile(
    r"(?:never|not|n['’]t|no need to)\s+(?:hesitate|forget|fail|refuse|be afraid|worry|stop|bother|"
    r"be shy|object|decline|resist|ask|block|reject|wait|warn)\w*"
)
_FORBIDDEN = re.compile(
    r"(?:(?!when|if |because|so ).){0,40}\b(?:is|are|was|were|must|should|will|gets?|stays?)"
    r"(?: be| always| strictly)?"
    r" (?:never|not|forbidden|blocked|banned|prohibited|rejected|disallowed|refused|off limits)\b"
)
_SPELLED = re.compile(r"\b(?:\w[ .\-_]){4,}\w\b")
_SPACE = re.compile(r"[^\S\n]+")
_LOOK_ALIKE = str.maketrans(
    "аеорсухіјѕԁһԛԝьАВЕКМНОРСТУХІЈЅαβεικνορτυχΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhqwbABEKMHOPCTYXIJSaBeikvoptuxABEHIKMNOPTYX",
)
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{1,8}\U000e007f")
"""The flags of regions, the one honest use of tag characters."""
_TAGS = re.compile("[\U000e0000-\U000e007f]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re.compile("[\u200b-\u200d\u2060-\u2064\u180e\ufeff\u00ad]")
_UNUSED = re.compile("[\u200b\u2060-\u2064\u180e\ufeff]")
"""Those that no script and no emoji needs."""
_RUN = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
_FEW = 2


def reason(candidate: Candidate) -> str:
    """Why `candidate` is held back, in one sentence; empty when it may be stored as usual."""
    if candidate.untrusted:
        return "It comes from tool output, a file or a web page, not from the user."
    raw = "\n".join((candidate.title, candidate.content, *candidate.tags))
    if hidden := _hidden(raw):
        return hidden
    by_person = candidate.rule.startswith(_PERSON)
    for text in dict.fromkeys((_plain(raw), _plain(raw.translate(_LOOK_ALIKE)))):
        for order in ORDERS:
            if (not by_person or order.from_person) and _gives(order, text):
                return order.reason
    return ""


def _hidden(text: str) -> str:
    """The sentence about characters that can carry words past a reader, if there are any."""
    if _TAGS.search(_FLAG.sub("", text)):
        return "It contains invisible tag characters, which can hide words."
    if _BIDI.search(text):
        return "It contains characters that change the writing direction, so it may look different."
    if _RUN.search(text) or len(_UNUSED.findall(text)) > _FEW:
        return "It contains runs of invisible characters, which can hide words."
    return ""


def _plain(text: str) -> str:
    """`text` as a reader sees it, in lower case: forms folded, invisible characters out."""
    folded = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    spelled = _SPELLED.sub(lambda match: re.sub(r"[ .\-_]", "", match.group()), folded)
    return _SPACE.sub(" ", spelled).lower()


def _gives(order: Order, text: str) -> bool:
    """Whether `text` gives this order, and does not forbid or report it."""
    return any(
        not (order.may_be_forbidden and _is_forbidden(text, match))
        for match in pattern(order.lines).finditer(text)
    )


def _is_forbidden(text: str, match: re.Match[str]) -> bool:
    """Whether the clause around `match` speaks against it: `never …`, `… is blocked`."""
    before = _CLAUSE.split(text[max(0, match.start() - 90) : match.start()])[-1]
    before = _DOUBLE.sub(" ", before)
    return bool(_FORBIDDING.search(before)) or bool(_FORBIDDEN.match(text, match.end()))
