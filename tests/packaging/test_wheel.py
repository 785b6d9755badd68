"""What is built can be installed and used far from the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cortex_core import __version__

ROOT = Path(__file__).resolve().parents[2]

LOOK_AROUND = """
import importlib.util, json, pathlib, sys
import cortex_core, cortex_tui
core, tui = (pathlib.Path(package.__file__).parent for package in (cortex_core, cortex_tui))
print(json.dumps({
    "core": str(core),
    "hooks": sorted(path.name for path in (core / "hooks").glob("*")),
    "skills": sorted(path.parent.name for path in (core / "skills").glob("*/SKILL.md")),
    "styles": sorted(path.name for path in (tui / "styles").glob("*.tcss")),
    "strays": [name for name in ("styles", "hooks", "tests", "tools", "benchmarks", "dev")
               if importlib.util.find_spec(name)],
}))
"""

USE_IT = """
import json, os
from cortex_core import Cortex
with Cortex.open(project=os.getcwd()) as cortex:
    cortex.remember("Use pnpm, never npm", kind="preference", priority=8)
    cortex.models.embed_pending()
    hits = cortex.recall("package manager")
    print(json.dumps([hits.mode, [hit.memory.content for hit in hits]]))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from it, as a release does."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a fresh environment that holds the wheel.

    Its needs come from the environment the tests run in, so that nothing is downloaded.
    """
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    wheel = next(built.glob("*.whl"))
    install = ["install", "-q", "--no-deps", "--no-index", "--no-compile", str(wheel)]
    python = environment / "bin" / "python"
    subprocess.run([sys.executable, "-m", "pip", "--python", python, *install], check=True)
    packages = next(environment.glob("lib/python*/site-packages"))
    (packages / "needs.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return environment / "bin"


@pytest.fixture
def ask(
    installed: Path, project: Path, clean_env: Callable[..., dict[str, str]]
) -> Iterator[Callable[[str], Any]]:
    """`ask(code)`: what the installed packages print as JSON, run within a project."""

    def run(code: str) -> Any:
        done = subprocess.run(
            [installed / "python", "-P", "-c", code],
            cwd=project,
            env=clean_env(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    yield run


def test_wheel_holds_the_packages_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    tops = {name.split("/")[0] for name in names}
    metadata = f"agent_cortex-{__version__}"
    assert tops == {"cortex_core", "cortex_tui", f"{metadata}.dist-info", f"{metadata}.data"}
    extra = [name for name in names if name.startswith(f"{metadata}.data/")]
    assert extra == [f"{metadata}.data/data/share/man/man1/cortex.1"]
    assert {"cortex_core/py.typed", "cortex_tui/py.typed"} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name]


def test_wheel_carries_the_model(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        sizes = {entry.filename: entry.file_size for entry in wheel.infolist()}
    models = [name for name in sizes if name.endswith(".onnx")]
    assert len(models) == 1
    assert sizes[models[0]] > 20_000_000
    assert any(name.endswith("NOTICE") for name in sizes)


def test_sdist_can_set_itself_up_and_test_itself(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    needed = {"dev.py", "hatch_build.py", "README.md", "tests/conftest.py", "hooks/hooks.json"}
    assert needed <= names
    assert any(name.startswith("tools/bootstrap/pip-") for name in names)
    assert not [name for name in names if ".venv/" in name or ".memory/" in name]


def test_folders_of_the_checkout_are_where_the_packages_look(ask: Callable[[str], Any]) -> None:
    seen = ask(LOOK_AROUND)
    assert not seen["core"].startswith(str(ROOT))
    assert "hooks.json" in seen["hooks"]
    assert {"recall", "remember", "forget"} <= set(seen["skills"])
    assert "app.tcss" in seen["styles"]
    assert seen["strays"] == []


def test_library_works_from_the_wheel(ask: Callable[[str], Any]) -> None:
    mode, contents = ask(USE_IT)
    assert mode == "hybrid"
    assert contents == ["Use pnpm, never npm"]


def test_command_tells_its_version(
    installed: Path, tmp_path: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    done = subprocess.run(
        [installed / "cortex", "--version"],
        cwd=tmp_path,
        env=clean_env(),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert __version__ in done.stdout
