"""The commands that start something else: the app, the demo, a hook, the worker, the MCP server."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

import click

from cortex_core.cli import output
from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.options import at_terminal
from cortex_core.errors import CortexError

if TYPE_CHECKING:
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
            "Install it with: pipx install cortex-memory"
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

    seen = at_terminal() and not run.json
    code = demos.run(output.note if run.json else output.say, _show if seen else None)
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

    where = ["--project", run.project] if run.project else []
    code = workers.main([*where, *words])
    click.get_current_context().exit(code)


@command("mcp", examples=("cortex mcp", "cortex mcp --project ~/work/shop"))
@pass_run
def mcp(run: Run) -> None:
    """Serve memories to an agent over MCP.

    It communicates over stdin and stdout until Claude Code closes them. Claude Code starts it.
    """
    from cortex_core.mcp_server import start

    click.get_current_context().exit(start.main(["--project", run.project] if run.project else []))
