"""Whether Codex runs Cortex's hooks: they are written down, trusted, and have fired."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from threading import Timer
from typing import Any

from cortex_core import CHILD
from cortex_core.agents import hook_command, hook_install, own_checks, settings_file
from cortex_core.agents.codex import installer
from cortex_core.agents.codex.reader import RolloutLines
from cortex_core.agents.protocol import AgentCase, Check
from cortex_core.agents.transcript_lines import open_transcript
from cortex_core.base.errors import CortexError
from cortex_core.base.json_objects import json_object
from cortex_core.base.project import Project
from cortex_core.base.text import counted
from cortex_core.records.findings import failed, ok, skipped, warning
from cortex_core.records.upkeep import CheckResult

SECONDS = 20
"""Time limit for Codex to list its hooks; it takes one."""

CONNECT = "Run: cortex install --agent codex"


FEWEST = 0.5
"""Prompts a turn below which they are likely to be written in a form that is not known: of 41
sessions with 280 turns in both forms none had less than 0.67, all together 1.01."""


def installed(case: AgentCase) -> CheckResult:
    """Whether the hooks are in place, whether Codex trusts them, and whether they have fired."""
    if not installer.is_present():
        return skipped("Codex is not on this machine.")
    found, states = _commands(), list(_trust(case.project))
    if not (states or is_installed(case.project)):
        return skipped(
            f"Not connected; {_heard(case, _turns(case))}. To connect it, {CONNECT.lower()}"
        )
    missing = [event.name for event in installer.EVENTS if found and event.name not in found]
    if missing:
        return failed(
            f"Hooks are missing in {installer.hooks_file()}: {', '.join(missing)}.",
            CONNECT,
            fixable=True,
        )
    # Codex says nothing of a hook that it does not run, so this fails until one has fired.
    doubted = [state for state in states if state != "trusted"]
    if doubted:
        return failed(
            f"Codex does not trust {len(doubted)} of {len(states)} hooks of Cortex, and runs none "
            "of these.",
            installer.TRUST,
        )
    return _proven(case, installer.hooks_file().stat().st_mtime if found else 0.0, bool(states))


def _proven(case: AgentCase, since: float, is_trusted: bool) -> CheckResult:
    """Whether the hooks have fired since they were installed, and prompts were read."""
    trusted = "hooks trusted" if is_trusted else "Codex cannot be asked for its hooks"
    turns = _turns(case)
    said = f"{_heard(case, turns)}; {trusted}"
    count, recent = own_checks.fired(case, "codex", since)
    start = "Start codex in this folder and send a prompt. Then run: cortex doctor"
    if not count and (recent or not is_trusted):
        todo = start if is_trusted else installer.TRUST
        return failed(f"{said}, but none has fired here since.", todo)
    if not count:
        return warning(f"{said}, but there was no session here since.", start)
    if case.prompts("codex") < FEWEST * turns:
        return warning(
            f"{said}; {recent}. Codex seems to write prompts in a form that Cortex does not know.",
            "Please report the version of Codex.",
        )
    return ok(f"{said}; {recent}.")


def _heard(case: AgentCase, turns: int) -> str:
    return own_checks.heard(case, "codex", f", {counted(turns, 'turn')}")


def _turns(case: AgentCase) -> int:
    """The turns of the sessions here that were read, as Codex records them: another record than
    that of prompts."""
    waiting = {one.key for one in case.unread}
    read = [one.path for one in case.sessions if one.agent == "codex" and one.key not in waiting]
    count = 0
    for path in read:
        with open_transcript(path) as file:
            count += sum(b'"task_started"' in line for *_, line in RolloutLines(file, 0))
    return count


def connect(case: AgentCase) -> str:
    """Add the hooks again; what was done."""
    return hook_install.connect(installer.plan(case.project))


def _commands() -> dict[str, list[list[str]]]:
    """The commands of Cortex's hooks in Codex's file, by event."""
    try:
        return hook_command.commands(
            settings_file.value_of(settings_file.read(installer.hooks_file()).text)
        )
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
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "clientInfo": {"name": "cortex", "version": "1"},
                "capabilities": {"experimentalApi": True},
            },
        },
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [folder]}},
    )
    try:
        answer = _answered(
            program, [json.dumps({"jsonrpc": "2.0", **one}) for one in calls], folder
        )
        listed = [hook for one in answer["result"]["data"] for hook in one["hooks"]]
        # The plugin of our name starts them by a script.
        yield from (
            str(one["trustStatus"])
            for one in listed
            if hook_command.is_ours(one)
            or (str(one.get("pluginId")).startswith("cortex@") and "launch.sh" in one["command"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return


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
                found = json_object(line)
                if found.get("id") == 2:
                    return found
            return {}
        finally:
            limit.cancel()
            server.kill()


def is_installed(project: Project) -> bool:
    """Whether hooks of Cortex are in Codex's file, or in a plugin of it."""
    return bool(_commands() or installer.plugin())


CHECKS: Sequence[Check[AgentCase]] = (Check("codex", own_checks.GROUP, installed, connect),)
