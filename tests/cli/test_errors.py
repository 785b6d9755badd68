"""How runs end when something goes wrong: codes, sentences, no tracebacks."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click
import pytest

from cortex_core.base.errors import ConfigError, CortexError, NotFound, UsageError
from cortex_core.cli.command import exit_code
from tests.cli.conftest import Cli
from tests.conftest import made


def ends_with(error: BaseException, project: str | None = None) -> int:
    def work() -> None:
        raise error

    return exit_code(work, lambda: project)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CortexError("It failed."), 1),
        (UsageError("Wrong words."), 2),
        (ConfigError("Bad."), 2),
        (NotFound("None."), 3),
        (click.UsageError("No such option."), 2),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (BrokenPipeError(), 1),
    ],
)
def test_codes(error: BaseException, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert ends_with(error) == code
    assert str(error) in capsys.readouterr().err


def test_an_interrupted_command_says_what_it_has_done(capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    def work() -> None:
        stop = KeyboardInterrupt()
        stop.add_note("3 of 10 memories are imported and stay.")
        raise stop

    assert exit_code(lambda: work.main([], standalone_mode=False), lambda: None) == 130
    assert "Interrupted. 3 of 10 memories are imported and stay.\n" in capsys.readouterr().err


def test_a_fault_is_told_in_a_line_and_traced_in_the_log(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(project)
    token = "ghp_" + "a1B2c3D4" * 5
    assert ends_with(ZeroDivisionError(f"x {token}"), str(project)) == 1
    said = capsys.readouterr().err
    log = project / ".memory" / "cortex.log"
    assert said.count("\n") == 1
    assert "ZeroDivisionError" in said
    assert str(log) in said
    assert "work (test_errors.py" in log.read_text(encoding="utf-8")
    assert token not in log.read_text(encoding="utf-8")


def test_a_fault_without_a_log_is_traced_on_stderr(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ends_with(ZeroDivisionError("x"), str(project)) == 1
    assert "work (test_errors.py" in capsys.readouterr().err
    assert not (project / ".memory").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("recall",),
        ("recall", "  "),
        ("recall", "x", "--limit", "0"),
        ("recall", "x", "-k", "no"),
        ("recall", "x", "--scope", "moon"),
        ("recall", "x", "--since", "someday"),
        ("recall", "x", "--mode", "magic"),
        ("recall", "x", "--batch", "f"),
        ("recall", "--batch", "missing.txt"),
        ("remember",),
        ("remember", " "),
        ("remember", "x", "--priority", "11"),
        ("remember", "x", "--kind", "nonsense"),
        ("remember", "x", "--confidence", "2"),
        ("list", "--since", "x"),
        ("list", "--sort", "x"),
        ("show",),
        ("show", "ab"),
        ("undo", "0"),
        ("undo", "many"),
        ("import", "jsonl"),
        ("import", "jsonl", "missing.jsonl"),
        ("give", "1f3a9c20", "sometimes"),
        ("move", "1f3a9c20"),
        ("rules", "set", "commit", "maybe"),
        ("config", "get", "nothing"),
        ("config", "set", "surface.tokens", "many"),
        ("config", "set", "surface.tokens"),
        ("link", "1f3a9c20", "77b0e1d4", "--type", "likes"),
        ("nonsense",),
        ("trash", "nonsense"),
        ("list", "--nonsense"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2(cortex: Cli, words: tuple[str, ...]) -> None:
    assert cortex.fails(2, *words).strip()


@pytest.mark.parametrize(
    "words",
    [
        ("recall", "unicorn"),
        ("about", "unicorn"),
        ("show", "1f3a9c20"),
        ("list",),
        ("recent",),
        ("decisions",),
        ("timeline", "1f3a9c20"),
        ("neighbours", "1f3a9c20"),
        ("edit", "1f3a9c20", "--title", "x"),
        ("tag", "1f3a9c20", "+x"),
        ("pin", "1f3a9c20"),
        ("unpin", "1f3a9c20"),
        ("give", "1f3a9c20", "never"),
        ("forget", "unicorn"),
        ("restore", "1f3a9c20"),
        ("move", "1f3a9c20", "--to", "global"),
        ("link", "1f3a9c20", "77b0e1d4"),
        ("unlink", "1f3a9c20", "77b0e1d4"),
        ("undo",),
        ("redo",),
        ("replay", "1f3a9c20"),
        ("suggestions", "keep", "1f3a9c20"),
        ("quarantine", "release", "1f3a9c20"),
        ("rules", "set", "nonsense", "off"),
        ("snapshot", "restore", "1"),
        ("trust",),
    ],
    ids=" ".join,
)
def test_nothing_found_is_3(cortex: Cli, words: tuple[str, ...]) -> None:
    assert cortex.fails(3, *words).strip()


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--tag", "\udcff"),
        ("list", "--branch", "\udcff"),
        ("show", "\udcff" * 4),
        ("list", "--file", "\udcff"),
        ("recall", "\udcff"),
        ("log", "--memory", "\udcff" * 4),
        ("recall", "x", "--file", "a\0b"),
        ("receipts", "--session", "\udcff"),
        ("undo", "--change", "1000000"),
        ("list", "--limit", "1000000"),
        ("replay", "../../etc/passwd"),
        ("forecast", "--days", "36500"),
        ("surface", "--prompt", "\udcff \0"),
        ("surface", "--file", "\udcff\0"),
    ],
    ids=range(14),
)
def test_odd_words_are_no_fault(filled: Cli, words: tuple[str, ...]) -> None:
    assert filled.run(*words).exit_code in (0, 2, 3)


def test_first_steps_are_pointed_out(cortex: Cli) -> None:
    for words in (("list",), ("recent",), ("recall", "x")):
        assert "cortex import transcripts" in cortex.fails(3, *words)


def test_whose_memory_it_is_not_is_said_once(cortex: Cli) -> None:
    (cortex.project / ".memory").mkdir()
    (cortex.project / ".memory" / "config.toml").write_text("[triggers]\n")
    for said in (cortex.fails(1, "remember", "Deploys go out on Tuesday"), cortex.fails(3, "list")):
        assert said.count("came with its folder") == 1


def test_a_mistake_in_the_settings_can_be_put_right(cortex: Cli) -> None:
    cortex.ok("config", "set", "surface.tokens", "400")
    file = Path(cortex.ok("config", "path").strip())
    file.write_text("[surface]\ntokens = 'many'\n", encoding="utf-8")
    assert "surface.tokens" in cortex.fails(2, "list")
    cortex.ok("config", "set", "surface.tokens", "300")
    assert cortex.ok("config", "get", "surface.tokens") == "300\n"


def test_a_closed_pipe_is_silent(project: Path, clean_env: Callable[..., dict[str, str]]) -> None:
    program = "from cortex_core.cli.main import main; main()"
    reader = subprocess.Popen(
        [sys.executable, "-c", program, "--help"],
        env=clean_env(),
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert reader.stdout is not None
    assert reader.stderr is not None
    reader.stdout.close()
    assert reader.stderr.read() == b""
    reader.stderr.close()
    assert reader.wait() in (0, 1)


def test_only_what_changes_something_says_that_nothing_was_changed(filled: Cli) -> None:
    for words in map(str.split, ("show zzzz", "log --change 999", "config get zz", "anchors zz")):
        assert "Nothing was changed" not in filled.run(*words).stderr
    for words in map(str.split, ("forget zzzz", "anchors zz --confirm", "team members --add")):
        assert "Nothing was changed" in filled.run(*words).stderr
    store = filled.project / ".memory" / "cortex.db"
    store.write_bytes(b"no store" * 1000)
    for words in map(str.split, ("list", "prove", "consolidate --dry-run")):
        assert "is damaged" in (said := filled.run(*words).stderr)
        assert "Nothing was changed" not in said
    assert "Nothing was changed" in filled.run("consolidate").stderr


@pytest.mark.parametrize("table", ["memory", "journal", "meta", "source_memory"])
def test_damaged_pages_are_said_in_one_sentence(filled: Cli, table: str) -> None:
    store = filled.project / ".memory" / "cortex.db"
    with closing(sqlite3.connect(store)) as connection:
        asked = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        page = connection.execute(asked, (table,)).fetchone()[0]
    with store.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    for words in (
        ("core",),
        ("export", "markdown", "vault"),
        ("undo",),
        ("list",),
        ("status",),
        ("remember", "x y z"),
        ("log",),
        ("reflect",),
    ):
        done = filled.run(*words)
        assert done.exit_code in (0, 1)
        if done.exit_code:
            assert "is damaged" in done.stderr
            assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "words", [("export", "jsonl"), ("export", "markdown"), ("import", "markdown"), ("prove",)]
)
def test_a_name_that_no_disk_takes_is_said(cortex: Cli, words: tuple[str, ...]) -> None:
    assert "Use a shorter name." in cortex.fails(1, *words, "n" * 300)
