"""The settings in force in a project: list them, and write one to its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cortex_core.base import config as configuration
from cortex_core.store.workspace import Workspace
from cortex_core.types import Scope

if TYPE_CHECKING:
    from cortex_core.reports import SettingRecord


class ProjectSettings:
    """Every setting with its value in force, and the files they are written to."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self) -> list[SettingRecord]:
        """Every setting with its value in force and where that comes from.

        Those with a fixed name come first, then what the files say of kinds, keys and rules.
        """
        from cortex_core.base.settings import BY_NAME, find
        from cortex_core.reports import SettingRecord

        config = self._workspace.config
        found = configuration.written(self._workspace.project)
        free = {name for values in found.values() for name in values}.difference(BY_NAME)
        return [
            SettingRecord(
                name=name, help=setting.help, kind=setting.type, allowed=setting.allowed,
                choices=setting.choices, value=config.get(name), default=setting.default,
                written={scope: found[scope][name] for scope in found if name in found[scope]},
            )
            for name, setting in [*BY_NAME.items(), *((name, find(name)) for name in sorted(free))]
        ]  # fmt: skip

    def set(self, name: str, value: Any, scope: Scope = "project") -> Any:
        """Write one setting to the file of `scope`, None taking it out; the value in force.

        Raises:
            UsageError: no such setting, or a value it does not take.
        """
        self._workspace.set_setting(name, value, scope)
        return self._workspace.config.get(name)

    def path(self, scope: Scope = "project") -> str:
        """The file that holds the settings of `scope`; it need not exist."""
        return configuration.path(self._workspace.project, scope)
