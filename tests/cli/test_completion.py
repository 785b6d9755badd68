"""What a shell completes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from cortex_core.cli.main import cli
from tests.cli.conftest import Cli


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


def test_bash_completes_by_the_line_that_help_shows(
    cortex: Cli, clean_env: Callable[..., dict[str, str]]
) -> None:
    line = 'eval "$(_CORTEX_COMPLETE=bash_source cortex)"'
    assert line in " ".join(cortex.ok("help").split())
    script = (
        f"{line}; COMP_WORDS=(cortex rec); COMP_CWORD=1; "
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
