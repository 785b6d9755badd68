"""Running git and ssh: never asking, never for ever, and leaving no process behind."""

import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from cortex_core.base import child_processes

PATIENCE = 300.0
"""Seconds that one call over the network may take."""

OUT_OF_TIME = -9
"""The exit status of what was ended because its time was up: of SIGKILL."""

SSH_OPTIONS = (
    "-o",
    "BatchMode=yes",
    "-o",
    "ConnectTimeout=15",
    "-o",
    "ServerAliveInterval=15",
    "-o",
    "ServerAliveCountMax=4",
    "-o",
    "ControlMaster=no",
    "-o",
    "ClearAllForwardings=yes",
)
"""No question, no endless wait, and nothing else through the same connection."""


MOST_LETTERS = 300
"""Letters that are shown of what the other end says."""

_NO_REASON = ("warning:", "**", "hint:", "to ", "from ")
"""How lines begin that say something else than why a command failed."""

_VERDICTS = ("host key verification failed",)
"""How lines begin that say why, below a longer warning of ssh."""


class ProcessResult(NamedTuple):
    """What became of a command."""

    status: int
    output: bytes
    errors: str

    @property
    def reason(self) -> str:
        """Why it failed, in one printable line."""
        if self.status == OUT_OF_TIME:
            return f"it took longer than {PATIENCE:g} seconds"
        lines = (line.strip() for line in self.errors.splitlines())
        said = [line for line in lines if line and not line.lower().startswith(_NO_REASON)]
        said.sort(key=lambda line: not line.lower().startswith(_VERDICTS))
        line = (said or [f"it ended with status {self.status}"])[0][:MOST_LETTERS]
        return "".join(letter if letter.isprintable() else "?" for letter in line)


class Running:
    """A command whose output is being read."""

    def __init__(self, output: IO[bytes]) -> None:
        self.output = output
        self.done = ProcessResult(0, b"", "")
        """What became of it, once it has ended."""


def run(
    words: Sequence[str], data: bytes = b"", env: Mapping[str, str] | None = None
) -> ProcessResult:
    """Run a command with `data` as its input, to its end."""
    with running(words, data, env) as found:
        output = found.output.read()
    return found.done._replace(output=output)


@contextmanager
def running(
    words: Sequence[str], data: bytes = b"", env: Mapping[str, str] | None = None
) -> Iterator[Running]:
    """Run a command while its output is read; it has ended when the block is left.

    The input is a file, so that no order of reading and writing can block. The command has a
    session of its own: it cannot ask on the terminal, and all it started is ended with it.
    """
    with TemporaryFile() as given, TemporaryFile() as errors:
        given.write(data)
        given.seek(0)
        process = subprocess.Popen(
            words,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=env,
            start_new_session=True,
        )
        assert process.stdout is not None
        found = Running(process.stdout)
        # A host that answers nothing would hold the exchange for ever.
        timer = threading.Timer(PATIENCE, child_processes.end, (process,))
        timer.daemon = True
        timer.start()
        try:
            yield found
            process.stdout.close()
            process.wait()
        finally:
            timer.cancel()
            if process.poll() is None:
                child_processes.end(process)
            process.stdout.close()
            errors.seek(0)
            found.done = ProcessResult(
                process.wait(), b"", errors.read().decode("utf-8", "replace")
            )
