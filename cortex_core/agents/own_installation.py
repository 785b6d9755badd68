"""Connecting Cortex with an agent that reads hooks from files which are Cortex's alone.

Connecting writes them, taking out deletes them. Only the MCP server may be in a file of the user's,
which the agent's own command changes.
"""

import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from cortex_core.agents import hook_command, hook_install
from cortex_core.agents.hook_install import McpServer, diff_of
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import hook_io
from cortex_core.base.errors import CortexError, UsageError
from cortex_core.base.json_objects import json_object, mapping
from cortex_core.base.project import Project
from cortex_core.records.upkeep import ConnectionPreview


class OwnFiles:
    """The files of one agent, as a plan to write them and as a plan to delete them."""

    root = ""
    """They are the user's, of no project."""

    def __init__(
        self, files: Mapping[Path, str], server: str = "", enrol: Callable[[], str] | None = None
    ) -> None:
        """The texts of the files, the first of which names all.

        Args:
            server: the command that registers the MCP server, and `enrol`, which runs it; nothing
                if the files bring the server.
        """
        self._files = files
        self._server = server
        self._enrol = enrol
        self.settings = str(next(iter(files)))

    def _changes(self, *, gone: bool = False) -> list[tuple[Path, str, str]]:
        """The files that would change: the text before, and afterwards."""
        wanted = dict.fromkeys(self._files, "") if gone else self._files
        old = {path: path.read_text("utf-8") if path.is_file() else "" for path in wanted}
        return [(path, old[path], new) for path, new in wanted.items() if old[path] != new]

    @property
    def preview(self) -> ConnectionPreview:
        """What connecting would change."""
        return ConnectionPreview(
            settings=self.settings, diff=diff_of(self._changes()), server=self._server
        )

    @property
    def diff(self) -> str:
        """What taking out would change."""
        return diff_of(self._changes(gone=True))

    def add_hooks(self) -> str:
        """Write the files, of which no copies are needed.

        Raises:
            CortexError: one cannot be written.
        """
        try:
            for path, _old, new in self._changes():
                hook_io.private_folder(str(path.parent))
                hook_io.replace(str(path), new)
        except OSError as error:
            raise CortexError(
                f"{error.filename} cannot be written: {error.strerror}. Make it writable, then run "
                "this again; cortex uninstall removes what was written."
            ) from error
        return ""

    def register(self) -> str:
        """Register the MCP server, where the files do not bring it."""
        return self._enrol() if self._enrol else "registered"

    def take_out(self, home: str) -> Sequence[str]:
        """Delete the files, and the folders that are empty without them.

        Raises:
            CortexError: one cannot be deleted.
        """
        try:
            for path in self._files:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise CortexError(f"{error.filename} cannot be removed: {error.strerror}.") from error
        # The folder of our name, and those that `private_folder` made: others stay, empty or not.
        near = {folder for path in self._files for folder in path.parents[:2]}
        for folder in sorted(near, reverse=True):
            with suppress(OSError):
                if (
                    "cortex" in (folder.name, folder.parent.name)
                    or not folder.stat().st_mode & 0o077
                ):
                    folder.rmdir()
        return ()


class OwnInstaller:
    """`protocol.Installer` for such an agent."""

    def __init__(
        self,
        command: str,
        home: Callable[[], str],
        files: Callable[[Sequence[str]], Mapping[Path, str]],
        servers: Callable[[], Path] | None = None,
        plugin: Callable[[], str] = lambda: "",
    ) -> None:
        """The installer of one agent.

        Args:
            command: the agent's command; `home`, its folder.
            files: makes the texts of the files for an interpreter with its flags.
            servers: the agent's settings file that lists MCP servers under `mcpServers`; None if
                the files bring the server.
            plugin: the name of an enabled plugin that runs the hooks as well; empty without one.
        """
        self.plugin = plugin
        self._home = home
        self._files = files
        self._servers = servers
        self._command = command

    def is_present(self) -> bool:
        """Whether the agent is on this machine: its command, or its folder."""
        return os.path.isdir(self._home()) or shutil.which(self._command) is not None

    def own(self, project: Project) -> OwnFiles:
        """The files as they would be written now."""
        files = self._files(hook_command.interpreter())
        if self._servers is None:
            return OwnFiles(files)
        add = shlex.join(self._server(project, self._servers()).add)
        return OwnFiles(files, add, partial(self._register, project, self._servers()))

    def _server(self, project: Project, file: Path) -> McpServer:
        """Our MCP server, which this file lists."""
        command = (self._command, "mcp")
        return McpServer(
            _listed(_bytes(file)).get("cortex"),
            (*command, "add", "cortex", "--"),
            (*command, "remove", "cortex"),
            project.root or project.cwd,
        )

    def _register(self, project: Project, file: Path) -> str:
        """Register the MCP server, after a copy of the file that lists it."""
        before = _bytes(file)
        state = self._server(project, file).register()
        if state == "registered" and "cortex" not in _listed(before):
            copy = self._copy(project)
            hook_io.private_folder(str(copy.parent))
            hook_io.replace(str(copy), before)
        return state

    def _copy(self, project: Project) -> Path:
        """Where the copy is, empty where there was no file."""
        return Path(project.home, "backups", f"{self._command}-servers.json")

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
        return self.own(project)

    def removals(self, project: Project, /) -> tuple[Sequence[OwnFiles], Sequence[str]]:
        """The files, if they are there."""
        own = self.own(project)
        return ([own] if own.diff else []), []

    def unregister(self, project: Project, roots: Iterable[str], /) -> Sequence[tuple[str, str]]:
        """Remove the MCP server, if the agent's settings have ours.

        The agent's command writes the file in a layout of its own. Where it says nothing new, it
        gets back its bytes of before.
        """
        if self._servers is None:
            return []
        file, copy = self._servers(), self._copy(project)
        state, command = self._server(project, file).unregister()
        if state == "removed" and copy.is_file():
            before = copy.read_bytes()
            if _listed(before) == _listed(_bytes(file)) and before:
                hook_io.replace(str(file), before, file.stat().st_mode & 0o777)
            elif not _listed(_bytes(file)) and not before:
                file.unlink()
            copy.unlink()
        return [(state, command)]

    def remains(self, project: Project, /) -> str:
        """The plugin, if it is enabled, and the command that removes it."""
        return hook_install.remains(self.plugin(), f"{self._command} plugin uninstall")


def _bytes(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


def _listed(settings: bytes) -> Mapping[str, Any]:
    """The MCP servers in the settings; empty where they cannot be read."""
    return mapping(json_object(settings).get("mcpServers"))
