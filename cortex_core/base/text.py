"""How text becomes words, identifiers, tokens, hashes and times, and how numbers become text.

No other module does any of this a second way. The hooks load it: standard library only, and the
patterns that most of them do not need are compiled by `re` when they are first used.
"""

import re
import time as _time
from collections.abc import Iterator
from itertools import islice

from cortex_core.base.errors import UsageError

STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing done down during each else few for from further
    get got had has have having he her here hers him his how i if in into is it its itself just
    let me might more most my myself no nor not of off on once only or other our ours out over own
    please same she should so some such than that the their theirs them then there these they this
    those through to too under until up us very was we were what when where which while who whom
    why will with would you your yours
    """.split()
)
"""Words that say nothing about a subject: dropped from queries, never from what is stored."""

_WORD = re.compile(r"[^\W_]+(?:[._/'’:+#@-]*[^\W]+)*[+#]*|_+\w+", re.UNICODE)
_UNSPACED_RANGES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
"""Scripts that write no spaces between words, the first of them first."""
_HANGUL_RANGE = "\uac00-\ud7a3"
_SCRIPT_PIECE = (
    f"(?P<unspaced>[{_UNSPACED_RANGES}]+)|[{_HANGUL_RANGE}]+|[^{_UNSPACED_RANGES}{_HANGUL_RANGE}]+"
)
"""What is written in one script. To compile it takes 6 ms."""
_ESCAPES = (
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]PX^_].*?(?:\x1b\\|\x07|$)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]?"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_OVERRIDDEN = "[\u202d\u202e][^\u202c\n]*+(\u202c?)"
"""Text after a character that overrides its direction, up to what ends that or the line ends."""
_TOKEN_PIECE = re.compile(
    r"(?<=\[)([0-9a-f]{8})(?=\])|[A-Za-z]+|[\u0370-\u052f]+|[0-9]|[^\sA-Za-z0-9]|\s+"
)
_AGO = r"(\d+(?:\.\d+)?)\s*(mo|min|m|h|d|w|y)[a-z]*(?:\s+ago)?"
FURTHEST = 1e15
"""Seconds before and after 1970 that can still be formatted: thirty million years."""

_NEVER = float("nan")
_SECONDS = {"m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800, "mo": 2629800, "y": 31557600}


def clean(text: str) -> str:
    """`text` without terminal escapes, control and invisible characters; line ends become \\n.

    What is written against the direction of its letters is left out: a reader sees other words.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text  # nearly always; the hooks need not compile the patterns
    text = re.sub(_ESCAPES, "", text, flags=re.DOTALL)
    text = re.sub(_OVERRIDDEN, lambda over: "" if over[1] else over[0], text)
    return re.sub(_CONTROLS, "", text)


def head_and_tail(text: str, limit: int) -> str:
    """`text` in at most `limit` characters: three quarters of its head, the rest of its tail."""
    if len(text) <= limit:
        return text
    gap = f"\n[… {len(text) - limit:,} characters left out …]\n"
    room = max(limit - len(gap), 0)
    tail = room // 4
    return text[: room - tail] + gap + (text[-tail:] if tail else "")


def storable(text: str) -> str:
    """`text` with `?` for what is no character: the bytes of a path that are not UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""The expression of a UUID in its usual form."""


def is_hex(value: str) -> bool:
    """Whether it has no other characters than digits of 16, the letters small."""
    return not value.strip("0123456789abcdef")


def is_uuid(value: object) -> bool:
    """Whether it is a UUID in its usual form."""
    return (
        isinstance(value, str)
        and [len(part) for part in value.split("-")] == [8, 4, 4, 4, 12]
        and is_hex(value.replace("-", ""))
    )


SHORT_ID = 8
"""Characters of an id in tables and in what an agent is given; enough to identify a memory."""

TIME_ID = 13
"""Characters of an id that begins with its time: fewer are those of all sessions of a minute, or,
after a prefix such as `ses_`, of an hour."""


def short(id: str) -> str:
    """The first characters of an id, used in its place."""
    return id[: SHORT_ID if is_hex(id[:SHORT_ID]) and id[14:15] != "7" else TIME_ID]


def texts_in(value: object) -> Iterator[str]:
    """The texts in a JSON value, however deep; the names in its objects are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_in(each)


def levels(value: object, most: int) -> int:
    """How deep lists and objects are nested in a JSON value, counted no further than `most` + 1."""
    level, count = [value], 0
    while level and count <= most:
        lists = [
            list(each.values()) if isinstance(each, dict) else each
            for each in level
            if isinstance(each, dict | list)
        ]
        level = [item for items in lists for item in items]
        count += bool(lists)
    return count


def one_line(text: str) -> str:
    """`text` cleaned and folded to a single line."""
    return " ".join(clean(text).split())


def words(text: str) -> list[str]:
    """The casefolded words of `text` in order; code words such as `a/b.py` stay whole."""
    return list(_words(text))


def _words(text: str) -> Iterator[str]:
    return (match.group().strip("'’:@-./") for match in _WORD.finditer(text.casefold()))


def content_words(text: str, most: int | None = None) -> list[str]:
    """The words of `text` that carry a subject; with `most` only so many, from the beginning, and
    of a long text no more is looked at."""
    return list(islice((word for word in _words(text) if word and word not in STOP_WORDS), most))


def units(text: str) -> list[str]:
    """The content words of `text`, for counting and comparing; the index keeps whole words.

    Chinese, Japanese, Thai and their like write no spaces: every two neighbouring characters are a
    unit, which is a word more often than not. A Korean particle after a Latin name is dropped.
    """
    found: list[str] = []
    for word in content_words(text):
        if max(word) < _UNSPACED_RANGES[0]:
            found.append(word)
        else:
            found += _units_of_scripts(word)
    return found


def _units_of_scripts(word: str) -> Iterator[str]:
    pieces = list(re.finditer(_SCRIPT_PIECE, word))
    for match in pieces:
        piece = match.group()
        if match.lastgroup == "unspaced":
            yield from (piece[i : i + 2] for i in range(max(1, len(piece) - 1)))
        elif len(piece) > 1 or len(pieces) == 1:
            yield piece


def content_hash(text: str) -> str:
    """32 hex digits, the same for texts that differ only in case, spacing and final points."""
    import hashlib
    import unicodedata

    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.sha256(folded.strip(" .!;:").encode("utf-8", "replace")).hexdigest()[:32]


def tokens(text: str) -> int:
    """About how many tokens Claude Code's model counts in `text`.

    One for every started eight letters of a word, every two digits and every punctuation mark; of
    a word in Greek or Cyrillic one for every started two letters, and one a character in other
    scripts. It is off by 9 % on replies whose counts the API reported, nearly all in the Latin
    alphabet, of models up to Claude 4.6; later ones count 1.4 times as many tokens
    (benchmarks/tokens.py). An id in brackets counts five, the average, so that what fits does not
    depend on how ids were drawn.
    """
    total = 0.0
    for match in _TOKEN_PIECE.finditer(text):
        piece = match.group()
        if match.lastindex:
            total += 5
        elif piece.isspace():
            total += 0.0 if piece == " " else 0.5
        elif piece.isascii() and piece.isalpha():
            total += 1 + (len(piece) - 1) // 8
        elif piece.isascii() and piece.isdigit():
            total += 0.5
        else:
            total += (len(piece) + 1) // 2
    return round(total + 0.499)


def utf16_units(text: str) -> int:
    """The length of `text` as Claude Code counts it: an astral character is two."""
    return len(text) + sum(1 for character in text if ord(character) > 0xFFFF)


def counted(number: int, one: str, many: str = "") -> str:
    """`number` with its noun: `1 memory`, `1,284 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def times(number: int) -> str:
    """How often: `once`, `3 times`, `never`."""
    return {0: "never", 1: "once"}.get(number, f"{number:,} times")


def memories(number: int) -> str:
    """`number` memories, in words: `1 memory`, `1,284 memories`."""
    return counted(number, "memory", "memories")


def size(number: int) -> str:
    """A number of bytes as users read it: `212 kB`, `1.4 MB`."""
    if number < 1_000_000:
        return f"{number / 1000:.0f} kB" if number >= 1000 else f"{number} B"
    return f"{number / 1_000_000:.1f} MB"


def iso(moment: float | None) -> str:
    """`moment` (Unix seconds) as ISO 8601 in UTC, to the second; empty for None."""
    return "" if moment is None else _time.strftime("%Y-%m-%dT%H:%M:%SZ", _time.gmtime(moment))


def ago(moment: float, now: float) -> str:
    """How long before `now` it was, short: `now`, `5m`, `3h`, `12d`, `4mo`, `2y`."""
    seconds = max(0.0, now - moment)
    for limit, size, unit in (
        (60, 0, "now"),
        (3600, 60, "m"),
        (86400, 3600, "h"),
        (90 * 86400, 86400, "d"),
        (730 * 86400, 2629800, "mo"),
    ):
        if seconds < limit:
            return f"{int(seconds // size)}{unit}" if size else unit
    return f"{int(seconds // 31557600)}y"


def since(moment: float, now: float) -> str:
    """The same as a part of a sentence: `now`, `5m ago`."""
    short = ago(moment, now)
    return short if short == "now" else f"{short} ago"


def parse_time(text: object, now: float) -> float:
    """The moment meant by an ISO date or time, Unix seconds, or a span before `now`.

    Accepts `2026-11-05`, `2026-11`, `2026-11-05T14:00:00Z`, `3d`, `2 weeks ago`, `today`,
    `yesterday`, and numbers. A time without a zone is taken as UTC.

    Raises:
        UsageError: it is none of these.
    """
    try:
        moment = _moment(text, now)
    except (ValueError, OverflowError):
        moment = _NEVER
    if not -FURTHEST <= moment <= FURTHEST:
        raise UsageError(
            f"“{one_line(str(text))[:40]}” is not a time. Nothing was changed. Use a date "
            "(2026-11-05), a date and time, or a span (3d, 2 weeks)."
        )
    return moment


def _moment(text: object, now: float) -> float:
    """What `parse_time` reads; no number, ValueError or OverflowError where it is no time."""
    from datetime import UTC, datetime

    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    if not isinstance(text, str):
        return _NEVER
    word = text.strip().lower()
    if word in ("now", "today", "yesterday"):
        midnight = now - now % 86400
        return {"now": now, "today": midnight, "yesterday": midnight - 86400}[word]
    if span := re.fullmatch(_AGO, word):
        return now - float(span[1]) * _SECONDS[span[2].lower()]
    if word[:4].isdecimal() and word[4:5] == "-" and len(word) == 7:
        word += "-01"
    try:
        moment = datetime.fromisoformat(word.upper().replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return float(word)


# Each form is looked for only where a run of its characters begins: from within a run it would be
# looked for again at every character, which takes seconds on a long line of digits or of Chinese.
_NAME = re.compile(
    r"\b[A-Za-z0-9]*[a-z0-9][A-Z]\w*|(?<!\w)\w*_\w+"
    r"|(?<![\w-])[\w-]++\.[A-Za-z]\w{0,8}\b|(?<![\w.-])[\w.-]++/[\w./-]+"
)
_MARKED = r"`([^`\n]{2,120})`|(?<!\S)(--[a-z][\w-]+)"
_FACT = r"\d|[/_`@#]|\w\.\w|[a-z][A-Z]"


def identifiers(text: str) -> set[str]:
    """The names that come from code in `text`, casefolded: `require_user`, `a/b.py`, `useRef`."""
    return {match.group().casefold().strip("./") for match in _NAME.finditer(text)} - {""}


def marked_identifiers(text: str) -> set[str]:
    """As `identifiers`, and whatever is in backticks or begins with two hyphens.

    For what an agent or a reviewer writes: in a prompt backticks hold words of all kinds.
    """
    marked = {(span or flag).casefold() for span, flag in re.findall(_MARKED, text)}
    return identifiers(text) | {name.strip().rstrip("()") for name in marked}


def facts(text: str) -> set[str]:
    """The numbers, paths and identifiers of `text`, casefolded: what no merge may lose."""
    is_fact = re.compile(_FACT).search
    return {word for word in words(text) if is_fact(word) or any(map(str.isdigit, word))}
