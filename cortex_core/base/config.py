"""The settings in effect: the project's file over the user's over the defaults of `settings`.

The hooks load this module, so tomllib is imported only where there is a file to read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property

from cortex_core.base import hook_io, trust
from cortex_core.base.errors import ConfigError, StoreUnusable, UsageError
from cortex_core.base.project import FOLDER, OF_OTHERS, Project, is_tracked, prepare
from cortex_core.base.settings import BY_NAME, UserSetting, WeakeningSetting, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cortex_core.base.kinds import Kinds
    from cortex_core.records.memory import Scope

FILE = "config.toml"


class Config:
    """The settings in effect for one project. Read it, do not change it."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values = dict(values or {})

    def get(self, name: str) -> Any:
        """The value of the setting `name`: what a file says, else the default.

        Raises:
            UsageError: there is no such setting.
        """
        return self._values[name] if name in self._values else find(name).default

    @property
    def archive_below(self) -> float:
        """Confidence under which memories are archived: as set, else the lifecycle model's."""
        from cortex_core.base.decay import ARCHIVE_BELOW

        return float(
            self._values.get("lifecycle.archive_below", ARCHIVE_BELOW[self.get("lifecycle.model")])
        )

    @property
    def changed(self) -> Mapping[str, Any]:
        """The values that the files set, by dotted name."""
        return dict(self._values)

    @property
    def keys(self) -> Mapping[str, str]:
        """The keys that the user chose, by action."""
        return {
            name.removeprefix("keys."): value
            for name, value in self._values.items()
            if name.startswith("keys.")
        }

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds in effect, those of the files included."""
        return _kinds(self._values, self.get("lifecycle.model"))


def in_effect(project: Project) -> Config:
    """The settings in effect; the defaults if a file has a mistake."""
    try:
        return load(project)
    except ConfigError:
        return Config()


def path(project: Project, scope: Scope = "project") -> str:
    """The file that holds the settings of `scope`; it need not exist."""
    return os.path.join(project.data if scope == "project" else project.home, FILE)


def written(project: Project) -> dict[Scope, dict[str, Any]]:
    """The values that each file sets, by dotted name; only the global file's without a project.

    Raises:
        ConfigError: as `load`.
    """
    users = _values(path(project, "global"), is_users=True)
    if project.project_db is None:
        return {"global": users}
    own = _values(path(project), is_users=False)
    left_out = _left_out(project, own)
    return {"project": {name: own[name] for name in own if name not in left_out}, "global": users}


def unused(project: Project) -> list[str]:
    """The settings of the project's file that weaken a protection and are not used, because the
    file is not this user's.

    Raises:
        ConfigError: as `load`.
    """
    is_none = project.project_db is None
    return [] if is_none else _left_out(project, _values(path(project), is_users=False))


def _left_out(project: Project, values: Mapping[str, Any]) -> list[str]:
    weakening = [name for name in values if isinstance(find(name), WeakeningSetting)]
    return [] if not weakening or is_own(project) else weakening


def is_own(project: Project) -> bool:
    """Whether the project's file is this user's: of a trusted project, not of its repository."""
    is_trusted = trust.last(project.note, "identity") != trust.NOBODY
    return is_trusted and not is_tracked(project, f"{FOLDER}/{FILE}")


def load(project: Project) -> Config:
    """The settings in effect: the project's file over the user's over the defaults.

    Raises:
        ConfigError: a file is not TOML, or names an unknown setting or an invalid value.
    """
    found = written(project)
    return Config(found["global"] | found.get("project", {}))


def set(project: Project, name: str, value: Any, scope: Scope = "project") -> Any:
    """Write `value` for `name` into the file of `scope`; returns the value as stored.

    Text is read as the setting's type; None removes the setting from the file. Comments and
    layout of the file stay.

    Raises:
        UsageError: no such setting, or an invalid value.
        ConfigError: the file cannot be read or written.
    """
    setting = find(name)
    if isinstance(value, str) and setting.type is not str:
        value = setting.parse(value)
    if value is not None and not setting.accepts(value):
        raise UsageError(f"{name} accepts {setting.allowed}, not {value!r}. Nothing was changed.")
    if name == "redact.extra":
        # Here, and not where the files are read: no hook loads what compiles an expression.
        from cortex_core.base.expressions import compiled

        for expression in value or ():
            compiled(expression)
    if scope == "project":
        if value is not None and isinstance(setting, UserSetting):
            raise UsageError(
                f"{name} is a setting of all projects, so that no cloned project can change it. "
                f"Nothing was changed. Use: cortex config set {name} VALUE --global"
            )
        # The path is that of the user's file then.
        if project.doubt:
            raise StoreUnusable(f"{project.doubt}. {OF_OTHERS}")
        prepare(project)
    from cortex_core.base.config_file import write

    write(path(project, scope), name, list(value) if isinstance(value, tuple) else value)
    return value


def _read(file: str, *, is_users: bool) -> Mapping[str, Any]:
    if not os.path.lexists(file):
        return {}
    import tomllib

    try:
        # The user may keep the file elsewhere; a link in a project may have come with it.
        with open(hook_io.opened(file, follow=is_users), "rb") as stream:
            return tomllib.load(stream)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(
            f"{file} is not valid TOML: {error}. Its settings are not used. Correct the file, or "
            "move it away to use the defaults."
        ) from error
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be read: {error.strerror}. Its settings are not used. Make the file "
            "readable, or move it away."
        ) from error


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names and values of nested tables."""
    for key, value in table.items():
        name = prefix + key
        if isinstance(value, dict) and name not in BY_NAME:
            yield from _flat(value, name + ".")
        else:
            yield name, value


def _values(file: str, *, is_users: bool) -> dict[str, Any]:
    """What a file sets, without what only the user's own file can set."""
    found = _check(file, dict(_flat(_read(file, is_users=is_users))))
    return {
        name: value
        for name, value in found.items()
        if is_users or not isinstance(find(name), UserSetting)
    }


def _check(file: str, values: dict[str, Any]) -> dict[str, Any]:
    for name, value in values.items():
        try:
            setting = find(name)
        except UsageError as error:
            raise ConfigError(f"{file}: {error} Correct or remove the line.") from None
        if not setting.accepts(value):
            raise ConfigError(
                f"{file}: {name} is {value!r}, but accepts {setting.allowed}. The settings of this "
                f"file are not used. Correct the value; the default is {setting.default!r}."
            )
        if setting.type is tuple:
            values[name] = tuple(value)
    return values


def _kinds(values: Mapping[str, Any], model: str) -> Kinds:
    """The built-in kinds and those of `kinds.NAME` tables, which may change a built-in one."""
    from cortex_core.base.kinds import DEFAULT, Kind, Kinds

    fields: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        if name.startswith("kinds."):
            _, kind, field = name.split(".")
            fields.setdefault(kind, {})[field] = value
    if not fields and model == DEFAULT.model:
        return DEFAULT
    known = {kind.name: kind for kind in DEFAULT}
    extra = []
    for kind, given in fields.items():
        base = known.get(kind, Kind(kind, None, 1.0, 10))
        if "half_life" in given:
            given["half_life"] = given["half_life"] or None
        extra.append(base.replaced(**given))
    return Kinds(tuple(extra), model)
