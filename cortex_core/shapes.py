"""The JSON of every object that `--json` and HTTP return. These shapes are kept stable.

Times are ISO 8601 in UTC; an unknown value is null, an empty list is []. Where Python has another
name than JSON, the function says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from cortex_core.base import settings
from cortex_core.base.text import iso
from cortex_core.records.fields import FIELDS, first, source_values

if TYPE_CHECKING:
    from cortex_core.records.captures import (
        ExportReport,
        Figures,
        ImportedProject,
        ImportOutcome,
        ImportReport,
        LedgerEntry,
        Period,
        ProjectStatus,
        RuleRecord,
    )
    from cortex_core.records.changes import JournalEntry, Revision, Verification
    from cortex_core.records.conversation import (
        Conversation,
        ConversationHit,
        ConversationImport,
        ConversationText,
        Erased,
        Message,
        ReplayReport,
        Turn,
    )
    from cortex_core.records.hits import Hit, Parts
    from cortex_core.records.kept_rules import Breach, Repeat, RepeatMonth, RepeatReport, RuleKept
    from cortex_core.records.machines import RemoteState, SyncReport, SyncStatus
    from cortex_core.records.memory import Context, Edge, Memory, Neighbour, Source
    from cortex_core.records.project_code import Anchor, AnchoredMemory, CodeReport
    from cortex_core.records.reflections import Core, ProcedureMatch, Recurrence, Reflection, Theme
    from cortex_core.records.reviews import ConsolidationReport, Proposal, Review
    from cortex_core.records.surfaces import (
        HandedMemory,
        Outlook,
        PastSurface,
        Receipt,
        Surface,
        SurfaceLine,
    )
    from cortex_core.records.teams import (
        HubHit,
        Item,
        Member,
        ProposalReport,
        PullReport,
        Request,
        TeamStatus,
    )
    from cortex_core.records.upkeep import (
        CheckResult,
        Detail,
        Fading,
        LifecycleReport,
        ModelRecord,
        SecretFind,
        SecretsReport,
    )
    from cortex_core.store.snapshots import Snapshot
    from cortex_core.store.trash import Discarded

Shape = dict[str, Any]


def moment(time: float | None) -> str | None:
    """`time` as ISO 8601, or None."""
    return None if time is None else iso(time)


def _plain(value: Any) -> Any:
    """`value` as JSON has it: numbers to six places, tuples as lists."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value


def _shape(item: Any, published: Mapping[str, str] | None = None, /, **instead: Any) -> Shape:
    """The fields of the dataclass `item` in their order, those in `instead` replaced or added.

    Args:
        published: the JSON names of fields that are called otherwise in Python.
    """
    names = published or {}
    named = {names.get(each.name, each.name): getattr(item, each.name) for each in fields(item)}
    return {name: _plain(value) for name, value in {**named, **instead}.items()}


def source(source: Source) -> Shape:
    """`{"rule","author","session","place","message","offset","transcript","time"}`."""
    return {**source_values(source), "time": moment(source.time)}


def context(context: Context) -> Shape:
    """`{"branch","commit","folder","files"}`."""
    return _shape(context)


def memory(memory: Memory) -> Shape:
    """A memory whole; `globs` are the files it applies to, `sources` are read by `show` only, and
    `band` is the name of its confidence: active, fading, dormant or archived.

    `{KEYS}`
    """
    shape: Shape = {"band": memory.band}
    for one in FIELDS:
        if one.part == "source":
            shape["source"] = source(memory.source)
            shape["sources"] = [source(each) for each in memory.sources]
        elif one.part == "context":
            shape["context"] = context(memory.context)
        else:
            value = one.get(memory)
            shape[one.name] = moment(value) if one.form == "time" else _plain(value)
    return first(shape, _MEMORY_FIRST)


_MEMORY_FIRST = (
    "id",
    "title",
    "content",
    "kind",
    "scope",
    "status",
    "tags",
    "priority",
    "pinned",
    "confidence",
    "band",
    "initial_confidence",
    "inject",
    "globs",
    "source",
    "sources",
    "context",
)
_KEYS = dict.fromkeys((*(one.part or one.name for one in FIELDS), "sources", "band"))
memory.__doc__ = str(memory.__doc__).replace(
    "KEYS", ",".join(f'"{name}"' for name in first(_KEYS, _MEMORY_FIRST))
)


def detail(detail: Detail, next_start: Outlook | None = None) -> Shape:
    """A memory's fields, and `"edges","history","receipts","standing","fades","next_start"`;
    `standing` has the parts of its importance, `next_start` says whether it is injected."""
    return {
        **memory(detail.memory),
        "edges": [edge(each) for each in detail.edges],
        "history": [change(each) for each in detail.history],
        "receipts": [receipt(each) for each in detail.receipts],
        "standing": _plain(detail.importance),
        "fades": moment(detail.fades),
        "next_start": None if next_start is None else outlook(next_start),
    }


def outlook(outlook: Outlook) -> Shape:
    """Whether a memory is injected next: `line` is 0 where it is not, `rank` where it was not
    compared with others.

    `{"memory","line","lines","rank","score","reason"}`
    """
    return _shape(outlook)


def proposal(proposal: Proposal) -> Shape:
    """`{"number","type","members","similarity","reasons","conflicts","text","fingerprint","status",
    "created"}`."""
    return _shape(proposal, created=moment(proposal.created))


def review(review: Review) -> Shape:
    """A proposal's fields, and
    `"scope","memories","merged","lost","inherits","edges","advice","changed"`."""
    return {
        **proposal(review.proposal),
        "scope": review.scope,
        "memories": [memory(each) for each in review.members],
        "merged": review.text,
        "lost": list(review.lost),
        "inherits": memory(review.heir),
        "edges": review.edges,
        "advice": review.advice,
        "changed": review.changed,
    }


def consolidation(report: ConsolidationReport) -> Shape:
    """`{"compared","proposed","merged","dry_run"}`."""
    return _shape(
        report,
        proposed=[proposal(each) for each in report.proposed],
        merged=[memory(each) for each in report.merged],
    )


def parts(parts: Parts) -> Shape:
    """`{"keyword","semantic","graph","standing"}`, which sum to the score; `standing` is the
    importance of the memory itself."""
    return _shape(parts, {"importance": "standing"})


def code(memory: Memory) -> Shape:
    """The code a hit describes: `{"id","title","content","files","details"}`."""
    return {
        "id": memory.id,
        "title": memory.title,
        "content": memory.content,
        "files": list(memory.context.files or memory.globs),
        "details": _plain(memory.details),
    }


def hit(hit: Hit) -> Shape:
    """A recall hit; `code` may be null. `revived`: it had faded, and is active again. `outdated`:
    what it names that the project no longer has, or states otherwise; empty for nothing.

    `{"id","title","content","kind","scope","score","parts","code","source","revived","outdated"}`
    """
    return {
        "id": hit.memory.id,
        "title": hit.memory.title,
        "content": hit.memory.content,
        "kind": hit.memory.kind,
        "scope": hit.memory.scope,
        "score": _plain(hit.score),
        "parts": parts(hit.parts),
        "code": None if hit.code is None else code(hit.code),
        "source": source(hit.memory.source),
        "revived": hit.revived,
        "outdated": hit.memory.outdated,
    }


def answer(query: str, hits: Sequence[Hit], degraded: str) -> Shape:
    """`{"query","hits","degraded"}`, a line of `recall --batch`.

    `degraded`: why search by meaning was not complete, such as memories that wait for vectors.
    """
    return {"query": query, "hits": [hit(each) for each in hits], "degraded": degraded}


def edge(edge: Edge) -> Shape:
    """`{"source","target","type","strength","directed","context","created"}`."""
    return _shape(edge, created=moment(edge.created))


def neighbour(neighbour: Neighbour) -> Shape:
    """`{"memory","edge","depth","outgoing"}`."""
    return _shape(neighbour, memory=memory(neighbour.memory), edge=edge(neighbour.edge))


def change(change: JournalEntry) -> Shape:
    """Numbers count per store; entries of one action, in both stores, share `action`.

    `{"number","time","actor","verb","label","scope","action","memories","undoes","undone_by","of",
    "elsewhere","machine","sentence"}`
    """
    made = _shape(change, time=moment(change.time), sentence=change.sentence)
    made.pop("here")  # only the app has something to compare it with
    return made


def revision(revision: Revision) -> Shape:
    """A change with what it set: each of `fields` is `name`, `before`, `after`.

    `{"number","time","actor","verb","label","scope","action","memories","undoes","undone_by","of",
    "elsewhere","machine","sentence","fields"}`
    """
    return {**change(revision.change), "fields": [_shape(field) for field in revision.fields]}


def turn(turn: Turn) -> Shape:
    """Where a memory came from; each of `said` is `by`, `text`, `time`, `here`.

    `{"transcript","session","said","moved","differs","archived"}`
    """
    return _shape(turn, said=[_shape(one, time=moment(one.time)) for one in turn.said])


def conversation(conversation: Conversation) -> Shape:
    """One session as the archive has it; `memories` are how many were learned in it.

    `{"session","scope","title","branch","folder","model","started","ended","turns","messages",
    "commits","memories","transcript"}`
    """
    shape = _shape(
        conversation, started=moment(conversation.started), ended=moment(conversation.ended)
    )
    del shape["number"]
    return shape


def erased(erased: Erased) -> Shape:
    """What was removed for good with a conversation.

    `{"session","memories","removed","left"}`; `left` are sentences, `removed` snapshots' paths.
    """
    return {
        "session": erased.conversation.session,
        "memories": erased.memories,
        "removed": list(erased.removed),
        "left": list(erased.left),
    }


def message(message: Message) -> Shape:
    """`succeeded` is null where that is not known, and of what is no command.

    `{"number","kind","text","time","uuid","offset","branch","model","succeeded"}`
    """
    return _shape(message, time=moment(message.time))


def conversation_hit(hit: ConversationHit) -> Shape:
    """A conversation that a search found; `message` is the one of its messages that fits best.

    `{"session","scope","title","branch","folder","model","started","ended","turns","messages",
    "commits","memories","transcript","score","message"}`
    """
    found = {"score": _plain(hit.score), "message": message(hit.message)}
    return {**conversation(hit.conversation), **found}


def conversation_text(text: ConversationText) -> Shape:
    """A conversation that is read: `conversation`, and `messages`, each with the ids of the
    `memories` that were learned from it.

    `{"conversation","messages"}`
    """
    return {
        "conversation": conversation(text.conversation),
        "messages": [
            {**message(each), "memories": list(text.learned.get(each.uuid, ()))}
            for each in text.messages
        ],
    }


def receipt(receipt: Receipt) -> Shape:
    """`{"session","event","memory","time","tokens","used","evidence"}`; used is null if unknown."""
    return _shape(receipt, time=moment(receipt.time))


def ledger_entry(entry: LedgerEntry) -> Shape:
    """A hook event or a capture; `refused` counts by reason, `cost` is in US dollars. `waits`: a
    hook reported a session that was not read since; `title`: the first words of the session.

    `{"number","time","event","session","transcript","extractor","bytes_read","candidates",
    "stored","suggested","merged","refused","tokens","cost","seconds","error","waits","title"}`
    """
    return _shape(entry, time=moment(entry.time))


def surface_line(line: SurfaceLine) -> Shape:
    """`{"id","text","kind","score","parts","tokens","why","section"}`."""
    return _shape(line)


def surface(surface: Surface) -> Shape:
    """`{"text","lines","missed","tokens","units","budget","most_units"}`.

    `units` are UTF-16 and never above `most_units`; `budget` is in tokens.
    """
    return _shape(
        surface,
        lines=[surface_line(line) for line in surface.lines],
        missed=[surface_line(line) for line in surface.missed],
    )


def handed_memory(handed: HandedMemory) -> Shape:
    """A memory that a session was given, with its words of that time; they are empty where they are
    not known any more. `since` says what has become of it.

    `{"memory","event","time","tokens","used","evidence","kind","title","content","since"}`
    """
    given = receipt(handed.receipt)
    del given["session"]
    order = ("memory", "event", "time", "tokens", "used", "evidence")
    own = {name: getattr(handed, name) for name in ("kind", "title", "content", "since")}
    return {**{name: given[name] for name in order}, **own}


def past_surface(past: PastSurface) -> Shape:
    """What a session was given. `basis` is `handed over` (receipts) or `rebuilt` (none); `note` is
    a surface, or null where only `handed` is certain; `limits` says what may have been otherwise.

    `{"session","title","began","branch","folder","basis","note","handed","limits"}`
    """
    return _shape(
        past,
        began=moment(past.began),
        note=None if past.note is None else surface(past.note),
        handed=[handed_memory(each) for each in past.handed],
        limits=list(past.limits),
    )


def status(status: ProjectStatus) -> Shape:
    """`last_capture` is a ledger entry or null; `counts` is by status, `kinds` of the active ones.

    `{"project","root","branch","stores","counts","kinds","to_review","pending_embeddings",
    "queue","pending","last_capture","last_reading","connected","failures","sessions","captured","again",
    "conversations","archive_bytes","spent","extractor","for_model","spent_everywhere","daily_cap","paused","trusted","problem",
    "degraded","rules"}`

    `rules` is `checked`, `kept`, `occasions` and `breaches`, as far as that is recorded.
    """
    last = status.last_capture
    entry = None if last is None else ledger_entry(last)
    return _shape(
        status,
        last_capture=entry,
        last_reading=moment(status.last_reading),
        rules=_shape(status.rules),
    )


def rule_kept(rule: RuleKept) -> Shape:
    """How often a rule was kept; the counts before it was one are of their own.

    `{"id","title","triggers","state","countable","since","kept","broken","kept_before",
    "broken_before","last_breach","right_ways"}`
    """
    return {
        "id": rule.memory.id,
        "title": rule.memory.title,
        "triggers": list(rule.memory.triggers),
        "state": rule.state,
        "countable": rule.countable,
        "since": moment(rule.since),
        "kept": rule.kept,
        "broken": rule.broken,
        "kept_before": rule.kept_before,
        "broken_before": rule.broken_before,
        "last_breach": moment(rule.last_breach),
        "right_ways": list(rule.right_ways),
    }


def breach(breach: Breach) -> Shape:
    """A call that broke a rule; `turn` is counted from 1, `before`: it was no rule then.

    `{"memory","number","session","turn","time","call","before"}`
    """
    return _shape(breach, time=moment(breach.time))


def period(period: Period) -> Shape:
    """One week or day of the figures; `cost` is in US dollars.

    `{"start","sessions","captured","learned","injected","tokens","used","unused","cost"}`
    """
    return _shape(period, start=moment(period.start))


def figures(figures: Figures) -> Shape:
    """`unit` is week or day; each of `hooks` is `event`, `count`, `mean`, `slowest` (seconds).

    `{"unit","periods","memories","stored_tokens","hooks"}`
    """
    return _shape(
        figures,
        periods=[period(each) for each in figures.periods],
        hooks=[_shape(each) for each in figures.hooks],
    )


def repeat(case: Repeat) -> Shape:
    """One time that something was said again; `outcome` is not learned, not given or not followed.

    `{"time","session","said","rule","source","before","before_time","outcome","why","memory","title",
    "repairs"}`
    """
    return _shape(
        case,
        time=moment(case.time),
        before_time=moment(case.before_time),
        source=source(case.source),
    )


def repeat_month(month: RepeatMonth) -> Shape:
    """`again` counts what had been said before, `first` what had not; `followed` are tool calls.

    `{"month","first","not_learned","not_given","not_followed","followed","again"}`
    """
    return _shape(month, again=month.again)


def repeat_report(report: RepeatReport) -> Shape:
    """`unread` sessions still have to be read for corrections.

    `{"since","months","cases","unread"}`
    """
    return _shape(
        report,
        since=moment(report.since),
        months=[repeat_month(each) for each in report.months],
        cases=[repeat(each) for each in report.cases],
    )


def import_report(report: ImportReport) -> Shape:
    """`refused` counts by reason; `problems` and `elsewhere` are sentences and folders.

    `{"files","skipped","resumed","bytes_read","candidates","stored","suggested","quarantined","merged",
    "updated","newer_here","linked","prompts","refused","problems","elsewhere","arrivals","dry_run",
    "seconds","id","projects"}`
    """
    return _shape(
        report,
        {"outcomes": "arrivals"},
        arrivals=[import_outcome(each) for each in report.outcomes],
        projects=[imported_project(each) for each in report.projects],
    )


def conversation_import(report: ConversationImport) -> Shape:
    """What copies of transcripts gave the archive; `files` are those with something new.

    `{"files","skipped","bytes_read","conversations","messages","problems","dry_run","seconds"}`
    """
    return _shape(report)


def replay_report(report: ReplayReport) -> Shape:
    """What reading the archive again gave; `rules` counts what each suggested.

    `{"conversations","found","known","suggested","quarantined","rules","dry_run","seconds","id"}`
    """
    return _shape(report)


def imported_project(project: ImportedProject) -> Shape:
    """What an import of all projects did in one: `files` are sessions read, `id` is for its lists.

    `{"folder","files","stored","suggested","quarantined","id"}`
    """
    return _shape(project)


def import_outcome(outcome: ImportOutcome) -> Shape:
    """One memory of an import of Markdown and what came of it; `place` is its file.

    `{"what","title","kind","scope","place","id"}`
    """
    return _shape(outcome, {"file": "place"})


def export_report(report: ExportReport) -> Shape:
    """`{"folder","memories","written","unchanged","removed","left"}`; the last two list files."""
    return _shape(report)


def procedure(match: ProcedureMatch) -> Shape:
    """`{"memory","fit","reliability","successes","failures"}`; the last two are counts."""
    return _shape(match, memory=memory(match.memory))


def theme(theme: Theme) -> Shape:
    """`{"tags","count","examples"}`."""
    return _shape(theme)


def recurrence(recurrence: Recurrence) -> Shape:
    """`{"memory","projects","suggestion"}`; the suggestion is an id, empty where there is none."""
    return _shape(recurrence, memory=memory(recurrence.memory))


def reflection(seen: Reflection) -> Shape:
    """`shared_tags` counts memories by tag and project; `merges` and `superseded` are counts.

    `{"themes","shared_tags","recurrences","most_used","insights","merges","superseded",
    "to_review","last_consolidation","projects","dry_run"}`
    """
    return _shape(
        seen,
        themes=[theme(each) for each in seen.themes],
        recurrences=[recurrence(each) for each in seen.recurrences],
        most_used=[memory(each) for each in seen.most_used],
        insights=[memory(each) for each in seen.insights],
        last_consolidation=moment(seen.last_consolidation),
    )


def core(core: Core) -> Shape:
    """`{"text","memories","tokens","active"}`; memories are ids in the order of the text."""
    return _shape(core)


def lifecycle_report(report: LifecycleReport) -> Shape:
    """`{"archived","pruned","expired","dry_run"}`; the first three are lists of memories."""
    return _shape(
        report,
        archived=[memory(each) for each in report.archived],
        pruned=[memory(each) for each in report.pruned],
        expired=[memory(each) for each in report.expired],
    )


def fading(fading: Fading) -> Shape:
    """`{"memory","fades","archives"}`."""
    return {
        "memory": memory(fading.memory),
        "fades": moment(fading.fades),
        "archives": moment(fading.archives),
    }


def rule(rule: RuleRecord) -> Shape:
    """`{"name","help","tier","setting","default","kept","discarded","lower","upper"}`."""
    return _shape(rule)


def model(model: ModelRecord) -> Shape:
    """`{"name","dimension","active","embedded","pending","note"}`."""
    return _shape(model)


def anchor(anchor: Anchor) -> Shape:
    """Something that a memory names; `state` is fresh, moved, gone, contradicted or confirmed.

    `{"memory","kind","name","key","value","path","line","commit","state","since","now"}`
    """
    return _shape(anchor, since=moment(anchor.since))


def anchored(each: AnchoredMemory) -> Shape:
    """A memory and what it names; `outdated` is empty where nothing of that is known to have
    changed.

    `{"memory","title","outdated","anchors"}`
    """
    return {
        "memory": each.memory.id,
        "title": each.memory.title,
        "outdated": each.memory.outdated,
        "anchors": [anchor(one) for one in each.anchors],
    }


def code_report(report: CodeReport) -> Shape:
    """`indexed` and `gone` are memories, `files` paths; `replaced` counts old descriptions.

    `{"indexed","files","unchanged","replaced","gone","problems","dry_run"}`
    """
    return _shape(
        report,
        indexed=[memory(each) for each in report.indexed],
        gone=[memory(each) for each in report.gone],
    )


def secret_find(find: SecretFind) -> Shape:
    """`{"place","sorts","memory"}`: where, which types of secret; the secret is never printed."""
    return _shape(find, {"location": "place", "types": "sorts"})


def secrets_report(report: SecretsReport) -> Shape:
    """`{"found","left","removed","dry_run"}`; `left` are sentences, `removed` snapshots' paths."""
    return _shape(report, found=[secret_find(each) for each in report.found])


def check(result: CheckResult) -> Shape:
    """One check of the doctor; `state` is ok, warning, failed or skipped.

    `{"name","group","state","sentence","next_step","fixable","fixed"}`
    """
    return _shape(result)


def verification(result: Verification) -> Shape:
    """A store compared with its journal.

    `{"scope","file","snapshot","changes","compared","unchecked","differences"}`; each difference is
    `{"table","row","column","problem","expected","found"}`, `snapshot` is "" where the journal
    leads back to the start.
    """
    return _shape(result, differences=[_shape(each) for each in result.differences])


def snapshot(number: int, snapshot: Snapshot) -> Shape:
    """`{"number","time","why","size","path"}`; number 1 is the newest, size is in bytes."""
    stamp = snapshot.time
    day = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"
    return {
        "number": number,
        "time": f"{day}T{stamp[9:11]}:{stamp[11:13]}:{stamp[13:15]}Z",
        "why": snapshot.why,
        "size": snapshot.size,
        "path": str(snapshot.path),
    }


def discarded(item: Discarded) -> Shape:
    """`{"id","title","scope","time"}`, a memory in the trash."""
    return {**item._asdict(), "time": moment(item.time)}


def team_status(status: TeamStatus) -> Shape:
    """The team that a project follows.

    `{"team","hub","role","sequence","read","memories","unseen","waiting","behind","problem"}`;
    `waiting` and `behind` are null where the hub was not asked.
    """
    return _shape(status, read=moment(status.read or None))


def team_member(member: Member) -> Shape:
    """`{"role","display","rights","joined","departed","version","seen"}`; role is the login."""
    times = {name: moment(getattr(member, name)) for name in ("joined", "departed", "seen")}
    return _shape(member, **times)


def team_item(item: Item) -> Shape:
    """`{"id","memory","base","author"}`; memory is null for one that is removed.

    `base` is the entry of the team's log that it builds on, 0 for a new one.
    """
    return _shape(item)


def team_request(request: Request) -> Shape:
    """A request, with the memories that it proposes.

    `{"id","team","project","kind","reason","items","author","created","status","decided_by",
    "decided","note","sequence"}`; `team` and `project` are keys.
    """
    return _shape(
        request,
        created=moment(request.created),
        decided=moment(request.decided),
        items=[team_item(item) for item in request.items],
    )


def team_hit(hit: HubHit) -> Shape:
    """`{"id","memory","project","author","approver","sequence","updated","score"}`.

    `project` is the key of the memory's project, empty for all of the team's; `sequence` is the
    entry of the log that wrote it.
    """
    return _shape(hit, memory=dict(hit.memory), updated=moment(hit.updated))


def team_proposal(report: ProposalReport) -> Shape:
    """`{"request","team","kind","memories"}`, a request that was sent."""
    return _shape(report, memories=[memory(each) for each in report.memories])


def team_pull(report: PullReport) -> Shape:
    """`{"team","changed","sequence","problems"}`, what was read from a hub."""
    return _shape(report)


def setting(name: str, value: Any) -> Shape:
    """`{"name","value","default","allowed","help"}`, of the setting called `name`."""
    known = settings.find(name)
    return {
        "name": name,
        "value": _plain(value),
        "default": _plain(known.default),
        "allowed": known.allowed,
        "help": known.help,
    }


def sync_report(report: SyncReport) -> Shape:
    """What an exchange did: each of `remotes` is `name`, `stores`, `error`, `kept`; each of their
    `stores` is `scope`, `sent`, `received` (by machine), `versions`, `problems`.

    `{"sent","received","versions","failed","dry_run","remotes"}`
    """
    return {
        "sent": report.sent,
        "received": dict(report.received),
        "versions": report.versions,
        "failed": report.failed,
        "dry_run": report.dry_run,
        "remotes": [
            _shape(remote, stores=[_shape(store) for store in remote.stores])
            for remote in report.remotes
        ],
    }


def remote(remote: RemoteState) -> Shape:
    """`{"name","kind","address","encrypted","added","succeeded","error","stores","here"}`."""
    return _shape(remote, added=moment(remote.added), succeeded=moment(remote.succeeded))


def sync_status(status: SyncStatus) -> Shape:
    """`waiting` is by scope; each of `machines` is `name`, `scope`, `heard`, `version`, `problem`.

    `{"machine","remotes","waiting","machines","after_session","versions"}`
    """
    return _shape(
        status,
        remotes=[remote(each) for each in status.remotes],
        machines=[_shape(each, heard=moment(each.heard)) for each in status.machines],
    )
