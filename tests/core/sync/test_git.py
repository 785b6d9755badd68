"""A git repository carries files between machines, each on a branch of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core.base.errors import DivergedIdentity, SyncError
from cortex_core.sync.carriers import git as module, processes
from cortex_core.sync.carriers.git import GitCarrier
from cortex_core.sync.carriers.processes import ProcessResult
from tests.core.killing import Call, killed_at, steps_of

ONE, TWO = "global/m1/1-00000001", "global/m1/2-00000002"


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bare") / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "--template=", str(folder)], check=True)
    return folder


@pytest.fixture
def remote(empty: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(empty, tmp_path / "remote.git"))


class Machines:
    """Carriers of machines by their names, all to one repository."""

    def __init__(self, remote: Path, folder: Path) -> None:
        self._remote = remote
        self._folder = folder

    def __call__(self, name: str) -> GitCarrier:
        return GitCarrier(str(self._remote), self._folder / name, name)

    def held(self, name: str) -> dict[str, bytes]:
        """What the machine has after a fetch."""
        carrier = self(name)
        carrier.fetch()
        return dict(carrier.read(carrier.names()))


@pytest.fixture
def machines(remote: Path, tmp_path: Path) -> Iterator[Machines]:
    yield Machines(remote, tmp_path)


def test_machines_read_each_other(machines: Machines, remote: Path) -> None:
    one, two = machines("one"), machines("two")
    assert one.names() == []
    assert list(one.read([ONE])) == []
    one.prepare()
    assert one.claim("key.age", b"key")
    assert not two.claim("key.age", b"other")
    two.fetch()
    assert not two.claim("key.age", b"other")
    one.publish({ONE: b"first\n", TWO: b""})
    two.publish({"ab/m2/1-00000001.age": bytes(range(256))})
    one.publish({ONE: b"first\n"}, [TWO, "global/m1/9-00000009"])
    head = git(remote, "rev-parse", "cortex/one")
    one.publish({ONE: b"first\n"}, [TWO])
    assert git(remote, "rev-parse", "cortex/one") == head, "nothing is new"
    expected = {ONE: b"first\n", "ab/m2/1-00000001.age": bytes(range(256)), "key.age": b"key"}
    assert machines.held("one") == machines.held("two") == machines.held("three") == expected
    two.publish({"key.age": b"replaced"})
    assert machines.held("one")["key.age"] == b"replaced"
    assert git(remote, "rev-list", "--count", "cortex/key") == "1"
    assert two.other_branches() == []
    git(remote, "update-ref", "refs/heads/main", head)
    assert two.other_branches() == ["main"]


def test_nothing_of_the_user_leaves_and_nothing_of_theirs_runs(
    machines: Machines, remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(remote, "config", "core.hooksPath", os.devnull)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-push", "reference-transaction", "post-commit"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
        (hooks / name).chmod(0o755)
    config = tmp_path / "config"
    config.write_text(
        f"[user]\nname = Ann\nemail = ann@example.org\n[core]\nhooksPath = {hooks}\n"
        "autocrlf = true\n[commit]\ngpgsign = true\n[push]\ngpgSign = true\ndefault = matching\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Ann")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-02-02T12:00:00+0900")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    machines("one").publish({ONE: b"a\r\nb"})
    machines("one").forget_past()
    monkeypatch.delenv("GIT_DIR")
    shown = git(remote, "log", "--format=%an %ae %cn %ce %B %ad", "--date=format:%z", "cortex/one")
    assert shown.split() == "cortex cortex@localhost cortex cortex@localhost Cortex +0000".split()
    assert machines.held("two") == {ONE: b"a\r\nb"}
    assert not (tmp_path / "ran").exists()


def test_a_copied_identity_is_found_before_anything_is_sent(
    machines: Machines, remote: Path, tmp_path: Path
) -> None:
    machines("one").publish({ONE: b"one"})
    copy = GitCarrier(
        str(remote), Path(shutil.copytree(tmp_path / "one", tmp_path / "copy")), "one"
    )
    machines("one").publish({TWO: b"two"})
    head = git(remote, "rev-parse", "cortex/one")
    with pytest.raises(DivergedIdentity, match="an id of its own"):
        copy.publish({"global/m1/2-0000000f": b"another two"})
    copy.fetch()
    with pytest.raises(DivergedIdentity):
        copy.publish({"global/m1/2-0000000f": b"another two"})
    assert git(remote, "rev-parse", "cortex/one") == head
    GitCarrier(str(remote), tmp_path / "copy", "renewed").publish({"global/m2/1-0000000f": b"new"})
    assert machines.held("one").keys() == {ONE, TWO, "global/m2/1-0000000f"}


def test_a_lost_cache_or_a_new_repository_is_filled_again(
    machines: Machines, remote: Path, empty: Path, tmp_path: Path
) -> None:
    machines("one").claim("key.age", b"key")
    machines("one").publish({ONE: b"one"})
    shutil.rmtree(tmp_path / "one")
    machines("one").fetch()
    machines("one").publish({TWO: b"two"})
    assert machines.held("two") == {ONE: b"one", TWO: b"two", "key.age": b"key"}
    shutil.rmtree(remote)
    shutil.copytree(empty, remote)
    assert machines.held("one") == {}
    machines("one").publish({})
    assert machines.held("two") == {ONE: b"one", TWO: b"two", "key.age": b"key"}


def test_a_forgotten_past_is_gone_at_both_ends_and_elsewhere(
    machines: Machines, remote: Path, tmp_path: Path
) -> None:
    one = machines("one")
    one.publish({ONE: b"hunter2 was here"})
    secret = git(remote, "rev-parse", f"cortex/one:{ONE}")
    assert machines.held("two") == {ONE: b"hunter2 was here"}
    one.publish({TWO: b"clean"}, [ONE])
    assert "delete the repository" in one.forget_past()
    assert git(remote, "rev-list", "--count", "cortex/one") == "1"
    assert machines.held("two") == {TWO: b"clean"}
    for cache in ("one", "two"):
        with pytest.raises(subprocess.CalledProcessError):
            git(tmp_path / cache, "cat-file", "-e", secret)
    one.publish({ONE: b"again"})
    assert machines.held("two") == {ONE: b"again", TWO: b"clean"}


def test_killed_anywhere_the_next_publish_completes_it(
    machines: Machines, remote: Path, empty: Path, tmp_path: Path
) -> None:
    """Between any two processes of git, also while the past is being forgotten."""
    steps = (Call(module, "run"),)

    def task() -> None:
        machines("one").publish({ONE: b"one"})
        machines("one").publish({TWO: b"two"}, [ONE])
        machines("one").forget_past()

    count = steps_of(task, steps)
    assert machines.held("two") == {TWO: b"two"}
    assert count > 40
    for step in range(1, count, 13):
        for folder in (remote, tmp_path / "one"):
            shutil.rmtree(folder)
        shutil.copytree(empty, remote)
        assert killed_at(step, task, steps)
        machines("one").fetch()
        machines("one").publish({TWO: b"two"}, [ONE])
        assert machines.held("two") == {TWO: b"two"}


def test_a_thousand_files_need_a_few_processes(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"global/m1/{n}-{n:08x}": b"%d" % n * 40 for n in range(1_000)}
    calls: list[object] = []
    real = processes.run

    def counting(words: list[str], *rest: object, **more: object) -> ProcessResult:
        calls.append(words)
        return real(words, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "run", counting)
    machines("one").publish(files)
    assert machines.held("two") == files
    assert len(calls) < 30


def test_hostile_files_are_not_listed(machines: Machines, remote: Path, tmp_path: Path) -> None:
    """Names that lead elsewhere, links, programs, shared files on a machine's branch."""

    def made(text: str, *words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(remote), *words],
            input=text,
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout.strip()

    def tree(lines: str) -> str:
        return made(lines, "mktree")

    blob = made("evil", "hash-object", "-w", "--stdin")
    writer = tree(
        f"100644 blob {blob}\t1-00000001\n120000 blob {blob}\t2-00000002\n"
        f"100755 blob {blob}\t3-00000003\n100644 blob {blob}\tx\n"
    )
    inner = tree(f"040000 tree {writer}\tm1\n040000 tree {writer}\t..\n")
    top = tree(
        f"100644 blob {blob}\tkey.age\n040000 tree {inner}\tglobal\n"
        f"040000 tree {inner}\t.git\n100644 blob {blob}\t-rf\n"
    )
    author = ("-c", "user.name=E", "-c", "user.email=e@example.org")
    git(remote, "update-ref", "refs/heads/cortex/evil", git(remote, *author, "commit-tree", top))
    assert machines.held("one") == {ONE: b"evil"}


def test_what_cannot_be_reached_is_said_in_words(tmp_path: Path) -> None:
    carrier = GitCarrier(str(tmp_path / "none"), tmp_path / "cache", "one")
    with pytest.raises(SyncError, match=r"cannot be used: fatal: .*not appear to be a git"):
        carrier.prepare()
    with pytest.raises(SyncError, match="sent next time"):
        carrier.publish({ONE: b"one"})
    hidden = GitCarrier("https://me:s3cret@localhost:1/a", tmp_path / "cache", "one")
    with pytest.raises(SyncError) as raised:
        hidden.fetch()
    assert "localhost:1/a" in str(raised.value)
    assert "s3cret" not in str(raised.value)


def test_the_lock_of_a_git_that_a_power_cut_ended_is_removed(
    machines: Machines, tmp_path: Path
) -> None:
    machines("one").publish({ONE: b"one"})
    lock = tmp_path / "one" / "refs" / "own" / "one.lock"
    lock.touch()
    with pytest.raises(SyncError, match=r"one\.lock"):
        machines("one").publish({TWO: b"two"})
    os.utime(lock, (time.time() - 9_999,) * 2)
    machines("one").fetch()
    machines("one").publish({TWO: b"two"})
    assert machines.held("two") == {ONE: b"one", TWO: b"two"}
