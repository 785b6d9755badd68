"""How an agent's hook starts Cortex: the module, and the interpreter that can run it."""

from __future__ import annotations

import os
import site
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from cortex_core.base.errors import CortexError

MODULE = "cortex_core.hook"

_LAUNCH = (
    'if [ -x "$0" ] && [ -f "$1" ]; then shift; exec "$0" "$@"; fi; case "$*" in *session-start) '
    "printf '%s' '{\"systemMessage\": \"Cortex cannot remember anything: the Python that it was "
    "installed with is gone. Install it again and run cortex install, or take the hooks of "
    "cortex_core out of the settings.\"}';; esac"
)
"""What a shell runs: the hook, or, where pipx, pyenv or a package manager has taken the Python or
the package away, one sentence at the start of a session and nothing at any other event."""

SECONDS = 60
"""Time limit for an interpreter that is started as a check."""


def interpreter() -> tuple[str, ...]:
    """The real Python that Cortex is installed for, absolute, with the flags that isolate it.

    A virtual environment's own Python is kept and not followed: it is what finds the packages.
    Elsewhere a name such as `python3` is followed within its folder, so that an upgrade of the
    system does not move Cortex to a Python that it is not installed for.
    """
    folder, name = os.path.split(os.path.abspath(sys.executable))
    folder = os.path.realpath(folder)
    if sys.prefix != sys.base_prefix:
        usual = os.path.join(folder, "python")
        return (usual if os.path.exists(usual) else os.path.join(folder, name), *hook_flags())
    path = os.path.join(folder, name)
    while os.path.islink(path) and not os.path.dirname(target := os.readlink(path)):
        path = os.path.join(folder, target)
    return (path, *hook_flags())


def command(python: Sequence[str], word: str) -> list[str]:
    """The command of one hook: `python`, which `interpreter` returns, at the event `word`.

    A shell costs a hook about a millisecond of nine; without it every event of every session ends
    with an error once the Python is gone.
    """
    hook = ["-m", MODULE, word]
    if sys.platform == "win32":
        return [*python, *hook]
    module = str(Path(__file__).resolve().parent.parent / "hook.py")
    return ["/bin/sh", "-c", _LAUNCH, python[0], module, *python[1:], *hook]


def python_of(command: Sequence[str]) -> tuple[str, ...]:
    """The Python of a hook's command and its flags; empty where it names none."""
    if MODULE not in command[2:]:
        return ()
    own = command[: command.index(MODULE) - 1]
    return (own[3], *own[5:]) if own[1:2] == ["-c"] else tuple(own)


def hook_flags() -> tuple[str, ...]:
    """The flags that keep the session's folder and environment out of the hook's imports."""
    return ("-E", "-P") if _is_in_user_site() else ("-I",)


def _is_in_user_site() -> bool:
    """Whether the package is in the user's site-packages, where `-I` does not look."""
    here = Path(__file__).resolve()
    try:
        return here.is_relative_to(Path(site.getusersitepackages()).resolve())
    except (OSError, AttributeError):
        return False


def check_interpreter(python: Sequence[str]) -> None:
    """Make sure that `python` can run Cortex's hooks, from any folder.

    Raises:
        CortexError: it cannot.
    """
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({MODULE!r}) is None)"
    try:
        done = subprocess.run(
            [*python, "-c", code], cwd=os.sep, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CortexError(f"{python[0]} cannot be run: {error}. Nothing was changed.") from error
    if done.returncode:
        raise CortexError(
            f"Cortex is not installed for {python[0]}, so hooks could not run. Nothing was "
            "changed. Install it with pipx install agent-cortex, or in this environment with "
            "pip install -e ."
        )
