"""Taking in what Claude Code keeps itself: its auto-memory, and CLAUDE.md's rules."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.errors import NotFound, UsageError
from cortex_core.exchange.bringing import Bringing
from cortex_core.memory import Scope
from cortex_core.reports.exchange import ImportReport
from cortex_core.storage.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.exchange.arrivals import Piece
    from cortex_core.exchange.claude_memory import Rules

MEMORY_RULE = "import:claude-memory"
RULES_RULE = "import:claude-md"
RULE_PRIORITY = 7
"""What a person wrote into CLAUDE.md matters more than a note."""


class ClaudeFiles:
    """Learning from what the client keeps; nothing is ever written there."""

    def __init__(self, workspace: Workspace, bringing: Bringing) -> None:
        self._workspace = workspace
        self._bringing = bringing

    def import_claude_memory(
        self, path: str | Path | None = None, *, dry_run: bool = False
    ) -> ImportReport:
        """See `Exchange.import_claude_memory`."""
        from cortex_core.exchange import claude_memory
        from cortex_core.exchange.arrivals import Load
        from cortex_core.exchange.markdown import read

        started = time.perf_counter()
        folder = Path(path).expanduser() if path else claude_memory.folder(self._workspace.project)
        if not folder.is_dir():
            raise NotFound(
                f"Claude Code keeps no memory in {folder}. Nothing was changed. It makes one when "
                "it has something to remember; another folder can be named."
            )
        found = read.texts(folder, self._bringing.is_ignored)
        problems = list(found.problems)
        pieces: list[Piece] = []
        names = {name for name, *_ in found.notes}
        for name, fields, body in found.notes:
            moment = min(self._workspace.clock(), (folder / name).stat().st_mtime)
            for note in claude_memory.memories(name, fields, body, names):
                try:
                    pieces.append(self._bringing.note_piece(
                        note, name, MEMORY_RULE, claude_memory.kind(fields, note), created=moment,
                        scope=self._workspace.default_scope(), by_person=False,
                    ))  # fmt: skip
                except UsageError as error:
                    problems.append(f"{name}: {error}")
        load = Load(pieces=pieces, problems=problems, files=found.files, size=found.size)
        label = f"import {len(pieces)} memories of Claude Code's own"
        return self._bringing.bring(load, label, dry_run=dry_run, started=started)

    def import_claude_md(
        self, paths: Sequence[str | Path] = (), *, dry_run: bool = False
    ) -> ImportReport:
        """See `Exchange.import_claude_md`."""
        from cortex_core.exchange import claude_memory
        from cortex_core.exchange.arrivals import Load

        started = time.perf_counter()
        chosen = _named(paths) if paths else claude_memory.rules(self._workspace.project)
        if not chosen:
            raise NotFound("There is no CLAUDE.md here or in your home. Nothing was changed.")
        problems: list[str] = []
        pieces: list[Piece] = []
        size = files = 0
        for one in chosen:
            for rule, words in claude_memory.followed(one, self._within_reach(one), problems):
                files, size = files + 1, size + len(words.encode())
                try:
                    pieces += self._rule_pieces(rule, words)
                except UsageError as error:
                    problems.append(f"{rule.name}: {error}")
        load = Load(pieces=_once(pieces), problems=problems, files=files, size=size)
        label = f"import {len(load.pieces)} rules of CLAUDE.md"
        return self._bringing.bring(load, label, dry_run=dry_run, started=started)

    def _rule_pieces(self, rule: Rules, words: str) -> list[Piece]:
        from cortex_core.exchange import claude_memory, note_kinds

        if self._bringing.is_ignored(rule.path):
            raise UsageError("lies in a folder that is kept out of memory")
        moment = min(self._workspace.clock(), rule.path.stat().st_mtime)
        scope: Scope = "global" if rule.everywhere else self._workspace.default_scope()
        listed, globs = claude_memory.rule_notes(words, rule.name)
        return [
            self._bringing.note_piece(
                note, rule.name, RULES_RULE, note_kinds.rule_kind(note.path, note.content),
                created=moment, scope=scope, globs=globs, inject="demoted",
                priority=RULE_PRIORITY,
            )
            for note in listed
        ]  # fmt: skip

    def _within_reach(self, rule: Rules) -> Path:
        """The folder that imports within a file may not leave."""
        if rule.everywhere or not self._workspace.project.root:
            return rule.path.parent
        root = Path(self._workspace.project.root)
        return root if rule.path.resolve().is_relative_to(root.resolve()) else rule.path.parent


def _named(paths: Sequence[str | Path]) -> list[Rules]:
    from cortex_core.exchange.claude_memory import Rules

    found = []
    for name in paths:
        path = Path(name).expanduser()
        path = path / "CLAUDE.md" if path.is_dir() else path
        if not path.is_file():
            raise NotFound(f"There is no {path}. Nothing was changed.")
        found.append(Rules(path, path.name, False))
    return found


def _once(pieces: Sequence[Piece]) -> list[Piece]:
    """Each rule once, however many files say it."""
    from cortex_core.text import content_hash

    return list({content_hash(one.memory.content): one for one in reversed(pieces)}.values())[::-1]
