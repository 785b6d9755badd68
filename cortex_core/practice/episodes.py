"""Episodes: the entries of the daily log, each with what came of it.

Two entries that say the same stay two entries: the search for duplicates leaves episodes out.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import EPISODE
from cortex_core.curation import wording
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace
from cortex_core.types import SCOPES, Actor, Context, Memory, Scope, Source, Where

if TYPE_CHECKING:
    from cortex_core.curation.memories import Memories

CONFIDENCE = 0.9


def episode(
    workspace: Workspace, scope: Scope, content: str, *, title: str = "", outcome: str = "",
    tags: tuple[str, ...] = (), actor: Actor,
) -> Memory:  # fmt: skip
    """A new entry of the log, redacted and checked, not stored yet.

    Args:
        outcome: what came of it, in a line; empty where that is not known.

    Raises:
        UsageError: nothing is left of `content`, or it is too long.
    """
    from cortex_core.extract import wording as extract_wording

    config, now = workspace.config, workspace.clock()
    content = wording.checked(content, config)
    result = wording.line(outcome, config)
    return Memory(
        id=str(uuid.uuid4()), content=content,
        title=wording.line(title, config) or extract_wording.title(content),
        kind=EPISODE, scope=scope, tags=tags, initial_confidence=CONFIDENCE,
        source=Source(rule=actor, time=now), context=here(workspace), created=now, updated=now,
        reinforced=now, details={"outcome": result} if result else {},
    )  # fmt: skip


def here(workspace: Workspace) -> Context:
    """The branch and the folder in which something is recorded."""
    return Context(branch=workspace.project.branch, folder=workspace.project.cwd)


def append(change: Change, entry: Memory, about: Iterable[str] = ()) -> None:
    """Store an entry, linked with the memories whose ids are in `about`."""
    from cortex_core.capture import admission

    admission.insert(change, entry)
    for name in dict.fromkeys(about):
        change.insert(
            "edge",
            {"source": entry.id, "target": name, "type": "relates_to", "directed": False,
             "context": EPISODE, "created": change.time},
        )  # fmt: skip


def outcome(details: Mapping[str, Any]) -> str:
    """What came of an episode; empty where that is not known."""
    value = details.get("outcome")
    return value if isinstance(value, str) else ""


class Episodes:
    """The daily log of both stores."""

    def __init__(self, workspace: Workspace, memories: Memories) -> None:
        self._workspace = workspace
        self._memories = memories

    def add(
        self,
        content: str,
        *,
        title: str | None = None,
        outcome: str = "",
        tags: Iterable[str] = (),
        memories: Sequence[str] = (),
        scope: Scope | None = None,
        actor: Actor = "person",
    ) -> Memory:
        """Add an entry to the daily log; the same words again are another entry.

        Args:
            title: one line; made from the content when None.
            outcome: what came of it, in a line, such as `shipped` or `reverted: too slow`.
            memories: ids of memories that it is about; they decide the store.

        Raises:
            NotFound: one of `memories` names none.
            UsageError: nothing is left to store, or the memories are in different stores.
        """
        about = self._workspace.find(memories)
        store = self._common_store(about, scope)
        entry = episode(
            self._workspace, store.scope, content, title=title or "", outcome=outcome,
            tags=wording.checked_tags(tags, self._workspace.config), actor=actor,
        )  # fmt: skip
        with store.change("episode", f"log “{entry.title}”", actor) as change:
            append(change, entry, [name for _, name in about])
        return store.memory(entry.id)

    def list(
        self,
        *,
        since: str | float | None = None,
        until: str | float | None = None,
        tags: Iterable[str] = (),
        scope: Where = "all",
        limit: int | None = None,
    ) -> list[Memory]:
        """The entries of the log, newest first, including archived ones."""
        return self._memories.list(
            kinds=(EPISODE,), since=since, until=until, tags=wording.cleaned_tags(tags),
            scope=scope, statuses=("active", "archived"), sort="created", limit=limit,
        )  # fmt: skip

    def _common_store(self, about: Sequence[tuple[Store, str]], scope: Scope | None) -> Store:
        if scope is not None and scope not in SCOPES:
            raise UsageError(
                f"“{scope}” is not a scope; use project or global. Nothing was changed."
            )
        wanted = {store.scope for store, _ in about} | ({scope} if scope else set())
        if len(wanted) > 1:
            raise UsageError(
                "These memories are in different stores, or not in the chosen one. Nothing was "
                "changed. Move them first (cortex move), or log the episode twice."
            )
        return self._workspace.store(wanted.pop() if wanted else None)
