"""Secrets that got in: found everywhere, taken out for good, everything else as it was."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cortex_core import Cortex
from cortex_core.base import trust
from cortex_core.base.errors import NotFound, UndoConflict
from cortex_core.llm.protocol import Spending
from cortex_core.maintenance import scrub
from cortex_core.records.memory import Memory
from cortex_core.records.model_replies import Usage
from cortex_core.redaction import secrets
from cortex_core.redaction.redactor import Redactor
from cortex_core.redaction.secrets import redact
from cortex_core.store import health, trash
from cortex_core.store.text_columns import IN_ROWS
from cortex_core.surface import agents_file

KEY = "AKIA" + "QZ3V7L2M9XK4T8WB"
TOKEN = "ghp_" + "a8Kd03kfLq92mXzPw71bYtRe5Vh6Nj4Gs0Uc"


@pytest.fixture
def cortex(project: Path) -> Iterator[Cortex]:
    with Cortex.open(project) as opened:
        yield opened


def let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn redaction off, as if a form of secret had not been known yet."""
    monkeypatch.setattr(Redactor, "redaction", lambda _self, value: secrets.Redaction(value, ()))


@pytest.fixture
def leaky(cortex: Cortex, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A memory with a secret, edited and pinned, another one pruned, both in the journal."""
    with monkeypatch.context() as patch:
        let_in(patch)
        made = cortex.remember(f"Deploy with key {KEY} please", tags=("deploy",))
        cortex.edit(made.id, content=f"Deploy with the key {KEY} on Fridays")
        cortex.pin(made.id)
        gone = cortex.remember(f"The token is {TOKEN}, of an old robot")
        store = cortex.workspace.store("project")
        with store.change("prune", "prune one") as change:
            trash.put(store, change, gone.id)
    cortex.models.embed_pending()
    return cortex.show(made.id)


def bytes_at_rest(project: Path) -> bytes:
    """Everything on the disk below the project's and the user's memory."""
    folders = (project, Path(os.environ["CORTEX_HOME"]))
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return b"\n".join(path.read_bytes() for path in files if ".git/" not in str(path))


def test_a_clean_store_has_none(cortex: Cortex) -> None:
    cortex.remember("Use pnpm, never npm")
    assert cortex.secrets.scan().found == ()
    assert cortex.secrets.scrub().found == ()
    assert cortex.log()[0].verb == "remember"


def test_a_scan_finds_it_in_every_place_and_tells_no_secret(cortex: Cortex, leaky: Memory) -> None:
    report = cortex.secrets.scan()
    locations = " ".join(one.location for one in report.found)
    for place in (f"memory {leaky.id[:8]} (content, title)", "the trash", "the journal"):
        assert place in locations
    assert {leaky.id} == {one.memory for one in report.found if one.memory}
    assert KEY not in repr(report)
    assert cortex.show(leaky.id).content == leaky.content, "a scan changes nothing"


def test_after_a_scrub_it_is_nowhere_on_the_disk(
    cortex: Cortex, leaky: Memory, project: Path
) -> None:
    report = cortex.secrets.scrub()
    assert report.left == ()
    assert (
        cortex.show(leaky.id).content == "Deploy with the key [redacted: aws-access-key] on Fridays"
    )
    assert cortex.secrets.scan().found == ()
    cortex.close()
    data = bytes_at_rest(project)
    assert KEY.encode() not in data
    assert TOKEN.encode() not in data
    assert KEY.lower().encode() not in data, "the search index has folded words"


def test_the_index_and_the_hash_are_of_the_new_words(cortex: Cortex, leaky: Memory) -> None:
    cortex.secrets.scrub()
    assert not cortex.recall(KEY, mode="keyword").hits
    assert [hit.memory.id for hit in cortex.recall("Fridays", mode="keyword")] == [leaky.id]
    again = cortex.remember("Deploy with the key [redacted: aws-access-key] on Fridays")
    assert again.id == leaky.id
    assert cortex.models.embed_pending() >= 0
    store = cortex.workspace.store("project")
    with store.database.atomic():
        for index in health.INDEXES:
            store.execute(f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")


def test_it_is_journalled_and_cannot_be_undone(cortex: Cortex, leaky: Memory) -> None:
    cortex.secrets.scrub()
    entry = cortex.log()[0]
    assert (entry.verb, entry.actor) == ("scrub", "person")
    with pytest.raises(UndoConflict, match="is permanent"):
        cortex.undo(number=entry.number)
    cortex.undo()
    assert cortex.log()[0].undoes != entry.number


def test_what_came_before_can_still_be_undone(cortex: Cortex, leaky: Memory) -> None:
    cortex.secrets.scrub()
    cortex.undo()  # the pruning
    cortex.undo()  # the other memory
    cortex.undo()
    assert not cortex.show(leaky.id).pinned
    cortex.undo()
    assert cortex.show(leaky.id).content == "Deploy with key [redacted: aws-access-key] please"
    cortex.redo()
    assert cortex.show(leaky.id).content.endswith("on Fridays")
    for _ in range(2):
        cortex.undo()
    with pytest.raises(NotFound):
        cortex.show(leaky.id)


def test_what_lies_in_the_trash_comes_back_without_it(cortex: Cortex, leaky: Memory) -> None:
    cortex.secrets.scrub()
    (item,) = cortex.trash.list()
    assert TOKEN not in item.title
    (back,) = cortex.restore(item.id)
    assert back.content == "The token is [redacted: github-token], of an old robot" or (
        "[redacted: " in back.content
    )
    assert TOKEN not in back.content


def test_snapshots_are_told_of_and_removed_on_request(
    cortex: Cortex, leaky: Memory, project: Path
) -> None:
    kept = cortex.snapshots.take()
    report = cortex.secrets.scrub()
    assert any(str(kept.path) in sentence for sentence in report.left)
    assert kept.path.exists()
    assert [one.location for one in cortex.secrets.scan().found] == [f"snapshot {kept.path}"]
    removed = cortex.secrets.scrub(remove_snapshots=True)
    assert (removed.removed, removed.left) == ((str(kept.path),), ())
    cortex.close()
    assert KEY.encode() not in bytes_at_rest(project)


def test_scrubbing_takes_no_snapshot(cortex: Cortex, leaky: Memory) -> None:
    cortex.secrets.scrub()
    assert cortex.snapshots.list() == []


def test_a_snapshot_that_cannot_be_read(cortex: Cortex, leaky: Memory) -> None:
    kept = cortex.snapshots.take()
    kept.path.write_bytes(b"noise" * 500)
    assert "cannot be read" in " ".join(cortex.secrets.scrub().left)


def test_log_spool_and_caches(cortex: Cortex, leaky: Memory, project: Path) -> None:
    data = project / ".memory"
    (data / "cortex.log").write_text(f"2026 Stop: failed with {KEY}\nanother\n", encoding="utf-8")
    (data / "spool").mkdir()
    record = data / "spool" / "00000000000000000001-1-Stop.json"
    record.write_text(f'{{"event": "Stop", "error": "{TOKEN}"}}', encoding="utf-8")
    agents_file.refresh(cortex.project, cortex.workspace.clock())
    assert KEY in (project / ".claude" / "cortex-memory.local.md").read_text(encoding="utf-8")
    cortex.secrets.scrub()
    assert (data / "cortex.log").read_text(encoding="utf-8").endswith("another\n")
    assert record.read_text(encoding="utf-8").startswith('{"event": "Stop"')
    cortex.close()
    found = bytes_at_rest(project)
    assert KEY.encode() not in found
    assert TOKEN.encode() not in found


def test_the_users_own_words_are_reported_and_left(cortex: Cortex, project: Path) -> None:
    cortex.remember("Use pnpm, never npm", pinned=True)
    agents_file.refresh(cortex.project, cortex.workspace.clock())
    surface = project / ".claude" / "cortex-memory.local.md"
    surface.write_text(surface.read_text(encoding="utf-8") + f"\nmine: {KEY}\n", encoding="utf-8")
    report = cortex.secrets.scrub()
    assert any("your own text" in sentence for sentence in report.left)
    assert KEY in surface.read_text(encoding="utf-8")


def test_ledger_receipts_proposals_and_imported_fields(
    cortex: Cortex, leaky: Memory, project: Path
) -> None:
    path = project / ".memory" / "cortex.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memory SET origin = ?", (f'{{"api_key": "{TOKEN[4:]}"}}',))
        connection.execute(
            "INSERT INTO edge (source, target, type, strength, directed, context, created) "
            "VALUES ('a', 'b', 'refines', 1, 1, ?, 1)",
            (f"see {KEY}",),
        )
        connection.execute(
            "INSERT INTO receipt (session, event, memory, time, tokens, evidence) "
            "VALUES ('s', 'e', 'm', 1, 1, ?)",
            (KEY,),
        )
    cortex.secrets.scrub()
    assert cortex.show(leaky.id).origin["api_key"].startswith("[redacted: ")
    cortex.close()
    assert KEY.encode() not in bytes_at_rest(project)


def test_notes_of_trust_and_the_record_of_spending(
    cortex: Cortex, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(os.environ["CORTEX_HOME"])
    with monkeypatch.context() as patch:
        let_in(patch)
        spending = Spending(home, 1.0)
        number = spending.reserve(f"/work/{KEY}", "extract", "api", "m", 0.1)
        spending.settle(number, Usage(), 0.1, 1.0, f"refused {TOKEN}")
        note = home / "trust" / "0123"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"identity\n/work/{KEY}\n", encoding="utf-8")
    assert len(cortex.secrets.scan().found) == 2
    cortex.secrets.scrub()
    assert spending.days(f"/work/{KEY}"), "the cost is still found by the same path"
    cortex.close()
    found = bytes_at_rest(project)
    assert KEY.encode() not in found
    assert TOKEN.encode() not in found


def test_what_was_deleted_is_not_left_in_free_pages(cortex: Cortex, project: Path) -> None:
    store = cortex.workspace.store("project")
    store.execute("PRAGMA secure_delete = OFF")  # as SQLite is built for most systems
    store.execute("INSERT INTO meta VALUES ('note', ?)", (KEY * 400,))
    store.execute("DELETE FROM meta WHERE key = 'note'")
    assert KEY.encode() in bytes_at_rest(project)
    assert cortex.secrets.scrub().found == ()
    cortex.close()
    assert KEY.encode() not in bytes_at_rest(project)


def test_an_emptied_trash_leaves_no_word(cortex: Cortex, leaky: Memory, project: Path) -> None:
    (item,) = cortex.trash.list()
    words = "of an old robot"
    assert words in item.title
    cortex.trash.empty()
    assert not any(words in entry.label for entry in cortex.log(100))
    cortex.close()
    assert words.encode() not in bytes_at_rest(project)
    assert TOKEN.encode() not in bytes_at_rest(project)


def test_the_users_own_forms(cortex: Cortex) -> None:
    cortex.remember("The part is called LH-4711-Q")
    cortex.settings.set("redact.extra", [r"LH-\d{4}-\w"])
    (one, *_) = cortex.secrets.scan().found
    assert one.types == ("own-rule",)
    cortex.secrets.scrub()
    assert cortex.list()[0].content == "The part is called [redacted: own-rule]"


def test_a_read_only_store_is_told_of(
    cortex: Cortex, leaky: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cortex.workspace.store("project"), "writable", False)
    assert any("is read-only" in sentence for sentence in cortex.secrets.scrub().left)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_what_holds_no_secret_is_left_to_the_byte(value: object) -> None:
    from cortex_core.store.rows import dumps

    with pytest.MonkeyPatch.context() as patch:
        let_in(patch)
        finder = scrub.SecretFinder()
        details = dumps(value)
        assert finder.cell("mapping", details) == details
        assert finder.cell("row", details, IN_ROWS) == details


def test_nothing_of_a_secret_stays_in_the_index_of_letters(
    cortex: Cortex, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "口令是天地玄黄宇宙洪荒"
    with monkeypatch.context() as patch:
        let_in(patch)
        made = cortex.remember(f"部署{KEY}密钥。{words}", title="部署")
        cortex.edit(made.id, content=f"{words}，部署用密钥{KEY}")
    cortex.settings.set("redact.extra", "天地.黄宇宙洪荒")
    cortex.secrets.scrub()
    content = cortex.show(made.id).content
    assert "[redacted" in content and "玄" not in content
    assert cortex.recall("部署", mode="keyword").hits[0].memory.id == made.id
    assert not cortex.recall("玄黄", mode="keyword").hits
    cortex.close()
    at_rest = bytes_at_rest(project)
    assert KEY.encode() not in at_rest and "玄黄".encode() not in at_rest


def test_the_place_of_a_project_is_no_password() -> None:
    """`root /tmp/tmp.EO6qZGYlLb` reads like a login and its password."""
    noted = f"{trust.ROOT} /tmp/tmp.EO6qZGYlLb/a"
    assert redact(noted).text == noted
