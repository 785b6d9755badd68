"""Whether Codex runs Cortex's hooks: they are written down, trusted, and have fired."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from threading import Timer
from typing import Any

from cortex_core import CHILD
from cortex_core.agents import hook_command, settings_file
from cortex_core.agents.codex import installer
from cortex_core.agents.protocol import AgentCase, Check, Route
from cortex_core.base.errors import CortexError
from cortex_core.base.project import Project
from cortex_core.base.text import counted
from cortex_core.records.findings import failed, ok, skipped, warning
from cortex_core.records.upkeep import CheckResult

RECENT = 5
"""Sessions since the installation that are looked at."""

SECONDS = 20
"""Time limit for Codex to list its hooks; it takes one."""

CONNECT = "Run: cortex install --agent codex"


def installed(case: AgentCase) -> CheckResult:
    """Whether the hooks are in place, whether Codex trusts them, and whether they have fired."""
    if not installer.is_present():
        return skipped("Codex is not on this machine.")
    found = _commands()
    if not found:
        return skipped("Cortex is not connected with Codex. To connect it, " + CONNECT.lower())
    if missing := [event.name for event in installer.EVENTS if event.name not in found]:
        sentence = f"Hooks are missing in {installer.hooks_file()}: {', '.join(missing)}."
        return failed(sentence, CONNECT, fixable=True)
    states = list(_trust(case.project))
    doubted = [state for state in states if state != "trusted"]
    if doubted:
        return failed(
            f"Codex does not trust {len(doubted)} of {len(states)} hooks of Cortex, and runs none "
            "of these.",
            installer.TRUST,
        )
    return _proven(case, is_trusted=bool(states))


def _proven(case: AgentCase, *, is_trusted: bool) -> CheckResult:
    """Whether the hooks have fired since they were installed."""
    since = installer.hooks_file().stat().st_mtime
    own = [one for one in case.sessions if one.agent == "codex" and one.changed > since]
    recent = own[-RECENT:]
    fired = sum(one.id in case.fired for one in recent)
    trusted = "Codex trusts the hooks" if is_trusted else "Codex cannot be asked for its hooks"
    if fired:
        return ok(
            f"{trusted}; they fired in {fired} of the last {counted(len(recent), 'session')}."
        )
    if recent or not is_trusted:
        return failed(f"{trusted}, but none has fired here since.", installer.TRUST)
    return warning(
        f"{trusted}, but there was no session here since.", "Start codex in this folder."
    )


def connect(case: AgentCase) -> str:
    """Add the hooks again; what was done."""
    return installer.connect(case.project)


def _commands() -> dict[str, list[list[str]]]:
    """The commands of Cortex's hooks in Codex's file, by event."""
    try:
        text = settings_file.read(installer.hooks_file()).text
        return hook_command.commands(settings_file.value_of(text))
    except (CortexError, ValueError):
        return {}


def _trust(project: Project) -> Iterator[str]:
    """What Codex says of each of Cortex's hooks: `trusted`, `untrusted` or `modified`; nothing
    where it cannot be asked."""
    program = shutil.which("codex")
    if program is None:
        return
    folder = project.root or project.cwd
    calls = (
        {"id": 1, "method": "initialize", "params": {"clientInfo": _CALLER, "capabilities": _ALL}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [folder]}},
    )
    try:
        answer = _answered(
            program, [json.dumps({"jsonrpc": "2.0", **one}) for one in calls], folder
        )
        listed = [hook for one in answer["result"]["data"] for hook in one["hooks"]]
        yield from (str(one["trustStatus"]) for one in listed if hook_command.is_ours(one))
    except (OSError, ValueError, KeyError, TypeError):
        return


_CALLER = {"name": "cortex", "version": "1"}
_ALL = {"experimentalApi": True}


def _answered(program: str, calls: Sequence[str], folder: str) -> Mapping[str, Any]:
    """The answer of Codex's server to the last of these calls; empty for none in time."""
    with subprocess.Popen(
        [program, "app-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, CHILD: "1"},
        text=True,
    ) as server:
        limit = Timer(SECONDS, server.kill)
        limit.start()
        try:
            assert server.stdin is not None and server.stdout is not None
            server.stdin.write("".join(f"{call}\n" for call in calls))
            server.stdin.flush()
            for line in server.stdout:
                found = json.loads(line)
                if found.get("id") == 2:
                    return found if isinstance(found, dict) else {}
            return {}
        finally:
            limit.cancel()
            server.kill()


def routes(project: Project) -> Sequence[Route]:
    """No way to run the hooks apart from Codex: what counts is whether Codex runs them."""
    return ()


def is_installed(project: Project) -> bool:
    """Whether hooks of Cortex are in Codex's file."""
    return bool(_commands())


CHECKS: Sequence[Check[AgentCase]] = (Check("codex-hooks", "client", installed, connect),)
