"""How an agent's hook starts Cortex: the module, and the interpreter that can run it."""

import os
import re
import shlex
import site
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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

_OWN = re.compile(r"(^|[\s\"'])cortex_core\.hook(\s|$)|(^|[/\s\"'])cortex[\"']? hook [a-z-]+\s*$")

SECONDS = 60
"""Time limit for an interpreter that is started as a check."""


class HookEvent(NamedTuple):
    """A hook event of an agent that Cortex answers or records."""

    name: str
    timeout: int
    """Seconds."""
    matcher: str = ""

    @property
    def word(self) -> str:
        """The event's name as the hook's argument: `session-start`."""
        return "".join(f"-{one}" if one.isupper() else one for one in self.name)[1:].lower()


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


def command(python: Sequence[str], word: str, agent: str = "") -> list[str]:
    """The command of one hook: `python`, which `interpreter` returns, at the event `word`.

    Args:
        agent: whose hook it is; empty for Claude Code.

    A shell costs a hook about a millisecond of nine; without it every event of every session ends
    with an error once the Python is gone.
    """
    hook = ["-m", MODULE, *(("--agent", agent) if agent else ()), word]
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


def groups(
    events: Sequence[HookEvent], python: Sequence[str], agent: str = ""
) -> dict[str, dict[str, Any]]:
    """One matcher group for each event, in the form of Claude Code's settings.

    Args:
        agent: an agent that runs a line by a shell; empty for Claude Code, which takes arguments.
    """
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        words = command(python, event.word, agent)
        line = {"command": shlex.join(words)}
        own = line if agent else {"command": words[0], "args": words[1:]}
        handler = {"type": "command", **own, "timeout": event.timeout}
        found[event.name] = {
            **({"matcher": event.matcher} if event.matcher else {}),
            "hooks": [handler],
        }
    return found


def hook_flags() -> tuple[str, ...]:
    """The flags that keep the session's folder and environment out of the hook's imports."""
    return ("-E", "-P") if _is_in_user_site() else ("-I",)


def _is_in_user_site() -> bool:
    """Whether the package is in the user's site-packages, where `-I` does not look."""
    try:
        return Path(__file__).resolve().is_relative_to(Path(site.getusersitepackages()).resolve())
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


def is_ours(handler: object) -> bool:
    """Whether a hook in an agent's settings runs Cortex, whichever interpreter it names."""
    if not isinstance(handler, Mapping):
        return False
    arguments = handler.get("args")
    words = [handler.get("command"), *(arguments if isinstance(arguments, list) else ())]
    return bool(_OWN.search(" ".join(word for word in words if isinstance(word, str))))


def commands(settings: object) -> dict[str, list[list[str]]]:
    """The commands of Cortex's hooks in `settings`, by event."""
    commands_of: dict[str, list[list[str]]] = {}
    hooks = settings.get("hooks") if isinstance(settings, Mapping) else None
    for event, listed in hooks.items() if isinstance(hooks, Mapping) else ():
        for group in listed if isinstance(listed, list) else ():
            handlers = group.get("hooks") if isinstance(group, Mapping) else None
            for handler in handlers if isinstance(handlers, list) else ():
                if is_ours(handler):
                    words = [handler.get("command", ""), *(handler.get("args") or ())]
                    commands_of.setdefault(event, []).append([str(word) for word in words])
    return commands_of
