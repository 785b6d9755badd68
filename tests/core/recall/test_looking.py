"""Looking at memories changes nothing, a recall that nothing answers says so, and what faded comes
back where it alone is the answer."""

from __future__ import annotations

import json

import pytest

from cortex_core import Cortex
from cortex_core.embeddings.local import ShippedModel
from cortex_core.embeddings.protocol import QueryEncoding
from cortex_core.records.events import Event
from cortex_core.records.hits import Hit, Parts
from cortex_core.records.memory import Memory, RecallMode
from cortex_core.records.surfaces import Receipt
from cortex_core.search.candidates import COMPARED
from cortex_core.search.recall import MOST_UNSURE, UNSURE, WAITS, without_tail
from cortex_core.store import receipt_rows
from tests.conftest import Clock

HALF = "Half of the migration to Postgres is done"
WIKI = "The old wiki moved to the archive server"
CACHE = "The session cache is Valkey on port 6379"


def note_use(cortex: Cortex, id: str, session: str = "s1") -> None:
    """Have a session use a memory that it was given."""
    store, now = cortex.workspace.store("project"), cortex.workspace.clock()
    with store.write():
        receipt_rows.add(
            store, [Receipt(session=session, event="SessionStart", memory=id, time=now, tokens=9)]
        )
    cited = Event(role="assistant", text=f"As [{id[:8]}] says.", time=now)
    cortex.sessions.note_use(session, [cited])


@pytest.fixture
def faded(cortex: Cortex, clock: Clock) -> str:
    """A memory that was archived because it faded; another one the user forgot."""
    made = cortex.remember(HALF, kind="progress")
    cortex.forget(cortex.remember(WIKI, kind="progress").id)
    clock.advance(days=29)
    cortex.lifecycle.run()
    assert cortex.show(made.id).status == "archived"
    return made.id


def test_a_look_changes_nothing(cortex: Cortex, clock: Clock) -> None:
    made = cortex.remember("Deploys go out on Tuesday", kind="gotcha")
    clock.advance(days=30)
    before = cortex.memories.details(made.id)
    revision = cortex.workspace.revision()
    cortex.memories.record_view(made.id)
    assert cortex.recall("deploys").hits
    assert cortex.recall("deploys", count=False).hits
    assert cortex.workspace.revision() == revision
    after = cortex.memories.details(made.id)
    assert after == before
    assert (after.memory.looks, after.memory.access_count) == (2, 0)


def test_a_long_question_is_encoded_once_and_in_part(
    cortex: Cortex, monkeypatch: pytest.MonkeyPatch
) -> None:
    cortex.remember("Deploys go out on Tuesday")
    asked: list[str] = []
    query = ShippedModel.query

    def counted(model: ShippedModel, text: str) -> QueryEncoding:
        asked.append(text)
        return query(model, text)

    monkeypatch.setattr(ShippedModel, "query", counted)
    assert cortex.recall(f"{'harbour lanterns ' * 1200} deploys").hits
    assert [len(text) for text in asked] == [COMPARED]


def test_use_in_a_session_counts(cortex: Cortex, clock: Clock) -> None:
    made = cortex.remember("Deploys go out on Tuesday", kind="gotcha")
    clock.advance(days=45)
    assert cortex.show(made.id).confidence == pytest.approx(0.45)
    note_use(cortex, made.id)
    note_use(cortex, made.id)
    note_use(cortex, made.id, "s2")
    used = cortex.show(made.id)
    assert (used.access_count, used.last_access) == (2, clock())
    assert used.confidence == pytest.approx(0.9)
    assert cortex.memories.details(made.id).importance["access"] > 0


def test_opening_what_faded_leaves_it_archived(cortex: Cortex, faded: str) -> None:
    assert cortex.memories.record_view(faded).status == "archived"


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_recall_brings_back_what_faded(
    cortex: Cortex, faded: str, clock: Clock, mode: RecallMode
) -> None:
    (hit,) = cortex.recall("migration to Postgres", mode=mode).hits
    assert (hit.memory.id, hit.memory.status, hit.revived) == (faded, "active", True)
    assert hit.memory.reinforced == clock()
    assert [hit.revived for hit in cortex.recall("migration", mode=mode)] == [False]
    (undone,) = cortex.undo()
    assert undone.label == f"bring back “{HALF}”"
    assert cortex.show(faded).status == "archived"


def test_what_was_forgotten_stays_away(cortex: Cortex, faded: str) -> None:
    assert not cortex.recall("old wiki archive server", mode="keyword").hits


def test_what_is_active_but_only_resembles_the_query_keeps_nothing_shut(
    cortex: Cortex, faded: str
) -> None:
    for other in ("Invoices are kept for ten years", "Deploys go out on Tuesday"):
        cortex.remember(other)
    first, *others = cortex.recall("how far is the migration to Postgres")
    assert (first.memory.id, first.revived) == (faded, True)
    assert not any(hit.revived for hit in others)


def test_what_is_active_keeps_the_archive_shut(cortex: Cortex, faded: str) -> None:
    cortex.remember("The Postgres port is 5433")
    assert not any(hit.revived for hit in cortex.recall("Postgres", mode="keyword"))
    assert cortex.show(faded).status == "archived"


def test_nothing_comes_back_unasked(cortex: Cortex, faded: str) -> None:
    assert not cortex.recall("migration", count=False).hits
    assert not cortex.recall("migration", statuses=("active",)).hits
    assert cortex.recall("migration", statuses=("archived",)).hits
    assert cortex.show(faded).status == "archived"


@pytest.mark.parametrize("query", ["xyzzy plugh quux", "8081", "best beaches in Portugal"])
@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_nonsense_finds_nothing(cortex: Cortex, query: str, mode: RecallMode) -> None:
    for content in (HALF, WIKI, CACHE, "Use pnpm, never npm", "Invoices are kept for ten years"):
        cortex.remember(content)
    assert not cortex.recall(query, mode=mode).hits


def test_a_word_that_a_memory_has_is_an_answer(cortex: Cortex) -> None:
    cortex.remember("The label printer answers on port 9100")
    cortex.remember("Invoices are kept for ten years")
    (hit,) = cortex.recall("best beaches in Portugal 9100")
    assert hit.memory.title.endswith("9100")


def test_what_is_not_certain_says_so_and_a_suggestion_that_is_certain_comes(
    cortex: Cortex,
) -> None:
    cortex.remember("The staging database is copied every Sunday", kind="fact")
    asked = "How do we run the integration tests?"
    found = cortex.recall(asked)
    assert not found.hits or UNSURE in found.degraded
    row = {"content": "Integration tests are run with make integration", "status": "suggested"}
    cortex.exchange.import_jsonl([json.dumps(row)])
    cortex.models.embed_pending()
    (first, *_) = found = cortex.recall(asked)
    assert (first.memory.status, first.why.partition(";")[0]) == ("suggested", WAITS)
    assert UNSURE not in found.degraded
    assert cortex.recall("staging database", statuses=("active",)).degraded == ""


def test_hits_that_no_longer_resemble_the_first_are_left_out() -> None:
    def hit(semantic: float, graph: float = 0.0, why: str = "meaning") -> Hit:
        parts = Parts(semantic=semantic, graph=graph)
        return Hit(
            memory=Memory(id="1", title="", content="", kind="fact", scope="project"),
            score=semantic + graph,
            parts=parts,
            why=why,
        )

    hits = [hit(0.5), hit(0.35), hit(0.25), hit(0.1, 0.15, "linked (manual)"), hit(0.26)]
    assert without_tail(hits) == [hits[0], hits[1], hits[3]]
    of_one_session = [hit(0.5, 0.2), hit(0.35, 0.2), hit(0.25, 0.2), hit(0.1, 0.2)]
    assert without_tail(of_one_session) == of_one_session[:2]


def test_where_nothing_is_certain_little_of_the_history_is_listed(cortex: Cortex) -> None:
    for n in range(8):
        what = f"Page {n} of the shop failed its test of the printed layout, the margin was {n} mm"
        cortex.episodes.add(what)
    found = cortex.recall("how do we run the tests", kinds=[])
    assert UNSURE in found.degraded
    assert len(found.hits) == MOST_UNSURE
    assert len(cortex.recall("how do we run the tests", kinds=["episode"]).hits) == 8
