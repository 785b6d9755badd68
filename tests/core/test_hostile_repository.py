"""What a repository names in its own git folder is not run, and a pipe in place of a file holds
nothing up."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.agents import settings_file
from cortex_core.agents.claude.registration import read_json
from cortex_core.base import git
from cortex_core.base.errors import CortexError
from cortex_core.doctor import stores_checks


@pytest.fixture
def hostile(project: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A project whose git folder names a program for everything; what the program leaves behind."""
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho >> {ran}\ncat\n")
    program.chmod(0o700)
    (project / ".gitattributes").write_text("* filter=a diff=a\n")
    (project / "file").write_text("one")
    for words in (
        ("add", "-A"),
        ("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "start"),
        ("config", "core.fsmonitor", str(program)),
        ("config", "filter.a.clean", str(program)),
        ("config", "filter.a.required", "true"),
        ("config", "diff.a.textconv", str(program)),
        ("config", "diff.external", str(program)),
    ):
        subprocess.run(["git", *words], cwd=project, check=True)
    (project / "file").write_text("two")
    return project, ran


def test_no_program_of_a_repository_runs(hostile: tuple[Path, Path]) -> None:
    project, ran = hostile
    with Cortex.open(project) as cortex:
        cortex.remember("Deploys go out on Tuesday")
    assert git.state(str(project), ".memory")
    assert "file" in git.describe(str(project))
    assert stores_checks._tracked(project) == []
    subprocess.run(["git", "config", "filter.a=b.clean", "cat"], cwd=project, check=True)
    assert not git.state(str(project), ".memory"), "this name cannot be turned off"
    assert not ran.exists()


def test_a_pipe_in_place_of_settings_is_no_file(tmp_path: Path) -> None:
    pipe = tmp_path / "settings.json"
    os.mkfifo(pipe)
    assert "no file" in read_json(pipe).problem
    with pytest.raises(CortexError, match="no file"):
        settings_file.read(pipe)
