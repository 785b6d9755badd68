"""What a shell completes, and the file by which it does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from cortex_core.cli.completion_commands import MARK, SHELLS, path
from cortex_core.cli.main import cli
from tests.cli.conftest import Cli

PLACES = {
    "bash": ".local/share/bash-completion/completions/cortex",
    "zsh": ".local/share/zsh/site-functions/_cortex",
    "fish": ".config/fish/completions/cortex.fish",
}


@pytest.fixture
def home(cortex: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch HOME without any setting of a shell."""
    folder = tmp_path / "home of shells"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR", "SHELL"):
        monkeypatch.delenv(name, raising=False)
    return folder


def offered(cortex: Cli, words: str) -> list[str]:
    """What bash offers behind `cortex`, for the last of `words`."""
    done = CliRunner().invoke(
        cli,
        prog_name="cortex",
        env={
            "_CORTEX_COMPLETE": "bash_complete",
            "COMP_WORDS": f"cortex --project {cortex.project} {words}",
            "COMP_CWORD": str(3 + words.count(" ")),
        },
    )
    assert (done.exit_code, done.stderr) == (0, "")
    return [line.removeprefix("plain,") for line in done.stdout.split()]


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        ("rec", ["recall"]),
        ("list --kind de", ["decision"]),
        ("search --keyw", ["--keyword"]),
        ("sessions res", ["restore"]),
        ("sessions list --agent cl", ["claude"]),
        ("config set surface.tok", ["surface.tokens"]),
        ("config get surface.tok", ["surface.tokens"]),
        ("completion install f", ["fish"]),
        ("nothing x", []),
    ],
)
def test_words_are_completed(cortex: Cli, words: str, offers: list[str]) -> None:
    assert offered(cortex, words) == offers


def test_ids_are_completed_newest_first(cortex: Cli) -> None:
    first, second = (
        cortex.remember(f"Builds run on {name}") for name in ("the runner", "the laptop")
    )
    cortex.ok("forget", first)
    assert offered(cortex, "show ") == offered(cortex, "pin ") == [second[:8], first[:8]]
    assert offered(cortex, f"link {second[:3]}") == [second[:8]]
    assert offered(cortex, f"edit {second[:12]}") == [second]
    assert offered(cortex, f"restore {first[:6]}") == [first[:8]]
    assert offered(cortex, "show zzzz") == []


def test_a_broken_setting_is_no_matter_of_completion(cortex: Cli) -> None:
    file = cortex.project / ".memory" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text("surface = [", encoding="utf-8")
    assert offered(cortex, "pin ") == []


@pytest.mark.parametrize("shell", PLACES)
@pytest.mark.parametrize("detected", [False, True])
def test_the_file_lies_where_its_shell_looks_until_uninstall(
    cortex: Cli, home: Path, monkeypatch: pytest.MonkeyPatch, shell: str, detected: bool
) -> None:
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    file = home / PLACES[shell]
    said = cortex.ok("completion", "install", *[shell] * (not detected))
    assert str(file) in said.replace("\n", "") and "cortex uninstall" in said
    written = file.read_text(encoding="utf-8")
    assert f"_CORTEX_COMPLETE={shell}_complete" in written and written.endswith(f"{MARK}\n")
    file.write_text(f"older\n{MARK}\n", encoding="utf-8")
    assert cortex.json("completion", "install", shell)[0] == {"shell": shell, "path": str(file)}
    assert file.read_text(encoding="utf-8") == written
    assert cortex.json("uninstall", "--dry-run")[0]["completion"] == [str(file)]
    assert cortex.json("uninstall", "--agent", "codex")[0]["completion"] == []
    assert file.exists()
    assert f"Removed {file}" in cortex.ok("uninstall")
    assert not file.exists()


@pytest.mark.parametrize("shell", PLACES)
def test_a_foreign_file_is_left_as_it_is(cortex: Cli, home: Path, shell: str) -> None:
    file = home / PLACES[shell]
    file.parent.mkdir(parents=True)
    file.write_text("mine\n", encoding="utf-8")
    assert "left as it is" in cortex.fails(1, "completion", "install", shell)
    cortex.ok("uninstall")
    assert file.read_text(encoding="utf-8") == "mine\n"
    file.unlink()
    file.symlink_to(home / "nowhere")
    assert "left as it is" in cortex.fails(1, "completion", "install", shell)
    assert file.is_symlink()


def test_mistakes_are_said_and_write_nothing(
    cortex: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for shell in ("", "/usr/bin/nu"):
        monkeypatch.setenv("SHELL", shell)
        assert "Nothing was written. Name one: cortex completion install bash" in cortex.fails(
            2, "completion", "install"
        )
    assert "'nu' is not one of" in cortex.fails(2, "completion", "install", "nu")
    assert list(home.iterdir()) == []
    (home / ".config").write_text("a file", encoding="utf-8")
    assert "cannot be written" in cortex.fails(1, "completion", "install", "fish")


def test_folders_of_xdg_count(cortex: Cli, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "settings"))
    assert [path(shell).relative_to(home).parts[0] for shell in SHELLS] == [
        "data",
        "data",
        "settings",
    ]


def test_zsh_is_given_its_folder(cortex: Cli, home: Path) -> None:
    for shell in PLACES:
        done = CliRunner().invoke(cli, ["completion", "install", shell])
        line = f"fpath=({(home / PLACES[shell]).parent} $fpath)"
        assert (line in done.stderr) == (shell == "zsh")


def test_bash_completes_by_the_file(
    cortex: Cli, home: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    cortex.ok("completion", "install", "bash")
    script = (
        f'source "{home / PLACES["bash"]}"; COMP_WORDS=(cortex rec); COMP_CWORD=1; '
        '_cortex_completion cortex; echo "${COMPREPLY[@]}"'
    )
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script],
        env={**clean_env(), "PATH": programs},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("recall\n", "")
