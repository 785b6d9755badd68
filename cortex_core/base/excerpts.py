"""Where a text has the words of a query, and the part of a long text that shows most of them."""

import re
from collections.abc import Sequence

from cortex_core.base import fuzzy, scripts, text

LONGEST_ENDING = 3
"""Letters by which two forms of one word may differ at the end: `renew`, `renewed`, `renewing`."""

SHORTEST_STEM = 4
"""Letters that two forms of one word have in common, at least."""

LEAD = 40
"""Characters of an excerpt before the first word that was asked for."""

MOST_STARTS = 300
"""Words of a text that are looked at for where its excerpt begins."""

LONGEST = 100_000
"""Characters of a query that are read; what an agent hands on may have millions."""

_RULED = re.compile(r"([^\w\s])\1{3,}")
"""A ruled line: the same sign again and again."""


def asked(query: str) -> tuple[str, ...]:
    """The words of `query` that are looked for in a text, each once; every two letters of what is
    written without blanks."""
    runs, rest = scripts.apart(query[:LONGEST])
    words = (
        word
        for each in text.content_words(rest)
        for word in fuzzy.words(each)
        if word not in text.STOP_WORDS and (len(word) > 1 or not word.isascii() or word.isdigit())
    )
    pairs = (pair for run in runs for pair in scripts.pairs(run) or (run,))
    return tuple(dict.fromkeys((*words, *pairs)))


def spans(words: Sequence[str], content: str) -> tuple[fuzzy.Span, ...]:
    """Where `content` has these `words` or forms of them, in order; none overlap.

    Args:
        words: as `asked` returns them.
    """
    return fuzzy.spans({at for span, _ in _found(words, content) for at in range(*span)})


def share(words: Sequence[str], content: str) -> float:
    """How many of these `words` are in `content`, 0 to 1; 0 where there are none."""
    return len({word for _, word in _found(words, content)}) / max(1, len(words))


def excerpt(words: Sequence[str], content: str, longest: int) -> str:
    """The part of `content` with most of these `words`, cleaned and on one line.

    Args:
        longest: its characters at most; what is left out is marked by an ellipsis.
    """
    line = _RULED.sub(r"\1\1\1", text.one_line(content))
    if len(line) <= longest:
        return line
    first = _start(_found(words, line), longest - LEAD)
    begin = max(0, min(first - LEAD, len(line) - longest + 1))
    if begin:
        begin = line.find(" ", begin, first) + 1 or begin
    end = begin + longest - 1 - bool(begin)
    if end < len(line):
        blank = line.rfind(" ", end - LEAD, end + 1)
        end = blank if blank > begin else end
    return f"{'…' if begin else ''}{line[begin:end].rstrip()}{'…' if end < len(line) else ''}"


def _start(found: Sequence[tuple[fuzzy.Span, str]], width: int) -> int:
    """Where the stretch of `width` characters with most different words begins: the first of
    those that have as many."""
    best, most = 0, 0
    for index, ((start, _), _) in enumerate(found[:MOST_STARTS]):
        within = {word for (_, end), word in found[index:MOST_STARTS] if end - start <= width}
        if len(within) > most:
            best, most = start, len(within)
    return best


def _found(words: Sequence[str], content: str) -> list[tuple[fuzzy.Span, str]]:
    """Each word of `content` that is one of `words`, and which one, in order."""
    if not words:
        return []
    folded = fuzzy.fold(content)
    written = [word for word in words if scripts.is_run(word)]
    spoken = [word for word in words if word not in written]
    found = [
        (match.span(), word)
        for match in fuzzy.WORD.finditer(scripts.blanked(folded))
        if (word := next((one for one in spoken if _is_form(one, match.group())), ""))
    ]
    found += [
        (match.span(), word) for word in written for match in re.finditer(re.escape(word), content)
    ]
    return sorted(found)


def _is_form(word: str, written: str) -> bool:
    if word == written:
        return True
    stem = max(SHORTEST_STEM, max(len(word), len(written)) - LONGEST_ENDING)
    return len(word) >= stem <= len(written) and word[:stem] == written[:stem]
