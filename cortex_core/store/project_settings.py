"""The settings in force in a project: listing them, and writing one to its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cortex_core.base import config as configuration
from cortex_core.records.memory import Scope

if TYPE_CHECKING:
    from cortex_core.records.upkeep import SettingRecord
    from cortex_core.store.workspace import Workspace


class ProjectSettings:
    """Every setting with its value in force, and the files they are written to."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self) -> list[SettingRecord]:
        """Every setting with its value in force and where that comes from.

        Those with a fixed name come first, then what the files say of kinds, keys and rules.
        """
        from cortex_core.base.settings import BY_NAME, find
        from cortex_core.records.upkeep import SettingRecord

        config = self._workspace.config
        found = configuration.written(self._workspace.project)
        free = {name for values in found.values() for name in values}.difference(BY_NAME)
        return [
            SettingRecord(
                name=name,
                help=setting.help,
                kind=setting.type,
                allowed=setting.allowed,
                choices=setting.choices,
                value=config.get(name),
                default=setting.default,
                written={scope: found[scope][name] for scope in found if name in found[scope]},
            )
            for name, setting in [*BY_NAME.items(), *((name, find(name)) for name in sorted(free))]
        ]

    def set(self, name: str, value: Any, scope: Scope = "project") -> Any:
        """Write one setting to the file of `scope`, None taking it out; the value in force then.

        Raises:
            UsageError: no such setting, or a value it does not take.
        """
        workspace = self._workspace
        configuration.set(workspace.project, name, value, scope)
        workspace.config = configuration.load(workspace.project)
        return workspace.config.get(name)

    def path(self, scope: Scope = "project") -> str:
        """The file that holds the settings of `scope`; it need not exist."""
        return configuration.path(self._workspace.project, scope)
