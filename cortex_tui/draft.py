"""A memory as a text to edit: a few fields above a line, its words below it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from cortex_core.errors import CortexError, UsageError
from cortex_core.kinds import Kinds
from cortex_core.memory import SCOPES, Memory, Scope
from cortex_core.text import one_line

RULE = "---"
_LINE = re.compile(r"(?P<name>[a-z]+):[ \t]*(?P<value>.*)")


class Draft(NamedTuple):
    """What a memory is to be."""

    content: str = ""
    title: str = ""
    """Made from the content when empty."""
    kind: str = "fact"
    priority: int = 5
    tags: tuple[str, ...] = ()
    scope: Scope | None = None
    """Only asked of a new memory; None: wherever it goes by itself."""

    def changes(self, old: Draft) -> dict[str, object]:
        """What differs from `old`, as the facade's `edit` takes it."""
        new, was = self._asdict(), old._asdict()
        return {name: new[name] for name in new if new[name] != was[name] and name != "scope"}


def of(memory: Memory) -> Draft:
    """The draft that is `memory` as it stands."""
    return Draft(memory.content, memory.title, memory.kind, memory.priority, memory.tags)


def write(draft: Draft) -> str:
    """`draft` as a text."""
    fields: dict[str, object] = {
        "title": one_line(draft.title), "kind": draft.kind, "priority": draft.priority,
        "tags": " ".join(draft.tags),
    }  # fmt: skip
    if draft.scope is not None:
        fields["scope"] = draft.scope
    head = [f"{name}: {value}".rstrip() for name, value in fields.items()]
    return "\n".join([*head, RULE, draft.content])


def read(text: str, old: Draft, kinds: Kinds) -> Draft:
    """The draft that `text` says; `old` where it says nothing.

    A text without the line is content alone.

    Raises:
        UsageError: a field has no value that it can have.
    """
    head, rule, content = text.partition(f"\n{RULE}\n")
    if not rule and text.endswith(f"\n{RULE}"):
        head, rule, content = text.removesuffix(f"\n{RULE}"), RULE, ""
    found = [_LINE.fullmatch(line.strip()) for line in head.splitlines() if line.strip()]
    if not rule or not any(found[:1]):
        return old._replace(content=text)
    if not all(found):
        lines = [line.strip() for line in head.splitlines() if line.strip()]
        bad = next(line for line, match in zip(lines, found, strict=True) if not match)
        raise UsageError(f"“{bad[:40]}” is no field: write a name, a colon and the value.")
    fields = {match["name"]: match["value"].strip() for match in found if match}
    return _checked(fields, old._replace(content=content), kinds)


def _checked(fields: Mapping[str, str], old: Draft, kinds: Kinds) -> Draft:
    if unknown := sorted(fields.keys() - {"title", "kind", "priority", "tags", "scope"}):
        raise UsageError(f"There is no field “{unknown[0]}”: title, kind, priority, tags.")
    made = old
    if "title" in fields:
        made = made._replace(title=fields["title"])
    if "kind" in fields:
        made = made._replace(kind=kinds.get(fields["kind"]).name)
    if "tags" in fields:
        made = made._replace(tags=tuple(fields["tags"].replace(",", " ").split()))
    if "priority" in fields:
        made = made._replace(priority=_priority(fields["priority"]))
    if (scope := fields.get("scope")) is not None:
        if scope not in SCOPES:
            raise UsageError(f"“{scope}” is no scope: project or global.")
        made = made._replace(scope="global" if scope == "global" else "project")
    return made


def _priority(value: str) -> int:
    if value.isascii() and value.isdigit() and 1 <= int(value) <= 10:
        return int(value)
    raise UsageError(f"A priority is 1 to 10, not “{value[:20]}”.")


def problem(text: str, old: Draft, kinds: Kinds) -> str:
    """What is wrong with `text`, in one sentence; "" when nothing is."""
    try:
        draft = read(text, old, kinds)
    except CortexError as error:
        return str(error)
    return "" if draft.content.strip() else "There is nothing to remember: the text is empty."
