"""The verbs that change memories: remember, replace, edit, pin, reinforce, tag, give, forget,
restore."""

import secrets
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from cortex_core import permissions
from cortex_core.admission import apply, checks, succession
from cortex_core.base import authorship, text
from cortex_core.base.authorship import is_users_word
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.base.kinds import RULE_KINDS
from cortex_core.extract import wording
from cortex_core.records import procedure_plan
from cortex_core.records.memory import (
    INJECTION_POLICIES,
    Actor,
    Context,
    InjectionPolicy,
    Memory,
    Scope,
    Source,
)
from cortex_core.store import rows, trash
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.store.surface_reader import MISFITS
from cortex_core.store.workspace import Ids, Workspace
from cortex_core.triggers import assigning

WORDS = ("content", "title")
"""The columns in which a memory states something."""

MOST_MISFITS = 8
"""Prompts of a memory that are known not to fit it; the oldest go."""

REINFORCING = frozenset({"edit", "pin", "restore"})
"""Verbs that also reset the decay of a memory when the user applies them."""


def columns(memory: Memory, new: str) -> rows.Row:
    """The columns that change when the checked text `new` replaces the content of `memory`.

    A title made from the content changes with it, and so do the steps of a procedure.
    """
    if new == memory.content:
        return {}
    changed = rows.Row(
        content=new,
        content_hash=text.content_hash(new),
        details=rows.dumps(procedure_plan.reworded(memory.details, new)),
    )
    if memory.title == wording.title(memory.content):
        changed["title"] = wording.title(new)
    return changed


def _authored(
    old: Memory, changed: rows.Row, given: Iterable[str | None], actor: Actor
) -> rows.Row:
    """The columns that say whose words a memory is, when `changed` is changed of it.

    Args:
        given: the texts of the change.

    Raises:
        UsageError: an agent gives an order.
    """
    is_reworded = any(getattr(old, name) != changed.get(name, getattr(old, name)) for name in WORDS)
    if actor == "agent":
        checks.refuse_orders(filter(None, given))
    if not is_reworded or actor not in ("agent", "person"):
        return {}
    if actor == "person" and is_users_word(old.source.rule):
        return dict(authorship.CONFIRMED)
    if actor == "person":
        return {**authorship.CONFIRMED, "rule": actor}
    reworded = (changed.get("title", old.title), changed.get("content", old.content))
    return {"claimed": True, "withheld": checks.is_withheld(reworded, actor), "rule": actor}


class Writer:
    """Changes memories; every verb is one journal entry and can be undone."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def remember(
        self,
        content: str,
        *,
        title: str | None = None,
        kind: str | None = None,
        priority: int | None = None,
        tags: Iterable[str] = (),
        files: Iterable[str] = (),
        scope: Scope | None = None,
        pinned: bool = False,
        confidence: float = 0.9,
        source: Source | None = None,
        settled: Mapping[str, bool] = {},
        actor: Actor = "person",
        action: str = "",
    ) -> Memory:
        """See `Cortex.remember`."""
        store = self._workspace.store(scope)
        memory = self.made(
            store,
            content,
            title=title,
            kind=kind,
            priority=priority,
            tags=tags,
            files=files,
            pinned=pinned,
            confidence=confidence,
            actor=actor,
        )
        # Whoever writes it down is the author, wherever the words are from.
        if source is not None:
            memory = replace(memory, source=replace(source, rule=actor))
        apply.warm_up(store, memory)
        with store.change("remember", f"remember “{memory.title}”", actor, action) as change:
            stored = apply.store_or_reinforce(store, change, memory, settled)
            if stored != memory.id and actor == "person":
                tags = dict.fromkeys((*store.memory(stored).tags, *memory.tags))
                typed = rows.Row(tags=rows.dumps(list(tags)))
                # Only what was typed: what a new memory would have by default is no wish.
                typed |= {"kind": memory.kind} if kind else {}
                typed |= {"priority": memory.priority} if priority is not None else {}
                change.update("memory", stored, typed)
        return store.memory(stored)

    def made(
        self,
        store: Store,
        content: str,
        *,
        title: str | None = None,
        kind: str | None = None,
        priority: int | None = None,
        tags: Iterable[str] = (),
        files: Iterable[str] = (),
        pinned: bool = False,
        confidence: float = 0.9,
        actor: Actor = "person",
    ) -> Memory:
        """A new memory for `store`, its values checked and without secrets; it is not stored yet.

        Raises:
            UsageError: nothing is left to store, or a value is out of range.
        """
        from cortex_core.language import dates, negation, signals
        from cortex_core.language.detect import language
        from cortex_core.triggers import finding

        here, config, now = self._workspace.project, self._workspace.config, self._workspace.clock()
        # As after “Remember:” in a session: a rule or a wish by its words, else a fact. What
        # forbids in its first words is a rule too: of 95 rules as developers type them 85 are
        # taken for one, where 69 were, of 30 that nobody had read 24, where 22 were; so are 3 of
        # 119 statements that forbid nothing.
        by_words = kind or finding.kind_of(content, signals.kind_of(content, language(content)))
        forbids = not {"no", *negation.NEGATIONS}.isdisjoint(content.casefold().split()[:3])
        kind = by_words if kind or by_words in RULE_KINDS else ("policy" if forbids else "fact")
        # A kind says how much its memories usually matter.
        priority = config.kinds.get(kind).priority if priority is None else priority
        checked = checks.checked_values(content, kind, priority, confidence, config)
        return Memory(
            id=str(uuid.uuid4()),
            content=checked,
            title=checks.line(title, config) if title else wording.title(checked),
            kind=config.kinds.get(kind).name,
            scope=store.scope,
            tags=checks.checked_tags(tags, config),
            initial_confidence=confidence,
            priority=priority,
            pinned=pinned,
            source=Source(rule=actor, time=now),
            context=Context(branch=here.branch, folder=here.cwd),
            globs=checks.globs(files, config),
            until=dates.term(checked, language(checked), now),
            created=now,
            updated=now,
            reinforced=now,
        )

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
        until: str | None = None,
        actor: Actor = "person",
    ) -> Memory:
        """See `Cortex.edit`."""
        old, config = self._workspace.get(name), self._workspace.config
        # All is checked before anything is changed.
        new = checks.checked_values(
            old.content if content is None else content,
            kind or old.kind,
            old.priority if priority is None else priority,
            old.initial_confidence if confidence is None else confidence,
            config,
        )
        changed = columns(old, new)
        if title is not None:
            changed["title"] = checks.line(title, config) or wording.title(new)
        if kind is not None:
            changed["kind"] = config.kinds.get(kind).name
        if priority is not None:
            changed["priority"] = priority
        if tags is not None:
            changed["tags"] = rows.dumps(list(checks.checked_tags(tags, config)))
        if files is not None:
            changed["globs"] = rows.dumps(list(checks.globs(files, config)))
        if confidence is not None:
            changed["initial_confidence"] = confidence
        if until is not None:
            changed["until"] = checks.until(until)
        # The triggers stay where the words do.
        if words := {name: changed[name] for name in ("content", "kind") if name in changed}:
            is_edited = "content" in words
            said = procedure_plan.reworded(old.details, new) if is_edited else old.details
            changed |= assigning.columns(replace(old, **words, details=said))
        changed |= {"outdated": ""} if "content" in changed and old.outdated else {}
        changed |= _authored(old, changed, (content, title, *(tags or ()), *(files or ())), actor)
        return self._set([old.id], "edit", changed, "edit", actor)[0]

    def pin(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """See `Cortex.pin`."""
        permissions.check("pin", self._existing(ids))

        def step(change: Change, memory: Memory) -> bool:
            is_weak = memory.claimed or not is_users_word(memory.source.rule)
            weight = {"claimed": is_weak} if actor != "person" else authorship.CONFIRMED
            return change.update("memory", memory.id, {"pinned": True, **weight})

        return self._changed(ids, "pin", step, "pin", actor)

    def unpin(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """See `Cortex.unpin`."""
        return self._set(ids, "unpin", {"pinned": False}, "unpin", actor)

    def tag(
        self,
        ids: Ids,
        add: Iterable[str] = (),
        remove: Iterable[str] = (),
        *,
        actor: Actor = "person",
    ) -> list[Memory]:
        """See `Cortex.tag`."""
        config = self._workspace.config
        more, less = checks.checked_tags(add, config), set(checks.cleaned_tags(remove))

        def step(change: Change, memory: Memory) -> None:
            kept = [tag for tag in dict.fromkeys((*memory.tags, *more)) if tag not in less]
            change.update("memory", memory.id, {"tags": rows.dumps(kept)})

        return self._workspace.act(ids, "tag", step, label="tag", actor=actor)

    def give(
        self, ids: Ids, inject: InjectionPolicy, *, prompt: str = "", actor: Actor = "person"
    ) -> list[Memory]:
        """See `Cortex.give`."""
        if inject not in INJECTION_POLICIES:
            allowed = ", ".join(INJECTION_POLICIES)
            raise UsageError(
                f"“{inject}” is not an injection policy. Nothing was changed. Use one "
                f"of: {allowed}."
            )
        if prompt and inject == "never":
            return self._never_with(ids, prompt, actor)
        return self._set(ids, "give", {"inject": inject}, f"give {inject}:", actor)

    def _never_with(self, ids: Ids, prompt: str, actor: Actor) -> list[Memory]:
        """Say that memories do not fit prompts like `prompt`."""
        from cortex_core.redaction.secrets import redact
        from cortex_core.surface.prompt_recall import matching

        words = matching.subjects(redact(prompt).text)
        if not words:
            raise UsageError("The prompt has no word that says anything. Nothing was changed.")

        def step(change: Change, memory: Memory) -> bool:
            known = memory.details.get(MISFITS, [])
            details = {**memory.details, MISFITS: [*known, words][-MOST_MISFITS:]}
            return change.update("memory", memory.id, {"details": rows.dumps(details)})

        return self._changed(ids, "give", step, "not with such prompts:", actor)

    def forget(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """See `Cortex.forget`."""
        return self._set(ids, "forget", {"status": "archived"}, "forget", actor)

    def restore(self, ids: Ids, *, actor: Actor = "person") -> list[Memory]:
        """See `Cortex.restore`."""
        from cortex_core.maintenance import lifecycle

        existing = list(self._existing(ids))
        permissions.check("restore", existing)
        discarded = self._discarded(ids)
        action = secrets.token_hex(8)
        scopes = {memory.scope for memory in existing}
        owners = [
            store
            for store in self._workspace.own_stores
            if store in discarded or store.scope in scopes
        ]
        with self._workspace.together(owners, action):
            for store, found in discarded.items():
                for name, kept in found.items():
                    lifecycle.bring_back(store, name, kept, actor, action)
            return self._changed(ids, "restore", self._bring_back, "restore", actor, action)

    def _bring_back(self, change: Change, memory: Memory) -> bool:
        """Let a memory hold again; what took its place gives way to it."""
        for edge in change.edges_of(memory.id):
            if edge["target"] == memory.id and edge["type"] == "supersedes":
                newer = self._workspace.get(edge["source"])
                if newer.status == "active":
                    succession.retire(change, memory, newer)
        return change.update("memory", memory.id, {"status": "active"})

    def _set(
        self, ids: Ids, verb: str, columns: rows.Row, label: str, actor: Actor, action: str = ""
    ) -> list[Memory]:
        return self._changed(
            ids,
            verb,
            lambda change, memory: change.update("memory", memory.id, columns),
            label,
            actor,
            action,
        )

    def _changed(
        self,
        ids: Ids,
        verb: str,
        step: Callable[[Change, Memory], bool],
        label: str,
        actor: Actor,
        action: str = "",
    ) -> list[Memory]:
        """The memories after `step`, which says of each whether it changed it."""
        now = self._workspace.clock()

        def dated(change: Change, memory: Memory) -> None:
            if step(change, memory):
                fresh = {"reinforced": now} if actor == "person" and verb in REINFORCING else {}
                change.update("memory", memory.id, {"updated": now, **fresh})

        return self._workspace.act(ids, verb, dated, label=label, actor=actor, action=action)

    def _existing(self, ids: Ids) -> Iterator[Memory]:
        """The memories of `ids` that are in a store; the others may be in the trash."""
        for name in [ids] if isinstance(ids, str) else ids:
            with suppress(NotFound):
                yield self._workspace.get(name)

    def _discarded(self, ids: Ids) -> dict[Store, dict[str, dict[str, list[rows.Row]]]]:
        """What is meant of the trash, by store: only what one id alone can mean."""
        found: dict[Store, dict[str, dict[str, list[rows.Row]]]] = {}
        for name in [ids] if isinstance(ids, str) else ids:
            for store in self._workspace.own_stores:
                matching = trash.beginning_with(store, name)
                if len(matching) == 1:
                    found.setdefault(store, {}).update(matching)
        return found
