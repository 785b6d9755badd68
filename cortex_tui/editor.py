"""Editing a text in the user's own editor: `$VISUAL` or `$EDITOR`, else a dialog of the app."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from cortex_tui.application import CortexApp

WINDOWED = {
    "code": "--wait", "code-insiders": "--wait", "codium": "--wait", "cursor": "--wait",
    "windsurf": "--wait", "zed": "--wait", "subl": "--wait", "gedit": "--wait", "mate": "--wait",
    "gnome-text-editor": "--standalone", "kate": "--block", "gvim": "-f", "mvim": "-f",
    "idea": "--wait", "pycharm": "--wait", "xed": "--wait", "pluma": "--wait", "mousepad": "",
    "notepad": "", "leafpad": "",
}  # fmt: skip
"""Editors with a window of their own, and what makes each wait until the file is closed."""


async def edit_text(app: CortexApp, text: str, suffix: str = ".md", title: str = "Edit"
                    ) -> str | None:  # fmt: skip
    """`text` as the user left it; None when it stays as it was. To be awaited in a worker.

    Without an editor that starts, a dialog of the app takes its place.

    Args:
        suffix: the ending of the file that the editor is given.
        title: what the dialog is called.
    """
    command = chosen()
    if command:
        problem, edited = await _edit(app, command, text, suffix)
        if not problem:
            return None if edited == text else edited
        app.notify(problem, severity="warning", markup=False)
    from cortex_tui.screens.dialogs import Write

    written = await app.push_screen_wait(Write(title, text))
    return None if written == text else written


def chosen() -> list[str]:
    """The user's editor and its arguments; empty when none is set or it cannot be read."""
    for name in ("VISUAL", "EDITOR"):
        try:
            if command := shlex.split(os.environ.get(name, "")):
                return command
        except ValueError:
            continue
    return []


def has_window(command: list[str]) -> bool:
    """Whether the editor needs no terminal."""
    return Path(command[0]).stem in WINDOWED


async def _edit(app: CortexApp, command: list[str], text: str, suffix: str) -> tuple[str, str]:
    """What went wrong ("" for nothing), and the text as it was left."""
    with TemporaryDirectory(prefix="cortex-") as folder:
        file = Path(folder, f"memory{suffix}")
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as opened:
            opened.write(text if text.endswith("\n") else f"{text}\n")
        try:
            code = await _run(app, command, str(file))
        except (OSError, SuspendNotSupported) as error:
            why = getattr(error, "strerror", None) or "it cannot be given this terminal"
            return f"{command[0]} did not start: {why}. Edit here instead.", text
        if code:
            app.notify(f"{command[0]} ended with {code}. Nothing was changed.", markup=False,
                       severity="warning")  # fmt: skip
            return "", text
        return "", _read(file, text)


async def _run(app: CortexApp, command: list[str], file: str) -> int:
    """Start the editor and wait for its end; its exit code."""
    if not has_window(command):
        failed: OSError | None = None
        # Textual takes the terminal back only where nothing is raised inside.
        with app.suspend():
            try:
                return subprocess.call([*command, file])
            except OSError as error:
                failed = error
        if failed is not None:
            raise failed
    waits = WINDOWED[Path(command[0]).stem]
    if waits and waits not in command:
        command = [*command, waits]
    app.notify(f"Waiting for {command[0]} to close the file.", markup=False)
    nothing = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command, file, stdin=nothing, stdout=nothing, stderr=nothing
    )
    return await process.wait()


def _read(file: Path, before: str) -> str:
    """What the editor left, without the line end that it adds; `before` where it left no file."""
    try:
        found = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return before
    return found if before.endswith("\n") else found.removesuffix("\n")
