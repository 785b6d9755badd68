"""The code index: describes source files in prose, and keeps the descriptions up to date."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cortex_core.base.errors import ModelFailed, UsageError
from cortex_core.base.kinds import CODE_DESCRIPTION
from cortex_core.capture.language_model import LanguageModels
from cortex_core.code_index import outline, pairs
from cortex_core.code_index.anchor_checks import Anchors
from cortex_core.records.captures import Progress, unwatched
from cortex_core.records.memory import Actor, Memory
from cortex_core.records.project_code import CodeReport
from cortex_core.redaction import cleaning
from cortex_core.search import stale_code
from cortex_core.store import memory_lookup
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace

Work = tuple[pairs.SourceFile, list[pairs.CodePiece], list[Memory]]
"""A file to index: its pieces, and the descriptions that they replace."""


class CodeIndex:
    """Prose for code: descriptions that a search finds, linked with the lines they describe."""

    def __init__(self, workspace: Workspace, llm: LanguageModels) -> None:
        self._workspace = workspace
        self._llm = llm
        self.anchors = Anchors(workspace)
        """What memories name of the project, and what has become of it."""

    def index(
        self,
        paths: Sequence[str | Path],
        *,
        prose: str | None = None,
        force: bool = False,
        dry_run: bool = False,
        actor: Actor = "person",
        progress: Progress = unwatched,
    ) -> CodeReport:
        """Describe source files and keep their code next to the descriptions, as one change.

        Unchanged files are skipped; the new pairs of a changed file replace the old ones. The code
        is neither embedded nor sent anywhere: a chosen language model describes the files that are
        named themselves, and sees only their names and comments.

        Args:
            paths: files, and folders of source files.
            prose: the description of a single file; None derives it from the structure.
            force: index unchanged files again.

        Raises:
            UsageError: a path is missing, or nothing of it can be indexed.
        """
        if prose is not None and (len(paths) != 1 or Path(paths[0]).is_dir()):
            raise UsageError("A description needs exactly one file. Nothing was indexed.")
        if prose is not None and not prose.strip():
            raise UsageError("The description is empty. Nothing was indexed.")
        # Only a file that is named itself may be described by a model; True says so.
        chosen: dict[Path, bool] = {}
        for path in map(Path, paths):
            if path.is_dir():
                for file in pairs.source_files(path, self._workspace.config.get("capture.ignore")):
                    chosen.setdefault(file, False)
            else:
                chosen[path] = True
        return self._index(chosen, prose, force, dry_run, actor, progress)

    def reindex(
        self,
        *,
        dry_run: bool = False,
        actor: Actor = "person",
        progress: Progress = unwatched,
    ) -> CodeReport:
        """Index changed files again, and retire the descriptions of files that are gone."""
        store, root = self._workspace.store(), self._workspace.project.root
        stale: dict[Path, bool] = {}
        gone: list[Memory] = []
        for path, memories in pairs.descriptions(store).items():
            state = stale_code.staleness(memories[0], root)
            if state == "changed":
                stale[Path(root or "/", path)] = False
            # Retired, not deleted: undo brings the descriptions back with the file.
            elif state == "gone":
                gone += memories
        report = self._index(stale, None, False, dry_run, actor, progress)
        if gone and not dry_run:
            with store.change("index", f"let {len(gone)} descriptions go", actor) as change:
                pairs.retire(store, change, gone)
        return replace(report, gone=tuple(gone))

    def stale(self) -> list[Memory]:
        """The descriptions whose file has changed since or is gone."""
        listed = [
            memory
            for store in self._workspace.own_stores
            for memories in pairs.descriptions(store).values()
            for memory in memories
        ]
        flagged = [stale_code.flagged(one, self._workspace.project.root) for one in listed]
        return [memory for memory in flagged if "stale" in memory.details]

    def _index(
        self,
        chosen: dict[Path, bool],
        prose: str | None,
        force: bool,
        dry_run: bool,
        actor: Actor,
        progress: Progress,
    ) -> CodeReport:
        """Read and describe all files first, then write: no transaction is open meanwhile."""
        store = self._workspace.store()
        work: list[Work] = []
        problems: list[str] = []
        unchanged = 0
        for done, (file, named) in enumerate(chosen.items()):
            progress(done, len(chosen), file.name)
            try:
                needed = self._needed(store, file, prose, force, named, actor, problems)
            except UsageError as error:
                # Of the one file that a user named, the error is the answer; of many it is a line.
                if named and len(chosen) == 1:
                    raise
                problems.append(str(error))
                continue
            if needed is None:
                unchanged += 1
            else:
                work.append(needed)
        progress(len(chosen), len(chosen), "")
        written = () if dry_run or not work else self._write(store, work, actor)
        return CodeReport(
            indexed=written,
            files=tuple(source.path for source, _, _ in work),
            unchanged=unchanged,
            replaced=sum(len(old) for _, _, old in work),
            problems=tuple(problems),
            dry_run=dry_run,
        )

    def _needed(
        self,
        store: Store,
        file: Path,
        prose: str | None,
        force: bool,
        named: bool,
        actor: Actor,
        problems: list[str],
    ) -> Work | None:
        """What to store of `file`; None where that is stored already."""
        source = pairs.read(file, self._workspace.project.root)
        old = memory_lookup.descriptions(store, CODE_DESCRIPTION, source.path)
        fresh = bool(old) and old[0].details.get("sha256") == source.sha256
        if fresh and not force and (prose is None or old[0].content == self._clean(prose)):
            return None
        if prose is not None:
            return source, pairs.described(source, prose.strip(), actor), old
        # Where the model fails, the file is described by its structure all the same.
        if named and (model := self._llm.model()) is not None:
            shown = outline.outline_text(source.text, source.path)
            try:
                return (
                    source,
                    pairs.described(source, model.describe_code(shown, source.path), model.rule),
                    old,
                )
            except ModelFailed as error:
                problems.append(f"{source.path} was described by its structure instead: {error}")
        return source, list(pairs.pieces(source, outline.outline(source.text, source.path))), old

    def _write(self, store: Store, work: Sequence[Work], actor: Actor) -> tuple[Memory, ...]:
        label = f"index {work[0][0].path if len(work) == 1 else f'{len(work)} files'}"
        branch, names = self._workspace.project.branch, list[str]()
        with store.change("index", label, actor) as change:
            for source, pieces, old in work:
                names += pairs.write(store, change, source, pieces, old, self._clean, branch)
        return tuple(store.memories(names))

    def _clean(self, words: str) -> str:
        return cleaning.cleaned(words, self._workspace.config)
