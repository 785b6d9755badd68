"""The verbs that follow one memory: where it came from, what became of it, what code it has."""

from __future__ import annotations

from collections.abc import Sequence

from cortex_core import decay, graph
from cortex_core.errors import NotFound
from cortex_core.kinds import CODE
from cortex_core.memory import Memory
from cortex_core.recall import standing
from cortex_core.reports.detail import LinkedCode, Revision, Turn
from cortex_core.storage import revisions
from cortex_core.verbs.capturing import Capturing


class Tracing(Capturing):
    """Following one memory through time; nothing here changes it."""

    def revisions(self, name: str, limit: int = 50) -> list[Revision]:
        """The newest changes of a memory with its values before and after, newest first."""
        ((store, full),) = self.find(name)
        return revisions.of_memory(store, full, limit)

    def confidence_at(self, name: str, moments: Sequence[float]) -> list[float | None]:
        """A memory's confidence (0 to 1) at each moment, Unix seconds, past or to come.

        The past is counted from what the journal knows, the future as if nothing reinforced it.
        None before the memory was made.
        """
        ((store, full),) = self.find(name)
        memory = store.memory(full)
        central = store.centrality([full]).get(full, 0.0)
        known = revisions.states(store, full)

        def at(moment: float) -> float | None:
            state = next((one for one in reversed(known) if one.since <= moment), None)
            if state is None:
                return None
            return decay.confidence(
                state.initial, state.reinforced, moment,
                self.config.kinds.pace(memory.kind), priority=memory.priority,
                access_count=memory.access_count, centrality=central, pinned=state.pinned,
            )  # fmt: skip

        return [at(moment) for moment in moments]

    def standing_most(self) -> dict[str, float]:
        """The most that each part of a standing can be: what `details` gives is seen beside it."""
        return dict(standing.MOST)

    def turn_of(self, name: str, place: int = 0, around: int = 1) -> Turn:
        """The turn of a session that a memory came from, without secrets.

        Args:
            place: which of its sources, counted from 0.
            around: how many turns before and after it.

        Raises:
            NotFound: it came from no transcript, or that is gone.
            TranscriptError: the transcript cannot be read.
        """
        from cortex_core.capture import provenance

        memory = self.get(name)
        sources = memory.sources or (memory.source,)
        if not 0 <= place < len(sources):
            raise NotFound(f"It has {len(sources)} sources; there is no number {place + 1}.")
        return provenance.turn_of(sources[place], self.transcript_folders(), self.config, around)

    def code_of(self, name: str) -> list[LinkedCode]:
        """The raw code that a memory describes, or is; most have none."""
        ((store, full),) = self.find(name)
        memory = store.memory(full)
        found = [memory] if memory.kind == CODE else []
        found += [
            near.memory
            for near in graph.links(store, full)
            if near.edge.type == "source_of" and near.memory.kind == CODE
        ]
        return [self._linked(one) for one in found]

    def _linked(self, code: Memory) -> LinkedCode:
        from cortex_core.code_index import refresh

        details = code.details
        path = details.get("path") or next(iter(code.context.files or code.globs), "")
        lines = details.get("lines")
        first = lines[0] if isinstance(lines, list | tuple) and lines else 1
        stale = _STALE[refresh.staleness(code, self.project.root)]
        return LinkedCode(
            memory=code, path=str(path), first=first if isinstance(first, int) else 1,
            stale="superseded by a newer reading" if code.status == "superseded" else stale,
        )  # fmt: skip


_STALE = {"": "", "changed": "the file has changed", "gone": "the file is gone"}
