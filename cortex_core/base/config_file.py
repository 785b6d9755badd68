"""Writing one setting into a TOML file; comments and layout stay as the user wrote them."""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

from cortex_core.base import hook_io
from cortex_core.base.errors import ConfigError


def write(file: str, name: str, value: Any) -> None:
    """Set the dotted `name` to `value` in `file`, or remove it where `value` is None.

    Raises:
        ConfigError: the file is not valid TOML or cannot be written; it is left as it was.
    """
    target = Path(file)
    try:
        document = tomlkit.parse(target.read_text(encoding="utf-8") if target.exists() else "")
        _change(document, _keys(document, name), value)
        hook_io.private_folder(str(target.parent))
        hook_io.replace(file, tomlkit.dumps(document))
    except (TOMLKitError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(
            f"{file} is not valid TOML: {error}. Nothing was changed. Correct it first."
        ) from error
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be written: {error.strerror}. Nothing was changed. "
            "Make the file and its folder writable."
        ) from error


def _keys(document: tomlkit.TOMLDocument, name: str) -> list[str]:
    """The nested keys of `name`; an action's id (`keys."memory.pin"`) is a single key.

    Where the file already holds such an id as nested tables, it stays there.
    """
    parts = name.split(".")
    inner: Any = document
    for part in parts:
        inner = inner.get(part) if isinstance(inner, MutableMapping) else None
    if parts[0] != "keys" or inner is not None:
        return parts
    return [parts[0], ".".join(parts[1:])]


def _change(table: MutableMapping[str, Any], keys: list[str], value: Any) -> None:
    """Set the value at `keys`, or remove it together with the tables it leaves empty."""
    head, *rest = keys
    if not rest:
        if value is None:
            table.pop(head, None)
        else:
            table[head] = value
        return
    inner = table.get(head)
    if not isinstance(inner, MutableMapping):
        if value is None:
            return
        inline = isinstance(table, InlineTable)
        table[head] = tomlkit.inline_table() if inline else tomlkit.table()
        inner = table[head]
    _change(inner, rest, value)
    if not inner:
        del table[head]
