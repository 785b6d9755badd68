"""Where a platform has no wheel of a package, Cortex works without it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = ("py_rust_stemmers", "pyrage")
"""What Windows on ARM lacks."""

WITHOUT = f"""
import os, sys
sys.modules.update(dict.fromkeys({HIDDEN}))
from cortex_core import Cortex
from cortex_core.base.errors import SyncError
with Cortex.open(project=os.getcwd()) as cortex:
    cortex.remember("Run the migrations before each deploy", kind="procedure")
    print([hit.memory.title for hit in cortex.recall("migrations")])
    for encrypt in (True, False):
        try:
            cortex.sync.add(
                "stick", os.environ["STICK"], passphrase=lambda _new: "four words",
                encrypt=encrypt, known_as="shop",
            )
        except SyncError as error:
            print(error)
    print([remote.error for remote in cortex.sync.run().remotes])
"""

WITHOUT_MODEL = """
import os, sys
sys.modules["onnxruntime"] = None
from cortex_core import Cortex, demo
with Cortex.open(project=os.getcwd()) as cortex:
    cortex.remember("Run the migrations before each deploy", kind="procedure")
    cortex.models.embed_pending()
    found = cortex.recall("migrations")
    print([hit.memory.title for hit in found])
    print(found.degraded)
sys.exit(demo.run(lambda line: None))
"""


def needed(**where: str) -> set[str]:
    """The packages that Cortex asks for on a platform."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    marked = [Requirement(each) for each in project["dependencies"]]
    return {one.name for one in marked if not one.marker or one.marker.evaluate({**where})}


def test_windows_on_arm_gets_all_but_what_has_no_wheel() -> None:
    arm = needed(sys_platform="win32", platform_machine="ARM64")
    linux = needed(sys_platform="linux", platform_machine="aarch64")
    assert {name.replace("-", "_") for name in linux - arm} == {*HIDDEN}


def test_an_intel_mac_gets_all_but_the_model_where_it_has_no_wheel() -> None:
    intel = {"sys_platform": "darwin", "platform_machine": "x86_64"}
    before, since = (needed(**intel, python_version=one) for one in ("3.13", "3.14"))
    assert before - since == {"onnxruntime"}
    silicon = needed(sys_platform="darwin", platform_machine="arm64", python_version="3.14")
    assert silicon == before


def test_memories_are_kept_found_and_exchanged_without_them(
    project: Path, tmp_path: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=project,
        env=clean_env(STICK=str(tmp_path / "stick")),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found, refused, exchanged = done.stdout.splitlines()
    assert found == "['Run the migrations before each deploy']"
    assert "Encryption needs the package pyrage" in refused and "--no-encrypt" in refused
    assert exchanged == "['']"


def test_memories_are_found_by_words_without_the_model(
    project: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_MODEL],
        cwd=project,
        env=clean_env(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found, degraded = done.stdout.splitlines()
    assert found == "['Run the migrations before each deploy']"
    assert "installing.md" in degraded
