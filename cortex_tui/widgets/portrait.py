"""What is in the sections of a memory's detail. Values in, lines out."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len

from cortex_core.base import agent_names, text
from cortex_core.base.decay import DAY
from cortex_core.base.hook_words import PROMPT, START, TOOL
from cortex_core.base.kinds import RULE_KINDS, Kinds
from cortex_core.records.changes import Revision
from cortex_core.records.kept_rules import Breach, RuleKept
from cortex_core.records.memory import Memory, Neighbour, Source
from cortex_core.records.project_code import Anchor, LinkedCode
from cortex_core.records.surfaces import Outlook, Receipt
from cortex_tui.actions.detail_actions import MOST_LINKS, Portrait
from cortex_tui.actions.log_actions import ACTORS
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.lines import (
    BLANK,
    Piece,
    StyledLine,
    bar,
    day,
    edge_arrow,
    edge_label,
    edge_sign,
    edge_warns,
    fit,
    line,
    short_path,
    when,
    wrapped,
    written_by,
)

MOST_RECEIPTS = 30
MOST_FILES = 8
LONGEST_VALUE = 2_000
"""Characters of a value before or after a change that are shown."""


def heading(
    memory: Memory, kinds: Kinds, glyphs: Glyphs, position: str, width: int
) -> list[StyledLine]:
    """Title and, under it, what the memory is; `position` is where it is in a list."""
    signs, kind = glyphs.signs, kinds.known(memory.kind)
    room = max(8, width - cell_len(position) - 2)
    title = fit(glyphs.line(memory.title), room, signs.ellipsis)
    facts = [f"{glyphs.kind(kind)} {glyphs.line(kind.name.replace('_', ' '))}", memory.scope]
    facts += [glyphs.line(memory.context.branch)] if memory.context.branch else []
    facts += [f"priority {memory.priority}"]
    facts += [" ".join(f"#{glyphs.line(tag)}" for tag in memory.tags)] if memory.tags else []
    # What is unusual about a memory comes first, because the facts after it are cut where room is
    # short.
    pieces: list[Piece] = []
    if memory.status != "active":
        pieces.append((f"{signs.status[memory.status]} {memory.status}   ", "warning"))
    if memory.pinned:
        pieces.append((f"{signs.pin} pinned   ", "accent"))
    if memory.outdated:
        pieces.append(("out of date   ", "warning"))
    if memory.holds:
        pieces.append((f"{memory.holds}   ", "warning"))
    if memory.inject != "normal":
        pieces.append((f"injection: {memory.inject}   ", "warning"))
    if memory.triggers and memory.guard != "remind":
        pieces.append((f"guard: {memory.guard}   ", "warning"))
    taken = sum(cell_len(words) for words, _ in pieces)
    line_of_facts = f" {signs.between} ".join(facts)
    pieces.append((fit(line_of_facts, max(1, width - taken), signs.ellipsis), "muted"))
    return [StyledLine(((title, "title"), (f"  {position}", "muted"))), StyledLine(pieces)]


def outlook(known: Outlook | None, width: int, glyphs: Glyphs) -> Iterator[StyledLine]:
    """Whether the next session start injects it, and why; two lines until that is known."""
    answer = f"At the next start: {known.words}" if known else "At the next start: looking it up"
    part = "accent" if known and known.line else "muted"
    yield from wrapped(glyphs.line(answer), width, part)
    yield BLANK


def importance(portrait: Portrait, width: int, glyphs: Glyphs) -> Iterator[StyledLine]:
    """The parts of its importance, and when its confidence falls."""
    detail = portrait.detail
    yield from score_bars(detail.memory, detail.importance, portrait.most, width, glyphs)
    yield BLANK
    yield from wrapped(fading(portrait), width)


def fading(portrait: Portrait) -> str:
    """When its confidence falls below the threshold, or why it never does."""
    memory, fades = portrait.detail.memory, portrait.detail.fades
    limit = round(portrait.threshold * 100)
    if memory.pinned:
        return "It does not fade: it is pinned."
    if memory.scope == "team":
        return "It does not fade: the team approved it."
    if portrait.half_life is None:
        return f"Memories of the kind {memory.kind.replace('_', ' ')} do not fade."
    if fades is None:
        return "It does not fade."
    if fades <= portrait.now:
        return f"Its confidence fell below {limit} on {day(fades)}. A use renews it."
    days = round((fades - portrait.now) / DAY)
    return (
        f"Its confidence falls below {limit} on {day(fades)}, in {days:,} days, unless it is used "
        "or learned again."
    )


def named(anchors: Sequence[Anchor], width: int, glyphs: Glyphs) -> Iterator[StyledLine]:
    """What it names of the project: what is there in one line, what is not in one each."""
    yield from _files("names", [one.name for one in anchors if one.state == "fresh"], width, glyphs)
    for one in anchors:
        if one.state != "fresh":
            part = "warning" if one.state in ("gone", "contradicted") else "muted"
            became = {
                "moved": f"moved to {one.now}",
                "contradicted": f"now {one.now}",
                "confirmed": "gone; you confirmed it",
            }.get(one.state, one.state)
            yield from wrapped(glyphs.line(f"names {one.name}: {became}"), width, part)


def origin(memory: Memory, root: str, width: int, glyphs: Glyphs) -> Iterator[StyledLine]:
    """Every source, the words of the turn that were kept, and what was around.

    Args:
        root: the project's folder, which need not be named.
    """
    if memory.shared_by:
        yield from wrapped(glyphs.line(memory.shared_by), width)
    for words in glyphs.block(memory.shared_words).split("\n") if memory.shared_words else ():
        yield from wrapped(words, width, "muted", indent=2)
    for index, source in enumerate(memory.sources or (memory.source,)):
        label = glyphs.line(_source(source, glyphs, by_team=memory.scope == "team"))
        yield from wrapped(label, width, target=index)
    if memory.excerpt.strip():
        yield from wrapped("words of the turn that were kept:", width, "muted")
        for words in glyphs.block(memory.excerpt).split("\n"):
            yield from wrapped(words, width, "muted", indent=2)
    # What says nothing new (an empty branch, the project's own folder) is left out.
    context = memory.context
    around = [
        f"branch {context.branch}" if context.branch else "",
        f"commit {context.commit[:12]}" if context.commit else "",
        f"in {short_path(context.folder)}" if context.folder not in ("", root) else "",
    ]
    if any(around):
        label = f" {glyphs.signs.between} ".join(glyphs.line(one) for one in around if one)
        yield from wrapped(label, width, "muted")
    yield from _files("applies to", memory.globs, width, glyphs)
    yield from _calls(memory, width, glyphs)
    yield from _files("files at hand", context.files, width, glyphs)
    for name, value in memory.origin.items():
        yield from wrapped(glyphs.line(f"{name}: {value}"[:LONGEST_VALUE]), width, "muted")


def _calls(memory: Memory, width: int, glyphs: Glyphs) -> Iterator[StyledLine]:
    """At which tool calls it is recalled; that there are none, if it is a rule."""
    if call := str(memory.details.get("corrected", "")):
        yield from wrapped(f"corrects the call {glyphs.line(call)}", width, "muted")
    if memory.triggers:
        yield from _files(f"recalled{memory.how_recalled} at", memory.triggers, width, glyphs)
    elif memory.kind in RULE_KINDS:
        why = (
            "they were taken away" if memory.triggers_by == "user" else "it names nothing concrete"
        )
        yield from wrapped(f"no tool call recalls it: {why}", width, "muted")


def _source(source: Source, glyphs: Glyphs, *, by_team: bool) -> str:
    words = [written_by(source, by_team=by_team)]
    words += [f"said by {source.author}"] if source.author else []
    agent = agent_names.shown(source.agent)
    words += [f"{agent} session {source.session[:8]}".lstrip()] if source.session else []
    words += [f"turn {source.turn}"] if source.turn else []
    words += [when(source.time)] if source.time else []
    return f" {glyphs.signs.between} ".join(words)


def _files(what: str, names: Sequence[str], width: int, glyphs: Glyphs) -> Iterator[StyledLine]:
    if names:
        shown = [glyphs.line(name) for name in names[:MOST_FILES]]
        rest = f" and {len(names) - MOST_FILES} more" if len(names) > MOST_FILES else ""
        yield from wrapped(f"{what} {', '.join(shown)}{rest}", width, "muted")


def code_location(code: LinkedCode, width: int, glyphs: Glyphs) -> StyledLine:
    """Where stored code is, and whether it may be out of date."""
    location = (
        f"{glyphs.line(code.path)}:{code.first}-{code.last}" if code.path else "no file is known"
    )
    stale = f"  {glyphs.signs.status['quarantined']} stale: {code.stale}" if code.stale else ""
    room = max(8, width - cell_len(stale))
    cut = fit(location, min(room, cell_len(location)), glyphs.signs.ellipsis)
    return StyledLine(((cut, "muted"), (stale, "warning")))


def was_and_is(
    memory: Memory, neighbours: Sequence[Neighbour], width: int, glyphs: Glyphs
) -> Iterator[StyledLine]:
    """What held before it, or what holds in its place, each with the day on which it was said."""
    for one in neighbours:
        if one.edge.type == "supersedes":
            older, newer = (one.memory, memory) if one.outgoing else (memory, one.memory)
            for word, held in (("was", older), ("is ", newer)):
                said = f"{word}  {day(held.created):>11}  {glyphs.line(held.title)}"
                yield from wrapped(said, width, "muted" if held is older else "text")
            yield BLANK


def links(
    neighbours: Sequence[Neighbour], kinds: Kinds, width: int, glyphs: Glyphs
) -> Iterator[StyledLine]:
    """Every edge, one a line: which way, what, with whom."""
    shown = neighbours[:MOST_LINKS]
    room = max((len(edge_label(one)) for one in shown), default=0)
    for index, one in enumerate(shown):
        part = "error" if edge_warns(one) else "muted"
        glyph = glyphs.kind(kinds.known(one.memory.kind))
        head = f"{edge_sign(one, glyphs)} {edge_label(one):<{room}} "
        head += f"{edge_arrow(one, glyphs)} "
        title = glyphs.line(one.memory.title)
        title += f"  ({one.memory.status})" if one.memory.status != "active" else ""
        left = max(4, width - cell_len(head) - 2)
        cut = fit(title, left, glyphs.signs.ellipsis)
        yield StyledLine(((head, part), (f"{glyph} ", "muted"), (cut, "text")), target=index)
        if one.edge.context:
            yield from wrapped(
                glyphs.line(one.edge.context), width, "muted", indent=4, target=index
            )
    if rest := len(neighbours) - len(shown):
        yield line(f"+{rest:,} more; the neighbours show them all", "muted")
    if not neighbours:
        yield line("It has no links yet.", "muted")


def history(
    revisions: Sequence[Revision], titles: Mapping[str, str], width: int, glyphs: Glyphs
) -> Iterator[StyledLine]:
    """Every change: when, by whom, what; each value before and after.

    Args:
        titles: what the memories at the other ends of links are called, by their ids.
    """
    for one in revisions:
        change = one.change
        undone = "   undone" if change.undone_by else ""
        yield StyledLine(
            (
                (f"{when(change.time)}  ", "muted"),
                (f"{ACTORS[change.actor]:<7} ", "muted"),
                ("learned it" if change.verb == "capture" else change.verb, "text"),
                (undone, "warning"),
            )
        )
        for field in one.fields:
            # Both values are shown in full: undo brings back what is written there.
            for sign, value in (("-", field.before), ("+", field.after)):
                if field.name == "link" and value:
                    value = named_link(str(value), titles)
                yield from _value(sign, field.name, value, width, glyphs)
    if not revisions:
        yield line("The journal has no entry about it.", "muted")


def named_link(link: str, titles: Mapping[str, str]) -> str:
    """`id type id` with titles in place of the ids."""
    source, type, target = link.split(" ", 2)
    ends = [titles.get(name, name[:8]) for name in (source, target)]
    return f"{ends[0]} {type} {ends[1]}"


def _value(sign: str, name: str, value: Any, width: int, glyphs: Glyphs) -> Iterator[StyledLine]:
    if value is None:
        return
    change = glyphs.line(f"{name.replace('_', ' ')}: {value_text(value)}"[:LONGEST_VALUE])
    part = "muted" if sign == "-" else "text"
    for index, piece in enumerate(wrapped(change, width - 4, part)):
        head = f"  {sign} " if index == 0 else "    "
        yield StyledLine(((head, "accent"), *piece.pieces))


def value_text(value: Any) -> str:
    """A value of a change in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(one) for one in value) or "none"
    return text.one_line(str(value)) if value != "" else "none"


OCCASIONS = {START: "start", PROMPT: "prompt", TOOL: "tool call"}
"""At what a memory is injected, in a word or two."""


def receipts(records: Sequence[Receipt], width: int, glyphs: Glyphs) -> Iterator[StyledLine]:
    """When it was injected, in which session, and whether it was used."""
    widest = max((len(one.use) for one in records[:MOST_RECEIPTS]), default=0) + 2
    for one in records[:MOST_RECEIPTS]:
        part = "accent" if one.used else "muted"
        head = f"{when(one.time)}  "
        agent = agent_names.shown(one.agent)
        occasion = glyphs.line(OCCASIONS.get(one.event, one.event))
        tail = f"{agent} {glyphs.line(one.session[:8])}, {occasion}".lstrip()
        room = max(4, width - cell_len(head) - widest)
        yield StyledLine(
            (
                (head, "muted"),
                (f"{one.use:<{widest}}", part),
                (fit(tail, min(room, cell_len(tail)), glyphs.signs.ellipsis), "muted"),
            )
        )
        if one.used:
            yield from wrapped(glyphs.line(one.evidence), width, "muted", indent=4)
    if (rest := len(records) - MOST_RECEIPTS) > 0:
        yield line(f"+{rest:,} more", "muted")
    if not records:
        yield line("Not injected yet.", "muted")


def used(records: Sequence[Receipt]) -> str:
    """How often it was injected and used: `injected 6 times, used 4 times`."""
    if not records:
        return ""
    used = sum(one.used is True for one in records)
    return f"injected {text.times(len(records))}, used {text.times(used)}"


def kept(
    rule: RuleKept, broken: Sequence[Breach], width: int, glyphs: Glyphs
) -> Iterator[StyledLine]:
    """What counts as keeping a rule, how it was before, and each call that broke it.

    Args:
        broken: the newest of these calls, the newest first.
    """
    # Without a sign of being kept a count would be read as obedience.
    if not rule.checkable:
        yield from wrapped(
            "A call at which it is recalled does not show whether it is kept.", width, "muted"
        )
        return
    if rule.before:
        yield from wrapped(f"before it was a rule: {rule.before}", width, "muted")
    if rule.right_ways:
        ways = glyphs.line(", ".join(rule.right_ways))
        yield from wrapped(f"kept by: {ways}", width, "muted")
    for one in broken:
        head = f"{when(one.time)}  turn {one.turn}  {'before  ' if one.before else ''}"
        call = glyphs.line(one.call)
        room = max(4, width - cell_len(head))
        part = "muted" if one.before else "text"
        yield StyledLine(
            ((head, "muted"), (fit(call, min(room, cell_len(call)), glyphs.signs.ellipsis), part)),
            target=one.number,
        )
    if (rest := rule.broken + rule.broken_before - len(broken)) > 0:
        yield line(f"+{rest:,} more; cortex rules kept lists them", "muted")


def how_kept(rule: RuleKept) -> str:
    """How often a rule was kept, and when it was broken last: `41 of 43, last broken …`."""
    last = f", last broken {day(rule.last_breach)}" if rule.last_breach else ""
    return f"{rule.words.removeprefix('kept ')}{last}"


# --- the parts of a memory's importance as bars

BAR = 12
"""Cells of a full bar."""
NAMES = {
    "confidence": "confidence",
    "priority": "priority",
    "centrality": "linked to",
    "access": "used",
    "branch": "branch",
}


def score_bars(
    memory: Memory,
    parts: Mapping[str, float],
    most: Mapping[str, float],
    width: int,
    glyphs: Glyphs,
) -> Iterator[StyledLine]:
    """A bar for each part: what it is, how much of the most it can be, and of what it comes.

    Args:
        parts: named shares of the importance.
        most: the most that each can be.
    """
    first = max(len(name) for name in NAMES.values())
    for name, part in parts.items():
        full = most.get(name, 1.0)
        # The branch counts only when it is the same one; a bar of zero would look like a fault of
        # the memory.
        if name == "branch" and not part:
            continue
        share = part / full if full else 0.0
        pieces: list[Piece] = [
            (f"{NAMES.get(name, name):<{first}}  ", "text"),
            (bar(share, glyphs, BAR), "accent"),
            (f"  {part * 100:2.0f} of {full * 100:2.0f}", "text"),
        ]
        why = f"   {reason(name, share, memory)}"
        if first + BAR + 16 + len(why) <= width:
            pieces.append((why, "muted"))
        yield StyledLine(pieces)


def reason(name: str, share: float, memory: Memory) -> str:
    """Where a part comes from, in a few words."""
    uses = f"in {text.counted(memory.access_count, 'session')}"
    return {
        "confidence": f"{round(memory.confidence * 100)} of 100 today",
        "priority": f"{memory.priority} of 10",
        "centrality": f"{round(share * 100)} % of the most linked to",
        "access": "in no session yet" if not memory.access_count else uses,
        "branch": "learned on this branch",
    }.get(name, "")
