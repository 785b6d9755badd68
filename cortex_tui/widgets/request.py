"""How a request of the team is shown: its line in the queue, who asks for what, and each memory as
it is and as it would be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.content import Content

from cortex_core.base import text
from cortex_core.records.memory import Memory
from cortex_tui.actions.inbox_actions import differing
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.proposal import LONGEST, Choices, facts, marked, rule

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


def head(review: RequestReview, glyphs: Glyphs, now: float) -> list[Content]:
    """Who asks for what and why, and what speaks against it."""
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
        Content.styled(f"   request to team {glyphs.line(review.team)}", "$text-accent"),
        Content(f"{who} {what} {REACH[review.reach]}, {when}."),
        Content.assemble(("why  ", "$muted"), reason)
        if reason
        else Content.styled("No reason is given.", "$muted"),
    ]
    lines += [
        Content.styled(f"{glyphs.signs.warning} {glyphs.line(one)}", "$text-warning")
        for one in dict.fromkeys(each.warning for each in review.memories)
        if one
    ]
    return lines


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


def choices(review: RequestReview) -> Choices:
    """What each key does to a request: several memories are approved as they are."""
    refuses = ("withdraw", "it is yours") if review.is_mine else ("reject", "and say why")
    all_of_it = {"answer.yes": ("approve", "for everyone in the team"), "answer.no": refuses}
    can_be_worded = len(review.memories) == 1 and review.memories[0].after is not None
    edit = {"memory.edit": ("edit", "propose other words")} if can_be_worded else {}
    return {**all_of_it, **edit}
