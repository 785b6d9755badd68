"""Connecting Cortex with an agent that reads hooks from files which are Cortex's alone.

Connecting writes them, taking out deletes them: no file of the user's is touched.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path

from cortex_core.agents import hook_command
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import hook_io
from cortex_core.base.errors import CortexError, UsageError
from cortex_core.base.project import Project
from cortex_core.records.upkeep import Connected, ConnectionPreview

SERVER = "cortex_core.mcp_server"
"""The module of our MCP server."""


class OwnFiles:
    """The files of one agent, as a plan to write them and as a plan to delete them."""

    root = ""
    """They are the user's, of no project."""
    skills: Sequence[str] = ()

    def __init__(self, files: Mapping[Path, str], server: str) -> None:
        """The texts of the files, the first of which names all; and what a user types for the MCP
        server, empty where the files bring it."""
        self._files = files
        self._server = server
        self.settings = str(next(iter(files)))

    def _changes(self, *, gone: bool = False) -> list[tuple[Path, str, str]]:
        """The files that would change: the text before, and afterwards."""
        found = []
        for path, text in self._files.items():
            old = path.read_text(encoding="utf-8") if path.is_file() else ""
            if old != (new := "" if gone else text):
                found.append((path, old, new))
        return found

    @property
    def preview(self) -> ConnectionPreview:
        """What connecting would change."""
        return ConnectionPreview(
            settings=self.settings, diff=_diff(self._changes()), server=self._server
        )

    @property
    def diff(self) -> str:
        """What taking out would change."""
        return _diff(self._changes(gone=True))

    def add_hooks(self) -> Connected:
        """Write the files.

        Raises:
            CortexError: one cannot be written.
        """
        changes = self._changes()
        try:
            for path, _old, new in changes:
                hook_io.private_folder(str(path.parent))
                hook_io.replace(str(path), new)
        except OSError as error:
            raise CortexError(
                f"{error.filename} cannot be written: {error.strerror}. Make it writable, then run "
                "this again; cortex uninstall removes what was written."
            ) from error
        return Connected(settings=self.settings, changed=bool(changes), backup=None, caution="")

    def copy_skills(self) -> tuple[Sequence[str], Sequence[str]]:
        """Nothing: the agent reads no skills of ours."""
        return (), ()

    def register(self) -> str:
        """The files bring the MCP server, or the user types the command."""
        return "by hand" if self._server else "registered"

    def take_out(self, home: str) -> tuple[Sequence[str], Sequence[str]]:
        """Delete the files, and the folders that are empty without them.

        Raises:
            CortexError: one cannot be deleted.
        """
        try:
            for path in self._files:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise CortexError(f"{error.filename} cannot be removed: {error.strerror}.") from error
        # The folder of our name and what is in it; the others stay, empty or not.
        near = {folder for path in self._files for folder in path.parents[:2]}
        for folder in sorted(near, reverse=True):
            if "cortex" in (folder.name, folder.parent.name):
                with suppress(OSError):
                    folder.rmdir()
        return (), ()


def _diff(changes: Iterable[tuple[Path, str, str]]) -> str:
    lines: list[str] = []
    for path, old, new in changes:
        texts = old.splitlines(keepends=True), new.splitlines(keepends=True)
        lines += unified_diff(*texts, str(path) if old else "", str(path) if new else "")
    return "".join(lines)


class OwnInstaller:
    """`protocol.Installer` for such an agent."""

    def __init__(
        self,
        command: str,
        home: Callable[[], str],
        files: Callable[[Sequence[str]], Mapping[Path, str]],
        server: str = "",
    ) -> None:
        """`command` and `home` are the agent's command and folder; `files` makes the texts for an
        interpreter with its flags; `server` is how the command that registers the MCP server
        begins, where the files do not bring it."""
        self._command = command
        self._home = home
        self._files = files
        self._begin = server

    def is_present(self) -> bool:
        """Whether the agent is on this machine: its command, or its folder."""
        return os.path.isdir(self._home()) or shutil.which(self._command) is not None

    def _own(self) -> OwnFiles:
        python = hook_command.interpreter()
        server = f"{self._begin} {shlex.join([*python, '-m', SERVER])}" if self._begin else ""
        return OwnFiles(self._files(python), server)

    def plan(
        self, project: Project, scope: InstallScope = "user", /, *, force: bool = False
    ) -> OwnFiles:
        """Find out what connecting would do; nothing is changed.

        Raises:
            CortexError: the interpreter cannot run hooks, or the scope is not the user's.
        """
        if scope != "user":
            raise UsageError(
                "This agent's hooks hold for all projects of a user. Nothing was changed. Run it "
                "without --scope."
            )
        hook_command.check_interpreter(hook_command.interpreter())
        return self._own()

    def connect(self, project: Project, /) -> str:
        """Connect for all projects of the user; a sentence about what was done.

        Raises:
            CortexError: nothing was changed; the message says why.
        """
        connection = self.plan(project)
        connection.add_hooks()
        server = connection.preview.server
        by_hand = f" To register the MCP server, run: {server}." if server else ""
        return f"Wrote {connection.settings}. To undo: cortex uninstall.{by_hand}"

    def removals(self, project: Project, /) -> tuple[Sequence[OwnFiles], Sequence[str]]:
        """The files, if they are there."""
        own = self._own()
        return ([own] if own.diff else []), []

    def unregister(self, project: Project, roots: Iterable[str], /) -> Sequence[tuple[str, str]]:
        """The command that removes the MCP server, where one was typed to add it."""
        command = self._begin.replace(" add ", " remove ").removesuffix(" --")
        return [("by hand", command)] if command and self._own().diff else []

    def remains(self, project: Project, /) -> str:
        """Nothing else runs the hooks."""
        return ""
