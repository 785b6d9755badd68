"""Imports what the agent itself keeps: its own memory of a project, and its files of rules."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from cortex_core import agents
from cortex_core.admission import gates
from cortex_core.admission.apply import Admitted
from cortex_core.agents.protocol import RuleFile
from cortex_core.base import text
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.base.project import SURFACE_FILE
from cortex_core.capture import agent_memory, frontmatter, memory_files, notes, pipeline
from cortex_core.exchange import note_items
from cortex_core.exchange.importer import ImportBatch, ImportItem
from cortex_core.exchange.markdown import format, read
from cortex_core.language.patterns import Pattern
from cortex_core.records.captures import ImportOutcome, ImportReport, OutcomeKind, report
from cortex_core.records.events import Candidate, Event
from cortex_core.records.memory import Scope
from cortex_core.store import rows
from cortex_core.store.snapshot_service import Snapshots
from cortex_core.store.workspace import Workspace

own_files = agents.of("claude").own_files

_SEEN = "agent memory"
"""The meta row that says which texts of the folder were taken over last."""

StatedByFile = dict[str, tuple[float, list[Candidate]]]
"""By file of the agent's memory: when it was written (Unix seconds), and what it states."""

RULES_RULE = "import:claude-md"
RULE_PRIORITY = 7
"""Priority of a rule: what the user wrote into CLAUDE.md matters more than a note."""

_OURS = Pattern(
    "part that Cortex wrote",
    r"<cortex-memory>.*?(?:</cortex-memory>|\Z)",
    finds="<cortex-memory>a</cortex-memory>",
    spares="<memory>a</memory>",
    flags=re.DOTALL,
)


def followed(start: RuleFile, inside: Path, problems: list[str]) -> Iterator[tuple[RuleFile, str]]:
    """A file of rules and those that it imports with `@`, with their texts; all within `inside`.

    What Cortex itself injects is left out: memory must not feed on itself.
    """
    seen: set[Path] = set()
    waiting = [(start, 0)]
    while waiting:
        rule, depth = waiting.pop(0)
        real = rule.path.resolve()
        if real in seen or real.as_posix().endswith(SURFACE_FILE):
            continue
        seen.add(real)
        if not real.is_relative_to(inside.resolve()):
            problems.append(f"{rule.name} is outside {inside.name} and was skipped")
            continue
        try:
            words = _OURS.regex.sub("", real.read_bytes().decode("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{rule.name} cannot be read: {error}")
            continue
        yield rule, words
        for path in own_files.imports(words) if depth < own_files.DEEPEST else ():
            named = rule.path.parent / Path(path).expanduser()
            waiting.append((RuleFile(named, path, start.everywhere), depth + 1))


def read_memory(workspace: Workspace, folder: Path) -> tuple[read.VaultScan, StatedByFile]:
    """What Claude Code itself remembers: the files of its folder, and what each states."""
    scan = read.texts(folder, lambda file: note_items.is_ignored(workspace, file))
    stated: StatedByFile = {}
    for name, *_ in scan.notes:
        moment = min(workspace.clock(), (folder / name).stat().st_mtime)
        words = note_items.without_secrets(workspace, scan.texts[name])
        when = Event(role="tool_result", time=moment, cwd=workspace.project.cwd)
        refused: Counter[str] = Counter()
        # One file that cannot be taken must not cost the others.
        try:
            found = agent_memory.statements(name, words, when)
        except UsageError as error:
            refused[str(error)] += 1
        else:
            stated[name] = (moment, pipeline.checked_candidates(found, workspace.config, refused))
        scan.problems += [f"{name}: {reason}" for reason in refused]
    return scan, stated


def take_over(workspace: Workspace, stated: StatedByFile) -> Admitted:
    """Bring the memories of these files up to date, as one undoable step."""
    total, store = Admitted(), workspace.store()
    with store.change("import", "follow Claude Code's own memory", "import") as change:
        for name, (moment, candidates) in stated.items():
            total.add(memory_files.update(store, change, name, candidates, moment))
    return total


def import_memory(
    workspace: Workspace,
    snapshots: Snapshots,
    path: str | Path | None,
    *,
    dry_run: bool,
    started: float,
) -> ImportReport:
    """Take over the memory of a project, or of another folder; see `import_claude_memory`.

    Raises:
        NotFound: there is no such folder.
    """
    folder = Path(path).expanduser() if path else own_files.memory_folder(workspace.project)
    if not folder.is_dir():
        raise NotFound(
            f"Claude Code keeps no memory in {folder}. Nothing was changed. Claude Code creates it "
            "when it remembers something; you can name another folder."
        )
    # Read where the project is: a rehearsal has a folder of its own.
    scan, stated = read_memory(workspace, folder)
    if not dry_run:
        snapshots.before_import()
    with workspace.rehearsal() if dry_run else nullcontext(workspace) as there:
        found = take_over(there, stated)
        effects: dict[OutcomeKind, list[str]] = {
            "new": found.stored,
            "edited": found.updated,
            "quarantined": found.quarantined,
        }
        outcomes = [
            ImportOutcome(
                what=what,
                title=memory.title,
                kind=memory.kind,
                scope=memory.scope,
                file=memory.source.message,
                id=memory.id,
            )
            for what, ids in effects.items()
            for memory in there.store().memories(ids)
        ]
    known = found.refused.pop(gates.KNOWN_ALREADY, 0)
    counts = {
        "files": scan.files,
        "bytes_read": scan.size,
        "candidates": sum(len(candidates) for _, candidates in stated.values()),
        "stored": len(found.stored),
        "updated": len(found.updated),
        "quarantined": len(found.quarantined),
        "merged": len(found.merged) + known,
    }
    return report(
        counts,
        started=started,
        problems=scan.problems,
        refused=found.refused,
        outcomes=outcomes,
        dry_run=dry_run,
    )


def keep_up(workspace: Workspace) -> None:
    """Take over what has changed in Claude Code's memory of this project since the last time.

    A file that is gone takes its memories with it, where the folder is still there.
    """
    folder = own_files.memory_folder(workspace.project)
    if workspace.project.root is None or not folder.is_dir():
        return
    store, (scan, stated) = workspace.store(), read_memory(workspace, folder)
    # The folder by its hash: a path is stored without what looks like a secret in it.
    here, seen = text.content_hash(str(folder)), json.loads(store.meta(_SEEN) or "{}")
    known = seen["files"] if seen.get("folder") == here else {}
    now = {name: text.content_hash(scan.texts[name]) for name in stated}
    news = {name: stated[name] for name in now if now[name] != known.get(name)}
    for name in known.keys() - now.keys():
        if not (folder / name).exists():
            news[name] = (workspace.clock(), [])
    if news:
        take_over(workspace, news)
        store.set_meta(_SEEN, rows.dumps({"folder": here, "files": now}))


def rules_batch(workspace: Workspace, paths: Sequence[str | Path] = ()) -> ImportBatch:
    """The rules of CLAUDE.md, one memory a rule; a rule in several files counts once.

    Args:
        paths: files to read; none: those that Claude Code reads in this project.

    Raises:
        NotFound: there is no such file.
    """
    chosen = _named(paths) if paths else own_files.rules(workspace.project)
    if not chosen:
        raise NotFound(
            f"There is no {own_files.RULES_FILE} in this project or in your home folder. "
            "Nothing was changed. Name the file: cortex import claude-md PATH"
        )
    problems: list[str] = []
    items: list[ImportItem] = []
    size = files = 0
    root = Path(workspace.project.root or "/")
    for start in chosen:
        # What a file of the project imports may be anywhere in it; else it is next to the file.
        is_own = not start.everywhere and start.path.resolve().is_relative_to(root.resolve())
        reach = root if is_own and workspace.project.root else start.path.parent
        for rule, words in followed(start, reach, problems):
            files, size = files + 1, size + len(words.encode())
            try:
                items += _rule_items(workspace, rule, words)
            except UsageError as error:
                problems.append(f"{rule.name}: {error}")
    # From the end, so that of equal rules the one read first stays.
    once = {text.content_hash(item.memory.content): item for item in reversed(items)}
    return ImportBatch(items=list(once.values())[::-1], problems=problems, files=files, size=size)


def _rule_items(workspace: Workspace, rule: RuleFile, words: str) -> list[ImportItem]:
    if note_items.is_ignored(workspace, rule.path):
        raise UsageError("is in a folder that is excluded from capture")
    moment = min(workspace.clock(), rule.path.stat().st_mtime)
    scope: Scope = "global" if rule.everywhere else workspace.default_scope()
    header, body = frontmatter.split(note_items.without_secrets(workspace, words))
    globs = format.texts(frontmatter.parse(header or ""), "paths")
    return [
        note_items.item(
            workspace,
            note,
            rule.name,
            RULES_RULE,
            notes.rule_kind(note.path, note.content),
            created=moment,
            scope=scope,
            globs=globs,
            inject="demoted",
            priority=RULE_PRIORITY,
            by_user=rule.everywhere,
        )
        for note in notes.pieces(body, notes.about(rule.name))
    ]


def _named(paths: Sequence[str | Path]) -> list[RuleFile]:
    files = []
    for name in paths:
        path = Path(name).expanduser()
        path = path / own_files.RULES_FILE if path.is_dir() else path
        if not path.is_file():
            raise NotFound(
                f"There is no {path}. Nothing was changed. Name a {own_files.RULES_FILE}, or a "
                "folder that has one."
            )
        files.append(RuleFile(path, path.name, False))
    return files
