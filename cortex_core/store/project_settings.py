"""The settings in force in a project: listing them, and writing one to its file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from cortex_core.base import config as configuration
from cortex_core.base.errors import UndoConflict
from cortex_core.records.memory import Scope

if TYPE_CHECKING:
    from cortex_core.records.upkeep import SettingRecord
    from cortex_core.store.workspace import Workspace


def _as_typed(value: object) -> str:
    """A setting's value as a user types it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _write_again(
    name: str,
    scope: Scope,
    before: str | None,
    after: str | None,
    label: str,
    workspace: Workspace,
    made: bool,
) -> None:
    """Write a setting again (`made`), or put back what was there: the whole file as it was if
    nothing else in it has changed since.

    Args:
        before: the text of the file before the setting was written; None where there was none.
        after: the text after it.

    Raises:
        UndoConflict: the setting says something else by now.
    """
    from cortex_core.base.config_file import contents, restore, value_in

    file = configuration.path(workspace.project, scope)
    found = contents(file)
    present, wanted = (before, after) if made else (after, before)
    # What others wrote to the file meanwhile stays: then only the one value is put back.
    if found == present:
        restore(file, wanted)
    elif value_in(found, name) == value_in(present, name):
        configuration.set(workspace.project, name, value_in(wanted, name), scope)
    else:
        raise UndoConflict(
            f"“{label}” cannot be {'redone' if made else 'undone'}, because {file} says "
            "something else by now. Nothing was changed. Set it in the settings."
        )
    workspace.config = configuration.load(workspace.project)


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
        from cortex_core.base.config_file import contents

        workspace = self._workspace
        file = configuration.path(workspace.project, scope)
        before = contents(file)
        configuration.set(workspace.project, name, value, scope)
        workspace.config = configuration.load(workspace.project)
        if (after := contents(file)) != before:
            label = f"set {name} to {_as_typed(value)}" if value is not None else f"reset {name}"
            workspace.note(label, scope, partial(_write_again, name, scope, before, after, label))
        return workspace.config.get(name)

    def path(self, scope: Scope = "project") -> str:
        """The file that holds the settings of `scope`; it need not exist."""
        return configuration.path(self._workspace.project, scope)
