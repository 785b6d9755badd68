"""Outages of the stores, made and found."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import StoreCorrupt
from cortex_core.doctor import examine, stores_checks
from cortex_core.doctor.examine import CHECKS
from cortex_core.store import health
from tests.conftest import made
from tests.core.doctor.conftest import Look
from tests.transcript_samples import Sample


def run(store: Path, *statements: str) -> None:
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def damage(store: Path) -> None:
    """Write noise over the file, as a failing disk does."""
    run(store, "PRAGMA wal_checkpoint(TRUNCATE)")
    for tail in ("-wal", "-shm"):
        store.with_name(store.name + tail).unlink(missing_ok=True)
    store.write_bytes(b"\x7fnoise" * 4000)


@pytest.mark.parametrize(
    "name",
    [
        "stores-open",
        "integrity",
        "search-index",
        "trust",
    ],
)
def test_a_sound_store_is_well(name: str, store: Path, look: Look) -> None:
    assert look(name).state == "ok"


@pytest.mark.parametrize("name", ["stores-open", "integrity", "search-index", "trust"])
def test_without_a_store_there_is_nothing_to_look_at(name: str, look: Look) -> None:
    assert look(name).state == "skipped"


def test_a_damaged_store(store: Path, look: Look) -> None:
    damage(store)
    found = look("stores-open")
    assert found.state == "failed"
    assert "damaged" in found.sentence
    assert "Move it away" in found.next_step
    assert look("integrity").state == "skipped"


def test_a_damaged_store_with_a_snapshot(store: Path, project: Path, look: Look) -> None:
    with Cortex.open(project) as cortex:
        cortex.snapshots.take()
    damage(store)
    assert "cortex snapshot restore 1" in look("stores-open").next_step


def test_a_newer_store(store: Path, look: Look) -> None:
    run(store, "PRAGMA user_version = 99")
    found = look("stores-open")
    assert (found.state, "newer" in found.sentence) == ("failed", True)


def test_an_older_store(store: Path, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores_checks, "SCHEMA_VERSION", 99)
    monkeypatch.setattr(health, "SCHEMA_VERSION", 99)
    found = look("stores-open")
    assert (found.state, "older" in found.sentence) == ("warning", True)


def test_a_store_from_before_the_ladder(store: Path, look: Look) -> None:
    run(store, "PRAGMA user_version = 11")
    found = look("stores-open")
    assert (found.state, "earlier development version" in found.sentence) == ("failed", True)
    assert "cortex export jsonl FILE" in found.next_step
    assert look("integrity").state == "skipped"


def test_a_store_held_by_another(store: Path, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE", 0.1)
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert look("stores-open").state == "warning"


def test_a_folder_in_its_place(project: Path, look: Look) -> None:
    (made(project) / "cortex.db").mkdir()
    assert "folder" in look("stores-open").sentence


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_store_without_permission(store: Path, look: Look) -> None:
    store.chmod(0)
    try:
        assert "permission" in look("stores-open").sentence
    finally:
        store.chmod(0o600)


def test_a_damaged_page(store: Path, look: Look) -> None:
    run(store, "PRAGMA wal_checkpoint(TRUNCATE)")
    with store.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * 4096)
    assert look("integrity").state == "failed"


def test_vectors_of_nothing_are_removed(store: Path, look: Look) -> None:
    run(
        store,
        "INSERT INTO embedding (number, model, dimension, text_hash, vector, bits, pieces, stamp) "
        "VALUES (999, 'm', 1, '', zeroblob(4), '', '', 1)",
    )
    assert look("integrity").state == "failed"
    mended = look("integrity", fix=True)
    assert mended.state == "ok"
    assert "snapshot" in mended.fixed


@pytest.mark.parametrize(
    "outage",
    [
        "DELETE FROM memory_fts_docsize WHERE id = 1",
        "INSERT INTO memory_fts(memory_fts, rowid, title, content, tags, context, excerpt) "
        "VALUES ('delete', 1, 'Use pnpm, never npm', 'Use pnpm, never npm', '[]', '', '')",
    ],
)
def test_an_index_out_of_step_is_built_again(outage: str, store: Path, look: Look) -> None:
    run(store, outage)
    assert look("search-index").state == "failed"
    assert look("search-index", fix=True).state == "ok"


def test_a_large_index_is_counted_without_a_lock(
    store: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores_checks, "MOST_COMPARED", 1)
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert look("search-index").state == "ok"
    run(store, "DELETE FROM memory_fts_docsize WHERE id = 1")
    assert look("search-index").state == "failed"


def test_a_store_that_came_with_a_clone(store: Path, project: Path, look: Look) -> None:
    run(store, "UPDATE meta SET value = 'another' WHERE key = 'identity'")
    found = look("trust")
    assert (found.state, "cortex trust" in found.next_step) == ("warning", True)


def test_everything_at_once_on_a_ruin(store: Path, project: Path) -> None:
    damage(store)
    (project / ".memory" / "config.toml").write_text("no = toml = at all", encoding="utf-8")
    cheap = {"hooks-answer", "hook-speed", "capture-trial", "model"}
    checks = [one for one in CHECKS if one.name not in cheap]
    found = examine.run(project, fix=True, checks=checks)
    assert {one.name for one in found if one.state == "failed"} == {"stores-open", "configuration"}
    assert not [one for one in found if "This check failed with an error" in one.sentence]


@pytest.fixture
def archive(store: Path, project: Path, tmp_path: Path) -> Path:
    """The archive next to the store, with two conversations; the transcript of one is gone."""
    with Cortex.open(project) as cortex:
        for name in ("gone", "there"):
            sample = Sample(name, cwd=str(project)).human(f"The lamp is {name}. " * 400)
            path = tmp_path / f"{sample.session}.jsonl"
            sample.write(path)
            cortex.sessions.capture(path, event="SessionEnd", final=True)
            if name == "gone":
                path.unlink()
    return store.with_name("archive.db")


def titles(project: Path) -> list[str]:
    with Cortex.open(project) as cortex:
        return sorted(one.title[:16] for one in cortex.sessions.archive.list())


def test_an_archive_that_is_noise_is_read_again_from_the_transcripts(
    project: Path, archive: Path, look: Look
) -> None:
    assert look("conversations").state == "ok"
    damage(archive)
    with Cortex.open(project) as cortex:
        status = cortex.status()
        with pytest.raises(StoreCorrupt, match="doctor --fix"):
            cortex.sessions.archive.list()
    assert (status.conversations, status.archive_bytes) == (0, archive.stat().st_size)
    assert "doctor --fix" in status.degraded[-1]
    assert look("conversations").state == "failed"

    done = look("conversations", fix=True)

    assert (done.state, titles(project)) == ("ok", ["The lamp is ther"])
    assert "1 conversation is in the archive now" in done.fixed
    assert f"{archive.name}.damaged-1" in done.fixed


def test_what_stands_in_the_place_of_an_archive_is_left_alone(
    project: Path, archive: Path, store: Path, look: Look
) -> None:
    beside = [archive, *archive.parent.glob("archive.db-*")]
    for path in beside:
        path.unlink()
    run(archive, "CREATE TABLE recipe (name)")
    before = archive.read_bytes()
    for _ in ("another program's", "a folder"):
        found = look("conversations", fix=True)
        assert (found.state, found.next_step[:12]) == ("failed", "Move it away")
        if archive.is_file():
            assert archive.read_bytes() == before
            archive.unlink()
            archive.mkdir()
    assert archive.is_dir() and not list(store.parent.glob("*.damaged-*"))


def test_an_archive_outlives_its_store(
    project: Path, archive: Path, store: Path, look: Look
) -> None:
    store.unlink()
    with Cortex.open(project) as cortex:
        cortex.remember("The lamp is lit")
        assert look("conversations").next_step.startswith("If it is yours: cortex trust")
        cortex.sessions.archive.files.adopt()
    assert (look("conversations").state, len(titles(project))) == ("ok", 2)


def test_what_was_erased_for_good_is_not_read_again(
    project: Path, archive: Path, look: Look
) -> None:
    with Cortex.open(project) as cortex:
        cortex.sessions.archive.erase(Sample("there").session)
    damage(archive)

    look("conversations", fix=True)

    assert titles(project) == []


def test_what_can_be_read_of_a_damaged_archive_is_saved(
    project: Path, archive: Path, look: Look
) -> None:
    run(archive, "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(archive)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'message_fts_data'"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with archive.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x7f" * size)
    assert look("conversations").state == "failed"

    look("conversations", fix=True)

    assert titles(project) == ["The lamp is gone", "The lamp is ther"]
    with Cortex.open(project) as cortex:
        assert len(cortex.sessions.archive.search("lamp")) == 2
