"""The edges between memories: draw, change, remove and follow them; replace a memory by another."""

from collections.abc import Sequence

from cortex_core import permissions
from cortex_core.admission import checks, lookup, succession
from cortex_core.base import text
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.curation.writing import Writer
from cortex_core.records.memory import (
    EDGE_TYPES,
    Actor,
    Edge,
    EdgeType,
    Key,
    Memory,
    Neighbour,
    Scope,
)
from cortex_core.redaction import cleaning
from cortex_core.search import map_layout
from cortex_core.store import edges, rows
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace

UNDIRECTED: EdgeType = "relates_to"
"""The only type that has no direction."""


class Graph:
    """The edges of both stores, each change of one an undoable step."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def links(self, name: str) -> list[Neighbour]:
        """Every edge of a memory, strongest first, with the memory at its other end."""
        ((store, full),) = self._workspace.find(name)
        return edges.links(store, full)

    def neighbours(self, name: str, depth: int = 1) -> list[Neighbour]:
        """The memories reached over edges in at most `depth` steps."""
        ((store, full),) = self._workspace.find(name)
        return edges.neighbours(store, full, depth)

    def near(self, content: str, scope: Scope | None = None) -> list[Memory]:
        """The memories in force that `content`, once it is stored, may take the place of, at most
        three, the nearest first; none where one says the same that is not only suggested. Nothing
        is stored.

        Args:
            scope: the store; None is the project's, or the global one outside a project.

        Raises:
            UsageError: nothing is left to store, or it is too long.
        """
        store = self._workspace.store(scope)
        return lookup.near(store, Writer(self._workspace).made(store, content))

    def map(
        self, keys: Sequence[Key]
    ) -> tuple[list[map_layout.Outline], list[tuple[float, float]], list[Edge]]:
        """What is drawn of the memories of `keys` on a map; where each is, 0 to 1 each way: what is
        about the same is close; and all edges of their stores."""
        stores = {store.scope: store for store in self._workspace.stores}
        found = map_layout.outlines(stores.values(), keys)
        listed = [(stores[scope], number, title) for (scope, number), _, title, *_ in found]
        return (
            found,
            map_layout.places(listed),
            [edge for store in stores.values() for edge in edges.every(store)],
        )

    def link(
        self,
        source: str,
        target: str,
        type: EdgeType = "relates_to",
        *,
        strength: float = 1.0,
        context: str = "",
        actor: Actor = "person",
    ) -> Edge:
        """Draw an edge from one memory to another of the same store.

        Where the user says that it supersedes the other, that one is superseded then. Only a user
        can say so: an agent's `supersedes` is stored as `contradicts`.

        Raises:
            UsageError: they are in different stores, are the same, the type is unknown, or the
                status of one does not allow that it replaces or is replaced.
        """
        (store, first), (other, second) = self._pair(source, target)
        if type not in EDGE_TYPES:
            raise UsageError(
                f"“{type}” is not a type of link. Nothing was changed. Types: "
                f"{', '.join(EDGE_TYPES)}."
            )
        # What supersedes is put away, which only the user decides.
        if type == "supersedes" and actor != "person":
            type = "contradicts"
        if not 0 <= strength <= 1:
            raise UsageError("The strength of a link is 0 to 1. Nothing was changed.")
        if store is not other:
            raise UsageError(
                "These memories are in different stores. Nothing was changed. Move one of them "
                "first (cortex move)."
            )
        words = text.one_line(cleaning.redacted(context, self._workspace.config))
        if actor == "agent":
            checks.refuse_orders((words,))
        row = rows.Row(
            source=first,
            target=second,
            type=type,
            strength=strength,
            directed=type != UNDIRECTED,
            context=words,
            created=self._workspace.clock(),
        )
        replaced = _replaced(store, first, second) if type == "supersedes" else None
        label = f"link “{store.memory(first).title}”"
        with store.change("link", label, actor) as change:
            for number in _edge_numbers(store, first, second, type):
                change.delete("edge", number)
            change.insert("edge", row)
            if replaced:
                succession.retire(change, *replaced)
        return Edge(**row)

    def unlink(
        self,
        source: str,
        target: str,
        type: EdgeType | None = None,
        *,
        directed: bool = False,
        actor: Actor = "person",
    ) -> int:
        """Remove the edges between two memories, of one type or all; returns how many.

        Args:
            directed: only those that lead from `source` to `target`.

        Raises:
            NotFound: there is no such edge.
        """
        (store, first), (_, second) = self._pair(source, target)
        numbers = _edge_numbers(store, first, second, type)
        # To a user a link has no direction unless it is said.
        numbers += [] if directed else _edge_numbers(store, second, first, type)
        if not numbers:
            raise NotFound(
                "This link does not exist. Nothing was changed. See: cortex show --links 1"
            )
        label = f"unlink “{store.memory(first).title}”"
        with store.change("unlink", label, actor) as change:
            for number in numbers:
                change.delete("edge", number)
        return len(numbers)

    def _pair(self, source: str, target: str) -> list[tuple[Store, str]]:
        pair = self._workspace.find([source, target])
        if len(pair) != 2:
            raise UsageError("A memory cannot be linked to itself. Nothing was changed.")
        return pair


def _replaced(store: Store, newer: str, older: str) -> tuple[Memory, Memory] | None:
    """The memory that replaces and the one that it replaces; None where that is done already.

    Raises:
        UsageError: the status of one does not allow it.
    """
    pair = store.memory(newer), store.memory(older)
    if pair[1].status == "superseded":
        return None
    permissions.check("supersede", pair[:1])
    permissions.check("replace", pair[1:])
    return pair


def _edge_numbers(store: Store, source: str, target: str, type: EdgeType | None) -> list[int]:
    return [
        number
        for number, edge_type in edges.between(store, source, target)
        if type in (None, edge_type)
    ]
