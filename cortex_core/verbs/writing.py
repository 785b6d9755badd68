"""The verbs that change memories: remember, edit, pin, tag, give, forget, restore."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from cortex_core import decay, text
from cortex_core.errors import UsageError
from cortex_core.fields import COLUMN_OF
from cortex_core.memory import (
    INJECTION_POLICIES,
    Actor,
    Context,
    InjectionPolicy,
    Memory,
    Scope,
    Source,
)
from cortex_core.storage import rows
from cortex_core.storage.journal import Change
from cortex_core.verbs import wording
from cortex_core.verbs.base import Ids
from cortex_core.verbs.linking import Linking

FRESHENS = frozenset({"edit", "pin", "restore"})
"""What a person does that lets a memory begin afresh; putting one away or lower does not."""


class Writing(Linking):
    """Changing memories; every verb is one journal entry and can be undone."""

    def remember(
        self,
        content: str,
        *,
        title: str | None = None,
        kind: str = "fact",
        priority: int = 5,
        tags: Iterable[str] = (),
        files: Iterable[str] = (),
        scope: Scope | None = None,
        pinned: bool = False,
        confidence: float = 0.9,
        actor: Actor = "person",
    ) -> Memory:
        """Store `content`; secrets are redacted first, and the same thing again reinforces.

        Args:
            title: one line; made from the content when None.
            kind: a kind's name or alias.
            priority: 1 to 10.
            files: globs of the files it applies to.
            scope: where; None is the project, or the global store where there is no project.
            confidence: 0 to 1.

        Raises:
            UsageError: nothing is left to store, or a value is out of range.
        """
        from cortex_core.capture import admission, titles

        checked = self._checked(content, kind, priority, confidence)
        store = self.store(scope or self.default_scope())
        now = self.clock()
        memory = Memory(
            id=str(uuid.uuid4()), content=checked,
            title=self._line(title) if title else titles.title(checked),
            kind=self.config.kinds.get(kind).name, scope=store.scope, tags=self._tags(tags),
            initial_confidence=confidence, priority=priority, pinned=pinned,
            source=Source(rule=actor, time=now),
            context=Context(branch=self.project.branch, folder=self.project.cwd),
            globs=self._globs(files), created=now, updated=now, reinforced=now,
        )  # fmt: skip
        with store.change("remember", f"remember “{memory.title}”", actor) as change:
            stored = admission.store_or_reinforce(store, change, memory)
        return store.memory(stored)

    def edit(
        self,
        name: str,
        *,
        content: str | None = None,
        title: str | None = None,
        kind: str | None = None,
        priority: int | None = None,
        tags: Iterable[str] | None = None,
        files: Iterable[str] | None = None,
        confidence: float | None = None,
        actor: Actor = "person",
    ) -> Memory:
        """Change what is given of a memory; a person's edit resets its decay.

        Raises:
            UsageError: a value is out of range, or the content would be empty.
        """
        from cortex_core.capture import titles

        old = self.get(name)
        new = self._checked(
            old.content if content is None else content, kind or old.kind,
            old.priority if priority is None else priority,
            old.initial_confidence if confidence is None else confidence,
        )  # fmt: skip
        columns = wording.columns(old, new)
        if title is not None:
            columns["title"] = self._line(title) or titles.title(new)
        if kind is not None:
            columns["kind"] = self.config.kinds.get(kind).name
        if priority is not None:
            columns["priority"] = priority
        if tags is not None:
            columns["tags"] = rows.dumps(list(self._tags(tags)))
        if files is not None:
            columns["globs"] = rows.dumps(list(self._globs(files)))
        if confidence is not None:
            columns["initial_confidence"] = confidence
        return self._set([old.id], "edit", columns, "edit", actor)[0]

    def pin(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """Keep memories for ever, and always in what Claude is given."""
        return self._set(ids, "pin", {"pinned": True}, "pin", actor)

    def reinforce(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """Let memories begin afresh: their confidence is again what it was on day zero."""
        return self.act(
            ids, "reinforce",
            lambda change, memory: change.update("memory", memory.id, {"reinforced": change.time}),
            label="reinforce", actor=actor,
        )  # fmt: skip

    def unpin(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """Take the pin away."""
        return self._set(ids, "unpin", {"pinned": False}, "unpin", actor)

    def tag(
        self,
        ids: Ids,
        add: Iterable[str] = (),
        remove: Iterable[str] = (),
        *,
        actor: Actor = "person",
    ) -> list[Memory]:
        """Add and remove tags."""
        more, less = self._tags(add), set(cleaned_tags(remove))

        def step(change: Change, memory: Memory) -> None:
            kept = [tag for tag in dict.fromkeys((*memory.tags, *more)) if tag not in less]
            change.update("memory", memory.id, {"tags": rows.dumps(kept)})

        return self.act(ids, "tag", step, label="tag", actor=actor)

    def give(self, ids: Ids, inject: InjectionPolicy, *, actor: Actor = "person") -> list[Memory]:
        """Say whether memories may be given unasked: normal, demoted (only when they match), never.

        Raises:
            UsageError: `inject` is none of these.
        """
        if inject not in INJECTION_POLICIES:
            allowed = ", ".join(INJECTION_POLICIES)
            raise UsageError(f"“{inject}” is none of {allowed}. Nothing was changed.")
        return self._set(ids, "give", {COLUMN_OF["inject"]: inject}, f"give {inject}:", actor)

    def forget(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """Archive memories: never given or found unless asked for; restore brings them back."""
        return self._set(ids, "forget", {"status": "archived"}, "forget", actor)

    def restore(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """Make memories active again, with a fresh start for their decay; trash included."""
        self._untrash(ids, actor)
        return self._set(ids, "restore", {"status": "active"}, "restore", actor)

    def opened(self, name: str) -> Memory:
        """A memory that a person looks at, with its sources: that keeps it from fading.

        One that decay has archived comes back to life; one that was forgotten by hand stays so.
        """
        from cortex_core.capture import admission

        ((store, full),) = self.find(name)
        memory, now = store.memory(full), self.clock()
        faded = memory.status == "archived" and not admission.put_away_by_hand(store, full)
        fresh = now - memory.reinforced < decay.DAY and not faded
        if store.writable and not fresh and memory.status in ("active", "archived"):
            columns: rows.Row = {"reinforced": now}
            if faded:
                columns["status"] = "active"
            with store.change("open", f"open “{memory.title}”", "person") as change:
                change.update("memory", full, columns)
        return store.memory(full)

    def _set(
        self, ids: Ids, verb: str, columns: rows.Row, label: str, actor: Actor
    ) -> list[Memory]:
        now = self.clock()

        def step(change: Change, memory: Memory) -> None:
            if change.update("memory", memory.id, columns):
                fresh = {"reinforced": now} if actor == "person" and verb in FRESHENS else {}
                change.update("memory", memory.id, {"updated": now, **fresh})

        return self.act(ids, verb, step, label=label, actor=actor)

    def _untrash(self, ids: Ids, actor: Actor) -> None:
        from cortex_core.curation import trash

        for name in [ids] if isinstance(ids, str) else ids:
            for store in self.stores:
                trash.bring_back(store, name, actor)

    def _line(self, given: str) -> str:
        """`given` redacted, as a single line."""
        from cortex_core.capture import admission

        return text.one_line(admission.redacted(given, self.config))

    def _tags(self, given: Iterable[str]) -> tuple[str, ...]:
        from cortex_core.capture import admission

        return cleaned_tags(admission.redacted_all(tuple(given), self.config))

    def _globs(self, given: Iterable[str]) -> tuple[str, ...]:
        from cortex_core.capture import admission

        return tuple(admission.redacted_all(list(given), self.config))

    def _checked(self, content: str, kind: str, priority: int, confidence: float) -> str:
        self.config.kinds.get(kind)
        if not 1 <= priority <= 10:
            raise UsageError(f"A priority is 1 to 10, not {priority}. Nothing was changed.")
        if not 0 <= confidence <= 1:
            raise UsageError(f"A confidence is 0 to 1, not {confidence}. Nothing was changed.")
        return wording.checked(content, self.config)


def cleaned_tags(given: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are stored: lower case, one word each, every one once."""
    cleaned = (text.one_line(tag).lstrip("+-#").replace(" ", "-").lower() for tag in given)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))
