"""The app in a real pseudo-terminal, started as a person starts it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from cortex_core.base import config as configuration
from cortex_core.base.project import find
from cortex_tui.application import CortexApp

COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;[25];[0-9;]+)m")

IN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Becomes a program whose controlling terminal is its standard input."""


class Terminal:
    """A program in a pseudo-terminal of 100 by 30."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.written = b""
        self.fd, terminal = pty.openpty()
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", IN_TERMINAL, *command],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environment,
            start_new_session=True,
        )
        os.close(terminal)

    def until(self, words: bytes, seconds: float = 30, *, since: int | None = None) -> None:
        """Read until `words` were written, after what was read before, or after byte `since`."""
        deadline = time.monotonic() + seconds
        start = len(self.written) if since is None else since
        while words not in self.written[start:]:
            assert time.monotonic() < deadline, self.written[start:][-800:]
            if self.readable(0.1):
                self.written += os.read(self.fd, 1 << 16)

    def readable(self, seconds: float) -> bool:
        """Whether something can be read within `seconds`, however many files are open."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def leaves(self) -> int:
        """The exit code, once it has left; -9 when it had to be killed."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if self.readable(0.05):
                try:
                    self.written += os.read(self.fd, 1 << 16)
                except OSError:
                    break
        else:
            self.process.kill()
        return self.process.wait()


Start = Callable[..., Terminal]


@pytest.fixture
def start(
    app: CortexApp, project: Path, clean_env: Callable[..., dict[str, str]]
) -> Iterator[Start]:
    """`start(NAME="value")`: the app over the samples, from today to the memories."""
    configuration.set(find(explicit=str(project)), "extractor", "rules")
    started: list[Terminal] = []

    def run(**extra: str) -> Terminal:
        command = [sys.executable, "-m", "cortex_core.cli", "--project", str(project), "tui"]
        root = str(Path(__file__).resolve().parents[2])
        terminal = Terminal(command, clean_env(PYTHONPATH=root, TERM="xterm-256color", **extra))
        started.append(terminal)
        terminal.until(b"Access tokens live")
        terminal.press("2")
        terminal.until(b" memories")
        return terminal

    yield run
    for terminal in started:
        terminal.process.kill()
        terminal.process.wait()


def test_it_opens_moves_and_leaves_the_terminal_as_it_was(start: Start) -> None:
    terminal = start()
    terminal.press("jj")
    terminal.until(b"auth/session.ts")
    assert COLOUR.search(terminal.written)
    terminal.press("q")
    assert terminal.leaves() == 0
    for restored in (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l"):
        assert restored in terminal.written


def test_ctrl_c_again_while_it_closes_says_nothing(start: Start) -> None:
    terminal = start()
    terminal.press("q")
    terminal.until(b"\x1b[?1049l")
    pressed = 0
    while terminal.process.poll() is None:
        # As often as a key repeats that is held down; some hundred are more than Python takes in.
        if pressed < 100:
            terminal.press("\x03")
            pressed += 1
        if terminal.readable(0.01):
            with suppress(OSError):  # it has left
                terminal.written += os.read(terminal.fd, 1 << 16)
    assert terminal.leaves() in (0, -signal.SIGINT)
    for unasked in (b"Traceback", b"KeyboardInterrupt", b"Interrupted"):
        assert unasked not in terminal.written
    assert b"\x1b[?1000l" in terminal.written


def test_after_it_was_suspended_everything_is_painted_again(start: Start) -> None:
    terminal = start()
    os.kill(terminal.process.pid, signal.SIGTSTP)
    terminal.until(b"\x1b[?1049l")
    os.waitpid(terminal.process.pid, os.WUNTRACED)
    before = len(terminal.written)
    os.kill(terminal.process.pid, signal.SIGCONT)
    # What changed meanwhile may be painted before the rest is.
    for part in (b"\x1b[?1049h", b"Settings", b"Token refresh races", b"forget"):
        terminal.until(part, since=before)
    terminal.press("q")
    assert terminal.leaves() == 0


@pytest.mark.parametrize("key", ["q", "\x03"])
def test_no_colour_is_written_where_none_is_wanted(start: Start, key: str) -> None:
    terminal = start(NO_COLOR="1")
    terminal.press("j/token")
    terminal.until(b" of 9")
    assert not COLOUR.search(terminal.written)
    terminal.press("\x1b")
    terminal.until(b"forget")
    terminal.press(key)
    assert terminal.leaves() == 0


def test_the_persons_editor_has_the_terminal_to_itself(start: Start, tmp_path: Path) -> None:
    script = tmp_path / "own-editor"
    script.write_text(
        "#!/bin/sh\nprintf 'in the editor\\n' > /dev/tty\nread key < /dev/tty\n"
        'ls -l "$1" > /dev/tty\nprintf "And $key.\\n" >> "$1"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    terminal = start(VISUAL=str(script))
    terminal.press("e")
    terminal.until(b"in the editor")
    assert b"\x1b[?1049l" in terminal.written
    terminal.press("more\r")
    terminal.until(b"-rw-------")
    terminal.until(b"Changed: Access tokens")
    terminal.press("q")
    assert terminal.leaves() == 0


def test_ascii_alone_is_written_where_nothing_else_can_be_shown(start: Start) -> None:
    terminal = start(CORTEX_GLYPHS="ascii")
    for keys, words in (
        ("jd", b"Forgotten"),
        ("?", b"type to filter"),
        ("\x1b", b"Access"),
        ("\x10", b"ind a command"),
    ):
        terminal.press(keys)
        terminal.until(words)
    assert terminal.written.isascii(), re.findall(rb"[^\x00-\x7f]+", terminal.written)
    terminal.press("\x03")
    assert terminal.leaves() == 0
