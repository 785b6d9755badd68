"""Regular expressions that come from outside, such as those of the setting `redact.extra`.

They are matched by RE2, piece by piece, in time that grows with the text whatever the expression
is. No hook loads it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from cortex_core.base.errors import UsageError

PIECE = 8192
"""Characters in which all matches are looked for at once. A match is found wherever it begins if
half of that is enough to see it end, and is then as long as it is: a private key has 3,300."""


@lru_cache(maxsize=64)
def compiled(source: str) -> re.Pattern[str]:
    """What matches `source`, an expression in the syntax of RE2.

    Raises:
        UsageError: it is none.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        found: re.Pattern[str] = re2.compile(source, options)
    except re2.error as error:
        said = error.args[0].decode("utf-8", "replace")
        raise UsageError(
            f"“{source}” is no regular expression that can be used ({said}). Nothing was changed. "
            r"Write it in the syntax of RE2: what refers back (\1) or looks around ((?=…), (?<!…)) "
            "is refused, because it can take forever."
        ) from None
    return found


def spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Where `pattern` matches, or its first group if it has one.

    RE2 looks for one match in linear time, not for all: `a(.*b)?` reads the rest of a line of `a`
    from each of them.
    """
    start, group = 0, min(pattern.groups, 1)
    while start < len(text):
        shift = max(0, start - 1)  # what is before a piece decides about \b and ^
        piece, end = text[shift : start + PIECE], start + PIECE // 2
        is_last = start + PIECE >= len(text)
        for match in pattern.finditer(piece, start - shift):
            if match.start() + shift >= end and not is_last:
                break
            found, moved = match, shift
            if match.end() == len(piece) and not is_last:
                whole = pattern.match(text, match.start() + shift)
                if whole is None:  # the end of the piece was taken for that of the text
                    continue
                found, moved = whole, 0
            yield found.start(group) + moved, found.end(group) + moved
            end = max(end, found.end() + moved)
        start = len(text) if is_last else end
