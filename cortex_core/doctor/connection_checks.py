"""Checks of the connection with the agent: settings, hooks and server, and whether they work.

The hooks are run as well: their answers and speed, and capture end to end. Our
own configuration and other programs named cortex belong here too.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cortex_core import agents
from cortex_core.agents import hook_command, hook_install, own_checks
from cortex_core.agents.protocol import Check
from cortex_core.base import config, hook_io, hook_words
from cortex_core.base.errors import ConfigError
from cortex_core.base.project import Project
from cortex_core.doctor.case import Case, of_agents
from cortex_core.records.captures import HOOKS_GONE, ProjectStatus
from cortex_core.records.findings import failed, ok, skipped, together, warning
from cortex_core.records.upkeep import CheckResult, ConnectionPreview

SLOW = 1.0
"""Seconds after which a user notices a hook."""

FULL = 20_000_000
"""Bytes that are free at least: below, SQLite's logs and an archive's pages find no room."""

END = 1.2
"""Maximum seconds for SessionEnd; Claude Code kills it after 1.5."""


def configuration(case: Case) -> CheckResult:
    """Whether the settings of Cortex are valid."""
    if case.config_problem:
        return failed(
            f"{case.config_problem} Until this is fixed, the defaults apply.",
            "To find the file: cortex config get --path",
        )
    return ok("All settings are valid.")


def with_hooks(status: ProjectStatus, project: Project) -> ProjectStatus:
    """The status of `project`; it is also connected where the hooks are installed, and its problem
    is that they cannot run, or that the disk is full, where that is so."""
    is_installed = any(agent.checks.is_installed(project) for agent in agents.having("checks"))
    status = replace(status, connected=status.connected or is_installed)
    if not (fatal := _fatal(project)):
        return status
    return replace(status, problem=fatal, degraded=(fatal, *status.degraded))


def _fatal(project: Project) -> str:
    """Why nothing can be captured, by what costs no more than a look at some files; "" where
    nothing speaks against it."""
    try:
        config.load(project)
    except ConfigError as error:
        return str(error)
    routes = [one for agent in agents.having("trial") for one in agent.trial.routes(project)]
    for python in (one.python[0] for one in routes if one.python):
        if Path(python).is_absolute() and not Path(python).exists():
            return f"{HOOKS_GONE}: {python}. Nothing is captured or given. Run: cortex install"
    here = Path(project.root or project.home)
    # Where no global side is made yet, the folder that it will be in.
    free = shutil.disk_usage(next(at for at in (here, *here.parents) if at.exists())).free
    return "" if free > FULL else "The disk is full: nothing can be stored. Free some space."


def connection(project: Project) -> ConnectionPreview:
    """What connecting with Claude Code would change; nothing is changed.

    Raises:
        CortexError: it cannot be done; the message says why.
    """
    return agents.of("claude").installer.plan(project).preview


def connect(project: Project) -> str:
    """Connect with Claude Code, for all projects of the user; a sentence about what was done.

    Raises:
        CortexError: nothing was changed; the message says why.
    """
    return hook_install.connect(agents.of("claude").installer.plan(project))


def on_path(case: Case) -> CheckResult:
    """Whether another program is named cortex."""
    programs = [
        file
        for folder in dict.fromkeys(os.get_exec_path())
        if os.access(file := Path(folder, "cortex"), os.X_OK) and file.is_file()
    ]
    foreign = [
        file
        for file in programs
        if "cortex_core" not in hook_io.read(str(file), 65_536, follow=True)
    ]
    if foreign and foreign[0] == programs[0]:
        return warning(
            f"The command cortex runs {foreign[0]}, which is another program.",
            f"Put {Path(sys.executable).parent} before it in PATH, or type agent-cortex. The hooks "
            "work anyway.",
        )
    if foreign:
        return ok(f"{programs[0]} comes first; {foreign[0]} is another program with the same name.")
    return ok(
        f"cortex is {programs[0]}."
        if programs
        else "cortex is not on PATH; the hooks do not need it."
    )


def answers(case: Case) -> CheckResult:
    """Whether every event is answered or recorded in the form that Claude Code expects."""
    tail = "" if case.trials[0].installed else " The hooks are not installed yet."
    return together(
        _problems(case),
        f"All {len(hook_words.ALL)} events were answered or recorded in a test.{tail}",
    )


def _problems(case: Case) -> Iterator[CheckResult]:
    for one in case.trials:
        wrong = [f"{each.event} {each.problem}" for each in one.results if each.problem]
        if wrong:
            yield failed(
                f"The hooks in {one.route} do not work: {'; '.join(wrong)}.",
                "Run: cortex install" if one.installed else "Run: pipx reinstall agent-cortex",
            )


def speed(case: Case) -> CheckResult:
    """Whether hooks are fast enough for the user, and for the time limits of Claude Code."""
    measured = [each for one in case.trials for each in one.results if not each.problem]
    if not measured:
        return skipped("No hook answered (see hooks-answer).")
    late = max((each.seconds for each in measured if each.event == hook_words.END), default=0.0)
    if late > END:
        return failed(
            f"{hook_words.END} took {late:.1f} s; Claude Code kills it after 1.5 s.",
            "The next session start reads what was missed. Check what slows this machine down.",
        )
    slowest = max(measured, key=lambda each: each.seconds)
    said = f"{slowest.event} takes {slowest.seconds * 1000:.0f} ms, no hook takes longer."
    if slowest.seconds > SLOW:
        return warning(
            said, "The cause may be a version manager's shim or a Python on a network disk."
        )
    return ok(said)


def captures(case: Case) -> CheckResult:
    """Whether the worker captures a made-up session and the next session gets its memories."""
    from cortex_core import demo

    # Tried with the interpreter that the hooks run, which may be another than this one.
    routes = agents.of("claude").trial.routes(case.project)
    python = next((route.python for route in routes if route.python), hook_command.interpreter())
    if problem := demo.try_hooks(python):
        return failed(
            f"A made-up session was not captured: {problem}.",
            "Run: pipx reinstall agent-cortex, then cortex install",
        )
    return ok("A made-up session was captured, and injected into the next.")


CONNECTION_CHECKS: tuple[Check[Case], ...] = (
    Check("configuration", "client", configuration),
    Check("path", "client", on_path),
    *of_agents("client"),
    Check("hooks-answer", "client", answers),
    Check("hook-speed", "client", speed),
    Check("capture-trial", "client", captures),
    *of_agents(own_checks.GROUP),
)
