"""A folder carries files between machines, and only those."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cortex_core.base.errors import SyncError
from cortex_core.sync.carriers.folder import LEFT_BEHIND, FolderCarrier
from cortex_core.sync.carriers.protocol import MARKER, MOST_BYTES
from tests.core.killing import FILES, killed_at, steps_of

NOTE = "global/m1/1-00000001"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    FolderCarrier(folder).prepare()
    return folder


def held(folder: Path) -> dict[str, bytes]:
    """What another machine reads."""
    carrier = FolderCarrier(folder)
    carrier.fetch()
    return dict(carrier.read(carrier.names()))


def inside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_machine_reads_what_another_wrote(shared: Path) -> None:
    carrier = FolderCarrier(shared)
    carrier.publish({NOTE: b"one", "global/m1/2-00000002": b"two"})
    carrier.publish({NOTE: b"one", "ab/m1/1-00000003.age": b"three"}, ["global/m1/2-00000002"])
    assert held(shared) == {NOTE: b"one", "ab/m1/1-00000003.age": b"three"}
    assert not (shared / NOTE).stat().st_mode & 0o077
    assert not (shared / "global" / "m1").stat().st_mode & 0o077


def test_only_the_first_claims_a_shared_file(shared: Path) -> None:
    assert FolderCarrier(shared).claim("key.age", b"first")
    assert not FolderCarrier(shared).claim("key.age", b"second")
    assert held(shared) == {"key.age": b"first"}
    FolderCarrier(shared).publish({"key.age": b"replaced"})
    assert held(shared) == {"key.age": b"replaced"}
    assert inside(shared) == [MARKER, "key.age"]


def test_a_disk_without_hard_links_is_claimed_too(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_names: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    assert FolderCarrier(shared).claim("key.age", b"first")
    assert not FolderCarrier(shared).claim("key.age", b"second")
    assert held(shared) == {"key.age": b"first"}


def test_what_is_foreign_is_left_alone(shared: Path, tmp_path: Path) -> None:
    carrier = FolderCarrier(shared)
    carrier.publish({NOTE: b"one"})
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "1-00000009").write_bytes(b"private")
    writer = shared / "global" / "m1"
    for name in (
        "1-00000001 (conflicted copy)",
        "1-00000001.sync-conflict-20260101-1-X",
        "x.tmp",
        ".1-00000001.part",
        "~1-00000001",
        "Thumbs.db",
    ):
        (writer / name).write_bytes(b"foreign")
    (writer / "4-00000004").symlink_to(secret / "1-00000009")
    (shared / "global" / "m2").symlink_to(secret)
    os.mkfifo(writer / "5-00000005")
    with (writer / "6-00000006").open("wb") as large:
        large.truncate(MOST_BYTES + 1)
    assert held(shared) == {NOTE: b"one"}
    with pytest.raises(SyncError, match="is a link"):
        carrier.publish({"global/m2/1-00000009": b"over it"})
    with pytest.raises(SyncError, match="is a link"):
        list(carrier.read(["global/m2/1-00000009"]))
    assert (secret / "1-00000009").read_bytes() == b"private"


@pytest.mark.parametrize(
    "name",
    [
        "../out",
        "/etc/passwd",
        "global/../m1/1-00000001",
        "global/m1/1-00000001\n",
        "global//1-0000",
        "-rf",
        "a/b",
        "a/b/c",
        ".git/hooks/1-00000001",
        "Global/m1/1-00000001",
        "global/m1/١-00000001",
    ],
)
def test_no_other_name_is_read_or_written(shared: Path, name: str) -> None:
    carrier = FolderCarrier(shared)
    with pytest.raises(ValueError, match="not a name"):
        carrier.publish({name: b""})
    with pytest.raises(ValueError, match="not a name"):
        carrier.publish({}, [name])
    with pytest.raises(ValueError, match="not a name"):
        list(carrier.read([name]))


def test_a_file_that_is_gone_is_passed_over(shared: Path) -> None:
    carrier = FolderCarrier(shared)
    carrier.publish({NOTE: b"one", "global/m1/2-00000002": b"two"})
    names = carrier.names()
    FolderCarrier(shared).publish({}, [NOTE])
    assert dict(carrier.read(names)) == {"global/m1/2-00000002": b"two"}


def test_an_unplugged_disk_is_not_written_to(shared: Path, tmp_path: Path) -> None:
    """What is left of it may be an empty folder on another disk."""
    empty = tmp_path / "mounted"
    empty.mkdir()
    for path in (empty, tmp_path / "gone"):
        with pytest.raises(SyncError, match="Plug in or mount"):
            FolderCarrier(path).publish({NOTE: b"one"})
    assert inside(empty) == []
    with pytest.raises(SyncError, match="No such file"):
        FolderCarrier(tmp_path / "gone" / "cortex").prepare()


def test_a_disk_that_refuses_is_reported_in_words(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SyncError, match=r"cannot be used: No space left on device\. What"):
        FolderCarrier(shared).publish({NOTE: b"one"})
    assert held(shared) == {}
    assert inside(shared / "global" / "m1") == []


def test_a_killed_write_leaves_whole_files_and_is_done_again(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"global/m1/{n}-0000000{n}": b"%d" % n * 9_000 for n in range(1, 5)}
    steps = steps_of(lambda: FolderCarrier(shared).publish(files), FILES)
    assert steps == 2 * len(files)
    FolderCarrier(shared).publish({}, list(files))
    for step in range(1, steps + 1):
        assert killed_at(step, lambda: FolderCarrier(shared).publish(files), FILES)
        assert held(shared) == {name: files[name] for name in sorted(files)[: step // 2]}
        if step < steps:
            FolderCarrier(shared).publish({}, list(files))
    monkeypatch.setattr("time.time", lambda: shared.stat().st_mtime + LEFT_BEHIND + 60)
    FolderCarrier(shared).publish(files)
    assert held(shared) == files
    assert len(inside(shared / "global" / "m1")) == len(files)
