"""The app in a real pseudo-terminal, started as a person starts it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_tui.application import CortexApp

COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;[25];[0-9;]+)m")


class Terminal:
    """A program in a pseudo-terminal of 100 by 30."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.written = b""
        self.process, self.fd = pty.fork()
        if not self.process:
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))

    def until(self, words: bytes, seconds: float = 30) -> None:
        """Read until `words` were written, after what was read before."""
        deadline, start = time.monotonic() + seconds, len(self.written)
        while words not in self.written[start:]:
            assert time.monotonic() < deadline, self.written[start:][-800:]
            if select.select([self.fd], [], [], 0.1)[0]:
                self.written += os.read(self.fd, 1 << 16)

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def leaves(self) -> int:
        """The exit code, once it has left."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    self.written += os.read(self.fd, 1 << 16)
                except OSError:
                    break
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def start(project: Path, environment: dict[str, str]) -> Terminal:
    command = [sys.executable, "-m", "cortex_core.cli", "--project", str(project), "tui"]
    root = str(Path(__file__).resolve().parents[2])
    terminal = Terminal(command, {**environment, "PYTHONPATH": root, "TERM": "xterm-256color"})
    terminal.until(b"Access tokens live")
    return terminal


def test_it_opens_moves_and_leaves_the_terminal_as_it_was(
    app: CortexApp, project: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    terminal = start(project, clean_env())
    terminal.press("jj")
    terminal.until(b"auth/session.ts")
    assert COLOUR.search(terminal.written)
    terminal.press("q")
    assert terminal.leaves() == 0
    for restored in (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l"):
        assert restored in terminal.written


@pytest.mark.parametrize("key", ["q", "\x03"])
def test_no_colour_is_written_where_none_is_wanted(
    app: CortexApp, project: Path, clean_env: Callable[..., dict[str, str]], key: str
) -> None:
    terminal = start(project, clean_env(NO_COLOR="1"))
    terminal.press("j/token")
    terminal.until(b" of 9")
    assert not COLOUR.search(terminal.written)
    terminal.press("\x1b")
    time.sleep(0.3)
    terminal.press(key)
    assert terminal.leaves() == 0


def test_ascii_alone_is_written_where_nothing_else_can_be_shown(
    app: CortexApp, project: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    terminal = start(project, clean_env(CORTEX_GLYPHS="ascii"))
    for keys, words in (
        ("jd", b"Forgotten"), ("?", b"Type words"), ("\x1b", b"Access"), ("\x10", b"ind a command"),
    ):  # fmt: skip
        terminal.press(keys)
        terminal.until(words)
    assert terminal.written.isascii(), re.findall(rb"[^\x00-\x7f]+", terminal.written)
    terminal.press("\x03")
    assert terminal.leaves() == 0
