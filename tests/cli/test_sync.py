"""`cortex sync`, as it is typed on two machines that meet at a bare git repository."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cortex_core.base import project as projects
from cortex_core.surface import agents_file
from cortex_core.sync.carriers.git import GitCarrier
from cortex_core.sync.encryption import KEY_FILE
from tests.cli.conftest import Cli
from tests.conftest import made
from tests.core.sync.test_encryption import PASSPHRASE, WRAPPED


class Machines:
    """Two machines in one process: the variables of the environment say which one acts."""

    def __init__(self, tmp_path: Path, repository: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder = tmp_path
        self._patch = patch
        for name in ("desk", "laptop"):
            shutil.copytree(repository, tmp_path / name / "shop")

    def on(self, name: str) -> Cli:
        self._patch.setenv("CORTEX_HOME", str(self._folder / name / "memory"))
        return Cli(self._folder / name / "shop")


@pytest.fixture
def machines(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    monkeypatch.setattr("cortex_core.hook_events.worker_start.detached", lambda *_: 0)
    return Machines(tmp_path, repository, monkeypatch)


@pytest.fixture
def remote(tmp_path: Path) -> str:
    """A bare repository, encrypted with a key that takes no time to open."""
    path = tmp_path / "memory.git"
    subprocess.run(["git", "init", "-q", "--bare", "--template=", str(path)], check=True)
    carrier = GitCarrier(str(path), tmp_path / "cache", "0" * 32)
    carrier.fetch()
    assert carrier.claim(KEY_FILE, WRAPPED)
    return str(path)


def test_a_memory_of_one_machine_is_injected_on_the_other(
    machines: Machines, remote: str, tmp_path: Path
) -> None:
    file = tmp_path / "passphrase"
    file.write_text(f"{PASSPHRASE}\n")
    desk = machines.on("desk")
    desk.ok("remember", "Use pnpm, never npm", "--kind", "preference")
    added = desk.ok("sync", "add", "home", remote, "--passphrase-file", str(file))
    assert "Added this project to home." in added
    assert "(git, encrypted)" in added
    assert "Would send 1 change, and receive nothing." in desk.ok("sync", "--dry-run")
    assert "Sent 1 change, received nothing." in desk.ok("sync")
    laptop = machines.on("laptop")
    laptop.ok("sync", "machine", "laptop")
    laptop.ok("sync", "add", "home", remote, "--passphrase-file", str(file))
    (report,) = laptop.json("sync", "home")
    assert sum(report["received"].values()) == 1
    assert "Use pnpm, never npm" in laptop.ok("surface")
    project = projects.find(explicit=str(laptop.project))
    agents_file.refresh(project, 0.0)
    assert "Use pnpm, never npm" in Path(str(project.surface_file)).read_text()
    assert "Nothing is new, here and there." in laptop.ok("sync")


def test_what_is_written_on_both_is_named_with_the_machine(
    machines: Machines, tmp_path: Path
) -> None:
    desk, stick = machines.on("desk"), str(tmp_path / "stick")
    memory = desk.remember("The build runs with make")
    desk.ok("sync", "add", "stick", stick)
    desk.ok("sync", "machine", "desk")
    desk.ok("sync")
    laptop = machines.on("laptop")
    laptop.ok("sync", "add", "stick", stick)
    laptop.ok("sync", "machine", "laptop")
    laptop.ok("sync")
    laptop.ok("snapshot", "create")
    laptop.ok("edit", memory, "--content", "The build runs with ninja")
    laptop.ok("sync")
    assert (
        "the next cortex sync brings it back"
        in laptop.run("snapshot", "restore", "1", "--yes").stderr
    )
    laptop.ok("sync")
    machines.on("desk").ok("edit", memory, "--content", "The build runs with bazel")
    shown = desk.ok("sync")
    assert "Sent 2 changes, received 1 from laptop." in shown
    assert "1 memory was written on both: cortex review list" in shown
    assert "on laptop" in desk.ok("log")
    (review,) = desk.json("review", "list")
    assert "laptop" in " ".join(review["reasons"])
    assert "laptop" in desk.ok("sync", "status")
    (status,) = desk.json("sync", "status")
    assert [each["name"] for each in status["machines"]] == ["laptop"]


def test_opposite_verdicts_are_said_on_both_machines(machines: Machines, tmp_path: Path) -> None:
    desk, stick = machines.on("desk"), str(tmp_path / "stick")
    desk.remember("Sessions expire after 30 minutes")
    newer = desk.remember("Sessions expire after 45 minutes")
    desk.ok("sync", "add", "stick", stick)
    desk.ok("sync", "machine", "desk")
    desk.ok("sync")
    laptop = machines.on("laptop")
    laptop.ok("sync", "add", "stick", stick)
    laptop.ok("sync", "machine", "laptop")
    laptop.ok("sync")
    laptop.ok("review", "approve", "1", "--keep", "newer")
    machines.on("desk").ok("review", "reject", "1")
    assert "verdict" not in desk.ok("sync")
    machines.on("laptop")
    ran = laptop.run("sync")
    assert "On desk another verdict was given than here: leave " in ran.stdout + ran.stderr
    assert [each["id"] for each in laptop.json("list")] == [newer]
    machines.on("desk")
    ran = desk.run("sync")
    assert "On laptop another verdict was given than here" in ran.stdout + ran.stderr
    assert [each["id"] for each in desk.json("list")] == [newer]
    again = desk.run("sync")
    assert "verdict" not in again.stdout + again.stderr


def test_a_snapshot_is_put_back_on_every_machine_if_the_user_says_so(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, stick = machines.on("desk"), str(tmp_path / "stick")
    desk.remember("The build runs with make")
    desk.ok("snapshot", "create")
    desk.ok("sync", "add", "stick", stick)
    desk.remember("What a bad session left")
    desk.ok("sync")
    laptop = machines.on("laptop")
    laptop.ok("sync", "add", "stick", stick)
    laptop.ok("sync")
    desk = machines.on("desk")
    for module in ("command", "history_commands"):
        monkeypatch.setattr(f"cortex_core.cli.{module}.at_terminal", lambda: True)
    done = desk.run("snapshot", "restore", "1", input="y\ny\n")
    assert "Put the store back" in done.stdout and "Sent 1 change" in done.stdout
    laptop = machines.on("laptop")
    laptop.ok("sync")
    assert [each["content"] for each in laptop.json("list")] == ["The build runs with make"]


def test_a_damaged_store_is_restored_without_a_question_about_machines(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = machines.on("desk")
    desk.remember("The build runs with make")
    desk.ok("sync", "add", "stick", str(tmp_path / "stick"))
    desk.ok("sync")
    desk.ok("snapshot", "create")
    store = desk.project / ".memory" / "cortex.db"
    store.write_bytes(b"damaged " * 4096)
    store.with_name("cortex.db-wal").unlink(missing_ok=True)
    for module in ("command", "history_commands"):
        monkeypatch.setattr(f"cortex_core.cli.{module}.at_terminal", lambda: True)
    assert "Restored the store" in desk.ok("snapshot", "restore", "1", input="y\n")
    assert [each["content"] for each in desk.json("list")] == ["The build runs with make"]


def test_what_cannot_be_done_is_said(machines: Machines, remote: str, tmp_path: Path) -> None:
    desk = machines.on("desk")
    assert "cortex sync add NAME TARGET" in desk.fails(3, "sync")
    assert "exchanges with no other one" in desk.ok("sync", "status")
    assert "--passphrase-file" in desk.fails(2, "sync", "add", "home", remote)
    assert "no remote 'away'" in desk.fails(3, "sync", "add", "away")
    stick = tmp_path / "stick"
    desk.ok("sync", "add", "stick", str(stick))
    desk.ok("sync")
    stick.rename(tmp_path / "gone")
    assert "Plug in" in desk.fails(1, "sync")
    assert "Plug in" in desk.ok("sync", "status")
    assert "What was sent stays" in desk.run("sync", "remove", "stick").stderr
    assert "no remote 'stick'" in desk.fails(3, "sync", "remove", "stick")


def test_only_the_user_can_switch_it_on(machines: Machines) -> None:
    desk = machines.on("desk")
    assert "--global" in desk.fails(2, "config", "set", "sync.after_session", "true")
    made(desk.project)
    (desk.project / ".memory" / "config.toml").write_text("[sync]\nafter_session = true\n")
    assert desk.ok("config", "get", "sync.after_session").strip() == "false"
    desk.ok("config", "set", "sync.after_session", "true", "--global")
    assert desk.ok("config", "get", "sync.after_session").strip() == "true"
