"""When rules are recalled at the moment of acting: their triggers, and what guards such a call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cortex_core.base.authorship import PROPOSED
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import RULE_KINDS
from cortex_core.base.project import find
from cortex_core.records.kept_rules import TriggerLine
from cortex_core.records.memory import GUARDS, Actor, Guard, Memory
from cortex_core.store import journal, memory_lookup, rows
from cortex_core.store.project_settings import ProjectSettings
from cortex_core.store.workspace import Ids, Workspace
from cortex_core.triggers import calls, corrected, finding, matching, rule_words, syntax

if TYPE_CHECKING:
    from cortex_core.store.store import Store
    from cortex_core.triggers.calls import Call
    from cortex_core.triggers.record import Keeping

DEAD_END = "dead-end"
"""The name of the source of ways that failed: they are recalled at the same command, and are no
part of the note at a session's start."""

SWITCH = "triggers.on"
"""The setting that stops all triggers."""

_READ_BY = "triggers"
"""The key of a store under which the version is kept by which its rules' words were read."""

CALLS = "calls"
"""The detail of a memory that holds its trigger where its words do not say it."""

BATCH = 200
"""Memories whose triggers are found in one transaction."""


class Triggers:
    """Reads and sets the triggers of memories."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self) -> Sequence[Memory]:
        """The active memories with triggers, those that guard a call first."""
        found = [
            memory
            for store in self._workspace.stores
            for memory in store.memories(memory_lookup.with_triggers(store))
        ]
        return sorted(found, key=lambda memory: -GUARDS.index(memory.guard))

    @cached_property
    def keeping(self) -> Keeping:
        """The record of how the rules with triggers were kept."""
        from cortex_core.triggers.record import Keeping

        return Keeping(self._workspace)

    def set(
        self,
        ids: Ids,
        lines: Iterable[str],
        *,
        guard: Guard | None = None,
        actor: Actor = "person",
    ) -> Sequence[Memory]:
        """Give memories these triggers and no others; none keeps them from ever being recalled.

        Args:
            guard: what becomes of a call that they match; None leaves it as it is.

        Raises:
            UsageError: a line is no trigger, or there are too many; or as `guard` raises.
        """
        # Parsed first: a line that is none must leave everything as it was.
        stated = tuple(str(syntax.parse(line)) for line in dict.fromkeys(lines))
        if len(stated) > syntax.MOST:
            raise UsageError(
                f"A memory has at most {syntax.MOST} triggers, not {len(stated)}. Nothing was "
                "changed."
            )
        columns: rows.Row = {"triggers": rows.dumps(list(stated)), "triggers_by": "user"}
        if guard is not None:
            columns["guard"] = _allowed(guard, actor)
        return self._workspace.act(
            ids,
            "trigger",
            lambda change, memory: change.update("memory", memory.id, columns),
            label="set the triggers of",
            actor=actor,
        )

    def find(self, ids: Ids, *, actor: Actor = "person") -> Sequence[Memory]:
        """Give memories the triggers that their own words have, as when they were stored."""
        return self._workspace.act(
            ids,
            "trigger",
            lambda change, memory: change.update(
                "memory", memory.id, columns(replace(memory, triggers_by=""))
            ),
            label="find the triggers of",
            actor=actor,
        )

    def propose(self, memory: Memory, lines: Sequence[str], action: str) -> Memory:
        """Give a memory, in addition to the triggers of its words, those that an agent names;
        they only remind, also once the user makes it a guard.

        A memory that guards its calls stays as it is, so does one whose triggers the user has set,
        and one of which too many are named.

        Args:
            action: of the larger action that this is a part of.

        Raises:
            UsageError: no line is a trigger that means some calls; of several these are taken.
        """
        found = _proposed(list(dict.fromkeys(lines)))
        if lines and not found:
            syntax.parse(lines[0])  # says why it is none
            raise UsageError(f"{lines[0]} means every such call. It got no triggers.")
        named = [line for line in found if line not in memory.triggers]
        # They only remind, so a memory that the user has made a guard of gets none.
        if memory.guard != "remind" or not named or len(found) > syntax.MOST:
            return memory
        known = _proposed(memory.details.get(PROPOSED))
        details = {**memory.details, PROPOSED: [*known, *named][: syntax.MOST]}
        changed = {"details": rows.dumps(details), **columns(replace(memory, details=details))}
        return self._workspace.act(
            memory.id,
            "trigger",
            lambda change, one: change.update("memory", one.id, changed),
            label="propose triggers of",
            actor="agent",
            action=action,
        )[0]

    def guard(self, ids: Ids, guard: Guard, *, actor: Actor = "person") -> Sequence[Memory]:
        """Set what becomes of a call that a memory's triggers match; those that an agent named
        remind all the same.

        Raises:
            UsageError: unknown guard; it is not the user who asks; or a memory has no trigger that
                could guard a call.
        """
        wanted = _allowed(guard, actor)

        def step(change: journal.Change, memory: Memory) -> None:
            if wanted != "remind" and memory.named == memory.triggers:
                but = " but those that an agent named, which only remind" if memory.named else ""
                raise UsageError(
                    f"“{memory.title}” can guard no call: it has no trigger{but}. Nothing was "
                    "changed. First say which calls break it, such as: cortex trigger set "
                    f'{memory.id[:8]} "!Bash(npm install)"'
                )
            change.update("memory", memory.id, {"guard": wanted})

        return self._workspace.act(
            ids, "trigger", step, label=f"{guard} at the triggers of", actor=actor
        )

    def switch(self, *, on: bool) -> bool:
        """Switch all triggers on or off, and with them all guards; whether they are on now.

        Raises:
            ConfigError: a settings file cannot be read or written.
        """
        settings = ProjectSettings(self._workspace)
        if settings.set(SWITCH, on, "global") != on:
            settings.set(SWITCH, on, "project")
        return on

    def dead_ends(self) -> Sequence[Memory]:
        """The ways that failed here and are recalled before they are tried again, newest first."""
        made = (one for one in self.list() if one.source.rule == f"rule:{DEAD_END}")
        return sorted(made, key=lambda one: -one.created)

    def tried(
        self, lines: Iterable[str], tool: str, tool_input: Mapping[str, Any]
    ) -> Sequence[str]:
        """Which of these triggers would match a tool call; lines that are none match nothing."""
        return list(map(str, matching.hits(lines, self._called(tool, tool_input))))

    def does(self, tool: str, tool_input: Mapping[str, Any]) -> Sequence[str]:
        """What a tool call does as triggers see it: what it runs, pushes to, stages, changes and
        reads, each as part of a sentence."""
        called = self._called(tool, tool_input)
        ways = [
            *(f"runs {' '.join(run.words)}" for run in called.runs),
            *(syntax.pushing(branch) for run in called.runs for branch in run.pushes),
            *(f"stages {path}" for run in called.runs for path in run.staged),
            *(f"changes {path}" for path in called.changed),
            *(f"reads {path}" for path in called.read),
        ]
        return ways or [f"calls {called.tool}"]

    def _called(self, tool: str, tool_input: Mapping[str, Any]) -> Call:
        here = self._workspace.project
        return calls.read(
            tool, tool_input, here.cwd, here.root or "", lambda folder: find(folder).branch
        )

    def explained(self, lines: Iterable[str]) -> Sequence[TriggerLine]:
        """What each of these lines means, or that it is no trigger."""
        return [_explained(line, number) for number, line in enumerate(lines)]

    def of_words(self, memory: Memory) -> tuple[str, ...]:
        """The triggers that a memory's own words have."""
        return with_own(replace(memory, triggers_by="")).triggers


def _allowed(guard: Guard, actor: Actor) -> Guard:
    """`guard`, if there is one of this name and `actor` may set it."""
    if guard not in GUARDS:
        raise UsageError(
            f"“{guard}” is not a guard. Nothing was changed. Use one of: {', '.join(GUARDS)}."
        )
    if actor != "person":
        raise UsageError("Only the user can guard a tool call. Nothing was changed.")
    return guard


def _explained(line: str, number: int) -> TriggerLine:
    trigger = syntax.parsed(line)
    if number >= syntax.MOST:
        return TriggerLine(line, problem=f"A memory has at most {syntax.MOST} triggers.")
    if trigger is None:
        return TriggerLine(line, problem=f"“{line[:60]}” is not a trigger.")
    every = " Every such call does." if syntax.is_of_every_call(trigger) else ""
    return TriggerLine(str(trigger), meaning=f"{syntax.meaning(trigger)}{every}")


def find_missing(store: Store) -> int:
    """Find the triggers of the memories at which nobody has looked yet; how many these were.

    What has to come first at an event, such as the tests before a commit, follows the commands that
    the project is known to use.
    """
    looked_at = 0
    # The first command that each statement of how a task is done names.
    known = {
        task: " ".join(match[1].split())
        for task, words in memory_lookup.known_commands(store).items()
        if (match := rule_words.SPAN.regex.search(words))
    }
    while names := memory_lookup.without_triggers(store, sorted(RULE_KINDS), BATCH):
        with store.change(
            "trigger", f"find the triggers of {len(names)} memories", "worker"
        ) as change:
            for memory in store.memories(names):
                change.update("memory", memory.id, columns(memory, known))
        looked_at += len(names)
    _follow(store, known)
    return looked_at


def _follow(store: Store, known: Mapping[str, str]) -> None:
    """Name the commands that are `known` now in the triggers that events gave; once after words are
    read otherwise, find those of all words again."""
    is_read = store.meta(_READ_BY) == finding.VERSION
    parts = (
        [f'"Bash({one}' for one in dict.fromkeys(rule_words.EVENTS.values())] if is_read else [""]
    )
    names = list(
        dict.fromkeys(
            name for one in parts for name in memory_lookup.triggered_by_words(store, one)
        )
    )
    found = {one.id: with_own(one, known) for one in store.memories(names)}
    changed = [one for one in store.memories(names) if found[one.id].triggers != one.triggers]
    if changed:
        label = f"find the triggers of {len(changed)} memories again"
        with store.change("trigger", label, "worker") as change:
            for memory in changed:
                change.update("memory", memory.id, columns(memory, known))
    if not is_read:
        store.set_meta(_READ_BY, finding.VERSION)


def with_own(memory: Memory, known: Mapping[str, str] = {}) -> Memory:
    """`memory` with the triggers of its own words, unless the user has set them.

    Args:
        known: the project's commands, by task.
    """
    if memory.triggers_by == "user":
        return memory
    if known_calls := str(memory.details.get(CALLS, "")):
        return replace(memory, triggers=(known_calls,), triggers_by="words")
    call = str(memory.details.get(corrected.CALL, ""))
    own = finding.find(memory.kind, memory.content, call, known)
    lines = dict.fromkeys((*own, *_proposed(memory.details.get(PROPOSED))))
    return replace(memory, triggers=tuple(lines)[: syntax.MOST], triggers_by="words")


def _proposed(value: Any) -> tuple[str, ...]:
    """The triggers that an agent named, as far as they are some: a file may have brought them."""
    lines = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    found = [one for one in map(syntax.parsed, lines[: syntax.MOST]) if one]
    return tuple(str(one) for one in found if not syntax.is_of_every_call(one))


def columns(memory: Memory, known: Mapping[str, str] = {}) -> rows.Row:
    """What `with_own` sets, as columns of its row."""
    found = with_own(memory, known)
    return {"triggers": rows.dumps(list(found.triggers)), "triggers_by": found.triggers_by}
