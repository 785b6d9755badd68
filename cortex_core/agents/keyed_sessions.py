"""The sessions of an agent that are filed under keys: which there are, and of which project."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from cortex_core.agents.protocol import SessionRef, Transcripts
from cortex_core.agents.transcript_lines import open_transcript
from cortex_core.agents.transcripts import has_line, ran_in
from cortex_core.base.project import Project


class KeyedSessions:
    """`protocol.AgentSessions` of such an agent, whose sessions have a file each."""

    def __init__(
        self,
        reader: Transcripts,
        files: Callable[[], Iterable[Path]],
        pattern: str,
        ref: Callable[[Path], SessionRef],
        find: Callable[[str], Iterable[Path]],
    ) -> None:
        """The sessions of one agent.

        Args:
            files: the agent's own files; of several of one session, the one that has it all last.
            pattern: matches the names of such files where they were copied to.
            ref: describes the session of a file that the reader recognises, or could not.
            find: the files of a key.
        """
        self._reader = reader
        self._files = files
        self._pattern = pattern
        self._ref = ref
        self._find = find

    def all(self) -> Sequence[SessionRef]:
        """The sessions of all projects, the oldest first; those of sub-agents are left out."""
        return self._known(self._files(), sidechains=False)

    def of_project(self, project: Project, read: Iterable[str] = (), /) -> Sequence[SessionRef]:
        """The sessions that ran in a project, the oldest first.

        Args:
            read: the keys of sessions that were read as this project's before: they stay so.
        """
        belongs, known = ran_in(project), set(read)
        return [one for one in self.all() if one.key in known or belongs(one.cwd)]

    def strangers(self, project: Project | None = None, /) -> Sequence[SessionRef]:
        """The files of a form that is not known: they name no folder, so each may be any's."""
        return [
            self._ref(file)
            for file in self._files()
            if has_line(file) and not self._reader.recognise(file)
        ]

    def at(self, path: str | Path, /, *, sidechains: bool = False) -> Sequence[SessionRef]:
        """The transcripts at `path`, a file or a folder, the oldest first.

        Raises:
            TranscriptError: there is nothing.
        """
        path = Path(path)
        if path.is_dir():
            return self._known(sorted(path.rglob(self._pattern)), sidechains=sidechains)
        open_transcript(path).close()
        return [self._ref(path)]

    def find(self, key: str, /) -> Sequence[Path]:
        """The files of the session that a key means, newer forms first."""
        return [path for path in self._find(key) if path.is_file()]

    def _known(self, files: Iterable[Path], *, sidechains: bool) -> list[SessionRef]:
        """The sessions of those files that the agent wrote, the oldest first."""
        found = [self._ref(file) for file in files if self._reader.recognise(file)]
        once = {one.key: one for one in found if sidechains or one.kind == "main"}
        return sorted(once.values(), key=lambda one: (one.started, one.id))
