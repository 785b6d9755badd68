"""Writing one setting into a TOML file, keeping the person's comments where the layout allows."""

from __future__ import annotations

import os
import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import tomli_w

from cortex_core.errors import ConfigError

_HEADER = re.compile(r"^\s*\[([^\[\]]+)\]\s*(#.*)?$")


def write(file: str, name: str, value: Any) -> None:
    """Set the dotted `name` to `value` in `file`, or remove it where `value` is None.

    Raises:
        ConfigError: the file is no TOML or cannot be written; it is left as it was.
    """
    target = Path(file)
    try:
        text = target.read_text(encoding="utf-8") if target.exists() else ""
        there = tomllib.loads(text)
        parts = _parts(there, name)
        wanted = _changed(there, parts, value)
        edited = _edited(text, ".".join(parts[:-1]), parts[-1], value)
        if _parsed(edited) != wanted:
            edited = tomli_w.dumps(wanted)
        _replace(target, edited)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{file} is not valid TOML: {error}. Nothing was changed. Correct it first."
        ) from error
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be written: {error.strerror}. Nothing was changed. "
            "Make the file and its folder writable."
        ) from error


def _parts(there: dict[str, Any], name: str) -> list[str]:
    """The keys of `name` one inside the other; an action's id (`keys."memory.pin"`) is one key.

    Where the file `there` already holds it in tables of its own, it stays there.
    """
    parts = name.split(".")
    inner: Any = there
    for part in parts:
        inner = inner.get(part) if isinstance(inner, dict) else None
    if parts[0] != "keys" or inner is not None:
        return parts
    return [parts[0], ".".join(parts[1:])]


def _changed(table: dict[str, Any], keys: list[str], value: Any) -> dict[str, Any]:
    """`table` with the value at `keys` set, or removed together with tables left empty."""
    head, *rest = keys
    made = dict(table)
    if rest:
        inner = made.get(head)
        made[head] = _changed(inner if isinstance(inner, dict) else {}, rest, value)
        if not made[head]:
            del made[head]
    elif value is None:
        made.pop(head, None)
    else:
        made[head] = value
    return made


def _edited(text: str, table: str, key: str, value: Any) -> str:
    """`text` with the setting's line replaced, removed or added below its table's header."""
    lines = text.splitlines()
    new = [] if value is None else tomli_w.dumps({key: value}).splitlines()
    start, end = _section(lines, table)
    own = re.compile(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*=")
    for at in range(start, end):
        if own.match(lines[at]):
            lines[at : at + 1] = new
            return "\n".join(lines) + "\n"
    if start < 0:
        new = ["", f"[{table}]", *new] if lines else [f"[{table}]", *new]
        end = len(lines)
    lines[end:end] = new
    return "\n".join(lines) + "\n"


def _section(lines: list[str], table: str) -> tuple[int, int]:
    """Where the table's own lines begin and end; (-1, -1) where it is missing."""
    headers = [
        (at, match[1].strip()) for at, line in enumerate(lines) if (match := _HEADER.match(line))
    ]
    places = [(-1, ""), *headers, (len(lines), "")]
    for (at, title), (following, _) in pairwise(places):
        if title == table:
            return at + 1, following
    return -1, -1


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _replace(target: Path, text: str) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
