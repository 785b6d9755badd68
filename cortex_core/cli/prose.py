"""What commands print for users: hits, memories, surfaces, reports and the status as text, and each
type of row as a line of a table.
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cortex_core.base import agent_names, settings as settings_table, text
from cortex_core.base.kinds import EPISODE, RULE_KINDS
from cortex_core.base.text import SHORT_ID as SHORT_ID, memories as memories, short as short
from cortex_core.cli import output
from cortex_core.cli.output import Column, View
from cortex_core.records.as_json import Shape, plain

if TYPE_CHECKING:
    from cortex_core.records.captures import (
        AdmissionAnswer,
        Figures,
        ImportedProject,
        ImportOutcome,
        ImportReport,
        LedgerEntry,
        Period,
        ProjectStatus,
        RuleRecord,
    )
    from cortex_core.records.changes import FieldChange, JournalEntry, Revision
    from cortex_core.records.hits import Hit
    from cortex_core.records.kept_rules import Breach, RuleKept
    from cortex_core.records.memory import FiledMemory, Memory, Neighbour, Source
    from cortex_core.records.project_code import AnchoredMemory
    from cortex_core.records.reflections import ProcedureMatch
    from cortex_core.records.reviews import Review
    from cortex_core.records.surfaces import Outlook, Receipt, Surface, SurfaceLine
    from cortex_core.records.upkeep import Detail, Fading, LifecycleReport, ModelRecord
    from cortex_core.store.snapshots import Snapshot
    from cortex_core.store.trash import Discarded

LONGEST_CONTENT = 400
"""Maximum number of characters of a hit's content; `show` prints all."""

MOST_MISSED = 30
"""Maximum number of memories that were left out of the surface and are listed."""

LONGEST_SESSION = 40
"""Characters of a session's id and first words."""

MOST_OUTCOMES = 40
"""Maximum number of imported memories that are listed one by one."""


def hit(hit: Hit, *, explain: bool = False) -> None:
    """Write one hit: id and title, kind and score, then its content."""
    memory = hit.memory
    title, content = text.one_line(memory.title), text.one_line(memory.content)
    lines = [
        (title, "bold"),
        (" · ".join((memory.kind, f"{max(hit.score, 0.0):.2f}", *marks(memory))), "dim"),
    ]
    if hit.project:
        lines.append((f"project: {hit.project}", ""))
    if memory.outdated:
        lines.append((f"out of date: it {memory.outdated}", "yellow"))
    # A short memory is its own title; saying it twice would double the length of a list.
    if content != title:
        lines.append((cut(content, LONGEST_CONTENT), ""))
    if hit.code is not None:
        at, path = hit.code.details.get("lines"), ", ".join(hit.code.context.files)
        where = f":{at[0]}-{at[1]}" if isinstance(at, list | tuple) else ""
        lines.append((f"code: {path or hit.code.title}{where}", ""))
    if explain:
        parts = hit.parts
        lines.append(
            (
                f"keyword {parts.keyword:.3f}  semantic {parts.semantic:.3f}  "
                f"graph {parts.graph:.3f}  importance {parts.importance:.3f}",
                "dim",
            )
        )
        lines += [(hit.why, "dim")] if hit.why else []
    output.item(short(memory.id), *lines, width=SHORT_ID)


def mentions(count: int, query: str) -> str:
    """How many conversations mention what no memory answers, and how they are found."""
    if not count:
        return ""
    which = text.counted(count, "conversation mentions it", "conversations mention it")
    return f"{which}: cortex sessions {shlex.quote(cut(text.one_line(query), LONGEST_CONTENT))}"


def detail(detail: Detail, next_start: Outlook, turns: Sequence[int]) -> None:
    """Write everything about one memory, and whether the next session gets it.

    Args:
        turns: for each of its sources the number of the turn, 0 where it is not known.
    """
    memory = detail.memory
    sure = f"confidence {memory.confidence:.0%}"
    about = (memory.kind, memory.scope, f"priority {memory.priority}", sure, *marks(memory))
    output.say(text.one_line(memory.title), "bold")
    output.say(" · ".join(dict.fromkeys(about)), "magenta")
    output.say()
    if text.one_line(memory.content) != text.one_line(memory.title):
        output.say(memory.content)
        output.say()
    given = text.counted(len(detail.receipts), "time")
    used = sum(1 for receipt in detail.receipts if receipt.used)
    # Empty values are left out by `facts`, so that each row needs no condition of its own.
    facts(
        (
            ("id", memory.id),
            ("shared", memory.shared_by),
            ("the team says", text.one_line(memory.shared_words)),
            ("tags", ", ".join(memory.tags)),
            ("files", ", ".join(memory.globs)),
            ("triggers", triggers(memory)),
            ("out of date", f"it {memory.outdated}" if memory.outdated else ""),
            ("learned on", memory.context.branch),
            ("holds", memory.holds),
            ("created", when(memory.created)),
            ("updated", when(memory.updated)),
            ("decays", when(detail.fades) if detail.fades else "never"),
            (
                "used",
                f"in {text.counted(memory.access_count, 'session')}"
                if memory.access_count
                else "never",
            ),
            ("looked at", text.counted(memory.looks, "time")),
            ("source", "; ".join(map(_source, memory.sources or (memory.source,), turns))),
            ("injected", f"{given}, used {used}" if detail.receipts else ""),
            ("agents", detail.crossed),
            ("next start", next_start.words),
            (
                "importance",
                "  ".join(f"{name} {part:.2f}" for name, part in detail.importance.items()),
            ),
            ("steps", "; ".join(str(step) for step in memory.details.get("steps", ()))),
            ("outcome", str(memory.details.get("outcome", ""))),
        )
    )
    for edge in detail.edges:
        away = edge.source == memory.id
        other = short(edge.target if away else edge.source)
        context = f"  {text.one_line(edge.context)}" if edge.context else ""
        output.say(f"{f'{edge.type} ->' if away else f'<- {edge.type}'} {other}{context}")
    if detail.history:
        output.say()
        output.show(CHANGES, detail.history, as_json=False)


def triggers(memory: Memory) -> str:
    """The tool calls at which a memory is recalled, and what becomes of them; of a rule, why there
    are none."""
    if memory.triggers:
        return f"{', '.join(memory.triggers)}{memory.how_recalled}"
    return without_triggers(memory) if memory.kind in RULE_KINDS else ""


def without_triggers(memory: Memory) -> str:
    """Why no tool call recalls a memory that has no triggers."""
    if memory.triggers_by == "user":
        return "No tool call recalls it: its triggers were taken away."
    return "It names no command, file or phrase, so no tool call recalls it."


def _source(source: Source, turn: int) -> str:
    day = f", {when(source.time)[:10]}," if source.time else ""
    agent = agent_names.shown(source.agent)
    of = f" from {agent}{day}" if agent else ""
    place = f" turn {turn}" if turn else ""
    session = f"{of} session {source.session}{place}" if source.session else ""
    return f"{source.rule}{f' ({source.author})' if source.author else ''}{session}"


def surface(surface: Surface, *, explain: bool = False) -> None:
    """Write exactly what the agent gets, or explain it line by line, with what was left out."""
    if not explain and surface.text:
        output.verbatim(surface.text)
        return
    if explain:
        output.say(
            f"Injected: {text.counted(surface.tokens, 'token')} of {surface.budget:,}, "
            f"{surface.units:,} of {surface.most_units:,} characters",
            "bold",
        )
    # Without --explain the output is what the agent gets, to the byte: nothing may be added to it.
    section = ""
    for line in surface.lines if explain else ():
        if line.section != section:
            section = line.section
            output.say(f"# {section}", "bold")
        _surface_line(line)
    if not surface.text:
        output.note("Nothing is injected.")
    if explain and surface.missed:
        output.say("Left out:", "bold")
        for line in surface.missed[:MOST_MISSED]:
            _surface_line(line)
        if len(surface.missed) > MOST_MISSED:
            more = len(surface.missed) - MOST_MISSED
            output.say(f"and {more:,} more; --json lists all, cortex why ID explains one")


def _surface_line(line: SurfaceLine) -> None:
    parts = " + ".join(f"{name} {part:.2f}" for name, part in line.parts.items() if part)
    score = f"{line.kind} · {line.score:.2f}{f' = {parts}' if parts else ''}"
    words = ((words, "") for words in line.text.split("\n"))
    output.item(short(line.id), *words, (score, "dim"), (line.why, "dim"), width=SHORT_ID)


def status(status: ProjectStatus) -> None:
    """Write the state of the stores, capture and the model."""
    where = f" ({status.root}, {status.branch})" if status.branch else f" ({status.root})"
    others = [f"{number:,} {name}" for name, number in status.counts.items() if name != "active"]
    if status.history:
        others.append(entries(status.history))
    listed = (pair for pair in status.kinds.items() if pair[0] != EPISODE)
    kinds = sorted(listed, key=lambda pair: -pair[1])
    size = text.size(status.archive_bytes)
    kept = f"{status.conversations:,} kept, {size}; see: cortex sessions"
    again = text.times(status.again)
    said = f"you repeated yourself {again} in the last 30 days; see: cortex report"
    waits = (
        (status.for_model, "session", "for the language model"),
        (status.pending, "find", "for the end of their session"),
        (status.queue, "record", "of hooks"),
        (status.to_review, "proposal", "to review"),
        (status.pending_embeddings, "vector", "to compute"),
    )
    waiting = [f"{text.counted(number, one)} {rest}" for number, one, rest in waits if number]
    facts(
        (
            ("project", f"{status.project}{where}" if status.root else "none: global store only"),
            ("memories", ", ".join([f"{status.listed:,} active", *others])),
            ("kinds", ", ".join(f"{number:,} {kind}" for kind, number in kinds)),
            ("stores", ", ".join(f"{scope}: {path}" for scope, path in status.stores.items())),
            ("captured", _captured(status)),
            ("conversations", kept if status.conversations else ""),
            ("repeated", said if status.again else ""),
            ("model", _model(status)),
            ("waiting", ", ".join(waiting)),
        )
    )
    # The first of the warnings: without a connection nothing else in the table changes.
    if not status.connected:
        output.say(
            "! Claude Code is not connected: nothing is captured or given by itself. "
            "Run: cortex install",
            "yellow",
        )
    for sentence in status.degraded:
        output.say(f"! {sentence}", "yellow")
    if not status.counts:
        output.say(NO_MEMORIES)


def figures(figures: Figures) -> None:
    """Write what happened week by week or day by day."""
    periods = figures.periods
    given, used, unused = (
        sum(getattr(one, name) for one in periods) for name in ("injected", "used", "unused")
    )
    # Receipts of sessions that are not read to the end yet are neither used nor unused.
    unknown = f"{given - used - unused:,} not known"
    injected = f"{given:,}: {used:,} used, {unused:,} not used, {unknown}"
    if given:
        facts((("injected", injected),))
        output.say()
    output.show(PERIODS, periods, as_json=False)


def _captured(status: ProjectStatus) -> str:
    last = status.last_capture
    state = "paused" if status.paused else "nothing yet"
    if last is not None:
        # The history counts here: an import of many sessions says how many are memories.
        kept = f"{last.stored:,} kept with the history, {last.suggested:,} suggested"
        state = f"{'paused; ' if status.paused else ''}last session {when(last.time)}, {kept}"
    if status.last_reading is not None:
        state = f"{state}; a session was last read {when(status.last_reading)}"
    failures = text.counted(status.failures, "failure")
    return f"{state}; {failures} this week" if status.failures else state


def _model(status: ProjectStatus) -> str:
    """The language model, if one was chosen, and what it has cost today."""
    if status.extractor == "rules":
        return ""
    if status.unpriced_tokens or status.extractor == "codex":
        share = status.spent_everywhere / status.daily_cap if status.daily_cap else 1.0
        used = f"{status.unpriced_tokens:,} tokens of Codex today"
        return f"extractor {status.extractor}, {used}, {share:.0%} of the daily limit"
    spent = f"${status.spent_everywhere:.4f} of ${status.daily_cap:g} spent today"
    here = f" (here ${status.spent:.4f})" if status.spent else ""
    return f"extractor {status.extractor}, {spent}{here}"


def kept(rule: RuleKept) -> None:
    """Write how one rule was kept, and what counts as keeping it."""
    output.say(text.one_line(rule.memory.title), "bold")
    last = f", last broken {day(rule.last_breach)}" if rule.last_breach else ""
    facts(
        (
            ("triggers", triggers(rule.memory)),
            ("since", day(rule.since)),
            ("kept", f"{rule.words}{last}"),
            ("before", f"{rule.before}, before it was a rule" if rule.before else ""),
            ("right way", ", ".join(rule.right_ways)),
        )
    )


def imported(report: ImportReport, kept: str = "") -> None:
    """Write the report of an import.

    Args:
        kept: how many memories and entries of the history were kept, where that is known.
    """
    would = "Would keep" if report.dry_run else "Kept"
    output.say(f"{would} {kept or memories(report.stored)}.", "bold")
    size = f", {text.size(report.bytes_read)}" if report.bytes_read else ""
    facts(
        (
            ("read", text.counted(report.files, "file") + size),
            ("unchanged", _some(report.skipped)),
            ("suggested", _some(report.suggested, "cortex suggestions list")),
            ("quarantined", _some(report.quarantined, "cortex suggestions list --quarantined")),
            ("already known", _some(report.merged)),
            ("updated", _some(report.updated)),
            ("newer here", _some(report.newer_here, "--force uses the files")),
            ("links", _some(report.linked)),
            ("refused", _reasons(report.refused)),
            ("took", f"{report.seconds:.1f} s"),
        )
    )
    # What was known is counted above; listed, it would hide the few new ones of a second import.
    news = [one for one in report.outcomes if one.what != "known"]
    output.show(IMPORT_OUTCOMES, news[:MOST_OUTCOMES], as_json=False)
    if len(news) > MOST_OUTCOMES:
        output.say(f"and {len(news) - MOST_OUTCOMES:,} more; --json lists all")
    if report.projects:
        output.say()
        output.show(IMPORTED_PROJECTS, report.projects, as_json=False)
    if any(each.stored for each in report.projects) and not report.dry_run:
        output.say("What one of them kept: cortex --project FOLDER list --import ID")
    for problem in report.problems:
        output.note(f"! {problem}")
    if report.elsewhere:
        output.note(
            "Skipped, because their folders no longer exist: " + ", ".join(report.elsewhere)
        )


def read(entry: LedgerEntry) -> None:
    """Write the report of reading one session."""
    output.say(f"Kept {memories(entry.stored)} from session {entry.session}.", "bold")
    facts(
        (
            ("read", text.size(entry.bytes_read)),
            ("suggested", _some(entry.suggested, "cortex suggestions list")),
            ("already known", _some(entry.merged)),
            ("refused", _reasons(entry.refused)),
            ("failed", entry.error),
        )
    )


def lifecycle(report: LifecycleReport) -> None:
    """Write which memories were archived and pruned."""
    done = "Would be" if report.dry_run else "Now"
    for name, gone in (
        ("archived", report.archived),
        ("pruned to the trash", report.pruned),
        ("discarded as expired suggestions", report.expired),
    ):
        if gone:
            output.say(f"{done} {name}: {memories(len(gone))}", "bold")
            output.show(MEMORIES, gone, as_json=False)
    if not (report.archived or report.pruned or report.expired):
        output.say("Nothing to archive or prune.")


def _some(number: int, see: str = "") -> str:
    more = f" ({see})" if see.startswith("-") else f" (see: {see})" if see else ""
    return f"{number:,}{more}" if number else ""


def _reasons(refused: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} ({number:,})" for reason, number in refused.items())


def cut(content: str, longest: int) -> str:
    """`content`, shortened with an ellipsis to `longest` characters."""
    return content if len(content) <= longest else content[: longest - 1].rstrip() + "…"


def facts(pairs: Sequence[tuple[str, str]]) -> None:
    """Write named values, one per line; leave out empty ones."""
    present = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in present), default=0)
    for name, value in present:
        output.item(name, (value, ""), width=width)


NO_MEMORIES = "No memories yet. Try: cortex import transcripts"


def entries(history: int) -> str:
    """How many entries the history has, in words."""
    return f"{text.counted(history, 'entry', 'entries')} of the history"


def when(moment: float | None) -> str:
    """A time in the user's time zone, to the minute; empty for None."""
    return "" if moment is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


def day(moment: float) -> str:
    """The day of a time in the user's time zone."""
    return when(moment)[:10]


def age(moment: float) -> str:
    """How long ago a time was, in short form."""
    return text.ago(moment, time.time())


_STALE = {"changed": "code changed since", "gone": "file is gone"}


_FADED = {"fading": ["fading"], "dormant": ["dormant"], "archived": ["dormant"]}
"""What is said of active memories by the band of their confidence."""


OUTDATED = "out of date"
"""The mark of a memory that names what is not so any more."""


def marks(memory: Memory) -> list[str]:
    """What is unusual about a memory: the team's or shared with it, new, pinned, which other agent
    taught it, its status or how far it has decayed, its injection policy, its guard, whether what
    it names is not so any more."""
    shared = "shared, reworded" if memory.shared_words else "shared"
    words = ["team" if memory.scope == "team" else shared] if memory.shared_by else []
    words += ["new"] if memory.is_unseen else []
    words += ["pinned"] if memory.pinned else []
    words += filter(None, [agent_names.shown(memory.source.agent)])
    words += [memory.status] if memory.status != "active" else _FADED.get(memory.band, [])
    words += [_STALE[memory.details["stale"]]] if memory.details.get("stale") in _STALE else []
    words += [f"inject {memory.inject}"] if memory.inject != "normal" else []
    words += [f"{memory.guard} at calls"] if memory.guard != "remind" else []
    return words + ([OUTDATED] if memory.outdated else [])


_ID = Column("id", "cyan")
_KIND = Column("kind", "magenta")

MEMORIES: View[Memory] = View(
    (
        _ID,
        _KIND,
        Column("prio", right=True),
        Column("age", right=True),
        Column("title", fills=True),
        Column("", "yellow"),
    ),
    lambda memory: (
        short(memory.id),
        memory.kind,
        str(memory.priority),
        age(memory.created),
        memory.title,
        ", ".join(marks(memory)),
    ),
)

FILED: View[FiledMemory] = View(
    (*MEMORIES.columns, Column("project")),
    lambda filed: (*MEMORIES.row(filed.memory), filed.project),
)

NEIGHBOURS: View[Neighbour] = View(
    (Column("depth", right=True), Column("link", "magenta"), _ID, Column("title", fills=True)),
    lambda neighbour: (
        str(neighbour.depth),
        f"{neighbour.edge.type} ->" if neighbour.outgoing else f"<- {neighbour.edge.type}",
        short(neighbour.memory.id),
        neighbour.memory.title,
    ),
)

REVIEWS: View[Review] = View(
    (
        Column("no", right=True),
        Column("store"),
        Column("similarity", right=True),
        Column("advice", "magenta"),
        Column("memories", fills=True),
        Column("", "yellow"),
    ),
    lambda review: (
        str(review.proposal.number),
        "" if review.scope == "project" else review.scope,
        f"{review.proposal.similarity:.2f}",
        review.advice,
        " | ".join(one.title for one in review.members),
        "; ".join(review.proposal.conflicts[:1]),
    ),
)

TRIGGERS: View[Memory] = View(
    (_ID, Column("guard"), Column("title", fills=True), Column("triggers")),
    lambda memory: (short(memory.id), memory.guard, memory.title, ", ".join(memory.triggers)),
)

ANCHORED: View[AnchoredMemory] = View(
    (_ID, Column("title", fills=True), Column("out of date", "yellow")),
    lambda one: (short(one.memory.id), one.memory.title, one.memory.outdated),
)

CHANGES: View[JournalEntry] = View(
    (
        Column("no", right=True),
        Column("store"),
        Column("when"),
        Column("by"),
        Column("change", fills=True),
        Column("", "yellow"),
    ),
    lambda change: (
        str(change.number),
        "" if change.scope == "project" else change.scope,
        when(change.time),
        change.actor,
        change.sentence + (f", {change.elsewhere}" if change.elsewhere else ""),
        "undone" if change.is_undone else "",
    ),
)


def changed_values(fields: Iterable[FieldChange]) -> str:
    """What a change of a memory set, each value with the one before it."""
    return "; ".join(
        f"{each.name}: {_shown(each.before)} -> {_shown(each.after)}" for each in fields
    )


REVISIONS: View[Revision] = View(
    (Column("when"), Column("by"), Column("change", "magenta"), Column("values", fills=True)),
    lambda revision: (
        when(revision.change.time),
        revision.change.actor,
        revision.change.verb,
        changed_values(revision.fields),
    ),
    stacked=True,
)

RECEIPTS: View[Receipt] = View(
    (
        Column("injected"),
        Column("at"),
        _ID,
        Column("tokens", right=True),
        Column("used"),
        Column("session", fills=True),
    ),
    lambda receipt: (
        when(receipt.time),
        f"{receipt.event} {agent_names.shown(receipt.agent)}".rstrip(),
        short(receipt.memory),
        str(receipt.tokens),
        f"used: {receipt.evidence}" if receipt.used else receipt.use,
        receipt.session,
    ),
)


PERIODS: View[Period] = View(
    (
        Column("from"),
        Column("sessions", right=True),
        Column("captured", right=True),
        Column("learned", right=True),
        Column("injected", right=True),
        Column("tokens", right=True),
        Column("used", right=True),
        Column("not used", right=True),
        Column("cost", right=True),
    ),
    lambda period: (
        day(period.start),
        f"{period.sessions:,}",
        f"{period.captured:,}",
        f"{period.learned:,}",
        f"{period.injected:,}",
        f"{period.tokens:,}",
        f"{period.used:,}",
        f"{period.unused:,}",
        f"${period.cost:.2f}" if period.cost else "",
    ),
    headed=True,
)

LEDGER: View[LedgerEntry] = View(
    (
        Column("when"),
        Column("event"),
        Column("read", right=True),
        Column("found", right=True),
        Column("kept", right=True),
        Column("sugg", right=True),
        Column("merged", right=True),
        Column("session"),
        Column("refused or failed", fills=True),
    ),
    lambda entry: (
        when(entry.time),
        f"{entry.event} {agent_names.shown(entry.agent)}".rstrip(),
        text.size(entry.bytes_read),
        str(entry.candidates),
        str(entry.stored),
        str(entry.suggested),
        str(entry.merged),
        cut(f"{short(entry.session)} {entry.title}", LONGEST_SESSION),
        "waits to be read" if entry.waits else _refused(entry),
    ),
    headed=True,
)

TRASH: View[Discarded] = View(
    (_ID, Column("pruned"), Column("store"), Column("title", fills=True)),
    lambda item: (item.id, when(item.time), item.scope, item.title),
)


def snapshot_json(number: int, snapshot: Snapshot) -> Shape:
    """The JSON of a snapshot; number 1 is the newest, its size is in bytes."""
    return {
        "number": number,
        "time": text.iso(snapshot.moment),
        "why": snapshot.why,
        "size": snapshot.size,
        "path": str(snapshot.path),
    }


SNAPSHOTS: View[tuple[int, Snapshot]] = View(
    (
        Column("no", right=True),
        Column("taken"),
        Column("size", right=True),
        Column("why"),
        Column("file", fills=True),
    ),
    lambda numbered: (
        str(numbered[0]),
        text.iso(numbered[1].moment),
        text.size(numbered[1].size),
        numbered[1].why,
        numbered[1].path.name,
    ),
    lambda numbered: snapshot_json(*numbered),
)

RULES: View[RuleRecord] = View(
    (
        Column("rule", "cyan"),
        Column("finds are", "magenta"),
        Column("set to"),
        Column("verdicts"),
        Column("what it finds", fills=True),
    ),
    lambda rule: (
        rule.name,
        rule.tier,
        "" if rule.setting == "auto" else f"set to {rule.setting}",
        f"{rule.kept} kept, {rule.discarded} discarded" if rule.kept or rule.discarded else "",
        rule.help,
    ),
)

KEPT: View[RuleKept] = View(
    (_ID, Column("kept"), Column("last breach"), Column("before"), Column("rule", fills=True)),
    lambda rule: (
        short(rule.memory.id),
        rule.count,
        day(rule.last_breach) if rule.last_breach else "",
        rule.before,
        rule.memory.title,
    ),
    headed=True,
)

BREACHES: View[Breach] = View(
    (
        Column("no", right=True),
        Column("when"),
        Column("session"),
        Column("turn", right=True),
        Column("", "dim"),
        Column("call", fills=True),
    ),
    lambda breach: (
        str(breach.number),
        when(breach.time),
        short(breach.session),
        f"turn {breach.turn}",
        "before" if breach.before else "",
        breach.call,
    ),
)

MODELS: View[ModelRecord] = View(
    (
        Column("model"),
        Column("use"),
        Column("size"),
        Column("done"),
        Column("open"),
        Column("note", fills=True),
    ),
    lambda model: (
        model.name,
        "in use" if model.active else "",
        f"{model.dimension} dimensions",
        f"{model.embedded:,} embedded" if model.embedded else "",
        f"{model.pending:,} to embed" if model.active and model.pending else "",
        model.note,
    ),
    stacked=True,
)

FADING: View[Fading] = View(
    (_ID, _KIND, Column("decays"), Column("archived"), Column("title", fills=True)),
    lambda fading: (
        short(fading.memory.id),
        fading.memory.kind,
        day(fading.fades),
        day(fading.archives),
        fading.memory.title,
    ),
)

EPISODES: View[Memory] = View(
    (_ID, Column("when"), Column("outcome", "magenta"), Column("what", fills=True), Column("tags")),
    lambda one: (
        short(one.id),
        when(one.created),
        text.one_line(str(one.details.get("outcome", ""))),
        one.title,
        ", ".join(one.tags),
    ),
)

PROCEDURES: View[ProcedureMatch] = View(
    (
        _ID,
        Column("fit", right=True),
        Column("reliability", right=True),
        Column("worked"),
        Column("task", fills=True),
        Column("steps", right=True),
    ),
    lambda one: (
        short(one.memory.id),
        "" if one.fit == 1 else f"{one.fit:.0%}",
        f"{one.reliability:.0%}",
        tried(one),
        one.memory.title,
        str(len(one.memory.details.get("steps", ()))),
    ),
)

IMPORTED_PROJECTS: View[ImportedProject] = View(
    (
        Column("sessions", right=True),
        Column("kept", right=True),
        Column("suggested", right=True),
        Column("quarantined", right=True),
        Column("id", "cyan"),
        Column("project", fills=True),
    ),
    lambda one: (
        f"{one.files:,}",
        f"{one.stored:,}",
        f"{one.suggested:,}",
        f"{one.quarantined:,}",
        one.id[:8],
        one.folder,
    ),
    headed=True,
)

IMPORT_OUTCOMES: View[ImportOutcome] = View(
    (
        Column("what", "yellow"),
        Column("kind", "magenta"),
        Column("store"),
        Column("title", fills=True),
        Column("file"),
    ),
    lambda one: (
        one.what,
        one.kind,
        "" if one.scope == "project" else one.scope,
        one.title,
        one.file.rpartition("/")[2],
    ),
)


def _setting_json(pair: tuple[str, Any]) -> Shape:
    """The JSON of a setting by its name, with its value in effect."""
    known = settings_table.find(pair[0])
    return {
        "name": pair[0],
        "value": plain(pair[1]),
        "default": plain(known.default),
        "allowed": known.allowed,
        "help": known.help,
    }


SETTINGS: View[tuple[str, Any]] = View(
    (Column("setting", "cyan"), Column("value", "magenta"), Column("what", fills=True)),
    lambda pair: (pair[0], value(pair[1]), settings_table.find(pair[0]).help),
    _setting_json,
    stacked=True,
)


def value(setting: Any) -> str:
    """A setting's value as one would type it."""
    if isinstance(setting, bool):
        return "true" if setting else "false"
    return ", ".join(setting) if isinstance(setting, tuple | list) else str(setting)


def tried(one: ProcedureMatch) -> str:
    """How often a procedure worked, and out of how many times."""
    tries = one.successes + one.failures
    return f"{one.successes} of {tries}" if tries else "untried"


def _shown(value: Any) -> str:
    """A value of a change; “nothing” if there was none."""
    if value is None:
        return "nothing"
    line = text.one_line(str(value))[:400]
    return re.sub(rf"\b{text.UUID}\b", lambda match: short(match[0]), line) or "empty"


def _refused(entry: LedgerEntry) -> str:
    """What was refused or failed; for a language model also its name and cost."""
    outcome = entry.error or _reasons(entry.refused)
    if entry.extractor in ("", "rules") and not entry.cost:
        return outcome
    # What Codex charges for its tokens is not known: it depends on the user's plan.
    amount = f"{entry.tokens:,} tokens" if entry.extractor == "codex" else f"${entry.cost:.4f}"
    paid = f"{entry.extractor or 'model'} {amount}"
    return f"{paid}, {outcome}" if outcome else paid


def answer(found: AdmissionAnswer) -> None:
    """Print why a memory is as it is, or what would become of a text."""
    output.say(f"{found.decision}: {found.title}")
    for line in (*found.reasons, *(f"compared with {other}" for other in found.compared)):
        output.say(f"  {line}")
