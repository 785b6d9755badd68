"""How each type of row looks in a table."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from cortex_core import shapes, text
from cortex_core.cli.output import Column, View

if TYPE_CHECKING:
    from cortex_core.memory import Memory, Neighbour
    from cortex_core.records import Change, LedgerEntry, Receipt
    from cortex_core.reports.care import ModelRecord
    from cortex_core.reports.curation import Fading, Review, RuleRecord
    from cortex_core.reports.detail import Revision
    from cortex_core.reports.exchange import ImportOutcome
    from cortex_core.reports.practice import ProcedureMatch
    from cortex_core.storage.discarded import Discarded
    from cortex_core.storage.snapshots import Snapshot

_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")

SHORT_ID = 8
"""Number of characters of an id in tables; enough to identify a memory."""

NO_MEMORIES = "No memories yet. Try: cortex import transcripts"


def short(id: str) -> str:
    """The first characters of an id."""
    return id[:SHORT_ID]


def when(moment: float | None) -> str:
    """A time in the user's time zone, to the minute; empty for None."""
    if moment is None:
        return ""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


def day(moment: float) -> str:
    """The day of a time in the user's time zone."""
    return when(moment)[:10]


def age(moment: float) -> str:
    """How long ago a time was, in short form."""
    return text.ago(moment, time.time())


def memories(number: int) -> str:
    """`number` memories, in words."""
    return text.counted(number, "memory", "memories")


_STALE = {"changed": "code changed since", "gone": "file is gone"}


def marks(memory: Memory) -> list[str]:
    """What is unusual about a memory: pinned, its status, its injection policy."""
    words = ["pinned"] if memory.pinned else []
    words += [memory.status] if memory.status != "active" else []
    words += [_STALE[memory.details["stale"]]] if memory.details.get("stale") in _STALE else []
    return words + ([f"inject {memory.inject}"] if memory.inject != "normal" else [])


_ID = Column("id", "cyan")
_KIND = Column("kind", "magenta")

MEMORIES: View[Memory] = View(
    shapes.memory,
    (_ID, _KIND, Column("prio", right=True), Column("age", right=True),
     Column("title", fills=True), Column("", "yellow")),
    lambda memory: (
        short(memory.id), memory.kind, str(memory.priority), age(memory.updated), memory.title,
        ", ".join(marks(memory)),
    ),
)  # fmt: skip

NEIGHBOURS: View[Neighbour] = View(
    shapes.neighbour,
    (Column("depth", right=True), Column("link", "magenta"), _ID, Column("title", fills=True)),
    lambda near: (
        str(near.depth),
        f"{'' if near.outgoing else '<- '}{near.edge.type}{' ->' if near.outgoing else ''}",
        short(near.memory.id),
        near.memory.title,
    ),
)

REVIEWS: View[Review] = View(
    shapes.review,
    (Column("no", right=True), Column("store"), Column("similarity", right=True),
     Column("advice", "magenta"), Column("memories", fills=True), Column("", "yellow")),
    lambda seen: (
        str(seen.proposal.number), "" if seen.scope == "project" else seen.scope,
        f"{seen.proposal.similarity:.2f}", seen.advice,
        " | ".join(one.title for one in seen.members), "; ".join(seen.proposal.conflicts[:1]),
    ),
)  # fmt: skip

CHANGES: View[Change] = View(
    shapes.change,
    (Column("no", right=True), Column("store"), Column("when"), Column("by"),
     Column("change", fills=True), Column("", "yellow")),
    lambda change: (
        str(change.number), "" if change.scope == "project" else change.scope, when(change.time),
        change.actor, change.label, "undone" if change.undone_by else "",
    ),
)  # fmt: skip

REVISIONS: View[Revision] = View(
    shapes.revision,
    (Column("when"), Column("by"), Column("change", "magenta"), Column("values", fills=True)),
    lambda made: (
        when(made.change.time), made.change.actor, made.change.verb,
        "; ".join(f"{each.name}: {_shown(each.before)} -> {_shown(each.after)}"
                  for each in made.fields),
    ),
    stacked=True,
)  # fmt: skip

RECEIPTS: View[Receipt] = View(
    shapes.receipt,
    (Column("injected"), Column("at"), _ID, Column("tokens", right=True), Column("used"),
     Column("session", fills=True)),
    lambda receipt: (
        when(receipt.time), receipt.event, short(receipt.memory), str(receipt.tokens),
        {True: "used", False: "unused", None: "unknown"}[receipt.used], receipt.session,
    ),
)  # fmt: skip

LEDGER: View[LedgerEntry] = View(
    shapes.ledger_entry,
    (Column("when"), Column("event"), Column("read", right=True), Column("found", right=True),
     Column("kept", right=True), Column("sugg", right=True), Column("merged", right=True),
     Column("refused or failed", fills=True)),
    lambda entry: (
        when(entry.time), entry.event, text.size(entry.bytes_read), str(entry.candidates),
        str(entry.stored), str(entry.suggested), str(entry.merged), _refused(entry),
    ),
)  # fmt: skip

TRASH: View[Discarded] = View(
    shapes.discarded,
    (_ID, Column("pruned"), Column("store"), Column("title", fills=True)),
    lambda item: (item.id, when(item.time), item.scope, item.title),
)

SNAPSHOTS: View[tuple[int, Snapshot]] = View(
    lambda numbered: shapes.snapshot(*numbered),
    (Column("no", right=True), Column("taken"), Column("size", right=True), Column("why"),
     Column("file", fills=True)),
    lambda numbered: (
        str(numbered[0]), shapes.snapshot(*numbered)["time"], text.size(numbered[1].size),
        numbered[1].why, numbered[1].path.name,
    ),
)  # fmt: skip

RULES: View[RuleRecord] = View(
    shapes.rule,
    (Column("rule", "cyan"), Column("finds are", "magenta"), Column("set to"), Column("verdicts"),
     Column("what it finds", fills=True)),
    lambda rule: (
        rule.name, rule.tier, "" if rule.setting == "auto" else f"set to {rule.setting}",
        _judged(rule), rule.help,
    ),
)  # fmt: skip

MODELS: View[ModelRecord] = View(
    shapes.model,
    (Column("model"), Column("use"), Column("size"), Column("done"), Column("open"),
     Column("note", fills=True)),
    lambda model: (
        model.name, "in use" if model.active else "", f"{model.dimension} dimensions",
        f"{model.embedded:,} embedded" if model.embedded else "",
        f"{model.pending:,} to embed" if model.active and model.pending else "", model.note,
    ),
    stacked=True,
)  # fmt: skip

FADING: View[Fading] = View(
    shapes.fading,
    (_ID, _KIND, Column("decays"), Column("archived"), Column("title", fills=True)),
    lambda fading: (
        short(fading.memory.id), fading.memory.kind, day(fading.fades), day(fading.archives),
        fading.memory.title,
    ),
)  # fmt: skip

EPISODES: View[Memory] = View(
    shapes.memory,
    (_ID, Column("when"), Column("outcome", "magenta"), Column("what", fills=True),
     Column("tags")),
    lambda one: (
        short(one.id), when(one.created), text.one_line(str(one.details.get("outcome", ""))),
        one.title, ", ".join(one.tags),
    ),
)  # fmt: skip

PROCEDURES: View[ProcedureMatch] = View(
    shapes.procedure,
    (_ID, Column("fit", right=True), Column("reliability", right=True), Column("worked"),
     Column("task", fills=True), Column("steps", right=True)),
    lambda one: (
        short(one.memory.id), "" if one.fit == 1 else f"{one.fit:.0%}", f"{one.reliability:.0%}",
        tried(one), one.memory.title, str(len(one.memory.details.get("steps", ()))),
    ),
)  # fmt: skip

ARRIVALS: View[ImportOutcome] = View(
    shapes.arrival,
    (Column("what", "yellow"), Column("kind", "magenta"), Column("store"),
     Column("title", fills=True), Column("file")),
    lambda one: (
        one.what, one.kind, "" if one.scope == "project" else one.scope, one.title,
        one.place.rpartition("/")[2],
    ),
)  # fmt: skip

SETTINGS: View[tuple[str, Any]] = View(
    lambda pair: shapes.setting(*pair),
    (Column("setting", "cyan"), Column("value", "magenta"), Column("what", fills=True)),
    lambda pair: (pair[0], value(pair[1]), shapes.setting(*pair)["help"]),
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
    return _UUID.sub(lambda found: short(found[0]), text.one_line(str(value))[:400]) or "empty"


def _judged(rule: RuleRecord) -> str:
    return f"{rule.kept} kept, {rule.discarded} discarded" if rule.kept or rule.discarded else ""


def _refused(entry: LedgerEntry) -> str:
    """What was refused or failed; for a language model also its name and cost."""
    outcome = entry.error or _reasons(entry)
    if entry.extractor in ("", "rules") and not entry.cost:
        return outcome
    paid = f"{entry.extractor or 'model'} ${entry.cost:.4f}"
    return f"{paid}, {outcome}" if outcome else paid


def _reasons(entry: LedgerEntry) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in entry.refused.items())
