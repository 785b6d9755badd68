"""The list of remotes: one file on the global side, whole at any time, for its user only."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cortex_core.base.errors import NotFound, SyncError, UsageError
from cortex_core.sync.carriers.targets import target_of
from cortex_core.sync.remotes import Remotes
from tests.core.killing import FILES, killed_at

NOW = 1_789_646_400.0


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def remotes(home: Path) -> Remotes:
    made = Remotes(home)
    made.add("laptop", target_of("https://me:token@example.org/a"), encrypted=True, now=NOW)
    return made


def test_nothing_is_written_before_it_is_needed(home: Path) -> None:
    assert Remotes(home).all() == []
    with pytest.raises(NotFound, match="Remotes: none"):
        Remotes(home).get("laptop")
    assert not home.exists()
    assert Remotes(home).machine() == Remotes(home).machine()
    assert (home / "sync" / "remotes.json").stat().st_mode & 0o777 == 0o600
    assert (home / "sync").stat().st_mode & 0o777 == 0o700


def test_what_is_added_is_there_for_other_processes(remotes: Remotes, home: Path) -> None:
    remotes.add("disk", target_of("/srv/cortex"), encrypted=False, now=NOW)
    remotes.note("laptop", {"global": "global"})
    remotes.note("laptop", {"ab" * 16: "Tool"})
    remotes.note("laptop", {"global": None})
    remotes.note("laptop", succeeded=NOW + 5)
    remotes.note("laptop", error="no route")
    found = Remotes(home)
    assert [remote.name for remote in found.all()] == ["laptop", "disk"]
    laptop = found.get("laptop")
    assert (laptop.kind, laptop.is_encrypted, laptop.added) == ("git", True, NOW)
    assert laptop.stores == {"ab" * 16: "Tool"}
    assert (laptop.succeeded, laptop.error) == (NOW + 5, "no route")
    assert laptop.target.shown == "https://example.org/a"
    assert found.note("laptop", succeeded=NOW + 9, error="").error == ""
    with pytest.raises(NotFound, match="Remotes: laptop, disk"):
        found.note("none", {"global": "global"})


def test_a_removed_remote_takes_its_key_and_cache_along(remotes: Remotes, home: Path) -> None:
    remotes.key_path("laptop").parent.mkdir()
    remotes.key_path("laptop").touch()
    (home / "sync" / "laptop.git").mkdir()
    assert remotes.remove("laptop").name == "laptop"
    assert remotes.all() == []
    assert sorted(path.name for path in (home / "sync").iterdir()) == [
        "keys",
        "remotes.json",
        "remotes.lock",
    ]
    assert list((home / "sync" / "keys").iterdir()) == []


@pytest.mark.parametrize("name", ["", "../x", "a/b", "Laptop", "-x", "a b", "x" * 33, "x\n"])
def test_a_name_is_also_a_file(remotes: Remotes, name: str) -> None:
    with pytest.raises(UsageError, match="no name for a remote"):
        remotes.add(name, target_of("box:a"), encrypted=False, now=NOW)
    with pytest.raises(UsageError, match="no name for a remote"):
        remotes.key_path(name)


def test_neither_name_nor_target_twice(remotes: Remotes) -> None:
    for name, target in (("laptop", "box:a"), ("other", "https://me:token@example.org/a")):
        with pytest.raises(UsageError, match="remote laptop already") as raised:
            remotes.add(name, target_of(target), encrypted=False, now=NOW)
        assert "token" not in str(raised.value)
    assert len(remotes.all()) == 1


def test_this_machine(remotes: Remotes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = remotes.machine()
    assert remotes.rename_machine(" Work\x1b[31m ").name == "Work[31m"
    assert remotes.renew_machine().id != before.id
    assert len(remotes.all()) == 1
    with pytest.raises(UsageError, match="Nothing was changed"):
        remotes.rename_machine("\n")
    monkeypatch.setattr("socket.gethostname", lambda: "box.example.org")
    assert Remotes(tmp_path / "another").machine().name == "box"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{",
        '{"version": 1}',
        '{"version": "1", "machine": {}, "remotes": []}',
        '{"version": 1, "machine": {"id": "../x", "name": ""}, "remotes": []}',
        "[" * 9_999,
        "\x00\xff",
    ],
    ids=range(9),
)
def test_a_damaged_list_is_kept_aside(remotes: Remotes, home: Path, text: str) -> None:
    file = home / "sync" / "remotes.json"
    file.write_text(text, "latin-1")
    with pytest.raises(SyncError, match="was damaged and is kept as"):
        remotes.all()
    (kept,) = (home / "sync").glob("remotes.json.damaged-*")
    assert kept.read_text("latin-1") == text
    assert remotes.all() == []
    assert remotes.machine().id


def test_a_hostile_name_in_the_list_is_damage(remotes: Remotes, home: Path) -> None:
    file = home / "sync" / "remotes.json"
    data = json.loads(file.read_text())
    data["remotes"][0]["name"] = "../../x"
    file.write_text(json.dumps(data))
    with pytest.raises(SyncError, match="was damaged"):
        remotes.all()


def test_the_list_of_a_newer_cortex_is_left_alone(remotes: Remotes, home: Path) -> None:
    file = home / "sync" / "remotes.json"
    file.write_text('{"version": 2}')
    with pytest.raises(SyncError, match="newer Cortex"):
        remotes.all()
    assert file.read_text() == '{"version": 2}'


def test_one_process_at_a_time(remotes: Remotes, home: Path) -> None:
    with remotes.lock() as held, Remotes(home).lock() as again:
        assert held
        assert not again
    with remotes.lock() as held:
        assert held


def test_killed_while_writing_the_list_is_whole(remotes: Remotes) -> None:
    for step in (1, 2):
        assert killed_at(step, lambda: remotes.note("laptop", succeeded=NOW), FILES)
        assert remotes.get("laptop").succeeded == (None if step == 1 else NOW)


def test_a_folder_that_cannot_be_written_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SyncError, match=f"cannot be used: {os.strerror(20)}"):
        Remotes(tmp_path / "file").machine()


def test_each_remote_has_its_carrier(remotes: Remotes, tmp_path: Path) -> None:
    target = target_of(str(tmp_path / "shared"))
    carrier = remotes.carrier(remotes.add("disk", target, encrypted=False, now=NOW))
    carrier.prepare()
    carrier.publish({f"global/{remotes.machine().id}/1-00000001": b"one"})
    assert len(carrier.names()) == 1
