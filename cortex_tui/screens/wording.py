"""What the screens say: results in a line, why a key does nothing, what to do where nothing is.

Values in, words out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from cortex_core import text
from cortex_tui.answers import EVERYTHING, Answer, Question
from cortex_tui.glyphs import Look
from cortex_tui.keymap import Keymap
from cortex_tui.rules import refusal as refusal

if TYPE_CHECKING:
    from cortex_core.reports.state import Status

Steps = Sequence[tuple[str, str]]
"""A command or a key, and what it is good for."""

ORDERS = {
    "updated": "newest change first", "created": "newest first", "priority": "by priority",
    "title": "by title", "kind": "by kind", "access": "most used first",
    "standing": "by standing", "confidence": "surest first",
}  # fmt: skip


def marked(answer: Answer) -> list[str]:
    """The words that are marked in titles: as typed, and as they were read."""
    typed = text.words(answer.question.words)
    return [word for word in [*typed, *answer.corrected.values()] if word]


def found(answer: Answer, look: Look) -> Content:
    """`23 of 1,284`, the words that were corrected, and what else is out of the ordinary."""
    question, glyphs = answer.question, look.glyphs
    parts: list[tuple[str, str]] = []
    more = glyphs.ellipsis if answer.partial else ""
    for wrong, right in list(answer.corrected.items())[:2]:
        parts.append((f"{look.line(wrong)} {glyphs.arrow} {look.line(right)}", "$text-warning"))
    if answer.degraded:
        parts.append(("words only", "$text-warning"))
    if answer.meaning:
        rough = "" if answer.joined_meaning else glyphs.ellipsis
        parts.append((f"{glyphs.meaning} {len(answer.meaning)} by meaning{rough}", "$muted"))
    if question.sort != "updated" and not question.words.strip():
        parts.append((ORDERS[question.sort], "$text-accent"))
    if question.words.strip():
        parts.append((f"{answer.by_words:,}{more} of {answer.total:,}", "$muted"))
    elif question.chips:
        parts.append((f"{len(answer.order):,}{more} shown", "$muted"))
    return Content("   ").join([Content.assemble(part) for part in parts])


def nothing(question: Question, status: Status | None, keymap: Keymap) -> tuple[str, Steps]:
    """Why the list is empty, and what to do about it."""
    key = keymap.first
    counts: Mapping[str, int] = {} if status is None else status.counts
    others = sum(number for name, number in counts.items() if name != "active")
    hidden = (key("list.statuses"), f"show the {others:,} archived, suggested or held back too")
    steps: list[tuple[str, str]]
    if question.words.strip():
        steps = [(key("search.leave"), "clear the search")]
        if question.chips:
            steps.append((key("list.unfilter"), "take the last filter away"))
        if others and not question.everything:
            steps.append(hidden)
        return "No memory holds all of these words.", steps
    if question.chips and question.chips != (EVERYTHING,):
        steps = [
            (key("list.unfilter"), "take the last filter away"),
            (key("list.unfilter_all"), "take all of them away"),
        ]
        if others and not question.everything:
            steps.append(hidden)
        return "No memory passes these filters.", steps
    if others and not question.everything:
        return "No memory is active here.", [hidden]
    return "Nothing is remembered here yet.", [
        ("cortex import transcripts", "learn from this project's past sessions"),
        (f"{key('go.capture')} {key('capture.import')}", "the same from here, a preview first"),
        ("cortex install", "learn from the next ones, by hooks"),
        ('cortex remember "…"', "remember something now"),
        (key("memory.new"), "the same from here"),
        (key("app.help"), "every key"),
    ]


def unusable(reason: str, keymap: Keymap) -> tuple[str, str, Steps]:
    """What is said in place of the list when the stores cannot be read."""
    return (
        "The memories cannot be read",
        reason,
        [(keymap.first("page.refresh"), "try again"), (keymap.first("app.quit"), "quit")],
    )
