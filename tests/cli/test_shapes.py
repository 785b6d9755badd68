"""The documented shapes of `--json` are the printed ones."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest

from cortex_core import shapes
from cortex_core.records.captures import (
    ExportReport,
    Figures,
    HookTime,
    ImportedProject,
    ImportOutcome,
    ImportReport,
    LedgerEntry,
    Period,
    ProjectStatus,
    RuleRecord,
)
from cortex_core.records.changes import (
    Difference,
    FieldChange,
    JournalEntry,
    Revision,
    Verification,
)
from cortex_core.records.conversation import (
    Conversation,
    ConversationHit,
    ConversationImport,
    ConversationText,
    Erased,
    Message,
    ReplayReport,
    Said,
    Turn,
)
from cortex_core.records.hits import Hit, Parts
from cortex_core.records.kept_rules import Breach, Repeat, RepeatMonth, RepeatReport, RuleKept
from cortex_core.records.machines import (
    OtherMachine,
    RemoteState,
    SyncedRemote,
    SyncedStore,
    SyncReport,
    SyncStatus,
)
from cortex_core.records.memory import Context, Edge, Memory, Neighbour, Source
from cortex_core.records.project_code import Anchor, AnchoredMemory, CodeReport
from cortex_core.records.reflections import Core, ProcedureMatch, Recurrence, Reflection, Theme
from cortex_core.records.reviews import ConsolidationReport, Proposal
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

MEMORY = Memory(
    id="1f3a9c20",
    content="Use pnpm",
    title="Use pnpm",
    kind="preference",
    scope="project",
    tags=("tools",),
    globs=("*.json",),
    created=0.0,
)
EDGE = Edge(source="a", target="b", type="refines", created=86_400.0)
CHANGE = JournalEntry(number=1, time=0.0, actor="person", verb="pin", label="pin")
RECEIPT = Receipt(session="s", event="SessionStart", memory="m", time=0.0, tokens=9)
LINE = SurfaceLine(id="a", text="x", kind="fact", score=0.5, parts={"priority": 0.1}, tokens=3)
HANDED = HandedMemory(receipt=RECEIPT, kind="fact", content="Use pnpm", since="edited")
ANCHOR = Anchor(memory="m", kind="file", name="a.py", key="a.py")
OUTLOOK = Outlook(memory="m", line=3, lines=14, rank=2, score=0.5, reason="pinned")
REPEAT = Repeat(
    time=0.0,
    session="s",
    said="no, use pnpm",
    rule="Use pnpm.",
    source=Source(session="s", offset=9, time=0.0),
    before="Use pnpm",
    before_time=0.0,
    outcome="not given",
    why="it is archived",
    memory="m",
    title="Use pnpm",
    repairs=("restore",),
)
PERIOD = Period(start=0.0, sessions=2, captured=1, cost=0.25)
SNAPSHOT = Snapshot(Path("/p/x.db"), "20260917T120000", "import", 4096)
HIT = Hit(memory=MEMORY, score=1.25, parts=Parts(keyword=1.0, importance=0.25))

OUTCOME = ImportOutcome(
    what="new", title="Use pnpm", kind="preference", scope="project", file="a.md"
)
THEME = Theme(tags=("a", "b"), count=2, examples=("Use pnpm",))
RECURRENCE = Recurrence(memory=MEMORY, projects=("other",))
VERIFICATION = Verification(
    scope="project",
    file="/p/x.db",
    snapshot="",
    changes=1,
    compared={"memory": 1},
    unchecked={},
    differences=(Difference(table="memory", row="m", column="kind", problem="is odd"),),
)
CONVERSATION = Conversation(
    number=1,
    session="5f1c",
    scope="project",
    title="Why?",
    branch="main",
    folder="/p",
    model="m",
    started=0.0,
    ended=9.0,
    turns=1,
    messages=2,
    commits=0,
)
MESSAGE = Message(number=7, kind="command", text="make", uuid="u", succeeded=False)
PROPOSAL = Proposal(number=1, type="merge", members=("a", "b"), similarity=0.9)
IMPORTED = ImportedProject(
    folder="/p", files=2, stored=1, suggested=0, quarantined=0, id="1f3a9c20"
)
ITEM = Item(id="m", memory={"title": "Use pnpm"})

REMOTE = RemoteState(
    name="home",
    kind="folder",
    address="/mnt",
    encrypted=False,
    added=0.0,
    succeeded=None,
    error="",
    stores=("p",),
    here=("project",),
)

SHAPES = {
    "remote": (REMOTE,),
    "sync_report": (
        SyncReport(
            remotes=(
                SyncedRemote(
                    name="home", stores=(SyncedStore(scope="project", received={"laptop": 3}),)
                ),
            )
        ),
    ),
    "sync_status": (
        SyncStatus(
            machine="desk",
            remotes=(REMOTE,),
            waiting={"project": 1},
            after_session=False,
            machines=(OtherMachine(name="laptop", scope="project", heard=0.0, version="1"),),
        ),
    ),
    "source": (Source(session="s", time=0.0),),
    "context": (Context(files=("a.py",)),),
    "memory": (MEMORY,),
    "parts": (Parts(),),
    "code": (MEMORY,),
    "hit": (HIT,),
    "answer": ("which?", [HIT], ""),
    "edge": (EDGE,),
    "neighbour": (Neighbour(memory=MEMORY, edge=EDGE, depth=1, outgoing=True),),
    "change": (CHANGE,),
    "revision": (
        Revision(change=CHANGE, fields=(FieldChange(name="priority", before=5, after=8),)),
    ),
    "turn": (
        Turn(transcript="/t/s.jsonl", session="s", said=(Said(by="person", text="Use pnpm"),)),
    ),
    "conversation": (CONVERSATION,),
    "message": (MESSAGE,),
    "conversation_hit": (ConversationHit(conversation=CONVERSATION, message=MESSAGE, score=0.5),),
    "conversation_text": (
        ConversationText(conversation=CONVERSATION, messages=(MESSAGE,), learned={"u": ("a",)}),
    ),
    "erased": (Erased(conversation=CONVERSATION, memories=2, left=("a",)),),
    "receipt": (RECEIPT,),
    "ledger_entry": (LedgerEntry(number=1, time=0.0, event="Stop", refused={"question": 2}),),
    "surface_line": (LINE,),
    "outlook": (OUTLOOK,),
    "period": (PERIOD,),
    "figures": (
        Figures(
            unit="week",
            periods=(PERIOD,),
            memories=1,
            stored_tokens=9,
            hooks=(HookTime(event="SessionStart", count=1, mean=0.01, slowest=0.02),),
        ),
    ),
    "repeat": (REPEAT,),
    "repeat_month": (RepeatMonth(month="2026-11", first=2, not_given=1),),
    "repeat_report": (
        RepeatReport(since=0.0, months=(RepeatMonth(month="2026-11"),), cases=(REPEAT,)),
    ),
    "proposal": (PROPOSAL,),
    "consolidation": (ConsolidationReport(proposed=(PROPOSAL,), merged=(MEMORY,)),),
    "surface": (Surface(text="x", lines=(LINE,)),),
    "handed_memory": (HANDED,),
    "past_surface": (
        PastSurface(
            session="s",
            title="",
            began=0.0,
            branch="main",
            folder="/p",
            basis="handed over",
            note=None,
            handed=(HANDED,),
            limits=("x",),
        ),
    ),
    "status": (
        ProjectStatus(
            project="p",
            root="/p",
            branch="",
            stores={"project": "/p/x.db"},
            counts={},
            kinds={},
            to_review=0,
            pending_embeddings=0,
            queue=0,
            last_capture=None,
            failures=0,
            paused=False,
            trusted=True,
        ),
    ),
    "import_report": (
        ImportReport(refused={"fragment": 3}, outcomes=(OUTCOME,), projects=(IMPORTED,)),
    ),
    "conversation_import": (
        ConversationImport(files=1, skipped=0, bytes_read=9, conversations=1, messages=4),
    ),
    "replay_report": (
        ReplayReport(conversations=2, found=3, known=1, suggested=2, rules={"answer": 2}),
    ),
    "imported_project": (IMPORTED,),
    "import_outcome": (OUTCOME,),
    "export_report": (ExportReport(folder="v", memories=1, written=2, unchanged=0),),
    "procedure": (
        ProcedureMatch(memory=MEMORY, fit=0.5, reliability=0.75, successes=2, failures=0),
    ),
    "theme": (THEME,),
    "recurrence": (RECURRENCE,),
    "reflection": (
        Reflection(
            themes=(THEME,),
            shared_tags={"a": {"one": 1}},
            recurrences=(RECURRENCE,),
            most_used=(MEMORY,),
            insights=(MEMORY,),
            merges=0,
            superseded=0,
            to_review=0,
            last_consolidation=0.0,
        ),
    ),
    "core": (Core(text="# x", memories=("a",), tokens=3, active=1),),
    "lifecycle_report": (LifecycleReport(archived=(MEMORY,)),),
    "fading": (Fading(memory=MEMORY, fades=0.0, archives=86_400.0),),
    "rule": (
        RuleRecord(
            name="commit",
            help="x",
            tier="kept",
            setting="auto",
            default="kept",
            kept=1,
            discarded=0,
            lower=0.1,
            upper=0.9,
        ),
    ),
    "rule_kept": (RuleKept(memory=MEMORY, checkable=True, countable=True, since=0.0, kept=2),),
    "breach": (
        Breach(memory="m", number=1, session="s", turn=2, time=0.0, call="npm ci", before=False),
    ),
    "model": (ModelRecord(name="m", dimension=384, active=True, embedded=1, pending=0),),
    "secret_find": (SecretFind(location="memory 1", types=("password",)),),
    "secrets_report": (
        SecretsReport(found=(SecretFind(location="memory 1", types=("password",)),)),
    ),
    "anchor": (ANCHOR,),
    "anchored": (AnchoredMemory(memory=MEMORY, anchors=(ANCHOR,)),),
    "code_report": (CodeReport(indexed=(MEMORY,), files=("a.py",)),),
    "check": (CheckResult(name="disk", group="machine", state="ok", sentence="Well."),),
    "snapshot": (1, SNAPSHOT),
    "verification": (VERIFICATION,),
    "discarded": (Discarded("a", "Title", "project", 0.0),),
    "team_status": (
        TeamStatus(team="t", hub="ada@h/d", role="ada", sequence=1, read=0.0, memories=1, unseen=0),
    ),
    "team_member": (Member(role="ada", display="Ada", rights="member", joined=0.0),),
    "team_item": (ITEM,),
    "team_request": (Request(id="r", team="t", project="", kind="add", reason="x", items=(ITEM,)),),
    "team_hit": (
        HubHit(
            id="a",
            memory={"title": "x"},
            project="",
            author="ada",
            approver="ben",
            sequence=1,
            updated=0.0,
            score=0.5,
        ),
    ),
    "team_proposal": (ProposalReport(request="r", team="t", kind="add", memories=(MEMORY,)),),
    "team_pull": (PullReport(team="t", changed=1, sequence=1),),
    "setting": ("surface.tokens", 500),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_docstring_names_the_keys(name: str) -> None:
    function = getattr(shapes, name)
    shape = function(*SHAPES[name])
    told = re.search(r"`\{(.*?)\}`", inspect.getdoc(function) or "", re.DOTALL)
    assert told is not None
    assert re.findall(r'"(\w+)"', told[1]) == list(shape)
    json.dumps(shape, allow_nan=False)


def test_every_shape_is_tried() -> None:
    public = {
        name
        for name, function in inspect.getmembers(shapes, inspect.isfunction)
        if function.__module__ == shapes.__name__ and not name.startswith("_")
    }
    assert public - set(SHAPES) == {"moment", "detail", "review"}


def test_a_hit_is_exactly_this() -> None:
    assert shapes.hit(HIT) == {
        "id": "1f3a9c20",
        "title": "Use pnpm",
        "content": "Use pnpm",
        "kind": "preference",
        "scope": "project",
        "score": 1.25,
        "parts": {"keyword": 1.0, "semantic": 0.0, "graph": 0.0, "standing": 0.25},
        "code": None,
        "source": shapes.source(MEMORY.source),
        "revived": False,
        "outdated": "",
    }


def test_times_are_iso() -> None:
    assert shapes.edge(EDGE)["created"] == "1970-01-02T00:00:00Z"
    assert shapes.memory(MEMORY)["created"] == "1970-01-01T00:00:00Z"
    assert shapes.memory(MEMORY)["last_access"] is None
    assert shapes.snapshot(1, SNAPSHOT)["time"] == "2026-09-17T12:00:00Z"


def test_detail_is_a_memory_and_more() -> None:
    detail = Detail(
        memory=MEMORY,
        edges=(EDGE,),
        history=(CHANGE,),
        receipts=(RECEIPT,),
        importance={"priority": 0.1},
        most_importance={},
        fades=None,
    )
    shape = shapes.detail(detail)
    assert set(shapes.memory(MEMORY)) < set(shape)
    assert [len(shape[name]) for name in ("edges", "history", "receipts")] == [1, 1, 1]
    assert shape["fades"] is shape["next_start"] is None
    assert shapes.detail(detail, OUTLOOK)["next_start"]["line"] == 3
