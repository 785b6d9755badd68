"""The commands that start something else: the app, the demo, a hook's answer, the worker."""

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
"""The module of the terminal app, found by its name: the core names no screen."""

PASSED_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""For commands whose words are read by what they start."""


@command("tui", examples=("cortex", "cortex tui --project ~/work/shop"))
@pass_run
def tui(run: Run) -> None:
    """Open the terminal app, as bare cortex does."""
    click.get_current_context().exit(_open_app(project=run.project))


def _open_app(**where: str | None) -> int:
    """Run the app until the person leaves it; its exit code."""
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
    """Try Cortex on a made-up session, apart from your own.

    The session goes through the real hooks and the worker in a folder that is removed afterwards;
    in a terminal the app then opens on what was captured.
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
    """Answer one of Claude Code's hooks.

    The payload comes on stdin, the answer goes to stdout; it always leaves with 0. Installed
    hooks run the same code without the command line: python -I -m cortex_core.hook
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
    """Capture what the hooks have recorded.

    Hooks start it by themselves; it leaves when everything is done. A second one of the same
    project leaves at once.
    """
    from cortex_core import worker as workers

    where = ["--project", run.project] if run.project else []
    code = workers.main([*where, *words])
    click.get_current_context().exit(code)


@command("mcp", examples=("cortex mcp", "cortex mcp --project ~/work/shop"))
@pass_run
def mcp(run: Run) -> None:
    """Serve memory to an agent over MCP.

    It talks over stdin and stdout until the client goes away; the client starts it by itself.
    """
    from cortex_core.mcp_server import start

    click.get_current_context().exit(start.main(["--project", run.project] if run.project else []))
