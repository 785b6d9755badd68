"""Secrets that something invisible, markup or a notation takes apart, read as a reader sees them.

A view is the text without zero-width characters and tags inside words, with entities and escapes
decoded. What is found in a view is found in the text: each character of a view knows its place.
"""

import html
import re
from collections.abc import Sequence
from functools import cache

from cortex_core.language.patterns import Pattern

INVISIBLE = "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
WIDE = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"
DISGUISES: dict[str, Pattern] = {
    "<": Pattern(
        "tag",
        r"<(?<=[\w\-]<)/?(?:wbr|b|i|em|strong|span|code|mark|font|u|s|a|sup|sub|tt|kbd)"
        r"(?:[ /][^<>\n]{0,80})?>(?=[\w\-])",
        finds="hunt<b>er2",
        spares="a <b>hunter2",
        flags=0,
    ),
    "&": Pattern(
        "entity",
        r"&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|quot|lt|gt|apos|shy|zwnj|zwj|ZeroWidthSpace);",
        finds="hunter&#50;",
        spares="a && b;",
        flags=0,
    ),
    "%": Pattern(
        "percent",  # letters, digits, dashes: nothing that a web address must encode
        "%(?:2[dD]|5[fF]|3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])",
        finds="hunter%32",
        spares="a%20b",
        flags=0,
    ),
    "\\": Pattern(
        "escape",
        r"\\u00[2-7][0-9a-fA-F]|\\(?<=\w\\)(?=[_\-]\w)",
        finds="hunter\\u0032",
        spares="a\\nb",
        flags=0,
    ),
    "**": Pattern(
        "bold", r"\*\*(?<=\w\*\*)(?=\w)", finds="hunt**er2", spares="** hunter2", flags=0
    ),
}
"""What takes a secret apart, by a string that is in every text with it."""
UNSEEN = Pattern(
    "an invisible character, or a row of wide ones",
    f"[{INVISIBLE}]|[{WIDE}]{{8}}",
    finds="hunt\u200ber2",
    spares="hunter２",
    flags=0,
)
_MOST = 200_000
"""Characters of a text of which a view is made."""


def view(text: str) -> tuple[str, Sequence[int], Sequence[int]] | None:
    """The text as it is read, and where in `text` each of its characters starts and ends.

    None if it is read as it is written, or too long.
    """
    if len(text) > _MOST or not (
        (not text.isascii() and UNSEEN.regex.search(text))
        or any(sign in text and row.regex.search(text) for sign, row in DISGUISES.items())
    ):
        return None
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for match in _pieces().finditer(text):
        read = _read(match.group())
        parts += (text[position : match.start()], read)
        starts += range(position, match.start())
        ends += range(position + 1, match.start() + 1)
        starts += [match.start()] * len(read)
        ends += [match.end()] * len(read)
        position = match.end()
    starts += range(position, len(text))
    ends += range(position + 1, len(text) + 1)
    return "".join((*parts, text[position:])), starts, ends


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile("|".join((f"[{INVISIBLE}{WIDE}]", *(d.source for d in DISGUISES.values()))))


def _read(piece: str) -> str:
    """What a reader sees of one piece."""
    if piece[0] == "&":
        seen = html.unescape(piece)
        return "" if seen[:1] in tuple(INVISIBLE) else seen
    if piece.startswith(("%", "\\u")):
        return chr(int(piece.lstrip("%\\u"), 16))
    return chr(ord(piece) - 0xFEE0) if "\uff10" <= piece <= "\uff5a" else ""
