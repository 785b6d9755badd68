"""What must wait for the user before it may become a memory, and why: the quarantine.

A memory is put before an agent again and again, so a text that gives dangerous orders waits for the
user: to ignore instructions, send secrets away, switch off safeguards, run destructive or unread
code, hide something. `orders` has the orders in English, `order_words` those in other languages.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache

from cortex_core.language import negation
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import EVERY_END
from cortex_core.redaction import order_words
from cortex_core.redaction.order_words import Pair
from cortex_core.redaction.orders import ORDERS, PAIRS, Order

CLAUSE_END = Pattern(
    "end of a clause",
    r"[.;!?\n]|\bbut\b|\bthen\b|\binstead\b|\b(?:no, [^.:\n]{0,40}|not like (?:that|this)):",
    finds="never do this, but do that",
    spares="never do this button",
)
SPELLED = Pattern(
    "a word spelled with gaps",
    r"\b(?:\w[ .\-_]){4,}\w\b",
    finds="i g n o r e all",
    spares="see a b in c",
)
BLANKS = Pattern("blanks in a row", r"[^\S\n]+", finds="a\t b", spares="a\nb")
EMPTY_LINES = Pattern("empty lines", r"\n\s*\n\s*", finds="a\n \nb", spares="a\nb")
BASE64 = Pattern(
    "a run of base64",
    r"(?<![\w/+])[A-Za-z0-9+/]{24,4000}={0,2}(?![\w/+])",
    finds="aWdub3JlIGFsbCBwcmV2aW91cw==",
    spares="ignore all previous",
)
FLAG = Pattern(
    "the flag of a region, the one harmless use of tag characters",
    "\U0001f3f4[\U000e0030-\U000e007a]{1,8}\U000e007f",
    finds="\U0001f3f4\U000e0067\U000e0062\U000e007f",
    spares="\U0001f3f4",
)
INVISIBLE_RUN = Pattern(
    "invisible characters in a row",
    "[\u200b-\u200f\u2060-\u2064\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}",
    finds="a\u200b\u200c\u200bb",
    spares="a\u200b\u200cb",
)
_TAGS = frozenset(map(chr, range(0xE0000, 0xE0080)))
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNUSED = "\u180e\u200b\u2060\u2061\u2062\u2063\u2064\ufeff"
"""Invisible characters that no script and no emoji needs."""
_MOST_UNUSED = 2
_UNSEEN = dict.fromkeys(map(ord, f"{_UNUSED}\u200c\u200d\u00ad"))
_GAPS = dict.fromkeys(map(ord, " .-_"))
_LOOK_ALIKE = str.maketrans(
    "аеорсухіјѕԁһԛԝьАВЕКМНОРСТУХІЈЅαβεικνορτυχΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhqwbABEKMHOPCTYXIJSaBeikvoptuxABEHIKMNOPTYX",
)
_PLAIN = {
    code: unicodedata.normalize("NFD", chr(code))[0]
    for code in (*range(0xC0, 0x180), ord("ё"))
    if unicodedata.decomposition(chr(code))
}
"""Latin letters without their accents."""
UNTRUSTED = "It comes from tool output, a file or a web page, not from the user."
"""Why a text that was not said in the conversation is quarantined, whatever it says."""


def reason_of(texts: Iterable[str], *, by_user: bool) -> str:
    """Why these texts of a memory must be quarantined, in one sentence; empty if they need not.

    Args:
        by_user: whether they are the user's own words.
    """
    raw = "\n".join(filter(None, texts))
    if hidden := _hidden_words(raw):
        return hidden
    for text in _readings("\n".join((raw, *_decoded(raw)))):
        for order in ORDERS:
            if (not by_user or order.from_user) and _gives_order(order, text):
                return order.reason
        for why, pair in PAIRS:
            if _has_pair(pair, text):
                return why
    return ""


def steers(texts: Iterable[str], *, from_session: bool = False) -> bool:
    """Whether a text that is not the user's may mean to steer an agent, by a wider measure.

    Harmless texts are among these, so they are not quarantined: they are found, but not injected.

    Args:
        from_session: whether it was learned in a session of the user: there agents are a subject
            like any other.
    """
    pairs = order_words.STEERED if from_session else (*order_words.STEERED, order_words.TOLD)
    soft = (order_words.SHELL, *order_words.SOFT_SILENCE, *order_words.SOFT_APPROVE)
    return any(
        _any_of(soft).search(text)
        or any(_has_pair(pair, text, _broad) for pair in pairs)
        or _hides(text)
        for text in _readings("\n".join(filter(None, texts)))
    )


def _hides(text: str) -> bool:
    """Whether a sentence says what a user is not to be told."""
    return any(
        _broad("tell").search(part)
        and _broad("user").search(part)
        and negation.NEGATED.regex.search(part)
        for part in EVERY_END.regex.split(text)
    )


def _decoded(text: str) -> Iterator[str]:
    """What the runs of base64 in `text` say, as far as they are text."""
    for match in BASE64.regex.finditer(text):
        with suppress(ValueError):
            words = base64.b64decode(match[0] + "=" * (-len(match[0]) % 4), validate=True).decode()
            if words.replace("\n", " ").isprintable():
                yield words


@cache
def _any_of(rows: tuple[Pattern, ...]) -> re.Pattern[str]:
    """One expression for all `rows`: a text is searched once. Compiling takes about 5 ms."""
    return re.compile("|".join(f"(?:{row.source})" for row in rows), re.MULTILINE)


def _words(name: str) -> re.Pattern[str]:
    return _any_of((order_words.WORDS[name],))


def _broad(name: str) -> re.Pattern[str]:
    tables = (order_words.WORDS, order_words.BROAD)
    return _any_of(tuple(table[name] for table in tables if name in table))


def _has_pair(pair: Pair, text: str, words: Callable[[str], re.Pattern[str]] = _words) -> bool:
    """Whether `text` has the words of `pair`, and does not forbid its verb."""
    for part in EVERY_END.regex.split(text) if pair.in_sentence else (text,):
        if not all(words(other).search(part) for other in pair.others):
            continue
        verb = words(pair.verb)
        if not pair.may_be_forbidden and verb.search(part):
            return True
        for clause in order_words.PAUSE.regex.split(part):
            # A verb such as “no longer apply” denies by itself, so it is taken out first.
            if verb.search(clause) and not negation.NEGATED.regex.search(verb.sub(" ", clause)):
                return True
    return False


def _hidden_words(text: str) -> str:
    """The sentence about characters that can hide words from a reader; empty without any."""
    if not _TAGS.isdisjoint(FLAG.regex.sub("", text)):
        return "It contains invisible tag characters, which can hide words."
    if not _BIDI.isdisjoint(text):
        return "It contains characters that change the writing direction, so it may look different."
    if INVISIBLE_RUN.regex.search(text) or sum(map(text.count, _UNUSED)) > _MOST_UNUSED:
        return "It contains runs of invisible characters, which can hide words."
    return ""


def _readings(raw: str) -> Iterable[str]:
    """`raw` as a reader sees it, and with the letters of other scripts that look Latin as such."""
    return dict.fromkeys((_as_read(raw), _as_read(raw.translate(_LOOK_ALIKE))))


def _as_read(text: str) -> str:
    """`text` as a reader sees it, in lower case: normalised, without accents on Latin letters and
    invisible characters."""
    folded = unicodedata.normalize("NFKC", text).translate(_UNSEEN)
    spelled = SPELLED.regex.sub(lambda match: match.group().translate(_GAPS), folded)
    return EMPTY_LINES.regex.sub("\n\n", BLANKS.regex.sub(" ", spelled)).lower().translate(_PLAIN)


def _gives_order(order: Order, text: str) -> bool:
    """Whether `text` gives this order, and does not forbid or report it."""
    return any(
        not (order.may_be_forbidden and _is_forbidden(text, match))
        for match in _any_of(order.rows).finditer(text)
    )


def _is_forbidden(text: str, match: re.Match[str]) -> bool:
    """Whether the clause around `match` forbids it: `never …`, `… is blocked`."""
    before = CLAUSE_END.regex.split(text[max(0, match.start() - 90) : match.start()])[-1]
    before = negation.DOUBLE_NEGATIVE.regex.sub(" ", before)
    return bool(
        negation.FORBIDS_ORDER.regex.search(before)
        or negation.ORDER_FORBIDDEN_AFTER.regex.match(text, match.end())
    )
