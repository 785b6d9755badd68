"""Actions on one or many memories, each of them one step to undo."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core import Cortex
from cortex_core.base import text
from cortex_core.base.errors import NotFound
from cortex_core.base.tools import EDIT, SHELL
from cortex_core.records.memory import (
    INJECTION_POLICIES,
    STATUSES,
    Facets,
    Guard,
    InjectionPolicy,
    Key,
    Memory,
    Scope,
    Source,
)
from cortex_tui.queries import ALL, FIELDS, Chip, Done, Field, ListQuery
from cortex_tui.session import StoreSession, naming

ALONE = frozenset({"triggers", "kind", "priority"})
"""What is set of one memory at a time."""

MOST_CHOICES = 2000
"""Tags, and branches, that are offered as filters."""

INJECTION_MEANING: dict[InjectionPolicy, str] = {
    "normal": "by its score, as all others",
    "demoted": "only with a prompt or a file that it fits",
    "never": "never, unless the agent searches for it",
}
"""What each injection policy means."""
INJECTION_CHANGED: dict[InjectionPolicy, str] = {
    "normal": "Injected normally",
    "demoted": "Injected only when it matches",
    "never": "Never injected",
}

GUARD_MEANING: dict[Guard, str] = {
    "remind": "the call runs, and the agent is reminded of the rule",
    "ask": "Claude Code asks you before the call runs",
    "deny": "the call does not run, and the agent is given the rule as the reason",
}
"""What becomes of a call that recalls a memory."""


class TriggerDraft(NamedTuple):
    """The triggers of a memory as the user writes them, and its guard."""

    lines: tuple[str, ...]
    guard: Guard


class Draft(NamedTuple):
    """A memory as the user writes it."""

    content: str = ""
    title: str = ""
    """Made from the content when empty."""
    kind: str = "fact"
    priority: int | None = None
    """None: that of the kind."""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """The patterns of files whose opening injects it."""
    scope: Scope | None = None
    """Set for a new memory only; None: the default store."""
    until: str | None = None
    """How long it holds: a day, `session`, `branch`, or empty for good; None for a new memory."""

    def changes(self, old: Draft) -> dict[str, object]:
        """What differs from `old`, as the facade's `edit` takes it."""
        new, was = self._asdict(), old._asdict()
        changed = {name: new[name] for name in new if new[name] != was[name] and name != "scope"}
        return {**changed, "until": new["until"] or "good"} if "until" in changed else changed


class Tags(NamedTuple):
    """Tags to add and to remove."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


def tag(stores: StoreSession, keys: Sequence[Key], tags: Tags) -> Done:
    """Add and remove tags."""
    memories = stores.chosen(keys)
    names = [memory.id for memory in memories]
    signed = " ".join([*(f"+{one}" for one in tags.add), *(f"-{one}" for one in tags.remove)])
    return stores.change(
        "tag",
        lambda cortex: cortex.tag(names, tags.add, tags.remove),
        f"Tagged {signed}: {naming(memories)}",
    )


def tags_known(stores: StoreSession) -> tuple[str, ...]:
    """The tags of active memories, the most frequent first."""
    return tuple(stores.cortex.memories.facets(("active",)).tags)[:MOST_CHOICES]


def set_injection(stores: StoreSession, keys: Sequence[Key], inject: InjectionPolicy) -> Done:
    """Set the injection policy of memories."""
    memories = stores.chosen(keys)
    names = [memory.id for memory in memories]
    return stores.change(
        "give",
        lambda cortex: cortex.give(names, inject),
        f"{INJECTION_CHANGED[inject]}: {naming(memories)}",
    )


def set_triggers(stores: StoreSession, key: Key, new: TriggerDraft) -> Done:
    """Set at which tool calls a memory is recalled, and what becomes of them."""
    (memory,) = stores.chosen([key])
    when = "Recalled at tool calls" if new.lines else "No tool call recalls it"
    guard = f" ({new.guard})" if new.lines and new.guard != "remind" else ""

    def task(cortex: Cortex) -> Sequence[Memory]:
        triggers = cortex.memories.triggers
        if new.lines == memory.triggers:
            return triggers.guard(memory.id, new.guard)
        return triggers.set(memory.id, new.lines, guard=new.guard)

    return stores.change("trigger", task, f"{when}{guard}: {memory.title}")


def switch_triggers(stores: StoreSession) -> Done:
    """Switch all triggers off, or on again."""
    on = not stores.guards_are_on
    sentence = "Tool calls recall rules again, and guards hold."
    off = "No tool call recalls a rule now, and no guard holds."
    done = stores.note(
        "trigger",
        lambda cortex: cortex.memories.triggers.switch(on=on),
        sentence if on else off,
    )
    return replace(done, settings=True)


def call_of(typed: str) -> tuple[str, dict[str, str]]:
    """The tool call that a line stands for: `file:` and a path is an edit, `mcp__…` that tool, and
    anything else a command."""
    words = typed.strip()
    if words.startswith("mcp__"):
        return words, {}
    if words.startswith("file:"):
        return EDIT, {"file_path": words.removeprefix("file:").strip()}
    return SHELL, {"command": words}


def move(stores: StoreSession, keys: Sequence[Key], scope: str) -> Done:
    """Move memories to a store, or to the project in a folder; those in it already stay."""
    memories = [one for one in stores.chosen(keys) if one.scope != scope]
    if not memories:
        raise NotFound(f"It is {scope} already. Nothing was changed.")
    names = [memory.id for memory in memories]
    before = stores.cortex.memories.keys_of(names)
    done = stores.change(
        "move",
        lambda cortex: cortex.move(names, scope),
        f"Moved to {Path(scope).name}: {naming(memories)}",
    )
    moved = {before[memory.id]: key for key, memory in done.rows.items() if memory.id in before}
    return replace(done, moved=moved)


def edit(stores: StoreSession, key: Key, old: Draft, new: Draft) -> Done:
    """Change what differs between two drafts of a memory.

    Raises:
        NotFound: it was changed meanwhile by somebody else, or is gone.
    """
    (memory,) = stores.chosen([key])
    if memory.content != old.content:
        raise NotFound(
            "Somebody else changed this memory meanwhile. Nothing was overwritten, and what you "
            "wrote is kept. Edit it again to go on with it."
        )
    done = stores.change(
        "edit",
        lambda cortex: [cortex.edit(memory.id, **new.changes(old))],  # type: ignore[arg-type]
        "",
    )
    # A title that was made from the words changes with them.
    return replace(done, sentence=f"Changed: {naming(list(done.rows.values()))}")


def change(stores: StoreSession, key: Key, fields: Mapping[str, Any]) -> Done:
    """Set `fields` of a memory, as the facade's `edit` takes them."""
    (memory,) = stores.chosen([key])
    said = ", ".join(f"{name} {value}".replace("_", " ") for name, value in fields.items())
    return stores.change(
        "edit",
        lambda cortex: [cortex.edit(memory.id, **fields)],
        f"Set {said}: {memory.title}",
    )


def remember(
    stores: StoreSession,
    new: Draft,
    source: Source | None = None,
    settled: Mapping[str, bool] = {},
) -> Done:
    """Store a new memory.

    Args:
        source: the message of a session that it was taken from.
        settled: by id, whether it takes the place of a memory that it is near.
    """
    # What the facade is not given, such as a priority, is that of the kind.
    return stores.change(
        "remember",
        lambda cortex: [
            cortex.remember(
                new.content,
                title=new.title or None,
                kind=new.kind,
                priority=new.priority,
                tags=new.tags,
                files=new.files,
                scope=new.scope,
                source=source,
                settled=settled,
            )
        ],
        f"Remembered{' in place of an earlier one' * any(settled.values())}: "
        f"{new.title or text.one_line(new.content)[:80]}",
    )


def texts(stores: StoreSession, keys: Sequence[Key]) -> str:
    """The words of the memories, a blank line between two."""
    return "\n\n".join(text.clean(memory.content) for memory in stores.chosen(keys))


def ids(stores: StoreSession, keys: Sequence[Key]) -> str:
    """The ids of the memories, one a line."""
    return "\n".join(memory.id for memory in stores.chosen(keys))


def tags_problem(typed: str) -> str:
    """What is wrong with typed tags, in one sentence; "" when nothing is."""
    joined = next((word for word in typed.replace(",", " ").split() if _JOINED.search(word)), "")
    return f"“{joined}” has a + inside: put a blank before each sign." if joined else ""


_JOINED = re.compile(r"\w\+\w")
"""Two tags without a blank between them."""


def tags_typed(typed: str, old: Sequence[str], *, several: bool) -> Tags:
    """The changes to the tags `old` that `typed` asks for.

    `+tag` adds and `-tag` removes. Without a sign the words are all the tags that one memory is to
    have, and tags to add to several.
    """
    words = [word.lstrip("#").lower() for word in typed.replace(",", " ").split()]
    more = [word[1:].lstrip("#") for word in words if word.startswith("+") and word[1:]]
    less = [word[1:].lstrip("#") for word in words if word.startswith("-") and word[1:]]
    plain = [word for word in words if word[0] not in "+-"]
    if several or (not plain and (more or less)):
        return Tags(tuple(dict.fromkeys((*plain, *more))), tuple(dict.fromkeys(less)))
    wanted = [word for word in dict.fromkeys((*plain, *more)) if word not in less]
    return Tags(
        tuple(word for word in wanted if word not in old),
        tuple(word for word in old if word not in wanted),
    )


def files_of(stores: StoreSession, memory: Memory) -> dict[str, tuple[Path, int]]:
    """The files of the project that a memory is about, as `src/api.py:12`: each with the line that
    it begins at, 0 where that is not known."""
    cortex, root = stores.cortex, Path(stores.cortex.project.root or os.devnull).resolve()
    anchors = cortex.code.anchors.list(memory.id)[0].anchors
    named = [(code.path, code.first) for code in cortex.memories.code_of(memory.id)]
    named += [(anchor.path, anchor.line) for anchor in anchors]
    named += [(glob, 0) for glob in memory.globs]
    found = {(f"{path}:{line}" if line else path): (root / path, line) for path, line in named}
    # What a memory names may have come from elsewhere: nothing outside of the project is opened.
    return {
        name: (file, line)
        for name, (file, line) in found.items()
        if file.is_file() and file.resolve().is_relative_to(root)
    }


def filters(facets: Facets, query: ListQuery, branch: str) -> list[tuple[str, str]]:
    """What can be chosen as a filter: (chip as typed, its line in the dialog).

    Args:
        branch: the one that is checked out, offered first among the branches.
    """
    known: dict[Field, dict[str, int]] = {
        "kind": dict(facets.kinds),
        "scope": dict(facets.scopes),
        "status": {name: facets.statuses.get(name, 0) for name in STATUSES},
        "new": dict(facets.new),
        "tag": dict(facets.tags),
        "branch": {**({branch: 0} if branch in facets.branches else {}), **facets.branches},
    }
    known["status"][ALL] = sum(facets.statuses.values())
    lines = [(str(chip), f"remove      {chip}") for chip in query.chips]
    for field in FIELDS:
        for value, count in list(known.get(field, {}).items())[:MOST_CHOICES]:
            chip = Chip(field, value)
            if count and chip not in query.chips:
                # The numbers are of all, and another filter lets fewer pass.
                shown = "" if query.chips else f"{count:>7,}"
                lines.append((str(chip), f"{field:<8}{value:<24} {shown}".rstrip()))
    lines += [(f"asof:{span}", f"asof    {span:<24} what was there then") for span in ("1w", "1mo")]
    return lines


def injection_policies() -> list[tuple[str, str]]:
    """The injection policies with their meaning, for a choice."""
    return [(one, f"{one:<9}{INJECTION_MEANING[one]}") for one in INJECTION_POLICIES]
