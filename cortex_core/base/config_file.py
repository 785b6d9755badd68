"""Writing one setting into a TOML file; comments and layout stay as the user wrote them."""

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
        _replace(file, tomlkit.dumps(document))
    except (TOMLKitError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(
            f"{file} is not valid TOML: {error}. Nothing was changed. Correct it first."
        ) from error
    except OSError as error:
        raise _not_written(file, error) from error


def contents(file: str) -> str | None:
    """The text of `file`; None where there is none, or none that can be read."""
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def restore(file: str, text: str | None) -> None:
    """Let `file` hold `text` again; None: let there be no file.

    Raises:
        ConfigError: it cannot be written; it is left as it was.
    """
    try:
        if text is None:
            Path(file).unlink(missing_ok=True)
        else:
            _replace(file, text)
    except OSError as error:
        raise _not_written(file, error) from error


def value_in(text: str | None, name: str) -> Any:
    """What the dotted `name` is in the text of a file; None where it is not set."""
    document = tomlkit.parse(text or "")
    inner: Any = document
    for key in _keys(document, name):
        inner = inner.get(key) if isinstance(inner, MutableMapping) else None
    return inner.unwrap() if hasattr(inner, "unwrap") else inner


def _not_written(file: str, error: OSError) -> ConfigError:
    return ConfigError(
        f"{file} cannot be written: {error.strerror}. Nothing was changed. "
        "Make the file and its folder writable."
    )


def _keys(document: tomlkit.TOMLDocument, name: str) -> list[str]:
    """The nested keys of `name`; an action's id (`keys."memory.pin"`) is a single key.

    Where the file already holds such an id as nested tables, it stays there.
    """
    parts = name.split(".")
    inner: Any = document
    for part in parts:
        inner = inner.get(part) if isinstance(inner, MutableMapping) else None
    is_nested = parts[0] != "keys" or inner is not None
    return parts if is_nested else [parts[0], ".".join(parts[1:])]


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


def _replace(file: str, text: str) -> None:
    hook_io.private_folder(str(Path(file).parent))
    hook_io.replace(file, text)
