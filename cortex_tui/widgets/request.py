"""How a request of the team is shown: its line in the queue, who asks for what, and each memory as
it is and as it would be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from cortex_core.base import text
from cortex_core.records.memory import Memory
from cortex_tui.actions.review_actions import differing
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.widgets.lines import fit
from cortex_tui.widgets.proposal import LONGEST, clickable, facts, marked, rule

if TYPE_CHECKING:
    from cortex_core.records.teams import Proposed, RequestReview

MARK = "request"
"""What marks a request in the queue."""

REACH = {
    "project": "for this project",
    "team": "for all projects of the team",
    "elsewhere": "for another project",
}

DOES = {
    "add": "proposes {}",
    "change": "proposes other words for {}",
    "remove": "asks to remove {}",
    "revert": "asks to take back {}",
}

OF_ONE = frozenset({"review.edit", "review.editor"})
"""The keys of the review that propose a memory in other words."""
OF_REQUESTS = OF_ONE | {"review.approve", "review.reject"}
"""The keys of the review that decide on a request."""


def deciding(review: RequestReview) -> frozenset[str]:
    """The keys that decide on this request: several memories are approved as they are."""
    can_be_worded = len(review.memories) == 1 and review.memories[0].after is not None
    return OF_REQUESTS if can_be_worded else OF_REQUESTS - OF_ONE


def queue_line(review: RequestReview, decided: str, glyphs: Glyphs, width: int) -> Content:
    """A request in the queue; one that is decided is dimmed and says how."""
    end = decided or MARK
    room = max(0, width - cell_len(end) - 2)
    title = fit(glyphs.line(review.title), room, glyphs.signs.ellipsis)
    return Content.assemble(
        (title, "$faint" if decided else "$foreground"),
        "  ",
        (end, "$muted" if decided else "$text-accent"),
    )


def head(
    review: RequestReview, number: int, total: int, decided: str, glyphs: Glyphs, now: float
) -> Content:
    """Which request it is, who asks for what and why, and what speaks against it."""
    request, count = review.request, len(review.memories)
    several = text.counted(count, "memory", "memories")
    what = DOES[request.kind].format(several if count > 1 else "a memory")
    who = "You" if review.is_mine else glyphs.line(request.author)
    # A request of one's own speaks to “you”, one of another member names them.
    if review.is_mine:
        what = what.replace("proposes", "propose", 1).replace("asks", "ask", 1)
    when = text.since(request.created, now)
    reason = glyphs.line(request.reason)
    lines = [
        Content.assemble(
            (f"{number} of {total}" if number else decided, "bold"),
            (f"   request to team {glyphs.line(review.team)}", "$text-accent"),
        ),
        Content(f"{who} {what} {REACH[review.reach]}, {when}."),
        Content.assemble(("why  ", "$muted"), reason)
        if reason
        else Content.styled("No reason is given.", "$muted"),
    ]
    sign = glyphs.signs.status["quarantined"]
    lines += [
        Content.styled(f"{sign} {glyphs.line(one)}", "$text-warning")
        for one in dict.fromkeys(each.warning for each in review.memories)
        if one
    ]
    return Content("\n").join(lines)


def lines(
    review: RequestReview, width: int, glyphs: Glyphs, now: float, *, dim: bool
) -> Iterator[Content]:
    """Each memory as it is and as it would be, and the words that it was learned from."""
    count = len(review.memories)
    for number, one in enumerate(review.memories, 1):
        if number > 1:
            yield Content()
        name = f"{number} of {count}, " if count > 1 else ""
        for line in _memory(one, name, width, glyphs, now):
            yield Content.styled(line.plain, "$faint") if dim else line


def _memory(one: Proposed, name: str, width: int, glyphs: Glyphs, now: float) -> Iterator[Content]:
    """One memory; `name` says which of several it is."""
    before, after = one.before, one.after
    if after is None:
        yield rule(name + ("refused" if one.problem else "to be removed"), width, glyphs)
        yield from _whole(before, width, glyphs, now)
    elif before is None:
        yield rule(f"{name}new", width, glyphs)
        yield from _whole(after, width, glyphs, now)
    else:
        yield rule(f"{name}now", width, glyphs)
        yield from _whole(before, width, glyphs, now, after)
        yield rule("then", width, glyphs)
        yield from _whole(after, width, glyphs, now, before)
    if after is not None and after.excerpt:
        yield rule("learned from", width, glyphs)
        yield from _wrapped(Content(glyphs.block(after.excerpt[:LONGEST])), width)


def _whole(
    memory: Memory | None, width: int, glyphs: Glyphs, now: float, other: Memory | None = None
) -> Iterator[Content]:
    """A memory; what `other` has not is marked in its words."""
    if memory is None:
        yield Content.styled("It is not on this machine.", "$muted")
        return
    if not memory.content.startswith(memory.title) or (other and other.title != memory.title):
        yield from Content.styled(glyphs.line(memory.title), "bold").wrap(width)
    yield from Content.styled(_facts(memory, glyphs, now), "$muted").wrap(width)
    yield from _wrapped(marked(differing(memory.content, (other or memory).content), glyphs), width)


def _facts(memory: Memory, glyphs: Glyphs, now: float) -> str:
    more = (f"priority {memory.priority}", *(f"#{tag}" for tag in memory.tags), *memory.globs)
    shown = [facts(memory, glyphs, now), *map(glyphs.line, more)]
    return f" {glyphs.signs.between} ".join(shown)


def _wrapped(words: Content, width: int) -> Iterator[Content]:
    for line in words.split("\n", allow_blank=True):
        yield from line.wrap(width) or [Content()]


def choices(review: RequestReview, keymap: Keymap) -> Content:
    """What can be done with a request, each with its key."""
    refuses = "withdraw it" if review.is_mine else "reject it"
    possible = (
        ("review.approve", "approve it", "decide('approve')"),
        ("review.edit", "propose other words", "edit"),
        ("review.reject", refuses, "decide('reject')"),
    )
    pieces = [
        clickable(
            Content.assemble((f"{keymap.first(key)} ", "$text-accent"), (does, "$foreground")),
            action,
        )
        for key, does, action in possible
        if key in deciding(review)
    ]
    return Content("   ").join(pieces)


def labels(review: RequestReview) -> dict[str, str]:
    """What the keys of the review are called for a request."""
    return {
        "review.approve": "approve",
        "review.edit": "propose other words",
        "review.reject": "withdraw" if review.is_mine else "reject",
    }


def refusal(key: str, decided: str) -> str:
    """Why a key of the review does nothing to a request; "" when it does something."""
    if decided:
        return f"It is decided: {decided}." + (
            " Undo here takes it back for everyone." if decided == "approved" else ""
        )
    if key not in OF_REQUESTS:
        return "A request of the team is approved, approved in other words, or rejected."
    return ""
