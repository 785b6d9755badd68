"""The set-up script: what it says to people whose machine lacks something."""

from __future__ import annotations

import ast
import importlib.util
import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def dev(tmp_path: Path) -> ModuleType:
    """The script, loaded from a copy, so that its `.venv` would be the copy's."""
    copy = tmp_path / "checkout"
    copy.mkdir()
    for name in ("dev.py", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, copy / name)
    spec = importlib.util.spec_from_file_location("dev_copy", copy / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(folder: Path, shim: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    code = f"{shim}\nimport runpy, sys; sys.argv = ['dev.py', 'demo']\n"
    code += "runpy.run_path('dev.py', run_name='__main__')"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_old_python_can_read_the_script_to_be_told() -> None:
    ast.parse((ROOT / "dev.py").read_text(encoding="utf-8"), feature_version=(3, 7))


def test_old_python_is_told_in_one_sentence(
    dev: ModuleType, clean_env: Callable[..., dict[str, str]]
) -> None:
    done = run(dev.ROOT, "import sys; sys.version_info = (3, 9, 2)", clean_env())
    assert done.returncode == 1
    assert done.stderr.startswith("Cortex needs Python 3.11 or newer; this is 3.9.")
    assert not dev.ENVIRONMENT.exists()


def test_missing_venv_module_says_what_to_install(
    dev: ModuleType, clean_env: Callable[..., dict[str, str]]
) -> None:
    done = run(dev.ROOT, "import sys; sys.modules['venv'] = None", clean_env())
    assert done.returncode == 1
    assert "sudo apt install python3-venv" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_no_environment_is_left_alone(
    dev: ModuleType, clean_env: Callable[..., dict[str, str]]
) -> None:
    dev.ENVIRONMENT.mkdir()
    (dev.ENVIRONMENT / "mine.txt").write_text("keep", encoding="utf-8")
    done = run(dev.ROOT, "", clean_env())
    assert done.returncode == 1
    assert "is there but is no Python environment" in done.stderr
    assert (dev.ENVIRONMENT / "mine.txt").read_text(encoding="utf-8") == "keep"


def test_environment_is_made_without_ensurepip_and_without_network(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "tools" / "bootstrap", dev.ROOT / "tools" / "bootstrap")
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    dev._make_environment()
    assert dev._environment_works()
    assert not dev._installed(dev._fingerprint(), "")


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_changed_needs_install_again(dev: ModuleType, name: str) -> None:
    before = dev._fingerprint()
    dev.ENVIRONMENT.mkdir()
    dev.STAMP.write_text(f"{before}\ntest\n", encoding="utf-8")
    assert dev._installed(before, "test")
    assert dev._installed(before, "")
    with (dev.ROOT / name).open("a", encoding="utf-8") as file:
        file.write("# a new need\n")
    assert not dev._installed(dev._fingerprint(), "test")


def test_the_command_alone_does_not_cover_the_tests(dev: ModuleType) -> None:
    dev.ENVIRONMENT.mkdir()
    dev.STAMP.write_text(f"{dev._fingerprint()}\n\n", encoding="utf-8")
    assert dev._installed(dev._fingerprint(), "")
    assert not dev._installed(dev._fingerprint(), "test")


def test_progress_tells_counts_from_words(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    err = io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(dev.Progress, "LOG_EVERY", -1.0)
    said = dev.Progress().follow(
        [
            "Collecting rich<16\n",
            "Downloading x/rich-15.0-py3.whl\n",
            "Progress 500000 of 2000000\n",
        ]
    )
    assert said == ["Collecting rich<16", "Downloading x/rich-15.0-py3.whl"]
    assert "1 packages, rich<16" in err.getvalue()
    assert "downloading rich 0.5 of 2.0 MB" in err.getvalue()


@pytest.mark.parametrize("words", [(), ("tset",), ("check", "--all")])
def test_wrong_words_show_the_usage(
    dev: ModuleType, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.main(words) == 2
    assert "python3 dev.py COMMAND" in capsys.readouterr().err
