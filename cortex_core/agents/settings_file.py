"""Editing an agent's settings file: hook groups are added and removed, everything else stays.

The file is edited as text, by the positions of its JSON values, so that layout and numbers stay as
the user wrote them. It is replaced whole, with its mode, or not at all. Reading is as strict as
the agents' own.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from cortex_core.agents import hook_command
from cortex_core.base import hook_io
from cortex_core.base.errors import CortexError
from cortex_core.store import leftovers

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


class Edit(NamedTuple):
    """The replacement of a part of a text; the end is exclusive."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value and its position in the text."""

    start: int
    end: int
    bracket: str = ""
    """`{` for an object, `[` for an array, empty for anything else."""
    members: tuple[JsonMember, ...] = ()

    def named(self, name: str) -> list[JsonMember]:
        """The members called `name`; of several, JSON readers take the last."""
        return [member for member in self.members if member.name == name]


@dataclass(frozen=True, slots=True)
class JsonMember:
    """One member of an object, or one item of an array."""

    start: int
    name: str | None
    """None in an array."""
    value: Node


def parse(text: str) -> Any:
    """The value of the JSON `text`; numbers stay text, so that none is too long.

    Raises:
        ValueError: it is not JSON; comments, trailing commas and NaN are not accepted.
    """
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def scan(text: str) -> Node:
    """The value of the JSON `text`, with the positions of everything in it.

    Raises:
        ValueError: it is not JSON.
    """
    parse(text)
    tokens = _TOKEN.finditer(text)
    try:
        return _value(next(tokens), tokens)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def apply(text: str, edits: Iterable[Edit]) -> str:
    """`text` with `edits` applied, which must not overlap."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def without(node: Node, gone: Collection[JsonMember]) -> list[Edit]:
    """The edits that remove members from an object or array, with their commas and space."""
    kept = [member for member in node.members if member not in gone]
    if not kept:
        return [Edit(node.start + 1, node.end - 1)]
    edits = []
    for number, member in enumerate(node.members):
        if member not in gone:
            continue
        if member.start < kept[0].start:
            edits.append(Edit(member.start, node.members[number + 1].start))
        else:
            edits.append(Edit(node.members[number - 1].value.end, member.value.end))
    return edits


def _value(token: re.Match[str], tokens: Iterator[re.Match[str]]) -> Node:
    bracket = token.group()
    if bracket not in ("{", "["):
        return Node(token.start(), token.end())
    members: list[JsonMember] = []
    for first in tokens:
        word = first.group()
        if word in ("}", "]"):
            return Node(token.start(), first.end(), bracket, tuple(members))
        if word == ",":
            continue
        name = None
        value = first
        if bracket == "{":
            name = json.loads(word)
            next(tokens)
            value = next(tokens)
        members.append(JsonMember(first.start(), name, _value(value, tokens)))
    raise ValueError("it ends within a value")


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not valid JSON")


BYTE_ORDER_MARK = "\ufeff"
"""The byte order mark that some editors begin a file with."""


class Original(NamedTuple):
    """A settings file as it was read."""

    path: Path
    data: bytes | None
    """None where there is no file."""
    mark: str
    """The byte order mark, if the file begins with one."""
    text: str
    """The rest of the file."""


def read(path: Path) -> Original:
    """The settings file at `path`; empty if there is none.

    Raises:
        CortexError: it cannot be read, or is not UTF-8.
    """
    try:
        data = hook_io.whole(str(path))
        text = data.decode("utf-8")
    except FileNotFoundError:
        return Original(path, None, "", "")
    except UnicodeDecodeError as error:
        raise refused(path, "it is not UTF-8") from error
    except OSError as error:
        raise refused(path, error.strerror or str(error)) from error
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    return Original(path, data, mark, text.removeprefix(mark))


def refused(path: Path, reason: str) -> CortexError:
    """The error for a settings file that cannot be edited safely."""
    return CortexError(
        f"{path} cannot be edited: {reason}. Nothing was changed. Correct the file (JSON without "
        "comments), then run this again."
    )


def replace(original: Original, text: str | None) -> None:
    """Write `text` to the file of `original`; None removes it.

    Links are followed, mode and owner are kept.

    Raises:
        CortexError: it cannot be written, or has changed since it was read; nothing was changed.
    """
    path = Path(os.path.realpath(original.path))
    try:
        if _bytes(path) != original.data:
            raise CortexError(
                f"{path} has just been changed by another program. Nothing was changed. Run this "
                "again."
            )
        if text is None:
            path.unlink()
        else:
            _write(path, (original.mark + text).encode("utf-8"))
    except OSError as error:
        raise CortexError(
            f"{path} cannot be written: {error.strerror}. Nothing was changed. Make it writable."
        ) from error


def _write(path: Path, data: bytes) -> None:
    hook_io.private_folder(str(path.parent))
    leftovers.sweep_files(path.parent, of=path.name)
    state = path.stat() if path.exists() else None
    hook_io.replace(str(path), data, (state.st_mode & 0o7777) if state else 0o600)
    if state:
        with suppress(OSError):
            os.chown(path, state.st_uid, state.st_gid)
        path.chmod(state.st_mode & 0o7777)


def back_up(original: Original, home: str) -> str:
    """Copy the file as it was read to the global side.

    Returns:
        The path of the copy; "" if there was no file.


    Raises:
        CortexError: the copy cannot be written.
    """
    if original.data is None:
        return ""
    folder = Path(home, "backups")
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime()) + f"-{time.time_ns() % 10**9:09d}"
    copy = folder / f"{original.path.stem}-{stamp}.json"
    try:
        hook_io.private_folder(str(folder))
        hook_io.replace(str(copy), original.data)
    except OSError as error:
        raise CortexError(
            f"No backup can be written to {folder}: {error.strerror}. Nothing was changed. Make "
            "the folder writable."
        ) from error
    return str(copy)


def drop_backup(copy: str) -> None:
    """Remove a backup that is no longer needed."""
    if copy:
        path = Path(copy)
        path.unlink(missing_ok=True)
        if path.parent.is_dir() and not any(path.parent.iterdir()):
            path.parent.rmdir()


def _bytes(path: Path) -> bytes | None:
    try:
        return hook_io.whole(str(path))
    except FileNotFoundError:
        return None


HOOKS = "hooks"


def digest(text: str) -> str:
    """The SHA-256 of `text`."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def add(text: str, groups: Mapping[str, Mapping[str, Any]]) -> str:
    """`text` with one matcher group added for each event, after the existing ones.

    Raises:
        ValueError: it is not a JSON object, or its hooks are of another form.
    """
    value = {name: [group] for name, group in groups.items()}
    if not text.strip():
        return f"{text}{json.dumps({HOOKS: value}, indent=2)}\n"
    root = _root(text)
    layout = _Layout(text, root)
    if not (listed := root.named(HOOKS)):
        return apply(text, [layout.insertion(root, 1, {HOOKS: value})])
    hooks = listed[-1].value
    if hooks.bracket != "{":
        raise ValueError("its “hooks” are not an object")
    edits, missing = [], {}
    for name, own in value.items():
        if not (events := hooks.named(name)):
            missing[name] = own
        elif events[-1].value.bracket != "[":
            raise ValueError(f"its hooks for {name} are not a list")
        else:
            edits.append(layout.insertion(events[-1].value, 3, own))
    return apply(text, [*edits, *([layout.insertion(hooks, 2, missing)] if missing else [])])


def remove(text: str) -> str:
    """`text` without Cortex's hooks, and without what holds no other hooks then.

    Raises:
        ValueError: it is not a JSON object.
    """
    return apply(text, _without_ours(text, _root(text))[0]) if text.strip() else text


def value_of(text: str) -> Any:
    """The value of the settings; empty for a blank file.

    Raises:
        ValueError: it is not a JSON object.
    """
    if not text.strip():
        return {}
    _root(text)
    return parse(text)


def _root(text: str) -> Node:
    root = scan(text)
    if root.bracket != "{":
        raise ValueError("it contains no JSON object")
    return root


class _Layout:
    """The layout of a text, so that what is added looks like the rest."""

    def __init__(self, text: str, root: Node) -> None:
        first = text[root.start + 1 : root.members[0].start] if root.members else ""
        self.newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
        self.unit = first.rpartition("\n")[2] if "\n" in first else "  "

    def insertion(self, node: Node, level: int, new: Mapping[str, Any] | list[Any]) -> Edit:
        """The edit that adds members or items at the end of an object or array.

        Args:
            level: how deep they are: 1 for the members of the settings.
        """
        indent = self.newline + self.unit * level
        rendered = json.dumps(new, ensure_ascii=False, indent=self.unit)[1:-1].strip("\n")
        lines = rendered.removeprefix(self.unit).replace(f"\n{self.unit}", indent)
        if node.members:
            end = node.members[-1].value.end
            return Edit(end, end, f",{indent}{lines}")
        outer = self.newline + self.unit * (level - 1)
        return Edit(node.start + 1, node.end - 1, f"{indent}{lines}{outer}")


_LEVELS = ("{", "{", "[", "{", "[")
"""The settings, their hooks, those of an event, a matcher group, its hooks."""


def _without_ours(text: str, node: Node, level: int = 0) -> tuple[list[Edit], bool]:
    """The edits that remove Cortex's hooks from what is at a level; whether it had no others."""
    if level == len(_LEVELS):
        return [], hook_command.is_ours(parse(text[node.start : node.end]))
    edits, gone = [], []
    for member in node.members if node.bracket == _LEVELS[level] else ():
        # Of the settings, and of a group, only the hooks are looked at.
        if level in (0, 3) and member.name != HOOKS:
            continue
        inner, is_empty = _without_ours(text, member.value, level + 1)
        # Without it, an earlier one of its name would count.
        if is_empty and (member.name is None or len(node.named(member.name)) == 1):
            gone.append(member)
        else:
            edits += inner
    is_whole = bool(gone) and (level == 3 or len(gone) == len(node.members))
    edits += without(node, gone) if gone else []
    return edits, is_whole
