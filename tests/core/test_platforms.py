"""What Cortex does on other systems: each branch runs here, with the system injected."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from cortex_core.agents import hook_command
from cortex_core.base import child_processes, hook_io, project
from cortex_core.store import leftovers

PACKAGES = Path(hook_io.__file__).parents[1], Path(hook_io.__file__).parents[2] / "cortex_tui"
ASKING = {
    "child_processes.py": "ending processes",
    "hook_io.py": "locks",
    "hook_command.py": "starting hooks",
    "project.py": "paths and who may read them",
    "leftovers.py": "whether a process runs",
    "endpoints.py": "who may read a token",
    "stores_checks.py": "who may read the stores",
    "application.py": "signals of the terminal",
}
"""The modules that ask which system this is, and what for."""
ONLY_POSIX = {"SIGKILL", "SIGTSTP", "SIGCONT", "killpg", "flock", "getuid", "setsid", "fork"}
WHICH = {"sys.platform", "os.name"}
"""What tells which system this is."""


def on_windows(monkeypatch: pytest.MonkeyPatch, module: ModuleType, **extra: Any) -> None:
    """Let one module take this system for Windows."""
    monkeypatch.setattr(module, "sys", SimpleNamespace(platform="win32", **extra))


def named(path: Path) -> set[str]:
    """The attributes that a module reads; empty where its text holds none that are looked for."""
    source = path.read_text("utf-8")
    if not any(one in source for one in WHICH | ONLY_POSIX):
        return set()
    tree = ast.parse(source)
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


def test_few_modules_know_which_system_this_is() -> None:
    read = {path: named(path) for folder in PACKAGES for path in folder.rglob("*.py")}
    asking = {path.name for path, found in read.items() if found & WHICH}
    assert asking == set(ASKING)
    posix = {path.name: found & ONLY_POSIX for path, found in read.items()}
    assert {name for name, found in posix.items() if found} <= asking | {"worker_start.py"}


def test_a_tree_of_processes_is_ended_by_taskkill(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    on_windows(monkeypatch, child_processes)
    monkeypatch.setattr(subprocess, "run", lambda words, **_kept: ran.append(words))
    child_processes.end(SimpleNamespace(pid=77), grace=2.0)  # type: ignore[arg-type]
    assert ran == [["taskkill", "/F", "/T", "/PID", "77"]]


def test_a_process_and_what_it_started_are_ended_here() -> None:
    starts = (
        "import subprocess, sys; subprocess.Popen(['sleep', '60']); print(1, flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", starts],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None and process.stdout.readline() == b"1\n"
        child_processes.end(process)
        # The pipe ends when the last process that holds it has: the one that it started too.
        assert process.stdout.read() == b""


@pytest.mark.parametrize("taken", [False, True])
def test_a_file_is_locked_by_msvcrt(monkeypatch: pytest.MonkeyPatch, taken: bool) -> None:
    asked: list[tuple[int, int, int]] = []

    def locking(*words: int) -> None:
        asked.append(words)  # type: ignore[arg-type]
        if taken:
            raise PermissionError

    on_windows(monkeypatch, hook_io)
    fake = SimpleNamespace(locking=locking, LK_LOCK=1, LK_NBLCK=2)
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    assert [hook_io.lock(5, wait=wait) for wait in (True, False)] == [not taken] * 2
    assert asked == [(5, 1, 1), (5, 2, 1)]


def test_no_process_is_asked_by_a_signal_which_would_end_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on_windows(monkeypatch, leftovers)
    monkeypatch.setattr(os, "kill", lambda *_words: pytest.fail("it was ended"))
    assert leftovers._is_running(2**22 + 1)
    (tmp_path / "cortex-1-x").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    leftovers.sweep_scratch()
    assert (tmp_path / "cortex-1-x").is_dir()


def test_hooks_start_without_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    on_windows(monkeypatch, hook_command)
    command = hook_command.command(("C:\\Python\\python.exe", "-I"), "stop")
    assert command == ["C:\\Python\\python.exe", "-I", "-m", hook_command.MODULE, "stop"]
    assert hook_command.python_of(command) == ("C:\\Python\\python.exe", "-I")


def test_the_temporary_folder_of_windows_is_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on_windows(monkeypatch, project)
    monkeypatch.setattr(os.path, "expandvars", lambda _name: str(tmp_path / "Temp"))
    assert str(tmp_path / "Temp") in project._temporary()
