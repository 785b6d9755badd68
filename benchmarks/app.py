"""How fast the terminal app is, measured from outside: in a pseudo-terminal, by what it writes.

    python -m benchmarks.app [--sizes 1000,10000,100000] [--runs 5] [--keys 60] [--record]

First paint: from starting the process to the first row of the list on the terminal. Key to
repaint: from a key to the first byte written after it. Keystroke to results: from a letter of a
search to the first row of what it found.
"""

from __future__ import annotations

import fcntl
import os
import platform
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.app_stores import FIRST, build, vocabulary
from benchmarks.report import Figure

COLUMNS, LINES = 120, 36
GIVE_UP = 30.0
"""Seconds after which an answer counts as missing."""
PAUSE = 0.06
"""Seconds between two keys."""
RESULTS = re.compile(rb"\x1b\[4;1H")
"""The list's first line is written, which typing alone does not do."""
MOVES = ("j", "j", "j", "k", "\x04", "\x15", "\x1b[6~", "\x1b[5~", "G", "g")


class Terminal:
    """A running app and what it writes."""

    def __init__(self, process: int, fd: int) -> None:
        self.process = process
        self.fd = fd

    def read(self, seconds: float) -> bytes:
        """What was written within `seconds`; returns at the first bytes."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return b""
        try:
            return os.read(self.fd, 1 << 16)
        except OSError:
            return b""

    def press(self, key: str) -> float:
        """Send `key`; the moment it was sent."""
        os.write(self.fd, key.encode())
        return time.perf_counter()

    def until(self, pattern: re.Pattern[bytes], begun: float) -> float:
        """Milliseconds from `begun` until what is written holds `pattern`."""
        seen = b""
        while time.perf_counter() - begun < GIVE_UP:
            seen += self.read(0.05)
            if pattern.search(seen):
                return (time.perf_counter() - begun) * 1000
        raise TimeoutError(f"{pattern.pattern!r} did not appear. Seen: {seen[-400:]!r}")

    def quiet(self, seconds: float = 0.3) -> None:
        """Wait until nothing has been written for `seconds`."""
        while self.read(seconds):
            pass


@contextmanager
def running(command: Sequence[str], environment: dict[str, str]) -> Iterator[Terminal]:
    """`command` in a pseudo-terminal of its own."""
    process, fd = pty.fork()
    if not process:
        os.execvpe(command[0], list(command), environment)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    try:
        yield Terminal(process, fd)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(fd)


def first_paint(command: Sequence[str], environment: dict[str, str]) -> float:
    """Milliseconds from the start to the first live row."""
    begun = time.perf_counter()
    with running(command, environment) as terminal:
        return terminal.until(re.compile(re.escape(FIRST.encode())), begun)


def key_to_repaint(terminal: Terminal, keys: int) -> list[float]:
    """Milliseconds to the first byte after each of `keys` moves."""
    found = []
    for number in range(keys):
        terminal.quiet(PAUSE)
        begun = terminal.press(MOVES[number % len(MOVES)])
        found.append(terminal.until(re.compile(rb"."), begun))
    return found


def key_to_results(terminal: Terminal, words: Sequence[str]) -> list[float]:
    """Milliseconds from each letter of `words` to its result."""
    found = []
    terminal.press("/")
    for word in words:
        terminal.quiet()
        for letter in word:
            terminal.quiet(PAUSE)
            found.append(terminal.until(RESULTS, terminal.press(letter)))
        terminal.quiet()
        terminal.press("\x15")
    return found


def bare_python() -> float:
    """Milliseconds of an interpreter that does nothing; the smallest of nine."""

    def once() -> float:
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        return (time.perf_counter() - begun) * 1000

    return min(once() for _ in range(9))


def p95(values: Sequence[float]) -> float:
    """The value that 95 of 100 stay below."""
    return sorted(values)[max(0, round(len(values) * 0.95) - 1)]


def measure(count: int, folder: Path, runs: int, keys: int) -> dict[str, Any]:
    """Every figure for a store of `count` memories."""
    root, home = build(folder, count)
    command = [sys.executable, "-m", "cortex_core.cli", "--project", str(root), "tui"]
    environment = {
        **os.environ, "CORTEX_HOME": str(home), "HOME": str(folder), "TERM": "xterm-256color",
        "COLORTERM": "truecolor", "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
    }  # fmt: skip
    paints = [first_paint(command, environment) for _ in range(runs)]
    with running(command, environment) as terminal:
        terminal.until(re.compile(re.escape(FIRST.encode())), time.perf_counter())
        terminal.quiet(1.0)
        moves = key_to_repaint(terminal, keys)
        words = vocabulary()
        asked = [words[3], f"{words[40]} {words[90]}", words[2500], f"{words[300]}x", words[900]]
        results = key_to_results(terminal, asked)
    return {
        "memories": count,
        "first_paint_ms": {"median": statistics.median(paints), "best": min(paints)},
        "key_ms": {"median": statistics.median(moves), "p95": p95(moves), "max": max(moves)},
        "search_ms": {"median": statistics.median(results), "p95": p95(results),
                      "max": max(results)},
    }  # fmt: skip


def table(bare: float, found: Sequence[dict[str, Any]]) -> str:
    """The figures as lines of text."""
    lines = [
        f"bare python {bare:.0f} ms, python {platform.python_version()}",
        f"{'memories':>9} | {'first paint':>17} | {'key to repaint':>20} | "
        f"{'letter to result':>20}",
        f"{'':>9} | {'median':>8} {'best':>8} | {'median':>6} {'p95':>6} {'max':>6} "
        f"| {'median':>6} {'p95':>6} {'max':>6}",
    ]
    for one in found:
        paint, key, search = one["first_paint_ms"], one["key_ms"], one["search_ms"]
        lines.append(
            f"{one['memories']:>9,} | {paint['median']:>8.0f} {paint['best']:>8.0f} | "
            + " | ".join(
                f"{part['median']:>6.1f} {part['p95']:>6.1f} {part['max']:>6.1f}"
                for part in (key, search)
            )
        )
    return "\n".join(lines)


def figures(found: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    """What SPEC section 11 asks of the app, of the largest store."""
    largest = found[-1]
    count = f"{largest['memories']:,} memories"
    paint, key, search = largest["first_paint_ms"], largest["key_ms"], largest["search_ms"]
    yield Figure(f"app, {count}: first paint", paint["median"], "ms", 500, 300)
    yield Figure(f"app, {count}: key to repaint, p95", key["p95"], "ms", 30, 16)
    yield Figure(f"app, {count}: letter to results, p95", search["p95"], "ms", 120, 50)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "app")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--folder", type=Path, help="where the stores are made and kept")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        sizes = sorted(int(size) for size in options.sizes.split(","))
        found = [measure(size, folder, options.runs, options.keys) for size in sizes]
    bare = bare_python()
    print(table(bare, found))
    details = {"bare_python_ms": bare, "sizes": found}
    return report.finish("app", options, list(figures(found)), details)


if __name__ == "__main__":
    raise SystemExit(main())
