"""Which session a name means, and when and where that session began."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cortex_core.agents.transcripts import reader_of
from cortex_core.base import text
from cortex_core.base.errors import CortexError, NotFound, TranscriptError, UsageError
from cortex_core.capture import pipeline
from cortex_core.redaction import stored_names
from cortex_core.store import memory_lookup
from cortex_core.store.workspace import SHORTEST_PREFIX, Workspace
from cortex_core.surface import receipts
from cortex_core.surface.past_note import SessionBeginning

if TYPE_CHECKING:
    from cortex_core.archive.conversations import Conversations

MOST_NAMED = 10
"""Sessions that a message lists."""

SHOWN = 60
"""Characters of a name or a title that a message repeats."""

BY_MEMORY = (
    "Neither the archive nor a transcript has the session: its time, branch and folder are those "
    "of the first memory that it taught."
)
WITHOUT_PLACE = (
    "The session's branch and folder are not known: the note was composed as for the project's "
    "folder on its main branch."
)


class Beginnings:
    """What is known of how sessions began."""

    def __init__(
        self,
        workspace: Workspace,
        archive: Conversations,
        transcripts: Callable[[str], Iterable[str]],
    ) -> None:
        """Look in these.

        Args:
            transcripts: the keys of the sessions that are there whose ids begin so.
        """
        self._workspace = workspace
        self._archive = archive
        self._transcripts = transcripts

    def named(self, name: str) -> str:
        """The id of the session that `name` means: by its beginning, or by words of its title.

        Raises:
            NotFound: there is none.
            UsageError: several fit; the message lists them.
        """
        wanted = stored_names.clean(name.strip())
        found = self._by_id(wanted) if len(wanted) >= SHORTEST_PREFIX else set()
        if wanted in found:
            return wanted
        found = found or self._by_title(name)
        if len(found) == 1:
            return found.pop()
        if not found:
            raise NotFound(
                f"There is no session “{name[:SHOWN]}”. Nothing was changed. See: cortex sessions"
            )
        # The sessions for the message, one a line.
        lines = [f"{one}  {self._title(one)[:SHOWN]}".rstrip() for one in sorted(found)]
        if len(lines) > MOST_NAMED:
            lines[MOST_NAMED:] = [f"and {len(lines) - MOST_NAMED:,} more"]
        listed = "\n".join(lines)
        raise UsageError(
            f"“{name[:SHOWN]}” matches {len(found):,} sessions. Nothing was changed. Choose one by "
            f"its id:\n{listed}"
        )

    def of_session(self, session: str) -> SessionBeginning:
        """When and where `session` began: by the archive, by its transcript, else by what was
        learned in it."""
        title = self._title(session)
        for one in self._archive.called(session):
            if one.session == session and one.started is not None:
                return SessionBeginning(
                    session=session,
                    title=one.title or title,
                    time=one.started,
                    branch=one.branch,
                    folder=one.folder,
                )
        for path in self._transcripts(session):
            if (first := _first_of(path, session, title)) is not None:
                return first
        # The oldest memory says when the session had begun at the latest.
        learned = [
            memory_lookup.first_learned(store, session) for store in self._workspace.own_stores
        ]
        if not any(learned):
            return SessionBeginning(session=session, title=title, limits=(WITHOUT_PLACE,))
        time, branch, folder = min(filter(None, learned))
        return SessionBeginning(
            session=session,
            title=title,
            time=time,
            branch=branch,
            folder=folder,
            limits=(BY_MEMORY,),
        )

    def _by_id(self, wanted: str) -> set[str]:
        """The sessions whose ids begin so."""
        stored = [
            memory_lookup.sessions_beginning(store, wanted) for store in self._workspace.own_stores
        ]
        noted = {given.session for given, _ in receipts.noted(self._workspace.project)}
        kept = {each.session for each in self._archive.called(wanted)}
        files = {reader_of(path).session_of(path) for path in self._transcripts(wanted)}
        found = kept.union(noted, files, *stored)
        return {session for session in found if session.startswith(wanted)}

    def _by_title(self, name: str) -> set[str]:
        """The sessions whose titles have every word of `name`."""
        words = text.one_line(name).casefold().split()
        stored = {
            session
            for store in self._workspace.own_stores
            for session, title in pipeline.titles(store).items()
            if words and all(word in title.casefold() for word in words)
        }
        return stored | {each.session for each in self._archive.called(name)}

    def _title(self, session: str) -> str:
        """The first words of a session that was read; empty where they are not known."""
        titles = (pipeline.title(store, session) for store in self._workspace.own_stores)
        return next(filter(None, titles), "")


def unknown(session: str) -> CortexError:
    """The error where nothing says when a session began."""
    return NotFound(
        f"When session {session} began is not known: neither the archive nor a transcript has it, "
        "and it has neither a receipt nor a memory. Nothing was changed."
    )


def _first_of(path: str, session: str, title: str) -> SessionBeginning | None:
    """How a session began by its transcript; None where that does not say it."""
    try:
        with reader_of(path).read(path) as events:
            first = next((event for event in events if event.time is not None), None)
    except (TranscriptError, OSError):
        return None
    if first is None:
        return None
    return SessionBeginning(
        session=session,
        title=title,
        time=first.time,
        folder=stored_names.clean(first.cwd),
        branch=stored_names.clean(first.branch),
    )
