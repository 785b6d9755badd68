"""Running commands of `cortex` in forks of a process that has imported the product already.

A fork runs the same code as a whole process and can be killed like one, but starts in milliseconds:
that is what makes hundreds of kills affordable. The process itself never opens a store.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import pkgutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.campaign import Place
from benchmarks.faults import interposer
from benchmarks.faults.interposer import NONE, Fault

SECONDS = 120.0
"""How long a command may run."""

LINGER = 60.0
"""How long a background process that a command started may go on afterwards."""

_BECOME_REAPER = 36  # PR_SET_CHILD_SUBREAPER: whoever loses its parent becomes ours


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    """The exit code, or the negative number of the signal that ended it."""
    out: str
    err: str
    calls: int
    """Calls that changed a file."""
    broken: int
    """Calls that the fault broke."""
    left: int
    """Background processes that had to be killed."""

    @property
    def said(self) -> str:
        """The first line on stderr."""
        return self.err.strip().partition("\n")[0]


def prepare() -> None:
    """Import all of the product, and adopt the processes that commands leave behind."""
    import cortex_core
    from cortex_core.base.one_thread import load_onnxruntime

    load_onnxruntime()
    for module in pkgutil.walk_packages(cortex_core.__path__, "cortex_core."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    # What is imported late: as another user the interpreter's own files may be out of reach.
    late = ("importlib.readers", "rich.progress", "rich.table", "concurrent.futures.thread")
    for name in ("tokenizers", *late):
        importlib.import_module(name)
    ctypes.CDLL(None).prctl(_BECOME_REAPER, 1, 0, 0, 0)


def command(
    place: Place,
    words: Sequence[str],
    fault: Fault = NONE,
    data: str = "",
    variables: Mapping[str, str] = {},
) -> Ran:
    """Run `cortex WORDS…` for `place` with `data` as its input, while `fault` happens.

    Args:
        variables: more of the environment; FAULT_USER is the number of the user to become.
    """

    def work() -> None:
        from cortex_core.cli.main import cli

        cli.main(list(words), prog_name="cortex")

    return fork(place, work, fault, data, variables)


def fork(
    place: Place,
    work: Callable[[], None],
    fault: Fault = NONE,
    data: str = "",
    variables: Mapping[str, str] = {},
) -> Ran:
    """Run `work` in a fork that sees the environment of `place`, and wait for all it started."""
    state = place.folder.with_name(f"{place.folder.name}.state")
    files = [place.folder.with_name(f"{place.folder.name}.{name}") for name in ("in", "out", "err")]
    files[0].write_text(data, encoding="utf-8")
    environment = {
        **place.environment,
        **fault.variables([place.folder], state),
        **variables,
        "LD_PRELOAD": os.environ.get("LD_PRELOAD", ""),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    number = os.fork()
    if number == 0:
        _become(place, files, environment)
        os._exit(_code_of(work))
    code = _awaited(number)
    left = _await_others()
    out, err = (file.read_text("utf-8", "replace") for file in files[1:])
    return Ran(code, out, err, *interposer.counted(state), left)


def _become(place: Place, files: Sequence[Path], environment: Mapping[str, str]) -> None:
    """Be a process of `place`: its own session, streams, environment and folder."""
    os.setsid()
    # Before any file is opened: that is when the interposed library reads its variables.
    os.environ.clear()
    os.environ.update(environment)
    for descriptor, file in enumerate(files):
        flags = os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        opened = os.open(file, flags, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(place.root)
    if user := int(environment.get("FAULT_USER", "0")):
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)


def _code_of(work: Callable[[], None]) -> int:
    code = 0
    try:
        work()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return code


def _awaited(number: int) -> int:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        done, status = os.waitpid(number, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(number, signal.SIGKILL)
    os.waitpid(number, 0)
    return -signal.SIGALRM


def _await_others() -> int:
    """Wait for the processes that lost their parent; returns how many had to be killed."""
    until, killed = time.monotonic() + LINGER, 0
    while True:
        try:
            done, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return killed
        if done == 0:
            if time.monotonic() > until:
                killed += _kill_children()
            time.sleep(0.005)


def _kill_children() -> int:
    listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()
    for number in listed:
        os.kill(int(number), signal.SIGKILL)
    return len(listed)
