"""The facade stays small: few names on it and on each service, few modules for one command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.api import Service

MOST_NAMES = 45
"""Public names of `Cortex`."""

MOST_OF_A_SERVICE = 20

MOST_MODULES = 80
"""Own modules that a whole `cortex recall` loads: 78, and room for two."""

SERVICES = sorted(name for name, made in vars(Cortex).items() if isinstance(made, Service))

RECALL = """
import sys
from cortex_core.cli.main import main
sys.argv = ["cortex", "recall", "package manager"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*sorted(name for name in sys.modules if name.partition(".")[0] == "cortex_core"))
"""


def public(thing: object) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_")]


def test_cortex_has_few_names(project: Path) -> None:
    assert len(public(Cortex.open(project))) <= MOST_NAMES


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_few_names_and_is_made_once(name: str, project: Path) -> None:
    cortex = Cortex.open(project)
    found = getattr(cortex, name)
    assert len(public(found)) <= MOST_OF_A_SERVICE
    assert getattr(cortex, name) is found
    assert len(type(found).__mro__) == 2, "a service has no base class"


def test_a_recall_loads_few_modules(
    project: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    with Cortex.open(project) as cortex:
        cortex.remember("Use pnpm, never npm", kind="preference")
        cortex.models.embed_pending()
    done = subprocess.run(
        [sys.executable, "-c", RECALL],
        cwd=project,
        env=clean_env(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "pnpm" in done.stdout
    modules = done.stdout.splitlines()[-1].split()
    assert len(modules) <= MOST_MODULES, modules
