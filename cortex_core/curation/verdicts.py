"""What waits for the user's verdict: suggestions, and quarantined memories."""

import uuid
from collections.abc import Mapping
from dataclasses import replace

from cortex_core import permissions
from cortex_core.admission import amending, apply, checks, explaining
from cortex_core.base.authorship import ASKED, CONFIRMED, is_typed
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.curation import writing
from cortex_core.records.captures import AdmissionAnswer
from cortex_core.records.events import Amendment, Verb
from cortex_core.records.memory import Actor, Memory, MemoryList, Source
from cortex_core.store import memory_lookup
from cortex_core.store.journal import Change
from cortex_core.store.workspace import Ids, Workspace

_JOURNALLED: Mapping[Verb, str] = {
    "keep": "keep",
    "drop": "discard",
    "reword": "edit",
    "outdated": "forget",
    "wrong": "forget",
}
"""Under which verb of the user the journal has a verdict of an agent."""


class Suggestions:
    """The memories that wait for the user to keep or discard them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self) -> MemoryList:
        """The suggestions, newest first."""
        return _waiting(self._workspace, "suggested")

    def keep(self, ids: Ids, *, content: str | None = None, actor: Actor = "person") -> MemoryList:
        """Keep suggestions: they count for their rule and may be injected from now on.

        Args:
            content: a new text for the one memory that is kept; None leaves it as it is.

        Raises:
            UsageError: not suggested, several for one `content`, or it is empty or too long.
        """
        return _decide(
            self._workspace, ids, "keep", "suggested", kept=True, actor=actor, content=content
        )

    def discard(self, ids: Ids, *, actor: Actor = "person") -> MemoryList:
        """Archive suggestions or quarantined memories: they count against their rule."""
        return _decide(self._workspace, ids, "discard", "", kept=False, actor=actor)

    def judge(
        self, memory: Memory, amendment: Amendment, *, by: Source, actor: Actor, action: str = ""
    ) -> str:
        """Apply what an agent says of a suggestion, stored or only heard, or of a memory in force.

        Args:
            memory: what it is about; one that `sessions.heard` found is stored with its verdict.
            by: whose words the new ones are, and where they were said.
            action: of a larger action that this is a part of.

        Returns:
            Empty where it was done, `amending.PROPOSED` where the user decides, else why not.

        Raises:
            UsageError: it belongs to the team.
        """
        checked = amending.checked(replace(amendment, memory=memory.id), self._workspace.config)
        if isinstance(checked, str):
            return checked
        permissions.check("edit", [memory])
        store = self._workspace.store(memory.scope)
        verb, words = _JOURNALLED[checked.verb], f"{checked.verb} “{memory.title}”"
        is_only_heard = not store.memories([memory.id])
        if is_only_heard:
            # As capture would have stored it, so that undoing the verdict leaves the suggestion.
            with store.change("capture", f"hear “{memory.title}”", "worker") as change:
                apply.insert(change, memory)
        with store.change(verb, words, actor, action) as change:
            if is_only_heard and checked.verb == "reword":
                # Capture hears the old words again: they stay, put away, to be known by.
                change.update("memory", memory.id, {"status": "archived"})
                checked = replace(
                    checked, memory=apply.insert(change, replace(memory, id=str(uuid.uuid4())))
                )
            return amending.amend(store, change, checked, by)

    def why(
        self,
        what: str,
        *,
        prompt: str | None = None,
        file: str | None = None,
        started: bool = False,
    ) -> AdmissionAnswer:
        """Why a memory is as it is, and injected or not; or what would become of a text now.

        Nothing is written.

        Args:
            what: an id or its beginning; anything else is a text.
            prompt: whether the memory is injected with this prompt, not at the next start.
            file: whether it is injected when this file is opened instead.
            started: with `prompt` or `file`: for a session that has what its start injected.
        """
        # A start of the app or of another command does not pay for the import of the note.
        from cortex_core.surface import explain

        space = self._workspace
        try:
            memory = space.get(what)
        except NotFound:
            return explaining.of_text(space, what)
        space.follow_branch()
        occasion = explain.InjectionOccasion(prompt, file, started)
        now = space.clock()
        (outlook,) = explain.outlooks(space.project, space.config, now, [memory], occasion)
        answer = explaining.of_memory(memory)
        injected = f"Injected {occasion.words}: {outlook.words}"
        return replace(answer, reasons=(*answer.reasons, injected))


class Quarantine:
    """The memories that wait because of their origin or because they give orders.

    `Suggestions.discard` discards them too.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self) -> MemoryList:
        """The quarantined memories, newest first."""
        return _waiting(self._workspace, "quarantined")

    def release(
        self, ids: Ids, *, content: str | None = None, actor: Actor = "person"
    ) -> MemoryList:
        """Release quarantined memories; `content` is a new text for exactly one."""
        return _decide(
            self._workspace, ids, "release", "quarantined", kept=True, actor=actor, content=content
        )


def _waiting(workspace: Workspace, status: str) -> list[Memory]:
    return [
        memory
        for store in workspace.own_stores
        for memory in memory_lookup.newest_of_status(store, status)
    ]


def _decide(
    workspace: Workspace,
    ids: Ids,
    verb: str,
    status: str,
    *,
    kept: bool,
    actor: Actor,
    content: str | None = None,
) -> list[Memory]:
    memories = [store.memory(name) for store, name in workspace.find(ids)]
    for memory in memories:
        if memory.status not in ((status,) if status else ("suggested", "quarantined")):
            raise UsageError(
                f"“{memory.title}” is {memory.status}, so there is nothing to {verb}. "
                "Nothing was changed."
            )
    if content is not None and len(memories) != 1:
        raise UsageError(
            f"A new text needs exactly one memory, not {len(memories)}. Nothing was changed."
        )
    # Checked before the change: no transaction waits for it.
    words = (
        {}
        if content is None
        else writing.columns(memories[0], checks.checked(content, workspace.config))
    )

    def step(change: Change, memory: Memory) -> None:
        columns = {"status": "active" if kept else "archived", "updated": change.time, **words}
        if kept:
            columns["reinforced"] = change.time
        if kept and actor == "person":
            # What the user said and keeps by hand is as good as asked for: no grammar decides.
            columns |= CONFIRMED | ({"rule": ASKED} if is_typed(memory.source.rule) else {})
        change.update("memory", memory.id, columns)
        change.insert(
            "verdict",
            {"memory": memory.id, "rule": memory.source.rule, "kept": kept, "time": change.time},
        )

    return workspace.act(ids, verb, step, label=verb, actor=actor)
