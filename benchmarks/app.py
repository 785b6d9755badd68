"""How fast the terminal app is, measured from outside: in a pseudo-terminal, by what it writes.

    python -m benchmarks.app [--sizes 1000,10000,100000] [--runs 7] [--keys 60] [--record]

The product is the wheel of this checkout in an environment of its own; the stores have vectors.
First paint: from starting the process to what the page of today has read. Map: from its key to the
map of the newest memories, at most 10,000. Key to
repaint: from a key to the first byte written after it. Letter to results: from a letter of a
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
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.installed import Installed, environment
from benchmarks.report import Figure
from benchmarks.stores import Made, store_of
from cortex_core import Cortex

COLUMNS, LINES = 120, 36
GIVE_UP = 30.0
"""Seconds after which an answer counts as missing."""
PAUSE = 0.06
"""Seconds between two keys."""
RESULTS = re.compile(rb"\x1b\[7;[12]H")
"""The list's first line is written, which typing alone does not do."""
TODAY = re.compile(rb"Learned (?:since|in|last)")
"""What is new has been read and is shown."""
MAP = re.compile(rb"by what they are about")
TYPED = ("scheduler", "race lock", "webpakc", "certificate", "queue timezone", "retyr")
"""Searches typed a letter at a time, some misspelt."""
MOVES = ("j", "j", "j", "k", "\x1b[6~", "\x1b[5~", "\x1b[F", "\x1b[H")


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
def running(command: Sequence[str], where: dict[str, str]) -> Iterator[Terminal]:
    """`command` in a pseudo-terminal of its own."""
    process, fd = pty.fork()
    if not process:
        os.execvpe(command[0], list(command), where)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    try:
        yield Terminal(process, fd)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(fd)


def first_paint(command: Sequence[str], where: dict[str, str], row: re.Pattern[bytes]) -> float:
    """Milliseconds from the start to the first live row."""
    begun = time.perf_counter()
    with running(command, where) as terminal:
        return terminal.until(row, begun)


def first_row(made: Made) -> re.Pattern[bytes]:
    """How the title of the newest memory begins."""
    with Cortex.open(made.root, made.home) as cortex:
        (newest,) = cortex.list(limit=1)
    return re.compile(re.escape(newest.title[:30].encode()))


def key_to_repaint(terminal: Terminal, keys: int) -> list[float]:
    """Milliseconds to the first byte after each of `keys` moves."""
    found = []
    for number in range(keys):
        terminal.quiet(PAUSE)
        begun = terminal.press(MOVES[number % len(MOVES)])
        found.append(terminal.until(re.compile(rb"."), begun))
    return found


def key_to_results(terminal: Terminal, words: Sequence[str]) -> list[float]:
    """Milliseconds from each letter of `words` to its result; a blank changes no result."""
    found = []
    terminal.press("/")
    for word in words:
        terminal.quiet()
        for letter in word:
            terminal.quiet(PAUSE)
            if letter == " ":
                terminal.press(letter)
                continue
            found.append(terminal.until(RESULTS, terminal.press(letter)))
        terminal.quiet()
        terminal.press("\x15")
    return found


def measure(product: Installed, made: Made, runs: int, keys: int) -> dict[str, Any]:
    """Every figure for one store."""
    command = [product.cortex, "--project", str(made.root)]
    where = {**environment(made), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    row = first_row(made)
    paints = [first_paint(command, where, TODAY) for _ in range(runs + 1)][1:]
    with running(command, where) as terminal:
        terminal.until(TODAY, time.perf_counter())
        terminal.until(row, terminal.press("2"))
        terminal.quiet(1.0)
        moves = key_to_repaint(terminal, keys)
        results = key_to_results(terminal, TYPED)
        for _ in range(2):
            terminal.press("\x1b")
            terminal.quiet()
        map_ms = terminal.until(MAP, terminal.press("m"))
    return {
        "memories": made.count,
        "map_ms": map_ms,
        "first_paint_ms": {"median": statistics.median(paints), "best": min(paints)},
        "key_ms": {
            "median": statistics.median(moves),
            "p95": report.percentile(moves, 0.95),
            "max": max(moves),
        },
        "search_ms": {
            "median": statistics.median(results),
            "p95": report.percentile(results, 0.95),
            "max": max(results),
        },
    }


def table(bare: float, found: Sequence[dict[str, Any]]) -> str:
    """The figures as lines of text."""
    lines = [
        f"bare python {bare:.0f} ms, python {platform.python_version()}",
        f"{'memories':>9} | {'first paint':>17} | {'key to repaint':>20} | "
        f"{'letter to result':>20} | map",
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
            + f" | {one['map_ms']:.0f}"
        )
    return "\n".join(lines)


def figures(found: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    """How soon the app answers over the largest store, with the bounds."""
    largest = found[-1]
    count = f"{largest['memories']:,} memories"
    paint, key, search = largest["first_paint_ms"], largest["key_ms"], largest["search_ms"]
    yield Figure(f"app, {count}: first paint", paint["median"], "ms", 450, 300)
    yield Figure(f"app, {count}: map", largest["map_ms"], "ms", 400, 300)
    yield Figure(f"app, {count}: key to repaint, p95", key["p95"], "ms", 30, 16)
    yield Figure(f"app, {count}: letter to results, p95", search["p95"], "ms", 120, 50)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "app")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--keys", type=int, default=60)
    options = parser.parse_args(arguments)
    sizes = sorted(int(size) for size in options.sizes.split(","))
    with tempfile.TemporaryDirectory(prefix="cortex-app-") as scratch:
        product = Installed(Path(scratch))
        stores = [store_of(size, options.cache) for size in sizes]
        found = []
        for made in stores:
            with Cortex.open(made.root, made.home) as cortex:
                cortex.settings.set("extractor", "rules")  # so that the app does not ask
            found.append(measure(product, made, options.runs, options.keys))
            with Cortex.open(made.root, made.home) as cortex:
                # The hooks are measured on the same stores, and read no settings there.
                Path(cortex.settings.path("project")).unlink()
    bare = report.empty_start()
    print(table(bare, found))
    details = {"bare_python_ms": bare, "sizes": found}
    return report.finish("app", options, list(figures(found)), details)


if __name__ == "__main__":
    raise SystemExit(main())
