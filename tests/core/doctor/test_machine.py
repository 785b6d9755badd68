"""Outages of the machine and its folders, made and found."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import namedtuple
from pathlib import Path

import pytest

from cortex_core.doctor.examine import CHECKS, run
from tests.core.doctor.conftest import Look


@pytest.mark.parametrize(
    "name",
    [
        "packages",
        "disk",
        "environment",
        "project",
        "permissions",
        "git",
    ],
)
def test_a_sound_machine_is_well(name: str, store: Path, look: Look) -> None:
    assert look(name).state == "ok", look(name)


def test_the_package_of_another_project(
    look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cortex_memory-2.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: cortex-memory\nVersion: 2.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = look("packages")
    assert (found.state, "another project" in found.sentence) == ("warning", True)


@pytest.mark.parametrize(("free", "state"), [(10 << 20, "failed"), (200 << 20, "warning")])
def test_a_full_disk(free: int, state: str, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage(1 << 40, 0, free))
    assert look("disk").state == state


def test_the_guard_left_in_the_shell(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_CHILD", "1")
    assert look("environment").state == "failed"


def test_a_variable_that_names_another_project(
    look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORTEX_PROJECT", str(tmp_path / "gone"))
    assert look("environment").state == "failed"
    monkeypatch.setenv("CORTEX_PROJECT", str(tmp_path))
    assert look("environment").state == "warning"


def test_a_second_store_that_nobody_reads(project: Path, look: Look) -> None:
    tree = project.with_name("tree")
    subprocess.run(
        ["git", "worktree", "add", "-q", str(tree)], cwd=project, check=True, capture_output=True
    )
    (tree / ".memory").mkdir()
    (tree / ".memory" / "cortex.db").touch()
    found = look("project")
    assert (found.state, str(tree) in found.sentence) == ("warning", True)


def test_files_that_others_may_read(store: Path, look: Look) -> None:
    store.chmod(0o644)
    store.parent.chmod(0o755)
    found = look("permissions")
    assert (found.state, found.fixable) == ("warning", True)
    mended = look("permissions", fix=True)
    assert mended.state == "ok"
    assert mended.fixed
    assert store.stat().st_mode & 0o777 == 0o600
    assert store.parent.stat().st_mode & 0o777 == 0o700


def test_what_is_not_cortexs_keeps_its_permissions(store: Path, look: Look) -> None:
    home = Path(os.environ["CORTEX_HOME"])
    tool, own = home / "bin" / "tool", home / "trust" / "note"
    for path, mode in ((tool, 0o755), (own, 0o644)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("words", encoding="utf-8")
        path.chmod(mode)
    look("permissions", fix=True)
    assert (tool.stat().st_mode & 0o777, own.stat().st_mode & 0o777) == (0o755, 0o600)


def test_a_new_global_side_is_private(store: Path) -> None:
    assert Path(os.environ["CORTEX_HOME"]).stat().st_mode & 0o077 == 0


def test_memory_in_the_index_of_git(store: Path, project: Path, look: Look) -> None:
    subprocess.run(["git", "add", "-f", ".memory/cortex.db"], cwd=project, check=True)
    assert look("git").state == "failed"


def test_a_lost_ignore_file_is_written(store: Path, project: Path, look: Look) -> None:
    (project / ".memory" / ".gitignore").write_text("", encoding="utf-8")
    assert look("git").state == "warning"
    assert look("git", fix=True).state == "ok"


def test_nothing_is_fixed_without_a_snapshot(
    store: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.chmod(0o644)
    (store.parent / "snapshots").write_text("interferes", encoding="utf-8")
    found = look("permissions", fix=True)
    assert found.fixed == ""
    assert "snapshot" in found.next_step
    assert store.stat().st_mode & 0o777 == 0o644


def test_looking_changes_nothing(store: Path, project: Path) -> None:
    before = {path: path.read_bytes() for path in store.parent.rglob("*") if path.is_file()}
    trials = {"hooks-answer", "hook-speed", "capture-trial", "model"}
    run(project, checks=[one for one in CHECKS if one.name not in trials])
    after = {
        path: path.read_bytes()
        for path in store.parent.rglob("*")
        if path.is_file() and not path.name.partition(".db")[2].startswith(("-shm", "-wal"))
    }
    assert {path: data for path, data in before.items() if path in after} == after
