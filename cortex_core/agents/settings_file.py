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
from dataclasses import dataclass, field
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

    def inside(self, text: str) -> str:
        """What is between the brackets."""
        return text[self.start + 1 : self.end - 1]


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


def apply(text: str, edits: Iterable[Edit]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """`text` with `edits` applied, which must not overlap.

    Returns:
        The new text, and start and length of each inserted part in it.
    """
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    done = length = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[done:start], new]
        length += start - done
        if new:
            spans.append((length, len(new)))
        length += len(new)
        done = end
    return "".join([*parts, text[done:]]), tuple(spans)


def without(node: Node, gone: Collection[JsonMember], blank: str = "") -> list[Edit]:
    """The edits that remove members from an object or array, with their commas and space.

    Args:
        blank: the text between the brackets if no member is left.
    """
    kept = [member for member in node.members if member not in gone]
    if not kept:
        return [Edit(node.start + 1, node.end - 1, blank)]
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
        data = path.read_bytes()
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
        return path.read_bytes()
    except FileNotFoundError:
        return None


HOOKS = "hooks"


class InvalidSettings(ValueError):
    """The text is not a settings file that can be edited; the message says why."""


@dataclass(frozen=True, slots=True)
class Traces:
    """What adding hooks changed in a text."""

    hash: str
    """SHA-256 of the text with the hooks in it."""
    spans: tuple[tuple[int, int], ...]
    """Start and length of each inserted part, in characters."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """Objects and lists that existed before, and the space inside those that were empty."""


def digest(text: str) -> str:
    """The SHA-256 of `text`."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def add(text: str, groups: Mapping[str, Mapping[str, Any]]) -> tuple[str, Traces]:
    """`text` with one matcher group added for each event, after the existing ones.

    Raises:
        InvalidSettings: it is not a JSON object, or its hooks are of another form.
    """
    if not text.strip():
        new = json.dumps({HOOKS: {name: [group] for name, group in groups.items()}}, indent=2)
        return text + new + "\n", Traces(digest(text + new + "\n"), ((len(text), len(new) + 1),))
    root = _root(text)
    layout = _Layout(text, root)
    kept = {"": _blank(text, root)}
    hooks = _member(root, HOOKS)
    if hooks is None:
        value = {name: [group] for name, group in groups.items()}
        edits = [layout.insertion(root, {HOOKS: value})]
    else:
        edits = _add_to_hooks(text, layout, hooks.value, groups, kept)
    new, spans = apply(text, edits)
    return new, Traces(digest(new), spans, kept)


def remove(text: str, traces: Traces | None = None) -> str:
    """`text` without Cortex's hooks; byte for byte the original if it is unchanged since `add`.

    Raises:
        InvalidSettings: it is not a JSON object.
    """
    if traces is not None and digest(text) == traces.hash:
        ours = [Edit(start, start + length) for start, length in traces.spans]
        return apply(text, ours)[0]
    if not text.strip():
        return text
    root = _root(text)
    kept = {"": "", **(traces.kept if traces else {})}
    if len(root.named(HOOKS)) > 1:
        kept.setdefault(HOOKS, "")  # removing the last would make the one before effective
    return apply(text, _without_ours(text, root, kept)[0])[0]


def value_of(text: str) -> Any:
    """The value of the settings; empty for a blank file.

    Raises:
        InvalidSettings: it is not a JSON object.
    """
    if not text.strip():
        return {}
    _root(text)
    return parse(text)


def _root(text: str) -> Node:
    try:
        root = scan(text)
    except json.JSONDecodeError as error:
        raise InvalidSettings(
            f"{error.msg} in line {error.lineno}, column {error.colno}"
        ) from error
    except ValueError as error:
        raise InvalidSettings(str(error)) from error
    if root.bracket != "{":
        raise InvalidSettings("it contains no JSON object")
    return root


# --- adding


def _add_to_hooks(
    text: str,
    layout: _Layout,
    hooks: Node,
    groups: Mapping[str, Mapping[str, Any]],
    kept: dict[str, str],
) -> list[Edit]:
    if hooks.bracket != "{":
        raise InvalidSettings("its “hooks” are not an object")
    kept[HOOKS] = _blank(text, hooks)
    edits, missing = [], {}
    for name, group in groups.items():
        event = _member(hooks, name)
        if event is None:
            missing[name] = [group]
            continue
        if event.value.bracket != "[":
            raise InvalidSettings(f"its hooks for {name} are not a list")
        kept[f"{HOOKS}.{name}"] = _blank(text, event.value)
        edits.append(layout.insertion(event.value, [group]))
    return [*edits, *([layout.insertion(hooks, missing)] if missing else [])]


def _member(node: Node, name: str) -> JsonMember | None:
    """The member called `name` that a JSON reader would take."""
    found = node.named(name)
    return found[-1] if found else None


def _blank(text: str, node: Node) -> str:
    return "" if node.members else node.inside(text)


class _Layout:
    """The layout of a text, so that what is added looks like the rest."""

    def __init__(self, text: str, root: Node) -> None:
        self.text = text
        self.newline = "\r\n" if re.search(r"^[^\n]*\r\n", text) else "\n"
        first = text[root.start + 1 : root.members[0].start] if root.members else "\n"
        self.compact = "\n" not in first
        self.unit = first.rpartition("\n")[2] or ("" if root.members else "  ")
        after = re.search(r'"\s*:(\s*)', text)
        self.separators = (", ", ": ") if after is None or after[1] else (",", ":")

    def insertion(self, node: Node, new: Mapping[str, Any] | list[Any]) -> Edit:
        """The edit that adds members or items at the end of an object or array."""
        inner, outer = self._indents(node)
        gap = "" if self.compact else self.newline + inner
        items = self._items(new, inner)
        if node.members:
            comma = self.separators[0] if self.compact else ","
            end = node.members[-1].value.end
            return Edit(end, end, "".join(f"{comma}{gap}{item}" for item in items))
        comma = self.separators[0] if self.compact else f",{gap}"
        empty = node.inside(self.text)
        tail = "" if self.compact or "\n" in empty else self.newline + outer
        return Edit(node.start + 1, node.start + 1, gap + comma.join(items) + tail)

    def _indents(self, node: Node) -> tuple[str, str]:
        """The white space before what is in `node`, and before its end."""
        line = self.text[self.text.rfind("\n", 0, node.start) + 1 : node.start]
        outer = line[: len(line) - len(line.lstrip(" \t"))]
        if node.members:
            before = self.text[node.start + 1 : node.members[0].start]
            if "\n" in before:
                return before.rpartition("\n")[2], outer
        return outer + self.unit, outer

    def _items(self, new: Mapping[str, Any] | list[Any], indent: str) -> list[str]:
        if isinstance(new, list):
            return [self._rendered(item, indent) for item in new]
        colon = self.separators[1] if self.compact else ": "
        return [f"{json.dumps(name)}{colon}{self._rendered(new[name], indent)}" for name in new]

    def _rendered(self, value: Any, indent: str) -> str:
        if self.compact:
            return json.dumps(value, ensure_ascii=False, separators=self.separators)
        rendered = json.dumps(value, ensure_ascii=False, indent=self.unit)
        return rendered.replace("\n", self.newline + indent)


# --- removing

_LEVELS = ("{", "{", "[", "{", "[")
"""The settings, their hooks, those of an event, a matcher group, its hooks."""


def _without_ours(
    text: str, node: Node, kept: Mapping[str, str], path: tuple[str, ...] = ()
) -> tuple[list[Edit], bool]:
    """The edits that remove Cortex's hooks from what is at `path`, and whether it had no others.

    Args:
        kept: what stays though it is empty then, with the space inside it.
    """
    level = len(path)
    if level == len(_LEVELS):
        return [], hook_command.is_ours(parse(text[node.start : node.end]))
    edits, gone = [], []
    for member in node.members if node.bracket == _LEVELS[level] else ():
        name = member.name or ""
        # Of the settings, and of a group, only the hooks are looked at.
        if level in (0, 3) and name != HOOKS:
            continue
        own = (*path, name)
        inner, is_empty = _without_ours(text, member.value, kept, own)
        stays = ".".join(own) in kept or (level == 1 and len(node.named(name)) > 1)
        if is_empty and not stays:
            gone.append(member)
        else:
            edits += inner
    is_whole = bool(gone) and (level == 3 or len(gone) == len(node.members))
    edits += without(node, gone, kept.get(".".join(path), "")) if gone else []
    return edits, is_whole
