"""What can be wrong between the machines of a user, made and found."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.doctor import examine
from cortex_core.records.upkeep import CheckResult
from cortex_core.sync.remotes import Remotes
from tests.conftest import Clock

Two = tuple[Cortex, Cortex]


@pytest.fixture
def two(project: Path, tmp_path: Path, clock: Clock) -> Iterator[Two]:
    """A desk that has shared a memory through a folder, and a laptop that takes part."""
    subprocess.run(
        [
            "git",
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "first",
        ],
        cwd=project,
        check=True,
    )
    remote = tmp_path / "remote"
    remote.mkdir()
    opened = []
    for name in ("desk", "laptop"):
        shutil.copytree(project, tmp_path / name / "shop")
        made = Cortex.open(tmp_path / name / "shop", tmp_path / name / "home", clock=clock)
        Remotes(made.project.home).rename_machine(name)
        made.sync.add("home", str(remote), passphrase=lambda is_new: "")
        opened.append(made)
    opened[0].remember("Deploys go out on Tuesday")
    opened[0].sync.run()
    yield opened[0], opened[1]
    for each in opened:
        each.close()


def look(cortex: Cortex, name: str) -> CheckResult:
    """What a check says of a machine."""
    (check,) = (one for one in examine.CHECKS if one.name == name)
    (found,) = examine.run(
        cortex.project.root, cortex.project.home, checks=[check], clock=cortex.workspace.clock
    )
    return found


@pytest.mark.parametrize("name", ["sync-remotes", "sync-machines"])
def test_machines_that_exchange_are_well(two: Two, name: str) -> None:
    two[1].sync.run()
    assert look(two[1], name).state == "ok", look(two[1], name)


def test_nothing_is_checked_without_a_remote(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        assert look(cortex, "sync-remotes").state == "skipped"


def test_a_remote_out_of_reach_and_one_never_used(two: Two, tmp_path: Path) -> None:
    assert "Nothing was exchanged" in look(two[1], "sync-remotes").sentence
    shutil.rmtree(tmp_path / "remote")
    two[1].sync.run()
    found = look(two[1], "sync-remotes")
    assert (found.state, "failed" in found.sentence) == ("warning", True)


def test_a_clock_that_is_ahead(two: Two, clock: Clock) -> None:
    clock.advance(days=20_000)
    two[0].remember("The clock of this machine says 2081")
    two[0].sync.run()
    clock.advance(days=-20_000)
    two[1].sync.run()
    found = look(two[1], "sync-machines")
    assert (found.state, "days ahead" in found.sentence) == ("warning", True)


def test_a_machine_that_is_silent(two: Two, clock: Clock) -> None:
    two[1].sync.run()
    clock.advance(days=31)
    assert "desk has sent nothing for 31 days" in look(two[1], "sync-machines").sentence


def test_a_home_that_was_copied_writes_under_another_name(two: Two, tmp_path: Path) -> None:
    desk, laptop = two
    desk.close()
    shutil.copytree(tmp_path / "desk", tmp_path / "copy")
    copy = Cortex.open(
        tmp_path / "copy" / "shop", tmp_path / "copy" / "home", clock=desk.workspace.clock
    )
    with copy:
        copy.trust.grant()
        copy.remember("Said on the copy")
        desk.remember("Said on the desk")
        for each in (desk, copy, desk, laptop):
            each.sync.run()
        assert {memory.content for memory in laptop.list()} == {
            "Deploys go out on Tuesday",
            "Said on the copy",
            "Said on the desk",
        }
