"""What is written to a store holds no secret: every column of every table, whoever writes it."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from peewee import BlobField, TextField

from benchmarks import atrest, secret_corpus
from benchmarks.secret_corpus import Secret
from cortex_core import Cortex
from cortex_core.agents.claude.places import slug
from cortex_core.records.captures import LedgerEntry
from cortex_core.records.events import Observation, ReadPosition
from cortex_core.records.fields import ADDED
from cortex_core.records.surfaces import Receipt
from cortex_core.redaction.redactor import Form, Redactor
from cortex_core.redaction.signs import can_hold_secret
from cortex_core.store import cursors, ledger, observations, receipt_rows
from cortex_core.store.cursors import Cursor
from cortex_core.store.store import Store
from cortex_core.store.table_models import BY_NAME
from cortex_core.store.text_columns import IN_ROWS, WORDS
from cortex_core.surface import opened_files
from tests.transcript_samples import Sample

KEY = "AKIA" + "QZ3V7L2M9XK4T8WB"
PATH = f"/work/{KEY}/src"

_ID = "an id of ours; an import takes none that holds a secret"
_HASH = "a hash"
_WORD = "a word of ours from a fixed list"
_VECTORS = {
    "model": "a name of the user's settings",
    "text_hash": _HASH,
    "vector": "numbers",
    "bits": "numbers",
    "pieces": "numbers",
}

OTHERS: dict[str, dict[str, str]] = {
    "memory": {
        "id": _ID,
        "kind": "a name of the user's settings",
        "status": _WORD,
        "inject": _WORD,
        "content_hash": _HASH,
        "guard": _WORD,
        "triggers_by": _WORD,
    },
    "source": {"memory": _ID},
    "embedding": _VECTORS,
    "kept_vector": _VECTORS,
    "edge": {"source": _ID, "target": _ID, "type": _WORD},
    "proposal": {
        "type": _WORD,
        "members": _ID,
        "pair": _ID,
        "fingerprint": _HASH,
        "status": _WORD,
    },
    "cursor": {"head": _HASH},
    "observation": {"topic": _WORD, "vector": "numbers"},
    "anchor": {"memory": _ID, "kind": _WORD, "state": _WORD, "content_hash": _HASH},
    "receipt": {"memory": _ID},
    "occasion": {"memory": _ID},
    "verdict": {"memory": _ID},
    "trash": {"memory": _ID},
    "journal": {
        "actor": _WORD,
        "verb": _WORD,
        "action": "a random number",
        "origin": _HASH,
        "machine": "a random number",
        "stamp": "a time and a random number",
    },
    "synced": {"object": _ID, "stamps": "times and random numbers"},
    "journal_row": {"table": _WORD, "key": _ID, "memory": _ID},
}
"""By table, the other columns of text and bytes, and why no secret is looked for in them."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path / "cortex.db", "project")
    yield opened
    opened.close()


def at_rest(store: Store) -> bytes:
    """Everything in the store's files, its search index as words."""
    store.close()
    with closing(sqlite3.connect(store.path)) as connection:
        words = [word for (word,) in connection.execute("SELECT term FROM word")]
    files = store.path.parent.glob(f"{store.path.name}*")
    return b"\n".join(file.read_bytes() for file in files) + " ".join(words).encode()


def with_secret(form: Form) -> str | bytes:
    """A cell of this form with the secret in it."""
    if form == "rows":
        return b""
    return {"text": PATH, "texts": json.dumps([PATH]), "row": json.dumps({"content": PATH})}.get(
        form, json.dumps({"of": {PATH: KEY}})
    )


@pytest.mark.parametrize("table", BY_NAME)
def test_every_column_of_text_has_a_decision(table: str) -> None:
    fields = BY_NAME[table]._meta.sorted_fields
    texts = {each.column_name for each in fields if isinstance(each, TextField | BlobField)}
    if table == "memory":
        texts |= {each.column for each in ADDED if each.form in ("text", "texts", "mapping")}
    filtered, others = set(WORDS.get(table, {})), set(OTHERS.get(table, {}))
    assert texts <= filtered | others, "neither filtered nor said why not"
    assert not filtered & others
    assert filtered | others <= {each.column_name for each in fields}


def test_a_column_in_rows_has_the_form_that_it_has_in_its_table() -> None:
    for table in ("memory", "source", "edge", "proposal", "verdict", "trash"):
        for name, form in WORDS[table].items():
            assert IN_ROWS[name] == form, f"{table}.{name}"
        assert not set(OTHERS.get(table, {})) & set(IN_ROWS) - {"text"}, table


NEEDED: Mapping[str, Mapping[str, object]] = {
    "memory": {
        "id": "m",
        "kind": "fact",
        "created": 1,
        "updated": 1,
        "reinforced": 1,
        "content_hash": "old",
    },
    "source": {"memory": "m"},
    "edge": {"source": "m", "target": "n", "type": "refines", "created": 1},
    "proposal": {
        "type": "merge",
        "members": '["m","n"]',
        "pair": "m n",
        "similarity": 1,
        "fingerprint": "f",
        "created": 1,
    },
    "verdict": {"memory": "m", "kept": 1, "time": 1},
    "trash": {"memory": "m", "rows": b"", "time": 1},
}


@pytest.mark.parametrize("table", NEEDED)
def test_a_change_writes_no_secret_in_any_column(store: Store, table: str) -> None:
    words = {name: with_secret(form) for name, form in WORDS[table].items() if form != "rows"}
    with store.change("remember", f"remember {PATH}") as change:
        key = change.insert(table, {**NEEDED[table], **words})
        change.update(table, key, {name: f"{value!s} and " for name, value in words.items()})
        change.update(table, key, words)
        change.delete(table, key)
    assert KEY.encode() not in at_rest(store)
    assert KEY.lower().encode() not in at_rest(store)


def test_bookkeeping_writes_no_secret(store: Store) -> None:
    with store.write():
        cursors.save(store, PATH, KEY, Cursor(ReadPosition(1), json.dumps({"said": [PATH]}), False))
        observations.add(
            store,
            [
                Observation(
                    topic="order", key=KEY, text=KEY, session=KEY, message=KEY, branch=f"fix/{KEY}"
                )
            ],
        )
        ledger.record(
            store,
            LedgerEntry(
                number=0,
                time=1,
                event=KEY,
                session=KEY,
                transcript=PATH,
                extractor=KEY,
                refused={KEY: 1},
                error=f"no {PATH}",
            ),
        )
        receipt_rows.add(
            store, [Receipt(session=KEY, event="Stop", memory="m", time=1.0, tokens=3)]
        )
        receipt_rows.note_use(store, KEY, {"m": KEY})
        store.set_meta(f"model {PATH}", json.dumps({"tail": PATH}))
    saved = cursors.load(store, PATH)
    assert saved is not None and saved.position.offset == 1, "found again by the same path"
    assert store.rows("SELECT used FROM receipt")[0]["used"] == 1
    assert KEY.encode() not in at_rest(store)


def test_the_users_own_patterns_hold_for_every_column(project: Path) -> None:
    with Cortex.open(project) as cortex:
        cortex.settings.set("redact.extra", [r"LH-\d{4}-\w"])
        with cortex.workspace.store().change("remember", "remember LH-4711-Q"):
            pass
        cortex.workspace.store().set_meta("note", "LH-4711-Q")
        assert cortex.workspace.store().meta("note") == "[redacted: own-rule]"


@pytest.mark.parametrize(
    "name",
    ["feature/add-user-login-2", "550e8400-e29b-41d4-a716-446655440000", "src/worker_2.py"],
)
def test_names_that_hold_nothing_load_no_patterns(name: str) -> None:
    assert not can_hold_secret(name)
    assert can_hold_secret(f"{name}/{KEY}")
    assert can_hold_secret(f"{name} password=hunter2")


def test_a_name_with_a_short_key_is_looked_at() -> None:
    assert can_hold_secret("rzp_live_IIadNgPh5qZiWw")
    assert not can_hold_secret("0f23326e-1755-4e18-93ef-8ebfe2b22207")


def test_no_way_in_leaves_a_secret(tmp_path: Path) -> None:
    """One key in every place that Cortex reads; without the redactor each but `NOT_KEPT` is kept
    (`python -m benchmarks.atrest --unfiltered`)."""
    r = random.Random(4)
    keys = {
        place: "ghp_" + secret_corpus.some(secret_corpus.WORD, 36)(r) for place in atrest.PLACES
    }
    said = {place: [Secret("key", "test", key, key, bare=True)] for place, key in keys.items()}
    placed, kept, searched = atrest.batch(tmp_path / "scene", said, 1)
    assert (len(placed), kept) == (len(atrest.PLACES), [])
    assert searched > 100_000


def test_a_title_made_of_a_note_has_no_secret_without_its_name(
    project: Path, tmp_path: Path
) -> None:
    said = 'asana_client_id: "1135840908538581"'
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "access.md").write_text(f"# {said}\n\n- It is so: {said}\n", "utf-8")
    with Cortex.open(project) as cortex:
        cortex.exchange.import_markdown(notes)
        cortex.exchange.import_claude_memory(notes)
        cortex.exchange.import_claude_md([notes / "access.md"])
        kept = cortex.list(limit=9)
    assert kept
    assert not [each.title for each in kept if "1135840908538581" in each.title]


def test_a_branch_and_a_file_are_matched_without_their_secret(project: Path) -> None:
    (project / ".git" / "HEAD").write_text(f"ref: refs/heads/fix/{KEY}\n", encoding="utf-8")
    with Cortex.open(project) as cortex:
        made = cortex.remember("Deploys wait for the blue light", files=[f"src/{KEY}/*.py"])
        assert made.context.branch == "fix/[redacted: aws-access-key]" == cortex.workspace.branch
        assert [one.id for one in cortex.list(branch=f"fix/{KEY}")] == [made.id]
        assert [one.id for one in cortex.list(file=f"src/{KEY}/light.py")] == [made.id]
        found = opened_files.composed(cortex.project, f"src/{KEY}/light.py", 1e9)
        assert "blue light" in found.injection.text


def test_a_session_of_a_folder_with_a_secret_is_read_on_and_again(
    project: Path, scratch_home: Path
) -> None:
    cwd = f"{project}/{KEY}"
    folder = scratch_home / ".claude" / "projects" / slug(cwd)
    folder.mkdir(parents=True)
    sample = (
        Sample("one", cwd=cwd)
        .human("Remember: always run the linter before a commit.")
        .assistant("Yes.")
    )
    path = sample.write(folder)
    with Cortex.open(project) as cortex:
        first, _ = cortex.sessions.capture(path, event="Stop", final=False)
        with path.open("ab") as file:
            file.write(
                bytes(Sample("two", cwd=cwd).human("Remember: never push to main on a Friday."))
            )
        second, _ = cortex.sessions.capture(path, event="SessionEnd", final=True)
        assert (first.bytes_read, second.bytes_read) == (
            len(bytes(sample)),
            path.stat().st_size - len(bytes(sample)),
        )
        assert cortex.sessions.replay(sample.session[:8]).bytes_read == path.stat().st_size
        for memory in cortex.list():
            assert KEY not in repr(memory)
            assert cortex.memories.turn_of(memory.id).said


def test_an_ignored_folder_whose_name_is_a_secret_stays_ignored(project: Path) -> None:
    cwd = f"{project}/{KEY}"
    with Cortex.open(project) as cortex:
        cortex.settings.set("capture.ignore", [cwd])
        path = Sample("one", cwd=cwd).human("Remember: always run the linter first.").write(project)
        entry, _ = cortex.sessions.capture(path, event="Stop", final=True)
        assert entry.stored == 0
        assert dict(entry.refused) == {"“Remember” not kept: ignored folder": 1}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (f"feature/{'kJ83hdJKd93jdkWQ92mdnALs83jdk2'}", "feature/[redacted: random-token]"),
        (f"/srv/{KEY} new/a.py", "/srv/[redacted: aws-access-key] new/a.py"),
        (
            f"create mode 100644 API_KEY={'f6a7a47eb2fae8d8ca45d1dd1f9d09a7' * 2}.toml",
            "create mode 100644 API_KEY=[redacted: key].toml",
        ),
        ("src/app.py", "src/app.py"),
        (
            "/home/dev/.cache/6e7c36c9b4ea4ad8bd8dd1b2c3f0a9f1/module.js",
            "/home/dev/.cache/6e7c36c9b4ea4ad8bd8dd1b2c3f0a9f1/module.js",
        ),
    ],
)
def test_a_path_is_judged_name_by_name(text: str, after: str) -> None:
    redactor = Redactor()
    assert redactor.text(text) == after
    assert Redactor().text(after) == after
