"""What commands print of a team: its status, its members, and requests with what they propose.

All of it comes from other people; the output is cleaned of escapes and is never read as markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cortex_core.base import text
from cortex_core.cli import output, prose
from cortex_core.cli.output import Column, View
from cortex_core.records.teams import HubHit, Item, Member, Proposed, Request, TeamStatus

if TYPE_CHECKING:
    from cortex_core.records.memory import Memory

MEMBERS: View[Member] = View(
    (
        Column("login", "cyan"),
        Column("name", fills=True),
        Column("rights"),
        Column("joined"),
        Column("last seen"),
        Column("version"),
        Column("", "yellow"),
    ),
    lambda member: (
        member.role,
        member.display,
        member.rights,
        prose.day(member.joined),
        prose.when(member.seen),
        member.version,
        "" if member.departed is None else f"left on {prose.day(member.departed)}",
    ),
)

REQUESTS: View[Request] = View(
    (
        Column("id", "cyan"),
        Column("state", "magenta"),
        Column("by"),
        Column("age", right=True),
        Column("what"),
        Column("about", fills=True),
    ),
    lambda request: (
        prose.short(request.id),
        request.status,
        request.author,
        prose.age(request.created),
        what(request),
        request.reason
        or next((str(item.memory.get("title", "")) for item in request.items if item.memory), ""),
    ),
)

HITS: View[HubHit] = View(
    (
        Column("id", "cyan"),
        Column("score", right=True),
        Column("kind", "magenta"),
        Column("by"),
        Column("age", right=True),
        Column("memory", fills=True),
    ),
    lambda hit: (
        prose.short(hit.id),
        f"{hit.score:.2f}",
        str(hit.memory.get("kind", "")),
        hit.author,
        prose.age(hit.updated),
        str(hit.memory.get("content", "")),
    ),
)


def what(request: Request) -> str:
    """What a request wants, as in `change 2 memories`."""
    if not request.items:  # it was withdrawn, and its texts are gone
        return request.kind
    return f"{request.kind} {text.memories(len(request.items))}"


def status(status: TeamStatus) -> None:
    """Write which team a project follows."""
    read = f"{prose.when(status.read)}, up to entry {status.sequence}" if status.read else "never"
    held = f"{status.memories:,}"
    waiting, behind = status.waiting, status.behind
    prose.facts(
        (
            ("team", status.team),
            ("hub", f"{status.hub}, as {status.role}"),
            ("read", read),
            ("memories", f"{held}, {status.unseen} new" if status.unseen else held),
            ("requests", "" if waiting is None else _waiting(waiting)),
            ("to read", "" if behind is None else _behind(behind)),
            ("problem", status.problem),
        )
    )


def _waiting(waiting: int) -> str:
    if not waiting:
        return "none waits"
    return f"{text.counted(waiting, 'waits', 'wait')} for a decision: cortex team requests"


def _behind(behind: int) -> str:
    return f"{text.counted(behind, 'entry', 'entries')}: cortex team pull" if behind else "nothing"


def show(request: Request, proposed: Sequence[Proposed]) -> None:
    """Write a request in full.

    Args:
        proposed: what it would change here, memory by memory.
    """
    output.say(f"Request {prose.short(request.id)}: {what(request)}", "bold")
    decided = f"{request.status} by {request.decided_by}, {prose.when(request.decided)}"
    scope = "one project" if request.project else "all projects of the team"
    prose.facts(
        (
            ("by", f"{request.author}, {prose.when(request.created)}"),
            ("reason", request.reason or "none was given"),
            ("for", scope),
            ("state", "waits for a decision" if request.status == "open" else decided),
            ("note", request.note),
        )
    )
    # A warning is of use only while the request can still be decided.
    for item, one in zip(request.items, proposed, strict=True):
        output.say()
        _item(item, one.before)
        if request.status == "open" and one.warning:
            output.warn(one.warning)
    if request.status == "open":
        short = prose.short(request.id)
        output.note(f"Decide: cortex team approve {short}, or cortex team reject {short}")


def _item(item: Item, now: Memory | None) -> None:
    if item.memory is None:
        title = now.title if now else f"memory {prose.short(item.id)}"
        output.say(f"Remove: {text.one_line(title)}", "bold")
        if now is not None:
            output.say(now.content, indent=output.INDENT)
        return
    shape = item.memory
    output.say(text.one_line(str(shape.get("title", ""))), "bold")
    output.say(_facts(item), "dim")
    if now is not None and now.content != shape.get("content"):
        output.say("The team has now:", "dim")
        output.say(now.content, indent=output.INDENT)
        output.say("Proposed:", "dim")
    output.say(str(shape.get("content", "")), indent=output.INDENT)
    if excerpt := str(shape.get("excerpt", "")).strip():
        output.say("Learned from:", "dim")
        output.say(excerpt, indent=output.INDENT)


def _facts(item: Item) -> str:
    shape: Mapping[str, Any] = item.memory or {}
    parts = [str(shape.get("kind", "")), prose.short(item.id)]
    parts += [f"priority {shape['priority']}"] if "priority" in shape else []
    parts += [f"{name} {', '.join(map(str, listed))}" for name, listed in _lists(shape)]
    return text.one_line(" · ".join(parts))


def _lists(shape: Mapping[str, Any]) -> list[tuple[str, list[Any]]]:
    named = (("tags", "tags"), ("for", "globs"), ("files", "files"), ("at", "triggers"))
    found = [(label, shape.get(name)) for label, name in named]
    return [(label, listed) for label, listed in found if isinstance(listed, list) and listed]
