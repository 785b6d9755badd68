"""Two machines of a user exchange their memories through a remote, whatever goes wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from collections.abc import Iterator, Mapping
from math import inf
from pathlib import Path

import pytest

from cortex_core import Cortex, worker_run
from cortex_core.agents.hook_call import HookCall
from cortex_core.base import log, trust
from cortex_core.base.errors import NotFound, SyncError, UsageError
from cortex_core.base.identity import project_keys
from cortex_core.capture import spool
from cortex_core.records.machines import SyncReport
from cortex_core.records.memory import Memory, Scope
from cortex_core.store import trash
from cortex_core.sync import remote_run
from cortex_core.sync.carriers.folder import FolderCarrier
from cortex_core.sync.encryption import KEY_FILE
from cortex_core.sync.remotes import Remotes
from tests.conftest import NOON, Clock, made
from tests.core.killing import COMMITS, Call, killed_at, spread, steps_of
from tests.core.sync.test_encryption import PASSPHRASE, WRAPPED
from tests.core.sync.test_ssh import DOUBLE
from tests.journals import unexplained

SECRET = "harbour-49152"


class Machine:
    """A home folder with a clone of one project."""

    def __init__(self, folder: Path, repository: Path, name: str) -> None:
        self.folder = folder / name
        self.home = self.folder / "memory"
        self.project = self.folder / f"{name}-clone"
        shutil.copytree(repository, self.project)
        self.clock = Clock()
        self.cortex = self.opened()
        Remotes(self.home).rename_machine(name)

    def opened(self) -> Cortex:
        return Cortex.open(self.project, self.home, clock=self.clock)

    def add(self, target: Path | str, **options: bool | str | None) -> None:
        self.cortex.sync.add(
            "home",
            str(target),
            passphrase=lambda is_new: PASSPHRASE,
            **options,  # type: ignore[arg-type]
        )

    def sync(self) -> SyncReport:
        self.clock.advance(minutes=1)
        return self.cortex.sync.run()

    def contents(self, scope: Scope = "project") -> list[str]:
        found = self.cortex.list(scope=scope, statuses=("active", "suggested"))
        return sorted(memory.content for memory in found)


@pytest.fixture
def desk(tmp_path: Path, repository: Path) -> Iterator[Machine]:
    made = Machine(tmp_path, repository, "desk")
    yield made
    made.cortex.close()


@pytest.fixture
def laptop(tmp_path: Path, repository: Path) -> Iterator[Machine]:
    made = Machine(tmp_path, repository, "laptop")
    yield made
    made.cortex.close()


@pytest.fixture
def both(tmp_path: Path, desk: Machine, laptop: Machine) -> tuple[Machine, Machine]:
    """Two machines that meet at a folder and have one memory."""
    desk.cortex.remember("The build runs with make")
    for machine in (desk, laptop):
        machine.add(tmp_path / "stick")
        machine.sync()
    return desk, laptop


def _entries(stick: Path) -> Mapping[Path, bytes]:
    """The files of an exchange at a remote."""
    return {path: data for path, data in every_file(stick).items() if path.parent != stick}


def every_file(folder: Path) -> Mapping[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- what goes where


def test_what_is_learned_on_one_machine_is_known_on_the_other(
    both: tuple[Machine, Machine],
) -> None:
    desk, laptop = both
    laptop.cortex.remember("Deploys are on Friday")
    assert laptop.sync().sent == 1
    report = desk.sync()
    assert (report.sent, report.received) == (0, {"laptop": 1})
    assert (
        desk.contents()
        == laptop.contents()
        == [
            "Deploys are on Friday",
            "The build runs with make",
        ]
    )
    (newest, *_) = desk.cortex.log()
    assert newest.elsewhere == "on laptop"
    assert [one.title for one in desk.cortex.list(new="machines")] == ["Deploys are on Friday"]
    assert [one.title for one in laptop.cortex.list(new="others")] == ["The build runs with make"]
    status = desk.cortex.sync.status()
    assert [(each.name, each.problem) for each in status.machines] == [("laptop", "")]
    assert status.waiting == {"project": 0}


def test_a_dry_run_counts_and_changes_nothing(
    tmp_path: Path, both: tuple[Machine, Machine]
) -> None:
    desk, laptop = both
    desk.cortex.remember("One")
    desk.sync()
    laptop.cortex.remember("Two")
    laptop.cortex.remember("Three")
    before = every_file(tmp_path / "stick")
    revision = laptop.cortex.workspace.revision()
    report = laptop.cortex.sync.run(dry_run=True)
    assert (report.sent, report.received, report.dry_run) == (2, {"desk": 1}, True)
    assert laptop.cortex.workspace.revision() == revision
    assert every_file(tmp_path / "stick") == before


def test_the_global_store_goes_along_where_it_is_asked_for(
    tmp_path: Path, desk: Machine, laptop: Machine
) -> None:
    desk.cortex.remember("Prefer tabs", scope="global")
    desk.add(tmp_path / "stick", everywhere=True)
    desk.sync()
    laptop.add(tmp_path / "stick")
    laptop.sync()
    assert laptop.contents("global") == []
    laptop.add("", everywhere=True)
    laptop.sync()
    assert laptop.contents("global") == ["Prefer tabs"]


def test_another_project_meets_nobody_by_accident(
    tmp_path: Path, both: tuple[Machine, Machine]
) -> None:
    _, laptop = both
    other = tmp_path / "notes"
    other.mkdir()
    with Cortex.open(other, laptop.home, clock=laptop.clock) as cortex:
        with pytest.raises(UsageError, match="--as NAME"):
            cortex.sync.add("home", passphrase=lambda is_new: "")
        with pytest.raises(NotFound, match="takes part"):
            cortex.sync.run()
        cortex.sync.add("home", known_as="Notes", passphrase=lambda is_new: "")
        cortex.sync.run()
        assert cortex.list() == []
    assert laptop.cortex.sync.status().remotes[0].stores == ("laptop-clone", "Notes")


def test_machines_that_know_a_project_by_different_keys_meet(
    tmp_path: Path, desk: Machine, laptop: Machine
) -> None:
    """A shallow clone has no first commit, so it knows the address of the remote alone."""
    for machine in (desk, laptop):
        with (machine.project / ".git" / "config").open("a") as file:
            file.write('[remote "origin"]\n\turl = https://example.org/me/shop.git\n')
    (laptop.project / ".git" / "shallow").write_text("")
    assert len(project_keys(str(desk.project))) == 2
    assert len(project_keys(str(laptop.project))) == 1
    desk.cortex.remember("From the desk")
    laptop.cortex.remember("From the laptop")
    for machine in (desk, laptop):
        machine.add(tmp_path / "stick")
    for machine in (desk, laptop, desk, laptop):
        machine.sync()
    assert desk.contents() == laptop.contents() == ["From the desk", "From the laptop"]


def test_a_fork_is_not_mixed_with_what_it_was_made_from_unasked(
    tmp_path: Path, desk: Machine, laptop: Machine
) -> None:
    for machine in (desk, laptop):
        with (machine.project / ".git" / "config").open("a") as file:
            file.write(f'[remote "origin"]\n\turl = https://example.org/me/{machine.folder.name}\n')
        machine.cortex.remember(f"Made in {machine.folder.name}")
        machine.add(tmp_path / "stick")
    desk.sync()
    before = _entries(tmp_path / "stick")
    for report in (laptop.cortex.sync.run(dry_run=True), laptop.sync()):
        (store,) = report.remotes[0].stores
        assert store.unlike and "sync run home --same" in store.problems[0]
    assert _entries(tmp_path / "stick") == before
    assert (laptop.contents(), desk.contents()) == (["Made in laptop"], ["Made in desk"])
    laptop.cortex.sync.run(same=True)
    for machine in (desk, laptop):  # one yes is enough
        assert machine.sync().remotes[0].stores[0].problems == ()
    assert desk.contents() == laptop.contents() == ["Made in desk", "Made in laptop"]


def test_a_project_whose_repository_moved_is_the_same(
    tmp_path: Path, desk: Machine, laptop: Machine
) -> None:
    def moved(machine: Machine, to: str) -> None:
        with (machine.project / ".git" / "config").open("a") as file:
            file.write(f'[remote "origin"]\n\turl = https://example.org/me/{to}\n')
        machine.cortex.close()
        machine.cortex = machine.opened()

    for machine in (desk, laptop):
        moved(machine, "old")
        machine.add(tmp_path / "stick")
        machine.sync()
    (desk.project / ".git" / "config").write_text("[core]\n")
    moved(desk, "new")
    desk.cortex.remember("Written after the move")
    desk.sync()
    laptop.sync()
    assert laptop.contents() == ["Written after the move"]


def test_a_snapshot_is_put_back_on_all_machines_as_one_change(
    both: tuple[Machine, Machine],
) -> None:
    desk, laptop = both
    (kept,) = desk.cortex.list()
    pruned, emptied = map(desk.cortex.remember, ("Deploys are on Friday", "The office has a cat"))
    desk.cortex.graph.link(kept.id, pruned.id, "relates_to")
    desk.cortex.snapshots.take()
    before = desk.contents()
    desk.sync()

    def prune(memory: Memory) -> None:
        store = desk.cortex.workspace.store("project")
        with store.change("prune", "prune it") as change:
            trash.put(store, change, memory.id)

    prune(emptied)
    desk.cortex.trash.empty()
    prune(pruned)
    desk.cortex.edit(kept.id, content="The build runs with ninja")
    desk.cortex.remember("What a bad session left")
    desk.sync()
    laptop.sync()
    after = laptop.contents()
    assert after == ["The build runs with ninja", "What a bad session left"]
    desk.cortex.snapshots.bring_back(1)
    before.remove(emptied.content)  # what was deleted for good stays gone
    assert desk.contents() == before and not desk.cortex.trash.list()
    assert desk.sync().sent == 1
    laptop.sync()
    assert laptop.contents() == before
    assert [one.title for one in laptop.cortex.trash.list()] == ["What a bad session left"]
    assert [one.memory.id for one in laptop.cortex.graph.links(kept.id)] == [pruned.id]
    assert unexplained(desk.cortex) == []
    desk.cortex.undo()
    desk.sync()
    laptop.sync()
    assert desk.contents() == laptop.contents() == after


def test_the_far_side_of_ssh(
    tmp_path: Path, desk: Machine, laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, far = tmp_path / "programs", tmp_path / "far"
    programs.mkdir()
    far.mkdir()
    (programs / "ssh").write_text(DOUBLE)
    (programs / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("FAR", str(far))
    desk.cortex.remember("Over ssh")
    for machine in (desk, laptop):
        machine.add("box:memory")
        machine.sync()
    assert laptop.contents() == ["Over ssh"]


def test_what_is_written_is_readable_by_the_user_alone(both: tuple[Machine, Machine]) -> None:
    desk, _ = both
    made = [desk.home, desk.home / "sync", *(desk.home / "sync").rglob("*")]
    made += (desk.project / ".memory" / "sync").rglob("*")
    assert [path for path in made if path.stat().st_mode & 0o077] == []


# --- changes of both machines


def test_of_two_edits_the_later_stands_and_the_other_waits_in_the_review(
    both: tuple[Machine, Machine],
) -> None:
    desk, laptop = both
    (memory,) = desk.cortex.list()
    desk.cortex.edit(memory.id, content="The build runs with make -j2")
    laptop.clock.advance(minutes=5)
    laptop.cortex.edit(memory.id, content="The build runs with ninja")
    desk.sync()
    assert laptop.sync().versions == 1
    desk.sync()
    for machine in both:
        assert machine.cortex.show(memory.id).content == "The build runs with ninja"
        (review,) = machine.cortex.review.list()
        assert any("desk" in reason for reason in review.proposal.reasons)
    kept = laptop.cortex.review.supersede(review.proposal.number)
    assert (kept.id, kept.content) == (memory.id, "The build runs with ninja")


def test_an_edit_after_it_was_forgotten_elsewhere_brings_a_memory_back(
    both: tuple[Machine, Machine],
) -> None:
    desk, laptop = both
    (memory,) = desk.cortex.list()
    desk.cortex.forget(memory.id)
    laptop.clock.advance(minutes=5)
    laptop.cortex.edit(memory.id, content="The build runs with ninja")
    for machine in (laptop, desk, laptop):
        machine.sync()
    assert desk.contents() == laptop.contents() == ["The build runs with ninja"]


def test_each_machine_undoes_what_the_other_did(both: tuple[Machine, Machine]) -> None:
    desk, laptop = both
    memory = desk.cortex.remember("Deploys are on Monday")
    desk.sync()
    laptop.sync()
    theirs = next(entry for entry in laptop.cortex.log() if entry.elsewhere == "on desk")
    laptop.cortex.undo(number=theirs.number)
    laptop.sync()
    desk.sync()
    assert memory.content not in desk.contents() + laptop.contents()
    taken_back = next(entry for entry in desk.cortex.log() if entry.verb == "undo")
    assert taken_back.elsewhere == "on laptop"
    desk.cortex.redo(number=taken_back.number)
    desk.sync()
    laptop.sync()
    assert memory.content in desk.contents()
    assert memory.content in laptop.contents()


def test_what_one_machine_scrubs_or_destroys_is_nowhere_then(
    tmp_path: Path, both: tuple[Machine, Machine]
) -> None:
    desk, laptop = both
    leaked = desk.cortex.remember(f"The staging berth is {SECRET} for all")
    gone = desk.cortex.remember("A memory about the quarry")
    for machine in (desk, laptop):
        machine.sync()
    assert any(SECRET in content for content in laptop.contents())
    for machine in (desk, laptop):
        machine.cortex.settings.set("redact.extra", [r"harb[o]ur-\d+"], "global")
    desk.cortex.secrets.scrub()
    desk.cortex.forget(gone.id)
    desk.clock.advance(days=60)
    laptop.clock.advance(days=60)
    desk.cortex.lifecycle.run()
    desk.cortex.trash.empty()
    for path, data in every_file(desk.project / ".memory" / "sync").items():
        assert SECRET.encode() not in _unpacked(path, data), "not sent, but here already"
        assert b"quarry" not in _unpacked(path, data)
    first, second = desk.sync(), laptop.sync()
    desk.sync()
    assert "keep versions" in first.remotes[0].kept
    assert not second.failed
    assert "[redacted" in laptop.cortex.show(leaked.id).content
    for machine in (desk, laptop):
        machine.cortex.close()
    folders = (tmp_path / "stick", desk.folder, laptop.folder)
    held = {path: data for folder in folders for path, data in every_file(folder).items()}
    for path, data in held.items():
        if path.parent.name == "snapshots":  # kept for the case that the pruning was wrong
            continue
        unpacked = _unpacked(path, data)
        assert SECRET.encode() not in unpacked, path
        assert b"quarry" not in unpacked, path


def _unpacked(path: Path, data: bytes) -> bytes:
    """What a file says; those of an exchange are compressed."""
    import zlib

    return zlib.decompress(data) if data[:1] == b"\x78" else data


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A bare git repository."""
    path = str(tmp_path / "memory.git")
    subprocess.run(["git", "init", "-q", "--bare", "--template=", path], check=True)
    return path


def said(repository: Path | str, *which: str) -> bytes:
    """All that the files of a repository say; `which` chooses the objects."""
    git = (
        "git",
        f"--git-dir={repository}",
        "cat-file",
        "--batch-check=%(objectname) %(objecttype)",
    )
    named = subprocess.run([*git, *which], capture_output=True, check=True).stdout.decode()
    blobs = [line.split()[0] for line in named.splitlines() if line.endswith(" blob")]
    done = [
        subprocess.run([*git[:3], "blob", blob], capture_output=True, check=True).stdout
        for blob in blobs
    ]
    return b"".join(_unpacked(Path(), data) for data in done)


def test_what_is_scrubbed_is_in_no_version_that_git_has_here(
    desk: Machine, laptop: Machine, bare: str
) -> None:
    desk.cortex.remember(f"The staging berth is {SECRET} for all")
    for machine in (desk, laptop):
        machine.add(bare)
        machine.sync()
        machine.cortex.settings.set("redact.extra", [r"harb[o]ur-\d+"], "global")
    (cache,) = (laptop.home / "sync").glob("*.git")
    assert SECRET.encode() in said(cache, "--batch-all-objects")
    desk.cortex.secrets.scrub()
    assert "git host keeps" in desk.sync().remotes[0].kept
    assert desk.sync().remotes[0].kept == ""
    laptop.sync()
    for machine in (desk, laptop):
        (cache,) = (machine.home / "sync").glob("*.git")
        held = said(cache, "--batch-all-objects")
        assert b"staging berth" in held
        assert SECRET.encode() not in held


def test_a_copied_home_gets_a_branch_of_its_own(tmp_path: Path, desk: Machine, bare: str) -> None:
    desk.add(bare)
    desk.sync()
    desk.cortex.close()
    shutil.copytree(desk.home, tmp_path / "copy")
    shutil.copytree(desk.project, tmp_path / "clone")
    with Cortex.open(tmp_path / "clone", tmp_path / "copy", clock=desk.clock) as copy:
        copy.trust.grant()
        copy.remember("Written in the copy")
        assert not copy.sync.run().failed
        desk.cortex.remember("Written on the desk")
        assert not desk.sync().failed
        assert not copy.sync.run().failed
        assert len(copy.list()) == 2
    assert len(desk.contents()) == 2


# --- what goes wrong


def test_a_remote_that_is_away_changes_nothing_and_does_not_stop_the_others(
    tmp_path: Path, both: tuple[Machine, Machine]
) -> None:
    desk, laptop = both
    desk.cortex.sync.add("disk", str(tmp_path / "disk"), passphrase=lambda is_new: "")
    (tmp_path / "stick").rename(tmp_path / "pocket")
    desk.cortex.remember("Meanwhile")
    report = desk.sync()
    assert [bool(each.error) for each in report.remotes] == [True, False]
    assert "is not there" in desk.cortex.sync.status().remotes[0].error
    (tmp_path / "pocket").rename(tmp_path / "stick")
    assert desk.sync().sent == 1, "sent to the disk before, to the stick only now"
    laptop.sync()
    assert "Meanwhile" in laptop.contents()
    desk.cortex.remember("Afterwards")
    report = desk.sync()
    assert ([each.sent for each in report.stores], report.sent) == ([1, 1], 1)


def test_a_wrong_passphrase_adds_nothing(tmp_path: Path, desk: Machine, laptop: Machine) -> None:
    FolderCarrier(tmp_path / "stick").prepare()
    (tmp_path / "stick" / KEY_FILE).write_bytes(WRAPPED)
    for encrypt, error, words in (
        (None, SyncError, "cannot be opened"),
        (False, UsageError, "are encrypted"),
    ):
        with pytest.raises(error, match=words):
            laptop.cortex.sync.add(
                "home",
                str(tmp_path / "stick"),
                encrypt=encrypt,
                passphrase=lambda is_new: "wrong horse",
            )
    assert laptop.cortex.sync.status().remotes == ()
    desk.cortex.remember("The quarry is closed")
    for machine in (desk, laptop):
        machine.add(tmp_path / "stick")
        assert not machine.sync().failed
    assert laptop.contents() == desk.contents()
    assert all(b"age-encryption" in data for data in _entries(tmp_path / "stick").values())
    (tmp_path / "stick" / KEY_FILE).unlink()
    laptop.cortex.sync.remove("home")
    for encrypt in (None, False):
        with pytest.raises(SyncError, match="sync passphrase NAME"):
            laptop.add(tmp_path / "stick", encrypt=encrypt)


def test_a_remote_that_is_not_added_leaves_nothing_at_its_place(
    tmp_path: Path, desk: Machine
) -> None:
    there = tmp_path / "there"
    there.mkdir()

    def refused(is_new: bool) -> str:
        assert is_new
        raise UsageError("no passphrase")

    for ask, error in ((refused, "no passphrase"), (lambda is_new: "short", "too short")):
        for folder in (there, tmp_path / "new"):
            with pytest.raises(UsageError, match=error):
                desk.cortex.sync.add("home", str(folder), encrypt=True, passphrase=ask)
    assert not (tmp_path / "new").exists() and list(there.iterdir()) == []


def test_a_remote_out_of_reach_is_said_before_a_passphrase_is_asked(
    tmp_path: Path, desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "programs" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text("#!/bin/sh\necho No route to host >&2; exit 255\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:{os.environ['PATH']}")
    asked: list[bool] = []

    def words(is_new: bool) -> str:
        asked.append(is_new)
        return PASSPHRASE

    with pytest.raises(SyncError, match="No route to host"):
        desk.cortex.sync.add("home", "far:memories", encrypt=True, passphrase=words)
    assert not asked


def test_taking_part_says_how_a_remote_is_kept_where_something_else_is_asked(
    tmp_path: Path, desk: Machine
) -> None:
    desk.add(tmp_path / "stick", encrypt=False)
    with pytest.raises(UsageError, match="The remote home is not encrypted"):
        desk.cortex.sync.add("home", passphrase=lambda is_new: "a horse", encrypt=True)


def test_another_passphrase_opens_the_same_key(
    tmp_path: Path, desk: Machine, laptop: Machine
) -> None:
    """The one test that pays for the work which makes guessing slow."""
    FolderCarrier(tmp_path / "stick").prepare()
    key = tmp_path / "stick" / KEY_FILE
    key.write_bytes(WRAPPED)
    desk.cortex.remember("The quarry is closed")
    desk.add(tmp_path / "stick")
    desk.sync()
    kept = (desk.home / "sync" / "keys" / "home").read_bytes()
    desk.cortex.sync.change_passphrase("home", lambda is_new: "another passphrase")
    wrapped = key.read_bytes()
    assert wrapped.startswith(b"age-encryption.org/v1\n-> scrypt ") and wrapped != WRAPPED
    assert kept.strip() not in wrapped
    laptop.cortex.sync.add(
        "home", str(tmp_path / "stick"), passphrase=lambda is_new: "another passphrase"
    )
    assert (laptop.home / "sync" / "keys" / "home").read_bytes() == kept
    assert not laptop.sync().failed
    assert laptop.contents() == desk.contents()


def test_what_is_not_encrypted_is_not_read_where_the_rest_is(
    tmp_path: Path, desk: Machine, laptop: Machine
) -> None:
    """Whoever keeps the files can add one, but cannot encrypt it."""
    desk.cortex.remember("Planted")
    desk.add(tmp_path / "other")
    desk.sync()
    FolderCarrier(tmp_path / "stick").prepare()
    (tmp_path / "stick" / KEY_FILE).write_bytes(WRAPPED)
    laptop.add(tmp_path / "stick")
    for path in _entries(tmp_path / "other"):
        target = tmp_path / "stick" / path.relative_to(tmp_path / "other")
        target.parent.mkdir(parents=True)
        shutil.copy(path, target)
    (remote,) = laptop.sync().remotes
    assert "cannot be decrypted" in remote.stores[0].problems[0]
    assert laptop.contents() == []


def test_a_store_that_came_from_elsewhere_is_not_exchanged(both: tuple[Machine, Machine]) -> None:
    desk, laptop = both
    trust.revoke(laptop.cortex.project)
    laptop.cortex.remember("Planted")
    (remote,) = laptop.sync().remotes
    assert "not trusted" in remote.stores[0].problems[0]
    desk.sync()
    assert "Planted" not in desk.contents()
    with pytest.raises(UsageError, match="not trusted"):
        laptop.add("")


def test_a_machine_with_a_clock_of_2099_waits(both: tuple[Machine, Machine]) -> None:
    desk, laptop = both
    laptop.clock.now = NOON + 73 * 365 * 86_400
    laptop.cortex.remember("From the future")
    laptop.sync()
    (remote,) = desk.sync().remotes
    assert "ahead" in remote.stores[0].problems[0]
    assert "From the future" not in desk.contents()
    (other,) = desk.cortex.sync.status().machines
    assert "ahead" in other.problem
    assert "run cortex sync on laptop" in other.problem


@pytest.mark.parametrize("step", [2, 5, 9, 99])
def test_a_clock_that_is_set_right_cuts_nobody_off(
    both: tuple[Machine, Machine], step: int
) -> None:
    """Also where the exchange that dates the changes anew is killed."""
    desk, laptop = both
    (shared,) = laptop.cortex.list()
    laptop.clock.now += 73 * 365 * 86_400
    gone = laptop.cortex.remember("Removed in the future")
    laptop.cortex.edit(shared.id, content="The build runs with make, said in 2099")
    laptop.sync()
    laptop.cortex.forget(gone.id)
    laptop.sync()
    laptop.cortex.remember("Not sent in the future")
    laptop.clock.now = desk.clock.now
    desk.cortex.pin(shared.id)
    laptop.cortex.remember("After the clock was set right")
    laptop.cortex.close()
    place, clock = (laptop.project, laptop.home), laptop.clock

    def task() -> None:
        with Cortex.open(*place, clock=clock) as cortex:
            cortex.sync.run()

    killed_at(step, task, (*COMMITS, Call(os, "replace")))
    laptop.cortex = laptop.opened()
    assert not laptop.sync().failed
    for machine in (desk, laptop, desk, laptop):
        (remote,) = machine.sync().remotes
        assert remote.stores[0].problems == ()
    assert desk.contents() == laptop.contents()
    assert {"Not sent in the future", "After the clock was set right"} <= set(desk.contents())
    for machine in both:
        row = machine.cortex.show(shared.id)
        assert (row.pinned, row.content) == (True, "The build runs with make, said in 2099")
        assert machine.cortex.review.list() == []
    laptop.cortex.undo()
    laptop.sync()
    desk.sync()
    assert desk.contents() == laptop.contents()


def test_a_pattern_of_ones_own_leaves_all_machines_with_one_text(
    tmp_path: Path, both: tuple[Machine, Machine]
) -> None:
    desk, laptop = both
    (memory,) = desk.cortex.list()
    desk.cortex.edit(memory.id, content=f"The door of the build opens with {SECRET}")
    for machine in (desk, laptop):
        machine.sync()
    desk.cortex.settings.set("redact.extra", [r"harbour-\d+"], "global")
    assert desk.cortex.secrets.scrub().found
    laptop.clock.advance(minutes=9)
    laptop.cortex.edit(memory.id, content=f"Edited offline: {SECRET} opens it")
    for machine in (desk, laptop, desk, laptop):
        machine.sync()
    assert desk.contents() == laptop.contents()
    assert "Edited offline: [redacted" in desk.contents()[0]
    assert laptop.sync().sent == desk.sync().sent == 0
    for machine in both:
        machine.cortex.close()
    files = {**every_file(laptop.project / ".memory"), **every_file(tmp_path / "stick")}
    assert [path for path, data in files.items() if SECRET.encode() in _plain(data)] == []


def _plain(data: bytes) -> bytes:
    return zlib.decompress(data) if data[:1] == b"x" else data


def test_a_clock_that_is_behind_changes_no_stamp(both: tuple[Machine, Machine]) -> None:
    desk, laptop = both
    desk.cortex.remember("One")
    for machine in both:
        machine.sync()
    laptop.clock.now -= 10 * 365 * 86_400
    laptop.cortex.remember("Two")
    for _ in range(2):
        assert laptop.sync().remotes[0].stores[0].problems == ()
        assert desk.sync().remotes[0].stores[0].problems == ()
    assert desk.contents() == laptop.contents()


def test_a_copied_home_goes_on_as_a_machine_of_its_own(
    tmp_path: Path, both: tuple[Machine, Machine]
) -> None:
    desk, laptop = both
    desk.cortex.close()
    shutil.copytree(desk.home, tmp_path / "copy")
    shutil.copytree(desk.project, tmp_path / "clone")
    with Cortex.open(tmp_path / "clone", tmp_path / "copy", clock=laptop.clock) as copy:
        copy.trust.grant()
        copy.remember("Written in the copy")
        copy.sync.run()
        desk.cortex.remember("Written on the desk")
        (remote,) = desk.sync().remotes
        assert "Another copy" in remote.stores[0].problems[0]
        for _ in range(2):
            copy.sync.run()
            laptop.sync()
            desk.sync()
        assert sorted(memory.content for memory in copy.list()) == laptop.contents()
    assert desk.contents() == laptop.contents()
    assert {"Written in the copy", "Written on the desk"} < set(desk.contents())


def test_one_exchange_at_a_time(both: tuple[Machine, Machine]) -> None:
    desk, _ = both
    with Remotes(desk.home).lock(), pytest.raises(SyncError, match="Another process"):
        desk.sync()


def test_killed_anywhere_loses_nothing(tmp_path: Path, both: tuple[Machine, Machine]) -> None:
    desk, laptop = both
    laptop.cortex.remember("From the laptop")
    laptop.sync()
    desk.cortex.remember("From the desk")
    for machine in both:
        machine.cortex.close()
    whole = tmp_path / "whole"
    shutil.copytree(desk.folder, whole)
    calls = (
        *COMMITS,
        Call(os, "replace"),
        Call(Path, "replace"),
        Call(remote_run.RemoteRun, "_publish"),
    )

    place = (desk.project, desk.home)
    clock = desk.clock

    def task() -> None:
        with Cortex.open(*place, clock=clock) as cortex:
            cortex.sync.run()

    for step in spread(steps_of(task, calls), 4):
        shutil.rmtree(desk.folder)
        shutil.copytree(whole, desk.folder)
        made(desk.project, desk.home)
        assert killed_at(step, task, calls)
        with desk.opened() as cortex:
            assert not cortex.sync.run().failed
            contents = sorted(memory.content for memory in cortex.list())
        laptop.sync()
        assert contents == laptop.contents()
        assert {"From the desk", "From the laptop"} < set(contents)


# --- after a session's end


def end_session(machine: Machine, event: str = "SessionEnd") -> None:
    """What a worker does once a hook recorded `event`."""
    assert spool.add(machine.cortex.project, HookCall(event, "5e55", reason="exit"))
    with machine.opened() as cortex:
        worker_run.work(cortex, inf)


def test_the_worker_exchanges_after_a_session_if_the_user_said_so(
    both: tuple[Machine, Machine],
) -> None:
    desk, laptop = both
    laptop.cortex.remember("Use pnpm, never npm", kind="preference")
    end_session(laptop)
    assert desk.sync().received == {}
    for machine in both:
        machine.cortex.settings.set("sync.after_session", True, "global")
    end_session(laptop, "Stop")
    assert desk.sync().received == {}
    end_session(laptop)
    end_session(desk)
    assert desk.contents() == laptop.contents()
    surface = Path(str(desk.cortex.project.surface_file)).read_text("utf-8")
    assert "Use pnpm, never npm" in surface


def test_an_exchange_that_fails_after_a_session_disturbs_nobody(
    tmp_path: Path, both: tuple[Machine, Machine]
) -> None:
    desk, _ = both
    desk.cortex.settings.set("sync.after_session", True, "global")
    (tmp_path / "stick").rename(tmp_path / "gone")
    end_session(desk)
    assert "sync home: The folder" in log.path(desk.cortex.project).read_text("utf-8")
    assert "is not there" in desk.cortex.sync.status().remotes[0].error
    desk.cortex.sync.remove("home")
    log.path(desk.cortex.project).unlink()
    end_session(desk)
    assert not log.path(desk.cortex.project).exists()
