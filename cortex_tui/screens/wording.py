"""What the screens say: results in a line, why a key does nothing, what to do where nothing is.

Values in, words out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.content import Content

from cortex_core.base import text
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.queries import EVERYTHING, ListQuery, ListResult
from cortex_tui.widgets.frame import Steps

if TYPE_CHECKING:
    from cortex_core.reports import Status

ORDERS = {
    "updated": "newest change first", "created": "newest first", "priority": "by priority",
    "title": "by title", "kind": "by kind", "access": "most used first",
    "standing": "by standing", "confidence": "surest first",
}  # fmt: skip


def marked(result: ListResult) -> list[str]:
    """The words that are marked in titles: as typed, and as they were read."""
    typed = text.words(result.query.words)
    return [word for word in [*typed, *result.corrected.values()] if word]


def found(result: ListResult, glyphs: Glyphs) -> Content:
    """`23 of 1,284`, the words that were corrected, and what else is out of the ordinary."""
    query, signs = result.query, glyphs.signs
    parts: list[tuple[str, str]] = []
    more = signs.ellipsis if result.partial else ""
    for wrong, right in list(result.corrected.items())[:2]:
        parts.append((f"{glyphs.line(wrong)} {signs.arrow} {glyphs.line(right)}", "$text-warning"))
    if result.degraded:
        parts.append(("words only", "$text-warning"))
    if result.meaning:
        rough = "" if result.joined_meaning else signs.ellipsis
        parts.append((f"{signs.meaning} {len(result.meaning)} by meaning{rough}", "$muted"))
    if query.sort != "updated" and not query.words.strip():
        parts.append((ORDERS[query.sort], "$text-accent"))
    if query.words.strip():
        parts.append((f"{result.by_words:,}{more} of {result.total:,}", "$muted"))
    elif query.chips:
        parts.append((f"{len(result.order):,}{more} shown", "$muted"))
    return Content("   ").join([Content.assemble(part) for part in parts])


def nothing(query: ListQuery, status: Status | None, keymap: Keymap) -> tuple[str, Steps]:
    """Why the list is empty, and what to do about it."""
    key = keymap.first
    counts: Mapping[str, int] = {} if status is None else status.counts
    others = sum(number for name, number in counts.items() if name != "active")
    hidden = (key("list.statuses"), f"show the {others:,} archived, suggested or held back too")
    steps: list[tuple[str, str]]
    if query.words.strip():
        steps = [(key("search.leave"), "clear the search")]
        if query.chips:
            steps.append((key("list.unfilter"), "take the last filter away"))
        if others and not query.everything:
            steps.append(hidden)
        return "No memory holds all of these words.", steps
    if query.chips and query.chips != (EVERYTHING,):
        steps = [
            (key("list.unfilter"), "take the last filter away"),
            (key("list.unfilter_all"), "take all of them away"),
        ]
        if others and not query.everything:
            steps.append(hidden)
        return "No memory passes these filters.", steps
    if others and not query.everything:
        return "No memory is active here.", [hidden]
    return "Nothing is remembered here yet.", [
        ("cortex import transcripts", "learn from this project's past sessions"),
        (f"{key('go.capture')} {key('capture.import')}", "the same from here, a preview first"),
        ("cortex install", "learn from the next ones, by hooks"),
        ('cortex remember "…"', "remember something now"),
        (key("memory.new"), "the same from here"),
        (key("app.help"), "every key"),
    ]
