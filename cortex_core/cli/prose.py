"""Hits, memories, surfaces, reports and the status as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cortex_core import text
from cortex_core.cli import output, views
from cortex_core.cli.views import marks, memories, short, when

if TYPE_CHECKING:
    from cortex_core.memory import Edge, Memory, Source
    from cortex_core.records import LedgerEntry
    from cortex_core.reports.curation import LifecycleReport
    from cortex_core.reports.detail import Detail
    from cortex_core.reports.exchange import ImportReport
    from cortex_core.reports.state import Status
    from cortex_core.results import Hit, Surface, SurfaceLine

LONGEST_CONTENT = 400
"""Maximum number of characters of a hit's content; `show` prints all."""

MOST_ARRIVALS = 40
"""Maximum number of imported memories that are listed one by one."""


def hit(hit: Hit, *, explain: bool = False) -> None:
    """Write one hit: id and title, kind and score, then its content."""
    memory = hit.memory
    title, content = text.one_line(memory.title), text.one_line(memory.content)
    lines = [
        (title, "bold"),
        (" · ".join((memory.kind, f"{hit.score:.2f}", *marks(memory))), "dim"),
    ]
    if content != title:
        lines.append((cut(content, LONGEST_CONTENT), ""))
    if hit.code is not None:
        lines.append((f"code: {_location(hit.code)}", ""))
    if explain:
        parts = hit.parts
        lines.append(
            (f"keyword {parts.keyword:.3f}  semantic {parts.semantic:.3f}  "
             f"graph {parts.graph:.3f}  importance {parts.standing:.3f}", "dim")
        )  # fmt: skip
        lines += [(hit.why, "dim")] if hit.why else []
    output.item(short(memory.id), *lines, width=views.SHORT_ID)


def _location(code: Memory) -> str:
    """Where a piece of code is: its path, and its lines if they are known."""
    lines = code.details.get("lines")
    path = ", ".join(code.context.files) or code.title
    return f"{path}:{lines[0]}-{lines[1]}" if isinstance(lines, list | tuple) else path


def detail(detail: Detail) -> None:
    """Write everything about one memory."""
    memory = detail.memory
    output.say(text.one_line(memory.title), "bold")
    output.say(_header(memory), "magenta")
    output.say()
    if text.one_line(memory.content) != text.one_line(memory.title):
        output.say(memory.content)
        output.say()
    facts(
        (
            ("id", memory.id),
            ("tags", ", ".join(memory.tags)),
            ("files", ", ".join(memory.globs)),
            ("learned on", memory.context.branch),
            ("created", when(memory.created)),
            ("updated", when(memory.updated)),
            ("decays", when(detail.fades) if detail.fades else "never"),
            ("used", text.counted(memory.access_count, "time")),
            ("source", "; ".join(_source(each) for each in memory.sources or (memory.source,))),
            ("injected", _injected(detail)),
            (
                "importance",
                "  ".join(f"{name} {part:.2f}" for name, part in detail.standing.items()),
            ),
            ("steps", "; ".join(str(step) for step in memory.details.get("steps", ()))),
            ("outcome", str(memory.details.get("outcome", ""))),
        )
    )
    for edge in detail.edges:
        output.say(_edge(edge, memory.id))
    if detail.history:
        output.say()
        output.show(views.CHANGES, detail.history, as_json=False)


def _header(memory: Memory) -> str:
    sure = f"confidence {memory.confidence:.0%}"
    return " · ".join(
        (memory.kind, memory.scope, f"priority {memory.priority}", sure, *marks(memory))
    )


def _source(source: Source) -> str:
    position = f" turn {source.place}" if source.place is not None else ""
    session = f" session {source.session}{position}" if source.session else ""
    author = f" ({source.author})" if source.author else ""
    return f"{source.rule}{author}{session}"


def _injected(detail: Detail) -> str:
    if not detail.receipts:
        return ""
    used = sum(1 for receipt in detail.receipts if receipt.used)
    return f"{text.counted(len(detail.receipts), 'time')}, used {used}"


def _edge(edge: Edge, here: str) -> str:
    away = edge.source == here
    other = short(edge.target if away else edge.source)
    context = f"  {text.one_line(edge.context)}" if edge.context else ""
    return f"{f'{edge.type} ->' if away else f'<- {edge.type}'} {other}{context}"


def surface(surface: Surface, *, explain: bool = False) -> None:
    """Write exactly what Claude gets, or explain it line by line, with what narrowly missed."""
    if not explain and surface.text:
        output.verbatim(surface.text)
        return
    if explain:
        output.say(
            f"Injected: {text.counted(surface.tokens, 'token')} of {surface.budget:,}, "
            f"{surface.units:,} of {surface.most_units:,} characters",
            "bold",
        )
    for line in surface.lines if explain else ():
        _surface_line(line)
    if not surface.text:
        output.note("Nothing is injected.")
    if explain and surface.missed:
        output.say("Narrowly missed:", "bold")
        for line in surface.missed:
            _surface_line(line)


def _surface_line(line: SurfaceLine) -> None:
    parts = " + ".join(f"{name} {part:.2f}" for name, part in line.parts.items() if part)
    score = f"{line.kind} · {line.score:.2f}{f' = {parts}' if parts else ''}"
    output.item(
        short(line.id), (line.text, ""), (score, "dim"), (line.why, "dim"), width=views.SHORT_ID
    )


def status(status: Status) -> None:
    """Write the state of the stores, capture and the model."""
    where = f" ({status.root}, {status.branch})" if status.branch else f" ({status.root})"
    others = [f"{number:,} {name}" for name, number in status.counts.items() if name != "active"]
    kinds = sorted(status.kinds.items(), key=lambda pair: -pair[1])
    facts(
        (
            ("project", f"{status.project}{where}" if status.root else "none: global store only"),
            ("memories", ", ".join([f"{status.counts.get('active', 0):,} active", *others])),
            ("kinds", ", ".join(f"{number:,} {kind}" for kind, number in kinds)),
            ("stores", ", ".join(f"{scope}: {path}" for scope, path in status.stores.items())),
            ("captured", _captured(status)),
            ("model", _model(status)),
            ("waiting", _waiting(status)),
        )
    )
    for sentence in status.degraded:
        output.say(f"! {sentence}", "yellow")
    if not status.counts:
        output.say(views.NO_MEMORIES)


def _captured(status: Status) -> str:
    last = status.last_capture
    state = "paused" if status.paused else "nothing yet"
    if last is not None:
        error = f", failed: {last.error}" if last.error else f", {memories(last.stored)} kept"
        state = f"{'paused; ' if status.paused else ''}last {when(last.time)}{error}"
    failures = text.counted(status.failures, "failure")
    return f"{state}; {failures} this week" if status.failures else state


def _model(status: Status) -> str:
    """The language model, if one was chosen, and what it has cost today."""
    if status.extractor == "rules":
        return ""
    spent = f"${status.spent_everywhere:.4f} of ${status.daily_cap:g} spent today"
    here = f" (here ${status.spent:.4f})" if status.spent else ""
    return f"extractor {status.extractor}, {spent}{here}"


def _waiting(status: Status) -> str:
    parts = (
        (status.for_model, "session", "for the language model"),
        (status.queue, "record", "of hooks"),
        (status.to_review, "proposal", "to review"),
        (status.pending_embeddings, "vector", "to compute"),
    )
    return ", ".join(f"{text.counted(number, one)} {rest}" for number, one, rest in parts if number)


def imported(report: ImportReport) -> None:
    """Write the report of an import."""
    would = "Would keep" if report.dry_run else "Kept"
    counted = report.stored or report.arrivals or not report.dry_run
    found = report.stored if counted else report.candidates
    output.say(f"{would} {memories(found)}.", "bold")
    facts(
        (
            ("read", f"{text.counted(report.files, 'file')}, {text.size(report.bytes_read)}"
             if report.bytes_read else text.counted(report.files, "file")),
            ("nothing new in", text.counted(report.skipped, "file") if report.skipped else ""),
            ("suggested", _some(report.suggested, "cortex suggestions list")),
            ("quarantined", _some(report.quarantined, "cortex quarantine list")),
            ("already known", _some(report.merged)),
            ("updated", _some(report.updated)),
            ("newer here", _some(report.newer_here, "--force uses the files")),
            ("links", _some(report.linked)),
            ("refused", _reasons(report.refused)),
            ("took", f"{report.seconds:.1f} s"),
        )
    )  # fmt: skip
    news = [one for one in report.arrivals if one.what != "known"]
    output.show(views.ARRIVALS, news[:MOST_ARRIVALS], as_json=False)
    if len(news) > MOST_ARRIVALS:
        output.say(f"and {len(news) - MOST_ARRIVALS:,} more; --json lists all")
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
            output.show(views.MEMORIES, gone, as_json=False)
    if not (report.archived or report.pruned or report.expired):
        output.say("Nothing to archive or prune.")


def _some(number: int, see: str = "") -> str:
    more = f" ({see})" if see.startswith("-") else f" (see: {see})" if see else ""
    return f"{number:,}{more}" if number else ""


def _reasons(refused: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {reason}" for reason, number in refused.items())


def cut(content: str, longest: int) -> str:
    """`content`, shortened with an ellipsis to `longest` characters."""
    return content if len(content) <= longest else content[: longest - 1].rstrip() + "…"


def facts(pairs: Sequence[tuple[str, str]]) -> None:
    """Write named values, one per line; leave out empty ones."""
    present = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in present), default=0)
    for name, value in present:
        output.item(name, (value, ""), width=width)
