"""GitHub's workflows: what their steps run is there, and only what was looked at runs."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cortex_core import __version__

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"uses: ([\w/-]+)@([0-9a-f]{40})  # v\d+\.\d+\.\d+$")
"""A step that runs an action: by its commit, with the version for people."""


def steps() -> Iterator[dict[str, Any]]:
    """The steps of all jobs."""
    for path in WORKFLOWS:
        for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
            yield from job["steps"]


def script(name: str) -> str:
    """What a step runs."""
    (found,) = {step["run"] for step in steps() if step.get("name") == name}
    return str(found)


def run(command: str, **variables: str) -> int:
    """The exit code of a step's lines, as GitHub runs them in a checkout."""
    environment = {**os.environ, **variables}
    return subprocess.run(["bash", "-e", "-c", command], cwd=ROOT, env=environment).returncode


def test_an_action_is_one_commit_everywhere() -> None:
    lines = [line for path in WORKFLOWS for line in path.read_text("utf-8").splitlines()]
    used = [line.strip(" -") for line in lines if "uses:" in line]
    pinned = [match.groups() for line in used if (match := PINNED.match(line))]
    assert len(pinned) == len(used) > 5
    assert len({action for action, _ in pinned}) == len(set(pinned))


def test_the_tests_run_on_each_python_that_the_package_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = [one.rpartition(" ")[2] for one in project["classifiers"] if ":: 3." in one]
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))["jobs"]
    assert jobs["checks"]["strategy"]["matrix"]["python"] == named
    assert project["requires-python"] == f">={named[0]}"


@pytest.mark.skipif(os.name == "nt", reason="the release runs on Linux")
def test_a_release_is_refused_where_the_tag_is_another_version() -> None:
    command = script("The tag is the version")
    assert run(command, GITHUB_REF_NAME=f"v{__version__}") == 0
    assert run(command, GITHUB_REF_NAME=f"v{__version__}1") != 0


@pytest.mark.skipif(os.name == "nt", reason="the scripts are for a POSIX shell")
def test_what_steps_run_is_there() -> None:
    scripts = [step["run"] for step in steps() if "run" in step]
    assert len(scripts) > 4
    for command in scripts:
        assert run(f"set -n\n{command}") == 0, command
    called = {word for text in scripts for word in re.findall(r"python3? (\w+\.py)", text)}
    assert called == {"dev.py"}
