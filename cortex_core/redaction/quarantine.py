"""What must wait for the user before it may become a memory, and why: the quarantine.

A memory is put before an agent again and again, so a text that gives dangerous orders waits for the
user: to ignore instructions, send secrets away, switch off safeguards, run destructive or unread
code, hide something. `orders` finds them in a text that is read here as a reader sees it.
"""

import binascii
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress

from cortex_core.language import negation
from cortex_core.language.patterns import Pattern
from cortex_core.redaction import orders

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
WORD = Pattern("letters in a row", r"\w+", finds="Ignоrе", spares="- !")
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


HELD = 0.45
"""How likely a sentence must be an order for its text to be quarantined. Of 180 orders in nine
languages, worded before this was learned, 49 % are; of 295 memories of other projects, 2.
"""
WITHHELD = 0.3
"""How likely for it to be withheld: 9 % of those orders are, and 7 of those memories."""
IS_UNSAID = {
    "unsaid": "A model cites you for it, but your message does not say so, or names you “the user”."
}
"""The details of what a model cites the user for and the user must look at: why it is so."""


def reason_of(texts: Iterable[str], *, by_user: bool, by_wording: bool = True) -> str:
    """Why these texts of a memory must be quarantined, in one sentence; empty if they need not.

    Args:
        by_user: whether they are the user's own words.
        by_wording: whether wording counts, or nothing but what can be pointed at.
    """
    raw = "\n".join(filter(None, texts))
    if not raw.isascii() and (hidden := _hidden_words(raw)):
        return hidden
    text = read_by_all(raw)
    for form in orders.FORMS:
        if any(mark in text for mark in form.marks) and any(
            not (form.may_be_forbidden and _is_forbidden(text, match))
            for match in form.pattern.regex.finditer(text)
        ):
            return form.reason
    # A user may let an agent push without a question; a web page may not.
    spared = {orders.INNOCENT, orders.SOFT} if by_user else {orders.INNOCENT}
    for sentence in orders.sentences(text) if by_wording else ():
        shares = orders.shares(sentence)
        held = {label: shares[label] for label in shares.keys() - spared}
        if sum(held.values()) >= HELD:
            likeliest = max(held, key=held.__getitem__)
            return orders.REASONS[likeliest] if held[likeliest] >= HELD else orders.ALIKE
    return ""


def steers(texts: Iterable[str]) -> bool:
    """Whether a text that is not the user's may mean to steer an agent, by a wider measure.

    Harmless texts are among these, so they are not quarantined: they are found, but not injected.
    """
    return any(likelihood(one) >= WITHHELD for one in sentences_of(texts))


def sentences_of(texts: Iterable[str]) -> list[str]:
    """The sentences of texts as their reader sees them, with what they hide in base64."""
    return orders.sentences(read_by_all("\n".join(filter(None, texts))))


def likelihood(sentence: str) -> float:
    """How likely a sentence of `sentences_of` gives an agent orders."""
    return 1 - orders.shares(sentence)[orders.INNOCENT]


def read_by_all(raw: str) -> str:
    """`raw` as a reader sees it, with what it hides in base64."""
    return as_read("\n".join((raw, *_decoded(raw))))


def _decoded(text: str) -> Iterator[str]:
    """What the runs of base64 in `text` say, as far as they are text."""
    for match in BASE64.regex.finditer(text):
        with suppress(ValueError):
            padding = "=" * (-len(match[0]) % 4)
            words = binascii.a2b_base64(match[0] + padding, strict_mode=True).decode()
            if words.replace("\n", " ").isprintable():
                yield words


def _hidden_words(text: str) -> str:
    """The sentence about characters that can hide words from a reader; empty without any."""
    if not _TAGS.isdisjoint(FLAG.regex.sub("", text)):
        return "It contains invisible tag characters, which can hide words."
    if not _BIDI.isdisjoint(text):
        return "It contains characters that change the writing direction, so it may look different."
    if INVISIBLE_RUN.regex.search(text) or sum(map(text.count, _UNUSED)) > _MOST_UNUSED:
        return "It contains runs of invisible characters, which can hide words."
    return ""


def as_read(raw: str) -> str:
    """`raw` as a reader sees it, in lower case: normalised, without accents on Latin letters and
    invisible characters, words of letters that look Latin as such."""
    folded = unicodedata.normalize("NFKC", raw).translate(_UNSEEN)
    if not folded.isascii():
        folded = WORD.regex.sub(_in_latin, folded)
    spelled = SPELLED.regex.sub(lambda match: match.group().translate(_GAPS), folded)
    return EMPTY_LINES.regex.sub("\n\n", BLANKS.regex.sub(" ", spelled)).lower().translate(_PLAIN)


def _in_latin(word: re.Match[str]) -> str:
    """The word in Latin letters if all of its letters look like some."""
    latin = word[0].translate(_LOOK_ALIKE)
    return latin if latin.isascii() else word[0]


def _is_forbidden(text: str, match: re.Match[str]) -> bool:
    """Whether the clause around `match` forbids it: `never …`, `… is blocked`."""
    before = CLAUSE_END.regex.split(text[max(0, match.start() - 90) : match.start()])[-1]
    before = negation.DOUBLE_NEGATIVE.regex.sub(" ", before)
    return bool(
        negation.FORBIDS_ORDER.regex.search(before)
        or negation.ORDER_FORBIDDEN_AFTER.regex.match(text, match.end())
    )
