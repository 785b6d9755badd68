"""The client's settings file, edited at the text: hook groups go in and out, all else stays.

Order, indentation, numbers, escapes and line ends are never re-written. What goes in is recorded
by place, so that taking it out of the unchanged file gives back every byte; out of a file that was
edited meanwhile, only Cortex's own hooks go, found by what they run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from cortex_core.claude import hook_entries, json_text
from cortex_core.claude.json_text import Edit, Member, Node

HOOKS = "hooks"


class NotSettings(ValueError):
    """The text is no settings file that can be edited; the message says why."""


@dataclass(frozen=True, slots=True)
class Traces:
    """What putting hooks into a text has done to it."""

    hash: str
    """SHA-256 of the text with the hooks in it."""
    spans: tuple[tuple[int, int], ...]
    """Start and length of everything that went in, in characters."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """Objects and lists that were there before, and what stood in those that were empty."""


def digest(text: str) -> str:
    """What tells one text from another."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def add(text: str, groups: Mapping[str, Mapping[str, Any]]) -> tuple[str, Traces]:
    """`text` with one matcher group for each event, after all that is there.

    Raises:
        NotSettings: it is no JSON object, or its hooks have another form than the client's.
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
        edits = [layout.into(root, {HOOKS: value})]
    else:
        edits = _into_hooks(text, layout, hooks.value, groups, kept)
    new, spans = json_text.apply(text, edits)
    return new, Traces(digest(new), spans, kept)


def remove(text: str, traces: Traces | None = None) -> str:
    """`text` without Cortex's hooks; to the byte what it was, if it is as `add` has left it.

    Raises:
        NotSettings: it is no JSON object.
    """
    if traces is not None and digest(text) == traces.hash:
        ours = [Edit(start, start + length) for start, length in traces.spans]
        return json_text.apply(text, ours)[0]
    if not text.strip():
        return text
    root = _root(text)
    kept = dict(traces.kept if traces else {})
    listed = root.named(HOOKS)
    if len(listed) > 1:
        kept.setdefault(HOOKS, "")  # dropping the last would bring the one before to life
    edits, gone = [], []
    for member in listed:
        inner = _out_of_hooks(text, member.value, kept)
        if inner is None:
            gone.append(member)
        else:
            edits += inner
    if gone:
        edits += json_text.without(root, gone, kept.get("", ""))
    return json_text.apply(text, edits)[0]


def value_of(text: str) -> Any:
    """What the settings say; nothing for a blank file.

    Raises:
        NotSettings: it is no JSON object.
    """
    if not text.strip():
        return {}
    _root(text)
    return json_text.parse(text)


def _root(text: str) -> Node:
    try:
        root = json_text.scan(text)
    except json.JSONDecodeError as error:
        raise NotSettings(f"{error.msg} in line {error.lineno}, column {error.colno}") from error
    except ValueError as error:
        raise NotSettings(str(error)) from error
    if root.sort != "{":
        raise NotSettings("it contains no JSON object")
    return root


# --- putting in


def _into_hooks(
    text: str, layout: _Layout, hooks: Node, groups: Mapping[str, Mapping[str, Any]],
    kept: dict[str, str],
) -> list[Edit]:  # fmt: skip
    if hooks.sort != "{":
        raise NotSettings("its “hooks” are not an object")
    kept[HOOKS] = _blank(text, hooks)
    edits, missing = [], {}
    for name, group in groups.items():
        event = _member(hooks, name)
        if event is None:
            missing[name] = [group]
            continue
        if event.value.sort != "[":
            raise NotSettings(f"its hooks for {name} are not a list")
        kept[f"{HOOKS}.{name}"] = _blank(text, event.value)
        edits.append(layout.into(event.value, [group]))
    return [*edits, *([layout.into(hooks, missing)] if missing else [])]


def _member(node: Node, name: str) -> Member | None:
    """The member called `name` that a reader would take."""
    found = node.named(name)
    return found[-1] if found else None


def _blank(text: str, node: Node) -> str:
    return "" if node.members else node.inside(text)


class _Layout:
    """How a text is laid out, so that what goes in looks like the rest."""

    def __init__(self, text: str, root: Node) -> None:
        self.text = text
        self.newline = "\r\n" if re.search(r"^[^\n]*\r\n", text) else "\n"
        first = text[root.start + 1 : root.members[0].start] if root.members else "\n"
        self.compact = "\n" not in first
        self.unit = first.rpartition("\n")[2] or ("" if root.members else "  ")
        after = re.search(r'"\s*:(\s*)', text)
        self.separators = (", ", ": ") if after is None or after[1] else (",", ":")

    def into(self, node: Node, new: Mapping[str, Any] | list[Any]) -> Edit:
        """The edit that adds members or items at the end of an object or array."""
        inner, outer = self._indents(node)
        gap = "" if self.compact else self.newline + inner
        told = self._items(new, inner)
        if node.members:
            comma = self.separators[0] if self.compact else ","
            place = node.members[-1].value.end
            return Edit(place, place, "".join(f"{comma}{gap}{item}" for item in told))
        comma = self.separators[0] if self.compact else f",{gap}"
        empty = node.inside(self.text)
        tail = "" if self.compact or "\n" in empty else self.newline + outer
        return Edit(node.start + 1, node.start + 1, gap + comma.join(told) + tail)

    def _indents(self, node: Node) -> tuple[str, str]:
        """The white space before what stands in `node`, and before its end."""
        line = self.text[self.text.rfind("\n", 0, node.start) + 1 : node.start]
        outer = line[: len(line) - len(line.lstrip(" \t"))]
        if node.members:
            before = self.text[node.start + 1 : node.members[0].start]
            if "\n" in before:
                return before.rpartition("\n")[2], outer
        return outer + self.unit, outer

    def _items(self, new: Mapping[str, Any] | list[Any], indent: str) -> list[str]:
        if isinstance(new, list):
            return [self._told(item, indent) for item in new]
        colon = self.separators[1] if self.compact else ": "
        return [f"{json.dumps(name)}{colon}{self._told(new[name], indent)}" for name in new]

    def _told(self, value: Any, indent: str) -> str:
        if self.compact:
            return json.dumps(value, ensure_ascii=False, separators=self.separators)
        told = json.dumps(value, ensure_ascii=False, indent=self.unit)
        return told.replace("\n", self.newline + indent)


# --- taking out


def _out_of_hooks(text: str, hooks: Node, kept: Mapping[str, str]) -> list[Edit] | None:
    """The edits that take Cortex's hooks out; None where the whole of `hooks` goes."""
    if hooks.sort != "{":
        return []
    edits, gone = [], []
    for event in hooks.members:
        path = f"{HOOKS}.{event.name}"
        inner, whole = _out_of_event(text, event.value, kept.get(path, ""))
        if whole and path not in kept and len(hooks.named(event.name or "")) == 1:
            gone.append(event)
        else:
            edits += inner
    if not gone:
        return edits
    if len(gone) == len(hooks.members) and HOOKS not in kept:
        return None
    return edits + json_text.without(hooks, gone, kept.get(HOOKS, ""))


def _out_of_event(text: str, event: Node, blank: str) -> tuple[list[Edit], bool]:
    """The edits that take Cortex's hooks out of an event's list, and whether it had no others."""
    if event.sort != "[":
        return [], False
    edits, gone = [], []
    for item in event.members:
        handlers, own = _handlers(text, item.value)
        if own and len(own) == len(handlers.members):
            gone.append(item)
        elif own:
            edits += json_text.without(handlers, own)
    if gone:
        edits += json_text.without(event, gone, blank)
    return edits, bool(gone) and len(gone) == len(event.members)


def _handlers(text: str, group: Node) -> tuple[Node, list[Member]]:
    """The list of hooks in a matcher group, and those of them that are Cortex's."""
    member = _member(group, HOOKS)
    if member is None or member.value.sort != "[":
        return group, []
    own = [
        item
        for item in member.value.members
        if hook_entries.is_ours(json_text.parse(text[item.value.start : item.value.end]))
    ]
    return member.value, own
