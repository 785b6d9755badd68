"""Commands that connect Cortex with Claude Code (install, uninstall), and commands that start a
program: tui, demo, hook, worker, mcp, serve.
"""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from cortex_core import agents
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import text
from cortex_core.base.errors import CortexError
from cortex_core.cli import output, settings_commands
from cortex_core.cli.command import DRY_RUN, FAILED, Run, at_terminal, command, pass_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cortex_core.agents.protocol import PlannedConnection, PlannedRemoval
    from cortex_core.demo import Demo

APP = "cortex_tui.app"
"""The module of the terminal app, imported by name: the core does not depend on it."""

PASSED_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""For commands that pass their arguments on."""


@command("tui", examples=("cortex", "cortex tui --project ~/work/shop"))
@pass_run
def tui(run: Run) -> None:
    """Open the terminal app, like cortex without a command."""
    click.get_current_context().exit(_open_app(project=run.project))


def _open_app(**where: str | None) -> int:
    """Run the app until the user quits it; return its exit code."""
    try:
        app = importlib.import_module(APP)
    except ModuleNotFoundError as error:
        raise CortexError(
            f"The terminal app cannot be loaded ({error}). Nothing was changed. "
            "Install it with: pipx install agent-cortex"
        ) from error
    return int(app.run(**where))


@command("demo", examples=("cortex demo", "cortex demo --json"))
@pass_run
def demo(run: Run) -> None:
    """Try Cortex on a made-up session, separate from your own.

    The session goes through the real hooks and the worker in a temporary folder. In a terminal,
    the app then opens with what was captured. The folder is removed afterwards.
    """
    from cortex_core import demo as demos

    opens_app = at_terminal() and not run.json
    code = demos.run(output.note if run.json else output.say, _show if opens_app else None)
    if run.json:
        output.emit({"passed": code == 0})
    click.get_current_context().exit(code)


def _show(demo: Demo) -> None:
    _open_app(project=str(demo.project), home=str(demo.home / "cortex"))


@command("hook", examples=("cortex hook session-start < payload.json",), context_settings=PASSED_ON)
@click.argument("words", metavar="EVENT", nargs=-1, type=click.UNPROCESSED)
@pass_run
def hook(run: Run, words: tuple[str, ...]) -> None:
    """Handle a hook event of Claude Code.

    It reads the payload from stdin, prints the answer to stdout, and always exits with 0.
    Installed hooks run the same code without the command line: python -I -m cortex_core.hook
    """
    from cortex_core import hook as hooks

    if run.project:
        os.environ["CORTEX_PROJECT"] = run.project
    sys.argv[1:] = words
    hooks.main()


@command("worker", examples=("cortex worker --project ~/work/shop",), context_settings=PASSED_ON)
@click.argument("words", metavar="", nargs=-1, type=click.UNPROCESSED)
@pass_run
def worker(run: Run, words: tuple[str, ...]) -> None:
    """Capture what the hooks recorded.

    Hooks start it automatically. It exits when everything is done. A second worker of the same
    project exits at once.
    """
    from cortex_core import worker as workers
    from cortex_core.base.project import find
    from cortex_core.capture import spool

    where = ["--project", run.project] if run.project else []
    code = workers.main([*where, *words])
    if problem := spool.problem(find(explicit=run.project)):
        output.warn(problem)
        code = FAILED
    click.get_current_context().exit(code)


@command("mcp", examples=("cortex mcp", "cortex mcp --project ~/work/shop"))
@pass_run
def mcp(run: Run) -> None:
    """Serve memories to an agent over MCP.

    It communicates over stdin and stdout until Claude Code closes them. Claude Code starts it.
    """
    from cortex_core.mcp_server import __main__

    click.get_current_context().exit(
        __main__.main(["--project", run.project] if run.project else [])
    )


@command("serve", examples=("cortex serve", "cortex serve --port 0 --json"))
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    default=47_811,
    show_default=True,
    help="The port; 0 chooses a free one.",
)
@click.option("--new-token", is_flag=True, help="Generate a new token; the old one stops working.")
@pass_run
def serve(run: Run, port: int, new_token: bool) -> None:
    """Serve scripts on this machine over HTTP.

    It runs until you stop it. It listens on 127.0.0.1 only and answers only requests with the
    token (Authorization: Bearer TOKEN), which is in a file that only you can read. The endpoints
    are GET /api/memory/search?q=… and /api/memory/context, POST /api/memory/store and
    /api/memory/extract; they accept and return JSON. The journal records changes as the agent's.
    """
    from cortex_core.base.project import global_side
    from cortex_core.http_server import endpoints, server

    home = global_side()
    token = endpoints.ensure(home, fresh=new_token)

    def say(listening: server.Server) -> None:
        file = str(endpoints.path(home))
        if run.json:
            output.emit({"address": listening.address, "token_file": file, "pid": os.getpid()})
        else:
            output.say(f"Listening on {listening.address}, for this machine only.", "bold")
            output.say(f"The token is in {file}. Press ctrl+c to stop.")
        sys.stdout.flush()

    server.serve(run.project, token, port, say)


SERVER = {
    "registered": "Registered the MCP server with Claude Code.",
    "unchanged": "The MCP server was already registered.",
    "foreign": "Another MCP server is named cortex, so this one was not registered.",
}


@command(
    "install",
    examples=("cortex install --dry-run", "cortex install", "cortex install --scope project"),
)
@click.option(
    "--scope",
    type=click.Choice(get_args(InstallScope)),
    default="user",
    show_default=True,
    help="user: all projects; project: shared settings of this project; local: here, for you.",
)
@click.option("--skills", "with_skills", is_flag=True, help="Also copy the skills: /recall, …")
@click.option("--no-server", is_flag=True, help="Do not register the MCP server.")
@click.option("--no-trial", is_flag=True, help="Do not test the hooks with a made-up session.")
@click.option("--force", is_flag=True, help="Install even if the plugin is enabled.")
@DRY_RUN
@pass_run
def install(run: Run, /, scope: InstallScope, dry_run: bool, force: bool, **options: bool) -> None:
    """Connect Cortex with Claude Code.

    It adds hooks to Claude Code's settings.json after making a copy; the rest of the file stays
    byte for byte as it is. The claude command registers the MCP server. At the end, a made-up
    session goes through the hooks, separate from your own. Running it again repairs what is wrong.
    """
    from cortex_core.base.project import find

    project = find(explicit=run.project)
    connection = agents.of("claude").installer.plan(project, scope, force=force)
    preview = connection.preview
    report: dict[str, Any] = {
        "settings": preview.settings,
        "scope": scope,
        "changed": bool(preview.diff),
        "dry_run": dry_run,
    }
    if dry_run:
        _preview(run, connection, report, options)
        return
    done = connection.add_hooks()
    state = "Added the hooks to" if done.changed else "The hooks are already in"
    _say(run, f"{state} {done.settings}")
    report["backup"] = done.backup
    if done.backup:
        _say(run, f"Copy of the file before the change: {done.backup}")
    if done.caution:
        output.note(f"Note: {done.caution}")
    if options["with_skills"]:
        report["skills"] = _copy_skills(run, connection)
    report["server"] = "skipped" if options["no_server"] else connection.register()
    if not options["no_server"]:
        by_hand = f"To register the MCP server, run: {preview.server}"
        _say(run, SERVER.get(report["server"], by_hand))
    # The trial is last: it goes through the very hooks that the settings file has now.
    report["trial"] = "skipped" if options["no_trial"] else _prove(run, Path(preview.settings))
    if not run.json:
        _explain_archive(run)
        settings_commands.offer(run)
    _end(run, report, failed=report["trial"] not in ("passed", "skipped"))


@command("uninstall", examples=("cortex uninstall --dry-run", "cortex uninstall"))
@DRY_RUN
@pass_run
def uninstall(run: Run, dry_run: bool) -> None:
    """Disconnect Cortex from Claude Code.

    It removes the hooks, the copied skills and the MCP server, and keeps the memories. A settings
    file that was not edited since the installation gets back its old content, byte for byte.
    """
    from cortex_core.base.project import find
    from cortex_core.surface import cache

    installer = agents.of("claude").installer
    project = find(explicit=run.project)
    removals, problems = installer.removals(project)
    report: dict[str, Any] = {"settings": [one.settings for one in removals], "dry_run": dry_run}
    if dry_run:
        report["diff"] = "".join(one.diff for one in removals)
        if not run.json:
            output.verbatim(
                report["diff"] or "There are no Cortex hooks in the settings of Claude Code."
            )
    else:
        roots = [project.root or "", *(one.root for one in removals)]
        report["backups"] = [copy for one in removals for copy in _take_out(run, one, project.home)]
        report["server"] = _unregister(run, installer.unregister(project, roots))
        with suppress(OSError):  # the last injected text would become outdated
            cache.write_surface_file(project, "")
    # A settings file that cannot be read does not keep the others from being cleaned.
    for problem in problems:
        output.warn(problem)
    if left := installer.remains(project):
        _say(run, left)
    if not dry_run:
        folders = dict.fromkeys((project.data, project.home))
        _say(run, f"Your memories are still in {' and '.join(folders)}.")
    _end(run, report | {"problems": problems}, failed=bool(problems))


def _explain_archive(run: Run) -> None:
    """Say that conversations are kept, and how to keep none."""
    if run.cortex.sessions.archive.recorder.is_kept:
        output.say(
            "What is said in sessions stays on this machine in an archive, without secrets and "
            "code (see: cortex sessions). To keep none: cortex config set archive.keep off "
            "--global"
        )


def _preview(
    run: Run, connection: PlannedConnection, report: dict[str, Any], options: dict[str, bool]
) -> None:
    preview = connection.preview
    report["diff"] = preview.diff
    if options["with_skills"]:
        report["skills"] = list(connection.skills)
    if not options["no_server"]:
        report["server"] = preview.server
    if run.json:
        output.emit(report)
        return
    output.verbatim(preview.diff or f"The hooks are already in {preview.settings}.")
    if "server" in report:
        output.note(f"Then this command would run: {report['server']}")
    if "skills" in report:
        output.note(f"These skills would be copied: {', '.join(report['skills'])}")


def _copy_skills(run: Run, connection: PlannedConnection) -> dict[str, list[str]]:
    ours, others = connection.copy_skills()
    _say(run, f"Copied {text.counted(len(ours), 'skill')}.")
    for name in others:
        output.warn(f"{name} is not from Cortex, or was edited. It was not changed.")
    return {"copied": list(ours), "left": list(others)}


def _prove(run: Run, settings: Path) -> str:
    from cortex_core import demo

    if not run.json:
        output.note("Testing the hooks with a made-up session …")
    problem = demo.try_hooks(settings)
    if problem:
        output.warn(
            f"The test failed: {problem}. The hooks are still installed; "
            "remove them with: cortex uninstall"
        )
        return problem
    _say(run, "The test passed: a memory from one session was injected into the next.")
    return "passed"


def _take_out(run: Run, removal: PlannedRemoval, home: str) -> Sequence[str]:
    edited, backups = removal.take_out(home)
    _say(run, f"Removed the hooks from {removal.settings}")
    for name in edited:
        output.warn(f"{name} was edited since it was copied. It was not removed.")
    if backups:
        _say(run, f"The file was edited since the installation; copies: {', '.join(backups)}")
    return backups


def _unregister(run: Run, states: Sequence[tuple[str, str]]) -> str:
    """Say what came of the MCP servers; the state of the first that there was."""
    for state, by_hand in states:
        if state == "by hand":
            _say(run, f"To remove the MCP server, run: {by_hand}")
        elif state == "removed":
            _say(run, "Removed the MCP server from Claude Code.")
    return next((state for state, _ in states if state != "unchanged"), "unchanged")


def _say(run: Run, text: str) -> None:
    if not run.json:
        output.say(text)


def _end(run: Run, report: dict[str, Any], *, failed: bool) -> None:
    if run.json:
        output.emit(report)
    click.get_current_context().exit(1 if failed else 0)
